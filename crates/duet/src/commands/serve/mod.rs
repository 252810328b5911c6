//! `duet serve`: connects settings, service and HTTP server, and ends them.

mod activated;
mod instance;
mod load_tests;
pub(super) mod options;
pub(super) mod places;
mod signals;
mod start;
mod starter;
mod supervise;

use std::num::NonZeroUsize;
use std::sync::Arc;

use duet_http::{RecentLog, Server};
use duet_instances::Order;
use duet_service::Service;
use duet_service::remarks::{self, Remark};

use self::instance::Member;
use self::signals::{Action, Signals};
use self::start::Start;
use super::sources::applications::{self, Asked, Made, Served};
use super::sources::hosting::{self, Hosting};
use super::sources::worker_fit::fit_workers;
use crate::args;
use crate::report::{Outcome, note, warn};
use crate::runtime::now;
use crate::serving::{Access, ConsoleEntry, Detail, ReadyFile, RunClient, log};

pub(super) fn run(arguments: &args::Serve) -> Outcome {
    let args::Serve { sources, named, database, .. } = arguments;
    let asked = Asked { sources, named, database: database.as_deref() };
    let detail = if arguments.verbose { Detail::All } else { Detail::Usual };
    serve(|made| applications::resolve(&asked, &arguments.settings, made), detail)
}

/// Serves what `resolve` finds until a signal says to stop: in this process, or in several that this
/// one supervises. An instance is given the databases that were created for the run. `detail` is how much
/// the start says.
pub(super) fn serve(
    resolve: impl FnOnce(Option<Made>) -> Outcome<Served>,
    detail: Detail,
) -> Outcome {
    let member = instance::member()?;
    if member.is_none() {
        starter::watch()?;
    }
    let mut served = resolve(member.as_ref().and_then(Member::made))?;
    served.take_part_of_server();
    let kept = RecentLog::new(served.process.log_lines.value.map_or(0, NonZeroUsize::get));
    log::to_standard_error(kept.clone());
    if member.is_none() {
        places::check(&served.process)?;
    }
    if let Some(member) = &member {
        served.take_workers(member.workers(served.process.workers.value.get())?);
        served.share(member.parts());
    } else if let Some(range) = served.process.instances.value {
        return supervise::supervise(served, range);
    }
    let runtime = crate::runtime::runtime()?;
    if member.is_none()
        && let Some(fewer) = runtime.block_on(fit_workers(&mut served))?
    {
        warn(&fewer);
    }
    let outcome = runtime.block_on(until_stopped(served, member, detail, kept));
    // After a second signal, workers may still be busy: the program does not wait for them.
    runtime.shutdown_background();
    outcome
}

async fn until_stopped(
    served: Served,
    member: Option<Member>,
    detail: Detail,
    kept: RecentLog,
) -> Outcome {
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
    let login = options::console_login(&settings)?.map(Arc::new);
    let database = match &served.applications[..] {
        [only] if only.of_tenants.is_none() => Some(only.database.clone()),
        _ => None,
    };
    let mut options = options::options(&settings, listen, database.as_ref());
    options.console.iter_mut().for_each(|console| console.login.clone_from(&login));
    options.recent_log = Some(kept);
    options.instances = member.as_ref().map(instance::Connected::beside);
    let files = settings.ready_file.value.as_deref().filter(|_| member.is_none());
    let ready_file = files.map(ReadyFile::new).transpose()?;
    let Hosting { applications, client, made } =
        hosting::open(served, &options.memory, run).await?;
    let services = applications.services().to_vec();
    let console = ConsoleEntry::of(&mut options, client.as_ref().filter(|_| member.is_none()))?;
    let server = duet_http::start(applications, options)?;
    let access =
        Access { client: client.as_ref(), open: settings.open.value, console: console.as_ref() };
    let start = Start::of(&server, &services, access, detail);
    if member.as_ref().is_none_or(instance::Connected::announces) {
        notes(&services, detail == Detail::All).await;
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
                // What watches goes on meanwhile: it may hold what the reload waits for.
                let reloads = tokio::select! {
                    () = &mut watching => return Action::Stop,
                    reloads = server.reload() => reloads,
                };
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
