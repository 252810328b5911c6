//! Loading: an application's tables and data come into a database, in one transaction, whole or
//! not at all. The only place that makes tables.

use std::path::PathBuf;

use duet_model::{Code, Error};

/// The tables, functions and rows to load.
#[derive(Clone, Debug, Default)]
pub struct Load {
    /// Where tables and rows come from, in order.
    pub sources: Vec<LoadSource>,
    /// The created tables, in the database's spelling.
    pub tables: Vec<String>,
    /// The created functions; only on PostgreSQL.
    pub functions: Vec<String>,
    /// The schema they go to, made if need be; only on PostgreSQL. Without it, the first of the
    /// search path.
    pub schema: Option<String>,
    /// Drop tables and functions of these names first, with what depends on them.
    pub replace: bool,
}

/// Where tables and rows come from.
#[derive(Clone, Debug)]
pub enum LoadSource {
    /// A script in the store's SQL.
    Script {
        /// Its name, for messages.
        name: String,
        /// Its text.
        text: String,
    },
    /// A SQLite file whose tables and indexes are copied; only into SQLite.
    Database(PathBuf),
}

/// Rows by table, in the order of [`Load::tables`].
pub type LoadedRows = Vec<(String, u64)>;

/// The refusal to overwrite existing tables.
pub fn refused(existing: &[String], database: &str) -> Error {
    let names = existing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let (is, them) = if existing.len() == 1 { ("is", "it") } else { ("are", "them") };
    let message = format!("{names} {is} already in {database}. Nothing was loaded.");
    Error::new(Code::Setting, message)
        .hint(format!("`--replace` drops {them} first, with everything that depends on {them}."))
}

/// A script that failed.
pub fn failed(script: &str, line: Option<usize>, message: &str) -> Error {
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    Error::new(Code::Setting, format!("{script}{line} failed: {message}. Nothing was loaded."))
}

/// A name in double quotes.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
