//! Services that are served: built from their files, whose statements the database has prepared.

mod build;
mod changed_tables;
mod resource;
mod schema;
mod stored;

pub(crate) use build::{BuiltService, DescribedServices, built, described, source};
pub(crate) use resource::first_row;
pub use resource::{ServiceKind, ServiceResource};
