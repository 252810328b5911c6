//! How the tables of a resource are spread over machines, in words for those whose requests the engine refuses.

use std::sync::Arc;

use duet_model::{Code, Error, Piece, Relation, ServiceQuery};
use duet_text::problem::quoted;

use crate::resources::resource::Resource;
use crate::resources::routine::RoutineResource;
use crate::services::ServiceFile;

/// The error with a hint that names the tables of the resource, where the engine has refused the request because of how
/// they are distributed.
#[must_use]
pub fn named(mut error: Error, resource: &Resource) -> Error {
    if error.code == Code::DistributedStatement && error.hint.is_none() {
        error.hint = hint(resource);
    }
    error
}

/// The same for a service: of the tables of these resources those that its statements mention, or the function that it calls.
#[must_use]
pub fn named_by_service(
    mut error: Error,
    service: &ServiceFile,
    resources: &[Arc<Resource>],
) -> Error {
    if error.code != Code::DistributedStatement || error.hint.is_some() {
        return error;
    }
    let mentioned =
        |table: &Relation| service.statements.iter().any(|query| is_mentioned(&table.name, query));
    let nodes = resources.iter().flat_map(|resource| &resource.shape.nodes);
    let tables = nodes.map(|node| &*node.table).filter(|table| mentioned(table));
    error.hint = placed(&service.name, tables);
    if let (None, Some(routine)) = (&error.hint, &service.routine) {
        error.hint = Some(in_function(&routine.name));
    }
    error
}

/// The same for a function that is served: what its body uses only the database knows.
#[must_use]
pub fn named_by_routine(mut error: Error, routine: &RoutineResource) -> Error {
    if error.code == Code::DistributedStatement && error.hint.is_none() {
        error.hint = Some(in_function(&routine.routine.name));
    }
    error
}

fn in_function(name: &str) -> String {
    format!("The tables are those that the function {} of the database uses.", quoted(name))
}

/// How each table is placed; `None` where none is spread.
fn hint(resource: &Resource) -> Option<String> {
    placed(&resource.name, resource.shape.nodes.iter().map(|node| &*node.table))
}

fn placed<'t>(name: &str, tables: impl Iterator<Item = &'t Relation>) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for table in tables.filter(|table| table.placement.is_spread()) {
        let part = format!("{} is {}", quoted(&table.served_name()), table.placement.words());
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    (!parts.is_empty()).then(|| format!("The tables of {}: {}.", quoted(name), parts.join("; ")))
}

/// Whether a statement has a name as a word of its own, in any case.
fn is_mentioned(name: &str, query: &ServiceQuery) -> bool {
    let name = name.to_lowercase();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    query.pieces.iter().any(|piece| match piece {
        Piece::Parameter { .. } => false,
        Piece::Text { text, .. } => {
            let text = text.to_lowercase();
            text.match_indices(&name).any(|(at, _)| {
                let (before, after) = (&text[..at], &text[at + name.len()..]);
                !before.ends_with(is_part) && !after.starts_with(is_part)
            })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_words() {
        let text = |text: &str| ServiceQuery {
            pieces: vec![Piece::Text { text: text.to_owned(), at: 0 }],
            parameters: Vec::new(),
        };
        assert!(is_mentioned("sale", &text("SELECT 1 FROM shop.Sale WHERE id = 1")));
        assert!(is_mentioned("a b", &text("SELECT 1 FROM \"A b\"")));
        assert!(!is_mentioned("sale", &text("SELECT sales FROM wholesale, sale_2")));
    }
}
