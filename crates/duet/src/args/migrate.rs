//! `duet migrate`: what changed declarations of collections and migration files change in a database.

use std::time::Duration;

use clap::Args;
use duet_model::tenant::TenantName;

use crate::settings::Value;

/// Change a database to what an application's collections declare now
///
/// First what its migration files add and the database lacks is made: tables, columns and indexes.
/// Tables, references and indexes that are absent are made, indexes whose declaration has changed are
/// built anew, and those that are no longer declared are dropped: only those that Duet has made, known by
/// name and definition. On PostgreSQL indexes are built beside writes (CREATE INDEX CONCURRENTLY); on
/// SQLite each step is a transaction, during which writes wait. A migration that was interrupted is
/// continued or undone by the next one.
///
/// Exit codes: 0 done, or with --dry-run nothing to do; 3 with --dry-run changes are pending; 1 an error, also
/// one that --dry-run foresees.
#[derive(Debug, Args)]
pub(crate) struct Migrate {
    /// The application: a folder with an app.toml, or the name of a built-in one
    #[arg(value_name = "SOURCE")]
    pub(crate) app: String,
    /// The database: `postgres://…`, `host=… dbname=…`, `sqlite:PATH` or a path; by default the
    /// application's
    #[arg(long, value_name = "URL", env = "DUET_DATABASE", hide_env_values = true)]
    pub(crate) database: Option<String>,
    /// The tenant whose database it is, of an application with `tenants`
    #[arg(long, value_name = "TENANT")]
    pub(crate) tenant: Option<TenantName>,
    /// Print the steps with their SQL, and what comes of trying them: they are undone again
    ///
    /// All are tried in one transaction that is rolled back. On SQLite writes wait meanwhile. On PostgreSQL a
    /// statement is given up after --lock-timeout for its lock; what is left after 5 seconds is not tried, nor
    /// are indexes that are built beside writes.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Keep indexes that are no longer declared
    #[arg(long)]
    pub(crate) no_drop: bool,
    /// PostgreSQL: how long a step may wait for a lock that requests wait for behind it; then it lets them
    /// pass, and is tried again, 60 times in all
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "1s",
        value_parser = <Duration as Value>::read
    )]
    pub(crate) lock_timeout: Duration,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
