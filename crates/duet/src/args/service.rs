//! `duet service`: what the service needs in a database besides the application's tables.

use clap::{Args, Subcommand};

/// Make what some features of the service need in a database
#[derive(Debug, Args)]
pub(crate) struct Service {
    #[command(subcommand)]
    pub(crate) action: ServiceAction,
}

/// The command.
#[derive(Debug, Subcommand)]
pub(crate) enum ServiceAction {
    /// Make the table for idempotency keys
    ///
    /// On PostgreSQL it is `duet.idempotency`, in a schema that is never served; in a SQLite file it
    /// is `duet_idempotency`, which is not served either. `duet serve` makes no tables: until the
    /// table exists, requests with an Idempotency-Key are refused. Safe to repeat. Where another user
    /// than that of `duet serve` makes it, `--server-role` grants that one what it needs.
    Prepare {
        /// The database: `postgres://…`, `host=… dbname=…`, `sqlite:PATH` or a path
        #[arg(long, value_name = "URL", env = "DUET_DATABASE", hide_env_values = true)]
        database: String,
        /// The PostgreSQL role of `duet serve`: it is granted what it needs of the table
        #[arg(long, value_name = "ROLE")]
        server_role: Option<String>,
        /// Also make event triggers that tell servers of every change of the schema; takes a PostgreSQL superuser
        #[arg(long)]
        announce_schema: bool,
    },
}
