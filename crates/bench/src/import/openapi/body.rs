//! The content of requests, and where pages have their items.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::super::Problem;
use super::super::document::escaped;
use super::api::Api;
use super::parameter::encoded;

/// The characters of a blank and the longest key.
const KEY: usize = 1 + 36;
/// Content of forms.
const FORM: &str = "application/x-www-form-urlencoded";

/// The parts of operations that hold values.
pub(super) struct Bodies<'a> {
    pub(super) api: &'a Api<'a>,
}

/// The content of a request.
pub(super) enum Content {
    /// JSON, with its schema and its type, where that is another one.
    Json { value: Value, schema: Value, media: Option<String> },
    /// A text of a type.
    Text { text: String, media: String },
}

impl<'a> Bodies<'a> {
    /// Where a page has its items, and the names of their members; `None` if it is no page.
    pub(super) fn listed(
        &self,
        operation: &'a Value,
        at: &str,
    ) -> Result<Option<(String, BTreeSet<String>)>, Problem> {
        let Some(answer) = operation.pointer("/responses/200") else { return Ok(None) };
        let answer = self.api.resolved(answer, at)?;
        let Some(schema) = json_of(answer).and_then(|(_, content)| content.get("schema")) else {
            return Ok(None);
        };
        let schema = self.api.schema(schema, at)?;
        let mut places = vec![(String::new(), schema.clone())];
        for (name, member) in
            schema.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            let place = (format!("/{}", escaped(name)), self.api.schema(member, at)?);
            // `items` is the usual one, where a page has several arrays.
            if name == "items" { places.insert(0, place) } else { places.push(place) }
        }
        for (place, schema) in places {
            if let Some(item) = schema.get("items") {
                let item = self.api.schema(item, at)?;
                let members = item.get("properties").and_then(Value::as_object);
                let names = members.into_iter().flat_map(Map::keys).cloned().collect();
                return Ok(Some((place, names)));
            }
        }
        Ok(None)
    }

    /// The example of a request's content; `None` if it needs none.
    pub(super) fn example(
        &self,
        operation: &'a Value,
        at: &str,
    ) -> Result<Option<Content>, Problem> {
        let at = format!("{at}/requestBody");
        let Some(body) = operation.get("requestBody") else { return Ok(None) };
        let body = self.api.resolved(body, &at)?;
        let kinds = body.get("content").and_then(Value::as_object);
        if let Some((media, content)) = json_of(body) {
            let (value, schema) = self.value(content, &at)?;
            let media = (media != "application/json").then(|| media.to_owned());
            return Ok(Some(Content::Json { value, schema, media }));
        }
        let Some(kinds) = kinds.filter(|kinds| !kinds.is_empty()) else { return Ok(None) };
        if let Some(content) = kinds.get(FORM) {
            let (value, _) = self.value(content, &at)?;
            let members = value.as_object().cloned().unwrap_or_default();
            let pair = |(name, value): (&String, &Value)| {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                format!("{}={}", encoded(name), encoded(&text))
            };
            let pairs: Vec<String> = members.iter().map(pair).collect();
            return Ok(Some(Content::Text { text: pairs.join("&"), media: FORM.into() }));
        }
        let texts = kinds.iter().find(|(kind, _)| kind.starts_with("text/"));
        if let Some((kind, content)) = texts {
            let (value, _) = self.value(content, &at)?;
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            return Ok(Some(Content::Text { text, media: kind.clone() }));
        }
        let kind = kinds.keys().next().map_or("", String::as_str);
        let at = format!("{at}/content/{}", escaped(kind));
        let message = format!("Content of the type `{kind}` is not taken.");
        Err(self.api.problem(&at, message))
    }

    /// The example of some content, and its schema.
    fn value(&self, content: &Value, at: &str) -> Result<(Value, Value), Problem> {
        let schema = self.api.schema(content.get("schema").unwrap_or(&Value::Null), at)?;
        let value = match self.api.example(content, at)? {
            Some(value) => value,
            None => self.api.made(&schema, at, 0)?,
        };
        Ok((value, schema))
    }

    /// Whether a member is a text without a form of its own, with room for a key behind the example.
    pub(super) fn is_free_text(&self, schema: &Value, name: &str, example: &str) -> bool {
        let member = schema.get("properties").and_then(|members| members.get(name));
        let Some(Ok(member)) = member.map(|member| self.api.schema(member, "")) else {
            return false;
        };
        let has_form =
            ["enum", "const", "format", "pattern"].iter().any(|key| member.get(*key).is_some());
        let longest = member.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
        !has_form && longest >= (example.chars().count() + KEY) as u64
    }

    /// Removes the members of an example that are not required.
    pub(super) fn keep_required(members: &mut Map<String, Value>, schema: &Value) {
        if let Some(required) = schema.get("required").and_then(Value::as_array) {
            members.retain(|name, _| required.iter().any(|it| it == name.as_str()));
        }
    }
}

/// The JSON alternative of some content, with its type.
fn json_of(owner: &Value) -> Option<(&str, &Value)> {
    let kinds = owner.get("content")?.as_object()?;
    let plain = kinds.get_key_value("application/json");
    let found = plain.or_else(|| kinds.iter().find(|(kind, _)| kind.contains("json")));
    found.map(|(kind, content)| (kind.as_str(), content))
}
