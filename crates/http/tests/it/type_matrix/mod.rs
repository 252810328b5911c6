//! The matrix of types: each type with its special values, plain, as domain, in arrays and in arrays of a domain, against
//! what a request can do with a value. A cell is right by what the database itself stores, compares and orders, or refused
//! by its code; what is refused is a table in `docs/types.md`, which is written from the cells.

mod asked;
mod cells;
mod page;
mod postgres_types;
mod sqlite_types;
mod subject;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use cells::{CELLS, Cell};
use postgres_types::{EXTENSIONS, OWN, TYPES, TypeRow, WITHOUT_COLUMNS};
use subject::Subject;

use crate::support::{Database, Setup};

/// How a cell turned out where it is not wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// As the database itself.
    Right,
    /// Refused with this code.
    Refused(&'static str),
    /// Of JSON, whose values inside are compared: see `docs/filters.md`.
    Inside,
}

/// What must become of a cell.
fn expected(cell: &Cell, row: &TypeRow) -> Verdict {
    let compares = if cell.is_filter { row.filtered() } else { row.compares };
    match cell.needs {
        Some(_) if row.is_json() => Verdict::Inside,
        Some((needed, code)) if compares < needed => Verdict::Refused(code),
        _ => Verdict::Right,
    }
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
    let subjects: Vec<Subject> = rows.map(|(at, row)| Subject::new(at, row)).collect();
    let scripts: Vec<String> = subjects.iter().map(Subject::script).collect();
    database.exec(&scripts.concat());
    page::check("postgresql", &verdicts(&database, &subjects));
}

#[test]
fn each_cell_is_right_or_refused_on_sqlite() {
    let database = Database::sqlite();
    let rows = sqlite_types::TYPES.iter().enumerate();
    let subjects: Vec<Subject> = rows.map(|(at, row)| Subject::of_sqlite(at, row)).collect();
    let scripts: Vec<String> = subjects.iter().map(Subject::sqlite_script).collect();
    database.exec(&scripts.concat());
    page::check("sqlite", &verdicts(&database, &subjects));
}

/// The cells of each type, by their names.
type Line = (&'static str, Vec<(&'static str, Verdict)>);

fn verdicts(database: &Database, subjects: &[Subject]) -> Vec<Line> {
    let app = Setup::new(database)
        .with(|setup| setup.roles = vec!["duet.read", "duet.write", "duet.execute", "duet.admin"])
        .without_poll()
        .start();
    let mut asked = cells::Asked::new(&app, database);
    let (mut wrong, mut lines) = (Vec::new(), Vec::new());
    for subject in subjects {
        let mut verdicts = Vec::new();
        for cell in CELLS {
            let place = || format!("{} {}", subject.row.declared, cell.name);
            match (cell.run)(&mut asked, subject) {
                Ok(verdict) if verdict == expected(cell, subject.row) => {
                    verdicts.push((cell.name, verdict));
                }
                Ok(verdict) => wrong.push(format!("{}: {verdict:?}", place())),
                Err(why) => wrong.push(format!("{}: {why}", place())),
            }
        }
        lines.push((subject.row.declared, verdicts));
    }
    assert!(wrong.is_empty(), "{} cells are wrong:\n{}", wrong.len(), wrong.join("\n"));
    lines
}
