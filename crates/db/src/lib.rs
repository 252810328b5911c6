//! The drivers: introspection, connections, batching, transactions.
//!
//! The only crate that names tokio-postgres, after `pgconnect`, and rusqlite. A [`Store`] is one database, shared by
//! all workers; each worker attaches to it and gets a [`Handle`] that stays on its thread. Stores are implementations of
//! that trait; what they share is beside them, and no module but theirs knows them.
//!
//! ```
//! use std::sync::Arc;
//! use duet_db::{KeyedRead, Limits, SharedStore, sqlite};
//! use duet_document::Datum;
//! use duet_model::{ReadPlan, Shape, Value};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("racing.db");
//! rusqlite::Connection::open(&path)?
//!     .execute_batch("CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO team VALUES (7, 'Reds')")?;
//!
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! // What is attached stays on its thread.
//! tokio::task::LocalSet::new().block_on(&runtime, async {
//!     let database = sqlite::Database::open(&path, &sqlite::Options::default(), Limits::default())?;
//!     let store: SharedStore = Arc::new(database);
//!     let catalog = store.introspect().await?;
//!     let shape = Shape::of_relation(catalog.find("team").expect("the table"));
//!
//!     // Concurrent reads by key share a statement: each answer says which row is its own.
//!     let read = Arc::new(KeyedRead::new(ReadPlan::by_keys(Arc::new(shape)), store.dialect()));
//!     let handle = store.attach()?;
//!     let answer = handle.acting(None).by_key(&read, vec![Value::Int(7)]).await?;
//!     let row = answer.row.expect("there is such a row");
//!     assert_eq!(answer.fetched.roots().get(row, 1), Datum::Text(b"Reds"));
//!     Ok::<_, duet_model::Error>(())
//! })?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod admit;
mod arriving;
pub mod bulk;
mod call;
mod classes;
pub mod collections;
mod commits;
mod copy_text;
mod describe;
mod freshness;
pub mod heap;
pub mod idempotency;
pub mod indexes;
mod insert;
mod insert_one;
mod instance;
pub mod introspect;
pub mod journal;
mod limited;
mod limits;
pub mod load;
mod location;
pub mod migrate;
mod own_rights;
mod own_tables;
pub mod postgres;
pub mod raw;
mod read;
mod refusal;
pub mod registry;
mod role_handle;
mod row_limit;
mod row_write;
pub mod sample_copy;
mod slowest;
pub mod sqlite;
pub mod state;
pub mod statistics;
mod store;
mod stream;
pub mod tenants;
mod wire;
mod write;
mod write_times;

pub use admit::{QUEUES, document_key};
pub use call::{Call, Done};
pub use commits::{Action, Commits};
pub use describe::{Described, StatementMistake};
pub use duet_admission::{Client, Counted as QueueCounted, RequestClass, WAIT_BOUNDS};
pub use freshness::{Coverage, Freshness, Means, Report};
pub use insert::{InsertBatch, MatchedBy, MatchedInsert};
pub use instance::{InstanceView, SESSIONS, SessionView};
pub use limits::{Capture, Limits};
pub use location::{Location, OpenOptions, Pending};
pub use own_rights::OwnPart;
pub use own_tables::grant_to_server;
pub use read::{Answer, CountOf, Counting, Estimating, KeyedRead, PageRead, RowCount};
pub use registry::DatabaseUrl;
pub use role_handle::RoleHandle;
pub use row_write::{KnownRow, LinksRead, RowWrite, Writes};
pub use slowest::SlowestStatement;
pub use store::{Handle, Introspect, SharedStore, Store};
pub use stream::{Chunks, Stream};
pub use write::{Ending, GroupRead, LockedRead, Records, RowsUpdate, Session, Updated, Write};
pub use write_times::{Mark, WriteSteps, WriteTimes};
