//! Limits of live changes.

use std::time::Duration;

/// Limits of subscriptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveOptions {
    /// Those of the process.
    pub subscriptions: usize,
    /// Those of one client, or of one address without a client.
    pub of_client: usize,
    /// How often something is sent at least.
    pub heartbeat: Duration,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self { subscriptions: 10_000, of_client: 1_000, heartbeat: Duration::from_secs(15) }
    }
}
