//! The command line of `duet prepare`.

use clap::Args;

use super::{ApplicationFlags, SettingFlags};

/// Make what an application needs in its database besides its own tables
///
/// Collections' tables and indexes, the table of idempotency keys, the tables of the journal where
/// there is one, what tells PostgreSQL's rowstores of the commits of others, and what records
/// changes for webhooks. `duet serve` makes nothing. Safe to repeat: it says what it made, what was
/// there, and what is not needed. The commands `duet collection`, `service`, `journal`, `rowstore`
/// and `webhook` have a `prepare` for each part alone, with further options.
#[derive(Debug, Args)]
pub(crate) struct Prepare {
    /// The application or the database, as `duet serve` takes it [env: DUET_DATABASE]
    #[arg(value_name = "SOURCE")]
    pub(crate) source: Option<String>,
    /// The database of the application, instead of the one that it names
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
    /// The PostgreSQL role of `duet serve`: it is granted what it needs
    #[arg(long, value_name = "ROLE")]
    pub(crate) server_role: Option<String>,
    #[command(flatten)]
    pub(crate) named: ApplicationFlags,
    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}
