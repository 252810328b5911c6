//! A worker's hold on a PostgreSQL database: lanes for batched reads by key, a pool for
//! pages and one for writes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use duet_admission::{Request, RequestClass};
use duet_auth::Identity;
use duet_document::Fetched;
use duet_model::commit_class::CommitClass;
use duet_model::{Result, Value};
use duet_store::limits::Limits;
use duet_store::queues::admit::{Queues, guarded};
use duet_store::queues::classes::Classes;
use duet_store::read::{Answer, CountOf, ExplainedPlan, KeyedRead, PageRead, PlanRead, RowCount};
use duet_store::statistics::Statistics;
use duet_store::worker::limited::{self, LimitedWrite};
use duet_store::worker::stream::Chunks;
use duet_store::worker::{Caller, Worker, WorkerParts};
use duet_store::write::insert::InsertBatch;
use duet_store::write::{AnyWrite, GroupRead};
use foldhash::fast::RandomState;

use crate::connection::in_time::within;
use crate::database::{Database, Opened};
use crate::pool::Pool;
use crate::pool::lane::Lane;
use crate::read::batch::Batcher;
use crate::read::pages;
use crate::read::shared_page::{SharedPages, SharedQueue};
use crate::read::stream::{self, StreamRows};
use crate::transactions::group::Group;
use crate::transactions::insert::Inserter;
use crate::transactions::write;

/// What a lane sets: its statements read by key through indexes, for which one plan is right
/// whatever the keys, and planning each time would cost more than reading.
const LANE_SESSION: &str = "SET plan_cache_mode = 'force_generic_plan'; SET jit = off; SET max_parallel_workers_per_gather = 0";

/// What a connection for pages sets.
const PAGE_SESSION: &str = "SET jit = off";

/// How many queues a worker keeps; beyond it, empty ones are dropped.
const QUEUES: usize = 500;

/// Whose requests share a queue: those of one read or insert by its id, with the same role and
/// claims, or all without.
type Queue = (u64, Option<Arc<Identity>>);

/// The same for writes, which share transactions only with those of their commit class.
type WriteQueue = (u64, Option<Arc<Identity>>, CommitClass);

/// The queue of a read by key.
type KeyBatcher = Batcher<Arc<KeyedRead>>;

/// A worker's connections and queues.
#[derive(Debug)]
pub(crate) struct Handle {
    database: Arc<Database>,
    lanes: Rc<[Rc<Lane>]>,
    batchers: RefCell<HashMap<Queue, Rc<KeyBatcher>, RandomState>>,
    inserters: RefCell<HashMap<WriteQueue, Rc<Inserter>, RandomState>>,
    groups: RefCell<HashMap<WriteQueue, Rc<Group>, RandomState>>,
    shared: SharedPages,
    pages: Rc<Pool>,
    /// For writes; the pool of pages where there are too few connections for both.
    writes: Rc<Pool>,
    streams: Rc<Pool>,
    queues: Arc<Queues>,
}

impl Handle {
    pub(crate) fn attach(database: &Arc<Database>) -> Self {
        let limits = database.limits();
        let opened = Opened::by_worker(limits);
        let share = PoolSizes::of(opened.own);
        let queues = database.queues().worker();
        let lane = |session: &Rc<str>| Rc::new(Lane::new(database, session));
        let (lanes, reading, writing) = (
            Rc::from(LANE_SESSION),
            Rc::from(PAGE_SESSION),
            write::session(limits, share.writes > 0),
        );
        let shared = |connections, session, metrics| {
            Rc::new(Pool::shared(database, connections, session, metrics))
        };
        let writes = Pool::new(database, share.writes.max(1), &writing, &queues.write);
        let writes = Rc::new(writes);
        let pages = match share.writes {
            0 => Rc::clone(&writes),
            _ => shared(share.pages, &reading, &queues.page),
        };
        Self {
            database: Arc::clone(database),
            lanes: (0..share.lanes).map(|_| lane(&lanes)).collect(),
            batchers: RefCell::default(),
            inserters: RefCell::default(),
            groups: RefCell::default(),
            shared: SharedPages::default(),
            pages,
            writes,
            streams: shared(opened.streams, &Rc::from(stream::SESSION), &queues.stream),
            queues,
        }
    }

    fn batcher(&self, identity: Option<&Arc<Identity>>, read: &Arc<KeyedRead>) -> Rc<KeyBatcher> {
        let queue = (read.id, identity.cloned());
        let mut batchers = self.batchers.borrow_mut();
        // A client that varies `fields` or claims without end would have a queue for
        // each of them.
        if batchers.len() >= QUEUES && !batchers.contains_key(&queue) {
            batchers.retain(|_, batcher| !batcher.is_idle());
        }
        let made = || {
            let limits = (&self.queues.read, usize::MAX);
            let read = Arc::clone(read);
            Rc::new(Batcher::new(read, identity, (&self.lanes, &self.pages), limits))
        };
        Rc::clone(batchers.entry(queue).or_insert_with(made))
    }

    /// The queue of a page that is read together with others: of interactive requests without a
    /// role.
    fn shared_queue(
        &self,
        request: Request,
        identity: Option<&Arc<Identity>>,
        read: &PageRead,
    ) -> Option<SharedQueue> {
        let is_interactive = request.class == RequestClass::Interactive;
        if !is_interactive || identity.is_some() {
            return None;
        }
        self.shared.queue(read, &self.lanes, &self.pages, &self.queues.read)
    }

    async fn shared_page(
        &self,
        request: Request,
        read: &PageRead,
        SharedQueue { queue, values, kind }: SharedQueue,
    ) -> Result<(Answer, Option<RowCount>)> {
        let rows = queue.read(request, values).await?;
        let total = match (read.total_of(rows.len()), read.count) {
            (None, CountOf::All) => {
                kind.note(false);
                // The page and its count are of one snapshot.
                return pages::read(&self.pages, request, None, read).await;
            }
            (None, CountOf::UpTo(_)) => self.count(request, read).await?,
            (known, count) => {
                if count == CountOf::All {
                    kind.note(true);
                }
                known
            }
        };
        let fetched = Fetched::of_root(rows, 0);
        Ok((Answer { fetched: Rc::new(fetched), row: None }, total))
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
        let whose = (identity, commit);
        let made = || Rc::new(Inserter::new(insert, whose, &self.writes, &self.queues.insert));
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
        let whose = (identity, commit);
        let made = || Rc::new(Group::new(read, whose, &self.writes, &self.queues.insert));
        Rc::clone(groups.entry(queue).or_insert_with(made))
    }

    async fn read_page(
        &self,
        request: Request,
        identity: Option<&Arc<Identity>>,
        read: &PageRead,
    ) -> Result<(Answer, Option<RowCount>)> {
        if let Some(queue) = self.shared_queue(request, identity, read) {
            let page = self.shared_page(request, read, queue);
            return guarded(&self.queues.page, Box::pin(page)).await;
        }
        let page = pages::read(&self.pages, request, identity, read);
        guarded(&self.queues.page, Box::pin(page)).await
    }

    /// The total of a page.
    async fn count(&self, request: Request, read: &PageRead) -> Result<Option<RowCount>> {
        pages::total(&self.pages, request, read).await
    }

    async fn write_as(
        &self,
        request: Request,
        (identity, commit): (Option<&Arc<Identity>>, CommitClass),
        work: &AnyWrite,
    ) -> Result<()> {
        let shares = work.shares().filter(|_| commit != CommitClass::Sync);
        let group = shares.map(|(read, _)| self.group(identity, commit, read));
        let turns = self.database.turns();
        let how = (identity, commit, group);
        let write = write::write(&self.writes, turns, request, how, work);
        guarded(&self.queues.write, Box::pin(write)).await
    }

    async fn open_stream(
        &self,
        request: Request,
        identity: Option<&Arc<Identity>>,
        read: PageRead,
    ) -> Result<(StreamRows, Duration)> {
        let limits = self.database.limits();
        let bounds = (self.database.rows().clone(), &self.queues.stream);
        let rows = StreamRows::open(&self.streams, request, identity, read, bounds);
        let rows = within(limits.stream_timeout, Box::pin(rows));
        let rows = guarded(&self.queues.stream, async { rows.await? }).await?;
        Ok((rows, limits.stream_timeout))
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
        self.batchers.borrow_mut().clear();
        self.inserters.borrow_mut().clear();
        self.groups.borrow_mut().clear();
        self.shared.forget();
        self.lanes.iter().for_each(|lane| lane.forget());
        self.pages.forget();
        self.writes.forget();
        self.streams.forget();
    }
}

impl Worker for Handle {
    async fn by_key(
        &self,
        (request, caller): (Request, &Caller<'_>),
        read: &Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> Result<Answer> {
        let batcher = self.batcher(caller.identity, read);
        batcher.read(request, key).await
    }

    async fn page(
        &self,
        (request, caller): (Request, &Caller<'_>),
        read: &Arc<PageRead>,
    ) -> Result<(Answer, Option<RowCount>)> {
        match request.deadline.last() {
            None => self.read_page(request, caller.identity, read).await,
            Some(last) => {
                let page = self.read_page(request, caller.identity, read);
                Box::pin(limited::until(last, page)).await
            }
        }
    }

    fn total(
        &self,
        request: Request,
        read: &Arc<PageRead>,
    ) -> impl Future<Output = Result<Option<RowCount>>> {
        // Not an `async fn`, which would have room for its arguments twice.
        self.count(request, read)
    }

    async fn explain(&self, request: Request, read: &Arc<PlanRead>) -> Result<ExplainedPlan> {
        Box::pin(pages::explained(&self.pages, request, read)).await
    }

    async fn write(
        &self,
        (request, caller): (Request, &Caller<'_>),
        work: Arc<AnyWrite>,
    ) -> Result<()> {
        let whose = (caller.identity, caller.commit);
        match request.deadline.last() {
            None => self.write_as(request, whose, &*work).await,
            Some(last) => {
                let work = LimitedWrite::new(work);
                let written = self.write_as(request, whose, &work);
                Box::pin(limited::until_committing(last, &work, written)).await
            }
        }
    }

    async fn insert(
        &self,
        (request, caller): (Request, &Caller<'_>),
        insert: &Arc<InsertBatch>,
        row: Vec<Value>,
    ) -> Result<Answer> {
        let inserter = self.inserter(caller.identity, caller.commit, insert);
        inserter.insert(request, row, caller.times.cloned()).await
    }

    async fn stream(
        &self,
        (request, caller): (Request, &Caller<'_>),
        read: PageRead,
    ) -> Result<(Box<dyn Chunks>, Duration)> {
        let opened = self.open_stream(request, caller.identity, read);
        let (rows, timeout) = match request.deadline.last() {
            None => opened.await?,
            Some(last) => Box::pin(limited::until(last, opened)).await?,
        };
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
