//! Bodies of writes: one object or an array of objects, as PostgREST reads them.

use std::sync::Arc;

use duet_filter::postgrest::Request;
use duet_model::catalog::GeneratedValue;
use duet_model::profiles::PostgrestCode;
use duet_model::{Error, Place};
use duet_service::Resource;
use duet_text::json::body::Body;
use duet_text::json::{Json, JsonKind, JsonMember};
use hyper::HeaderMap;
use serde_json::json;

use super::mistakes::as_invalid;
use super::preferences::Preferences;
use super::{column_value, sent_rows};
use crate::answer::refusal::Refusal;
use crate::request::body;
use crate::request::scope::Scope;
use crate::resources::array;

/// The rows of a body. An object is one row.
///
/// # Errors
/// [`PostgrestCode::Body`] for other JSON, media types that are not taken, and objects with other keys than the first one;
/// [`PostgrestCode::BodyColumn`] for unknown columns.
pub(super) async fn rows(
    scope: &Scope<'_>,
    resource: &Arc<Resource>,
    request: &Request,
    preferences: &Preferences,
) -> Result<Vec<Body>, Refusal> {
    let headers = scope.request.headers();
    body::check_encoding(headers)?;
    let text = scope.text_of(scope.arrived().body().await?).await?;
    let text = as_json(headers, text)?;
    let read = scope.any_json(text, 1).await;
    let read = read.map_err(as_invalid)?;
    let nulls = !preferences.is("missing", "default");
    let text = normalized(resource, &read.json(), request, nulls)?;
    let Some(text) = text else { return Ok(Vec::new()) };
    let checked = scope.checked_array(resource, text.into()).await?;
    let rows: Vec<Body> = checked.elements().collect();
    array::check_count(scope, &checked)?;
    Ok(rows)
}

/// The body as JSON, by its media type.
fn as_json(headers: &HeaderMap, text: Arc<str>) -> Result<Arc<str>, Error> {
    let media = body::media_type(headers).unwrap_or("application/json").to_ascii_lowercase();
    match media.as_str() {
        "application/json" | "*/*" => Ok(text),
        "text/csv" => sent_rows::of_csv(&text).map(Arc::from),
        "application/x-www-form-urlencoded" => sent_rows::of_form(&text).map(Arc::from),
        other => {
            let shown: String = other.chars().take(64).collect();
            Err(PostgrestCode::Body.error(format!("Content-Type not acceptable: {shown}")))
        }
    }
}

/// The rows as a JSON array with the columns that are written; `None` without rows.
fn normalized(
    resource: &Resource,
    read: &Json<'_>,
    request: &Request,
    nulls: bool,
) -> Result<Option<String>, Error> {
    let rows = match &read.kind {
        JsonKind::List(rows) => rows.as_slice(),
        JsonKind::Object(_) => std::slice::from_ref(read),
        _ => return Err(PostgrestCode::Body.error("Empty or invalid json")),
    };
    let mut objects = Vec::with_capacity(rows.len());
    for row in rows {
        let JsonKind::Object(members) = &row.kind else {
            return Err(PostgrestCode::Body.error("All object keys must match"));
        };
        objects.push(members.as_slice());
    }
    let Some(first) = objects.first() else { return Ok(None) };
    let mut out = String::from("[");
    match &request.columns {
        None => {
            let keys = sorted(first);
            if objects.iter().any(|object| sorted(object) != keys) {
                return Err(PostgrestCode::Body.error("All object keys must match"));
            }
            known(resource, keys.iter().copied())?;
            check_computed(resource, keys.iter().copied())?;
            for (at, object) in objects.iter().enumerate() {
                out.push_str(if at > 0 { ",{" } else { "{" });
                for (at, member) in object.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    written(resource, &member.name, &member.value, &mut out);
                }
                out.push('}');
            }
        }
        Some(columns) => {
            known(resource, columns.iter().map(String::as_str))?;
            let is_given = |column: &&String| {
                let has = |object: &&[JsonMember<'_>]| {
                    object.iter().any(|member| member.name == column.as_str())
                };
                if nulls { !objects.is_empty() } else { objects.iter().any(has) }
            };
            check_computed(resource, columns.iter().filter(is_given).map(String::as_str))?;
            for (at, object) in objects.iter().enumerate() {
                out.push_str(if at > 0 { ",{" } else { "{" });
                picked(resource, object, columns, nulls, &mut out);
                out.push('}');
            }
        }
    }
    out.push(']');
    Ok(Some(out))
}

/// The members of an object that are written; those that it lacks are NULL, or are left out.
fn picked(
    resource: &Resource,
    object: &[JsonMember<'_>],
    columns: &[String],
    nulls: bool,
    out: &mut String,
) {
    let mut is_first = true;
    for column in columns {
        let given = object.iter().rev().find(|member| member.name == column.as_str());
        if given.is_none() && !nulls {
            continue;
        }
        out.push_str(if is_first { "" } else { "," });
        is_first = false;
        match given {
            Some(member) => written(resource, column, &member.value, out),
            None => out.push_str(&format!("{}:null", json!(column))),
        }
    }
}

/// Appends a member in the JSON type of its column.
fn written(resource: &Resource, name: &str, value: &Json<'_>, out: &mut String) {
    out.push_str(&json!(name).to_string());
    out.push(':');
    match resource.fields().find(name) {
        Some(field) if field.path == name => column_value::write(&field.ty, value, out),
        _ => value.write(out),
    }
}

fn sorted<'m>(members: &'m [JsonMember<'_>]) -> Vec<&'m str> {
    let mut names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Refuses values of columns that the database computes.
fn check_computed<'n>(
    resource: &Resource,
    names: impl Iterator<Item = &'n str>,
) -> Result<(), Error> {
    let columns = &resource.shape.root().table.columns;
    let is_computed = |name: &&str| {
        let mut computed = columns.iter().filter(|one| one.generated == GeneratedValue::Computed);
        computed.any(|column| column.served_name() == *name)
    };
    let error = |name: &str| {
        let message = format!("cannot insert a non-DEFAULT value into column \"{name}\"");
        let details = json!(format!("Column \"{name}\" is a generated column."));
        PostgrestCode::Computed.with_details(message, details.to_string())
    };
    let given: Vec<Error> = names.filter(is_computed).map(error).collect();
    Error::all_of(given).map_or(Ok(()), Err)
}

/// Refuses columns that the table does not have, all of them in one message.
fn known<'n>(resource: &Resource, names: impl Iterator<Item = &'n str>) -> Result<(), Error> {
    let is_unknown =
        |name: &&str| resource.fields().find(name).is_none_or(|field| field.path != **name);
    let error = |name: &str| {
        let shown: String = name.chars().take(64).collect();
        let message = format!(
            "Could not find the '{shown}' column of '{}' in the schema cache",
            resource.name
        );
        PostgrestCode::BodyColumn.error(message).at(Place::Parameter("columns".to_owned()))
    };
    let unknown: Vec<Error> = names.filter(is_unknown).map(error).collect();
    Error::all_of(unknown).map_or(Ok(()), Err)
}
