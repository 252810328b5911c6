//! The use cases: read, describe, reload. No HTTP types here; whoever speaks a protocol turns
//! bytes into these calls and their results into bytes.

mod applications;
pub mod auth;
pub mod bulk;
pub mod definition;
mod expand;
mod explain;
pub mod issuer;
mod links;
mod marker;
mod mistakes;
mod naming;
mod page;
pub mod query;
mod read;
mod representation;
mod resource;
mod routes;
mod routine;
mod selection;
mod service;
mod snapshot;
mod stream;
pub mod write;

pub use applications::{ApplicationReload, Applications};
pub use auth::Auth;
pub use duet_db::statistics::Counted;
pub use duet_db::{Client, QueueCounted, SlowestStatement, WAIT_BOUNDS};
pub use expand::{Expandable, Expansion};
pub use explain::{ExplainedStatement, Explanation};
pub use issuer::{Issuer, KeyPlaces};
pub use page::{Count, PageQuery};
pub use read::{Acting, Document, ItemQuery, PageDocument, Worker};
pub use resource::{Resource, ResourceKind};
pub use routes::{RESERVED_PATHS, below};
pub use routine::{RoutineAnswer, RoutineResource};
pub use service::{Reloaded, Renewed, Service};
pub use snapshot::{Mount, Snapshot};
pub use stream::{DocumentStream, Format};
