//! `duet journal`: rows that are acknowledged from a journal.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::application_flags::ApplicationFlags;
use super::setting_flags::SettingFlags;

/// Make what the ingest journal needs in a database, say how it is, and read its files
///
/// A server that finds these tables acknowledges new rows from its journal where a request says
/// `Prefer: respond-async`, and writes them to the database afterwards.
#[derive(Debug, Args)]
pub(crate) struct Journal {
    #[command(subcommand)]
    pub(crate) action: JournalAction,
}

/// The command.
#[derive(Debug, Subcommand)]
pub(crate) enum JournalAction {
    /// Make the tables of marks, heads, dead letters and losses
    ///
    /// On PostgreSQL they are `duet.journal_marks`, `duet.journal_heads`, `duet.journal_dead_letters`
    /// and `duet.journal_losses`, in a schema that is never served; in a SQLite file
    /// `duet_journal_marks` and so on, which are not served either. Until they exist,
    /// `Prefer: respond-async` is ignored. Safe to repeat, and needed again after an update that adds
    /// one. Where another user than that of `duet serve` makes them, `--server-role` grants that one
    /// what it needs.
    Prepare {
        /// The database: `postgres://…`, `host=… dbname=…`, `sqlite:PATH` or a path
        #[arg(long, value_name = "URL", env = "DUET_DATABASE", hide_env_values = true)]
        database: String,
        /// The PostgreSQL role of `duet serve`: it is granted what it needs of the tables
        #[arg(long, value_name = "ROLE")]
        server_role: Option<String>,
    },
    /// Say how a journal is, and what to do next; exit code 1 if rows are lost or may be
    ///
    /// Segments, rows that wait, dead letters, what is missing or damaged. A server may be using the
    /// journal meanwhile; nothing is changed.
    Status {
        #[command(flatten)]
        of: JournalOf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Go on without rows that are missing or cannot be read
    ///
    /// Lists what is lost, and does it if --yes is given. Rows that can be read are kept and will be
    /// written to the database; damaged files stay in the folder as `….damaged`. Clients that ask for
    /// lost rows are told so. A server that uses the journal has to be stopped first; one that could
    /// not open it goes on by itself. Broken off anywhere, it has happened or not.
    AcceptLoss {
        #[command(flatten)]
        of: JournalOf,
        /// Accept the loss of what is listed
        #[arg(long)]
        yes: bool,
    },
    /// List the segments of a journal, or its records; nothing is changed or locked
    Inspect {
        /// The folder of the journal, or one of its segments
        path: PathBuf,
        /// Print a line of JSON for each record
        #[arg(long)]
        records: bool,
    },
    /// Check every checksum of a journal; exit code 1 if acknowledged rows cannot be read
    ///
    /// A torn tail of the last segment is no damage: a power cut leaves it, and nothing of it was
    /// acknowledged.
    Verify {
        /// The folder of the journal, or one of its segments
        path: PathBuf,
    },
    /// Print the rows of a journal as lines of JSON; nothing is changed or locked
    ///
    /// With --resource the lines are the rows alone, as `batchload` takes them. Segments are removed
    /// once their rows are in the database, so some of the rows may be there already.
    Replay {
        /// The folder of the journal, or one of its segments
        path: PathBuf,
        /// Only rows behind this sequence id
        #[arg(long, value_name = "ID", default_value_t = 0)]
        after: u64,
        /// Only rows of this resource, such as /ords/hr/team
        #[arg(long, value_name = "PATH")]
        resource: Option<String>,
    },
}

/// Whose journal.
#[derive(Debug, Args)]
pub(crate) struct JournalOf {
    /// The databases and applications, as `duet serve` takes them; for `status` the folder of a
    /// journal too, of which its files alone are read [env: DUET_DATABASE]
    #[arg(value_name = "SOURCE")]
    pub(crate) sources: Vec<String>,
    #[command(flatten)]
    pub(crate) named: ApplicationFlags,
    /// The database of the application, instead of the one that it names
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}
