//! `duet token`: a token for other commands.

use std::path::PathBuf;

use clap::Args;
use duet_bench::targets::http::Url;

use super::admin_server::TrustFlags;

/// Print an access token of a client
///
/// For other commands, such as curl -H "Authorization: Bearer $(duet token --from ready.json)" URL. The
/// client is that of --from, else of DUET_CLIENT.
#[derive(Debug, Args)]
pub(crate) struct Token {
    /// A file with the client: the ready file of a running server, or what `duet client add --json` has
    /// printed; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// The client, ID:SECRET; preferably in the environment instead of the command line
    #[arg(long, value_name = "ID:SECRET", env = "DUET_CLIENT", hide_env_values = true)]
    pub(crate) client: Option<String>,
    /// The server, `http://host:port`, `https://…` or `unix:PATH:/`; below the mount of an application
    /// with clients of its own, such as http://127.0.0.1:8080/ords/hr. By default that of the ready
    /// file, else http://127.0.0.1:8080
    #[arg(long, value_name = "URL", env = "DUET_URL", hide_env_values = true)]
    pub(crate) url: Option<Url>,
    #[command(flatten)]
    pub(crate) trust: TrustFlags,
}
