//! Refused writes of documents in the profile of RMB: the texts by which its clients know why, with the value, and the
//! status 422 where the module declares it for the method.
//!
//! Source: `PgUtil` of FOLIO's raml-module-builder 35.

use duet_collection::Collection;
use duet_model::collection::column_name;
use duet_model::row_tree::pointer_parts;
use duet_model::{Code, Error, Place};
use duet_text::json::{Json, JsonKind};

use super::document::DocumentOperation;
use crate::resources::resource::Resource;

/// The error with the text and the status of RMB; unchanged for other profiles and other codes.
pub(crate) fn named(mut error: Error, resource: &Resource, operation: &DocumentOperation) -> Error {
    let own = resource.collection.as_deref();
    let own = own.filter(|own| own.declaration().search.profile.names_unique_constraints());
    let Some(own) = own else { return error };
    let (method, body) = match operation {
        DocumentOperation::Create { body } => ("POST", Some(body)),
        DocumentOperation::Replace { body, .. } => ("PUT", Some(body)),
        DocumentOperation::Patch { body, .. } => ("PATCH", Some(body)),
        DocumentOperation::Delete { .. } => ("DELETE", None),
    };
    let place = match &error.place {
        Some(Place::Pointer(place)) => pointer_parts(place).join("."),
        _ => String::new(),
    };
    let body = body.map(|body| body.json());
    let value = body.as_ref().and_then(|body| text_at(body, &place));
    let key = operation.key().and_then(|key| key.first()).map(ToString::to_string);
    let holders = &resource.shape.root().table.effects.held_by;
    let holders: Vec<&str> = holders.iter().map(|table| table.name.as_str()).collect();
    let about = About { path: &place, value: value.as_deref(), key: key.as_deref() };
    let Some(message) = message(own, &error, &about, &holders) else {
        return error;
    };
    error.message = message;
    let is_declared = own.declaration().unprocessable.iter().any(|one| one == method);
    if is_declared && error.code != Code::DocumentVersion {
        error.code = Code::DocumentSchema;
        error = error.given(value.or(key).unwrap_or_default());
    }
    error
}

/// What a refusal is about.
struct About<'w> {
    /// The path of the member.
    path: &'w str,
    /// Its value.
    value: Option<&'w str>,
    /// The key of the document.
    key: Option<&'w str>,
}

/// The text; `holders` are the tables that refer to the document's.
fn message(own: &Collection, error: &Error, about: &About<'_>, holders: &[&str]) -> Option<String> {
    let About { path, value, key } = *about;
    let table = &own.declaration().table;
    let value = value.unwrap_or_default();
    match error.code {
        Code::UniqueViolation => {
            let before = &error.message;
            Some(format!("{before} {path} value already exists in table {table}: {value}"))
        }
        Code::ForeignKeyViolation if !path.is_empty() => {
            let reference = own.declaration().references.iter().find(|one| one.path == path)?;
            let (column, target) = (column_name(path), &reference.table);
            Some(format!(
                "Cannot set {table}.{column} = {value} because it does not exist in {target}.id."
            ))
        }
        Code::ForeignKeyViolation => {
            let key = key?;
            let before = format!("Cannot delete {table}.id = {key} because id is still referenced");
            Some(match holders {
                [] => format!("{before}."),
                holders => format!("{before} from table {}.", holders.join(" or ")),
            })
        }
        Code::DocumentVersion => {
            let key = key.unwrap_or_default();
            let before = &error.message;
            Some(format!(
                "Cannot update record {key} because it has been changed (optimistic locking): {before}"
            ))
        }
        _ => None,
    }
}

/// The text of the value at a path.
fn text_at(body: &Json<'_>, path: &str) -> Option<String> {
    let found = path.split('.').try_fold(body, |at, step| at.get(step))?;
    match &found.kind {
        JsonKind::Text(text) => Some(text.to_string()),
        JsonKind::Number(number) => Some((*number).to_owned()),
        JsonKind::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}
