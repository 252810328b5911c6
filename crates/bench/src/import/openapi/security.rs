//! What an operation needs of its caller (OpenAPI 3.1 §4.8.27): fields of its requests, and what the user has to give.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::Problem;
use super::api::Api;
use super::parameter::encoded;

/// What the requests of an operation carry for a requirement.
#[derive(Debug, Default)]
pub(super) struct Credentials {
    /// Header fields with their values, which have placeholders.
    pub(super) fields: Vec<(String, String)>,
    /// Pairs of the query.
    pub(super) query: Vec<String>,
    /// What the user has to give, each a sentence.
    pub(super) notes: BTreeSet<String>,
}

/// The credentials of an operation: those of the first alternative; none where one of them is empty.
pub(super) fn credentials(
    api: &Api<'_>,
    operation: &Value,
    at: &str,
) -> Result<Credentials, Problem> {
    let mut found = Credentials::default();
    let list = operation.get("security").or_else(|| api.at("/security"));
    let alternatives = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_free = |one: &Value| one.as_object().is_none_or(serde_json::Map::is_empty);
    if alternatives.iter().any(is_free) {
        return Ok(found);
    }
    let names = alternatives.first().and_then(Value::as_object);
    for name in names.into_iter().flat_map(serde_json::Map::keys) {
        let scheme = api.at("/components/securitySchemes").and_then(|all| all.get(name));
        let Some(scheme) = scheme else {
            let message = format!("The security scheme `{name}` is not described.");
            return Err(api.problem(&format!("{at}/security"), message));
        };
        add(&mut found, name, api.resolved(scheme, at)?).map_err(|what| {
            let place = format!("/components/securitySchemes/{name}");
            api.problem(&place, format!("The security scheme `{name}` ({what}) is not taken."))
        })?;
    }
    Ok(found)
}

/// Adds what a scheme needs.
///
/// # Errors
/// The kind that is not taken.
fn add(found: &mut Credentials, name: &str, scheme: &Value) -> Result<(), String> {
    let key = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
    let variable = variable(name);
    let place = format!("${{env.{variable}}}");
    let kind = key("type");
    match (kind, key("scheme").to_ascii_lowercase().as_str(), key("in")) {
        ("oauth2" | "openIdConnect", _, _) | ("http", "bearer", _) => {
            found.notes.insert(format!(
                "The operations need `{name}`: give --token, or --client with --token-path."
            ));
        }
        ("http", "basic", _) => {
            found.fields.push(("Authorization".into(), format!("Basic {place}")));
            found.notes.insert(format!(
                "The operations need `{name}`: set {variable} to NAME:PASSWORD in Base64."
            ));
        }
        ("apiKey", _, "header") => found.fields.push((key("name").into(), place)),
        ("apiKey", _, "cookie") => {
            found.fields.push(("Cookie".into(), format!("{}={place}", key("name"))));
        }
        ("apiKey", _, "query") => found.query.push(format!("{}={place}", encoded(key("name")))),
        ("http", other, _) => return Err(format!("http {other}")),
        (other, ..) => return Err(other.to_owned()),
    }
    if kind == "apiKey" {
        found.notes.insert(format!("The operations need `{name}`: set {variable} to the key."));
    }
    Ok(())
}

/// The environment variable of a scheme. No scheme's name makes it one that a shell has already, such as `HOME`.
fn variable(name: &str) -> String {
    let plain = |char: char| if char.is_ascii_alphanumeric() { char } else { '_' };
    let name = name.chars().map(plain).collect::<String>().to_ascii_uppercase();
    format!("API_{name}")
}
