//! `duet rowstore`: items in memory of a running server.

use clap::{Args, Subcommand};
use duet_bench::targets::http::Url;

use crate::settings::{ByteSize, Value};

/// List, resize, drop and populate the items that a running server keeps in memory
///
/// The caller needs the role duet.admin: give its token, or a client that gets one.
#[derive(Debug, Args)]
pub(crate) struct Rowstore {
    #[command(subcommand)]
    pub(crate) action: RowstoreAction,
}

/// The command.
#[derive(Debug, Subcommand)]
pub(crate) enum RowstoreAction {
    /// List the resources that keep items: their state, size and use
    List {
        #[command(flatten)]
        server: RowstoreServer,
    },
    /// Set how much memory the items of a resource may take, from now on
    Resize {
        /// The path of the resource, such as /ords/hr/team
        resource: String,
        /// The size, such as 8MB; 0 drops the items and keeps none
        #[arg(value_parser = <ByteSize as Value>::read)]
        bytes: ByteSize,
        #[command(flatten)]
        server: RowstoreServer,
    },
    /// Drop the items of a resource and keep none from now on
    Drop {
        /// The path of the resource, such as /ords/hr/team
        resource: String,
        #[command(flatten)]
        server: RowstoreServer,
    },
    /// Read all items of a resource into memory, in the background
    Populate {
        /// The path of the resource, such as /ords/hr/team
        resource: String,
        #[command(flatten)]
        server: RowstoreServer,
    },
}

/// The server, and the output format.
#[derive(Debug, Args)]
pub(crate) struct RowstoreServer {
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
