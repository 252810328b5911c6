//! `duet mcp`: agents on standard input and output.

use std::path::PathBuf;

use clap::Args;
use duet_bench::targets::http::Url;

use super::admin_server::TrustFlags;

/// Serve agents on standard input and output, by the Model Context Protocol
///
/// With SOURCE, a server of its own is started for it on a free port of this machine, and ended with the input; the
/// variables of `duet serve` (DUET_…) set it. With --url, messages are passed on to a running server, which was started with
/// `--mcp read` or `--mcp write`. Agents have the rights of the token or the client, and read unless they are allowed more.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// An application or a database, as of `duet serve`
    #[arg(value_name = "SOURCE", required_unless_present = "url")]
    pub(crate) source: Option<String>,
    /// A running server: `http://host:port`, `https://…` or `unix:PATH:/`
    #[arg(long, value_name = "URL", conflicts_with_all = ["source", "write", "state"])]
    pub(crate) url: Option<Url>,
    /// Let agents write, where the client may: each change is tried first, and committed by a second call
    #[arg(long)]
    pub(crate) write: bool,
    /// The state file with the clients of the server of its own; without clients, one with all rights is made for the run
    #[arg(long, value_name = "PATH")]
    pub(crate) state: Option<PathBuf>,
    /// A bearer token, or an API key
    #[arg(long, value_name = "TOKEN", env = "DUET_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// A client, ID:SECRET; preferably in the environment instead of the command line
    #[arg(long, value_name = "ID:SECRET", env = "DUET_CLIENT", hide_env_values = true)]
    pub(crate) client: Option<String>,
    #[command(flatten)]
    pub(crate) trust: TrustFlags,
}
