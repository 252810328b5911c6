//! What a draft against tables costs: counts of comparisons at n and 2n tables and documents.

use std::path::PathBuf;

use duet_model::catalog::OnDelete;
use duet_model::{Column, ForeignKey, Relation, Type, steps};
use serde_json::json;

use super::*;

/// Tables in which each refers to the one before, and a view over each.
fn known(tables: usize) -> (Known, Vec<ViewFile>) {
    let relation = |number: usize| {
        let mut columns = vec![
            Column::new("id", Type::Integer { bits: 64 }),
            Column::new("name", Type::Text),
            Column::new("before_id", Type::Integer { bits: 64 }),
        ];
        columns[0].not_null = true;
        let mut relation = Relation::table("main", &format!("thing{number}"), columns);
        relation.primary_key = vec![0];
        relation.foreign_keys = (number > 0)
            .then(|| ForeignKey {
                name: "before".into(),
                columns: vec![2],
                references_schema: "main".into(),
                references_table: format!("thing{}", number - 1),
                references_columns: vec!["id".into()],
                on_delete: OnDelete::default(),
            })
            .into_iter()
            .collect();
        relation.into()
    };
    let mut relations: Vec<duet_model::catalog::TableRef> = (0..tables).map(relation).collect();
    relations.sort_by(|a, b| a.name.cmp(&b.name));
    let view = |number: usize| ViewFile {
        name: format!("{number}.graphql"),
        text: format!("view item{number} as thing{number} @insert @update @delete {{ id name }}"),
    };
    let catalog = Catalog { relations, ..Catalog::default() };
    (Known::of(&catalog, "main"), (0..tables).map(view).collect())
}

/// A collection for each view, and one whose documents have a row of each table.
fn collections(tables: usize, documents: usize) -> Vec<Collection> {
    let document = |number: usize, value: serde_json::Value| input::Document {
        place: format!("document {number}"),
        members: value.as_object().cloned().unwrap_or_default(),
    };
    let of_view = |number: usize| Collection {
        name: format!("item{number}"),
        documents: (0..documents)
            .map(|at| document(at, json!({"id": at, "name": "a", "grams": at})))
            .collect(),
    };
    let mut all: Vec<Collection> = (0..tables).map(of_view).collect();
    let row = |at: usize| {
        let mut members = serde_json::Map::new();
        members.insert("id".into(), json!(at));
        for number in 0..tables {
            members.insert(format!("thing{number}"), json!({"id": at, "name": "a"}));
        }
        document(at, members.into())
    };
    all.push(Collection { name: "wholes".into(), documents: (0..documents).map(row).collect() });
    all
}

/// The comparisons of a draft, and its migration.
fn counted_draft(tables: usize, documents: usize) -> (u64, String) {
    let (known, files) = known(tables);
    let collections = collections(tables, documents);
    let (text, count) = steps::counted(|| {
        let draft = Draft::of(known, &files, &collections).unwrap();
        assert!(draft.files(&PathBuf::new(), &[], InferStore::Sqlite).len() > tables);
        schema::migration(&draft.designer.design, InferStore::Sqlite).unwrap()
    });
    (count, text)
}

#[test]
fn comparisons_grow_with_tables_and_documents() {
    let (once, text) = counted_draft(20, 10);
    assert!(text.contains("ALTER TABLE \"thing3\" ADD COLUMN \"grams\" integer;"), "{text}");
    let united = "FOREIGN KEY (\"thing3_id\") REFERENCES \"thing3\" (\"id\")";
    assert!(text.contains(united), "{text}");
    assert!(!text.contains("CREATE TABLE \"thing"), "{text}");
    let (more_tables, _) = counted_draft(40, 10);
    let (more_documents, _) = counted_draft(20, 20);
    assert!(once > 0 && more_tables <= once * 21 / 10, "{once} {more_tables}");
    assert!(more_documents <= once * 21 / 10, "{once} {more_documents}");
}

/// A table that refers to the collection's has the rows of its list already.
#[test]
fn lists_with_tables_are_refused_by_name() {
    let thing = |relation: &duet_model::catalog::TableRef| {
        let own = Relation { schema: "main".into(), ..Relation::clone(relation) };
        duet_model::catalog::TableRef::from(own)
    };
    let mut relations: Vec<_> = known(1).0.catalog.relations.iter().map(thing).collect();
    let child = |name: &str| {
        let mut columns = vec![Column::new("id", Type::Integer { bits: 64 })];
        columns[0].not_null = true;
        columns.push(Column::new("thing0_id", Type::Integer { bits: 64 }));
        let mut relation = Relation::table("main", name, columns);
        relation.primary_key = vec![0];
        relation.foreign_keys = vec![ForeignKey {
            name: "of".into(),
            columns: vec![1],
            references_schema: "main".into(),
            references_table: "thing0".into(),
            references_columns: vec!["id".into()],
            on_delete: OnDelete::default(),
        }];
        duet_model::catalog::TableRef::from(relation)
    };
    relations.extend([child("parts"), child("thing0_notes"), child("other")]);
    relations.sort_by(|a, b| a.name.cmp(&b.name));
    let catalog = Catalog { relations, ..Catalog::default() };
    let lists = json!({
        "id": 1,
        "parts": [{ "sku": "a" }, { "sku": "b" }],
        "notes": [{ "text": "a" }],
        "steps": [{ "text": "b" }],
    });
    let document = input::Document {
        place: "document 1".into(),
        members: lists.as_object().cloned().unwrap_or_default(),
    };
    let collections = [Collection { name: "thing0".into(), documents: vec![document] }];
    let known = Known::of(&catalog, "main");
    let Err(error) = Draft::of(known, &[], &collections) else { panic!("it is refused") };
    let lines: Vec<&str> = error.message().lines().skip(1).collect();
    let expected = [
        "`notes` of thing0: thing0_notes refers to thing0",
        "`parts` of thing0: parts refers to thing0",
    ];
    let mut sorted = lines.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected, "{}", error.message());
}

/// Views over tables of another schema are named with these, all in one message.
#[test]
fn views_of_other_schemas_are_refused_by_name() {
    let table = |schema: &str, name: &str| {
        let mut columns = vec![Column::new("id", Type::Integer { bits: 64 })];
        columns[0].not_null = true;
        let mut relation = Relation::table(schema, name, columns);
        relation.primary_key = vec![0];
        duet_model::catalog::TableRef::from(relation)
    };
    let relations = vec![table("audit", "log"), table("shop", "sale")];
    let catalog = Catalog { relations, ..Catalog::default() };
    let file = |name: &str, text: &str| ViewFile { name: name.into(), text: text.into() };
    let own = file("own.graphql", "view own as sale { id }");
    let other = file("other.graphql", "view a as audit.log { id }; view b as shop.sale { id };");
    let broken = file("broken.graphql", "view c as nothing { id }");
    assert!(refuse_several_schemas(&[own.clone(), broken], &catalog, "shop").is_ok());
    let error = refuse_several_schemas(&[own, other], &catalog, "shop").unwrap_err();
    assert!(error.message().ends_with("\nother.graphql: a shows audit.log"), "{}", error.message());
}
