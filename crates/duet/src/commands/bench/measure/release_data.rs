//! Makes a fresh copy of the data for each started build: a file, a folder, or a database that
//! PostgreSQL makes from a template.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use duet_client::{ConnectOptions, Connection, Failure};

use crate::command_error::CommandError;
use crate::commands::bench::started::undo::{Folder, UndoHandle};
use crate::commands::sources::database::postgres_settings;
use crate::database_url::DatabaseUrl;
use crate::report::Outcome;

/// The `application_name` of its connections.
const USUAL: &str = "duet bench";
/// How long to wait for a cancelled connection to end, and the interval of checks.
const ENDING: Duration = Duration::from_secs(10);
const GLANCE: Duration = Duration::from_millis(5);

/// The source of copies.
#[derive(Clone, Debug)]
pub(in crate::commands::bench) enum CopySource {
    /// An empty folder each time.
    Nothing,
    /// A file or a folder.
    Files(PathBuf),
    /// A database, by its URL.
    Template(String),
}

/// A copy; dropping it removes it.
#[derive(Debug)]
pub(in crate::commands::bench) struct Copy {
    /// Its form in a command.
    pub(in crate::commands::bench) text: String,
    _folder: Option<Folder>,
    database: Option<Database>,
}

/// A database that was made.
#[derive(Debug)]
struct Database {
    /// The URL of another database on the same server.
    beside: String,
    name: String,
    _made: UndoHandle,
}

impl CopySource {
    /// The source given on the command line.
    ///
    /// # Errors
    /// If there is no such file, or the URL names no database.
    pub(in crate::commands::bench) fn of(text: Option<&str>) -> Outcome<Self> {
        let Some(text) = text else { return Ok(Self::Nothing) };
        let named = DatabaseUrl::read(text, Path::new(""))?;
        match (named.path(), named.connection_string()) {
            (Some(path), _) if path.exists() => Ok(Self::Files(path.to_owned())),
            (Some(path), _) => {
                let message = format!("There are no data at {}.", path.display());
                Err(CommandError::file(message))
            }
            (None, Some(url)) if with_database(url, "postgres").is_some() => {
                Ok(Self::Template(url.to_owned()))
            }
            _ => Err(CommandError::refusal("The template's URL names no database.")
                .hint("Such as postgres:///template.")),
        }
    }

    /// Makes a fresh copy.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(in crate::commands::bench) fn copy(&self) -> Outcome<Copy> {
        if let Self::Template(url) = self {
            return from_template(url);
        }
        let folder = Folder::new()?;
        let to = match self {
            Self::Files(path) => {
                let to = folder.path().join(path.file_name().unwrap_or_default());
                copy_all(path, &to).map_err(|error| {
                    let message = format!("{} cannot be copied: {error}.", path.display());
                    CommandError::file(message)
                })?;
                to
            }
            Self::Nothing | Self::Template(_) => folder.path().to_owned(),
        };
        let text = to.to_string_lossy().into_owned();
        Ok(Copy { text, _folder: Some(folder), database: None })
    }
}

/// A file with those that SQLite keeps beside it, or a folder with its content.
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

fn from_template(url: &str) -> Outcome<Copy> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("duet_bench_{}_{number}", std::process::id());
    let wrong = || CommandError::refusal("The template's URL names no database.");
    let beside = with_database(url, "postgres").ok_or_else(wrong)?;
    let text = with_database(url, &name).ok_or_else(wrong)?;
    let template = database_of(url).ok_or_else(wrong)?.replace('"', "\"\"");
    let is_over = Arc::new(AtomicBool::new(false));
    // Registered before it exists: making it takes time.
    let made = UndoHandle::undone_by({
        let (beside, name, is_over) = (beside.clone(), name.clone(), is_over.clone());
        move || give_up(&beside, &name, &is_over)
    });
    create(&beside, &name, &template, &is_over)?;
    Ok(Copy { text, _folder: None, database: Some(Database { beside, name, _made: made }) })
}

/// Makes the copy, on a connection with its name. A caller that gives up sets a flag and then looks
/// for that name: either it finds this connection, or this one sees the flag before it makes
/// anything.
fn create(beside: &str, name: &str, template: &str, is_over: &AtomicBool) -> Outcome {
    let sql = format!("CREATE DATABASE {name} TEMPLATE \"{template}\"");
    connected(beside, name, async |connection| match is_over.load(Ordering::SeqCst) {
        true => Ok(()),
        false => connection.script(&sql).await,
    })
}

/// Removes a copy that may still be in creation: the server would continue alone.
fn give_up(beside: &str, name: &str, is_over: &AtomicBool) {
    is_over.store(true, Ordering::SeqCst);
    let makers = format!(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '{name}'"
    );
    let gone = connected(beside, USUAL, async |connection| {
        let began = Instant::now();
        while connection.ask(&makers, &[]).await?.first_int(0) != Some(0)
            && began.elapsed() < ENDING
        {
            tokio::time::sleep(GLANCE).await;
        }
        Ok(())
    });
    // The program ends.
    drop(gone.and_then(|()| order(beside, &dropped(name))));
}

fn order(url: &str, sql: &str) -> Outcome {
    connected(url, USUAL, async |connection| connection.script(sql).await)
}

/// Runs a statement on a separate connection, with a name that the server shows.
fn connected(
    url: &str,
    name: &str,
    ask: impl AsyncFnOnce(&mut Connection) -> Result<(), Failure>,
) -> Outcome {
    let target = ConnectOptions::Postgres(postgres_settings(url)?.connector()?);
    crate::runtime::runtime()?.block_on(async {
        let refused = |failure: Failure| {
            CommandError::server("A copy of the template cannot be made or removed.")
                .cause(failure.to_string())
                .hint("The template may have no connections, and the user must be allowed to create databases.")
        };
        let mut connection = Connection::open(&target, name).await.map_err(refused)?;
        let done = ask(&mut connection).await.map_err(refused);
        connection.close().await;
        done
    })
}

impl Drop for Copy {
    fn drop(&mut self) {
        if let Some(Database { beside, name, .. }) = &self.database {
            // A database that cannot be removed has the bench's name; a run does not fail for it.
            drop(order(beside, &dropped(name)));
        }
    }
}

fn dropped(name: &str) -> String {
    format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")
}

/// The range of the database's name in a URL.
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
        let copy = CopySource::of(Some(path.to_str().unwrap())).unwrap().copy().unwrap();
        assert_eq!(fs::read_to_string(&copy.text).unwrap(), "data");
        assert_eq!(fs::read_to_string(format!("{}-wal", copy.text)).unwrap(), "log");
        let whole = CopySource::Files(folder.path().to_owned()).copy().unwrap();
        assert_eq!(fs::read_dir(&whole.text).unwrap().count(), 2);
        let gone = copy.text.clone();
        drop(copy);
        assert!(!Path::new(&gone).exists() && path.exists());
        assert!(CopySource::of(Some("/nowhere/x")).is_err());
        let empty = CopySource::of(None).unwrap().copy().unwrap();
        assert_eq!(fs::read_dir(&empty.text).unwrap().count(), 0);
    }

    #[test]
    fn a_database_is_made_from_a_template_and_removed() {
        let server = duet_testkit::postgres::Server::shared();
        let template = server.database("bench_releases");
        let url = server.url(&template.name);
        let answers = |url: &str| order(url, "SELECT 1").is_ok();
        let copy = CopySource::of(Some(&url)).unwrap().copy().unwrap();
        assert!(answers(&copy.text));
        let gone = copy.text.clone();
        drop(copy);
        assert!(!answers(&gone));
    }

    #[test]
    fn a_database_that_is_abandoned_during_its_creation() {
        let server = duet_testkit::postgres::Server::shared();
        let template = server.database("bench_given_up");
        let (beside, name) = (server.url("postgres"), "duet_bench_given_up");
        let options = |sql: &str| server.existing("postgres").query(sql);
        let is_over = AtomicBool::new(false);
        let target = ConnectOptions::Postgres(
            postgres_settings(&template.url()).unwrap().connector().unwrap(),
        );
        let runtime = crate::runtime::runtime().unwrap();
        // A template that is in use is waited for.
        let holder = runtime.block_on(Connection::open(&target, "holder")).unwrap();
        std::thread::scope(|scope| {
            let maker = scope.spawn(|| create(&beside, name, &template.name, &is_over));
            let makes = format!(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}' \
                 AND query LIKE 'CREATE DATABASE%' AND state = 'active'"
            );
            while options(&makes) == "0" {
                assert!(!maker.is_finished());
            }
            give_up(&beside, name, &is_over);
            runtime.block_on(holder.close());
            assert!(maker.join().unwrap().is_err());
        });
        assert_eq!(
            options(&format!("SELECT count(*) FROM pg_database WHERE datname = '{name}'")),
            "0"
        );
        // A later caller makes nothing.
        create(&beside, name, &template.name, &is_over).unwrap();
        assert_eq!(
            options(&format!("SELECT count(*) FROM pg_database WHERE datname = '{name}'")),
            "0"
        );
    }
}
