//! A running server, or one that a command starts for itself.

use std::path::PathBuf;

use clap::Args;
use duet_bench::targets::http::Url;

use super::admin_server::TrustFlags;

/// The server, and the caller's credentials.
#[derive(Debug, Args)]
pub(crate) struct AnyServer {
    /// An application or a database, as of `duet serve`
    #[arg(value_name = "SOURCE", required_unless_present = "url")]
    pub(crate) source: Option<String>,
    /// A running server: `http://host:port`, `https://…` or `unix:PATH:/`
    #[arg(long, value_name = "URL", conflicts_with_all = ["source", "state"])]
    pub(crate) url: Option<Url>,
    /// The state file with the clients of the server of its own; without clients, one with all rights is made for the run
    #[arg(long, value_name = "PATH")]
    pub(crate) state: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) caller: CallerFlags,
}

/// The caller's credentials, and the certificate that it trusts.
#[derive(Debug, Args)]
pub(crate) struct CallerFlags {
    /// A bearer token, or an API key
    #[arg(long, value_name = "TOKEN", env = "DUET_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// A client, ID:SECRET; preferably in the environment instead of the command line
    #[arg(long, value_name = "ID:SECRET", env = "DUET_CLIENT", hide_env_values = true)]
    pub(crate) client: Option<String>,
    #[command(flatten)]
    pub(crate) trust: TrustFlags,
}
