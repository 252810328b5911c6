//! Paths below a mount where they name tables and functions, and nothing else: `/table`, `/rpc/function`.

use std::sync::Arc;

use duet_model::key::percent_decode;
use duet_model::profiles::PostgrestCode;
use duet_model::{Error, Result};
use duet_service::{Mount, Resource, ResourceKind, RoutineResource};

/// What a path below such a mount means.
pub(crate) enum TablePath<'a> {
    /// The mount itself.
    Root,
    /// A table or a view.
    Table(&'a Arc<Resource>),
    /// A function.
    Function(&'a Arc<RoutineResource>),
    /// Nothing, and why.
    Nothing(Box<Error>),
}

impl<'a> TablePath<'a> {
    /// The meaning of a path below a mount.
    ///
    /// # Errors
    /// Where it is not percent-encoded.
    pub(crate) fn of(mount: &'a Mount, tail: &str) -> Result<Self> {
        let tail = tail.strip_suffix('/').unwrap_or(tail);
        if tail.is_empty() {
            return Ok(Self::Root);
        }
        if let Some(name) = tail.strip_prefix("rpc/").filter(|name| !name.contains('/')) {
            let name = percent_decode(name)?;
            let found = mount.routine(&name).map(Self::Function);
            return Ok(found.unwrap_or_else(|| Self::Nothing(Box::new(no_function(&name)))));
        }
        if tail.contains('/') {
            let error = PostgrestCode::Path.error("Invalid path specified in request URL");
            return Ok(Self::Nothing(Box::new(error)));
        }
        let name = percent_decode(tail)?;
        let is_rows = |kind| matches!(kind, ResourceKind::Table | ResourceKind::View);
        Ok(match mount.resource(&name) {
            Ok(resource) if is_rows(resource.kind) => Self::Table(resource),
            _ => Self::Nothing(Box::new(no_table(&name))),
        })
    }
}

fn no_table(name: &str) -> Error {
    let shown: String = name.chars().take(64).collect();
    let message = format!("Could not find the table '{shown}' in the schema cache");
    PostgrestCode::NoTable.error(message)
}

fn no_function(name: &str) -> Error {
    let shown: String = name.chars().take(64).collect();
    let message = format!("Could not find the function '{shown}' in the schema cache");
    PostgrestCode::NoFunction.error(message)
}
