//! Listeners and worker threads: how a server starts, reloads and stops.

mod ebb;
pub(crate) mod webhooks;

use std::cell::{Cell, RefCell};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use duet_model::{Code, Error, Result};
use duet_service::{Applications, Auth, Pace};
use futures_util::future::join_all;
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::Value;
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::{mpsc as channel, oneshot, watch};
use tokio::task::LocalSet;

use self::ebb::Ebb;
use crate::admin::{rowstore, tenant_watch};
use crate::clients::connection_table::Seat;
use crate::clients::remote::{Remote, UnwrittenBytes};
use crate::connection::http1;
use crate::observe::event::{ConnectionRefusal, Event};
use crate::observe::reloads::Reloads;
use crate::observe::{latencies, metrics, turns};
use crate::options::ServeOptions;
use crate::processes::own_report;
use crate::request::principal::now;
use crate::sockets::any_socket::AnySocket;
use crate::sockets::jwks;
use crate::sockets::listen::{BACKLOG, BoundListener, Sockets};
use crate::sockets::shared_accept::accept_in_turn;
use crate::sockets::tls::Tls;
use crate::worker::{ServerState, Worker};

/// How often changed certificates and keys are looked for at least, and clients whose source does not tell of its
/// changes; a removed client's tokens live so long at most. They are looked for as often as the schema, where that is
/// more often.
const FILE_REFRESH: Duration = Duration::from_secs(1);
/// The same of clients whose source tells of its changes.
const TOLD_REFRESH: Duration = Pace::USUAL.listening;
/// Shortest time between two looks, however many announcements arrive.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
/// Longest time between two checks of the schema, unless one is requested.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Time between two checks of a database that another program has locked: readiness returns soon after the lock ends.
const LOCKED_PAUSE: Duration = Duration::from_millis(200);
/// How often the access log is written out.
const LOG_FLUSH: Duration = Duration::from_millis(250);

/// How long a server that leaves its connections to other processes keeps them, so that a client
/// learns from a response that its connection ends.
const LEAVING: Duration = Duration::from_secs(5);

/// How long the end of a server waits until the rows that are acknowledged from a journal are in the database. What is
/// not there by then stays in the journal.
const LAST_ROWS: Duration = Duration::from_secs(3);

/// Where a worker hears that somebody wants to know whether it is alive.
type Pulses = channel::UnboundedSender<oneshot::Sender<()>>;

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    urls: Vec<String>,
    sockets: Vec<PathBuf>,
    shared: Arc<ServerState>,
    stop: watch::Sender<bool>,
    /// Says that no more connections are accepted.
    leave: watch::Sender<bool>,
    pulses: Vec<Pulses>,
    threads: Vec<JoinHandle<()>>,
}

/// Opens the listeners and starts the workers. When it returns, requests are answered.
///
/// # Errors
/// [`duet_model::Code::Setting`] where an address cannot be listened on, or the server answers itself where an
/// application does;
/// [`duet_model::Code::Certificate`] where the certificate cannot be used.
pub fn start(applications: impl Into<Applications>, mut options: ServeOptions) -> Result<Server> {
    let applications = applications.into();
    options.keep_paths(&applications)?;
    raise_descriptor_limit(&options);
    let workers = options.workers.max(1);
    let http2 = options.limits.http2;
    let tls = options.tls.clone().map(|files| Tls::open(files, http2)).transpose()?;
    // Only workers hold sockets: where these close theirs, nothing waits at one without an acceptor.
    let listen = std::mem::take(&mut options.listen);
    let Sockets { urls, files, bound } = Sockets::open(&listen, workers, tls.is_some())?;
    drop(listen);
    let run = std::process::id() ^ now() as u32;
    let shared = Arc::new(ServerState::new(applications, options, tls, run)?);
    let (stop, stopping) = watch::channel(false);
    let (leave, leaving) = watch::channel(false);
    let stops = Stops { stop: stopping, leave: leaving };
    let (ready, started) = mpsc::channel();
    let (mut threads, mut pulses) = (Vec::new(), Vec::new());
    for (number, listeners) in bound.into_iter().enumerate() {
        let (shared, stops, ready) = (Arc::clone(&shared), stops.clone(), ready.clone());
        let (pulse, beats) = channel::unbounded_channel();
        pulses.push(pulse);
        let thread = std::thread::Builder::new()
            .name(format!("worker-{number}"))
            .spawn(move || run_worker(&shared, number, listeners, stops, beats, &ready))
            .map_err(Error::internal)?;
        threads.push(thread);
    }
    if let Some(drain) = drain_thread(&shared, &stops.stop)? {
        threads.push(drain);
    }
    if let Some(sender) = webhooks::thread(&shared, &stops.stop)? {
        threads.push(sender);
    }
    for _ in 0..workers {
        started.recv().map_err(Error::internal)??;
    }
    Ok(Server { urls, sockets: files, shared, stop, leave, pulses, threads })
}

/// The thread that writes rows of journals to databases, where an application has one.
fn drain_thread(
    shared: &Arc<ServerState>,
    stopping: &watch::Receiver<bool>,
) -> Result<Option<JoinHandle<()>>> {
    let services = shared.applications.services().iter();
    let services: Vec<_> = services.filter(|it| it.ingest().is_some()).map(Arc::clone).collect();
    if services.is_empty() {
        return Ok(None);
    }
    let mut stopping = stopping.clone();
    let mut drain = move || -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Error::internal)?;
        let local = LocalSet::new();
        let mut drains = Vec::new();
        for service in &services {
            let handle = service.attach()?;
            drains.push(local.spawn_local(async move { handle.drain().await }));
        }
        let stopped = async { drop(stopping.wait_for(|stopping| *stopping).await) };
        local.block_on(&runtime, stopped);
        // Acknowledged rows reach the database where that takes moments: the folder of a journal may end with its process.
        let applied = async {
            for ingest in services.iter().filter_map(|service| service.ingest()) {
                ingest.all_applied().await;
            }
        };
        let in_time = async { drop(tokio::time::timeout(LAST_ROWS, applied).await) };
        local.block_on(&runtime, in_time);
        drains.iter().for_each(tokio::task::JoinHandle::abort);
        for service in &services {
            let handle = service.attach()?;
            local.block_on(&runtime, handle.close_journal());
        }
        Ok(())
    };
    let drain = move || {
        if let Err(error) = drain() {
            tracing::error!(%error, "rows of the journal are not written to the database");
        }
    };
    let thread = std::thread::Builder::new().name("journal-drain".to_owned());
    thread.spawn(drain).map(Some).map_err(Error::internal)
}

/// Every connection takes a file descriptor: the process requests as many as the system allows.
fn raise_descriptor_limit(options: &ServeOptions) {
    // Beside connections: databases, files, listeners.
    const OTHERS: u64 = 200;
    let wanted = options.connections() as u64 + OTHERS;
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // A limit that is missing is none.
    let most = limit.current.unwrap_or(u64::MAX);
    match setrlimit(Resource::Nofile, limit) {
        Ok(()) if most >= wanted => {}
        Ok(()) => tracing::warn!(
            limit = most,
            wanted,
            "the system allows fewer open files than there may be connections: raise `ulimit -n`"
        ),
        Err(error) => tracing::warn!(%error, "the limit of open files could not be raised"),
    }
}

impl Server {
    /// Where it listens: `http://127.0.0.1:8080`, `https://…`, `unix:/run/duet.sock`.
    pub fn urls(&self) -> &[String] {
        &self.urls
    }

    /// Looks after the catalog, the clients, the certificate and the keys of another issuer until
    /// the server stops: reloads when the schema has changed, reads files that have, fetches keys.
    /// Runs on the caller's runtime.
    pub async fn watch(&self) {
        let mut stopping = self.stop.subscribe();
        let schema = watch_schemas(&self.shared);
        let files = watch_files(&self.shared);
        let clients = watch_all_clients(&self.shared);
        let keys = watch_keys(&self.shared);
        let tenants = tenant_watch::watch(&self.shared);
        let latencies = watch_latencies(&self.shared);
        tokio::select! {
            () = keys => {}
            () = schema => {}
            () = tenants => {}
            () = latencies => {}
            () = files => {}
            () = clients => {}
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
    }

    /// Reads everything again that may have changed: clients, keys, certificate, applications and
    /// schemas. What cannot be read stays as it is.
    pub async fn reload(&self) -> Reloads {
        self.shared.reload().await
    }

    /// The server for other threads.
    pub fn handle(&self) -> Handle {
        Handle { shared: Arc::clone(&self.shared), pulses: self.pulses.clone() }
    }

    /// Leaves further connections to the other processes that accept from the same sockets, and stops.
    /// A connection is closed by its next response, or when none of its requests has come for a while;
    /// the server stays ready meanwhile.
    pub fn retire(self) {
        self.shared.leaving.store(true, Ordering::Relaxed);
        let _ = self.leave.send(true);
        self.shared.live.close();
        let begun = std::time::Instant::now();
        while self.shared.open_connections() > 0 && begun.elapsed() < LEAVING {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.end();
    }

    /// Stops, in two steps. For the drain delay, everything is answered as before, but it is not
    /// ready any more and every response closes its connection, so that clients go elsewhere. Then
    /// the listeners close; requests that have begun to arrive are answered, idle connections closed.
    /// Waits for that, but not longer than the drain timeout.
    pub fn stop(self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        self.shared.events.emit(&Event::Stopping);
        std::thread::sleep(self.shared.options.limits.drain_delay);
        self.end();
    }

    /// Stops as [`Server::stop`] does, without the drain delay.
    pub fn stop_at_once(self) {
        self.shared.events.emit(&Event::Stopping);
        self.end();
    }

    /// Closes the listeners, answers what has begun to arrive, and waits for the workers.
    fn end(self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        // Workers that have ended already need no message.
        let _ = self.stop.send(true);
        let _ = self.leave.send(true);
        self.shared.live.close();
        for thread in self.threads {
            drop(thread.join());
        }
        for socket in &self.sockets {
            drop(std::fs::remove_file(socket));
        }
    }
}

/// A server, for threads that do not own it.
#[derive(Clone, Debug)]
pub struct Handle {
    pub(crate) shared: Arc<ServerState>,
    pulses: Vec<Pulses>,
}

impl Handle {
    /// Passes through the event loop of every worker, which shows that none of them hangs. Those that
    /// have ended are passed over.
    pub async fn pulse(&self) {
        let beats = self.pulses.iter().filter_map(|worker| {
            let (sender, beat) = oneshot::channel();
            worker.send(sender).ok().map(|()| beat)
        });
        join_all(beats).await;
    }

    /// Requests that wait for the databases, and those that these are busy with.
    pub fn load(&self) -> (u64, u64) {
        let services = self.shared.applications.services().iter();
        let queues = services.flat_map(|service| service.queues());
        queues.fold((0, 0), |(waiting, running), (_, queue)| {
            (waiting + queue.waiting, running + queue.running)
        })
    }

    /// Changes what this process keeps in memory, as the query of `POST /admin/rowstore` says: an object with
    /// the message of its `error`, or null.
    pub async fn change_rowstore(&self, query: &str) -> Value {
        let changed = rowstore::change(&self.shared, Some(query)).await;
        serde_json::json!({ "error": changed.err().map(|error| error.message) })
    }

    /// Ends a session of a browser in this process; a text that is no id of one ends none.
    pub fn end_session(&self, id: &str) {
        if let Ok(id) = id.parse() {
            self.shared.ended_sessions.end(id, now());
        }
    }

    /// What this process reports of a subject that another one asks about, as
    /// [`crate::Instances::reports`] names it; null where it knows none of that name.
    pub fn report(&self, subject: &str) -> Value {
        own_report::report(&self.shared, subject)
    }
}

/// What ends a worker's listeners and connections.
#[derive(Clone, Debug)]
struct Stops {
    /// Everything ends.
    stop: watch::Receiver<bool>,
    /// No more connections are accepted.
    leave: watch::Receiver<bool>,
}

/// Looks at the schema of each application, which may be as slow as its database is: none waits for
/// another.
async fn watch_schemas(shared: &ServerState) {
    let numbers = 0..shared.applications.services().len();
    join_all(numbers.map(|number| watch_schema(shared, number))).await;
}

async fn watch_schema(shared: &ServerState, number: usize) {
    let service = &shared.applications.services()[number];
    let application = service.name();
    let (poll, mut news) = (shared.options.schema_poll, service.news());
    let (mut least, mut pause) = (SHORTEST_PAUSE, poll.polled);
    loop {
        news.wait(least, pause).await;
        let begun = std::time::Instant::now();
        let looked = service.reload_if_changed().await;
        let found = match &looked {
            Ok(_) => service.probe().await,
            Err(error) => Err(error.clone()),
        };
        let events = &shared.events;
        let failed = found.as_ref().err().map(|error| error.code);
        shared.databases[number].looked(application, found, events);
        match &looked {
            Ok(Some(reloaded)) => events.emit(&Event::SchemaChanged(application, reloaded)),
            Ok(None) => {}
            Err(error) => events.emit(&Event::SchemaUnreadable(application, error)),
        }
        least = SHORTEST_PAUSE;
        pause = match failed {
            // The end of a lock is looked for: what took long was to wait for it.
            Some(Code::DatabaseLocked) => poll.polled.min(LOCKED_PAUSE),
            // However rare the looks are: the change that could not be read is not announced again.
            Some(_) => poll.polled.min(Pace::USUAL.polled),
            // A large catalog takes long to read: what changes all the time is not read all the time.
            None => {
                least = least.max((begun.elapsed() * 4).min(LONGEST_PAUSE));
                poll.pause(news.is_listening()).max(least)
            }
        };
    }
}

/// Keeps what was counted in each minute.
async fn watch_latencies(shared: &ServerState) {
    loop {
        let minute = latencies::this_minute();
        tokio::time::sleep(latencies::rest_of_minute()).await;
        shared.latencies.end(minute, metrics::by_route(&shared.metrics));
    }
}

async fn watch_files(shared: &ServerState) {
    let pause = FILE_REFRESH.min(shared.options.schema_poll.polled);
    loop {
        tokio::time::sleep(pause).await;
        match shared.tls.as_ref().map_or(Ok(false), Tls::refresh) {
            Ok(true) => shared.events.emit(&Event::CertificateChanged),
            Ok(false) => {}
            Err(error) => shared.events.emit(&Event::CertificateUnusable(&error)),
        }
        for auth in shared.applications.auths() {
            if let Err(error) = auth.refresh_issuer() {
                shared.events.emit(&Event::ClientsUnreadable(&error));
            }
        }
    }
}

/// Looks at the clients of each source; none waits for another.
async fn watch_all_clients(shared: &ServerState) {
    let each = shared.applications.auths().into_iter().map(|auth| watch_clients(shared, auth));
    join_all(each).await;
}

async fn watch_clients(shared: &ServerState, auth: &Arc<Auth>) {
    let (poll, mut news) = (shared.options.schema_poll, auth.news());
    loop {
        let is_told = news.is_listening();
        let longest = if is_told { TOLD_REFRESH } else { FILE_REFRESH };
        news.wait(SHORTEST_PAUSE, longest.min(poll.pause(is_told))).await;
        refresh(shared, auth).await;
    }
}

/// Reads clients again if they have changed.
async fn refresh(shared: &ServerState, auth: &Arc<Auth>) {
    match auth.refresh_clients().await {
        Ok(false) => {}
        Ok(true) => {
            let services = shared.applications.services().iter();
            for service in services.filter(|service| Arc::ptr_eq(service.auth(), auth)) {
                let notes = service.check_clients().await;
                notes.iter().for_each(|note| shared.events.emit(&Event::ClientsNote(note)));
            }
        }
        Err(error) => shared.events.emit(&Event::ClientsUnreadable(&error)),
    }
    if let Err(error) = auth.store_uses(now()).await {
        shared.events.emit(&Event::KeyUsesUnstored(&error));
    }
}

async fn watch_keys(shared: &ServerState) {
    join_all(shared.issuers().into_iter().map(|issuer| jwks::watch(issuer))).await;
    // No keys are fetched: this must not end the watching.
    std::future::pending::<()>().await;
}

/// A worker's thread, from start to stop.
fn run_worker(
    shared: &Arc<ServerState>,
    number: usize,
    listeners: Vec<BoundListener>,
    stops: Stops,
    beats: channel::UnboundedReceiver<oneshot::Sender<()>>,
    ready: &mpsc::Sender<Result<()>>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let attached = runtime
        .map_err(Error::internal)
        .and_then(|runtime| Ok((runtime, shared.applications.attach()?)));
    let (runtime, readers) = match attached {
        Ok(pair) => pair,
        Err(error) => {
            let _ = ready.send(Err(error));
            return;
        }
    };
    let worker = Rc::new(Worker::new(shared, number, readers));
    let local = LocalSet::new();
    if number == 0 {
        for application in 0..worker.readers.len() {
            let worker = Rc::clone(&worker);
            local.spawn_local(async move { worker.readers[application].populate().await });
        }
    }
    let limits = &shared.options.limits;
    let (turns, started, bound) = (&worker.metrics.turns, shared.started, limits.long_turn);
    let accepting = accept_all(Rc::clone(&worker), listeners, stops, beats, ready);
    runtime.block_on(turns::counted(turns, started, bound, local.run_until(accepting)));
    let drained = async { tokio::time::timeout(limits.drain_timeout, drain(&worker)).await };
    let drained = turns::counted(turns, started, bound, local.run_until(drained));
    let in_time = runtime.block_on(drained).is_ok();
    worker.events.emit(&Event::Stopped { in_time });
    worker.events.flush_access_log();
}

/// Waits until no connection is open.
async fn drain(worker: &Worker) {
    while worker.metrics.connections_opened.get() != worker.metrics.connections_closed.get() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Accepts connections until the server stops.
async fn accept_all(
    worker: Rc<Worker>,
    listeners: Vec<BoundListener>,
    stops: Stops,
    mut beats: channel::UnboundedReceiver<oneshot::Sender<()>>,
    ready: &mpsc::Sender<Result<()>>,
) {
    worker.accepts(true);
    let mut accepting = Vec::new();
    for listener in listeners {
        let (worker, stops) = (Rc::clone(&worker), stops.clone());
        accepting.push(tokio::task::spawn_local(async move {
            let accepted = match listener {
                BoundListener::Tcp(listener, local) => {
                    accept_tcp(&worker, listener, &local, stops).await
                }
                BoundListener::Unix(listener) => accept_unix(&worker, listener, stops).await,
            };
            worker.accepts(false);
            if let Err(error) = accepted {
                tracing::error!(%error, "a listener has failed");
            }
        }));
    }
    let _ = ready.send(Ok(()));
    let mut stop = stops.stop;
    let log = &worker.events;
    let mut flush = tokio::time::interval(LOG_FLUSH);
    flush.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let (give_back, memory) = (worker.shared.options.give_back, &worker.shared.memory);
    let (mut ebb, mut look) = (Ebb::default(), tokio::time::interval(ebb::LOOK));
    look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = stop.wait_for(|stopping| *stopping) => break,
            _ = flush.tick(), if log.has_access_log() => log.flush_access_log(),
            _ = look.tick() => if let Some(give_back) = give_back.filter(|_| ebb.look(memory.usage().used)) {
                give_back();
            },
            // Who asked may have given up.
            Some(beat) = beats.recv() => drop(beat.send(())),
        }
    }
    for accepting in accepting {
        // A listener that has failed has said so.
        drop(accepting.await);
    }
}

async fn accept_tcp(
    worker: &Rc<Worker>,
    listener: TcpListener,
    local: &Arc<str>,
    stops: Stops,
) -> std::io::Result<()> {
    let Stops { stop, mut leave } = stops;
    let listener = match worker.turn() {
        None => {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            loop {
                let accepted = tokio::select! {
                    accepted = listener.accept() => accepted,
                    _ = leave.wait_for(|leaving| *leaving) => break,
                };
                match accepted {
                    Ok((stream, address)) => take_tcp(worker, stream, address, local, &stop),
                    Err(error) => pause_after(&error).await,
                }
            }
            listener.into_std()?
        }
        Some(turn) => {
            accept_in_turn(listener, &turn, &mut leave, |accepted| {
                let accepted = taken(accepted);
                if let Some((stream, Some(address))) = accepted {
                    take_tcp(worker, stream, address, local, &stop);
                    return true;
                }
                false
            })
            .await?
        }
    };
    if !*stop.borrow() {
        return Ok(());
    }
    // Clients that are connected already may have sent a request.
    for _ in 0..BACKLOG {
        let Ok((stream, address)) = listener.accept() else { break };
        stream.set_nonblocking(true)?;
        take_tcp(worker, TcpStream::from_std(stream)?, address, local, &stop);
    }
    Ok(())
}

/// A connection that was accepted; a failure is logged.
fn taken<T>(accepted: std::io::Result<T>) -> Option<T> {
    accepted.inspect_err(|error| tracing::warn!(%error, "a connection could not be accepted")).ok()
}

fn take_tcp(
    worker: &Rc<Worker>,
    stream: TcpStream,
    address: SocketAddr,
    local: &Arc<str>,
    stop: &watch::Receiver<bool>,
) {
    let tls = worker.shared.tls.as_ref();
    let ip = address.ip();
    let seat = match admit(worker, Some(ip)) {
        Ok(seat) => seat,
        Err(why) => {
            // A TLS client would not understand it; a handshake costs more than there is to spare.
            if tls.is_none() {
                tokio::task::spawn_local(http1::refuse(Rc::clone(worker), stream, why));
            }
            return;
        }
    };
    drop(stream.set_nodelay(true));
    let remote = Remote {
        ip: Some(ip),
        text: ip.to_string(),
        local: Arc::clone(local),
        secure: tls.is_some(),
        unwritten: UnwrittenBytes::default(),
        seat,
        is_authenticated: Cell::default(),
        open_requests: Cell::default(),
        reader: RefCell::default(),
    };
    let (worker, stop) = (Rc::clone(worker), stop.clone());
    match tls.map(Tls::acceptor) {
        Some(tls) => tokio::task::spawn_local(http1::secure(worker, remote, stream, tls, stop)),
        None => tokio::task::spawn_local(http1::serve(worker, remote, stream, stop)),
    };
}

async fn accept_unix(
    worker: &Rc<Worker>,
    listener: UnixListener,
    stops: Stops,
) -> std::io::Result<()> {
    let Stops { stop, mut leave } = stops;
    let listener = match worker.turn() {
        None => {
            let listener = tokio::net::UnixListener::from_std(listener)?;
            loop {
                let accepted = tokio::select! {
                    accepted = listener.accept() => accepted,
                    _ = leave.wait_for(|leaving| *leaving) => break,
                };
                match accepted {
                    Ok((stream, _)) => take_unix(worker, stream, &stop),
                    Err(error) => pause_after(&error).await,
                }
            }
            listener.into_std()?
        }
        Some(turn) => {
            accept_in_turn(listener, &turn, &mut leave, |accepted| {
                let accepted = taken(accepted);
                if let Some((stream, _)) = accepted {
                    take_unix(worker, stream, &stop);
                    return true;
                }
                false
            })
            .await?
        }
    };
    if !*stop.borrow() {
        return Ok(());
    }
    for _ in 0..BACKLOG {
        let Ok((stream, _)) = listener.accept() else { break };
        stream.set_nonblocking(true)?;
        take_unix(worker, UnixStream::from_std(stream)?, &stop);
    }
    Ok(())
}

fn take_unix(worker: &Rc<Worker>, stream: UnixStream, stop: &watch::Receiver<bool>) {
    let worker = Rc::clone(worker);
    let seat = match admit(&worker, None) {
        Ok(seat) => seat,
        Err(why) => {
            tokio::task::spawn_local(http1::refuse(worker, stream, why));
            return;
        }
    };
    let remote = Remote {
        ip: None,
        text: "unix".to_owned(),
        local: "localhost".into(),
        secure: false,
        unwritten: UnwrittenBytes::default(),
        seat,
        is_authenticated: Cell::default(),
        open_requests: Cell::default(),
        reader: RefCell::default(),
    };
    let stream: AnySocket = Box::new(stream);
    tokio::task::spawn_local(http1::serve(worker, remote, stream, stop.clone()));
}

/// Takes a connection into the table, or says why not; either is an event.
fn admit(worker: &Worker, ip: Option<IpAddr>) -> std::result::Result<Seat, ConnectionRefusal> {
    let events = &worker.events;
    match worker.shared.connections.admit(ip) {
        Ok((seat, evicted)) => {
            if evicted.is_some() {
                events.emit(&Event::ConnectionEvicted(evicted));
            }
            events.emit(&Event::ConnectionOpened(ip));
            worker.opened();
            Ok(seat)
        }
        Err(why) => {
            events.emit(&Event::ConnectionRefused(ip, why));
            Err(why)
        }
    }
}

/// A failed accept is of one connection, or of all because no descriptor is free: a short pause
/// lets others end.
async fn pause_after(error: &std::io::Error) {
    tracing::warn!(%error, "a connection could not be accepted");
    tokio::time::sleep(Duration::from_millis(10)).await;
}
