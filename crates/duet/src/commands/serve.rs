//! `duet serve`: connects settings, service and HTTP server, and ends them.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use duet_auth::{Open, RateSettings};
use duet_http::{HttpLimits, ServeOptions, Server, TlsFiles};
use duet_model::memory::Budget;
use duet_model::{Code, Error, Result};
use duet_service::{ResourceKind, Service, Snapshot};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::hosting::{self, Hosting};
use super::source::{self, Served};
use crate::args;
use crate::report::{Outcome, print, warn};
use crate::serving::{Banner, MountLines, ReadyFile, ResourceLine, RunClient, log};
use crate::settings::{AccessLog, Listen, Memory, PerAddress, Settings};

pub(super) fn run(arguments: &args::Serve) -> Outcome {
    serve(source::resolve(&arguments.sources, &arguments.named, &arguments.settings)?)
}

/// Serves until a signal says to stop.
pub(super) fn serve(served: Served) -> Outcome {
    log::to_standard_error();
    let runtime = super::runtime()?;
    let outcome = runtime.block_on(until_stopped(served));
    // After a second signal, workers may still be busy: the program does not wait for them.
    runtime.shutdown_background();
    outcome
}

async fn until_stopped(served: Served) -> Outcome {
    let options = options(&served.process)?;
    let ready_file = served.process.ready_file.value.as_deref().map(ReadyFile::new).transpose()?;
    let open = served.process.open.value;
    let mut signals = Signals::new()?;
    let Hosting { applications, client, made } = hosting::open(served, &options.memory).await?;
    let services = applications.services().to_vec();
    let server = duet_http::start(applications, options)?;
    started(&server, &services, (client.as_ref(), open), ready_file.as_ref()).await?;
    drop(services);
    watch(&server, &mut signals).await;
    drop(ready_file);
    let stopped = stop(server, &mut signals).await;
    drop(made);
    stopped
}

/// Reports to people and programs what is served, and where.
async fn started(
    server: &Server,
    services: &[Arc<Service>],
    (client, open): (Option<&RunClient>, Open),
    ready_file: Option<&ReadyFile>,
) -> Outcome {
    let snapshots: Vec<_> = services.iter().map(|service| service.snapshot()).collect();
    if let Some(file) = ready_file {
        let mounts = snapshots.iter().flat_map(|snapshot| &snapshot.mounts);
        let mounts = mounts.map(|mount| (mount.name.as_str(), mount.path.as_str()));
        file.write(server.urls(), mounts, client)?;
    }
    for (service, snapshot) in services.iter().zip(&snapshots) {
        snapshot.notes.iter().for_each(|note| warn(note));
        if let Some(user) = service.superuser() {
            warn(&format!(
                "Duet runs as {user:?}, a superuser of the database: no privilege and no row security holds it back. Give it a user of its own."
            ));
        }
        if let Some(note) = service.rowstore_note() {
            warn(&note);
        }
        service.check_clients().await.iter().for_each(|note| warn(note));
    }
    let described: Vec<(String, String)> = services
        .iter()
        .map(|service| (service.name().to_owned(), service.store().describe()))
        .collect();
    let mounts: Vec<MountLines> =
        snapshots.iter().flat_map(|snapshot| mount_lines(snapshot)).collect();
    let banner =
        Banner { applications: &described, urls: server.urls(), mounts: &mounts, client, open };
    // Standard output may be closed; it serves all the same.
    drop(print(&banner.text()));
    Ok(())
}

/// Watches over the server until a signal stops it.
async fn watch(server: &Server, signals: &mut Signals) {
    let watching = server.watch();
    tokio::pin!(watching);
    loop {
        let what = tokio::select! {
            () = &mut watching => return,
            what = signals.next() => what,
        };
        match what {
            SignalAction::Stop => return,
            SignalAction::Reload => drop(server.reload().await),
        }
    }
}

/// Waits for requests in flight; a second signal ends the wait.
async fn stop(server: Server, signals: &mut Signals) -> Outcome {
    tracing::info!("stopping");
    let draining = tokio::task::spawn_blocking(move || server.stop());
    tokio::pin!(draining);
    loop {
        tokio::select! {
            _ = &mut draining => return Ok(()),
            action = signals.next() => match action {
                SignalAction::Stop => return Ok(()),
                SignalAction::Reload => {}
            },
        }
    }
}

/// The action of a signal.
enum SignalAction {
    Stop,
    Reload,
}

/// The handled signals.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    reload: Signal,
}

impl Signals {
    fn new() -> Result<Self> {
        let listen = |kind| signal(kind).map_err(Error::internal);
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            reload: listen(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> SignalAction {
        tokio::select! {
            _ = self.interrupt.recv() => SignalAction::Stop,
            _ = self.terminate.recv() => SignalAction::Stop,
            _ = self.reload.recv() => SignalAction::Reload,
        }
    }
}

fn mount_lines(snapshot: &Snapshot) -> Vec<MountLines> {
    let kind = |kind| match kind {
        ResourceKind::Table => "table",
        ResourceKind::View => "view",
        ResourceKind::DualityView => "duality view",
        ResourceKind::Service => "service",
        ResourceKind::Collection => "collection",
    };
    let mounts = snapshot.mounts.iter().map(|mount| MountLines {
        path: mount.path.clone(),
        resources: mount
            .resources()
            .iter()
            .map(|resource| ResourceLine { name: resource.name.clone(), kind: kind(resource.kind) })
            .collect(),
    });
    mounts.collect()
}

/// The settings in the server's form.
fn options(settings: &Settings) -> Result<ServeOptions> {
    let mut listen = Vec::new();
    for wanted in &settings.listen.value {
        match wanted {
            Listen::Unix(path) => listen.push(duet_http::Listen::Unix(path.clone())),
            Listen::Tcp(address) => listen.extend(resolve(address)?.map(duet_http::Listen::Tcp)),
        }
    }
    let rate = |burst, per_minute| RateSettings { burst, per_minute, ..RateSettings::BAD_TOKENS };
    Ok(ServeOptions {
        listen,
        tls: tls(settings),
        cors: settings.cors(),
        workers: settings.workers.value.get(),
        limits: HttpLimits {
            uri_bytes: settings.uri_bytes.value.0,
            header_bytes: settings.header_bytes.value.0,
            body_bytes: settings.body_bytes.value.0,
            parse_threads: settings.parse_threads.value.get(),
            queue_timeout: settings.queue_timeout.value,
            load_bytes: settings.load_bytes.value.0 as u64,
            load_timeout: settings.load_timeout.value,
            connections: settings.max_connections.value.get(),
            connections_per_address: match settings.max_connections_per_address.value {
                PerAddress::Half => None,
                PerAddress::Most(most) => Some(most.get()),
            },
            header_timeout: settings.header_timeout.value,
            drain_delay: settings.drain_delay.value,
            drain_timeout: settings.drain_timeout.value,
            ..HttpLimits::default()
        },
        memory: Budget::new(match settings.memory.value {
            Memory::Auto => crate::memory::for_requests(),
            Memory::Bytes(bytes) => bytes.0,
        }),
        trusted_proxies: settings.trusted_proxies.value.clone(),
        proxy_headers: settings.proxy_headers.value,
        trial_endpoints: settings.trial_endpoints.value,
        access_log: match settings.access_log.value {
            AccessLog::Off => duet_http::AccessLog::Off,
            AccessLog::Text => duet_http::AccessLog::Text,
            AccessLog::Json => duet_http::AccessLog::Json,
        },
        // A threshold that is never reached: no slow log.
        slow: settings.slow_log.value.unwrap_or(Duration::MAX),
        observer: None,
        server_timing: settings.server_timing.value,
        // The settings have checked that it fits.
        token_lifetime: u32::try_from(settings.token_lifetime.value.as_secs()).unwrap_or(u32::MAX),
        schema_poll: settings.schema_poll.value,
        bad_tokens: rate(settings.bad_token_burst.value, settings.bad_token_rate.value),
        token_requests: rate(settings.token_burst.value, settings.token_rate.value),
    })
}

/// The files of the certificate; the settings have checked that both or none are given.
fn tls(settings: &Settings) -> Option<TlsFiles> {
    let (certificate, key) = (settings.tls_cert.value.clone()?, settings.tls_key.value.clone()?);
    Some(TlsFiles { certificate, key })
}

/// The addresses of `host:port`; a name such as `localhost` may have several, of which this
/// machine's are used.
fn resolve(address: &str) -> Result<impl Iterator<Item = SocketAddr>> {
    let wrong = |why: String| {
        Error::new(Code::Setting, format!("`listen` cannot be {address:?}: {why}."))
            .hint("Give an address of this machine, such as `127.0.0.1:8080`.")
    };
    let mut found: Vec<SocketAddr> =
        address.to_socket_addrs().map_err(|error| wrong(error.to_string()))?.collect();
    found.sort_unstable();
    found.dedup();
    // Port 0 would be a different one for each address of a name.
    if found.first().is_some_and(|first| first.port() == 0) {
        found.truncate(1);
    }
    match found.is_empty() {
        true => Err(wrong("the name has no address".into())),
        false => Ok(found.into_iter()),
    }
}
