//! `duet import`: applications made of other systems' files.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Make an application of another system's files
#[derive(Debug, Args)]
pub(crate) struct Import {
    #[command(subcommand)]
    pub(crate) system: ImportSystem,
}

/// The system.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportSystem {
    /// Make an application of a storage module of FOLIO's raml-module-builder
    ///
    /// FOLDER is the module's repository with its submodules. Read are `schema.json`, its SQL, the RAML
    /// files with the JSON Schemas that they name, and the reference and sample data. The application
    /// has unchanged copies of what it needs. `report.md` in it says of each line of the module whether
    /// it is taken, taken otherwise, or refused, and why; what is refused is printed too.
    Rmb {
        /// The module's repository
        #[arg(value_name = "FOLDER")]
        module: PathBuf,
        /// The folder of the application; it is made. By default the module's name
        #[arg(long, value_name = "FOLDER")]
        into: Option<PathBuf>,
        /// The tenant that requests name
        #[arg(long, value_name = "NAME", default_value = "folio")]
        tenant: String,
        /// The path of a table whose resource does not follow from names: `TABLE=/PATH`; may be repeated
        #[arg(long = "path", value_name = "TABLE=PATH")]
        paths: Vec<String>,
    },
    /// Say what becomes of each line of PostgREST's configuration file
    ///
    /// Prints for each line the setting or the line of app.toml that takes its place, that it is not needed,
    /// or why it is refused; then the app.toml and the command. Nothing is written, and neither the
    /// database's address nor a secret is repeated. Exit code 2 if a line is not taken: refused, unknown or
    /// not read.
    Postgrest {
        /// PostgREST's configuration file
        #[arg(value_name = "CONF")]
        conf: PathBuf,
    },
}
