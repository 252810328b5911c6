//! Errors of writes as their callers may see them.

use duet_model::refusal::of_document;
use duet_model::row_tree::{pointer, pointer_parts};
use duet_model::{Code, Error, IndexKind, Relation};
use duet_text::error::Place;
use duet_text::problem::quoted;

use crate::resources::placements;
use crate::resources::raised;
use crate::resources::resource::Resource;

/// The error as this caller may see it: the message of a trigger if the resource shows them, and the
/// name of the constraint or the table of a reference where the caller may read the resource.
pub(crate) fn client_error(error: Error, resource: &Resource, may_read: bool) -> Error {
    let error = placements::named(error, resource);
    let mut error = with_constraint(in_document(error, resource), resource);
    let Some(violation) = error.violation.as_deref() else { return error };
    if violation.raised.is_some() {
        return raised::shown(error, resource.raised_messages);
    }
    if let Some(sentence) = violation.reference.clone().filter(|_| may_read) {
        error.hint.get_or_insert(sentence);
        return error;
    }
    let tables = resource.shape.nodes.iter().map(|node| &node.table);
    let found = tables.into_iter().find_map(|table| constraint(error.code, violation, table));
    if let Some((name, table)) = found.filter(|_| may_read) {
        error.hint.get_or_insert_with(|| {
            format!("It is the constraint {} of {}.", quoted(name), quoted(&table.served_name()))
        });
    }
    error
}

/// The error with the place in the document of a collection whose value breaks a rule of the table.
fn in_document(mut error: Error, resource: &Resource) -> Error {
    let (Some(own), Some(violation)) = (&resource.collection, error.violation.as_deref()) else {
        return error;
    };
    // A document that is removed has no place.
    if error.place != Some(Place::Pointer(String::new())) {
        return error;
    }
    let table = &resource.shape.root().table;
    let known = table.violated_columns(violation).into_iter();
    let names = known.map(|column| table.columns[column].name.as_str());
    let given = violation.columns.iter().chain(&violation.constraint).map(String::as_str);
    let references = &own.declaration().references;
    let only = match &references[..] {
        // SQLite names no references.
        [only] if error.code == Code::ForeignKeyViolation => Some(only.path.as_str()),
        _ => None,
    };
    let Some(path) = names.chain(given).find_map(|name| own.path_of(name)).or(only) else {
        return error;
    };
    let place = path.split('.').fold(String::new(), |at, step| pointer(&at, step));
    if let Some(message) = of_document(error.code, &quoted(path)) {
        error.message = message;
    }
    error.place = Some(Place::Pointer(place));
    error
}

/// The error with PostgreSQL's text, where clients recognise a duplicate value by it.
fn with_constraint(mut error: Error, resource: &Resource) -> Error {
    let own = resource.collection.as_ref();
    let own = own.filter(|own| own.declaration().search.profile.names_unique_constraints());
    let (Some(own), Some(Place::Pointer(place))) = (own, &error.place) else { return error };
    if error.code != Code::UniqueViolation {
        return error;
    }
    let table = own.table(None);
    let path = pointer_parts(place).join(".");
    let mut unique = table.indexes.iter().filter(|index| index.kind == IndexKind::Unique);
    let name = match unique.find(|index| path.ends_with(&index.field.path)) {
        Some(index) => index.name(&table.name),
        None => format!("{}_pkey", table.name),
    };
    let message = &error.message;
    error.message = format!("duplicate key value violates unique constraint \"{name}\": {message}");
    error
}

/// The constraint that a violation names, if it is a rule of this table.
fn constraint<'v, 't>(
    code: Code,
    violation: &'v duet_model::Violation,
    table: &'t Relation,
) -> Option<(&'v str, &'t Relation)> {
    let name = table.rule_of(violation)?;
    // SQLite names no references, and both stores are to say the same.
    let is_there =
        code == Code::CheckViolation && table.checks.iter().any(|check| check.name == name);
    (table.is_of(violation) && is_there).then_some((name, table))
}
