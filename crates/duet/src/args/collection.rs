//! `duet collection`: what collections need in a database.

use clap::{Args, Subcommand};

/// Make the tables and indexes of an application's collections
#[derive(Debug, Args)]
pub(crate) struct Collection {
    #[command(subcommand)]
    pub(crate) action: CollectionAction,
}

/// The command.
#[derive(Debug, Subcommand)]
pub(crate) enum CollectionAction {
    /// Create the declared tables, columns and indexes that do not exist
    ///
    /// `duet serve` creates none: until its table exists, a collection is answered with 503. On
    /// PostgreSQL indexes are made beside writes (CREATE INDEX CONCURRENTLY). Safe to repeat, as after
    /// a change of the declarations, which builds changed indexes anew; what is no longer declared
    /// stays. `duet migrate` drops that, and shows the steps before.
    Prepare {
        /// The application: a folder with an app.toml, or the name of a built-in one
        #[arg(value_name = "SOURCE")]
        app: String,
        /// The database: `postgres://…`, `host=… dbname=…`, `sqlite:PATH` or a path; by default the
        /// application's
        #[arg(long, value_name = "URL", env = "DUET_DATABASE", hide_env_values = true)]
        database: Option<String>,
        /// Make tables and keys without the declared indexes, and drop those that are there: to load
        /// many documents, or to measure what indexes gain. What is declared unique is not checked then
        #[arg(long)]
        no_indexes: bool,
    },
}
