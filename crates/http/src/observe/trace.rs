//! The facts of a request as it is processed: the durations of its stages, and whom and what it is
//! about.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_auth::Principal;
use duet_service::{
    Mark, Reading, Resource, RoutineResource, ServiceResource, SlowestStatement, Snapshot, Tenant,
    WriteTimes,
};
use futures_util::FutureExt;

use super::event::{ServedKind, ServedResource};
use super::stage::{Stage, Stages};

/// The record of a request.
#[derive(Debug)]
pub(crate) struct Trace {
    begun: Instant,
    /// When the last stage ended.
    last: Cell<Instant>,
    stages: Cell<Stages>,
    principal: OnceCell<Arc<Principal>>,
    application: Cell<Option<usize>>,
    tenant: OnceCell<Arc<Tenant>>,
    resource: RefCell<Option<TracedResource>>,
    feature: Cell<&'static str>,
    is_load: Cell<bool>,
    slowest: SlowestStatement,
    times: Option<Arc<WriteTimes>>,
    /// Of requests for applications with standbys alone.
    reading: OnceCell<Box<Reading>>,
}

/// The resource that a request is about.
#[derive(Clone, Debug)]
pub(crate) struct TracedResource {
    pub(crate) snapshot: Arc<Snapshot>,
    /// The mount's place in the snapshot.
    pub(crate) mount: usize,
    pub(crate) resource: CalledResource,
}

/// A resource of any kind.
#[derive(Clone, Debug)]
pub(crate) enum CalledResource {
    Rows(Arc<Resource>),
    Service(Arc<ServiceResource>),
    Routine(Arc<RoutineResource>),
}

impl Trace {
    /// The record of a request that arrives now, and is slow if it takes this long. `timing`: whether
    /// the times of its write are reported.
    pub(crate) fn begin(slow: Duration, timing: bool) -> Self {
        let begun = Instant::now();
        Self {
            begun,
            last: Cell::new(begun),
            stages: Cell::default(),
            principal: OnceCell::new(),
            application: Cell::default(),
            tenant: OnceCell::new(),
            resource: RefCell::default(),
            feature: Cell::default(),
            is_load: Cell::default(),
            slowest: SlowestStatement::new(slow),
            times: timing.then(|| Arc::new(WriteTimes::new(begun))),
            reading: OnceCell::new(),
        }
    }

    /// Passes a stage, and records how long that took. Time between two stages counts for the later.
    pub(crate) fn timed<T>(&self, stage: Stage, pass: impl FnOnce() -> T) -> T {
        let passed = pass();
        self.ended(stage);
        passed
    }

    /// The same of a stage that waits. Mapped, not awaited: a future that awaits its argument holds it
    /// twice, and each request moves it.
    pub(crate) fn timed_async<T>(
        &self,
        stage: Stage,
        pass: impl Future<Output = T>,
    ) -> impl Future<Output = T> {
        pass.map(move |passed| {
            self.ended(stage);
            passed
        })
    }

    fn ended(&self, stage: Stage) {
        let now = Instant::now();
        let took = now - self.last.replace(now);
        self.change(|stages| stages.add(stage, took));
    }

    /// The rows of the answer had arrived at this moment.
    pub(crate) fn fetched(&self, at: Instant) {
        let took = at.saturating_duration_since(self.last.get());
        self.change(|stages| stages.add_store(took));
        if let Some(times) = &self.times {
            times.mark_at(Mark::Planned, self.last.get());
            times.mark_at(Mark::Answered, at);
        }
    }

    fn change(&self, change: impl FnOnce(&mut Stages)) {
        let mut stages = self.stages.get();
        change(&mut stages);
        self.stages.set(stages);
    }

    /// When the request's head had arrived.
    pub(crate) fn begun(&self) -> Instant {
        self.begun
    }

    /// When the last stage ended.
    pub(crate) fn last(&self) -> Instant {
        self.last.get()
    }

    pub(crate) fn stages(&self) -> Stages {
        self.stages.get()
    }

    /// The caller is known.
    pub(crate) fn is_by(&self, principal: &Arc<Principal>) {
        self.principal.get_or_init(|| Arc::clone(principal));
    }

    /// The client's id and name; empty for anonymous callers.
    pub(crate) fn client(&self) -> (&str, &str) {
        let Some(who) = self.principal.get() else { return ("", "") };
        let name = if who.is_anonymous() { "" } else { who.name() };
        (who.client_id().unwrap_or(""), name)
    }

    /// The path belongs to an application, or to none.
    pub(crate) fn is_of(&self, application: Option<usize>) {
        self.application.set(application);
    }

    /// The number of the application that the path belongs to.
    pub(crate) fn application(&self) -> Option<usize> {
        self.application.get()
    }

    /// The request is for a tenant.
    pub(crate) fn is_for(&self, tenant: &Arc<Tenant>) {
        self.tenant.get_or_init(|| Arc::clone(tenant));
    }

    /// The tenant that the request is for.
    pub(crate) fn tenant(&self) -> Option<&Arc<Tenant>> {
        self.tenant.get()
    }

    /// The path names a resource, or none.
    pub(crate) fn is_about(&self, resource: Option<TracedResource>) {
        *self.resource.borrow_mut() = resource;
    }

    pub(crate) fn resource(&self) -> std::cell::Ref<'_, Option<TracedResource>> {
        self.resource.borrow()
    }

    /// It takes the feature of this name.
    pub(crate) fn takes(&self, feature: &'static str) {
        self.feature.set(feature);
    }

    /// The name of the feature that it takes; empty before it is planned.
    pub(crate) fn feature(&self) -> &'static str {
        self.feature.get()
    }

    /// A bulk load, whose duration depends on its client.
    pub(crate) fn is_a_load(&self) {
        self.is_load.set(true);
    }

    pub(crate) fn is_load(&self) -> bool {
        self.is_load.get()
    }

    /// The moments of its write, where they are reported.
    pub(crate) fn times(&self) -> Option<&Arc<WriteTimes>> {
        self.times.as_ref()
    }

    /// Which server its reads go to, and what it has written.
    pub(crate) fn reading(&self) -> Option<&Reading> {
        self.reading.get().map(|reading| &**reading)
    }

    /// The same of a request that standbys may answer.
    pub(crate) fn begin_reading(&self) -> &Reading {
        self.reading.get_or_init(Box::default)
    }

    /// The statement that took longest.
    pub(crate) fn slowest(&self) -> &SlowestStatement {
        &self.slowest
    }
}

impl TracedResource {
    /// What events say of it, with the number of its application.
    pub(crate) fn served(&self, application: usize) -> ServedResource<'_> {
        let (name, of) = match &self.resource {
            CalledResource::Rows(rows) => (&rows.name, ServedKind::Rows(rows.index)),
            CalledResource::Service(service) => {
                (&service.file.name, ServedKind::Service(&service.file.path))
            }
            CalledResource::Routine(routine) => (&routine.name, ServedKind::Routine),
        };
        let mount = &self.snapshot.mounts[self.mount].path;
        ServedResource { mount, name, application, generation: self.snapshot.generation, of }
    }
}
