//! Tables of a `schema.json` as declarations.

use duet_model::{IndexKind, SearchForm};
use duet_text::Fold;

use crate::{Collection, Declaration, RmbSchema};

const DOCUMENT: &str = r#"{"properties": {
    "id": {"type": "string", "format": "uuid"}, "orderId": {"type": "string", "format": "uuid"},
    "title": {"type": "string"}, "note": {"type": "string"}, "rush": {"type": "boolean"},
    "details": {"type": "object", "properties": {"kind": {"type": "string"}}},
    "contributors": {"type": "array", "items": {"type": "object",
        "properties": {"name": {"type": "string"}, "typeId": {"type": "string"}}}}}}"#;

fn read(table: &str) -> Collection {
    let file = RmbSchema::read(&format!(r#"{{"tables": [{table}]}}"#)).unwrap();
    let mut declaration = Declaration::new("line");
    declaration.rmb = file.table("line");
    assert!(declaration.rmb.is_some(), "{table}");
    Collection::new(declaration, DOCUMENT).unwrap()
}

fn notes(collection: &Collection) -> Vec<String> {
    collection.notes().map(ToString::to_string).collect()
}

#[test]
fn reads_a_declared_table() {
    let read = read(
        r#"{"tableName": "line", "withMetadata": true, "withOptimisticLocking": "failOnConflict",
            "foreignKeys": [{"fieldName": "orderId", "targetTable": "orders", "tableAlias": "lines",
                             "targetTableAlias": "order"},
                            {"targetPath": ["orderId", "vendorId"], "targetTable": "vendor",
                             "targetTableAlias": "vendor"}],
            "index": [{"fieldName": "details.kind", "caseSensitive": true, "removeAccents": false,
                       "sqlExpression": "(jsonb->'details'->>'kind')", "sqlExpressionQuery": "$"},
                      {"fieldName": "rush"}, {"fieldName": "note", "tOps": "DELETE"}],
            "ginIndex": [{"fieldName": "title", "removeAccents": false},
                         {"fieldName": "contributors", "arraySubfield": "name",
                          "arrayModifiers": ["typeId", "lost"]}],
            "fullTextIndex": [{"fieldName": "title"}]}"#,
    );
    let declaration = read.declaration();
    assert!(declaration.metadata && declaration.versioned);
    let reference = &declaration.references[0];
    assert_eq!(
        (reference.alias.as_deref(), reference.inverse.as_deref()),
        (Some("order"), Some("lines"))
    );
    assert_eq!(declaration.path_keys[0].alias.as_deref(), Some("vendor"));
    let indexes: Vec<_> =
        declaration.indexes.iter().map(|one| (one.path.as_str(), one.kind)).collect();
    assert_eq!(
        indexes,
        [
            ("title", IndexKind::Trigram),
            ("details.kind", IndexKind::Ordered),
            ("rush", IndexKind::Ordered),
            ("title", IndexKind::FullText)
        ]
    );
    let rules = &declaration.search;
    let whole = |path: &str| rules.declared(path).and_then(|one| one.whole.clone());
    assert_eq!(whole("details.kind"), Some(SearchForm::default()));
    assert_eq!(whole("title"), Some(SearchForm::of(Some(Fold::Case))));
    assert_eq!(whole("note"), None);
    let array = &rules.arrays[0];
    assert_eq!((&*array.subfield, array.modifiers.len()), ("name", 2));
    assert_eq!(
        notes(&read),
        ["ginIndex of `contributors`: searched without an index: it has members, no single value"]
    );
}

#[test]
fn each_relation_has_the_index_of_its_kind() {
    let read = read(
        r#"{"tableName": "line",
            "index": [{"fieldName": "title", "removeAccents": false, "sqlExpression": "(jsonb->>'title')",
                       "sqlExpressionQuery": "$"}],
            "ginIndex": [{"fieldName": "title", "removeAccents": false}],
            "fullTextIndex": [{"fieldName": "title", "removeAccents": false},
                              {"fieldName": "keyword", "multiFieldNames": "title, contributors[*].name"}],
            "uniqueIndex": [{"fieldName": "pair", "caseSensitive": true, "removeAccents": false,
                             "multiFieldNames": "orderId,note"}]}"#,
    );
    let declared = |path: &str| read.declaration().search.declared(path).unwrap();
    let title = declared("title");
    assert_eq!(title.whole, Some(SearchForm::of(Some(Fold::Case))));
    assert_eq!(title.order, Some(SearchForm { value: Some(Fold::Case), ..SearchForm::default() }));
    assert_eq!(title.words, Some(SearchForm::of(Some(Fold::Case))));
    let keyword = declared("keyword");
    assert_eq!(keyword.words.as_ref().unwrap().joined.as_deref(), Some("keyword[*]"));
    assert_eq!((&keyword.whole, &keyword.order), (&None, &None));
    assert_eq!(declared("pair").whole.as_ref().unwrap().value, None);
    let indexes: Vec<_> = read
        .table(None)
        .indexes
        .iter()
        .map(|index| (index.name("line"), index.holds_folded()))
        .collect();
    let expected = [
        ("line_title_idx_gin", Some(Fold::Case)),
        ("line_pair[*]_idx_unique", None),
        ("line_title_idx", None),
        ("line_title_idx_ft", Some(Fold::Case)),
        ("line_keyword[*]_idx_ft", Some(Fold::Both)),
    ];
    assert_eq!(indexes, expected.map(|(name, fold)| (name.to_owned(), fold)));
    assert_eq!(notes(&read), [""; 0]);
}

#[test]
fn what_is_not_taken_has_its_reason() {
    let read = read(
        r#"{"tableName": "line", "customSnippetPath": "line.sql", "withAuditing": true,
            "foreignKeys": [{"fieldName": "lost", "targetTable": "vendor"}],
            "uniqueIndex": [{"fieldName": "title,note"}, {"fieldName": "title", "whereClause": "WHERE length(jsonb->>'title') > 3"}],
            "index": [{"fieldName": "title", "sqlExpression": "left(jsonb->>'title', 20)"},
                      {"fieldName": "note", "stringType": false}],
            "fullTextIndex": [{"fieldName": "note", "caseSensitive": true}, {"fieldName": "lost"}]}"#,
    );
    let expected = [
        "withAuditing: no history of changes is written",
        "foreignKey `lost` to `vendor`: the JSON Schema has no such member",
        "uniqueIndex of `title`: its whereClause compares no member with a value, so that nothing is unique",
        "index of `title`: its sqlExpression is something else than the member",
        "index of `note`: the index has texts, as searches compare",
        "fullTextIndex of `note`: RMB has no words that respect case",
        "fullTextIndex of `lost`: searched without an index: the JSON Schema has no such member",
        "customSnippetPath `line.sql`: the file is not there",
    ];
    assert_eq!(notes(&read), expected);
    assert_eq!(read.declaration().indexes[0].then, ["note"]);
}

#[test]
fn files() {
    assert!(RmbSchema::read("{").unwrap_err().contains("line 1"));
    let deleted = r#"{"tables": [{"tableName": "old", "mode": "delete"}]}"#;
    assert_eq!(RmbSchema::read(deleted).unwrap().table("old"), None);
    let unknown =
        r#"{"tables": [{"tableName": "a", "index": [{"fieldName": "b", "bloom": 1}]}], "x": 1}"#;
    let unknown = RmbSchema::read(unknown).unwrap();
    let lines: Vec<String> = unknown.unknown_keys().iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["`x`: the key is unknown", "`bloom` of `b`: the key is unknown"]);
}

#[test]
fn what_is_left_out_of_a_file_is_said_for_each_table() {
    let file = r#"{"fullText": {"defaultDictionary": "simple", "x": 1}, "views": [{"viewName": "v"}], "tables": [
        {"tableName": "a", "pkColumnName": "jsonb_id", "foreignKeys": [{"fieldName": "b", "targetTable": "nope"},
            {"fieldName": "c", "targetTable": "gone", "tOps": "DELETE"}], "index": [{"fieldName": "b", "dictionary": "x"}]},
        {"tableName": "b", "pkColumnName": "id", "y": 1},
        {"tableName": "a"}]}"#;
    let read = RmbSchema::read(file).unwrap();
    let lines = |table: &str| -> Vec<String> {
        read.left_out(&read.table(table).unwrap()).map(|line| line.to_string()).collect()
    };
    let of_file =
        ["`x`: the key is unknown", "the view `v`: searches follow references in place of joins"];
    let of_a = [
        "`pkColumnName` of `a`: the key is the column `id`, not \"jsonb_id\"",
        "`targetTable` of `b`: the file has no table `nope`",
        "`dictionary` of `b`: the key is unknown",
    ];
    assert_eq!(lines("a"), [&of_file[..1], &of_a, &of_file[1..]].concat());
    assert_eq!(lines("b"), [of_file[0], "`y` of `b`: the key is unknown", of_file[1]]);
    let again = "`tableName` of `a`: the table is there twice: the first one counts";
    assert!(read.unknown_keys().iter().any(|line| line.to_string() == again));
}
