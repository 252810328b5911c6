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
#[derive(Debug, Args)]
pub(crate) struct Infer {
    /// Files of documents, or folders of such files
    #[arg(required = true, value_name = "DOCUMENTS")]
    pub(crate) documents: Vec<PathBuf>,
    /// The folder of the application; it is made. By default the name of the first collection
    #[arg(long, value_name = "FOLDER")]
    pub(crate) into: Option<PathBuf>,
    /// The store that schema.sql is for; views are the same for both
    #[arg(long = "for", value_name = "STORE", value_enum, default_value = "sqlite")]
    pub(crate) store: InferStore,
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
