//! The use cases: read, describe, reload. No HTTP types here; a protocol's crate turns
//! bytes into these calls and their results into bytes.
//!
//! ```
//! use std::sync::Arc;
//! use duet_auth::{Open, State};
//! use duet_db::{Limits, sqlite};
//! use duet_document::{DocumentText, Links};
//! use duet_service::definition::{Application, Mount, Mounts};
//! use duet_service::{Auth, ItemQuery, Service};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("racing.db");
//! rusqlite::Connection::open(&path)?
//!     .execute_batch("CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO team VALUES (7, 'Reds')")?;
//! let mount = Mount { path: "/hr".into(), all_tables: true, ..Mount::default() };
//! let application = Application { mounts: Mounts::Declared(Box::new(mount)), ..Application::default() };
//!
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! // What is attached stays on its thread.
//! tokio::task::LocalSet::new().block_on(&runtime, async {
//!     let database = sqlite::Database::open(&path, &sqlite::Options::default(), Limits::default())?;
//!     let auth = Auth::in_memory(&State::new(0)?, Open::Read);
//!     let service = Service::open(Arc::new(database), application, auth).await?;
//!
//!     // A snapshot serves a request from its first step to its last.
//!     let worker = service.attach()?;
//!     let snapshot = worker.snapshot();
//!     let (mount, rest) = snapshot.route("/hr/team/7").expect("the mount");
//!     assert_eq!(rest.trim_start_matches('/'), "team/7");
//!     let (collection, described_by) = ("/hr/team/", "/hr/metadata-catalog/team/");
//!     let links = Links { collection, described_by, writable: false, plain: false };
//!     let query = ItemQuery { key: "7", fields: None, expansion: None, fresh: false };
//!     let item = worker.acting(None).item(mount.resource("team")?, query, &links).await?;
//!     let DocumentText::Whole(body) = item.document.body else { panic!("small items are whole") };
//!     assert!(body.text.starts_with(br#"{"id":7,"name":"Reds","#));
//!     Ok::<_, duet_model::Error>(())
//! })?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod applications;
pub mod auth;
pub mod bulk;
pub mod checks;
mod collection_shape;
mod context;
#[cfg(test)]
#[path = "tests/costs.rs"]
mod costs;
mod currency;
pub mod definition;
mod documents;
mod expand;
mod expandable;
mod explain;
mod explanation;
mod groups;
mod ingest;
mod inserts;
mod invalidation;
pub mod issuer;
mod items;
pub mod journal;
mod json_rows;
mod kept;
#[cfg(test)]
#[path = "tests/kept.rs"]
mod kept_tests;
mod large_page;
mod links;
mod marker;
mod mistakes;
mod mount;
mod naming;
mod page;
mod parameters;
mod path;
mod populate;
mod population;
mod populations;
mod projection;
pub mod query;
mod read;
mod related_documents;
pub mod remarks;
mod representation;
mod resource;
mod routes;
mod routine;
mod routine_call;
mod row_rules;
pub mod rowstore;
mod selection;
mod service;
mod service_call;
mod service_resource;
pub mod services;
mod slot;
mod snapshot;
mod spread;
mod stream;
mod table_shape;
pub mod tenants;
mod updates;
mod violation;
mod writable;
pub mod write;

pub use applications::{ApplicationReload, Applications};
pub use auth::Auth;
pub use context::{RequestContext, WorkerHandle};
pub use documents::{Document, ItemDocument};
pub use duet_db::statistics::Counted;
pub use duet_db::{
    Client, Mark, QueueCounted, SlowestStatement, WAIT_BOUNDS, WriteSteps, WriteTimes,
};
pub use duet_document::Format;
pub use expand::Expansion;
pub use expandable::Expandable;
pub use explanation::{ExplainedStatement, Explanation};
pub use issuer::{Issuer, KeyPlaces};
pub use items::{IDS, ItemsDocument, ItemsQuery, keys_of};
pub use mount::Mount;
pub use page::{Count, PageQuery};
pub use path::{below, shown_path};
pub use read::{ItemQuery, PageDocument, PageEnd};
pub use resource::{Resource, ResourceKind, Right};
pub use routes::RESERVED_PATHS;
pub use routine::{RoutineAnswer, RoutineResource};
pub use service::{Reloaded, Renewed, Service};
pub use service_call::{ServiceAnswer, ServiceBatch, ServiceOutcomes};
pub use service_resource::{ServiceKind, ServiceResource};
pub use slot::{SHARED_BYTES, share_versions};
pub use snapshot::{MissingTable, Snapshot};
pub use stream::DocumentStream;
pub use tenants::{Tenant, TenantLimits, TenantSource, Tenants};
