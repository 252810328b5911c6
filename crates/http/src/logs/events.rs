//! Where events go. Every event is emitted here, and everything that is logged or counted of
//! requests and connections is logged or counted because of one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::access::{AccessLog, LostLines};
use super::operator;
use super::slow::SlowLog;
use crate::observe::event::{Event, Observer, ServedKind, ServedResource};
use crate::observe::metrics::{ResourceMetrics, WorkerMetrics};
use crate::options::ServeOptions;

/// Takes the events of the process: for the operator's log, and the observer if there is one.
#[derive(Clone, Debug)]
pub(crate) struct ProcessEvents(Option<Arc<dyn Observer>>);

impl ProcessEvents {
    pub(crate) fn new(options: &ServeOptions) -> Self {
        Self(options.observer.clone())
    }

    /// Something has happened.
    pub(crate) fn emit(&self, event: &Event<'_>) {
        operator::observe(event);
        if let Some(observer) = &self.0 {
            observer.observe(event);
        }
    }
}

/// Takes the events of a worker: for the metrics, the access log and the slow log too.
#[derive(Debug)]
pub(crate) struct WorkerEvents {
    metrics: Arc<WorkerMetrics>,
    resources: RefCell<HashMap<(usize, u64), Known, RandomState>>,
    access_log: AccessLog,
    slow_log: SlowLog,
    process: ProcessEvents,
}

/// The metrics of an application's resources in one generation.
#[derive(Debug, Default)]
struct Known {
    /// By their index.
    rows: Vec<Option<Arc<ResourceMetrics>>>,
    services: ByName,
    routines: ByName,
}

type ByName = HashMap<String, Arc<ResourceMetrics>, RandomState>;

/// How many generations are kept, of all applications and their tenants.
const GENERATIONS: usize = 2_000;

impl WorkerEvents {
    pub(crate) fn new(
        options: &ServeOptions,
        metrics: Arc<WorkerMetrics>,
        process: ProcessEvents,
    ) -> Self {
        let access_log = AccessLog::new(options.access_log);
        let slow_log = SlowLog(options.slow);
        Self { metrics, resources: RefCell::default(), access_log, slow_log, process }
    }

    /// Something has happened.
    pub(crate) fn emit(&self, event: &Event<'_>) {
        self.take(event);
        self.tell_of(self.access_log.observe(event).as_ref());
    }

    fn take(&self, event: &Event<'_>) {
        self.metrics.observe(event, |resource, name| self.of_resource(resource, name));
        self.slow_log.observe(event);
        self.process.emit(event);
    }

    fn tell_of(&self, lost: Option<&LostLines>) {
        if let Some(LostLines { lines, cause, is_first }) = lost {
            self.take(&Event::AccessLogLost { lines: *lines, cause, is_first: *is_first });
        }
    }

    /// Whether the worker has an access log.
    pub(crate) fn has_access_log(&self) -> bool {
        self.access_log.is_on()
    }

    /// Writes the lines of the access log that wait.
    pub(crate) fn flush_access_log(&self) {
        self.tell_of(self.access_log.flush().as_ref());
    }

    /// The metrics of a resource, found without its name from the second time on.
    fn of_resource(&self, served: &ServedResource<'_>, application: &str) -> Arc<ResourceMetrics> {
        let mut applications = self.resources.borrow_mut();
        let key = (served.application, served.generation);
        if applications.len() >= GENERATIONS && !applications.contains_key(&key) {
            applications.clear();
        }
        let Known { rows, services, routines } = applications.entry(key).or_default();
        let made = || self.metrics.resource(application, served.path());
        let by_name = match served.of {
            ServedKind::Rows(index) => {
                if rows.len() <= index {
                    rows.resize(index + 1, None);
                }
                return Arc::clone(rows[index].get_or_insert_with(made));
            }
            ServedKind::Service(_) => services,
            ServedKind::Routine => routines,
        };
        if let Some(found) = by_name.get(served.name) {
            return Arc::clone(found);
        }
        let found = made();
        by_name.insert(served.name.to_owned(), Arc::clone(&found));
        found
    }
}
