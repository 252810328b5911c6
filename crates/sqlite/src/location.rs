//! SQLite's files as locations of databases.

use std::future::ready;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use duet_model::{Code, CollectionTable, Error, Result};
use duet_sql::{Dialect, Sqlite};
use duet_store::database::SharedStore;
use duet_store::location::{Location, OpenOptions, Pending, PlainTarget, StoreEntry};
use duet_store::setup::copy::CopySource;
use duet_store::setup::indexes::IndexEntry;
use duet_store::setup::load::{Load, LoadedRows};
use duet_store::setup::migrate::{
    DeclaredObjects, Indexes, MadeObjects, Observer, Options, Plan, TriedPlan,
};
use duet_store::setup::own_part::OwnPart;

use crate::database::Database;
use crate::setup::copy::SqliteSource;
use crate::setup::migrate::{apply_sqlite, prepare_sqlite, try_sqlite};
use crate::setup::own_tables::{make_own, run_script};
use crate::setup::{indexes, load, sample_copy};

/// How databases of SQLite are named and opened.
pub const ENTRY: StoreEntry = StoreEntry {
    schemes: &[SCHEME],
    forms: &["`sqlite:PATH`", "the path of a SQLite file"],
    takes: |_, _| true,
    dialect: &Sqlite,
    locate,
    file: Some(file),
};

const SCHEME: &str = "sqlite:";

/// A file.
#[derive(Debug)]
struct SqliteFile(PathBuf);

/// A file that exists or will be made.
fn file(path: PathBuf) -> Arc<dyn Location> {
    Arc::new(SqliteFile(path))
}

/// `sqlite:PATH`, also with the slashes of a URL: `sqlite:///PATH` is absolute; or a path.
fn locate(text: &str, folder: &Path) -> Result<Arc<dyn Location>> {
    let path = text.strip_prefix(SCHEME).unwrap_or(text);
    let path = path.strip_prefix("//").unwrap_or(path);
    if path.is_empty() {
        return Err(Error::new(Code::Setting, "`sqlite:` needs the path of a file."));
    }
    if path == ":memory:" {
        let message = "A database in memory cannot be shared by connections: name a file.";
        return Err(Error::new(Code::Setting, message));
    }
    Ok(file(folder.join(path)))
}

/// What is done at once.
fn now<'a, T: 'a>(done: Result<T>) -> Pending<'a, T> {
    Box::pin(ready(done))
}

/// `read_database` beside a file.
fn no_standbys() -> Error {
    let message =
        "`read_database` names standbys of a PostgreSQL server, and a SQLite file has none.";
    Error::new(Code::Setting, message)
        .hint("Leave `read_database` out, or serve a PostgreSQL database.")
}

impl Location for SqliteFile {
    fn store(&self) -> &'static str {
        "sqlite"
    }

    fn title(&self) -> &'static str {
        "SQLite"
    }

    fn describe(&self) -> Result<String> {
        Ok(self.0.display().to_string())
    }

    fn name(&self) -> Result<String> {
        let stem = self.0.file_stem();
        Ok(stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default())
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.0)
    }

    fn at_file(&self, path: PathBuf) -> Option<Arc<dyn Location>> {
        Some(file(path))
    }

    fn dialect(&self) -> &'static dyn Dialect {
        &Sqlite
    }

    fn open(&self, options: OpenOptions) -> Pending<'_, SharedStore> {
        if !options.standbys.urls.is_empty() {
            return now(Err(no_standbys()));
        }
        let opened = Database::open(&self.0, &options.files, options.limits);
        now(opened.map(|database| -> SharedStore { Arc::new(database) }))
    }

    fn plain(&self) -> Result<PlainTarget> {
        Ok(PlainTarget::File(self.0.clone()))
    }

    fn load<'a>(&'a self, load: &'a Load) -> Pending<'a, LoadedRows> {
        now(load::into_sqlite(&self.0, load))
    }

    fn make_own(&self, part: OwnPart) -> Pending<'_, bool> {
        now(make_own(&self.0, part))
    }

    fn run_script<'a>(&'a self, script: &'a str) -> Pending<'a, ()> {
        now(run_script(&self.0, script))
    }

    fn try_migration(&self, declared: DeclaredObjects, options: Options) -> Pending<'_, TriedPlan> {
        now(try_sqlite(&self.0, declared, options))
    }

    fn migrate<'a>(
        &'a self,
        declared: DeclaredObjects,
        options: Options,
        observer: Observer<'a>,
    ) -> Pending<'a, Plan> {
        now(apply_sqlite(&self.0, declared, options, observer))
    }

    fn prepare_collections(
        &self,
        tables: Vec<CollectionTable>,
        indexes: Indexes,
    ) -> Pending<'_, MadeObjects> {
        now(prepare_sqlite(&self.0, tables, indexes))
    }

    fn indexes(&self) -> Pending<'_, Vec<IndexEntry>> {
        now(indexes::of_sqlite(&self.0))
    }

    fn copy_source(&self) -> Result<Box<dyn CopySource>> {
        Ok(Box::new(SqliteSource::open(&self.0)?))
    }

    fn copy_sample<'a>(
        &'a self,
        from: &'a dyn Location,
        _: Option<&'a str>,
        tables: Vec<CollectionTable>,
        rows: u64,
    ) -> Pending<'a, ()> {
        now(match from.path() {
            Some(from) => sample_copy::copy_sqlite(&self.0, from, tables, rows),
            None => Err(self.lacks("copies of documents of another store")),
        })
    }

    fn notices_commits(&self) -> bool {
        true
    }
}
