//! `duet mcp`: agents on standard input and output.

use clap::Args;

use super::any_server::AnyServer;

/// Serve agents on standard input and output, by the Model Context Protocol
///
/// With SOURCE, a server of its own is started for it on a free port of this machine, and ended with the input; the
/// variables of `duet serve` (DUET_…) set it. With --url, messages are passed on to a running server, which was started with
/// `--mcp read` or `--mcp write`. Agents have the rights of the token or the client, and read unless they are allowed more.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    #[command(flatten)]
    pub(crate) server: AnyServer,
    /// Let agents write, where the client may: each change is tried first, and committed by a second call
    #[arg(long, conflicts_with = "url")]
    pub(crate) write: bool,
}
