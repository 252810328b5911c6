//! Why a row operation may not be done: messages that name the member, its column and table, the view,
//! and what its definition lacks.

use duet_model::{Code, Error, GivenField, NodeId, RowTree, Shape};
use duet_text::error::Place;
use duet_text::problem::quoted;

fn at(code: Code, pointer: &str, message: String) -> Error {
    Error::new(code, message).at(Place::Pointer(pointer.to_owned()))
}

fn table(shape: &Shape, node: NodeId) -> String {
    shape.nodes[node].table.served_name()
}

/// A member that would change.
pub(super) fn not_updatable(shape: &Shape, node: NodeId, field: &GivenField<'_>) -> Error {
    let relation = &shape.nodes[node].table;
    let name = field.pointer.rsplit('/').next().unwrap_or("");
    let message = format!(
        "{} cannot be changed here: it is column {} of table {}, which has no UPDATE in {}.",
        quoted(name),
        relation.columns[field.member.column].served_name(),
        relation.served_name(),
        shape.name
    );
    at(Code::NotUpdatable, &field.pointer, message)
        .hint("Send the value that is stored, or leave the change out.")
}

/// A column of a key that would change.
pub(super) fn key_change(shape: &Shape, node: NodeId, field: &GivenField<'_>) -> Error {
    let name = field.pointer.rsplit('/').next().unwrap_or("");
    let message = format!(
        "{} is the key of table {}: it cannot be changed.",
        quoted(name),
        table(shape, node)
    );
    at(Code::NotUpdatable, &field.pointer, message)
        .hint("Insert a row with the new key and delete this one.")
}

/// A row that would be linked to another one.
pub(super) fn not_linkable(shape: &Shape, node: NodeId, pointer: &str) -> Error {
    let message = format!(
        "This would link a row of {} to another one, and {} has no UPDATE in {}.",
        table(shape, node),
        table(shape, node),
        shape.name
    );
    at(Code::NotUpdatable, pointer, message)
}

pub(super) fn not_insertable(shape: &Shape, row: &RowTree<'_>, has_key: bool) -> Error {
    let table = table(shape, row.node);
    let why = if has_key {
        format!("There is no such row of {table} that could be used here")
    } else {
        format!("This would be a new row of {table}")
    };
    let message = format!("{why}, and {table} has no INSERT in {}.", shape.name);
    at(Code::NotInsertable, &row.pointer, message)
}

pub(super) fn not_deletable(shape: &Shape, row: &RowTree<'_>) -> Error {
    let table = table(shape, row.node);
    let message = format!("Rows of {table} cannot be deleted: it has no DELETE in {}.", shape.name);
    at(Code::NotDeletable, &row.pointer, message)
}

/// A row whose link cannot become NULL.
pub(super) fn cannot_unlink(shape: &Shape, node: NodeId, pointer: &str) -> Error {
    let table = table(shape, node);
    let message = format!(
        "A row of {table} cannot be taken out here: it has no DELETE in {}, and its link cannot be NULL.",
        shape.name
    );
    at(Code::CannotUnlink, pointer, message)
}

/// A reference that must not be empty.
pub(super) fn link_needed(shape: &Shape, node: NodeId, pointer: &str) -> Error {
    let message =
        format!("A row of {} is needed here: the link to it cannot be NULL.", table(shape, node));
    at(Code::CannotUnlink, pointer, message)
}

/// The refusal of a document without a required member.
pub(super) fn value_needed(shape: &Shape, node: NodeId, column: usize, row: &RowTree<'_>) -> Error {
    let relation = &shape.nodes[node].table;
    let advice = if row.pointer.is_empty() {
        "To change only some members, use PATCH."
    } else {
        "Rows below a document are replaced whole, by PATCH too: send all members of this one."
    };
    let message = format!(
        "Column {} of table {} is missing: it cannot be NULL and has no default. {advice}",
        relation.columns[column].served_name(),
        relation.served_name()
    );
    at(Code::MissingMember, &row.pointer, message)
}

/// Two places that disagree.
pub(super) fn contradiction(shape: &Shape, node: NodeId, column: usize, pointer: &str) -> Error {
    let relation = &shape.nodes[node].table;
    let message = format!(
        "Column {} of a row of table {} has different values in several places of the body. Give the same value everywhere.",
        relation.columns[column].served_name(),
        relation.served_name()
    );
    at(Code::Contradiction, pointer, message)
}

/// The refusal of a duplicate row in an array.
pub(super) fn twice(shape: &Shape, row: &RowTree<'_>) -> Error {
    let message = format!(
        "This row of {} is in the array twice. Give each row once.",
        table(shape, row.node)
    );
    at(Code::Contradiction, &row.pointer, message)
}
