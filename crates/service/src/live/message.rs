//! What topics are told, and what they answer.

use std::sync::Arc;

use duet_model::Result;
use tokio::sync::oneshot;

use super::event::{EndReason, EventId};
use super::interests::GroupId;
use super::log::EventLog;
use super::query::LiveQuery;

/// What a topic is told.
#[derive(Debug)]
pub(crate) enum Message {
    /// Somebody subscribes.
    Join(Box<Join>),
    /// A subscriber of a query has gone.
    Leave(GroupId),
    /// The application may have changed.
    Look,
    /// It is closed, for a reason.
    End(EndReason),
}

/// A subscription that begins.
#[derive(Debug)]
pub(crate) struct Join {
    pub(crate) query: LiveQuery,
    /// The last event that the subscriber has, where it is one of ours.
    pub(crate) last: Option<EventId>,
    /// Whether it says that it has one.
    pub(crate) returns: bool,
    pub(crate) reply: oneshot::Sender<Result<JoinedQuery>>,
}

/// A subscription that has begun.
#[derive(Debug)]
pub(crate) struct JoinedQuery {
    pub(crate) log: Arc<EventLog>,
    /// The number of the last event that it needs no more.
    pub(crate) number: u64,
    pub(crate) group: GroupId,
    /// The first events.
    pub(crate) first: Vec<u8>,
    /// Whether it goes on where it was.
    pub(crate) resumed: bool,
}
