//! Queries that are followed.

use std::sync::Arc;

use duet_model::{Page, Value};

use crate::build::snapshot::Snapshot;
use crate::resources::representation::Representation;
use crate::resources::resource::Resource;

/// A query to be followed.
#[derive(Debug)]
pub struct LiveQuery {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) resource: Arc<Resource>,
    /// Which members of its documents.
    pub(crate) fields: Option<String>,
    /// What tells it from other queries of the resource.
    pub(crate) name: String,
    pub(crate) selected: QueryScope,
}

/// The documents of a query.
#[derive(Clone, Debug)]
pub(crate) enum QueryScope {
    /// That of a key.
    Item(Vec<Value>),
    /// Those of a filter.
    Page(Arc<PageScope>),
}

/// The documents of a filter, in the order in which the state has them.
#[derive(Debug)]
pub(crate) struct PageScope {
    pub(crate) representation: Arc<Representation>,
    pub(crate) page: Page,
}
