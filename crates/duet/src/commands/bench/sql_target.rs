//! A database as target of a run: named on the command line, or made for the run.

use std::path::{Path, PathBuf};

use duet_bench::generate::load::{self, LoadError, Options};
use duet_bench::generate::{Named, SEED};
use duet_bench::result::TargetFacts;
use duet_bench::targets::sql::Database;
use duet_model::{Code, Error, Result};
use tempfile::TempDir;

use super::session::cannot;
use crate::database_url::DatabaseUrl;

/// How SQLite's writers of a run wait for the disk: as its users are advised to, with write-ahead logging.
const SYNCHRONOUS: &str = "normal";

/// A database, and the folder that it lies in where it was made for the run.
pub(super) struct SqlTarget {
    pub(super) database: Database,
    pub(super) folder: Option<TempDir>,
}

impl SqlTarget {
    /// The database that a text names; without one, a SQLite file with the data set at that scale.
    ///
    /// # Errors
    /// Where the text names none, or the data cannot be made.
    pub(super) fn open(target: Option<&str>, set: Named, scale: f64) -> Result<Self> {
        if let Some(target) = target {
            return Ok(Self { database: named(target)?, folder: None });
        }
        let folder = tempfile::Builder::new().prefix("duet-bench-").tempdir();
        let folder = folder.map_err(Error::internal)?;
        let database = sqlite(&folder.path().join("bench.sqlite"));
        fill(&database, set, scale)?;
        Ok(Self { database, folder: Some(folder) })
    }

    /// What a result says of it.
    pub(super) fn facts(&self) -> TargetFacts {
        let (kind, transport) = match &self.database {
            Database::Postgres(url) => {
                let is_socket = url.contains("host=/") || url.contains("host=%2F");
                ("postgres", if is_socket { "unix" } else { "tcp" })
            }
            Database::Sqlite { .. } => ("sqlite", "in process"),
        };
        TargetFacts {
            kind: kind.into(),
            address: self.database.address(),
            transport: transport.into(),
            ..TargetFacts::default()
        }
    }
}

/// The database that a text names.
pub(super) fn named(target: &str) -> Result<Database> {
    match DatabaseUrl::read(target, Path::new(""))? {
        DatabaseUrl::Postgres(url) => Ok(Database::Postgres(url)),
        DatabaseUrl::Sqlite(path) if path.exists() => Ok(sqlite(&path)),
        DatabaseUrl::Sqlite(path) => {
            let message = format!("There is no database {}.", path.display());
            Err(Error::new(Code::Setting, message).hint("`duet load` makes one."))
        }
    }
}

/// A SQLite file.
pub(super) fn sqlite(path: &Path) -> Database {
    Database::Sqlite { path: PathBuf::from(path), synchronous: SYNCHRONOUS.into() }
}

/// Loads a data set.
///
/// # Errors
/// Where the database refuses.
pub(super) fn fill(database: &Database, set: Named, scale: f64) -> Result<()> {
    let target = database.target().map_err(|failed| cannot("The database", &failed))?;
    let options = Options { threads: Options::usual_threads(), replace: false };
    let loaded = load::load(&target, set, &set.make(scale, SEED, false), options, &|_| ());
    loaded.map(drop).map_err(|error| {
        let cause = match &error {
            LoadError::Database(failure) => failure.said.clone(),
            other => other.to_string(),
        };
        Error::new(Code::Setting, "The data could not be made.").cause(cause)
    })
}
