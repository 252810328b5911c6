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
    /// A function, or the place of one.
    Function(FunctionPath<'a>),
    /// Nothing, and why.
    Nothing(Box<Error>),
}

/// The path of a function.
pub(crate) struct FunctionPath<'a> {
    /// Its name.
    pub(crate) name: String,
    /// The first function of this name.
    pub(crate) first: Option<&'a Arc<RoutineResource>>,
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
            let first = mount.first_function(&name);
            return Ok(Self::Function(FunctionPath { name, first }));
        }
        if tail.contains('/') {
            let error = PostgrestCode::Path.error("Invalid path specified in request URL");
            return Ok(Self::Nothing(Box::new(error)));
        }
        let name = percent_decode(tail)?;
        let is_rows = |kind| matches!(kind, ResourceKind::Table | ResourceKind::View);
        Ok(match mount.resource(&name) {
            Ok(resource) if is_rows(resource.kind) => Self::Table(resource),
            _ => Self::Nothing(Box::new(no_table(mount.schema_name(), &name))),
        })
    }
}

fn no_table(schema: &str, name: &str) -> Error {
    let shown: String = name.chars().take(64).collect();
    let message = format!("Could not find the table '{schema}.{shown}' in the schema cache");
    PostgrestCode::NoTable.error(message)
}
