//! `duet infer`: an application's files, drafted from documents.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Write tables and duality views that hold sample documents
///
/// Each file, or folder of files, is a collection: a JSON array, one object, or an object to a line. The members
/// become columns by the types of their values; lists of objects become tables of their own, sub-objects that
/// are equal wherever their key is equal become shared tables, and members of several types or in few documents
/// go to a JSON column. Comments in the files say what the samples had. Then every sample is written through
/// the views into a scratch SQLite database and read back; differences are listed by document and JSON pointer,
/// with exit code 1.
///
/// With --against the tables that are there are kept: new members become columns that may be NULL, or tables.
#[derive(Debug, Args)]
pub(crate) struct Infer {
    /// Files of documents, or folders of such files
    #[arg(required = true, value_name = "DOCUMENTS")]
    pub(crate) documents: Vec<PathBuf>,
    /// The folder of the application; it is made. By default the name of the first collection
    #[arg(long, value_name = "FOLDER", conflicts_with = "against")]
    pub(crate) into: Option<PathBuf>,
    /// The store that schema.sql is for; views are the same for both
    #[arg(
        long = "for",
        value_name = "STORE",
        value_enum,
        default_value = "sqlite",
        conflicts_with = "against"
    )]
    pub(crate) store: InferStore,
    /// The folder of an application that is to hold the documents too: a migration with what its database lacks
    /// and new views are written into it, beside those that are there
    #[arg(long, value_name = "APP")]
    pub(crate) against: Option<PathBuf>,
    /// With --against: the database; by default DUET_DATABASE, or the application's
    #[arg(long, value_name = "URL", requires = "against")]
    pub(crate) database: Option<String>,
    /// With --against: documents that views of the same names hold already, for the check; may be repeated
    #[arg(long, value_name = "DOCUMENTS", requires = "against")]
    pub(crate) old: Vec<PathBuf>,
    /// Do not write the samples and read them back
    #[arg(long)]
    pub(crate) no_check: bool,
}

/// A store that tables are drafted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InferStore {
    /// SQLite
    Sqlite,
    /// PostgreSQL
    Postgres,
}

impl InferStore {
    /// Its name, as files for it end.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}
