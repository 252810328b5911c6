//! The matrix of types: each type with its special values, plain and in domains, arrays, composites, views and generated
//! columns, against what a request can do with a value. A cell is right by what the database itself stores, compares and
//! orders, or refused by its code, or does not apply to the type; `docs/types.md` has the tables, written from the cells.

mod asked;
mod cells;
mod page;
mod postgres_types;
mod served;
mod sqlite_types;
mod subject;
mod types;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use cells::CELLS;
use postgres_types::{EXTENSIONS, OWN, TYPES, WITHOUT_COLUMNS};
use subject::Subject;

use crate::support::Database;

/// How a cell turned out where it is not wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// As the database itself.
    Right,
    /// Refused with this code.
    Refused(&'static str),
    /// It does not apply to the type, for this reason.
    Not(&'static str),
}

fn extended(database: &Database) {
    let mut script = String::from("SET client_min_messages = warning;\n");
    for extension in EXTENSIONS {
        writeln!(script, "CREATE EXTENSION IF NOT EXISTS {extension} CASCADE;").unwrap();
    }
    database.exec(&(script + OWN));
}

#[test]
fn every_type_of_the_catalog_has_a_row() {
    let database = Database::postgres(concat!(module_path!(), "_catalog"));
    extended(&database);
    let Database::Postgres(postgres) = &database else { return };
    let found = postgres.query(
        "SELECT t.typname FROM pg_type t LEFT JOIN pg_class r ON r.oid = t.typrelid
          LEFT JOIN pg_type e ON e.typarray = t.oid JOIN pg_namespace n ON n.oid = t.typnamespace
         WHERE t.typtype <> 'p' AND coalesce(r.relkind, 'c') = 'c' AND e.oid IS NULL
           AND n.nspname IN ('pg_catalog', 'public')",
    );
    let rows = TYPES.iter().map(|row| row.name);
    let without = WITHOUT_COLUMNS.iter().flat_map(|(_, names)| names.iter().copied());
    let known: BTreeSet<&str> = rows.chain(without).collect();
    let missing: Vec<&str> = found.lines().filter(|name| !known.contains(name)).collect();
    assert!(missing.is_empty(), "types without a row: {missing:?}");
    let found: BTreeSet<&str> = found.lines().collect();
    let gone: Vec<&&str> = known.iter().filter(|name| !found.contains(**name)).collect();
    assert!(gone.is_empty(), "rows without a type: {gone:?}");
}

#[test]
fn each_cell_is_right_or_refused_on_postgresql() {
    let database = Database::postgres(concat!(module_path!(), "_cells"));
    extended(&database);
    let rows = TYPES.iter().enumerate();
    let subjects: Vec<Subject> = rows.map(|(at, row)| Subject::of_postgres(at, row)).collect();
    check("postgresql", &database, &subjects);
}

#[test]
fn each_cell_is_right_or_refused_on_sqlite() {
    let database = Database::sqlite();
    let rows = sqlite_types::TYPES.iter().enumerate();
    let subjects: Vec<Subject> = rows.map(|(at, row)| Subject::of_sqlite(at, row)).collect();
    check("sqlite", &database, &subjects);
}

/// A type with its cells, by their names.
type Line = (String, Vec<(&'static str, Verdict)>);

/// Tries all cells, and compares the page with them.
fn check(store: &str, database: &Database, subjects: &[Subject]) {
    let scripts: Vec<String> = subjects.iter().map(Subject::script).collect();
    database.exec(&scripts.concat());
    let folder = tempfile::tempdir().unwrap();
    let app = served::start(database, subjects, folder.path());
    let mut asked = asked::Asked::new(&app, database);
    let (mut wrong, mut lines) = (Vec::new(), Vec::new());
    for subject in subjects {
        let mut verdicts = Vec::new();
        for cell in CELLS {
            let expected = (cell.expected)(subject);
            let tried = match expected {
                Verdict::Not(_) => Ok(expected),
                Verdict::Right | Verdict::Refused(_) => (cell.run)(&mut asked, subject),
            };
            let place = || format!("{} {}", subject.row.declared, cell.name);
            match tried {
                Ok(verdict) if verdict == expected => verdicts.push((cell.name, verdict)),
                Ok(verdict) => wrong.push(format!("{}: {verdict:?}", place())),
                Err(why) => wrong.push(format!("{}: {why}", place())),
            }
        }
        lines.push((subject.row.shown(), verdicts));
    }
    assert!(wrong.is_empty(), "{} cells are wrong:\n{}", wrong.len(), wrong.join("\n"));
    page::check(store, &lines);
}
