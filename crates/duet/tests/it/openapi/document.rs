//! An OpenAPI document under test: what must hold of every one.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

const METHODS: [&str; 7] = ["get", "head", "post", "put", "patch", "delete", "options"];

pub(super) struct Document {
    /// Where it comes from.
    name: String,
    pub(super) value: Value,
}

impl Document {
    pub(super) fn new(name: &str, value: Value) -> Self {
        Self { name: name.to_owned(), value }
    }

    /// Asserts all of it.
    pub(super) fn check(&self) {
        let name = &self.name;
        assert_eq!(self.value["openapi"], "3.1.0", "{name}");
        assert!(self.value["info"]["license"]["name"].is_string(), "{name}");
        let mut found = Vec::new();
        visit(&self.value, "#", &mut |place, object| {
            found.extend(self.mistakes(object).map(|mistake| format!("{place}: {mistake}")));
        });
        found.extend(self.wrong_operations());
        found.extend(self.wrong_examples());
        assert_eq!(found, Vec::<String>::new(), "{name}");
    }

    /// The mistakes of one object.
    fn mistakes(&self, object: &Map<String, Value>) -> impl Iterator<Item = String> {
        let is_array = match object.get("type") {
            Some(Value::String(one)) => one == "array",
            Some(Value::Array(several)) => several.contains(&json!("array")),
            _ => false,
        };
        let without =
            (is_array && !object.contains_key("items")).then_some("an array without items");
        let to = object.get("$ref").and_then(Value::as_str);
        let broken = to.filter(|to| self.pointed(to).is_none());
        let broken = broken.map(|to| format!("{to} leads nowhere"));
        without.map(str::to_owned).into_iter().chain(broken)
    }

    fn pointed(&self, reference: &str) -> Option<&Value> {
        self.value.pointer(reference.strip_prefix('#')?)
    }

    /// What a reference leads to; everything else is itself.
    pub(super) fn resolved<'d>(&'d self, value: &'d Value) -> &'d Value {
        match value["$ref"].as_str() {
            Some(to) => self.pointed(to).expect("checked before"),
            None => value,
        }
    }

    /// The operations with their places.
    pub(super) fn operations(&self) -> Vec<(String, &Value)> {
        let paths = self.value["paths"].as_object().expect("paths");
        let each = paths.iter().flat_map(|(path, item)| {
            let methods =
                METHODS.iter().filter_map(move |method| Some((method, item.get(method)?)));
            methods.map(move |(method, operation)| (format!("{method} {path}"), operation))
        });
        each.collect()
    }

    /// Operation ids are unique, parameters of paths are there, and searches need no member.
    fn wrong_operations(&self) -> Vec<String> {
        let mut ids = BTreeSet::new();
        let mut wrong = Vec::new();
        for (place, operation) in self.operations() {
            match operation["operationId"].as_str() {
                Some(id) if ids.insert(id) => {}
                other => wrong.push(format!("{place}: the operation id {other:?}")),
            }
        }
        let schemas = self.value["components"]["schemas"].as_object().into_iter().flatten();
        for (name, schema) in schemas.filter(|(name, _)| name.ends_with("Search")) {
            let members = schema["properties"].as_object().into_iter().flatten();
            let with_default = members.filter(|(_, member)| member.get("default").is_some());
            wrong.extend(with_default.map(|(member, _)| format!("{name}: {member} has a default")));
        }
        wrong
    }

    /// Examples are valid, and those of requests give nothing that is read-only.
    fn wrong_examples(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        visit(&self.value, "#", &mut |place, object| {
            let (Some(schema), Some(example)) = (object.get("schema"), object.get("example"))
            else {
                return;
            };
            let mut check = |schema: &Value, example: &Value| {
                let problems = self.problems(schema, example);
                wrong.extend(problems.iter().map(|problem| format!("{place}: {problem}")));
                if place.contains("/requestBody/") && self.gives_read_only(schema, example) {
                    wrong.push(format!("{place}: a read-only member in {example}"));
                }
            };
            check(schema, example);
            if let (Some(inner), Some(text)) = (schema.get("contentSchema"), example.as_str()) {
                check(inner, &serde_json::from_str(text).expect("JSON in an example"));
            }
        });
        wrong
    }

    /// What a schema of the document says against a value.
    pub(super) fn problems(&self, schema: &Value, value: &Value) -> Vec<String> {
        let whole = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "components": self.value["components"],
            "$defs": { "own": schema },
            "$ref": "#/$defs/own",
        });
        let options = jsonschema::options().should_validate_formats(true);
        let validator = options.build(&whole).unwrap_or_else(|error| panic!("{schema}: {error}"));
        validator.iter_errors(value).map(|error| error.to_string()).collect()
    }

    /// Whether a value has a member that its schema marks as read-only.
    fn gives_read_only(&self, schema: &Value, value: &Value) -> bool {
        let schema = self.resolved(schema);
        for several in ["oneOf", "anyOf", "allOf"] {
            let each = schema[several].as_array().into_iter().flatten();
            let mut fitting = each.filter(|one| self.problems(one, value).is_empty());
            if fitting.any(|one| self.gives_read_only(one, value)) {
                return true;
            }
        }
        match value {
            Value::Object(members) => members.iter().any(|(name, inner)| {
                let own = &schema["properties"][name];
                own["readOnly"] == true || self.gives_read_only(own, inner)
            }),
            Value::Array(items) => {
                items.iter().any(|item| self.gives_read_only(&schema["items"], item))
            }
            _ => false,
        }
    }
}

/// Calls a function with every object and its place; what examples hold is no part of the document's own structure.
fn visit<'v>(value: &'v Value, place: &str, look: &mut dyn FnMut(&str, &'v Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            look(place, object);
            for (name, inner) in object.iter().filter(|(name, _)| *name != "example") {
                visit(inner, &format!("{place}/{name}"), look);
            }
        }
        Value::Array(list) => {
            for (index, inner) in list.iter().enumerate() {
                visit(inner, &format!("{place}/{index}"), look);
            }
        }
        _ => {}
    }
}
