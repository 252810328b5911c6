//! Files of collections: what is stored, with a JSON Schema beside it.

use std::ops::Range;

use duet_model::IndexKind;
use duet_service::definition::{Collection, CollectionMistake, Declaration, DeclaredIndex};
use toml::de::DeTable;

use super::folder::Folder;
use super::problem::{Problem, Problems, SourceText};
use super::reader::{At, Context, Table};
use crate::settings::Environment;

/// Reads the file of a collection, and its schema.
///
/// # Errors
/// All mistakes in it.
pub(super) fn read(
    source: &SourceText,
    folder: &Folder,
    environment: Environment<'_>,
) -> Result<Collection, Vec<Problem>> {
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
    let (declaration, places) = declaration(&mut root, &source.name);
    let schema = schema(&mut root, folder);
    root.finish(|_| None);
    let collection = schema.and_then(|schema| {
        let made = Collection::new(declaration, &schema.value);
        made.map_err(|mistakes| report(&problems, mistakes, &places, &schema.span)).ok()
    });
    let found = problems.into_list();
    match collection {
        Some(collection) if found.is_empty() => Ok(collection),
        _ => Err(found),
    }
}

/// Where each declared path is.
type Places = Vec<(String, Range<usize>)>;

fn declaration(root: &mut Table<'_>, file: &str) -> (Declaration, Places) {
    let base = file.rsplit('/').next().unwrap_or(file);
    let name = root.text("name").map(|name| name.value);
    let name = name.unwrap_or_else(|| base.strip_suffix(".toml").unwrap_or(base).to_owned());
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
    for (path, table) in root.table("references").map(Table::named_texts).unwrap_or_default() {
        places.push((path.value.clone(), path.span));
        declaration.references.push((path.value, table.value));
    }
    if let Some(mut table) = root.table("indexes") {
        for (key, kind) in IndexKind::NAMES {
            for At { value, span } in paths(&mut table, key) {
                places.push((value.clone(), span));
                declaration.indexes.push(DeclaredIndex { path: value, kind });
            }
        }
        table.finish(|_| None);
    }
    for At { value, span } in paths(root, "exact") {
        places.push((value.clone(), span));
        declaration.exact.push(value);
    }
    (declaration, places)
}

fn paths(table: &mut Table<'_>, key: &'static str) -> Vec<At<String>> {
    table.texts(key).map(|list| list.value).unwrap_or_default()
}

/// The text of the JSON Schema.
fn schema(root: &mut Table<'_>, folder: &Folder) -> Option<At<String>> {
    let At { value: name, span } = root.required_text("schema")?;
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
    use super::*;

    fn read_text(text: &str) -> Result<Collection, String> {
        const FILES: &[super::super::folder::BuiltInFile] = &[(
            "item.json",
            br#"{"properties": {"id": {"type": "string"}, "name": {"type": "string"},
                "parent": {"type": "string"}, "tags": {"type": "array"}}}"#,
        )];
        let source = SourceText { name: "collections/items.toml".into(), text: text.into() };
        let none = |_: &str| None;
        read(&source, &Folder::BuiltIn(FILES), &none).map_err(|found| {
            let shown =
                found.iter().map(|problem| super::super::problem::to_error(problem, &source));
            shown.map(|error| error.to_string()).collect::<Vec<_>>().join("\n")
        })
    }

    #[test]
    fn a_declaration() {
        let text = r#"schema = "item.json"
            metadata = true
            exact = ["name"]
            [references]
            parent = "items"
            [indexes]
            index = ["name"]
            full-text = ["name"]"#;
        let collection = read_text(text).unwrap();
        let declaration = collection.declaration();
        assert_eq!((&*declaration.name, &*declaration.table), ("items", "items"));
        assert_eq!((declaration.indexes.len(), declaration.references.len()), (2, 1));
        assert!(declaration.metadata && !declaration.versioned);
    }

    #[test]
    fn mistakes_have_places() {
        for (text, expected) in [
            ("name = \"a\"", "`schema`"),
            ("schema = \"none.json\"", "cannot be read"),
            ("schema = \"item.json\"\n[indexes]\nindex = [\"nmae\"]", "items.toml:3:10"),
            ("schema = \"item.json\"\n[indexes]\nlike = [\"tags\"]", "lies in an array"),
            ("schema = \"item.json\"\n[indexes]\nhash = [\"name\"]", "`hash`"),
            ("schema = ", "is not TOML"),
        ] {
            let found = read_text(text).unwrap_err();
            assert!(found.contains(expected), "{text}\n{found}");
        }
    }
}
