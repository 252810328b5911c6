//! The page of a resource's API: its operations, a form for each that sends the request, and the same request as code.

use askama::Template;
use serde_json::{Map, Value};

use crate::address::query;
use crate::page::{Frame, rendered};

/// Where a parameter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// Among the headers.
    Header,
}

/// The places, as OpenAPI names them.
const PLACES: [(&str, Place); 3] =
    [("path", Place::Path), ("query", Place::Query), ("header", Place::Header)];

/// A parameter of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its name in the form: two places may have the same.
    pub field: String,
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub description: String,
    /// Whether it must be given.
    pub required: bool,
    /// The values that it may have, where they are few.
    pub choices: Vec<String>,
    /// A value that shows its form.
    pub example: String,
    /// What is given.
    pub value: String,
}

impl Parameter {
    fn word(&self) -> &'static str {
        PLACES.iter().find(|(_, place)| *place == self.place).map_or("", |(word, _)| word)
    }
}

/// An operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    /// Its permanent name.
    pub id: String,
    /// The method.
    pub method: String,
    /// The path below the mount, with parameters in braces.
    pub path: String,
    /// What it does.
    pub summary: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The media types of its body; empty where it has none.
    pub media: Vec<String>,
    /// A body that shows its form; later the body that is given.
    pub body: String,
}

impl Operation {
    /// The operations of a description of OpenAPI 3.1, in its order.
    pub fn list(document: &Value) -> Vec<Self> {
        let none = Map::new();
        let paths = document["paths"].as_object().unwrap_or(&none);
        let of_path = |(path, item): (&String, &Value)| {
            let methods = item.as_object().unwrap_or(&none).iter();
            let methods = methods.filter(|(_, it)| it["operationId"].is_string());
            methods
                .map(|(method, it)| Self::of(document, path, item, method, it))
                .collect::<Vec<_>>()
        };
        paths.iter().flat_map(of_path).collect()
    }

    fn of(document: &Value, path: &str, item: &Value, method: &str, it: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let all = [list(&item["parameters"]), list(&it["parameters"])].concat();
        let none = Map::new();
        let content = it["requestBody"]["content"].as_object().unwrap_or(&none);
        let example =
            content.values().map(|media| &media["example"]).find(|example| !example.is_null());
        Self {
            id: text(&it["operationId"]),
            method: method.to_uppercase(),
            path: path.to_owned(),
            summary: text(&it["summary"]),
            parameters: all.iter().filter_map(|one| parameter(document, one)).collect(),
            media: content.keys().cloned().collect(),
            body: match example {
                Some(Value::String(text)) => text.clone(),
                Some(json) => serde_json::to_string_pretty(json).unwrap_or_default(),
                None => String::new(),
            },
        }
    }

    /// Whether it changes nothing, so that its request may be in an address.
    pub fn is_safe(&self) -> bool {
        matches!(&*self.method, "GET" | "HEAD")
    }

    fn has_body(&self) -> bool {
        !self.media.is_empty()
    }
}

/// A parameter, which may be referred to; `None` for what stands elsewhere.
fn parameter(document: &Value, one: &Value) -> Option<Parameter> {
    let referred = one["$ref"].as_str().and_then(|to| document.pointer(to.strip_prefix('#')?));
    let one = referred.unwrap_or(one);
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let (word, place) = PLACES.into_iter().find(|(word, _)| one["in"] == *word)?;
    let (name, schema) = (one["name"].as_str()?, &one["schema"]);
    let choices = schema["enum"].as_array().into_iter().flatten().map(text).collect();
    let required = one["required"] == true;
    let example = text(&one["example"]);
    Some(Parameter {
        name: name.to_owned(),
        field: format!("{word}.{name}"),
        place,
        description: text(&one["description"]),
        required,
        choices,
        value: if required { example.clone() } else { String::new() },
        example,
    })
}

/// What the API has answered.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The status, with its words.
    pub status: String,
    /// Whether it is a success.
    pub is_success: bool,
    /// The headers, in their order.
    pub headers: Vec<(String, String)>,
    /// The body, as far as it is shown.
    pub body: String,
    /// Bytes of the body that are not shown.
    pub cut: usize,
}

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The mount's path.
    pub mount: String,
    /// The resource's name.
    pub resource: String,
    /// The page itself, without its query.
    pub path: String,
    /// The page of its rows.
    pub rows: String,
    /// All operations.
    pub operations: Vec<Operation>,
    /// The one that is chosen.
    pub chosen: Option<Operation>,
    /// The media type that is chosen for its body.
    pub media: String,
    /// The request as code.
    pub snippets: Vec<(&'static str, String)>,
    /// What was answered.
    pub answer: Option<Answer>,
    /// The description itself, for other programs.
    pub document: String,
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "api.html")]
pub struct Api<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// What it shows.
    pub shown: &'a Shown,
}

impl Api<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    fn is_chosen(&self, it: &Operation) -> bool {
        self.shown.chosen.as_ref().is_some_and(|chosen| chosen.id == it.id)
    }

    fn href(&self, it: &Operation) -> String {
        format!("{}{}", self.shown.path, query(&[("op", &it.id)]))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operations_have_the_parameters_of_their_path_and_their_own() {
        let document = json!({
            "paths": { "/a/{id}": {
                "parameters": [{ "name": "id", "in": "path", "required": true, "example": 1, "schema": {} }],
                "get": { "operationId": "getA", "summary": "One", "parameters": [{ "$ref": "#/components/parameters/Count" }] },
                "put": { "operationId": "putA", "requestBody": { "content": { "application/json": { "example": { "n": 1 } } } } },
            } },
            "components": { "parameters": { "Count": { "name": "count", "in": "query", "schema": { "enum": ["none", 1] } } } },
        });
        let all = Operation::list(&document);
        let names =
            |one: &Operation| one.parameters.iter().map(|it| it.field.clone()).collect::<Vec<_>>();
        assert_eq!(names(&all[0]), ["path.id", "query.count"]);
        assert_eq!(
            (&*all[0].method, all[0].is_safe(), &*all[0].parameters[0].value),
            ("GET", true, "1")
        );
        assert_eq!(all[0].parameters[1].choices, ["none", "1"]);
        assert_eq!(
            (names(&all[1]), &*all[1].body),
            (vec!["path.id".to_owned()], "{\n  \"n\": 1\n}")
        );
    }
}
