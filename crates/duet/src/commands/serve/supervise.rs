//! `duet serve --instances`: this process starts and watches those that serve.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use duet_http::{Listen, Socket};
use duet_instances::{Plan, Range, Settings as Times, SupervisorError};
use duet_model::{Error, Result};
use serde_json::json;

use super::options;
use super::start::Start;
use crate::command_error::CommandError;
use crate::commands::sources::applications::{Made, Served};
use crate::commands::sources::worker_fit::fit_workers;
use crate::report::{Outcome, warn};
use crate::runtime::{now, runtime};
use crate::serving::{ReadyFile, RunClient};
use crate::settings::{INSTANCE, Settings};

/// How much longer than its own limits an instance may take to end.
const GRACE: Duration = Duration::from_secs(5);
/// How long an instance that is replaced or removed keeps idle connections, at most.
const LEAVING: Duration = Duration::from_secs(5);

/// Supervises instances until a signal says to stop.
pub(super) fn supervise(mut served: Served, range: Range) -> Outcome {
    let asked = served.process.workers.value.get();
    let runtime = runtime()?;
    if let Some(fewer) = runtime.block_on(fit_workers(&mut served))? {
        warn(&fewer);
    }
    let settings = &served.process;
    let ready_file = settings.ready_file.value.as_deref().map(ReadyFile::new).transpose()?;
    let listen = options::listen(settings)?;
    let files = SocketFiles(listen.iter().filter_map(file).collect());
    let sockets = listen.iter().map(Socket::open).collect::<Result<Vec<_>>>()?;
    drop(listen);
    let plan = plan(&served, asked, range, sockets)?;
    let outcome = runtime.block_on(duet_instances::supervise(plan, |message| {
        let reported = Start::from_message(&message).report(ready_file.as_ref());
        reported.map_err(|failure| SupervisorError::Ready(report(failure)))
    }));
    runtime.shutdown_background();
    drop((ready_file, files));
    match outcome {
        Ok(()) => Ok(()),
        // The instance has said why.
        Err(SupervisorError::Start) => Err(CommandError::failed(String::new())),
        Err(failed) => Err(Error::internal(failed).into()),
    }
}

fn report(failure: CommandError) -> String {
    match failure.coded() {
        Ok(error) => error.to_string(),
        Err(other) => format!("{other:?}"),
    }
}

/// The plan of a supervisor; so many workers were asked for.
fn plan(served: &Served, asked: usize, range: Range, sockets: Vec<Socket>) -> Result<Plan> {
    let settings = &served.process;
    let client = RunClient::new(now(), &options::fixed_credentials(settings)?)?;
    let folder = served.made.as_ref().map(Made::path);
    Ok(Plan {
        program: std::env::current_exe().map_err(Error::internal)?,
        arguments: std::env::args_os().skip(1).collect(),
        variable: INSTANCE,
        payload: json!({ "client": client.handed_on(), "folder": folder, "workers": asked }),
        memory: duet_service::SHARED_BYTES,
        sockets: sockets.into_iter().map(OwnedFd::from).collect(),
        range,
        workers: settings.workers.value.get(),
        settings: times(settings),
    })
}

fn times(settings: &Settings) -> Times {
    let drain = settings.drain_timeout.value;
    Times {
        heartbeat: settings.instance_timeout.value,
        start: settings.instance_start_timeout.value,
        stop: settings.drain_delay.value + drain + GRACE,
        retire: LEAVING + drain + GRACE,
        idle: settings.instance_idle.value,
    }
}

/// Files of Unix sockets, removed at the end.
struct SocketFiles(Vec<PathBuf>);

impl Drop for SocketFiles {
    fn drop(&mut self) {
        for file in &self.0 {
            // Somebody else may have removed it.
            let _ = std::fs::remove_file(file);
        }
    }
}

fn file(listen: &Listen) -> Option<PathBuf> {
    match listen {
        Listen::Unix(path) => Some(path.clone()),
        Listen::Tcp(_) | Listen::Open(_) => None,
    }
}
