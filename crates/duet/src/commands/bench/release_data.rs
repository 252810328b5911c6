//! A fresh copy of the data for each build that is started: a file, a folder, or a database that
//! PostgreSQL makes from a template.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use duet_db::raw::{Connection, Target};
use duet_model::{Code, Error, Result};

use super::super::database::postgres_settings;
use super::undo::{Folder, Made};
use crate::database_url::DatabaseUrl;

/// What copies are made of.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// An empty folder each time.
    Nothing,
    /// A file or a folder.
    Files(PathBuf),
    /// A database, by its URL.
    Template(String),
}

/// A copy; dropping it removes it.
#[derive(Debug)]
pub(super) struct Copy {
    /// As it stands in a command.
    pub(super) text: String,
    _folder: Option<Folder>,
    database: Option<Database>,
}

/// A database that was made.
#[derive(Debug)]
struct Database {
    /// Another one of the same server.
    beside: String,
    name: String,
    _made: Made,
}

impl Source {
    /// Of what was named on the command line.
    ///
    /// # Errors
    /// Where there is no such file, or the URL names no database.
    pub(super) fn of(text: Option<&str>) -> Result<Self> {
        let Some(text) = text else { return Ok(Self::Nothing) };
        match DatabaseUrl::read(text, Path::new(""))? {
            DatabaseUrl::Postgres(url) => match with_database(&url, "postgres") {
                Some(_) => Ok(Self::Template(url)),
                None => Err(Error::new(Code::Setting, "The template's URL names no database.")
                    .hint("Such as postgres:///template.")),
            },
            DatabaseUrl::Sqlite(path) if path.exists() => Ok(Self::Files(path)),
            DatabaseUrl::Sqlite(path) => {
                let message = format!("There are no data at {}.", path.display());
                Err(Error::new(Code::Setting, message))
            }
        }
    }

    /// A fresh copy.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub(super) fn copy(&self) -> Result<Copy> {
        if let Self::Template(url) = self {
            return from_template(url);
        }
        let folder = Folder::new()?;
        let to = match self {
            Self::Files(path) => {
                let to = folder.path().join(path.file_name().unwrap_or_default());
                copy_all(path, &to).map_err(|error| {
                    let message = format!("{} cannot be copied: {error}.", path.display());
                    Error::new(Code::Setting, message)
                })?;
                to
            }
            Self::Nothing | Self::Template(_) => folder.path().to_owned(),
        };
        let text = to.to_string_lossy().into_owned();
        Ok(Copy { text, _folder: Some(folder), database: None })
    }
}

/// A file with what SQLite keeps beside it, or a folder with all that is in it.
fn copy_all(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_all(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    let log = |path: &Path| PathBuf::from(format!("{}-wal", path.display()));
    if log(from).exists() {
        fs::copy(log(from), log(to))?;
    }
    fs::copy(from, to).map(drop)
}

fn from_template(url: &str) -> Result<Copy> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("duet_bench_{}_{number}", std::process::id());
    let wrong = || Error::new(Code::Setting, "The template's URL names no database.");
    let beside = with_database(url, "postgres").ok_or_else(wrong)?;
    let text = with_database(url, &name).ok_or_else(wrong)?;
    let template = database_of(url).ok_or_else(wrong)?.replace('"', "\"\"");
    // Remembered before it is there: making it takes its time.
    let made = Made::undone_by({
        let (beside, name) = (beside.clone(), name.clone());
        move || drop(order(&beside, &dropped(&name)))
    });
    order(&beside, &format!("CREATE DATABASE {name} TEMPLATE \"{template}\""))?;
    Ok(Copy { text, _folder: None, database: Some(Database { beside, name, _made: made }) })
}

fn order(url: &str, sql: &str) -> Result<()> {
    let target = Target::Postgres(postgres_settings(url)?.connector()?);
    super::super::runtime()?.block_on(async {
        let refused = |failure: duet_db::raw::Failure| {
            Error::new(Code::Setting, "A copy of the template cannot be made or removed.")
                .cause(failure.to_string())
                .hint("The template may have no connections, and the user must be allowed to create databases.")
        };
        let mut connection = Connection::open(&target, "duet bench").await.map_err(refused)?;
        let done = connection.script(sql).await.map_err(refused);
        connection.close().await;
        done
    })
}

impl Drop for Copy {
    fn drop(&mut self) {
        if let Some(Database { beside, name, .. }) = &self.database {
            // What cannot be removed is named after the bench; a run does not fail for it.
            drop(order(beside, &dropped(name)));
        }
    }
}

fn dropped(name: &str) -> String {
    format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")
}

/// Where the database's name stands in a URL.
fn name_in(url: &str) -> Option<std::ops::Range<usize>> {
    let (_, rest) = url.split_once("://")?;
    let slash = url.len() - rest.len() + rest.find('/')?;
    let end = url[slash..].find('?').map_or(url.len(), |at| slash + at);
    (end > slash + 1).then_some(slash + 1..end)
}

fn database_of(url: &str) -> Option<&str> {
    name_in(url).map(|place| &url[place])
}

fn with_database(url: &str, name: &str) -> Option<String> {
    name_in(url).map(|place| format!("{}{name}{}", &url[..place.start], &url[place.end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_in_urls() {
        let url = "postgres://me@h:5/shop?host=/run";
        assert_eq!(database_of(url), Some("shop"));
        assert_eq!(with_database(url, "x").unwrap(), "postgres://me@h:5/x?host=/run");
        assert_eq!(with_database("postgres:///a", "x").unwrap(), "postgres:///x");
        for none in ["postgres://h", "postgres://h/", "postgres://h/?a=b", "dbname=x"] {
            assert_eq!(with_database(none, "x"), None, "{none}");
        }
    }

    #[test]
    fn files_are_copied_with_their_logs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sqlite");
        fs::write(&path, "data").unwrap();
        fs::write(folder.path().join("a.sqlite-wal"), "log").unwrap();
        let copy = Source::of(Some(path.to_str().unwrap())).unwrap().copy().unwrap();
        assert_eq!(fs::read_to_string(&copy.text).unwrap(), "data");
        assert_eq!(fs::read_to_string(format!("{}-wal", copy.text)).unwrap(), "log");
        let whole = Source::Files(folder.path().to_owned()).copy().unwrap();
        assert_eq!(fs::read_dir(&whole.text).unwrap().count(), 2);
        let gone = copy.text.clone();
        drop(copy);
        assert!(!Path::new(&gone).exists() && path.exists());
        assert!(Source::of(Some("/nowhere/x")).is_err());
        let empty = Source::of(None).unwrap().copy().unwrap();
        assert_eq!(fs::read_dir(&empty.text).unwrap().count(), 0);
    }

    #[test]
    fn a_database_is_made_from_a_template_and_removed() {
        let server = duet_testkit::postgres::Server::shared();
        let template = server.database("bench_releases");
        let url = server.url(&template.name);
        let answers = |url: &str| order(url, "SELECT 1").is_ok();
        let copy = Source::of(Some(&url)).unwrap().copy().unwrap();
        assert!(answers(&copy.text));
        let gone = copy.text.clone();
        drop(copy);
        assert!(!answers(&gone));
    }
}
