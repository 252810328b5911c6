//! The running server that a command talks to.

use clap::Args;
use duet_bench::targets::http::Url;

/// The server, the caller's credentials, and the output format.
#[derive(Debug, Args)]
pub(crate) struct AdminServer {
    /// The server: `http://host:port`, `https://…` or `unix:PATH:/`
    #[arg(
        long,
        value_name = "URL",
        env = "DUET_URL",
        hide_env_values = true,
        default_value = "http://127.0.0.1:8080"
    )]
    pub(crate) url: Url,
    /// A bearer token of a client with the role duet.admin
    #[arg(long, value_name = "TOKEN", env = "DUET_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// A client with the role duet.admin, ID:SECRET; preferably in the environment instead of the
    /// command line
    #[arg(long, value_name = "ID:SECRET", env = "DUET_CLIENT", hide_env_values = true)]
    pub(crate) client: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
