//! What a running server is to do, as signals and the supervisor say.

use duet_instances::Order;
use duet_model::{Error, Result};
use serde_json::Value;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

/// What a running server is to do.
pub(super) enum Action {
    Stop,
    /// Reload, and report the outcome to the caller.
    Reload(Option<oneshot::Sender<Value>>),
    /// What the supervisor orders.
    Ordered(Order),
}

/// The handled signals.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    reload: Signal,
}

impl Signals {
    pub(super) fn new() -> Result<Self> {
        let listen = |kind| signal(kind).map_err(Error::internal);
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            reload: listen(SignalKind::hangup())?,
        })
    }

    /// The next thing to do.
    pub(super) async fn next(&mut self) -> Action {
        tokio::select! {
            _ = self.interrupt.recv() => Action::Stop,
            _ = self.terminate.recv() => Action::Stop,
            _ = self.reload.recv() => Action::Reload(None),
        }
    }
}
