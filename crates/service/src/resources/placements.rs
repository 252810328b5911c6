//! How the tables of a resource are spread over machines, in words for those whose requests the engine refuses.

use duet_model::{Code, Error};
use duet_text::problem::quoted;

use crate::resources::resource::Resource;

/// The error with a hint that names the tables of the resource, where the engine has refused the request because of how
/// they are distributed.
#[must_use]
pub fn named(mut error: Error, resource: &Resource) -> Error {
    if error.code == Code::DistributedStatement && error.hint.is_none() {
        error.hint = hint(resource);
    }
    error
}

/// How each table is placed; `None` where none is spread.
fn hint(resource: &Resource) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for node in &resource.shape.nodes {
        let table = &node.table;
        let part = format!("{} is {}", quoted(&table.served_name()), table.placement.words());
        if table.placement.is_spread() && !parts.contains(&part) {
            parts.push(part);
        }
    }
    (!parts.is_empty())
        .then(|| format!("The tables of {}: {}.", quoted(&resource.name), parts.join("; ")))
}
