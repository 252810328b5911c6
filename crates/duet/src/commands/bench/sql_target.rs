//! A database as target of a run: named on the command line, or made for the run.

use std::path::{Path, PathBuf};

use duet_bench::targets::sql::Database;
use duet_db::raw::Connection;
use duet_model::{Code, Error, Result};
use duet_verdict::result::TargetFacts;
use duet_workloads::generate::load::{self, LoadError, Options};
use duet_workloads::generate::{SEED, Source};

use super::session::cannot;
use super::undo::Folder;
use crate::database_url::DatabaseUrl;

/// How SQLite's writers of a run wait for the disk: as its users are advised to, with write-ahead logging.
const SYNCHRONOUS: &str = "normal";

/// A database, and the folder that it lies in where it was made for the run.
pub(super) struct SqlTarget {
    pub(super) database: Database,
    pub(super) folder: Option<Folder>,
}

impl SqlTarget {
    /// The database that a text names; without one, a SQLite file with the data set at that scale.
    ///
    /// # Errors
    /// Where the text names none, or the data cannot be made.
    pub(super) fn open(target: Option<&str>, set: &'static dyn Source, scale: f64) -> Result<Self> {
        if let Some(target) = target {
            return Ok(Self { database: named(target)?, folder: None });
        }
        let folder = Folder::new()?;
        let database = sqlite(&folder.path().join("bench.sqlite"));
        fill(&database, set, scale)?;
        Ok(Self { database, folder: Some(folder) })
    }

    /// What a result says of it.
    pub(super) fn facts(&self) -> TargetFacts {
        let kind = match &self.database {
            Database::Postgres(_) => "postgres",
            Database::Sqlite { .. } => "sqlite",
        };
        TargetFacts {
            kind: kind.into(),
            address: self.database.address(),
            transport: self.database.transport().into(),
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

/// Whether two targets are one database, reached by two ways perhaps. Of what cannot be asked it is not
/// knows, and services are never held to be one.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    match (named(one), named(other)) {
        (Ok(Database::Sqlite { path: one, .. }), Ok(Database::Sqlite { path: other, .. })) => {
            let (one, other) = (one.canonicalize(), other.canonicalize());
            one.is_ok() && one.ok() == other.ok()
        }
        (Ok(one @ Database::Postgres(_)), Ok(other @ Database::Postgres(_))) => {
            let (one, other) = (identity(&one), identity(&other));
            one.is_some() && one == other
        }
        _ => false,
    }
}

/// What no two databases of PostgreSQL have in common.
fn identity(database: &Database) -> Option<String> {
    // A time as text would depend on the zone of each role.
    const ASK: &str = "SELECT extract(epoch FROM pg_postmaster_start_time())::text || ' ' || oid \
        FROM pg_database WHERE datname = current_database()";
    let target = database.target().ok()?;
    super::super::runtime().ok()?.block_on(async {
        let mut connection = Connection::open(&target, "duet bench").await.ok()?;
        let rows = connection.ask(ASK, &[]).await.ok()?;
        connection.close().await;
        rows.first(0).map(ToString::to_string)
    })
}

/// A SQLite file.
pub(super) fn sqlite(path: &Path) -> Database {
    Database::Sqlite { path: PathBuf::from(path), synchronous: SYNCHRONOUS.into() }
}

/// Loads a data set.
///
/// # Errors
/// Where the database refuses.
pub(super) fn fill(database: &Database, set: &'static dyn Source, scale: f64) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_database_whatever_zone_a_role_lives_in() {
        let database = duet_testkit::postgres::Server::shared().database("bench_identity");
        let url = database.url();
        let zone = |zone: &str| {
            database.query(&format!("ALTER DATABASE bench_identity SET timezone = '{zone}'"));
            identity(&Database::Postgres(url.clone())).unwrap()
        };
        assert_eq!(zone("UTC"), zone("Asia/Tokyo"));
    }
}
