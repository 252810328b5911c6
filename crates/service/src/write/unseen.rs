//! New rows that the database lets its role add and not see: they are inserted without being read back, and answered
//! without a body.
//!
//! A role with INSERT alone may not name columns that an insert returns, and row security refuses to return a row that
//! its policies hide. Either is known from the error alone, so the insert is tried again without reading.

use duet_model::{Code, Error};

use crate::resources::resource::Resource;
use crate::write::document::DocumentOperation;

/// Whether an insert that was refused so may succeed where nothing is read back.
pub(crate) fn may_help(error: &Error) -> bool {
    matches!(error.code, Code::RoleDenied | Code::DatabaseDenied | Code::RowSecurity)
}

/// Whether an operation adds one row of a table and nothing else, so that it can do without reading.
pub(crate) fn is_insert(resource: &Resource, operation: &DocumentOperation) -> bool {
    let shape = &resource.shape;
    matches!(operation, DocumentOperation::Create { .. })
        && shape.nodes.len() == 1
        && shape.root().filter.is_none()
        && !shape.has_directives()
        && resource.assigned.is_empty()
}

/// Whether the database may hide rows of a resource from those who add them: under a role, or by row security.
pub(crate) fn may_be_hidden(resource: &Resource, has_role: bool) -> bool {
    has_role || !resource.shape.root().table.plain
}
