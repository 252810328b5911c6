//! Files of collections: what is stored, with a JSON Schema beside it; and files of lists over several
//! collections, which name the one that they list with `of`.

use std::ops::Range;
use std::sync::Arc;

use duet_model::search_rules::SIMPLE;
use duet_model::{IndexKind, ProfileRef, SearchedArray};
use duet_service::definition::{
    Collection, CollectionMistake, Declaration, DeclaredIndex, JoinedList, Reference, RmbLine,
    RmbSchema, RmbTable, schema_of_files,
};
use duet_text::name::nearest;
use duet_text::problem::did_you_mean;
use toml::de::DeTable;

use super::folder::Folder;
use super::mounts;
use super::problem::{Problem, Problems, SourceText};
use super::reader::{At, Context, Table, TextOrTable};
use crate::settings::Environment;

/// What a file declares.
#[derive(Debug)]
pub(super) enum Declared {
    /// A collection, and the name of its JSON Schema's file with its text.
    Collection(Box<Collection>, (String, String)),
    /// A list over several, to be checked with [`list_mistakes`], and where its names are.
    List(JoinedList, Places),
}

/// What collections need to know of their application.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    pub(super) folder: &'a Folder,
    pub(super) profile: ProfileRef,
    /// Its mounts, where it has several.
    pub(super) mounts: Option<&'a [String]>,
}

/// Reads the file of a collection, and its schema; or that of a list.
///
/// # Errors
/// All mistakes in it.
pub(super) fn read(
    source: &SourceText,
    owner: Owner<'_>,
    environment: Environment<'_>,
) -> Result<Declared, Vec<Problem>> {
    let Owner { folder, profile, mounts } = owner;
    let (parsed, errors) = DeTable::parse_recoverable(&source.text);
    if !errors.is_empty() {
        let problem = |error: &toml::de::Error| Problem {
            span: error.span().unwrap_or(0..0),
            message: format!("The file of the collection is not TOML: {}.", error.message()),
            hint: None,
        };
        return Err(errors.iter().map(problem).collect());
    }
    let problems = Problems::new(source);
    let mut root = Table::root(Context { problems: &problems, environment }, parsed.get_ref());
    let mount = mounts::one(&mut root, mounts);
    if let Some(of) = root.text("of") {
        let (mut list, places) = list(&mut root, of, &source.name);
        list.mount = mount;
        root.finish(|_| None);
        let found = problems.into_list();
        return if found.is_empty() { Ok(Declared::List(list, places)) } else { Err(found) };
    }
    let (mut declaration, places) = declaration(&mut root, &source.name);
    declaration.search.profile = profile;
    declaration.mount = mount;
    if let Some((table, lines)) = rmb_table(&mut root, folder, &declaration.table) {
        declaration.rmb = Some(table);
        declaration.lines = lines;
    }
    let schema = schema(&mut root, folder);
    root.finish(|_| None);
    let collection = schema.and_then(|(name, schema)| {
        let made = Collection::new(declaration, &schema.value);
        let made = made.map_err(|mistakes| report(&problems, mistakes, &places, &schema.span)).ok();
        made.map(|made| (made, (name, schema.value)))
    });
    let found = problems.into_list();
    match collection {
        Some((collection, schema)) if found.is_empty() => {
            Ok(Declared::Collection(Box::new(collection), schema))
        }
        _ => Err(found),
    }
}

/// What is wrong with a list over these collections.
pub(super) fn list_mistakes(
    source: &SourceText,
    list: &JoinedList,
    places: &Places,
    collections: &[Arc<Collection>],
) -> Vec<Problem> {
    let problems = Problems::new(source);
    report(&problems, list.mistakes(collections), places, &(0..0));
    problems.into_list()
}

fn list(root: &mut Table<'_>, of: At<String>, file: &str) -> (JoinedList, Places) {
    let mut places = vec![(of.value.clone(), of.span)];
    let name = root.text("name").map(|name| name.value);
    let mut list = JoinedList {
        name: name.unwrap_or_else(|| name_of(file)),
        of: of.value,
        list: root.text("list").map(|list| list.value),
        ..JoinedList::default()
    };
    for At { value, span } in paths(root, "join") {
        places.push((value.clone(), span));
        list.join.push(value);
    }
    for (name, path) in root.table("members").map(Table::named_texts).unwrap_or_default() {
        places.push((path.value.clone(), path.span));
        list.members.push((name.value, path.value));
    }
    (list, places)
}

/// The name of what a file declares, where it does not say.
fn name_of(file: &str) -> String {
    let base = file.rsplit('/').next().unwrap_or(file);
    base.strip_suffix(".toml").unwrap_or(base).to_owned()
}

/// Where each declared path is.
pub(super) type Places = Vec<(String, Range<usize>)>;

fn declaration(root: &mut Table<'_>, file: &str) -> (Declaration, Places) {
    let name = root.text("name").map(|name| name.value);
    let name = name.unwrap_or_else(|| name_of(file));
    let mut declaration = Declaration::new(&name);
    if let Some(table) = root.text("table") {
        declaration.table = table.value;
    }
    if let Some(list) = root.text("list") {
        declaration.list = list.value;
    }
    declaration.metadata = root.switch("metadata").is_some_and(|switch| switch.value);
    declaration.versioned = root.switch("versioned").is_some_and(|switch| switch.value);
    let mut places = Places::new();
    for (path, reference) in
        root.table("references").map(Table::texts_or_tables).unwrap_or_default()
    {
        places.push((path.value.clone(), path.span));
        declaration.references.extend(read_reference(&path.value, reference));
    }
    if let Some(mut table) = root.table("indexes") {
        for (key, kind) in IndexKind::NAMES {
            if kind.is_of_pairs() {
                for one in table.tables(key) {
                    of_pair(one, kind, &mut declaration, &mut places);
                }
                continue;
            }
            for one in table.list(key) {
                match kind {
                    IndexKind::FullText => words(one, &mut declaration, &mut places),
                    _ => of_values(one, kind, &mut declaration, &mut places),
                }
            }
        }
        table.finish(|_| None);
    }
    declaration.unprocessable =
        paths(root, "unprocessable").into_iter().map(|name| name.value).collect();
    declaration.ignored = paths(root, "ignored").into_iter().map(|name| name.value).collect();
    for At { value, span } in paths(root, "exact") {
        places.push((value.clone(), span));
        declaration.exact.push(value);
    }
    for At { value, span } in paths(root, "server-choice") {
        places.push((value.clone(), span));
        declaration.search.server_choice.push(value);
    }
    let arrays = root.table("arrays").map(Table::named_tables).unwrap_or_default();
    declaration.search.arrays =
        arrays.into_iter().map(|(path, table)| array(path, table, &mut places)).collect();
    (declaration, places)
}

/// An index of words: a path, or a table of path, dictionary and condition.
fn words(given: TextOrTable<'_>, declaration: &mut Declaration, places: &mut Places) {
    let (path, dictionary, condition) = match given {
        TextOrTable::Text(path) => (Some(path), None, None),
        TextOrTable::Table(mut table) => {
            let found =
                (table.required_text("path"), table.text("dictionary"), table.text("where"));
            table.finish(|_| None);
            found
        }
    };
    let Some(At { value: path, span }) = path else { return };
    places.push((path.clone(), span));
    if let Some(dictionary) = dictionary.filter(|it| it.value != SIMPLE) {
        declaration.search.dictionaries.0.push((path.clone(), dictionary.value));
    }
    let condition = condition.map(|condition| condition.value);
    declaration
        .indexes
        .push(DeclaredIndex { condition, ..DeclaredIndex::new(&path, IndexKind::FullText) });
}

/// An index of values: a path, or a table of one or several paths and a condition.
fn of_values(
    given: TextOrTable<'_>,
    kind: IndexKind,
    declaration: &mut Declaration,
    places: &mut Places,
) {
    let (paths, condition) = match given {
        TextOrTable::Text(path) => (vec![path], None),
        TextOrTable::Table(mut table) => {
            let several = matches!(kind, IndexKind::Ordered | IndexKind::Totals);
            let mut found = if several { paths(&mut table, "paths") } else { Vec::new() };
            if found.is_empty() {
                found.extend(table.text("path"));
            }
            // Totals are of all documents.
            let condition = (kind != IndexKind::Totals).then(|| table.text("where")).flatten();
            let condition = condition.map(|condition| condition.value);
            if found.is_empty() {
                let (key, example) = match kind {
                    IndexKind::Ordered | IndexKind::Totals => {
                        ("paths", "paths = [\"status\", \"due\"]")
                    }
                    _ => ("path", "path = \"status\", where = \"approved==true\""),
                };
                let hint = format!(
                    "Name the members, the one that searches name first: `{{ {example} }}`."
                );
                table.wrong(table.span(), format!("`{key}` is missing."), Some(hint));
            }
            table.finish(|_| None);
            (found, condition)
        }
    };
    places.extend(paths.iter().map(|path| (path.value.clone(), path.span.clone())));
    let mut paths = paths.into_iter().map(|path| path.value);
    let Some(path) = paths.next() else { return };
    let then = paths.collect();
    let index = DeclaredIndex { then, condition, ..DeclaredIndex::new(&path, kind) };
    declaration.indexes.push(index);
}

/// An index of a range or a point: its name for searches, the two members that it is made of, and a condition.
fn of_pair(
    mut table: Table<'_>,
    kind: IndexKind,
    declaration: &mut Declaration,
    places: &mut Places,
) {
    let members = if kind == IndexKind::Range { ["from", "to"] } else { ["x", "y"] };
    let found = ["name", members[0], members[1]].map(|key| table.required_text(key));
    let condition = table.text("where").map(|condition| condition.value);
    table.finish(|_| None);
    let [Some(name), Some(first), Some(second)] = found else { return };
    for place in [&name, &first, &second] {
        places.push((place.value.clone(), place.span.clone()));
    }
    let then = vec![first.value, second.value];
    let index = DeclaredIndex { then, condition, ..DeclaredIndex::new(&name.value, kind) };
    declaration.indexes.push(index);
}

/// `[arrays.PATH]`: the members of an array's elements that searches name.
fn array(path: At<String>, mut table: Table<'_>, places: &mut Places) -> SearchedArray {
    let mut place = |At { value, span }: At<String>| {
        places.push((format!("{}.{value}", path.value), span));
        value
    };
    let subfield = table.required_text("subfield").map(&mut place).unwrap_or_default();
    let modifiers = paths(&mut table, "modifiers").into_iter().map(&mut place).collect();
    table.finish(|_| None);
    SearchedArray { path: path.value, subfield, modifiers }
}

/// `path = "table"`, or a table with names for searches.
fn read_reference(path: &str, given: TextOrTable<'_>) -> Option<Reference> {
    let mut table = match given {
        TextOrTable::Text(table) => return Some(Reference::new(path, &table.value)),
        TextOrTable::Table(table) => table,
    };
    let to = table.required_text("table");
    let alias = table.text("alias").map(|alias| alias.value);
    let inverse = table.text("inverse").map(|inverse| inverse.value);
    let cascades = on_delete(&mut table);
    table.finish(|_| None);
    Some(Reference { alias, inverse, cascades, ..Reference::new(path, &to?.value) })
}

/// Whether `on_delete = "cascade"`; the other value is `refuse`.
fn on_delete(table: &mut Table<'_>) -> bool {
    let Some(At { value, span }) = table.text("on_delete") else { return false };
    if !["cascade", "refuse"].contains(&value.as_str()) {
        let message = format!("`on_delete` cannot be {value:?}.");
        table.wrong(span, message, Some("Use `cascade` or `refuse`.".into()));
    }
    value == "cascade"
}

fn paths(table: &mut Table<'_>, key: &'static str) -> Vec<At<String>> {
    table.texts(key).map(|list| list.value).unwrap_or_default()
}

/// What the file that `rmb` names declares for the table.
fn rmb_table(
    root: &mut Table<'_>,
    folder: &Folder,
    table: &str,
) -> Option<(RmbTable, Vec<RmbLine>)> {
    let name = root.text("rmb")?;
    let beside =
        name.value.rsplit_once('/').map_or(String::new(), |(beside, _)| format!("{beside}/"));
    let At { value: text, span } = file(root, folder, name)?;
    let read = match RmbSchema::read(&text) {
        Ok(read) => read,
        Err(error) => {
            root.wrong(span, format!("The file is not a schema.json: {error}."), None);
            return None;
        }
    };
    let found = read.table(table);
    if found.is_none() {
        let near = nearest(table, read.names());
        root.wrong(span, format!("The file has no table {table:?}."), near.map(did_you_mean));
    }
    let found = found?;
    let snippet = found.snippet_path().map(|path| folder.read_text(&format!("{beside}{path}")));
    let lines = read.left_out(&found).collect();
    Some((found.with_snippet(snippet.and_then(Result::ok)), lines))
}

/// The name of the JSON Schema's file, and its text with those of the files that it refers to.
fn schema(root: &mut Table<'_>, folder: &Folder) -> Option<(String, At<String>)> {
    let At { value: name, span } = root.required_text("schema")?;
    if let Err(error) = folder.read_text(&name) {
        root.wrong(span, format!("{name:?} cannot be read: {error}."), None);
        return None;
    }
    let read = |path: &str| folder.read_text(path).map_err(|error| error.to_string());
    match schema_of_files(&name, &read) {
        Ok(value) => Some((name, At { value, span })),
        Err(mistakes) => {
            for mistake in mistakes {
                root.wrong(span.clone(), mistake.message, mistake.hint);
            }
            None
        }
    }
}

/// The text of a file that is named here.
fn file(
    root: &mut Table<'_>,
    folder: &Folder,
    At { value: name, span }: At<String>,
) -> Option<At<String>> {
    match folder.read_text(&name) {
        Ok(value) => Some(At { value, span }),
        Err(error) => {
            root.wrong(span, format!("{name:?} cannot be read: {error}."), None);
            None
        }
    }
}

fn report(
    problems: &Problems<'_>,
    mistakes: Vec<CollectionMistake>,
    places: &Places,
    schema: &Range<usize>,
) {
    for mistake in mistakes {
        let place = mistake.path.as_ref().and_then(|path| {
            places.iter().find(|(known, _)| known == path).map(|(_, span)| span.clone())
        });
        problems.add(place.unwrap_or_else(|| schema.clone()), mistake.message, mistake.hint);
    }
}

#[cfg(test)]
mod tests {
    use super::super::folder::{BuiltInFile, Stored};
    use super::*;

    fn read_text(text: &str) -> Result<Declared, String> {
        const FILES: &[BuiltInFile] = &[
            (
                "item.json",
                Stored::Plain(
                    br#"{"properties": {"id": {"type": "string"}, "name": {"type": "string"},
                    "parent": {"type": "string"}, "tags": {"type": "array"}}}"#,
                ),
            ),
            (
                "schema.json",
                Stored::Plain(
                    br#"{"tables": [{"tableName": "items", "withMetadata": true,
                    "index": [{"fieldName": "name"}, {"fieldName": "nmae"}]}]}"#,
                ),
            ),
        ];
        let source = SourceText { name: "collections/items.toml".into(), text: text.into() };
        let none = |_: &str| None;
        let folder = Folder::BuiltIn(FILES);
        let owner = Owner { folder: &folder, profile: ProfileRef::default(), mounts: None };
        read(&source, owner, &none).map_err(|found| {
            let to_error = |problem| super::super::problem::to_error(problem, &source).into();
            let shown = found.iter().map(to_error);
            shown.map(|error: duet_model::Error| error.to_string()).collect::<Vec<_>>().join("\n")
        })
    }

    #[test]
    fn a_table_of_rmb() {
        let text = "schema = 'item.json'\nrmb = 'schema.json'\n[indexes]\nlike = ['name']";
        let Declared::Collection(collection, _) = read_text(text).unwrap() else {
            panic!("a list")
        };
        let declaration = collection.declaration();
        assert_eq!((declaration.indexes.len(), declaration.metadata), (2, true));
        let notes: Vec<String> = collection.notes().map(ToString::to_string).collect();
        let expected =
            "index of `nmae`: searched without an index: the JSON Schema has no such member";
        assert_eq!(notes, [expected]);
        let wrong =
            read_text("schema = 'item.json'\nrmb = 'schema.json'\ntable = 'itmes'").unwrap_err();
        assert!(wrong.contains("The file has no table \"itmes\"."), "{wrong}");
        assert!(wrong.contains("Did you mean `items`?"), "{wrong}");
        let wrong = read_text("schema = 'item.json'\nrmb = 'item.xml'").unwrap_err();
        assert!(wrong.contains("cannot be read"), "{wrong}");
    }

    #[test]
    fn a_declaration() {
        let text = r#"schema = "item.json"
            metadata = true
            exact = ["name"]
            [references]
            parent = "items"
            [indexes]
            index = ["name", { paths = ["name", "id"] }]
            unique = [{ path = "name", where = "name==A" }]
            full-text = ["name"]"#;
        let Declared::Collection(collection, _) = read_text(text).unwrap() else {
            panic!("a list")
        };
        let declaration = collection.declaration();
        assert_eq!((&*declaration.name, &*declaration.table), ("items", "items"));
        assert_eq!((declaration.indexes.len(), declaration.references.len()), (4, 1));
        assert_eq!(declaration.indexes[1].then, ["id"]);
        assert!(declaration.metadata && !declaration.versioned);
        let wrong = read_text("schema = 'item.json'\n[indexes]\nindex = [{}]").unwrap_err();
        assert!(wrong.contains("`paths` is missing."), "{wrong}");
        assert_eq!(collection.table(None).indexes[2].condition.as_ref().unwrap().all.len(), 1);
        for (condition, expected) in [
            // Documents may have other members.
            ("nmae==1", "no condition for an index"),
            ("name = word", "no condition for an index"),
            ("name==1 or name==2", "no condition for an index"),
        ] {
            let wrong = read_text(&text.replace("name==A", condition)).unwrap_err();
            assert!(wrong.contains("`where` of the index of `name`: "), "{wrong}");
            assert!(wrong.contains(expected), "{wrong}");
        }
    }

    #[test]
    fn words_have_dictionaries() {
        let text = r#"schema = "item.json"
            [indexes]
            full-text = [{ path = "name", dictionary = "english" }, "id"]"#;
        let Declared::Collection(collection, _) = read_text(text).unwrap() else {
            panic!("a list")
        };
        let dictionaries = &collection.declaration().search.dictionaries;
        assert_eq!(collection.declaration().indexes.len(), 2);
        assert_eq!((dictionaries.of("name"), dictionaries.of("id")), ("english", "simple"));
        let wrong = read_text(&text.replace("\"english\"", "\"eng lish\"")).unwrap_err();
        assert!(wrong.contains("no name of a dictionary"), "{wrong}");
        assert!(wrong.contains("items.toml:3:35"), "{wrong}");
        let wrong = read_text(&text.replace("path", "pth")).unwrap_err();
        assert!(wrong.contains("`path`"), "{wrong}");
    }

    #[test]
    fn ranges_and_points_have_names_for_searches() {
        let text = r#"schema = "item.json"
            [indexes]
            range = [{ name = "period", from = "name", to = "parent", where = "name > 2024" }]"#;
        let Declared::Collection(collection, _) = read_text(text).unwrap() else {
            panic!("a list")
        };
        let index = &collection.declaration().indexes[0];
        assert_eq!((&*index.path, index.kind), ("period", IndexKind::Range));
        assert_eq!(index.then, ["name", "parent"]);
        for (wrong, expected) in [
            ("to = \"prent\"", "no member `prent`. Did you mean `parent`?"),
            ("till = \"parent\"", "`to`"),
            ("to = \"tags\"", "lies in an array"),
        ] {
            let found = read_text(&text.replace("to = \"parent\"", wrong)).unwrap_err();
            assert!(found.contains(expected), "{found}");
            assert!(found.contains("items.toml:3:"), "{found}");
        }
        let point = text.replace("range =", "point =").replace("from", "x").replace("to =", "y =");
        assert!(read_text(&point).unwrap_err().contains("`name` is no number"), "{point}");
        let plain = "schema = 'item.json'\n[indexes]\nrange = [\"name\"]";
        assert!(read_text(plain).unwrap_err().contains("items.toml:3:"));
    }

    #[test]
    fn references_have_names_for_searches() {
        let text = r#"schema = "item.json"
            [references]
            parent = { table = "items", alias = "above", inverse = "below" }"#;
        let Declared::Collection(collection, _) = read_text(text).unwrap() else {
            panic!("a list")
        };
        let reference = &collection.declaration().references[0];
        let names = (reference.alias.as_deref(), reference.inverse.as_deref());
        assert_eq!((&*reference.table, names), ("items", (Some("above"), Some("below"))));
        let taken = text.replace("\"above\"", "\"name\"");
        assert!(read_text(&taken).unwrap_err().contains("have a member `name`"));
    }

    #[test]
    fn a_list_over_collections() {
        let text = r#"of = "items"
            join = ["parent"]
            list = "itemList"
            [members]
            id = "parent.id""#;
        let Declared::List(list, places) = read_text(text).unwrap() else { panic!("a collection") };
        assert_eq!(
            (&*list.name, &*list.of, list.list.as_deref()),
            ("items", "items", Some("itemList"))
        );
        let source = SourceText { name: "items.toml".into(), text: text.into() };
        let found = list_mistakes(&source, &list, &places, &[]);
        assert!(found[0].message.contains("no collection `items`"), "{}", found[0].message);
        assert!(text[found[0].span.clone()].contains("items"));
    }

    #[test]
    fn mistakes_have_places() {
        for (text, expected) in [
            ("name = \"a\"", "`schema`"),
            ("schema = \"none.json\"", "cannot be read"),
            ("schema = \"item.json\"\n[indexes]\nindex = [\"nmae\"]", "items.toml:3:10"),
            ("schema = \"item.json\"\n[indexes]\nlike = [\"tags\"]", "lies in an array"),
            ("schema = \"item.json\"\n[indexes]\nbloom = [\"name\"]", "`bloom`"),
            ("schema = ", "is not TOML"),
        ] {
            let found = read_text(text).unwrap_err();
            assert!(found.contains(expected), "{text}\n{found}");
        }
    }
}
