//! The running server that a command talks to.

use std::path::PathBuf;

use clap::Args;
use duet_bench::targets::http::{Trust, Url};

use crate::command_error::CommandError;
use crate::report::Outcome;

/// Which certificate of an https server is trusted.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TrustFlags {
    /// The authority of an https server's certificate, or that certificate itself, a PEM file [default:
    /// the system's authorities]
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub(crate) cacert: Option<PathBuf>,
    /// Accept any certificate of an https server: its identity is not verified
    #[arg(long)]
    pub(crate) insecure: bool,
}

impl TrustFlags {
    /// The URL with the trust of these flags.
    ///
    /// # Errors
    /// `CommandLine` where they are given for a URL without certificates.
    pub(crate) fn of(&self, url: &Url) -> Outcome<Url> {
        let (flag, trust) = match (&self.cacert, self.insecure) {
            (Some(file), _) => ("--cacert", Trust::File(file.clone())),
            (None, true) => ("--insecure", Trust::Anything),
            (None, false) => return Ok(url.clone()),
        };
        if url.trust.is_none() {
            let message = format!("`{flag}` is for servers by https://, and {url} is none.");
            return Err(CommandError::usage(message));
        }
        Ok(Url { trust: Some(trust), ..url.clone() })
    }
}

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
    #[command(flatten)]
    pub(crate) trust: TrustFlags,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
