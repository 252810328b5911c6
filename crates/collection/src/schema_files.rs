//! JSON Schemas in several files: references to files become references to definitions of one document.
//!
//! A reference leads to a file relative to the file that it is in, whatever `id` or `$id` stands around it. That is how
//! FOLIO's raml-module-builder reads the schemas of a module; the ids of sub-schemas, which drafts 4 to 2020-12 let
//! change where `#/definitions/…` leads, are names alone there, and are left out here.

use std::collections::BTreeMap;

use duet_text::problem::quoted;
use serde_json::{Map, Value};

use crate::declaration::Mistake;

/// How many files a schema may consist of.
const FILES: usize = 256;

/// The keywords whose members are schemas by names.
const BY_NAME: [&str; 5] =
    ["properties", "patternProperties", "definitions", "$defs", "dependentSchemas"];

/// The keywords whose values are no schemas, so that nothing in them is a reference.
const VALUES: [&str; 6] = ["enum", "const", "default", "example", "examples", "required"];

/// Where the definitions of the document are.
const DEFINITIONS: &str = "definitions";

/// Makes one schema of a file and of those that it refers to. `read` reads a file by its path, in which `/` separates
/// folders. A text without references to files and without ids stays as it is.
///
/// ```
/// use duet_collection::schema_of_files;
///
/// let read = |path: &str| match path {
///     "ramls/line.json" => Ok(r#"{"properties": {"id": {"$ref": "../common/uuid.json"}}}"#.to_owned()),
///     "common/uuid.json" => Ok(r#"{"type": "string", "format": "uuid"}"#.to_owned()),
///     _ => Err("there is no such file".to_owned()),
/// };
/// let schema = schema_of_files("ramls/line.json", &read).unwrap();
/// assert!(schema.contains(r##""$ref":"#/definitions/common/uuid.json""##.replace("/uuid", "~1uuid").as_str()));
/// ```
///
/// # Errors
/// Each reference that leads nowhere, with the file that it is in; a file that is no JSON.
pub fn schema_of_files(
    path: &str,
    read: &dyn Fn(&str) -> Result<String, String>,
) -> Result<String, Vec<Mistake>> {
    let text = read(path).map_err(|why| vec![unread(path, path, &why)])?;
    let Ok(mut root) = serde_json::from_str::<Value>(&text) else { return Ok(text) };
    let mut bundle = Bundle {
        root: path.to_owned(),
        read,
        found: BTreeMap::new(),
        waiting: Vec::new(),
        mistakes: Vec::new(),
        changed: false,
    };
    bundle.schema(&mut root, &At { file: path, prefix: "" });
    bundle.read_waiting();
    if !bundle.mistakes.is_empty() {
        return Err(bundle.mistakes);
    }
    if !bundle.changed {
        return Ok(text);
    }
    if let Value::Object(members) = &mut root
        && !bundle.found.is_empty()
    {
        let definitions = members.entry(DEFINITIONS).or_insert_with(|| Map::new().into());
        if let Value::Object(definitions) = definitions {
            definitions.extend(bundle.found);
        }
    }
    Ok(root.to_string())
}

/// The files that a schema refers to, itself first, each once.
///
/// # Errors
/// As [`schema_of_files`].
pub fn files_of_schema(
    path: &str,
    read: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Vec<String>, Vec<Mistake>> {
    let seen = std::cell::RefCell::new(Vec::new());
    let noting = |path: &str| {
        seen.borrow_mut().push(path.to_owned());
        read(path)
    };
    schema_of_files(path, &noting)?;
    Ok(seen.into_inner())
}

/// Where a schema is: its file, and the pointer of the file's text in the document.
struct At<'a> {
    file: &'a str,
    prefix: &'a str,
}

struct Bundle<'r> {
    /// The path of the document's own file.
    root: String,
    read: &'r dyn Fn(&str) -> Result<String, String>,
    /// The schemas of other files, by their paths.
    found: BTreeMap<String, Value>,
    /// The files that are still to be read, each with the one that names it.
    waiting: Vec<(String, String)>,
    mistakes: Vec<Mistake>,
    /// Whether the document differs from the text of its file.
    changed: bool,
}

impl Bundle<'_> {
    fn read_waiting(&mut self) {
        while let Some((path, by)) = self.waiting.pop() {
            if self.found.contains_key(&path) {
                continue;
            }
            if self.found.len() >= FILES {
                let message = format!("The JSON Schema consists of more than {FILES} files.");
                self.mistakes.push(Mistake { path: None, message, hint: None });
                return;
            }
            let read = (self.read)(&path);
            let read = read.and_then(|text| {
                serde_json::from_str::<Value>(&text).map_err(|error| format!("no JSON, {error}"))
            });
            match read {
                Ok(mut schema) => {
                    if let Value::Object(members) = &mut schema {
                        members.remove("$schema");
                    }
                    let prefix = format!("/{DEFINITIONS}/{}", escaped(&path));
                    self.schema(&mut schema, &At { file: &path, prefix: &prefix });
                    self.found.insert(path, schema);
                }
                Err(why) => self.mistakes.push(unread(&path, &by, &why)),
            }
        }
    }

    /// Changes the references of a schema, and of the schemas in it.
    fn schema(&mut self, schema: &mut Value, at: &At<'_>) {
        let Value::Object(members) = schema else { return };
        for name in ["id", "$id"] {
            if members.get(name).is_some_and(Value::is_string) {
                members.remove(name);
                self.changed = true;
            }
        }
        for (name, member) in members.iter_mut() {
            match (name.as_str(), member) {
                ("$ref", Value::String(reference)) => self.reference(reference, at),
                (name, Value::Object(named)) if BY_NAME.contains(&name) => {
                    named.values_mut().for_each(|inner| self.schema(inner, at));
                }
                (name, _) if VALUES.contains(&name) => {}
                (_, Value::Array(inner)) => {
                    inner.iter_mut().for_each(|inner| self.schema(inner, at));
                }
                (_, inner) => self.schema(inner, at),
            }
        }
    }

    fn reference(&mut self, reference: &mut String, at: &At<'_>) {
        let (file, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        if file.is_empty() {
            if !at.prefix.is_empty() {
                *reference = format!("#{}{pointer}", at.prefix);
            }
            return;
        }
        if file.contains("://") || file.starts_with("urn:") {
            return;
        }
        let Some(path) = joined(at.file, file) else {
            let message = format!(
                "The JSON Schema {} refers to {}, which is outside of the folder.",
                quoted(at.file),
                quoted(file)
            );
            let hint = Some("Copy the file into the folder.".to_owned());
            self.mistakes.push(Mistake { path: None, message, hint });
            return;
        };
        self.changed = true;
        if path == self.root {
            *reference = format!("#{pointer}");
            return;
        }
        *reference = format!("#/{DEFINITIONS}/{}{pointer}", escaped(&path));
        if !self.found.contains_key(&path) {
            self.waiting.push((path, at.file.to_owned()));
        }
    }
}

/// The path of a file that another one names; `None` above the folder of all.
pub(crate) fn joined(from: &str, to: &str) -> Option<String> {
    let mut steps: Vec<&str> = from.split('/').collect();
    steps.pop();
    for step in to.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.last().is_none_or(|last| *last == "..") => return None,
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    Some(steps.join("/"))
}

/// A path as one step of a JSON pointer.
fn escaped(path: &str) -> String {
    path.replace('~', "~0").replace('/', "~1")
}

fn unread(path: &str, by: &str, why: &str) -> Mistake {
    let named = if by == path { String::new() } else { format!(", which {} names,", quoted(by)) };
    let message = format!("The JSON Schema {}{named} cannot be read: {why}.", quoted(path));
    Mistake { path: None, message, hint: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Collection, Declaration};

    fn read(files: &'static [(&str, &str)]) -> impl Fn(&str) -> Result<String, String> {
        |path| {
            let found = files.iter().find(|(known, _)| *known == path);
            found.map(|(_, text)| (*text).to_owned()).ok_or("there is no such file".to_owned())
        }
    }

    fn collection(files: &'static [(&str, &str)]) -> Collection {
        let schema = schema_of_files("a/b/line.json", &read(files)).unwrap();
        Collection::new(Declaration::new("line"), &schema).unwrap()
    }

    #[test]
    fn files_are_read_relative_to_the_schema() {
        let collection = collection(&[
            (
                "a/b/line.json",
                r#"{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {
                "id": {"description": "its id", "$ref": "../../common/schemas/uuid.json"},
                "claims": {"id": "claims", "type": "array", "items": {"type": "object", "$ref": "claim.json"}},
                "metadata": {"type": "object", "$ref": "../../util/metadata.schema", "readonly": true}},
                "additionalProperties": false}"#,
            ),
            ("common/schemas/uuid.json", r#"{"type": "string", "pattern": "^[a-f0-9-]{36}$"}"#),
            (
                "a/b/claim.json",
                r##"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": {
                "grace": {"$ref": "#/definitions/days"}, "of": {"$ref": "line.json"}},
                "definitions": {"days": {"type": "integer"}}}"##,
            ),
            (
                "util/metadata.schema",
                r#"{"type": "object", "properties": {"createdDate": {"type": "string"}}}"#,
            ),
        ]);
        let fields: Vec<&str> = collection.fields().iter().map(|it| it.path.as_str()).collect();
        assert_eq!(fields[..2], ["id", "claims.grace"], "{fields:?}");
        assert!(fields.contains(&"metadata.createdDate"), "{fields:?}");
        let wrong = collection.check(r#"{"claims": [{"grace": "x"}], "lost": 1}"#);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(collection.check(r#"{"claims": [{"of": {"claims": [{"grace": 1}]}}]}"#).is_empty());
    }

    #[test]
    fn ids_of_schemas_inside_change_no_reference() {
        for id in ["id", "$id"] {
            let text = r##"{"properties": {"claim": {"$ref": "#/definitions/claim"}},
                "definitions": {"claim": {"ID": "claims", "properties": {"of": {"$ref": "#/definitions/days"}}},
                "days": {"type": "integer"}}}"##;
            let text = text.replace("ID", id);
            let schema = schema_of_files("x.json", &|_| Ok(text.clone())).unwrap();
            let collection = Collection::new(Declaration::new("x"), &schema).unwrap();
            assert_eq!(collection.check(r#"{"claim": {"of": "1"}}"#).len(), 1, "{id}");
        }
    }

    #[test]
    fn members_called_id_stay() {
        let text = r#"{"properties": {"id": {"type": "string"}}, "id": "root"}"#;
        let schema = schema_of_files("x.json", &|_| Ok(text.to_owned())).unwrap();
        assert_eq!(schema, r#"{"properties":{"id":{"type":"string"}}}"#);
        let plain = r#"{ "properties": {"id": {"type": "string"}}}"#;
        assert_eq!(schema_of_files("x.json", &|_| Ok(plain.to_owned())).unwrap(), plain);
    }

    #[test]
    fn every_lost_file_is_named() {
        let files: &[(&str, &str)] = &[
            (
                "a/b/line.json",
                r#"{"properties": {"a": {"$ref": "lost.json"}, "b": {"$ref": "../../../x.json"}, "c": {"$ref": "bad.json"}}}"#,
            ),
            ("a/b/bad.json", "{"),
        ];
        let mistakes = schema_of_files("a/b/line.json", &read(files)).unwrap_err();
        let mut found: Vec<&str> = mistakes.iter().map(|it| it.message.as_str()).collect();
        found.sort_unstable();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[1].contains("outside of the folder"), "{found:?}");
        assert!(found[2].contains("`a/b/lost.json`, which `a/b/line.json` names,"), "{found:?}");
    }
}
