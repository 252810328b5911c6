//! The sample documents: a JSON array, one object, or objects one after the other (NDJSON), in files; the files of a
//! folder are one collection.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::super::init::names::snake_case;
use super::unique_names::UniqueNames;
use crate::command_error::CommandError;
use crate::report::Outcome;

/// Endings of files that are read in a folder.
const ENDINGS: [&str; 3] = ["json", "ndjson", "jsonl"];

/// The documents of one kind.
#[derive(Debug)]
pub(super) struct Collection {
    /// Its name: that of the file or folder, in lower case with underscores.
    pub(super) name: String,
    /// The documents.
    pub(super) documents: Vec<Document>,
}

/// One document.
#[derive(Debug)]
pub(super) struct Document {
    /// The file, and the document's number in it from 1.
    pub(super) place: String,
    /// Its members.
    pub(super) members: Map<String, Value>,
}

/// Reads each path as a collection.
///
/// # Errors
/// `Setting` for what cannot be read, is no JSON, or holds something else than objects.
pub(super) fn read(paths: &[PathBuf]) -> Outcome<Vec<Collection>> {
    let mut collections: Vec<Collection> = Vec::new();
    for path in paths {
        let collection = collection(path)?;
        if collections.iter().any(|other| other.name == collection.name) {
            let message = format!("Two collections would be called {:?}.", collection.name);
            let hint = "Rename one of the files: its name is that of the collection.";
            return Err(CommandError::file(message).hint(hint));
        }
        collections.push(collection);
    }
    Ok(collections)
}

fn collection(path: &Path) -> Outcome<Collection> {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = snake_case(&stem.unwrap_or_default());
    let name = match name.chars().next() {
        None => "documents".to_owned(),
        // A view's name begins with a letter.
        Some(first) if first.is_ascii_digit() => format!("documents_{name}"),
        Some(_) => name,
    };
    let mut documents = Vec::new();
    for file in files(path)? {
        documents.extend(file_documents(&file)?);
    }
    if documents.is_empty() {
        let message = format!("{} has no documents.", path.display());
        let hint = "Give an array of objects, one object to a line, or a folder of such files.";
        return Err(CommandError::file(message).hint(hint));
    }
    Ok(Collection { name, documents })
}

/// The files of a path, those of a folder in the order of their names.
fn files(path: &Path) -> Outcome<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).map_err(|error| CommandError::unreadable(path, error))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let is_json = |path: &PathBuf| {
        path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
    };
    let mut paths: Vec<PathBuf> = paths.filter(is_json).collect();
    paths.sort();
    Ok(paths)
}

fn file_documents(file: &Path) -> Outcome<Vec<Document>> {
    let text = fs::read_to_string(file).map_err(|error| CommandError::unreadable(file, error))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let wrong = |error: serde_json::Error| match error.is_data() {
        true => CommandError::file(format!("{}: {error}.", file.display())),
        false => CommandError::file(format!("{} is not JSON: {error}.", file.display())),
    };
    // A value drops all but the last of equal names.
    for value in serde_json::Deserializer::from_str(text).into_iter::<UniqueNames>() {
        value.map_err(wrong)?;
    }
    let mut documents = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let value = value.map_err(wrong)?;
        match value {
            Value::Array(elements) => {
                for element in elements {
                    documents.push(document(file, documents.len() + 1, element)?);
                }
            }
            value => documents.push(document(file, documents.len() + 1, value)?),
        }
    }
    Ok(documents)
}

fn document(file: &Path, number: usize, value: Value) -> Outcome<Document> {
    let place = format!("{} document {number}", file.display());
    match value {
        Value::Object(members) => Ok(Document { place, members }),
        other => {
            let message = format!("{place} is {}, not an object.", noun(&other));
            Err(CommandError::file(message).hint("Each document is a JSON object."))
        }
    }
}

/// The name of a value's JSON type, with an article.
pub(super) fn noun(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_lines_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("a.json", r#"[{"n":1},{"n":2}]"#);
        write("b.ndjson", "{\"n\":3}\n\n{\"n\":4}\n");
        write("c.json", "{\"n\":5}");
        write("notes.txt", "no JSON");
        let all = read(&[folder.path().to_owned()]).unwrap();
        let numbers: Vec<String> =
            all[0].documents.iter().map(|one| one.members["n"].to_string()).collect();
        assert_eq!(numbers, ["1", "2", "3", "4", "5"]);
        assert!(all[0].documents[1].place.ends_with("a.json document 2"));
        for (text, expected) in [
            ("[1]", "a number, not an object"),
            ("{", "not JSON"),
            ("", "no documents"),
            ("[{\"a\":1},\n{\"b\":[{\"c\":1,\"\\u0063\":2}]}]", "`c` is given twice at line 2"),
        ] {
            write("wrong.json", text);
            let error = read(&[folder.path().join("wrong.json")]).unwrap_err();
            assert!(error.message().contains(expected), "{text}: {error:?}");
        }
        write("a.ndjson", "{}");
        let twice = ["a.json", "a.ndjson"].map(|name| folder.path().join(name));
        assert!(read(&twice).unwrap_err().message().contains("Two collections"));
    }
}
