//! A worker's hold on a store for one caller: as Duet's own user, or under a role of the
//! database. There is no other way to rows, so that no request can leave its role behind.
//!
//! Futures are boxed behind it: the code below them is compiled once for each store, and not for each caller.

use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_admission::{Client, RequestClass};
use duet_auth::Identity;
use duet_model::commit_class::CommitClass;
use duet_model::{Result, Value};
use futures_util::future::LocalBoxFuture;

use crate::queues::classes::LoadTurn;
use crate::read::{Answer, ExplainedPlan, KeyedRead, PageRead, PlanRead, RowCount};
use crate::worker::reading::Reading;
use crate::worker::slowest::SlowestStatement;
use crate::worker::stream::Stream;
use crate::worker::{AnyWorker, Caller, Handle};
use crate::write::insert::InsertBatch;
use crate::write::write_times::WriteTimes;
use crate::write::{KeptOutput, Write};

/// The identity and the handle. With an identity, whatever is done runs under its role and claims, in
/// a transaction, and shares its statements only with requests of the same identity.
#[derive(Clone, Copy, Debug)]
pub struct RoleHandle<'a> {
    worker: &'a dyn AnyWorker,
    caller: Caller<'a>,
}

impl Handle {
    /// Acts under an identity; without one, as Duet's own user.
    pub fn acting<'a>(&'a self, identity: Option<&'a Arc<Identity>>) -> RoleHandle<'a> {
        RoleHandle { worker: self.worker(), caller: Caller::new(identity) }
    }
}

impl<'a> RoleHandle<'a> {
    /// The same, whose slowest statement is noted.
    #[must_use]
    pub fn timed_by(mut self, slowest: &'a SlowestStatement) -> Self {
        self.caller.slowest = Some(slowest);
        self
    }

    /// The same, whose writes note the moments between their steps.
    #[must_use]
    pub fn marked_in(mut self, times: &'a Arc<WriteTimes>) -> Self {
        self.caller.times = Some(times);
        self
    }
}

impl<'a> RoleHandle<'a> {
    /// The same, whose reads go where this says, and whose writes note their position there.
    #[must_use]
    pub fn reading(mut self, reading: &'a Reading) -> Self {
        self.caller.reading = Some(reading);
        self
    }
}

impl RoleHandle<'_> {
    /// The same on behalf of a client, with which others share connections fairly.
    #[must_use]
    pub fn for_client(mut self, client: Client) -> Self {
        self.caller.client = client;
        self
    }

    /// The same for a request that arrived earlier: all its waiting counts from that moment.
    #[must_use]
    pub fn since(mut self, arrived: Instant) -> Self {
        self.caller.arrived = Some(arrived);
        self
    }

    /// The same for a caller that has set a limit for the whole request.
    #[must_use]
    pub fn limited(mut self, limit: Option<Duration>) -> Self {
        self.caller.limit = limit;
        self
    }

    /// The same for a request of this class.
    #[must_use]
    pub fn in_class(mut self, class: RequestClass) -> Self {
        self.caller.class = class;
        self
    }

    /// The same, whose writes are of this commit class; those of the journal count as the default one.
    #[must_use]
    pub fn committing(mut self, commit: CommitClass) -> Self {
        self.caller.commit = commit.in_database();
        self
    }

    /// Waits until a bulk load of this client may begin; it counts as under way until the turn is dropped.
    ///
    /// # Errors
    /// [`Code::Overloaded`](duet_model::Code) where others take too long.
    pub async fn load_turn(&self) -> Result<LoadTurn> {
        let request = self.caller.request(self.worker.limits());
        let turn = self.worker.classes().enter_load(request).await;
        self.caller.map_and_count_error(self.worker, &request, turn)
    }

    /// Reads one document by its key, together with other requests of the same kind.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    pub fn by_key<'s>(
        &'s self,
        read: &'s Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> LocalBoxFuture<'s, Result<Answer>> {
        self.worker.by_key(&self.caller, read, key)
    }

    /// Reads a page, all levels in one snapshot, with the exact total where the read has a
    /// count.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    pub fn page<'s>(
        &'s self,
        read: &'s Arc<PageRead>,
    ) -> LocalBoxFuture<'s, Result<(Answer, Option<RowCount>)>> {
        self.worker.page(&self.caller, read)
    }

    /// Counts or estimates the rows that a page selects, without reading it.
    ///
    /// # Errors
    /// As [`RoleHandle::page`].
    pub fn total<'s>(
        &'s self,
        read: &'s Arc<PageRead>,
    ) -> LocalBoxFuture<'s, Result<Option<RowCount>>> {
        self.worker.total(&self.caller, read)
    }

    /// What the database says of a statement: of Duet's own user, also where another role asks.
    ///
    /// # Errors
    /// As [`RoleHandle::page`].
    pub fn explain<'s>(
        &'s self,
        read: &'s Arc<PlanRead>,
    ) -> LocalBoxFuture<'s, Result<ExplainedPlan>> {
        self.worker.explain(&self.caller, read)
    }

    /// Runs a write in a transaction, and again after a deadlock or where the connection is lost
    /// before the transaction is complete. Where the store has one writer, it shares a transaction with the writes
    /// that wait with it, and no effect of one reaches another's.
    ///
    /// # Errors
    /// What the write or the database says, mapped to a code; nothing has changed then, except
    /// where the code is [`Code::OutcomeUnknown`](duet_model::Code).
    pub async fn write<W: Write>(&self, work: Arc<W>) -> Result<W::Output> {
        let kept = KeptOutput::new(work);
        self.worker.write(&self.caller, Arc::<KeptOutput<W>>::clone(&kept)).await?;
        kept.take()
    }

    /// Inserts one row in a transaction of its own, together with other inserts of the
    /// same kind at that moment; the answer is the row as it is then read. Values come in the order
    /// of the insert's columns.
    ///
    /// # Errors
    /// As [`RoleHandle::write`]; one row's error reaches no other.
    pub fn insert<'s>(
        &'s self,
        insert: &'s Arc<InsertBatch>,
        row: Vec<Value>,
    ) -> LocalBoxFuture<'s, Result<Answer>> {
        self.worker.insert(&self.caller, insert, row)
    }

    /// Begins to read all documents of a page without end, in one snapshot.
    ///
    /// # Errors
    /// Whatever the database says before the first row, mapped to a code.
    pub fn stream(&self, read: PageRead) -> LocalBoxFuture<'_, Result<Stream>> {
        self.worker.stream(&self.caller, read)
    }
}
