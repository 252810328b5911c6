//! A worker: what one thread needs to answer requests.

pub(crate) mod ended_sessions;
pub(crate) mod renewals;
pub(crate) mod tenant_jobs;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use duet_auth::oauth::FailedLogins;
use duet_auth::{Peer, RateLimiter};
use duet_model::memory::Budget;
use duet_model::{Code, Error, Result};
use duet_service::{Applications, Service, Tenant, Tenants, WorkerHandle};
use hyper::HeaderMap;

use crate::clients::connection_table::ConnectionTable;
use crate::clients::live_seats::LiveSeats;
use crate::clients::remote::Remote;
use crate::describe::addresses::AddressCache;
use crate::describe::descriptions::Descriptions;
use crate::logs::database_health::DatabaseHealth;
use crate::logs::events::{ProcessEvents, WorkerEvents};
use crate::message::cors::Cors;
use crate::observe::commit_metrics::CommitMetrics;
use crate::observe::event::RequestId;
use crate::observe::latencies::LatencyHistory;
use crate::observe::metrics::{Metric, WorkerMetrics};
use crate::offload::Offload;
use crate::options::ServeOptions;
use crate::sockets::handshakes::Handshakes;
use crate::sockets::shared_accept::Turn;
use crate::sockets::tls::Tls;
use crate::worker::ended_sessions::EndedSessions;
use crate::worker::renewals::Renewals;
use crate::worker::tenant_jobs::TenantJobs;

/// What all workers share.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) applications: Applications,
    pub(crate) options: ServeOptions,
    /// TLS of the TCP listeners, where they speak it.
    pub(crate) tls: Option<Tls>,
    /// The answers to browsers, if origins are allowed.
    pub(crate) cors: Option<Cors>,
    pub(crate) bad_tokens: RateLimiter,
    pub(crate) failed_logins: FailedLogins,
    pub(crate) metrics: Vec<Arc<WorkerMetrics>>,
    /// The open connections.
    pub(crate) connections: Arc<ConnectionTable>,
    /// The TLS handshakes under way.
    pub(crate) handshakes: Handshakes,
    /// Bytes of requests and responses.
    pub(crate) memory: Budget,
    /// The part of it for connections on which no request has authenticated.
    pub(crate) unauthenticated: Budget,
    pub(crate) offload: Offload,
    pub(crate) descriptions: Descriptions,
    /// The state of each application's database.
    pub(crate) databases: Vec<DatabaseHealth>,
    /// The counters of commits of each application, in the same order.
    pub(crate) commits: Vec<Arc<CommitMetrics>>,
    /// How long requests took in the last minutes.
    pub(crate) latencies: LatencyHistory,
    /// The issuer's last answers to sessions of the console.
    pub(crate) renewals: Renewals,
    /// The sessions of the console that were ended.
    pub(crate) ended_sessions: EndedSessions,
    /// What is done for tenants.
    pub(crate) tenant_jobs: TenantJobs,
    /// The subscriptions that are open.
    pub(crate) live: LiveSeats,
    pub(crate) events: ProcessEvents,
    pub(crate) stopping: AtomicBool,
    /// Whether further connections are left to other processes.
    pub(crate) leaving: AtomicBool,
    /// The first half of request ids; distinguishes runs.
    pub(crate) run: u32,
    /// When the process began to serve.
    pub(crate) started: Instant,
}

impl ServerState {
    /// The state made from the options.
    ///
    /// # Errors
    /// `Setting` where they contradict each other.
    pub(crate) fn new(
        applications: Applications,
        options: ServeOptions,
        tls: Option<Tls>,
        run: u32,
    ) -> Result<Self> {
        let limits = &options.limits;
        let memory = options.memory.clone();
        let most = memory.usage().limit / 2;
        let unauthenticated = memory.part(limits.unauthenticated_bytes.min(most));
        let offload = Offload::new(limits.parse_threads, limits.queue_timeout);
        let descriptions = Descriptions::new(&memory);
        let cors = Cors::new(&options.cors).map_err(|why| Error::new(Code::Setting, why))?;
        Ok(Self {
            tls,
            cors,
            connections: Arc::new(ConnectionTable::new(&options)),
            handshakes: Handshakes::new(limits.tls_handshakes),
            bad_tokens: RateLimiter::new(options.bad_tokens),
            failed_logins: FailedLogins::new(options.token_requests),
            metrics: (0..options.workers.max(1)).map(|_| Arc::default()).collect(),
            databases: applications.services().iter().map(|_| DatabaseHealth::default()).collect(),
            commits: applications.services().iter().map(|it| CommitMetrics::of(it)).collect(),
            latencies: LatencyHistory::default(),
            renewals: Renewals::default(),
            ended_sessions: EndedSessions::default(),
            tenant_jobs: TenantJobs::default(),
            live: LiveSeats::default(),
            events: ProcessEvents::new(&options),
            stopping: AtomicBool::new(false),
            leaving: AtomicBool::new(false),
            run,
            started: Instant::now(),
            memory,
            unauthenticated,
            offload,
            descriptions,
            applications,
            options,
        })
    }

    /// What is counted once for the process.
    pub(crate) fn process_metrics(&self) -> [Metric; 11] {
        let memory = self.memory.usage();
        let bytes = |bytes: usize| bytes as u64;
        [
            (
                "duet_memory_limit_bytes",
                "gauge",
                "Bytes of requests and responses that may be held.",
                bytes(memory.limit),
            ),
            (
                "duet_memory_bytes",
                "gauge",
                "Bytes of requests and responses held.",
                bytes(memory.used),
            ),
            (
                "duet_memory_unauthenticated_bytes",
                "gauge",
                "Those of connections on which no request has authenticated.",
                bytes(self.unauthenticated.usage().used),
            ),
            (
                "duet_memory_peak_bytes",
                "gauge",
                "The most of them that were held at a time.",
                bytes(memory.peak),
            ),
            (
                "duet_memory_refused_total",
                "counter",
                "Requests refused because that would have been too many.",
                memory.refused,
            ),
            (
                "duet_offloaded_total",
                "counter",
                "Large bodies read and descriptions written beside the event loops.",
                self.offload.done(),
            ),
            (
                "duet_offload_refused_total",
                "counter",
                "Requests that waited too long for a thread for that.",
                self.offload.refused(),
            ),
            (
                "duet_descriptions_written_total",
                "counter",
                "Descriptions written, and not taken from those kept.",
                self.descriptions.written(),
            ),
            (
                "duet_descriptions_bytes",
                "gauge",
                "Bytes of descriptions that are kept.",
                bytes(self.descriptions.bytes()),
            ),
            (
                "duet_handshakes",
                "gauge",
                "TLS handshakes under way.",
                self.handshakes.under_way() as u64,
            ),
            (
                "duet_handshakes_ended_total",
                "counter",
                "TLS handshakes ended because further ones began.",
                self.handshakes.ended(),
            ),
        ]
    }

    /// Where the memory of a connection's requests is counted: that of clients who have not authenticated is a part.
    pub(crate) fn memory_of(&self, remote: &Remote) -> &Budget {
        if remote.is_authenticated.get() { &self.memory } else { &self.unauthenticated }
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Whether each response closes its connection.
    pub(crate) fn closes_connections(&self) -> bool {
        self.is_stopping() || self.leaving.load(Ordering::Relaxed)
    }

    /// The connections that are open on all workers.
    pub(crate) fn open_connections(&self) -> u64 {
        let open = |worker: &Arc<WorkerMetrics>| {
            let closed = worker.connections_closed.get();
            worker.connections_opened.get().saturating_sub(closed)
        };
        self.metrics.iter().map(open).sum()
    }
}

/// One thread's state.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) shared: Arc<ServerState>,
    /// The hold on each application, by its number.
    pub(crate) readers: Vec<WorkerHandle>,
    /// The hold on each open tenant, by application and the tenant's number.
    tenants: RefCell<HashMap<(usize, usize), Rc<WorkerHandle>>>,
    pub(crate) metrics: Arc<WorkerMetrics>,
    pub(crate) events: Rc<WorkerEvents>,
    /// Connections that are being refused.
    pub(crate) refusing: Cell<usize>,
    /// The addresses of resources, for links.
    pub(crate) addresses: AddressCache,
    number: usize,
    requests: Cell<u64>,
}

impl Worker {
    pub(crate) fn new(
        shared: &Arc<ServerState>,
        number: usize,
        readers: Vec<WorkerHandle>,
    ) -> Self {
        let metrics = Arc::clone(&shared.metrics[number]);
        let events =
            WorkerEvents::new(&shared.options, Arc::clone(&metrics), shared.events.clone());
        Self {
            shared: Arc::clone(shared),
            readers,
            tenants: RefCell::default(),
            metrics,
            events: Rc::new(events),
            refusing: Cell::new(0),
            addresses: AddressCache::default(),
            number,
            requests: Cell::new(0),
        }
    }

    /// The hold on a tenant of an application.
    ///
    /// # Errors
    /// Where a SQLite file cannot be opened.
    pub(crate) fn tenant_reader(
        &self,
        application: usize,
        tenants: &Tenants,
        tenant: &Arc<Tenant>,
    ) -> Result<Rc<WorkerHandle>> {
        let key = (application, tenant.number());
        if let Some(known) = self.tenants.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let reader = Rc::new(self.readers[application].of_tenant(tenant.service())?);
        let open: Vec<usize> = tenants.open_ones().iter().map(|one| one.number()).collect();
        let mut readers = self.tenants.borrow_mut();
        // What was closed since is let go of.
        readers.retain(|(of, number), _| *of != application || open.contains(number));
        readers.insert(key, Rc::clone(&reader));
        Ok(reader)
    }

    /// The id of the next request on this worker.
    pub(crate) fn next_request(&self) -> RequestId {
        let number = self.requests.get() + 1;
        self.requests.set(number);
        RequestId { run: self.shared.run, worker: self.number, number }
    }

    /// The turns of this worker, where other processes accept from the same sockets.
    pub(crate) fn turn(&self) -> Option<Turn> {
        let instances = self.shared.options.instances.clone()?;
        Some(Turn { instances, worker: self.number })
    }

    /// Tells the other processes whether this worker accepts connections.
    pub(crate) fn accepts(&self, accepts: bool) {
        if let Some(instances) = &self.shared.options.instances {
            instances.accepts(self.number, accepts);
        }
    }

    /// Tells them that it has taken one.
    pub(crate) fn opened(&self) {
        if let Some(instances) = &self.shared.options.instances {
            instances.opened(self.number);
        }
    }

    /// Tells them that one has ended.
    pub(crate) fn closed(&self) {
        if let Some(instances) = &self.shared.options.instances {
            instances.closed(self.number);
        }
    }

    /// Whose requests these are counted as.
    pub(crate) fn peer(&self, remote: &Remote, headers: &HeaderMap) -> Peer {
        // A malformed header is the proxy's fault until the request is refused for it.
        let seen = self.shared.options.trust().seen(headers, remote.ip);
        seen.map_or(remote.ip, |seen| seen.client).map_or(Peer::LOCAL, Peer::from)
    }

    /// The service of the application with this number.
    pub(crate) fn service(&self, application: usize) -> &Arc<Service> {
        &self.shared.applications.services()[application]
    }

    /// The name of an application for logs; empty where a request belongs to none.
    pub(crate) fn application_name(&self, application: Option<usize>) -> &str {
        application.map_or("", |number| self.service(number).name())
    }
}
