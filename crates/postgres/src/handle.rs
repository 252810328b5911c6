//! A worker's hold on a PostgreSQL database: what it reads with, from each server that answers reads, and a pool for
//! writes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use duet_admission::Request;
use duet_auth::Identity;
use duet_model::commit_class::CommitClass;
use duet_model::{Result, Value};
use duet_store::limits::Limits;
use duet_store::queues::admit::{Queues, guarded};
use duet_store::queues::classes::Classes;
use duet_store::read::{Answer, ExplainedPlan, KeyedRead, PageRead, PlanRead, RowCount};
use duet_store::statistics::Statistics;
use duet_store::worker::limited::{self, LimitedWrite};
use duet_store::worker::stream::Chunks;
use duet_store::worker::{Caller, Worker, WorkerParts};
use duet_store::write::insert::InsertBatch;
use duet_store::write::{AnyWrite, GroupRead};
use foldhash::fast::RandomState;

use crate::database::{Database, Opened};
use crate::pool::Pool;
use crate::read::pages;
use crate::read::readers::{QUEUES, ReaderSizes, Readers};
use crate::read::standby_readers::StandbyReaders;
use crate::transactions::group::Group;
use crate::transactions::insert::Inserter;
use crate::transactions::terms::WriteTerms;
use crate::transactions::write;

/// Whose writes share a queue: those of one read or insert by its id, with the same role and claims, or all without,
/// and of one commit class, as they share transactions.
type WriteQueue = (u64, Option<Arc<Identity>>, CommitClass);

/// A worker's connections and queues.
#[derive(Debug)]
pub(crate) struct Handle {
    database: Arc<Database>,
    readers: Readers,
    /// Those of the standbys, where some answer reads.
    standbys: Option<Box<StandbyReaders>>,
    inserters: RefCell<HashMap<WriteQueue, Rc<Inserter>, RandomState>>,
    groups: RefCell<HashMap<WriteQueue, Rc<Group>, RandomState>>,
    /// For writes; the pool of pages where there are too few connections for both.
    writes: Rc<Pool>,
    queues: Arc<Queues>,
}

impl Handle {
    pub(crate) fn attach(database: &Arc<Database>) -> Self {
        let limits = database.limits();
        let opened = Opened::by_worker(limits);
        let share = PoolSizes::of(opened.own);
        let queues = database.queues().worker();
        let writing = write::session(database, share.writes > 0);
        let writes = Pool::new(database, share.writes.max(1), &writing, &queues.write);
        let writes = Rc::new(writes);
        let sizes = ReaderSizes { lanes: share.lanes, pages: share.pages, streams: opened.streams };
        let shared = (share.writes == 0).then_some(&writes);
        let standbys = database.standbys().map(|standbys| {
            let pages = opened.own - share.lanes;
            let sizes = ReaderSizes { pages, ..sizes };
            Box::new(StandbyReaders::new(standbys, sizes, &queues))
        });
        Self {
            database: Arc::clone(database),
            readers: Readers::new(database, sizes, &queues, shared),
            standbys,
            inserters: RefCell::default(),
            groups: RefCell::default(),
            writes,
            queues,
        }
    }

    fn inserter(
        &self,
        identity: Option<&Arc<Identity>>,
        commit: CommitClass,
        insert: &Arc<InsertBatch>,
    ) -> Rc<Inserter> {
        let queue = (insert.id, identity.cloned(), commit);
        let mut inserters = self.inserters.borrow_mut();
        // As with reads; here it is ever other members.
        if inserters.len() >= QUEUES && !inserters.contains_key(&queue) {
            inserters.retain(|_, inserter| !inserter.is_idle());
        }
        let terms = WriteTerms { identity, commit };
        let made = || Rc::new(Inserter::new(insert, terms, &self.writes, &self.queues.insert));
        Rc::clone(inserters.entry(queue).or_insert_with(made))
    }

    fn group(
        &self,
        identity: Option<&Arc<Identity>>,
        commit: CommitClass,
        read: &Arc<GroupRead>,
    ) -> Rc<Group> {
        let queue = (read.read.id, identity.cloned(), commit);
        let mut groups = self.groups.borrow_mut();
        if groups.len() >= QUEUES && !groups.contains_key(&queue) {
            groups.retain(|_, group| !group.is_idle());
        }
        let terms = WriteTerms { identity, commit };
        let made = || Rc::new(Group::new(read, terms, &self.writes, &self.queues.insert));
        Rc::clone(groups.entry(queue).or_insert_with(made))
    }

    async fn write_as(
        &self,
        request: Request,
        terms: WriteTerms<'_>,
        work: &AnyWrite,
    ) -> Result<()> {
        let WriteTerms { identity, commit } = terms;
        let shares = work.shares().filter(|_| commit != CommitClass::Sync);
        let group = shares.map(|(read, _)| self.group(identity, commit, read));
        let turns = self.database.turns();
        let write = write::write(&self.writes, turns, request, terms, group, work);
        guarded(&self.queues.write, Box::pin(write)).await
    }

    /// A write of this caller has ended: what it reads from now on must be as new, also where it was refused, as a
    /// condition was checked at the primary.
    fn wrote(&self, caller: &Caller<'_>) {
        if let Some(standbys) = self.database.standbys() {
            standbys.wrote(caller);
        }
    }
}

impl WorkerParts for Handle {
    fn statistics(&self) -> &Statistics {
        self.database.statistics()
    }

    fn limits(&self) -> &Limits {
        self.database.limits()
    }

    fn classes(&self) -> &Classes {
        self.database.classes()
    }

    /// Drops the queues and prepared statements of an older snapshot; who still waits in a queue
    /// is served by it.
    fn forget(&self) {
        self.readers.forget();
        self.standbys.iter().for_each(|standbys| standbys.forget());
        self.inserters.borrow_mut().clear();
        self.groups.borrow_mut().clear();
        self.writes.forget();
    }
}

impl Worker for Handle {
    async fn by_key(
        &self,
        request: Request,
        caller: &Caller<'_>,
        read: &Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> Result<Answer> {
        if let Some(standbys) = &self.standbys {
            return Box::pin(standbys.by_key(request, caller, &self.readers, read, key)).await;
        }
        self.readers.batcher(caller.identity, read).read(request, key).await
    }

    async fn page(
        &self,
        request: Request,
        caller: &Caller<'_>,
        read: &Arc<PageRead>,
    ) -> Result<(Answer, Option<RowCount>)> {
        if let Some(standbys) = &self.standbys {
            return Box::pin(standbys.page(request, caller, &self.readers, read)).await;
        }
        self.readers.page(request, caller.identity, read).await
    }

    async fn total(
        &self,
        request: Request,
        caller: &Caller<'_>,
        read: &Arc<PageRead>,
    ) -> Result<Option<RowCount>> {
        if let Some(standbys) = &self.standbys {
            return Box::pin(standbys.total(request, caller, &self.readers, read)).await;
        }
        self.readers.count(request, read).await
    }

    async fn explain(&self, request: Request, read: &Arc<PlanRead>) -> Result<ExplainedPlan> {
        Box::pin(pages::explained(&self.readers.pages, request, read)).await
    }

    async fn write(
        &self,
        request: Request,
        caller: &Caller<'_>,
        work: Arc<AnyWrite>,
    ) -> Result<()> {
        let terms = WriteTerms { identity: caller.identity, commit: caller.commit };
        let written = match request.deadline.last() {
            None => self.write_as(request, terms, &*work).await,
            Some(last) => {
                let work = LimitedWrite::new(work);
                let written = self.write_as(request, terms, &work);
                Box::pin(limited::until_committing(last, &work, written)).await
            }
        };
        self.wrote(caller);
        written
    }

    async fn insert(
        &self,
        request: Request,
        caller: &Caller<'_>,
        insert: &Arc<InsertBatch>,
        row: Vec<Value>,
    ) -> Result<Answer> {
        let inserter = self.inserter(caller.identity, caller.commit, insert);
        let inserted = inserter.insert(request, row, caller.times.cloned()).await;
        self.wrote(caller);
        inserted
    }

    async fn stream(
        &self,
        request: Request,
        caller: &Caller<'_>,
        read: PageRead,
    ) -> Result<(Box<dyn Chunks>, Duration)> {
        if let Some(standbys) = &self.standbys {
            return Box::pin(standbys.stream(request, caller, &self.readers, read)).await;
        }
        let (rows, timeout) = self.readers.stream(request, caller.identity, read).await?;
        Ok((Box::new(rows), timeout))
    }
}

/// What a worker's connections are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PoolSizes {
    /// Those that carry batches: two keep the server busy while the worker writes answers, more
    /// only make batches smaller.
    lanes: usize,
    pages: usize,
    /// None: writes and pages share theirs.
    writes: usize,
}

impl PoolSizes {
    fn of(connections: usize) -> Self {
        // With few, a second one for pages is worth more: a statement that does not end must not take the last.
        let lanes = if connections >= 6 { 2 } else { 1 };
        // Writes wait for the disk, and those that wait together share its syncs.
        let writes = connections.saturating_sub(lanes) * 2 / 3;
        Self { lanes, pages: connections.saturating_sub(lanes + writes).max(1), writes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_connections_than_allowed() {
        let of = |connections| {
            let PoolSizes { lanes, pages, writes } = PoolSizes::of(connections);
            (lanes, pages, writes)
        };
        assert_eq!([of(2), of(3), of(4), of(5)], [(1, 1, 0), (1, 1, 1), (1, 1, 2), (1, 2, 2)]);
        assert_eq!([of(6), of(10)], [(2, 2, 2), (2, 3, 5)]);
        for connections in 2..100 {
            let (lanes, pages, writes) = of(connections);
            assert_eq!(lanes + pages + writes, connections);
        }
    }
}
