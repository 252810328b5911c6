//! Live changes: a read that goes on. A subscriber gets the documents that its query selects, and then those that
//! commits let enter, change or leave.
//!
//! - A query is followed once for all its subscribers of one identity, by a topic (`read/live/topic.rs`); its events
//!   are kept in a bounded log (`log.rs`) that each reads at its own pace, and from where it was.
//! - Commits name documents by the dependency index (`feed.rs`); these alone are read again, and compared with what
//!   the queries have sent (`group.rs`). Which queries a document may concern is found by its key, its value in one
//!   column, or by asking every query that has neither (`interests.rs`).
//! - Where only a table is known to have changed, the queries of its resources are read again, and the difference is
//!   sent.

pub(crate) mod counts;
pub(crate) mod document;
pub(crate) mod event;
pub(crate) mod feed;
pub(crate) mod group;
pub(crate) mod hub;
pub(crate) mod interests;
pub(crate) mod log;
pub(crate) mod message;
pub(crate) mod query;
pub mod refusals;
pub(crate) mod subscription;

pub use counts::LiveCounts;
pub use event::{EVENTS, EndReason, EventRow, HEARTBEAT, end_event};
pub(crate) use hub::LiveHub;
pub use query::LiveQuery;
pub use subscription::{LiveChunk, LiveStart, LiveSubscription};
