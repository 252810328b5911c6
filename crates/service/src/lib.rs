//! The use cases: read, describe, reload. No HTTP types here; a protocol's crate turns
//! bytes into these calls and their results into bytes.
//!
//! ```
//! use std::sync::Arc;
//! use duet_auth::{Open, State};
//! use duet_store::Limits;
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
//!     let database = duet_sqlite::Database::open(&path, &duet_sqlite::Options::default(), Limits::default())?;
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

pub mod advice;
mod build;
pub mod bulk;
mod cache;
mod calls;
#[cfg(test)]
#[path = "tests/costs.rs"]
mod costs;
pub mod definition;
mod documents;
mod explanation;
mod hosting;
mod ingest;
pub mod journal;
#[cfg(test)]
#[path = "tests/kept.rs"]
mod kept_tests;
pub mod live;
mod outbox;
mod parameters;
mod path;
pub mod postgrest;
mod queries;
mod read;
mod resources;
pub mod rowstore;
pub mod services;
pub mod webhooks;
pub mod write;

pub use build::difference::{ChangedNames, SnapshotDifference};
pub use build::mount::Mount;
pub use build::remarks;
pub use build::snapshot::{MissingTable, Snapshot};
pub use cache::slot::{SHARED_BYTES, share_versions};
pub use calls::service::{ServiceAnswer, ServiceBatch, ServiceOutcomes};
pub use documents::{Document, ItemDocument};
pub use duet_document::Format;
pub use duet_store::news::{NewsReader, Pace};
pub use duet_store::statistics::StoreCounts;
pub use duet_store::{
    Client, InstanceView, Mark, Position, QueueCounts, ReadServer, Reading, SessionView,
    SlowestStatement, StandbyReport, StandbysReport, WAIT_BOUNDS, WriteSteps, WriteTimes,
};
pub use explanation::{DatabasePlan, DatabaseStep, ExplainedStatement, Explanation};
pub use hosting::applications::{ApplicationReload, Applications};
pub use hosting::auth::Auth;
pub use hosting::clients::{ClientSummary, LinkSummary, NewLink};
pub use hosting::context::{RequestContext, WorkerHandle};
pub use hosting::issuer::{Issuer, IssuerSubject, KeyPlaces};
pub use hosting::request_frame::{AnswerSettings, RequestFrame, TIME_ZONE};
pub use hosting::routes::{KeptPath, RESERVED_PATHS};
pub use hosting::schema_history::SchemaChange;
pub use hosting::service::{ReloadedSnapshot, Renewal, Service};
pub use hosting::tenants::{Tenant, TenantLimits, TenantSource, Tenants};
pub use hosting::{auth, issuer, tenants};
pub use parameters::{declared as declared_parameters, load as load_parameters};
pub use path::{below, shown_path};
pub use queries::expand::Expansion;
pub use queries::page::{Count, PageQuery};
pub use queries::query;
pub use read::design::{DesignedView, printed};
pub use read::draft::{Draft, DraftResource};
pub use read::graph::{SchemaTable, TableReference};
pub use read::items::{IDS, ItemsDocument, ItemsQuery, keys_of};
pub use read::pages::{ItemQuery, PageDocument, PageEnd};
pub use read::stream::DocumentStream;
pub use read::view_events;
pub use resources::checks;
pub use resources::expandable::Expandable;
pub use resources::placements;
pub use resources::resource::{Resource, ResourceKind, Right};
pub use resources::routine::{RoutineAnswer, RoutineResource};
pub use resources::service_resource::{ServiceKind, ServiceResource};
