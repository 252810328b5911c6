//! Listeners and worker threads: how a server starts, reloads and stops.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use duet_model::{Code, Error, Result};
use duet_service::{Applications, Auth, Issuer};
use futures_util::future::join_all;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::LocalSet;

use crate::connection_table::Seat;
use crate::event::{ConnectionRefusal, Event};
use crate::options::{Listen, ServeOptions};
use crate::reloads::Reloads;
use crate::remote::{Remote, Unwritten};
use crate::tls::Tls;
use crate::worker::{Shared, Worker};
use crate::{connection, jwks};

/// How often changed clients and certificates are looked for at least; a removed client's tokens
/// live so long at most. They are looked for as often as the schema, where that is more often.
const FILE_REFRESH: Duration = Duration::from_secs(1);
/// Longest time between two checks of the schema, unless one is requested.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How often the access log is written out.
const LOG_FLUSH: Duration = Duration::from_millis(250);
/// Connections that wait to be accepted.
const BACKLOG: i32 = 4_096;

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    urls: Vec<String>,
    sockets: Vec<PathBuf>,
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    threads: Vec<JoinHandle<()>>,
}

/// A listener of one worker.
enum Bound {
    Tcp(TcpListener, Arc<str>),
    Unix(UnixListener),
}

/// Opens the listeners and starts the workers. When it returns, requests are answered.
///
/// # Errors
/// [`Code::Setting`] where an address cannot be listened on; [`Code::Certificate`] where the
/// certificate cannot be used.
pub fn start(applications: impl Into<Applications>, options: ServeOptions) -> Result<Server> {
    raise_descriptor_limit(&options);
    let workers = options.workers.max(1);
    let tls = options.tls.clone().map(Tls::open).transpose()?;
    let mut urls = Vec::new();
    let mut sockets = Vec::new();
    let mut bound: Vec<Vec<Bound>> = (0..workers).map(|_| Vec::new()).collect();
    for listen in &options.listen {
        match listen {
            Listen::Tcp(address) => urls.push(bind_tcp(*address, tls.is_some(), &mut bound)?),
            Listen::Unix(path) => {
                bind_unix(path, &mut bound)?;
                sockets.push(path.clone());
                urls.push(format!("unix:{}", path.display()));
            }
        }
    }
    let run = std::process::id() ^ crate::principal::now() as u32;
    let shared = Arc::new(Shared::new(applications.into(), options, tls, run)?);
    let (stop, stopping) = watch::channel(false);
    let (ready, started) = mpsc::channel();
    let mut threads = Vec::new();
    for (number, listeners) in bound.into_iter().enumerate() {
        let (shared, stopping, ready) = (Arc::clone(&shared), stopping.clone(), ready.clone());
        let thread = std::thread::Builder::new()
            .name(format!("worker-{number}"))
            .spawn(move || run_worker(&shared, number, listeners, &stopping, &ready))
            .map_err(Error::internal)?;
        threads.push(thread);
    }
    for _ in 0..workers {
        started.recv().map_err(Error::internal)??;
    }
    Ok(Server { urls, sockets, shared, stop, threads })
}

/// Every connection takes a file descriptor: the process requests as many as the system allows.
fn raise_descriptor_limit(options: &ServeOptions) {
    // Beside connections: databases, files, listeners.
    const OTHERS: u64 = 200;
    let wanted = options.connections() as u64 + OTHERS;
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) if limit >= wanted => {}
        Ok(limit) => tracing::warn!(
            limit,
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
        let keys = watch_keys(&self.shared);
        tokio::select! {
            () = keys => {}
            () = schema => {}
            () = files => {}
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
    }

    /// Reads everything again that may have changed: clients, keys, certificate, applications and
    /// schemas. What cannot be read stays as it is.
    pub async fn reload(&self) -> Reloads {
        self.shared.reload().await
    }

    /// Stops, in two steps. For the drain delay, everything is answered as before, but it is not
    /// ready any more and every response closes its connection, so that clients go elsewhere. Then
    /// the listeners close; requests that have begun to arrive are answered, idle connections closed.
    /// Waits for that, but not longer than the drain timeout.
    pub fn stop(self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        self.shared.events.emit(&Event::Stopping);
        std::thread::sleep(self.shared.options.limits.drain_delay);
        // Workers that have ended already need no message.
        let _ = self.stop.send(true);
        for thread in self.threads {
            drop(thread.join());
        }
        for socket in &self.sockets {
            drop(std::fs::remove_file(socket));
        }
    }
}

/// Looks at the schema of each application, which may be as slow as its database is: none waits for
/// another.
async fn watch_schemas(shared: &Shared) {
    let numbers = 0..shared.applications.services().len();
    join_all(numbers.map(|number| watch_schema(shared, number))).await;
}

async fn watch_schema(shared: &Shared, number: usize) {
    let service = &shared.applications.services()[number];
    let application = service.name();
    let poll = shared.options.schema_poll;
    let mut pause = poll;
    loop {
        tokio::time::sleep(pause).await;
        let begun = std::time::Instant::now();
        let looked = service.reload_if_changed().await;
        let found = match &looked {
            Ok(_) => service.probe().await,
            Err(error) => Err(error.clone()),
        };
        let events = &shared.events;
        shared.databases[number].looked(application, found, events);
        match &looked {
            Ok(Some(reloaded)) => events.emit(&Event::SchemaChanged(application, reloaded)),
            Ok(None) => {}
            Err(error) => events.emit(&Event::SchemaUnreadable(application, error)),
        }
        // A large catalog takes long to read: what changes all the time is not read all the time.
        pause = poll.max((begun.elapsed() * 4).min(LONGEST_PAUSE));
    }
}

async fn watch_files(shared: &Shared) {
    let pause = FILE_REFRESH.min(shared.options.schema_poll);
    loop {
        tokio::time::sleep(pause).await;
        match shared.tls.as_ref().map_or(Ok(false), Tls::refresh) {
            Ok(true) => shared.events.emit(&Event::CertificateChanged),
            Ok(false) => {}
            Err(error) => shared.events.emit(&Event::CertificateUnusable(&error)),
        }
        join_all(shared.applications.auths().into_iter().map(|auth| refresh(shared, auth))).await;
    }
}

/// Reads clients again if they have changed.
async fn refresh(shared: &Shared, auth: &Arc<Auth>) {
    match auth.refresh().await {
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
}

async fn watch_keys(shared: &Shared) {
    let mut issuers: Vec<&Arc<Issuer>> = Vec::new();
    for issuer in shared.applications.auths().into_iter().filter_map(|auth| auth.issuer()) {
        if !issuers.iter().any(|known| Arc::ptr_eq(known, issuer)) {
            issuers.push(issuer);
        }
    }
    join_all(issuers.into_iter().map(|issuer| jwks::watch(issuer))).await;
    // No keys are fetched: this must not end the watching.
    std::future::pending::<()>().await;
}

fn bind_error(what: &str, error: &std::io::Error) -> Error {
    Error::new(Code::Setting, format!("Cannot listen on {what}: {error}."))
        .hint("Choose another address with --listen.")
}

/// One listener per worker on the same address: the kernel spreads the connections.
fn bind_tcp(address: SocketAddr, secure: bool, bound: &mut [Vec<Bound>]) -> Result<String> {
    let mut address = address;
    let reuse = bound.len() > 1;
    for listeners in bound.iter_mut() {
        let listener =
            tcp(address, reuse).map_err(|error| bind_error(&address.to_string(), &error))?;
        address = listener.local_addr().map_err(Error::internal)?;
        listeners.push(Bound::Tcp(listener, address.to_string().into()));
    }
    Ok(format!("{}://{address}", if secure { "https" } else { "http" }))
}

fn tcp(address: SocketAddr, reuse: bool) -> std::io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(reuse)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// One socket that all workers accept from. A socket file that no server listens on any more is
/// replaced; anything else at the path is left alone.
fn bind_unix(path: &Path, bound: &mut [Vec<Bound>]) -> Result<()> {
    let shown = path.display().to_string();
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket());
    if is_socket && std::os::unix::net::UnixStream::connect(path).is_err() {
        std::fs::remove_file(path).map_err(|error| bind_error(&shown, &error))?;
    }
    let listener = UnixListener::bind(path).map_err(|error| bind_error(&shown, &error))?;
    listener.set_nonblocking(true).map_err(Error::internal)?;
    for listeners in bound.iter_mut() {
        listeners.push(Bound::Unix(listener.try_clone().map_err(Error::internal)?));
    }
    Ok(())
}

/// A worker's thread, from start to stop.
fn run_worker(
    shared: &Arc<Shared>,
    number: usize,
    listeners: Vec<Bound>,
    stopping: &watch::Receiver<bool>,
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
    local.block_on(&runtime, accept_all(Rc::clone(&worker), listeners, stopping.clone(), ready));
    let drained =
        async { tokio::time::timeout(shared.options.limits.drain_timeout, drain(&worker)).await };
    let in_time = local.block_on(&runtime, drained).is_ok();
    worker.events.emit(&Event::Stopped { in_time });
    worker.events.access_log().flush();
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
    listeners: Vec<Bound>,
    stopping: watch::Receiver<bool>,
    ready: &mpsc::Sender<Result<()>>,
) {
    let mut accepting = Vec::new();
    for listener in listeners {
        let (worker, stop) = (Rc::clone(&worker), stopping.clone());
        accepting.push(tokio::task::spawn_local(async move {
            let accepted = match listener {
                Bound::Tcp(listener, local) => accept_tcp(&worker, listener, &local, stop).await,
                Bound::Unix(listener) => accept_unix(&worker, listener, stop).await,
            };
            if let Err(error) = accepted {
                tracing::error!(%error, "a listener has failed");
            }
        }));
    }
    let _ = ready.send(Ok(()));
    let mut stop = stopping;
    let log = worker.events.access_log();
    loop {
        tokio::select! {
            _ = stop.wait_for(|stopping| *stopping) => break,
            () = tokio::time::sleep(LOG_FLUSH), if log.is_on() => log.flush(),
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
    stop: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let mut stopping = stop.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopping.wait_for(|stopping| *stopping) => break,
        };
        match accepted {
            Ok((stream, address)) => take_tcp(worker, stream, address, (local, &stop)),
            Err(error) => pause_after(&error).await,
        }
    }
    // Clients that are connected already may have sent a request.
    let listener = listener.into_std()?;
    for _ in 0..BACKLOG {
        let Ok((stream, address)) = listener.accept() else { break };
        stream.set_nonblocking(true)?;
        take_tcp(worker, TcpStream::from_std(stream)?, address, (local, &stop));
    }
    Ok(())
}

fn take_tcp(
    worker: &Rc<Worker>,
    stream: TcpStream,
    address: SocketAddr,
    (local, stop): (&Arc<str>, &watch::Receiver<bool>),
) {
    let tls = worker.shared.tls.as_ref();
    let ip = address.ip();
    let seat = match admit(worker, Some(ip)) {
        Ok(seat) => seat,
        Err(why) => {
            // A TLS client would not understand it; a handshake costs more than there is to spare.
            if tls.is_none() {
                tokio::task::spawn_local(connection::refuse(Rc::clone(worker), stream, why));
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
        unwritten: Unwritten::default(),
        seat,
    };
    let (worker, stop) = (Rc::clone(worker), stop.clone());
    match tls.map(Tls::acceptor) {
        Some(tls) => {
            tokio::task::spawn_local(connection::secure(worker, remote, stream, tls, stop))
        }
        None => tokio::task::spawn_local(connection::serve(worker, remote, stream, stop)),
    };
}

async fn accept_unix(
    worker: &Rc<Worker>,
    listener: UnixListener,
    stop: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let listener = tokio::net::UnixListener::from_std(listener)?;
    let mut stopping = stop.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopping.wait_for(|stopping| *stopping) => break,
        };
        match accepted {
            Ok((stream, _)) => take_unix(worker, stream, &stop),
            Err(error) => pause_after(&error).await,
        }
    }
    let listener = listener.into_std()?;
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
            tokio::task::spawn_local(connection::refuse(worker, stream, why));
            return;
        }
    };
    let remote = Remote {
        ip: None,
        text: "unix".to_owned(),
        local: "localhost".into(),
        secure: false,
        unwritten: Unwritten::default(),
        seat,
    };
    tokio::task::spawn_local(connection::serve(worker, remote, stream, stop.clone()));
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
