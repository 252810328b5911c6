//! What a store is: one database behind its driver, as traits, and what all stores share around a request.
//!
//! A [`Store`] is one database, shared by all workers; each worker attaches to it and gets a [`Handle`] that stays on its
//! thread. A write is a value ([`Write`]), run in a transaction ([`Session`]). What commands do with a database before it
//! is served is a [`Location`]. Stores implement these traits in crates of their own, and no driver is named here: which
//! stores there are is said in the crate `registry` alone.

pub mod bulk;
pub mod catalog;
pub mod commits;
pub mod database;
pub mod describe;
pub mod files;
pub mod instance;
pub mod limits;
pub mod location;
pub mod memory;
pub mod news;
pub mod plan_numbers;
pub mod position;
pub mod queues;
pub mod read;
pub mod refusal;
pub mod setup;
pub mod standbys;
pub mod statistics;
pub mod worker;
pub mod write;

pub use commits::freshness::{CaptureReport, Coverage, Freshness, Means};
pub use commits::{Action, Commits};
pub use database::{Introspect, SharedStore, Store};
pub use describe::{StatementDescription, StatementMistake};
pub use duet_admission::{Client, QueueCounts, RequestClass, WAIT_BOUNDS};
pub use instance::{InstanceView, SessionView};
pub use limits::{Capture, Limits};
pub use location::{Location, OpenOptions, Pending, PlainTarget};
pub use plan_numbers::planned_rows;
pub use position::Position;
pub use queues::admit::{QUEUES, document_key};
pub use read::{
    Answer, CountOf, Counting, Estimating, ExplainedPlan, KeyedRead, PageRead, PlanRead, PlanStep,
    RowCount,
};
pub use setup::own_part::OwnPart;
pub use standbys::{StandbyOptions, StandbyReport, StandbysReport};
pub use worker::Handle;
pub use worker::reading::{ReadServer, Reading};
pub use worker::role_handle::RoleHandle;
pub use worker::slowest::SlowestStatement;
pub use worker::stream::{Chunks, Stream};
pub use write::call::{Call, Done};
pub use write::insert::{InsertBatch, MatchedBy, MatchedInsert};
pub use write::row_write::{KnownRow, LinksRead, RowWrite, Writes};
pub use write::write_times::{Mark, WriteSteps, WriteTimes};
pub use write::{Ending, GroupRead, LockedRead, Records, RowsUpdate, Session, UpdatedRows, Write};
