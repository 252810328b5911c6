//! Carries out the steps of a migration on SQLite: each in a transaction of its own, between which other writers
//! have their turns.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use duet_model::{Code, Error, Result};
use duet_sql::Sqlite;
use duet_store::setup::collections::check_dictionaries;
use duet_store::setup::migrate::{
    DeclaredObjects, IN_PROGRESS, MigrationEvent, Object, Observer, Options, Plan, Step, StepTrial,
    TriedPlan,
};
use rusqlite::Connection;

use super::{BUSY, plan, quoted};
use crate::functions;

/// Makes what a file lacks, and says what that was.
///
/// # Errors
/// - `Setting` if another migration is running, the file cannot be written, or stored values do not fit. What was done
///   before remains, and the next migration continues.
/// - What the observer answers.
pub(crate) fn apply_sqlite(
    path: &Path,
    declared: DeclaredObjects,
    options: Options,
    observer: Observer<'_>,
) -> Result<Plan> {
    check_dictionaries(&Sqlite, &declared.collections)?;
    let lock = Lock::take(path)?;
    let failed = |error: rusqlite::Error| {
        let message = format!("{} cannot be changed: {error}.", path.display());
        Error::new(Code::Setting, message).cause(error)
    };
    let connection = prepared(Connection::open(path)).map_err(failed)?;
    let plan = plan(&connection, declared, options).map_err(failed)?;
    observer(&MigrationEvent::Planned(&plan))?;
    for (number, step) in (1..).zip(&plan.steps) {
        observer(&MigrationEvent::Step(number, step))?;
        connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
        run_step(&connection, step, &mut |at| observer(&MigrationEvent::Statement(number, at)))?;
        connection.execute_batch("COMMIT").map_err(failed)?;
    }
    // The file is closed, and so unlocked, when it has no name any more.
    drop(lock);
    Ok(plan)
}

/// What a file lacks, and what comes of making it: all in one transaction, which is rolled back.
///
/// # Errors
/// `Setting` if another migration is running, the file cannot be read or written, or a declaration needs what SQLite does
/// not have.
pub(crate) fn try_sqlite(
    path: &Path,
    declared: DeclaredObjects,
    options: Options,
) -> Result<TriedPlan> {
    check_dictionaries(&Sqlite, &declared.collections)?;
    let failed = |error: rusqlite::Error| {
        let message = format!("{} cannot be changed: {error}.", path.display());
        Error::new(Code::Setting, message).cause(error)
    };
    let is_there = path.exists();
    let lock = is_there.then(|| Lock::take(path)).transpose()?;
    // Nothing is made of a file that is not there.
    let opened = if is_there { Connection::open(path) } else { Connection::open_in_memory() };
    let connection = prepared(opened).map_err(failed)?;
    let plan = plan(&connection, declared, options).map_err(failed)?;
    let mut trials = Vec::with_capacity(plan.steps.len());
    if !plan.steps.is_empty() {
        connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
        for step in &plan.steps {
            trials.push(match trials.iter().position(|it| matches!(it, StepTrial::Failed(_))) {
                Some(at) => StepTrial::NotTried(format!("step {} fails", at + 1)),
                None => match run_step(&connection, step, &mut |_| Ok(())) {
                    Ok(()) => StepTrial::Done,
                    Err(error) => StepTrial::Failed(Arc::new(error)),
                },
            });
        }
        // An error may have ended it already.
        if !connection.is_autocommit() {
            connection.execute_batch("ROLLBACK").map_err(failed)?;
        }
    }
    drop(connection);
    drop(lock);
    Ok(TriedPlan { plan, trials })
}

fn prepared(opened: rusqlite::Result<Connection>) -> rusqlite::Result<Connection> {
    let connection = opened?;
    connection.busy_timeout(BUSY)?;
    functions::register(&connection)?;
    Ok(connection)
}

/// Carries out a step, inside of a transaction. `begins` is called with the number of each statement.
fn run_step(
    connection: &Connection,
    step: &Step,
    begins: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<()> {
    for (at, statement) in (1..).zip(&step.statements) {
        begins(at)?;
        let done = connection.execute_batch(&statement.sql);
        done.map_err(|error| refused(connection, step, error))?;
    }
    check_references(connection, step)
}

/// The lock of a file: one on a file beside it, which ends with the process.
struct Lock {
    _file: File,
    path: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A file that stays is locked by the next migration.
        drop(std::fs::remove_file(&self.path));
    }
}

impl Lock {
    fn take(database: &Path) -> Result<Self> {
        let mut path = database.as_os_str().to_owned();
        path.push("-migrate");
        let path = PathBuf::from(path);
        let failed = |error: std::io::Error| {
            let message = format!("{} cannot be locked: {error}.", path.display());
            Error::new(Code::Setting, message).cause(error)
        };
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = opened.map_err(failed)?;
        let in_progress = || {
            let hint = "Wait until it has ended, then run it again.";
            Error::new(Code::Setting, IN_PROGRESS).hint(hint)
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_progress()),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // One that ended meanwhile has removed the file, and another one may have made it anew.
        let number = |meta: std::io::Result<std::fs::Metadata>| meta.map(|it| it.ino()).ok();
        if number(file.metadata()) != number(std::fs::metadata(&path)) {
            return Err(in_progress());
        }
        Ok(Self { _file: file, path })
    }
}

/// Why a step is refused, with the value that documents share.
fn refused(connection: &Connection, step: &Step, error: rusqlite::Error) -> Error {
    let is_unique = error
        .sqlite_error()
        .is_some_and(|it| it.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE);
    if !is_unique {
        let message =
            format!("The {} {} cannot be changed: {error}.", step.object.name(), step.name);
        return Error::new(Code::Setting, message).cause(error);
    }
    let shared = duplicate(connection, step).unwrap_or_default();
    let message = format!(
        "The index {} cannot be built, because documents of {} have the same value{shared}.",
        step.name, step.table
    );
    Error::new(Code::Setting, message)
        .hint("Change or delete all but one of them, then run the command again.")
        .cause(error)
}

/// A value that several documents have.
fn duplicate(connection: &Connection, step: &Step) -> Option<String> {
    let sql = &step.statements.last()?.sql;
    let keys = sql.rsplit_once(" (")?.1.strip_suffix(')')?;
    let table = quoted(&step.table);
    let find = format!("SELECT {keys} FROM {table} GROUP BY {keys} HAVING count(*) > 1 LIMIT 1");
    // Values that are missing are not the same.
    let find = find.replace(" GROUP BY", &format!(" WHERE {keys} IS NOT NULL GROUP BY"));
    let value: rusqlite::types::Value = connection.query_row(&find, [], |row| row.get(0)).ok()?;
    Some(match value {
        rusqlite::types::Value::Text(text) => format!(": {text:?}"),
        rusqlite::types::Value::Integer(number) => format!(": {number}"),
        rusqlite::types::Value::Real(number) => format!(": {number}"),
        _ => String::new(),
    })
}

/// Checks that stored documents refer to what is there, after a reference was added.
fn check_references(connection: &Connection, step: &Step) -> Result<()> {
    if step.object != Object::Reference {
        return Ok(());
    }
    let table = quoted(&step.table);
    let find = format!(
        "SELECT t.\"id\", t.{} FROM pragma_foreign_key_check(?1) k JOIN {table} t ON t.rowid = k.rowid LIMIT 1",
        quoted(&step.name)
    );
    let text = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
    let broken = connection.query_row(&find, [&step.table], text);
    let Ok((document, missing)) = broken else { return Ok(()) };
    let message = format!(
        "The reference {} of {} cannot be made, because the document {document} refers to {missing}, which does not exist.",
        step.name, step.table
    );
    Err(Error::new(Code::Setting, message)
        .hint("Change or delete the document, then run the command again."))
}
