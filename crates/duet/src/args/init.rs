//! `duet init`: an application's files, drafted from a database.

use std::path::PathBuf;

use clap::Args;

/// Write an app.toml for a database, with drafts of duality views
///
/// The files serve what `duet serve DATABASE` serves, at /NAME. Names for tables and columns, keys of
/// views, documents over several tables and a privilege are in them as drafts: a draft is served when
/// the `#` before it is removed. No existing file is changed, and the database is only read.
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The database: `postgres://…`, `host=… dbname=…`, `sqlite:PATH` or a path
    #[arg(env = "DUET_DATABASE", hide_env_values = true)]
    pub(crate) database: String,
    /// The folder of the application; it is made. By default the name of the database
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// PostgreSQL: the schema to serve; by default public
    #[arg(long, value_name = "NAME")]
    pub(crate) schema: Option<String>,
}
