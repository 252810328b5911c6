//! The stores that there are, a line each, and the database that a text names. Nothing else in the workspace knows
//! how many stores there are, nor which.
//!
//! ```
//! use std::sync::Arc;
//! use duet_registry::DatabaseUrl;
//! use duet_store::{KeyedRead, OpenOptions, SharedStore};
//! use duet_document::Datum;
//! use duet_model::{ReadPlan, Shape, Value};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("racing.db");
//! rusqlite::Connection::open(&path)?
//!     .execute_batch("CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO team VALUES (7, 'Reds')")?;
//!
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! // What is attached stays on its thread.
//! tokio::task::LocalSet::new().block_on(&runtime, async {
//!     let store: SharedStore = DatabaseUrl::file(path)?.open(OpenOptions::default()).await?;
//!     let catalog = store.introspect().await?;
//!     let shape = Shape::of_relation(catalog.find("team").expect("the table"));
//!
//!     // Concurrent reads by key share a statement: each answer says which row is its own.
//!     let read = Arc::new(KeyedRead::new(ReadPlan::by_keys(Arc::new(shape)), store.dialect()));
//!     let handle = store.attach()?;
//!     let answer = handle.acting(None).by_key(&read, vec![Value::Int(7)]).await?;
//!     let row = answer.row.expect("there is such a row");
//!     assert_eq!(answer.fetched.roots().get(row, 1), Datum::Text(b"Reds"));
//!     Ok::<_, duet_model::Error>(())
//! })?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use duet_model::{Code, Error, Result};
use duet_sql::Dialect;

use duet_store::location::{Location, StoreEntry};

/// Every store: the schemes of its URLs, and what reads them.
const STORES: [StoreEntry; 2] = [duet_postgres::ENTRY, duet_sqlite::ENTRY];

/// A database as given, of whatever store. It may hold a password.
#[derive(Clone)]
pub struct DatabaseUrl(Arc<dyn Location>);

impl DatabaseUrl {
    /// Reads a URL such as `postgres://…` or `sqlite:PATH`, or what a store takes without one, such as `host=…` or a
    /// path. A path in it is relative to `folder`.
    ///
    /// # Errors
    /// `Setting` if it is none of these.
    pub fn read(text: &str, folder: &Path) -> Result<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Err(wrong("The database's name is empty."));
        }
        let has_scheme =
            |entry: &&StoreEntry| entry.schemes.iter().any(|scheme| text.starts_with(scheme));
        let entry = match (STORES.iter().find(has_scheme), text.split_once("://")) {
            (Some(entry), _) => Some(entry),
            (None, Some((scheme, _))) => {
                let message = format!("Databases of the kind {scheme:?} are not supported.");
                return Err(wrong(&message));
            }
            (None, None) => STORES.iter().find(|entry| (entry.takes)(text, folder)),
        };
        let entry = entry.ok_or_else(|| wrong(&format!("{text:?} names no database.")))?;
        (entry.locate)(text, folder).map(Self).map_err(hinted)
    }

    /// A database in a file, which exists or will be made.
    ///
    /// # Errors
    /// `Setting` if no store has its databases in files.
    pub fn file(path: PathBuf) -> Result<Self> {
        let open = STORES.iter().find_map(|entry| entry.file);
        open.map(|open| Self(open(path)))
            .ok_or_else(|| wrong("No store has its databases in files."))
    }

    /// Another file of the same store; this one where its databases are no files.
    #[must_use]
    pub fn beside(&self, path: PathBuf) -> Self {
        self.0.at_file(path).map_or_else(|| self.clone(), Self)
    }

    /// The names of all stores but this one, as scripts of applications have them.
    pub fn other_stores(&self) -> impl Iterator<Item = &'static str> {
        let own = self.0.store();
        stores().map(|(name, _)| name).filter(move |name| *name != own)
    }
}

impl Deref for DatabaseUrl {
    type Target = dyn Location;

    fn deref(&self) -> &(dyn Location + 'static) {
        &*self.0
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// All stores: the name of each, as files of applications have it, and its SQL.
pub fn stores() -> impl Iterator<Item = (&'static str, &'static dyn Dialect)> {
    // The name of a store is the one of its URLs.
    let name = |entry: &StoreEntry| entry.schemes.first()?.split(':').next();
    STORES.iter().filter_map(move |entry| Some((name(entry)?, entry.dialect)))
}

fn wrong(message: &str) -> Error {
    hinted(Error::new(Code::Setting, message))
}

/// Says how databases are named.
fn hinted(error: Error) -> Error {
    let forms: Vec<&str> = STORES.iter().flat_map(|entry| entry.forms.iter().copied()).collect();
    let hint = match forms.split_last() {
        Some((last, others)) => format!("Name it as {} or {last}.", others.join(", ")),
        None => String::new(),
    };
    error.hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        let read = |text: &str| DatabaseUrl::read(text, Path::new("/data"));
        for (text, store, expected) in [
            ("postgres://u@h/d", "postgres", "postgres://u@h/d"),
            ("postgresql:///d?host=/run", "postgres", "postgresql:///d?host=/run"),
            ("host=h dbname=d", "postgres", "host=h dbname=d"),
            ("service=shop", "postgres", "service=shop"),
            ("sqlite:a.db", "sqlite", "/data/a.db"),
            ("sqlite:/x/a.db", "sqlite", "/x/a.db"),
            ("sqlite:///x/a.db", "sqlite", "/x/a.db"),
            ("a.db", "sqlite", "/data/a.db"),
            ("../A=b.db", "sqlite", "/data/../A=b.db"),
        ] {
            let found = read(text).unwrap();
            assert_eq!(found.store(), store, "{text}");
            let path = found.path().map(|path| path.to_str().unwrap());
            assert_eq!(path.or(found.connection_string()), Some(expected), "{text}");
        }
        for text in ["", " ", "sqlite:", "sqlite::memory:", "mysql://h/d", "oracle://h"] {
            let error = read(text).unwrap_err();
            assert!(error.hint.is_some_and(|hint| hint.contains("postgres://")), "{text}");
        }
    }

    #[test]
    fn names_of_stores_are_those_of_their_databases() {
        let names: Vec<&str> = stores().map(|(name, _)| name).collect();
        assert_eq!(names, ["postgres", "sqlite"]);
        let file = DatabaseUrl::file("/a.db".into()).unwrap();
        assert!(names.contains(&file.store()));
        assert_eq!(file.other_stores().collect::<Vec<_>>(), ["postgres"]);
    }
}
