//! `duet journal`: rows that are acknowledged from a journal.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Read the files of an ingest journal
#[derive(Debug, Args)]
pub(crate) struct Journal {
    #[command(subcommand)]
    pub(crate) action: JournalAction,
}

/// The command.
#[derive(Debug, Subcommand)]
pub(crate) enum JournalAction {
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
