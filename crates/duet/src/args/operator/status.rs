//! `duet status`: the processes, services and queues of a running server.

use clap::Args;

use super::AdminServer;

/// Show the processes of a running server, how its services answer, and its queues
///
/// Of each process: its state, memory, connections and restarts; of each service, which is a
/// resource that was called: requests that succeeded, were refused (4xx) and failed (5xx), and how
/// long they took. Percentiles are estimated from a histogram. Queues that were never used are left
/// out. The caller needs the role duet.admin: give its token, or a client that gets one.
#[derive(Debug, Args)]
pub(crate) struct Status {
    /// List each service by process too
    #[arg(long)]
    pub(crate) by_instance: bool,
    #[command(flatten)]
    pub(crate) server: AdminServer,
}
