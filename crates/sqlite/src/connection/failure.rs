//! SQLite's errors as Duet's.
//!
//! Codes are those of <https://www.sqlite.org/rescode.html>.

use duet_model::{Code, Error, RaisedError, Violation};
use duet_store::refusal::refusal;
use rusqlite::{Connection, ffi};

use crate::connection::ticket::locked;
use crate::functions::calculations::NOT_COMPUTED;
use crate::functions::digits::OVERFLOW;

/// The message where a page of the file cannot be right.
pub(crate) const DAMAGED: &str = "The database file is damaged. Its operator has to restore it.";
/// The message where the file cannot grow.
pub(crate) const FULL: &str = "The database's disk is full at the moment.";

/// What an error means for its client, with SQLite's own words as the cause.
pub(crate) fn error_of(error: &rusqlite::Error) -> Error {
    let extended = error.sqlite_error().map_or(0, |error| error.extended_code);
    let message = error.to_string();
    let made = by_extended(extended, &message)
        .or_else(|| by_code(error.sqlite_error_code()))
        .unwrap_or_else(|| by_message(&message));
    made.cause(message)
}

/// What an error of a statement means, where SQLite has one code for several things: a table whose row numbers are used up
/// is as full as a disk. The cause of a disk that is full, or fails, names the file.
pub(crate) fn error_on(connection: &Connection, error: &rusqlite::Error) -> Error {
    let exhausted = || {
        // Only tables with AUTOINCREMENT are listed; others find a free number.
        let query = "SELECT name FROM main.sqlite_sequence WHERE seq = 9223372036854775807";
        connection.query_row(query, [], |row| row.get::<_, String>(0)).ok()
    };
    let is_full = error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull);
    match is_full.then(exhausted).flatten() {
        Some(table) => {
            let violation = Violation { table: Some(table), ..Violation::default() };
            refusal(Code::KeysExhausted).violation(violation).cause(error)
        }
        None => on_file(connection, error_of(error)),
    }
}

/// The error with the file in its cause, where it is one of the disk.
fn on_file(connection: &Connection, error: Error) -> Error {
    match (connection.path(), error.cause.as_deref()) {
        (Some(path), Some(cause)) if error.code == Code::DatabaseUnavailable => {
            let cause = format!("{path}: {cause}");
            error.cause(cause)
        }
        _ => error,
    }
}

/// The refusal of a commit while a row refers to one that is missing.
pub(crate) fn broken_reference() -> Error {
    let said = "FOREIGN KEY constraint failed";
    refusal(Code::ForeignKeyViolation).violation(violation(said)).cause(said)
}

/// Whether an error of `COMMIT` leaves it open if the changes will be there.
pub(crate) fn leaves_open(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::SystemIoFailure)
}

/// The error of a statement that took too long.
pub(crate) fn took_too_long() -> Error {
    let message = "The statement took longer than the limit and was stopped. Ask for less, or for something an index serves.";
    Error::new(Code::Timeout, message)
}

fn by_extended(extended: i32, message: &str) -> Option<Error> {
    let code = match extended {
        ffi::SQLITE_CONSTRAINT_UNIQUE
        | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
        | ffi::SQLITE_CONSTRAINT_ROWID => Code::UniqueViolation,
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => Code::ForeignKeyViolation,
        // RESTRICT is made of a trigger.
        ffi::SQLITE_CONSTRAINT_TRIGGER if message.starts_with("FOREIGN KEY constraint failed") => {
            Code::ForeignKeyViolation
        }
        ffi::SQLITE_CONSTRAINT_CHECK => Code::CheckViolation,
        // An R*Tree: a least value above the greatest, and a row number that is taken.
        ffi::SQLITE_CONSTRAINT if message.starts_with("rtree constraint failed") => {
            Code::CheckViolation
        }
        ffi::SQLITE_CONSTRAINT if message.starts_with("UNIQUE constraint failed") => {
            Code::UniqueViolation
        }
        ffi::SQLITE_CONSTRAINT_NOTNULL => Code::NotNullViolation,
        // RAISE; and refusals of a virtual table.
        ffi::SQLITE_CONSTRAINT_TRIGGER | ffi::SQLITE_CONSTRAINT_VTAB => Code::TriggerRefused,
        // A strict table, and an invalid rowid.
        ffi::SQLITE_CONSTRAINT_DATATYPE | ffi::SQLITE_MISMATCH => return Some(does_not_fit()),
        ffi::SQLITE_READONLY_DBMOVED => {
            let message = "The database file has just been replaced. Try again in a moment.";
            return Some(Error::new(Code::DatabaseUnavailable, message).retry_after(1));
        }
        _ if extended & 0xff == ffi::SQLITE_READONLY => Code::DatabaseReadOnly,
        _ => return None,
    };
    let mut violation = violation(message);
    if code == Code::TriggerRefused {
        let message = message.to_owned();
        violation.raised = Some(RaisedError { message, ..RaisedError::default() });
    }
    Some(refusal(code).violation(violation))
}

/// The message for a file that is no database; its path is not known here.
pub(crate) const NO_DATABASE: &str = "The file is not a SQLite database.";

fn does_not_fit() -> Error {
    let message = "A value of the request does not fit the type of its column. \
                   Check its range and form.";
    Error::new(Code::ValueOutOfRange, message)
}

fn by_code(code: Option<rusqlite::ErrorCode>) -> Option<Error> {
    use rusqlite::ErrorCode as Sqlite;
    Some(match code? {
        Sqlite::DatabaseBusy | Sqlite::DatabaseLocked => locked(),
        Sqlite::OperationInterrupted => took_too_long(),
        Sqlite::NotADatabase => Error::new(Code::Setting, NO_DATABASE),
        Sqlite::DiskFull => Error::new(Code::DatabaseUnavailable, FULL).retry_after(1),
        Sqlite::CannotOpen | Sqlite::SystemIoFailure => Error::new(
            Code::DatabaseUnavailable,
            "The database file cannot be read or written at the moment.",
        )
        .retry_after(1),
        Sqlite::DatabaseCorrupt => Error::new(Code::Internal, DAMAGED),
        Sqlite::TooBig => Error::new(Code::ValueOutOfRange, "A value of the request is too large."),
        _ => return None,
    })
}

fn by_message(message: &str) -> Error {
    let says = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
    if says(&["no such column", "no such table"]) {
        Error::new(Code::SchemaChanged, "The schema has just changed. Try again.").retry_after(1)
    } else if says(&[NOT_COMPUTED]) {
        let message = "The database cannot compute a value. The server's operator finds the cause in its log.";
        Error::new(Code::NotComputed, message)
    } else if says(&[OVERFLOW]) {
        does_not_fit()
    } else if says(&["integer overflow"]) {
        let message = "A sum or another computed integer has more than 64 bits, which SQLite cannot \
                       hold. Sum fewer rows, or take their mean.";
        Error::new(Code::ValueOutOfRange, message)
    } else if says(&["because it is a view", "generated column", "may not be modified"]) {
        refusal(Code::NotWritable)
    } else if says(&[
        "Expression tree is too large",
        "parser stack overflow",
        "too many SQL variables",
    ]) {
        let message = "The filter is too deep or too large. Make it simpler.";
        Error::new(Code::FilterLimit, message)
    } else {
        Error::internal(message)
    }
}

/// What SQLite says of a constraint: `UNIQUE constraint failed: t.a, t.b`, `… failed: index 'i'`,
/// `CHECK constraint failed: name`. Names with a point or a comma are reported unchanged.
fn violation(message: &str) -> Violation {
    let Some((kind, detail)) = message.split_once(" constraint failed: ") else {
        return Violation::default();
    };
    if kind.ends_with("rtree") {
        // As in `box.(minX<=maxX)`.
        let (table, ends) = detail.split_once('.').unwrap_or(("", detail));
        let ends = ends.trim_matches(['(', ')']).split("<=").map(str::to_owned).collect();
        let table = (!table.is_empty()).then(|| table.to_owned());
        return Violation { table, columns: ends, ..Violation::default() };
    }
    if kind.ends_with("CHECK") {
        return Violation { constraint: Some(detail.to_owned()), ..Violation::default() };
    }
    if let Some(index) = detail.strip_prefix("index '").and_then(|rest| rest.strip_suffix('\'')) {
        return Violation { constraint: Some(index.to_owned()), ..Violation::default() };
    }
    let mut violation = Violation::default();
    for part in detail.split(", ") {
        let (table, column) = part.split_once('.').unwrap_or(("", part));
        violation.table = (!table.is_empty()).then(|| table.to_owned());
        violation.columns.push(column.to_owned());
    }
    violation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        let connection = Connection::open_in_memory().unwrap();
        let schema = "PRAGMA foreign_keys = ON;
            CREATE TABLE p (id INTEGER PRIMARY KEY);
            CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL, c INT CONSTRAINT pos CHECK (c > 0),
                d INT REFERENCES p, e INT GENERATED ALWAYS AS (c + 1), UNIQUE (b, c));
            CREATE UNIQUE INDEX low ON t (lower(b));
            CREATE TABLE s (n INT) STRICT;
            CREATE VIEW v AS SELECT 1 AS x;
            CREATE TRIGGER g BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'not this one'); END;
            INSERT INTO t (a, b, c) VALUES (1, 'x', 1);";
        connection.execute_batch(schema).unwrap();
        let named = |table: &str, columns: &[&str], constraint: &str| {
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let columns = columns.iter().map(|&column| column.to_owned()).collect();
            Violation {
                schema: None,
                table: some(table),
                columns,
                constraint: some(constraint),
                ..Violation::default()
            }
        };
        for (sql, code, expected) in [
            (
                "INSERT INTO t VALUES (1, 'y', 1, NULL)",
                Code::UniqueViolation,
                named("t", &["a"], ""),
            ),
            (
                "INSERT INTO t VALUES (2, 'X', 1, NULL)",
                Code::UniqueViolation,
                named("", &[], "low"),
            ),
            (
                "INSERT INTO t VALUES (2, NULL, 1, NULL)",
                Code::NotNullViolation,
                named("t", &["b"], ""),
            ),
            ("INSERT INTO t VALUES (2, 'y', 0, NULL)", Code::CheckViolation, named("", &[], "pos")),
            ("INSERT INTO t VALUES (2, 'y', 1, 7)", Code::ForeignKeyViolation, named("", &[], "")),
        ] {
            let error = error_of(&connection.execute(sql, []).unwrap_err());
            assert_eq!(error.code, code, "{sql}");
            assert_eq!(error.violation.as_deref(), Some(&expected), "{sql}");
        }
        let raised = error_of(&connection.execute("DELETE FROM t", []).unwrap_err());
        assert_eq!(raised.code, Code::TriggerRefused);
        let detail = raised.violation.and_then(|violation| violation.raised);
        assert_eq!(detail.map(|raised| raised.message).as_deref(), Some("not this one"));
        connection.execute_batch("DROP INDEX low").unwrap();
        let error = error_of(
            &connection.execute("INSERT INTO t VALUES (2, 'x', 1, NULL)", []).unwrap_err(),
        );
        assert_eq!(error.violation.as_deref(), Some(&named("t", &["b", "c"], "")));
        for (sql, code) in [
            ("INSERT INTO s VALUES ('many')", Code::ValueOutOfRange),
            ("INSERT INTO t (a, b) VALUES ('one', 'y')", Code::ValueOutOfRange),
            ("INSERT INTO t (b, e) VALUES ('y', 1)", Code::NotWritable),
            ("UPDATE v SET x = 2", Code::NotWritable),
            ("UPDATE nowhere SET x = 2", Code::SchemaChanged),
            ("DELETE FROM t WHERE a > abs(-9223372036854775807 - 1)", Code::ValueOutOfRange),
        ] {
            let error = error_of(&connection.execute(sql, []).unwrap_err());
            assert_eq!(error.code, code, "{sql}: {:?}", error.cause);
        }
        assert!(
            !error_of(&connection.execute("DELETE FROM t", []).unwrap_err())
                .message
                .contains("not this")
        );
    }

    #[test]
    fn the_cause_of_a_full_disk_names_the_file() {
        let folder = duet_testkit::sqlite::Folder::new();
        let path = folder.load("a.db", &["CREATE TABLE t (filling BLOB)"]);
        let connection = Connection::open(&path).unwrap();
        connection.query_row("PRAGMA max_page_count = 3", [], |_| Ok(())).unwrap();
        let full = connection.execute("INSERT INTO t VALUES (zeroblob(100000))", []).unwrap_err();
        let error = error_on(&connection, &full);
        assert_eq!((error.code, &*error.message), (Code::DatabaseUnavailable, FULL));
        let cause = format!("{}: database or disk is full", path.display());
        assert_eq!(error.cause.as_deref(), Some(&*cause));
    }

    /// What SQLite has no extended code for.
    #[test]
    fn trees_and_row_numbers() {
        let connection = Connection::open_in_memory().unwrap();
        let schema = "CREATE VIRTUAL TABLE r USING rtree(id, low, high);
            CREATE TABLE n (id INTEGER PRIMARY KEY AUTOINCREMENT);
            INSERT INTO n VALUES (9223372036854775807);
            INSERT INTO r VALUES (1, 0, 1);";
        connection.execute_batch(schema).unwrap();
        for (sql, code, table, columns) in [
            ("INSERT INTO r VALUES (2, 5, 1)", Code::CheckViolation, "r", &["low", "high"][..]),
            ("INSERT INTO r VALUES (1, 0, 1)", Code::UniqueViolation, "r", &["id"]),
            ("INSERT INTO n DEFAULT VALUES", Code::KeysExhausted, "n", &[]),
        ] {
            let error = error_on(&connection, &connection.execute(sql, []).unwrap_err());
            assert_eq!(error.code, code, "{sql}");
            let violation = error.violation.unwrap();
            assert_eq!(violation.table.as_deref(), Some(table), "{sql}");
            assert_eq!(violation.columns, columns, "{sql}");
        }
    }

    #[test]
    fn filters_that_are_too_deep() {
        let connection = Connection::open_in_memory().unwrap();
        let filter = vec!["1 = 2"; 1_001].join(" OR ");
        let error = connection.prepare(&format!("SELECT 1 WHERE {filter}")).unwrap_err();
        let error = error_of(&error);
        assert_eq!(
            (error.code, error.code.status()),
            (Code::FilterLimit, 400),
            "{:?}",
            error.cause
        );
    }
}
