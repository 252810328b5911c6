//! `duet rowstore`: items in memory of a running server, and what they need in a database.

use clap::{Args, Subcommand};
use duet_store::Capture;

use super::AdminServer;
use crate::settings::{ByteSize, Value};

/// List, resize, drop and populate the items that a running server keeps in memory
///
/// The caller needs the role duet.admin: give its token, or a client that gets one. `prepare` needs no
/// server: it makes what captures the commits of other programs in a database.
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
        server: AdminServer,
    },
    /// Set how much memory the items of a resource may take, from now on
    Resize {
        /// The path of the resource, such as /ords/hr/team
        resource: String,
        /// The size, such as 8MB; 0 drops the items and keeps none
        #[arg(value_parser = <ByteSize as Value>::read)]
        bytes: ByteSize,
        #[command(flatten)]
        server: AdminServer,
    },
    /// Drop the items of a resource and keep none from now on
    Drop {
        /// The path of the resource, such as /ords/hr/team
        resource: String,
        #[command(flatten)]
        server: AdminServer,
    },
    /// Read all items of a resource into memory, in the background
    Populate {
        /// The path of the resource, such as /ords/hr/team
        resource: String,
        #[command(flatten)]
        server: AdminServer,
    },
    /// Prepare a PostgreSQL database for capturing the commits of other programs
    ///
    /// With them, items stay in memory until they change, whoever changes them. On a server with
    /// `wal_level = logical` it makes the publication `duet_rowstore`, which costs writes nothing; else
    /// the table `duet.change`, which triggers fill, in a schema that is never served. `duet serve` makes
    /// neither. Safe to repeat, and needed again when tables were made. Connect as the owner of the
    /// tables or as a superuser.
    Prepare {
        /// The database: `postgres://…` or `host=… dbname=…`
        #[arg(long, value_name = "URL", env = "DUET_DATABASE", hide_env_values = true)]
        database: String,
        /// What to make: `stream` the publication, `table` the change table with its triggers, `auto`
        /// what fits the server
        #[arg(long, value_name = "WORD", default_value = "auto", value_parser = means)]
        means: Capture,
        /// Remove both instead
        #[arg(long, conflicts_with = "means")]
        remove: bool,
        /// The role of `duet serve`: it is granted what it needs of the change table
        #[arg(long, value_name = "ROLE", conflicts_with = "remove")]
        server_role: Option<String>,
    },
}

fn means(text: &str) -> Result<Capture, String> {
    match <Capture as Value>::read(text) {
        Ok(Capture::Off) | Err(_) => Err("use `auto`, `stream` or `table`".into()),
        means => means,
    }
}
