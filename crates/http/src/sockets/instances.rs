//! A server that is one of several processes with the same sockets.

use std::fmt;

use futures_util::future::BoxFuture;
use serde_json::Value;

/// The other processes, as a server needs them. Workers are numbered within the process, from 0.
pub trait Instances: fmt::Debug + Send + Sync {
    /// Says that a worker accepts from now on, or does not.
    fn accepts(&self, worker: usize, accepts: bool);

    /// Whether a worker may accept the next connection now, or leaves it to another process.
    fn may_accept(&self, worker: usize) -> bool;

    /// Says that no connection waits for a worker any more.
    fn rest(&self, worker: usize);

    /// Counts a connection that a worker has taken.
    fn opened(&self, worker: usize);

    /// Counts one that has ended.
    fn closed(&self, worker: usize);

    /// Has all others reload, one after the other: an array of their `instance` and `answer`, the report
    /// of the reload there. `None` without a supervisor.
    fn reload_others(&self) -> BoxFuture<'static, Option<Value>>;

    /// Has all others change what they keep in memory, as the query of `POST /admin/rowstore` says: an array of
    /// their `instance` and `answer`, what [`crate::Handle::change_rowstore`] gives there. `None` without a
    /// supervisor.
    fn change_rowstores(&self, query: String) -> BoxFuture<'static, Option<Value>>;

    /// Lets all others know that a session of a browser has ended, as [`crate::Handle::end_session`] does there. `None`
    /// without a supervisor.
    fn end_session(&self, id: String) -> BoxFuture<'static, Option<Value>>;

    /// What every process reports of a subject, this one too: an array of facts about them, each with
    /// its `report`, what [`crate::Handle::report`] says there. `None` without a supervisor.
    fn reports(&self, subject: String) -> BoxFuture<'static, Option<Value>>;
}
