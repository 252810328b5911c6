//! A worker's connections and queues for the reads of one server: lanes for batched reads by key, a pool for pages and
//! one for streams.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use duet_admission::{Request, RequestClass};
use duet_auth::Identity;
use duet_document::FetchedRows;
use duet_model::{ReadPlan, Result, Value};
use duet_store::queues::admit::{Queues, guarded};
use duet_store::read::{Answer, CountOf, KeyedRead, PageRead, RowCount};
use duet_store::worker::limited;
use foldhash::fast::RandomState;

use crate::connection::in_time::within;
use crate::database::Database;
use crate::pool::Pool;
use crate::pool::lane::Lane;
use crate::read::batch::{BatchConnections, Batcher};
use crate::read::pages;
use crate::read::shared_page::{SharedPages, SharedQueue};
use crate::read::stream::{self, StreamRows};

/// What a lane sets: its statements read by key through indexes, for which one plan is right
/// whatever the keys, and planning each time would cost more than reading.
fn lane_session(database: &Database) -> Rc<str> {
    let plans = database.plans_by_key();
    let session = format!(
        "SET plan_cache_mode = '{plans}'; SET jit = off; SET max_parallel_workers_per_gather = 0"
    );
    Rc::from(session)
}

/// What a connection for pages sets.
const PAGE_SESSION: &str = "SET jit = off";

/// How many queues a worker keeps; beyond it, empty ones are dropped.
pub(crate) const QUEUES: usize = 500;

/// Whose requests share a queue: those of one read or insert by its id, with the same role and
/// claims, or all without.
type Queue = (u64, Option<Arc<Identity>>);

/// The queue of a read by key.
type KeyBatcher = Batcher<Arc<KeyedRead>>;

/// How many connections there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReaderSizes {
    /// Those that carry batches.
    pub(crate) lanes: usize,
    /// For pages.
    pub(crate) pages: usize,
    /// For streams.
    pub(crate) streams: usize,
}

/// What a worker reads from one server with.
#[derive(Debug)]
pub(crate) struct Readers {
    database: Arc<Database>,
    lanes: Rc<[Rc<Lane>]>,
    batchers: RefCell<HashMap<Queue, Rc<KeyBatcher>, RandomState>>,
    shared: SharedPages,
    pub(crate) pages: Rc<Pool>,
    streams: Rc<Pool>,
    queues: Arc<Queues>,
}

/// How many documents a statement reads at most. Where the rows of each are on one machine that its key tells, and of several
/// tables, a statement for one key is passed on as it is; for several keys Citus would collect the rows of each table from all
/// machines, and join them. So it does where the key has several parts, which would be joined as a table.
fn most_together(plan: &ReadPlan) -> usize {
    let is_joined = plan.shape.nodes.len() > 1 || plan.by_ordinal;
    if plan.shape.is_placed_by_key() && is_joined { 1 } else { usize::MAX }
}

impl Readers {
    /// Opens nothing yet. `pages` is a pool that writes share, where there are too few connections for both.
    pub(crate) fn new(
        database: &Arc<Database>,
        sizes: ReaderSizes,
        queues: &Arc<Queues>,
        pages: Option<&Rc<Pool>>,
    ) -> Self {
        let session = lane_session(database);
        let lane = || Rc::new(Lane::new(database, &session));
        let shared = |connections, session: &str, metrics| {
            Rc::new(Pool::shared(database, connections, &Rc::from(session), metrics))
        };
        let own = || shared(sizes.pages, PAGE_SESSION, &queues.page);
        Self {
            database: Arc::clone(database),
            lanes: (0..sizes.lanes).map(|_| lane()).collect(),
            batchers: RefCell::default(),
            shared: SharedPages::default(),
            pages: pages.map_or_else(own, Rc::clone),
            streams: shared(sizes.streams, stream::SESSION, &queues.stream),
            queues: Arc::clone(queues),
        }
    }

    /// The queue of a kind of document.
    pub(crate) fn batcher(
        &self,
        identity: Option<&Arc<Identity>>,
        read: &Arc<KeyedRead>,
    ) -> Rc<KeyBatcher> {
        let queue = (read.id, identity.cloned());
        let mut batchers = self.batchers.borrow_mut();
        // A client that varies `fields` or claims without end would have a queue for
        // each of them.
        if batchers.len() >= QUEUES && !batchers.contains_key(&queue) {
            batchers.retain(|_, batcher| !batcher.is_idle());
        }
        let made = || {
            let connections = BatchConnections { lanes: &self.lanes, pool: &self.pages };
            let most = most_together(&read.plan);
            let (read, metrics) = (Arc::clone(read), &self.queues.read);
            Rc::new(Batcher::new(read, identity, connections, metrics, most))
        };
        Rc::clone(batchers.entry(queue).or_insert_with(made))
    }

    /// Reads a document by its key.
    pub(crate) async fn by_key(
        &self,
        request: Request,
        identity: Option<&Arc<Identity>>,
        read: &Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> Result<Answer> {
        self.batcher(identity, read).read(request, key).await
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
            (None, CountOf::UpTo(_) | CountOf::Estimate) => self.count(request, read).await?,
            (known, count) => {
                if count == CountOf::All {
                    kind.note(true);
                }
                known
            }
        };
        let fetched = FetchedRows::of_root(rows, 0);
        Ok((Answer { fetched: Rc::new(fetched), row: None }, total))
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

    /// Reads a page, until the caller's limit.
    pub(crate) async fn page(
        &self,
        request: Request,
        identity: Option<&Arc<Identity>>,
        read: &PageRead,
    ) -> Result<(Answer, Option<RowCount>)> {
        match request.deadline.last() {
            None => self.read_page(request, identity, read).await,
            Some(last) => {
                Box::pin(limited::until(last, self.read_page(request, identity, read))).await
            }
        }
    }

    /// The total of a page.
    pub(crate) async fn count(
        &self,
        request: Request,
        read: &PageRead,
    ) -> Result<Option<RowCount>> {
        pages::total(&self.pages, request, read).await
    }

    /// Begins a stream, until the caller's limit; how long it may take.
    pub(crate) async fn stream(
        &self,
        request: Request,
        identity: Option<&Arc<Identity>>,
        read: PageRead,
    ) -> Result<(StreamRows, Duration)> {
        let opened = self.open_stream(request, identity, read);
        match request.deadline.last() {
            None => opened.await,
            Some(last) => Box::pin(limited::until(last, opened)).await,
        }
    }

    async fn open_stream(
        &self,
        request: Request,
        identity: Option<&Arc<Identity>>,
        read: PageRead,
    ) -> Result<(StreamRows, Duration)> {
        let limits = self.database.limits();
        let (rows, metrics) = (self.database.rows().clone(), &self.queues.stream);
        let rows = StreamRows::open(&self.streams, request, identity, read, rows, metrics);
        let rows = within(limits.stream_timeout, Box::pin(rows));
        let rows = guarded(&self.queues.stream, async { rows.await? }).await?;
        Ok((rows, limits.stream_timeout))
    }

    /// Drops the queues and prepared statements of an older snapshot.
    pub(crate) fn forget(&self) {
        self.batchers.borrow_mut().clear();
        self.shared.forget();
        self.lanes.iter().for_each(|lane| lane.forget());
        self.pages.forget();
        self.streams.forget();
    }
}
