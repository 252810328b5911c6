//! Pages that differ in their values alone, many of them in one statement.
//!
//! A statement for each page costs the server more than a small page itself: what begins and ends it, and two
//! changes of processes. Where the planner says that a page is cheap whatever its values are, requests that arrive
//! while one is read share the next statement. Other pages have a connection each: they run side by side, and are
//! planned for their values.
//!
//! The values are joined to the statement as a table, so it is planned without them. The cost is
//! requested again after a minute. What the planner says does not count how long values are: where pages take long
//! nevertheless, those of their kind have a connection each until then, because reads by key wait behind what is shared.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_admission::{Class, Client, Metrics};
use duet_auth::Identity;
use duet_document::{Codec, RowSet};
use duet_model::{Expr, Result, Root, Value};
use duet_sql::{Parameter, Statement, shared_page_statement};
use duet_store::memory::row_limit::RowLimit;
use duet_store::queues::admit::request;
use duet_store::read::{CountOf, PageRead};
use foldhash::fast::RandomState;
use futures_util::future::join;
use futures_util::pin_mut;

use crate::connection::bind::{self, Bound};
use crate::connection::in_time::in_time;
use crate::connection::live::Live;
use crate::connection::role::Beginning;
use crate::connection::run::{self, BEGIN};
use crate::connection::stop::Stop;
use crate::pool::Pool;
use crate::pool::lane::Lane;
use crate::read::batch::{BatchConnections, Batcher, Shared};
use crate::read::pages::first_number;

/// What a page may cost, in the planner's units, where it is read together with others: some lookups by index.
const COST: f64 = 64.0;
/// How many pages of a kind are read before its cost is estimated.
const RUNS: u32 = 8;
/// A statement of shared pages that takes so long is the last of its kind: other reads wait behind it.
const LONG: Duration = Duration::from_millis(25);
/// How long the planner's answer counts: tables grow.
const VALID: Duration = Duration::from_secs(60);
/// How many pages that imply their totals are remembered.
const MOST_IMPLIED: i8 = 16;
/// The most pages in one statement.
const PAGES: usize = 64;
/// How many kinds of pages a worker knows; beyond it all are forgotten once.
const KINDS: usize = 500;

/// The pages of many requests.
pub(crate) struct SharedPage {
    statement: Statement,
    codecs: Arc<[Vec<Codec>]>,
    /// Whether a statement took long.
    was_long: Cell<bool>,
}

impl Shared for SharedPage {
    type Reply = RowSet;

    async fn fetch(
        &self,
        live: &Live,
        _: Option<&Arc<Identity>>,
        keys: &[&[Value]],
        limit: &RowLimit,
    ) -> Result<Vec<RowSet>, Stop> {
        let codecs = &self.codecs[0];
        let prepared = live.prepared(&self.statement.sql, 1, codecs).await?;
        let parameters = bind::rows(&self.statement, &keys.iter().copied());
        let _timing = Timing { began: Instant::now(), was_long: &self.was_long };
        if live.local().is_some() {
            let beginning = Beginning::ready(live, BEGIN, None).await?;
            let rows = self.rows(live, &prepared, parameters, keys, limit);
            let rest = run::unless_over(rows, live.client.batch_execute("COMMIT"));
            let (begun, rest) = join(beginning.begin(&live.client), rest).await;
            begun?;
            let (pages, committed) = rest?;
            let pages = pages?;
            committed?;
            return Ok(pages);
        }
        self.rows(live, &prepared, parameters, keys, limit).await
    }
}

impl SharedPage {
    /// The rows of each page.
    async fn rows(
        &self,
        live: &Live,
        prepared: &tokio_postgres::Statement,
        parameters: Vec<Bound>,
        keys: &[&[Value]],
        limit: &RowLimit,
    ) -> Result<Vec<RowSet>, Stop> {
        let codecs = &self.codecs[0];
        let rows = live.client.query_raw(prepared, parameters).await?;
        pin_mut!(rows);
        let empty = || RowSet::with_capacity(codecs.len(), 1);
        let mut pages: Vec<RowSet> = keys.iter().map(|_| empty()).collect();
        while let Some(row) = run::next(&mut rows, limit).await? {
            let number: i64 = row.try_get(0)?;
            let page = usize::try_from(number - 1).ok().and_then(|at| pages.get_mut(at));
            if let Some(page) = page {
                run::push_from(&row, 1, codecs, limit, page)?;
            }
        }
        Ok(pages)
    }
}

/// A statement of shared pages that runs, until dropped.
struct Timing<'a> {
    began: Instant,
    was_long: &'a Cell<bool>,
}

impl Drop for Timing<'_> {
    fn drop(&mut self) {
        if self.began.elapsed() >= LONG {
            self.was_long.set(true);
        }
    }
}

/// How the pages of a kind are read.
#[derive(Clone, Default)]
enum Verdict {
    /// Each by a statement of its own.
    #[default]
    Alone,
    /// Together, by this queue.
    Shared(Rc<Batcher<SharedPage>>),
}

/// What distinguishes a kind of pages: their statement and limit.
type KindId = (Arc<str>, u64);

/// Pages with the same statement and limit.
#[derive(Default)]
pub(crate) struct PageKind {
    runs: Cell<u32>,
    /// When the planner estimated the cost.
    asked_at: Cell<Option<Instant>>,
    /// Above how many pages that needed a count those were since then that were the last and implied their total;
    /// below 0, pages with exact totals are not shared.
    implied: Cell<i8>,
    verdict: RefCell<Verdict>,
}

/// The queue of a page, and its values there.
pub(crate) struct SharedQueue {
    pub(crate) queue: Rc<Batcher<SharedPage>>,
    pub(crate) values: Vec<Value>,
    pub(crate) kind: Rc<PageKind>,
}

/// The kinds of pages that a worker knows.
#[derive(Default)]
pub(crate) struct SharedPages {
    kinds: RefCell<HashMap<KindId, Rc<PageKind>, RandomState>>,
}

impl std::fmt::Debug for SharedPages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedPages").field("kinds", &self.kinds.borrow().len()).finish()
    }
}

impl SharedPages {
    /// Forgets all, after the schema has changed.
    pub(crate) fn forget(&self) {
        self.kinds.borrow_mut().clear();
    }

    /// The queue of a page, if it is read together with others. A page with an exact total is, as long as most
    /// pages of its kind are the last and imply their total: others have to be read again with their count.
    pub(crate) fn queue(
        &self,
        read: &PageRead,
        lanes: &Rc<[Rc<Lane>]>,
        pool: &Rc<Pool>,
        metrics: &Arc<Metrics>,
    ) -> Option<SharedQueue> {
        let Root::Page(page) = &read.plan.root else { return None };
        if read.statements.len() != 1 || page.offset > 0 {
            return None;
        }
        let kind = self.kind(&read.statements[0].sql, page.limit);
        kind.runs.set(kind.runs.get().saturating_add(1));
        let is_due = kind.asked_at.get().is_none_or(|asked_at| asked_at.elapsed() > VALID);
        if is_due && kind.runs.get() > RUNS {
            kind.asked_at.set(Some(Instant::now()));
            kind.implied.set(0);
            let request = CostRequest::of(read, pool)?;
            let (lanes, metrics) = (Rc::clone(lanes), Arc::clone(metrics));
            tokio::task::spawn_local(async move { kind.estimate(request, &lanes, &metrics).await });
            return None;
        }
        let verdict = kind.verdict.borrow().clone();
        match verdict {
            Verdict::Shared(queue) if queue.shared().was_long.get() => {
                kind.verdict.replace(Verdict::Alone);
                kind.asked_at.set(Some(Instant::now()));
                None
            }
            Verdict::Shared(queue) if read.count != CountOf::All || kind.implied.get() >= 0 => {
                let values = values(read, queue.shared());
                Some(SharedQueue { queue, values, kind })
            }
            _ => None,
        }
    }

    fn kind(&self, sql: &Arc<str>, limit: u64) -> Rc<PageKind> {
        let mut kinds = self.kinds.borrow_mut();
        let key = (Arc::clone(sql), limit);
        if kinds.len() >= KINDS && !kinds.contains_key(&key) {
            kinds.clear();
        }
        Rc::clone(kinds.entry(key).or_default())
    }
}

/// The values of a page that the statement of many takes: those before its limit, which may be bound behind them.
fn values(read: &PageRead, shared: &SharedPage) -> Vec<Value> {
    let parameters = &read.statements[0].parameters;
    let value = |parameter: &Parameter| match parameter {
        Parameter::Value { value, .. } => value.clone(),
        Parameter::Key { .. } => Value::Null,
    };
    parameters.iter().take(shared.statement.parameters.len()).map(value).collect()
}

/// The request for the cost of a kind of pages.
struct CostRequest {
    shared: SharedPage,
    /// The values of one request.
    values: Vec<Value>,
    pool: Rc<Pool>,
}

impl CostRequest {
    /// `None` for pages that cannot be shared.
    fn of(read: &PageRead, pool: &Rc<Pool>) -> Option<Self> {
        let Root::Page(page) = &read.plan.root else { return None };
        let terms = page.order.iter().map(|term| &term.value);
        // What the planner says of a row does not count how long its values are.
        if std::iter::once(&page.filter).chain(terms).any(Expr::matches_patterns) {
            return None;
        }
        let statement = shared_page_statement(pool.database().dialect(), &read.plan)?;
        let shared =
            SharedPage { statement, codecs: Arc::clone(&read.codecs), was_long: Cell::default() };
        let values = values(read, &shared);
        Some(Self { shared, values, pool: Rc::clone(pool) })
    }

    /// What the planner says one page costs.
    async fn cost(&self) -> Result<Option<f64>> {
        let database = self.pool.database();
        let request = request(Client::default(), database.limits());
        let mut loan = self.pool.lend(request, Class::Normal).await?;
        let live = loan.lane.live().await?;
        loan.runs(&live);
        let sql = format!("EXPLAIN (FORMAT JSON) {}", self.shared.statement.sql);
        let statement = Statement { sql: sql.into(), ..self.shared.statement.clone() };
        let parameters = bind::rows(&statement, &std::iter::once(&*self.values));
        let cost = first_number(&live, &statement, parameters, "Total Cost", database.rows());
        let time = database.limits().statement_timeout;
        let cost = database.watched(Box::pin(in_time(request.deadline, time, cost))).await??;
        loan.done();
        cost.map_err(Stop::error)
    }
}

impl PageKind {
    /// Notes whether a page that needs an exact total implied it.
    pub(crate) fn note(&self, implied: bool) {
        let by = if implied { 1 } else { -2 };
        self.implied.set(self.implied.get().saturating_add(by).min(MOST_IMPLIED));
    }

    async fn estimate(&self, request: CostRequest, lanes: &Rc<[Rc<Lane>]>, metrics: &Arc<Metrics>) {
        // Where the planner does not answer, pages are read one by one.
        let cost = request.cost().await.ok().flatten();
        let is_cheap = cost.is_some_and(|cost| cost <= COST);
        let mut verdict = self.verdict.borrow_mut();
        match (&*verdict, is_cheap) {
            (Verdict::Shared(_), true) => {}
            (_, true) => {
                let CostRequest { shared, pool, .. } = request;
                let connections = BatchConnections { lanes, pool: &pool };
                let queue = Batcher::new(shared, None, connections, metrics, PAGES);
                *verdict = Verdict::Shared(Rc::new(queue));
            }
            (_, false) => *verdict = Verdict::Alone,
        }
    }
}
