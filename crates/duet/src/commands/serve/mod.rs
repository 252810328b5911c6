//! `duet serve`: connects settings, service and HTTP server, and ends them.

mod activated;
mod instance;
mod options;
mod supervise;

use std::io::IsTerminal as _;
use std::sync::Arc;

use duet_auth::Open;
use duet_http::Server;
use duet_instances::Order;
use duet_model::catalog::RoutineKind;
use duet_model::{Error, Result};
use duet_service::remarks::{self, Remark};
use duet_service::{Mount, ResourceKind, Service, Snapshot};
use serde_json::Value;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use self::instance::Member;
use super::hosting::{self, Hosting};
use super::now;
use super::source::{self, Asked, Made, Served};
use crate::args;
use crate::report::{Outcome, note, print, warn};
use crate::serving::{Banner, MountLines, ReadyFile, ResourceLine, RunClient, log, ready_text};

pub(super) use self::instance::VARIABLE as INSTANCE;

pub(super) fn run(arguments: &args::Serve) -> Outcome {
    let args::Serve { sources, named, database, .. } = arguments;
    let asked = Asked { sources, named, database: database.as_deref() };
    serve(|made| source::resolve(&asked, &arguments.settings, made), arguments.verbose)
}

/// Serves what `resolve` finds until a signal says to stop: in this process, or in several that this
/// one supervises. An instance is given the databases that were created for the run. `verbose`
/// lists at the start what clients may miss.
pub(super) fn serve(
    resolve: impl FnOnce(Option<Made>) -> Outcome<Served>,
    verbose: bool,
) -> Outcome {
    let member = instance::member()?;
    let mut served = resolve(member.as_ref().and_then(Member::made))?;
    log::to_standard_error();
    if let Some(member) = &member {
        served.share(member.parts());
    } else if let Some(range) = served.process.instances.value {
        return supervise::supervise(&served, range);
    }
    let runtime = super::runtime()?;
    let outcome = runtime.block_on(until_stopped(served, member, verbose));
    // After a second signal, workers may still be busy: the program does not wait for them.
    runtime.shutdown_background();
    outcome
}

async fn until_stopped(served: Served, member: Option<Member>, verbose: bool) -> Outcome {
    let settings = served.process.clone();
    let mut signals = Signals::new()?;
    let mut member = match member {
        Some(member) => Some(member.connect(&settings)?),
        None => None,
    };
    let (listen, run) = match &mut member {
        Some(member) => (member.listen()?, member.client()?),
        None => {
            let fixed = options::fixed_credentials(&settings)?;
            (options::listen(&settings)?, RunClient::new(now(), &fixed)?)
        }
    };
    let mut options = options::options(&settings, listen);
    options.instances = member.as_ref().map(instance::Connected::beside);
    let files = settings.ready_file.value.as_deref().filter(|_| member.is_none());
    let ready_file = files.map(ReadyFile::new).transpose()?;
    let Hosting { applications, client, made } =
        hosting::open(served, &options.memory, run).await?;
    let services = applications.services().to_vec();
    let server = duet_http::start(applications, options)?;
    let start = Start::of(&server, &services, (client.as_ref(), settings.open.value));
    if member.as_ref().is_none_or(instance::Connected::announces) {
        notes(&services, verbose).await;
    }
    match &member {
        Some(member) => member.ready(&server, start.into_message()),
        None => start.report(ready_file.as_ref())?,
    }
    drop(services);
    let action = watch(&server, &mut signals, member.as_mut()).await;
    drop(ready_file);
    let stopped = stop(server, action, &mut signals).await;
    drop(made);
    stopped
}

/// The report of a start.
struct Start {
    /// For people at a terminal.
    banner: String,
    /// For whatever else standard output is: without the secret of the run.
    redirected: String,
    /// For programs.
    ready: String,
}

impl Start {
    fn of(
        server: &Server,
        services: &[Arc<Service>],
        (client, open): (Option<&RunClient>, Open),
    ) -> Self {
        let snapshots: Vec<_> = services.iter().map(|service| service.snapshot()).collect();
        let mounts = snapshots.iter().flat_map(|snapshot| &snapshot.mounts);
        let mounts = mounts.map(|mount| (mount.name.as_str(), mount.path.as_str()));
        let ready = ready_text(server.urls(), mounts, client);
        let described: Vec<(String, String)> = services
            .iter()
            .map(|service| (service.name().to_owned(), service.store().describe()))
            .collect();
        let mounts: Vec<MountLines> =
            snapshots.iter().flat_map(|snapshot| mount_lines(snapshot)).collect();
        let text = |is_for_terminal| {
            let (applications, urls, mounts) = (&described, server.urls(), &mounts);
            Banner { applications, urls, mounts, client, is_for_terminal, open }.text()
        };
        Self { banner: text(true), redirected: text(false), ready }
    }

    /// For the supervisor, which reports it.
    fn into_message(self) -> Value {
        let Self { banner, redirected, ready } = self;
        serde_json::json!({ "banner": banner, "redirected": redirected, "ready": ready })
    }

    /// What an instance has sent to the supervisor.
    fn from_message(message: &Value) -> Self {
        let text = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
        Self { banner: text("banner"), redirected: text("redirected"), ready: text("ready") }
    }

    /// Reports to people and programs what is served, and where.
    fn report(&self, ready_file: Option<&ReadyFile>) -> Outcome {
        if let Some(file) = ready_file {
            file.write(&self.ready)?;
        }
        // Standard output may be closed; it serves all the same.
        let is_terminal = std::io::stdout().is_terminal();
        drop(print(if is_terminal { &self.banner } else { &self.redirected }));
        Ok(())
    }
}

/// Writes what the operator should know to standard error.
async fn notes(services: &[Arc<Service>], verbose: bool) {
    for service in services {
        let snapshot = service.snapshot();
        snapshot.notes.iter().for_each(|note| warn(note));
        remarks(service.name(), &snapshot.remarks, verbose);
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
}

/// Writes what clients may miss to standard error: each remark, or how many there are.
fn remarks(application: &str, remarks: &[Remark], verbose: bool) {
    if verbose {
        return remarks.iter().for_each(|remark| note(&format!("note: {}", remark.text)));
    }
    if let Some(counts) = remarks::counts(remarks) {
        note(&format!("note: {application} has {counts}; --verbose says more"));
    }
}

/// Watches over the server until something stops it.
async fn watch(
    server: &Server,
    signals: &mut Signals,
    mut member: Option<&mut instance::Connected>,
) -> Action {
    let watching = server.watch();
    tokio::pin!(watching);
    loop {
        let action = tokio::select! {
            () = &mut watching => return Action::Stop,
            action = signals.next() => action,
            action = instance::next(&mut member) => action,
        };
        match action {
            Action::Reload(caller) => {
                let reloads = server.reload().await;
                // The caller may have given up.
                let _ = caller.map(|caller| caller.send(reloads.answer()));
            }
            end => return end,
        }
    }
}

/// Waits for requests in flight; a signal ends the wait.
async fn stop(server: Server, action: Action, signals: &mut Signals) -> Outcome {
    tracing::info!("stopping");
    let draining = tokio::task::spawn_blocking(move || match action {
        Action::Ordered(Order::Retire) => server.retire(),
        Action::Ordered(Order::Orphaned) => server.stop_at_once(),
        Action::Stop | Action::Reload(_) => server.stop(),
    });
    tokio::pin!(draining);
    loop {
        tokio::select! {
            _ = &mut draining => return Ok(()),
            action = signals.next() => if let Action::Stop = action {
                return Ok(());
            },
        }
    }
}

/// What a running server is to do.
enum Action {
    Stop,
    /// Reload, and report the outcome to the caller.
    Reload(Option<oneshot::Sender<Value>>),
    /// What the supervisor orders.
    Ordered(Order),
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

    async fn next(&mut self) -> Action {
        tokio::select! {
            _ = self.interrupt.recv() => Action::Stop,
            _ = self.terminate.recv() => Action::Stop,
            _ = self.reload.recv() => Action::Reload(None),
        }
    }
}

/// Everything that a mount serves, as its own address lists it.
fn mount_lines(snapshot: &Snapshot) -> Vec<MountLines> {
    snapshot
        .mounts
        .iter()
        .map(|mount| MountLines { path: mount.path.clone(), resources: lines(mount) })
        .collect()
}

fn lines(mount: &Mount) -> Vec<ResourceLine> {
    let kind = |kind| match kind {
        ResourceKind::Table => Some("table"),
        ResourceKind::View => Some("view"),
        ResourceKind::DualityView => Some("duality view"),
        // It is among the services.
        ResourceKind::Service => None,
        ResourceKind::Collection => Some("collection"),
    };
    let line = |path: String, kind: &str| ResourceLine { path, kind: kind.to_owned() };
    let resources = mount.resources().iter();
    let resources = resources
        .filter_map(|resource| Some(line(format!("{}/", resource.name), kind(resource.kind)?)));
    let routines = mount.routines();
    let routines = routines.iter().map(|routine| {
        let kind = match routine.routine.kind {
            RoutineKind::Function => "function",
            RoutineKind::Procedure => "procedure",
        };
        line(routine.name.clone(), kind)
    });
    let services = mount.services().iter().map(|service| {
        let path = service.file.path.to_string();
        line(path.trim_start_matches('/').to_owned(), &format!("service, {}", service.file.method))
    });
    resources.chain(routines).chain(services).collect()
}
