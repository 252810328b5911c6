//! The command line of `duet copy`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use duet_store::setup::copy::remainder::RemainderKind;

use super::ApplicationFlags;

/// Copy a SQLite file, or an application's, to PostgreSQL
///
/// Tables, keys, indexes, rows, collections, idempotency keys and what the journal has applied are
/// copied; the file is locked against writers meanwhile, and not changed. What PostgreSQL cannot have
/// alike is listed, and nothing is copied until it is changed or left out. At the end both databases
/// are read whole through Duet, and the JSON of every row is compared. A copy that was interrupted
/// goes on where it ended when the command is repeated.
#[derive(Debug, Args)]
pub(crate) struct Copy {
    /// The application or the SQLite file
    #[arg(value_name = "SOURCE")]
    pub(crate) source: String,
    /// The database to fill: `postgres://…` or `host=… dbname=…`
    #[arg(value_name = "TARGET")]
    pub(crate) target: String,
    #[command(flatten)]
    pub(crate) named: ApplicationFlags,
    /// The schema of the tables; by default the application's, or the first of the search path
    #[arg(long, value_name = "NAME")]
    pub(crate) schema: Option<String>,
    /// Whether tables are made, or are there already, empty, made by you
    #[arg(long, value_name = "HOW", default_value = "made")]
    pub(crate) tables: CopiedTables,
    /// Go on without these
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    pub(crate) leave_out: Vec<String>,
    /// The file of clients and keys, which go to the table `duet.state`
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// How the copy is verified: by all JSON, or by the number of rows alone
    #[arg(long, value_name = "HOW", default_value = "json")]
    pub(crate) verify: Verification,
    /// Print the statements, try them, look for values that do not fit their columns, and copy nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Who makes the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CopiedTables {
    /// The copy.
    Made,
    /// The user did.
    Kept,
}

/// How a copy is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Verification {
    /// The JSON of every row.
    Json,
    /// The number of rows.
    Counts,
}

fn kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(RemainderKind::left_out().map(|row| row.name))
}
