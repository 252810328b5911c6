//! Sends webhooks: a thread of each process, which shares the events of a database with all others.

mod address;
mod courier;

use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use duet_model::{Error, Result};
use duet_service::Snapshot;
use tokio::sync::watch;
use tokio::task::LocalSet;

pub use address::check_webhook_url;
pub use courier::HttpCourier;

use crate::worker::ServerState;

/// How long the end of a server waits for attempts under way. Others send later what has not ended by then.
const LAST: Duration = Duration::from_secs(3);

/// The thread that sends events and removes old ones, where an application has webhooks or views with `NOTIFY`.
pub(super) fn thread(
    shared: &Arc<ServerState>,
    stopping: &watch::Receiver<bool>,
) -> Result<Option<JoinHandle<()>>> {
    let services = shared.applications.services().iter();
    let services: Vec<_> =
        services.filter(|it| has_events(&it.snapshot())).map(Arc::clone).collect();
    if services.is_empty() {
        return Ok(None);
    }
    let mut stopping = stopping.clone();
    let reach = shared.options.webhooks.clone();
    let send = move || -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Error::internal)?;
        let local = LocalSet::new();
        let courier = Rc::new(HttpCourier::new(reach)?);
        let mut tasks = Vec::new();
        for service in &services {
            let (handle, courier) = (service.attach()?, Rc::clone(&courier));
            tasks.push(local.spawn_local(handle.send_webhooks(courier as _)));
        }
        let stopped = async { drop(stopping.wait_for(|stopping| *stopping).await) };
        local.block_on(&runtime, stopped);
        tasks.iter().for_each(tokio::task::JoinHandle::abort);
        // What is left are attempts under way.
        runtime.block_on(async { drop(tokio::time::timeout(LAST, local).await) });
        Ok(())
    };
    let send = move || {
        if let Err(error) = send() {
            tracing::error!(%error, "webhooks are not sent");
        }
    };
    let thread = std::thread::Builder::new().name("webhooks".to_owned());
    thread.spawn(send).map(Some).map_err(Error::internal)
}

/// Whether there is something to send or to remove. A standby takes no writes, so it cannot note what was sent: the primary's servers
/// send its events.
fn has_events(snapshot: &Snapshot) -> bool {
    (!snapshot.webhooks().is_empty() || snapshot.records_views()) && !snapshot.standby
}
