//! The arguments of functions: parameters of the query string that are no conditions, or the body by its media type.

use duet_filter::postgrest::is_condition;
use duet_model::Error;
use duet_model::key::percent_decode;
use duet_model::profiles::PostgrestCode;
use duet_service::postgrest::GivenArguments;
use duet_text::json::{Json, JsonKind, JsonMember};

use super::mistakes::as_invalid;
use crate::answer::refusal::Refusal;
use crate::request::body;
use crate::request::scope::Scope;

/// Parameters that are never arguments.
const RESERVED: [&str; 3] = ["select", "columns", "on_conflict"];

/// The last step of parameters that are never arguments, at the top or of an embedded resource.
const RESERVED_STEPS: [&str; 5] = ["order", "limit", "offset", "and", "or"];

/// The arguments in a query string, and the rest of it as it was sent.
///
/// # Errors
/// [`PostgrestCode::Grammar`] for what is not percent-encoded.
pub(super) fn of_query(query: Option<&str>) -> Result<(GivenArguments, String), Error> {
    let (mut given, mut rest) = (Vec::new(), Vec::new());
    for pair in query.unwrap_or_default().split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, text) = (decoded(key)?, decoded(value)?);
        let last = name.rsplit('.').next().unwrap_or(&name);
        let is_reserved = RESERVED.contains(&&*name) || RESERVED_STEPS.contains(&last);
        match is_reserved || !pair.contains('=') || is_condition(&text) {
            true => rest.push(pair),
            false => given.push((name, text)),
        }
    }
    Ok((GivenArguments::Texts(given), rest.join("&")))
}

/// The arguments in a body; with `columns` only those are given.
///
/// # Errors
/// [`PostgrestCode::Body`] for media types that are not taken, and for what cannot be read.
pub(super) async fn of_body(
    scope: &Scope<'_>,
    columns: Option<&[String]>,
) -> Result<GivenArguments, Refusal> {
    let headers = scope.request.headers();
    body::check_encoding(headers)?;
    let media = body::media_type(headers).unwrap_or("application/json").to_ascii_lowercase();
    let bytes = scope.arrived().body().await?;
    let whole = |ty: &'static str, text: String| GivenArguments::Whole { ty, text };
    match media.as_str() {
        "application/json" | "*/*" => {}
        "application/octet-stream" => {
            let digits = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            return Ok(whole("bytea", format!("\\x{digits}")));
        }
        "application/x-www-form-urlencoded" => {
            return Ok(GivenArguments::Texts(pairs(&scope.text_of(bytes).await?)?));
        }
        "text/plain" => return Ok(whole("text", scope.text_of(bytes).await?.to_string())),
        "text/xml" => return Ok(whole("xml", scope.text_of(bytes).await?.to_string())),
        other => {
            let shown: String = other.chars().take(64).collect();
            let message = format!("Content-Type not acceptable: {shown}");
            return Err(PostgrestCode::Body.error(message).into());
        }
    }
    let text = scope.text_of(bytes).await?;
    if text.trim().is_empty() {
        return Ok(members(&[], columns, "{}"));
    }
    let read = scope.any_json(text.clone(), 1).await.map_err(as_invalid)?;
    let json = read.json();
    Ok(members(first_object(&json)?, columns, &text))
}

/// The members of an object, or of the first one of an array, whose objects have the same keys.
fn first_object<'j, 't>(json: &'j Json<'t>) -> Result<&'j [JsonMember<'t>], Error> {
    let all = match &json.kind {
        JsonKind::Object(members) => return Ok(members),
        JsonKind::List(all) => all,
        _ => return Ok(&[]),
    };
    let uneven = || PostgrestCode::Body.error("All object keys must match");
    let keys = |one: &Json<'_>| match &one.kind {
        JsonKind::Object(members) => {
            let mut names: Vec<String> = members.iter().map(|one| one.name.to_string()).collect();
            names.sort_unstable();
            Some(names)
        }
        _ => None,
    };
    let Some(first) = all.first() else { return Ok(&[]) };
    if keys(first).is_none() || all.iter().any(|one| keys(one) != keys(first)) {
        return Err(uneven());
    }
    match &first.kind {
        JsonKind::Object(members) => Ok(members),
        _ => Err(uneven()),
    }
}

/// The members of an object as arguments.
fn members(given: &[JsonMember<'_>], columns: Option<&[String]>, body: &str) -> GivenArguments {
    let mut object = String::from("{");
    for (at, member) in given.iter().enumerate() {
        object.push_str(if at > 0 { "," } else { "" });
        object.push_str(&serde_json::Value::from(&*member.name).to_string());
        object.push(':');
        member.value.write(&mut object);
    }
    object.push('}');
    let names = match columns {
        Some(columns) => columns.to_vec(),
        None => given.iter().map(|member| member.name.to_string()).collect(),
    };
    GivenArguments::Members { names, object, body: body.to_owned() }
}

/// The names and values of a form.
///
/// # Errors
/// [`PostgrestCode::Grammar`] for what is not percent-encoded.
pub(super) fn pairs(text: &str) -> Result<Vec<(String, String)>, Error> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(key)?, decoded(value)?))
        })
        .collect()
}

fn decoded(text: &str) -> Result<String, Error> {
    percent_decode(&text.replace('+', " ")).map_err(|error| PostgrestCode::Grammar.of(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_no_arguments() {
        let query =
            "a=1&b=eq.2&select=x&rel.order=y&c=a+b&limit=3&d=not.eq.1&e&f=x.y&g=fts(english).a";
        let (given, rest) = of_query(Some(query)).unwrap();
        let GivenArguments::Texts(given) = given else { panic!("{given:?}") };
        let given: Vec<(&str, &str)> = given.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(given, [("a", "1"), ("c", "a b"), ("f", "x.y")]);
        assert_eq!(rest, "b=eq.2&select=x&rel.order=y&limit=3&d=not.eq.1&e&g=fts(english).a");
    }
}
