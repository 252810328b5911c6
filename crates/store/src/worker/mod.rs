//! A worker's hold on a store: what a store does for the requests of one worker, and what all stores share around it.
//!
//! Each statement of a request is one virtual call and one boxed future, which holds the store's own: stores differ by
//! type below it, and no future has room for what another store does.

mod computation;
pub mod limited;
pub mod reading;
pub mod role_handle;
pub mod slowest;
pub mod stream;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_admission::{Client, Permit, Request, RequestClass};
use duet_auth::Identity;
use duet_model::commit_class::CommitClass;
use duet_model::{Code, Error, Result, Value};
use futures_util::future::LocalBoxFuture;

use crate::limits::Limits;
use crate::queues::admit;
use crate::queues::classes::Classes;
use crate::read::{Answer, ExplainedPlan, KeyedRead, PageRead, PlanRead, RowCount};
use crate::refusal::{denied_to, role_unusable};
use crate::statistics::Statistics;
use crate::worker::computation::blamed;
use crate::worker::reading::Reading;
use crate::worker::slowest::{SlowestStatement, TimedWrite, Timing};
use crate::worker::stream::{Chunks, Stream};
use crate::write::AnyWrite;
use crate::write::insert::InsertBatch;
use crate::write::write_times::WriteTimes;

/// Who acts through a worker, and how.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// With an identity, whatever is done runs under its role and claims.
    pub identity: Option<&'a Arc<Identity>>,
    /// Whose turn it takes in queues.
    pub client: Client,
    /// When the request arrived, where that was before it reached the store.
    pub arrived: Option<Instant>,
    /// The caller's limit for the whole request.
    pub limit: Option<Duration>,
    /// Its class in front of the store.
    pub class: RequestClass,
    /// Where the statement that takes longest is noted.
    pub slowest: Option<&'a SlowestStatement>,
    /// Where the moments of a write are noted.
    pub times: Option<&'a Arc<WriteTimes>>,
    /// What its commits wait for.
    pub commit: CommitClass,
    /// Which server its reads go to. Without it, the one that takes the writes.
    pub reading: Option<&'a Reading>,
}

impl<'a> Caller<'a> {
    /// One without limits of its own.
    pub fn new(identity: Option<&'a Arc<Identity>>) -> Self {
        Self {
            identity,
            client: Client::default(),
            arrived: None,
            limit: None,
            class: RequestClass::default(),
            slowest: None,
            times: None,
            commit: CommitClass::default(),
            reading: None,
        }
    }

    /// The request, and its deadline.
    pub fn request(&self, limits: &Limits) -> Request {
        let request = match self.arrived {
            Some(at) => admit::arrived(self.client, limits, at),
            None => admit::request(self.client, limits),
        };
        let deadline = match self.limit {
            Some(limit) => request.deadline.limited(limit),
            None => request.deadline,
        };
        Request { deadline, class: self.class, ..request }
    }

    /// Times what follows as one statement, where that is wanted, until the guard is dropped.
    fn timing<F: Fn() -> String>(&self, request: &Request, text: F) -> Option<Timing<'a, F>> {
        // The request has just read the clock.
        self.slowest.map(|slowest| slowest.timing(request.deadline.arrived(), text))
    }

    /// Counts a refusal for want of room, and says whose privileges are missing.
    pub(crate) fn map_and_count_error<T>(
        &self,
        worker: &(impl WorkerParts + ?Sized),
        request: &Request,
        result: Result<T>,
    ) -> Result<T> {
        result.map_err(|error| {
            if error.code == Code::Overloaded {
                worker.statistics().overload();
            }
            worker.note(&error);
            limited::limit_error(request.deadline, denied_to(self.identity.is_some(), error))
        })
    }

    /// Admits a request of its class, until the permit is dropped.
    async fn admitted(&self, worker: &impl WorkerParts, request: &Request) -> Result<Permit> {
        let admitted = worker.classes().enter(*request).await;
        self.map_and_count_error(worker, request, admitted)
    }
}

/// The parts of a store that a worker's requests go through, whatever they do.
pub trait WorkerParts: Debug {
    /// What the store may use, and how long things may take.
    fn limits(&self) -> &Limits;

    /// The classes of requests.
    fn classes(&self) -> &Classes;

    /// What the store has done so far.
    fn statistics(&self) -> &Statistics;

    /// Records what the error of a request shows about the database.
    fn note(&self, _error: &Error) {}

    /// See [`Handle::learn_schema`].
    fn learn_schema(&self) -> Result<()> {
        Ok(())
    }

    /// See [`Handle::forget`].
    fn forget(&self) {}
}

/// What a store does for the requests of one worker; it stays on its thread. Requests are admitted, timed and counted
/// already. A store without roles refuses callers with an identity: see [`without_roles`].
///
/// The futures are the store's own types, boxed once by [`Handle`].
pub trait Worker: WorkerParts + 'static {
    /// See [`RoleHandle::by_key`](crate::RoleHandle::by_key).
    fn by_key(
        &self,
        request: Request,
        caller: &Caller<'_>,
        read: &Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> impl Future<Output = Result<Answer>>;

    /// See [`RoleHandle::page`](crate::RoleHandle::page).
    fn page(
        &self,
        request: Request,
        caller: &Caller<'_>,
        read: &Arc<PageRead>,
    ) -> impl Future<Output = Result<(Answer, Option<RowCount>)>>;

    /// See [`RoleHandle::total`](crate::RoleHandle::total).
    fn total(
        &self,
        request: Request,
        caller: &Caller<'_>,
        read: &Arc<PageRead>,
    ) -> impl Future<Output = Result<Option<RowCount>>>;

    /// See [`RoleHandle::explain`](crate::RoleHandle::explain).
    fn explain(
        &self,
        request: Request,
        read: &Arc<PlanRead>,
    ) -> impl Future<Output = Result<ExplainedPlan>>;

    /// See [`RoleHandle::write`](crate::RoleHandle::write).
    fn write(
        &self,
        request: Request,
        caller: &Caller<'_>,
        work: Arc<AnyWrite>,
    ) -> impl Future<Output = Result<()>>;

    /// See [`RoleHandle::insert`](crate::RoleHandle::insert).
    fn insert(
        &self,
        request: Request,
        caller: &Caller<'_>,
        insert: &Arc<InsertBatch>,
        row: Vec<Value>,
    ) -> impl Future<Output = Result<Answer>>;

    /// See [`RoleHandle::stream`](crate::RoleHandle::stream). Also how long the stream may take.
    fn stream(
        &self,
        request: Request,
        caller: &Caller<'_>,
        read: PageRead,
    ) -> impl Future<Output = Result<(Box<dyn Chunks>, Duration)>>;
}

/// A worker of any store: each of its calls is that of [`Worker`] with what all stores share around it.
pub(crate) trait AnyWorker: WorkerParts {
    fn by_key<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        read: &'s Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> LocalBoxFuture<'s, Result<Answer>>;

    fn page<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        read: &'s Arc<PageRead>,
    ) -> LocalBoxFuture<'s, Result<(Answer, Option<RowCount>)>>;

    fn total<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        read: &'s Arc<PageRead>,
    ) -> LocalBoxFuture<'s, Result<Option<RowCount>>>;

    fn explain<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        read: &'s Arc<PlanRead>,
    ) -> LocalBoxFuture<'s, Result<ExplainedPlan>>;

    fn write<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        work: Arc<AnyWrite>,
    ) -> LocalBoxFuture<'s, Result<()>>;

    fn insert<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        insert: &'s Arc<InsertBatch>,
        row: Vec<Value>,
    ) -> LocalBoxFuture<'s, Result<Answer>>;

    fn stream<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        read: PageRead,
    ) -> LocalBoxFuture<'s, Result<Stream>>;
}

impl<W: Worker> AnyWorker for W {
    fn by_key<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        read: &'s Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> LocalBoxFuture<'s, Result<Answer>> {
        Box::pin(async move {
            let request = caller.request(self.limits());
            let _timing = caller.timing(&request, || read.text());
            let _admitted = caller.admitted(self, &request).await?;
            let answer = Worker::by_key(self, request, caller, read, key).await;
            let answer = answer.map_err(|error| blamed(error, &read.plan));
            caller.map_and_count_error(self, &request, answer)
        })
    }

    fn page<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        read: &'s Arc<PageRead>,
    ) -> LocalBoxFuture<'s, Result<(Answer, Option<RowCount>)>> {
        Box::pin(async move {
            self.statistics().page();
            let request = caller.request(self.limits());
            let _timing = caller.timing(&request, || read.text());
            let _admitted = caller.admitted(self, &request).await?;
            let answer = Worker::page(self, request, caller, read).await;
            let answer = answer.map_err(|error| blamed(error, &read.plan));
            caller.map_and_count_error(self, &request, answer)
        })
    }

    fn total<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        read: &'s Arc<PageRead>,
    ) -> LocalBoxFuture<'s, Result<Option<RowCount>>> {
        Box::pin(async move {
            let request = caller.request(self.limits());
            let _timing = caller.timing(&request, || read.text());
            let _admitted = caller.admitted(self, &request).await?;
            let total = Worker::total(self, request, caller, read).await;
            let total = total.map_err(|error| blamed(error, &read.plan));
            caller.map_and_count_error(self, &request, total)
        })
    }

    fn explain<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        read: &'s Arc<PlanRead>,
    ) -> LocalBoxFuture<'s, Result<ExplainedPlan>> {
        Box::pin(async move {
            let request = caller.request(self.limits());
            let _timing = caller.timing(&request, || read.statement.sql.to_string());
            let _admitted = caller.admitted(self, &request).await?;
            let explained = Worker::explain(self, request, read).await;
            caller.map_and_count_error(self, &request, explained)
        })
    }

    fn write<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        work: Arc<AnyWrite>,
    ) -> LocalBoxFuture<'s, Result<()>> {
        Box::pin(async move {
            let Some(slowest) = caller.slowest else { return write(self, caller, work).await };
            let timed = Arc::new(TimedWrite::new(work, slowest, caller.times.cloned()));
            let written = write(self, caller, Arc::<TimedWrite>::clone(&timed)).await;
            timed.report(slowest);
            written
        })
    }

    fn insert<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        insert: &'s Arc<InsertBatch>,
        row: Vec<Value>,
    ) -> LocalBoxFuture<'s, Result<Answer>> {
        Box::pin(async move {
            let request = caller.request(self.limits());
            let _timing = caller.timing(&request, || insert.statement.sql.to_string());
            let _admitted = caller.admitted(self, &request).await?;
            let inserted = Worker::insert(self, request, caller, insert, row).await;
            caller.map_and_count_error(self, &request, inserted)
        })
    }

    fn stream<'s>(
        &'s self,
        caller: &'s Caller<'_>,
        read: PageRead,
    ) -> LocalBoxFuture<'s, Result<Stream>> {
        Box::pin(async move {
            self.statistics().stream();
            let text = caller.slowest.map(|_| read.text()).unwrap_or_default();
            let request = caller.request(self.limits());
            let _timing = caller.timing(&request, || text.clone());
            let admitted = caller.admitted(self, &request).await?;
            let plan = read.plan.clone();
            let opened = Worker::stream(self, request, caller, read).await;
            let opened = opened.map_err(|error| blamed(error, &plan));
            let has_role = caller.identity.is_some();
            let (rows, timeout) = caller.map_and_count_error(self, &request, opened)?;
            let stream = Stream::new(rows, plan, timeout, has_role, admitted);
            Ok(stream.limited(request.deadline.last()))
        })
    }
}

async fn write(worker: &impl Worker, caller: &Caller<'_>, work: Arc<AnyWrite>) -> Result<()> {
    let mut request = caller.request(worker.limits());
    if work.is_large() {
        request.class = RequestClass::Batch;
    }
    let _admitted = caller.admitted(worker, &request).await?;
    let written = worker.write(request, caller, work).await;
    caller.map_and_count_error(worker, &request, written)
}

/// A worker's hold on a store.
#[derive(Debug)]
pub struct Handle(Box<dyn AnyWorker>);

impl Handle {
    /// Of a store's worker.
    pub fn new(worker: impl Worker) -> Self {
        Self(Box::new(worker))
    }

    pub(crate) fn worker(&self) -> &dyn AnyWorker {
        &*self.0
    }

    /// Reads the schema now where the first request would otherwise wait for it: SQLite reads all of it on each
    /// connection.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn learn_schema(&self) -> Result<()> {
        self.0.learn_schema()
    }

    /// Forgets what belongs to reads of an older snapshot of the catalog.
    pub fn forget(&self) {
        self.0.forget();
    }
}

/// A store without roles, here the one of this name, refuses callers that have one.
///
/// # Errors
/// [`Code::RoleUnusable`] where there is an identity.
pub fn without_roles(store: &str, identity: Option<&Arc<Identity>>) -> Result<()> {
    let Some(identity) = identity else { return Ok(()) };
    let role = identity.role();
    Err(role_unusable().cause(format!(
        "the role is {role}, and {store} has no roles: remove it from the client or the settings"
    )))
}
