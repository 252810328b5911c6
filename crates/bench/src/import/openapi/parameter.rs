//! Parameters of operations: their values, and how these are written (OpenAPI 3.1 §4.8.12).

use serde_json::Value;

use super::super::Problem;
use super::api::Api;

/// A parameter.
pub(super) struct Parameter<'a> {
    pub(super) name: String,
    /// `path`, `query`, `header` or `cookie`.
    pub(super) place: &'a str,
    pub(super) is_required: bool,
    value: &'a Value,
    at: String,
}

impl<'a> Parameter<'a> {
    /// The parameters of an operation, with those of its path.
    pub(super) fn all(
        api: &'a Api<'a>,
        item: &'a Value,
        operation: &'a Value,
        at: &str,
    ) -> Result<Vec<Self>, Problem> {
        let above = at.rsplit_once('/').map_or("", |(above, _)| above);
        let mut parameters: Vec<Self> = Vec::new();
        for (owner, at) in [(operation, at), (item, above)] {
            let list = owner.get("parameters").and_then(Value::as_array);
            for (number, value) in list.into_iter().flatten().enumerate() {
                let at = format!("{at}/parameters/{number}");
                let value = api.resolved(value, &at)?;
                let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
                let (name, place) = (text("name"), text("in"));
                let is_required = value.get("required").and_then(Value::as_bool) == Some(true);
                // The operation's own come first and hide those of the path.
                if !parameters.iter().any(|it| it.name == name && it.place == place) {
                    let name = name.to_owned();
                    parameters.push(Self { name, place, is_required, value, at });
                }
            }
        }
        Ok(parameters)
    }

    /// Its value, and whether it is an example of the document.
    fn example(&self, api: &Api<'_>) -> Result<(Value, bool), Problem> {
        if let Some(value) = api.example(self.value, &self.at)? {
            return Ok((value, true));
        }
        let content = self.value.get("content").and_then(Value::as_object);
        let content = content.and_then(|content| content.values().next());
        if let Some(content) = content
            && let Some(value) = api.example(content, &self.at)?
        {
            return Ok((value, true));
        }
        let schema = self.value.get("schema").or_else(|| content?.get("schema"));
        let Some(schema) = schema else {
            let message = format!("The parameter `{}` has no example and no schema.", self.name);
            return Err(api.problem(&self.at, message));
        };
        let whole = api.schema(schema, &self.at)?;
        let is_given = ["example", "examples", "default", "const", "enum"]
            .iter()
            .any(|key| whole.get(*key).is_some());
        match api.made(&whole, &self.at, 0)? {
            // A list without items says nothing.
            Value::Array(items) if items.is_empty() => {
                let item = whole.get("items").cloned().unwrap_or_default();
                Ok((Value::Array(vec![api.made(&item, &self.at, 1)?]), is_given))
            }
            value => Ok((value, is_given)),
        }
    }

    fn key(&self, name: &str) -> Option<&Value> {
        self.value.get(name)
    }

    fn explodes(&self, usual: bool) -> bool {
        self.key("explode").and_then(Value::as_bool).unwrap_or(usual)
    }

    /// Its value as a text in a path or a header field, and whether the document gives it.
    pub(super) fn simple(&self, api: &Api<'_>) -> Result<(String, bool), Problem> {
        let (value, is_given) = self.example(api)?;
        let style = self.key("style").and_then(Value::as_str).unwrap_or("simple");
        if self.place == "path" && style != "simple" {
            let message = format!("The style {style:?} of `{}` is not taken.", self.name);
            return Err(api.problem(&self.at, message));
        }
        Ok((joined(&value, ",", self.explodes(false)), is_given))
    }

    /// Its pairs in a query or a cookie: names and values as they are.
    pub(super) fn pairs(&self, api: &Api<'_>) -> Result<Vec<(String, String)>, Problem> {
        let (value, _) = self.example(api)?;
        let name = self.name.clone();
        if self.key("content").is_some() {
            return Ok(vec![(name, value.to_string())]);
        }
        let style = self.key("style").and_then(Value::as_str).unwrap_or("form");
        let explodes = self.explodes(style == "form");
        Ok(match (style, &value) {
            ("deepObject", Value::Object(members)) => {
                members.iter().map(|(key, value)| (format!("{name}[{key}]"), text(value))).collect()
            }
            ("form", Value::Array(items)) if explodes => {
                items.iter().map(|item| (name.clone(), text(item))).collect()
            }
            ("form", Value::Object(members)) if explodes => {
                members.iter().map(|(key, value)| (key.clone(), text(value))).collect()
            }
            ("spaceDelimited", _) => vec![(name, joined(&value, " ", false))],
            ("pipeDelimited", _) => vec![(name, joined(&value, "|", false))],
            ("form", _) => vec![(name, joined(&value, ",", false))],
            _ => {
                let message = format!("The style {style:?} of `{name}` is not taken.");
                return Err(api.problem(&self.at, message));
            }
        })
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A value as one text.
fn joined(value: &Value, separator: &str, explodes: bool) -> String {
    let between = if explodes { "=" } else { separator };
    let parts: Vec<String> = match value {
        Value::Array(items) => items.iter().map(text).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| format!("{key}{between}{}", text(value))).collect()
        }
        other => return text(other),
    };
    parts.join(separator)
}

/// A value in a path or a query.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b',' | b':' => {
                out.push(byte as char);
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
