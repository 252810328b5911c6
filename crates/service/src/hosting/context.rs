//! Who acts: a worker's hold on the service, and a request's on the worker, with the rights of its caller.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_auth::Identity;
use duet_model::Result;
use duet_model::commit_class::CommitClass;
use duet_store::{Client, Handle, Reading, RequestClass, SlowestStatement, WriteTimes};

use super::request_frame::RequestFrame;
use super::service::Service;
use crate::build::snapshot::Snapshot;
use crate::resources::resource::Resource;

/// A worker's hold on the service; stays on its thread.
#[derive(Debug)]
pub struct WorkerHandle {
    service: Arc<Service>,
    /// Shared by tenants of one PostgreSQL database.
    handle: Rc<Handle>,
    generation: Cell<u64>,
}

impl Service {
    /// Attaches the calling thread, which runs a local task set.
    ///
    /// # Errors
    /// Where a SQLite file cannot be opened.
    pub fn attach(self: &Arc<Self>) -> Result<WorkerHandle> {
        Ok(WorkerHandle::new(Arc::clone(self), self.store().attach()?))
    }
}

impl WorkerHandle {
    /// Reads what the first request would otherwise wait for.
    pub(crate) fn learn_schema(&self) -> Result<()> {
        self.handle.learn_schema()
    }

    pub(crate) fn new(service: Arc<Service>, handle: Handle) -> Self {
        Self { service, handle: Rc::new(handle), generation: Cell::new(0) }
    }

    /// The hold on a tenant's service: by the same connections, where it is in the same database.
    ///
    /// # Errors
    /// Where a SQLite file cannot be opened.
    pub fn of_tenant(&self, service: &Arc<Service>) -> Result<Self> {
        if !service.store().is_same(self.service.store()) {
            return service.attach();
        }
        // What others have prepared stays.
        let generation = Cell::new(service.snapshot().generation);
        Ok(Self { service: Arc::clone(service), handle: Rc::clone(&self.handle), generation })
    }

    /// The service.
    pub fn service(&self) -> &Arc<Service> {
        &self.service
    }

    /// The same hold, for a task of this thread that outlives a request.
    pub(crate) fn again(&self) -> Self {
        let (service, handle) = (Arc::clone(&self.service), Rc::clone(&self.handle));
        Self { service, handle, generation: self.generation.clone() }
    }

    /// Acts under an identity of the database; without one, as Duet's own user. There is no other
    /// way to rows, so nothing can forget whom it serves.
    pub fn acting<'a>(&'a self, identity: Option<&'a Arc<Identity>>) -> RequestContext<'a> {
        RequestContext {
            worker: self,
            identity,
            client: Client::default(),
            arrived: None,
            limit: None,
            class: RequestClass::default(),
            slowest: None,
            times: None,
            user: None,
            commit: CommitClass::default(),
            reading: None,
            frame: None,
        }
    }

    /// The snapshot to serve a request from; taken once per request and kept to its end.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let snapshot = self.service.snapshot();
        if self.generation.replace(snapshot.generation) != snapshot.generation {
            self.handle.forget();
        }
        snapshot
    }
}

/// A worker for one caller: all reads and writes are limited to the identity's rights.
#[derive(Clone, Copy, Debug)]
pub struct RequestContext<'a> {
    worker: &'a WorkerHandle,
    identity: Option<&'a Arc<Identity>>,
    client: Client,
    arrived: Option<Instant>,
    limit: Option<Duration>,
    class: RequestClass,
    slowest: Option<&'a SlowestStatement>,
    times: Option<&'a Arc<WriteTimes>>,
    user: Option<&'a str>,
    commit: CommitClass,
    reading: Option<&'a Reading>,
    frame: Option<&'a Arc<RequestFrame>>,
}

impl<'a> RequestContext<'a> {
    /// The same on behalf of a client, with which others share the database fairly.
    #[must_use]
    pub fn for_client(self, client: Client) -> Self {
        Self { client, ..self }
    }

    /// The same for this user, whom documents of collections with `metadata` name as their author.
    #[must_use]
    pub fn for_user(self, user: Option<&'a str>) -> Self {
        Self { user, ..self }
    }

    /// The same for a request that arrived at this moment, from which its deadline counts; else it
    /// counts from when the store is reached, separately for each use.
    #[must_use]
    pub fn since(self, arrived: Instant) -> Self {
        Self { arrived: Some(arrived), ..self }
    }

    /// The same for a caller that has set a limit for the whole request; it shortens the server's own
    /// and never extends them.
    #[must_use]
    pub fn limited(self, limit: Option<Duration>) -> Self {
        Self { limit, ..self }
    }

    /// The same for a request of this class.
    #[must_use]
    pub fn in_class(self, class: RequestClass) -> Self {
        Self { class, ..self }
    }

    /// The same, whose slowest statement is noted.
    #[must_use]
    pub fn timed_by(self, slowest: &'a SlowestStatement) -> Self {
        Self { slowest: Some(slowest), ..self }
    }

    /// The same, whose writes note the moments between their steps, where that is wanted.
    #[must_use]
    pub fn marked_in(self, times: Option<&'a Arc<WriteTimes>>) -> Self {
        Self { times, ..self }
    }

    /// The same, whose writes are of this commit class.
    #[must_use]
    pub fn committing(self, commit: CommitClass) -> Self {
        Self { commit, ..self }
    }

    /// The same, whose reads go where this says, and whose writes note their position there.
    #[must_use]
    pub fn reading(self, reading: &'a Reading) -> Self {
        Self { reading: Some(reading), ..self }
    }

    /// The same, whose transactions have these settings, where there are any. They run on the server that takes the
    /// writes.
    #[must_use]
    pub fn framed(self, frame: Option<&'a Arc<RequestFrame>>) -> Self {
        Self { frame, ..self }
    }

    /// The settings of its transactions.
    pub(crate) fn frame(&self) -> Option<&'a Arc<RequestFrame>> {
        self.frame
    }

    /// The same, which reads from the server that takes the writes.
    pub(crate) fn at_primary(self) -> Self {
        Self { reading: None, ..self }
    }

    /// Whether the request has brought a position that what it reads must not be older than.
    pub(crate) fn needs_position(&self) -> bool {
        self.reading.is_some_and(|reading| reading.after().is_some())
    }

    /// When the request arrived, where that was said.
    pub(crate) fn arrived(&self) -> Option<Instant> {
        self.arrived
    }

    /// The service.
    pub fn service(&self) -> &'a Arc<Service> {
        &self.worker.service
    }

    /// The hold on the store.
    pub(crate) fn handle(&self) -> duet_store::RoleHandle<'a> {
        let acting = self.worker.handle.acting(self.identity).for_client(self.client);
        let acting = acting.limited(self.limit).in_class(self.class).committing(self.commit);
        let acting = match self.arrived {
            Some(arrived) => acting.since(arrived),
            None => acting,
        };
        let acting = match self.slowest {
            Some(slowest) => acting.timed_by(slowest),
            None => acting,
        };
        let acting = match self.reading {
            Some(reading) => acting.reading(reading),
            None => acting,
        };
        match self.times {
            Some(times) => acting.marked_in(times),
            None => acting,
        }
    }

    /// The worker's hold, for a task that outlives the request.
    pub(crate) fn worker(&self) -> WorkerHandle {
        self.worker.again()
    }

    /// The dialect of the store.
    pub(crate) fn dialect(&self) -> &'a dyn duet_sql::Dialect {
        self.service().store().dialect()
    }

    /// The role and claims; none where it is Duet's own user who acts.
    pub(crate) fn identity(&self) -> Option<&'a Arc<Identity>> {
        self.identity
    }

    /// The user that a document of this resource names as its author, if it names one.
    pub(crate) fn author(&self, resource: &Resource) -> Option<Arc<str>> {
        let collection = resource.collection.as_ref()?;
        self.user.filter(|_| collection.declaration().metadata).map(Arc::from)
    }
}
