//! Checks whether a data set in a database is complete and correct: counts and sums against the
//! generator's, references, rules.
//!
//! Counts and sums hold right after a load; references and rules hold as long as workloads are
//! correct.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use duet_bench::targets::sql::LOADING;
use duet_client::{ConnectOptions, Connection, Failure, Rows};
use duet_model::Value;

use super::load::{LoadError, runtime};
use super::schema::{Engine, Reference, SqlType, Table};
use super::sink::Sums;
use super::state::Metadata;
use super::{DataSet, DataSource, Filled};

/// The approximate number of rows that a thread sums before it takes the next ones.
const SLICE: u64 = 50_000;

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataCheck {
    /// What it checks.
    pub name: String,
    /// Whether it passed.
    pub passed: bool,
    /// Expected and actual value, if they differ.
    pub found: String,
}

/// Checks the data set in a database.
///
/// # Errors
/// If the database refuses.
pub fn validate(
    target: &ConnectOptions,
    named: &'static dyn DataSource,
) -> Result<Vec<DataCheck>, LoadError> {
    let runtime = runtime()?;
    let mut connection = runtime.block_on(Connection::open(target, LOADING))?;
    let metadata = runtime.block_on(Metadata::read(&mut connection, named))?;
    let is_complete = metadata.as_ref().is_some_and(Metadata::is_complete);
    let name = format!("{} is loaded completely", named.name());
    let Some(set) = metadata.as_ref().filter(|_| is_complete).and_then(Metadata::data_set) else {
        let found = match metadata {
            None => "it is not loaded",
            Some(_) if !is_complete => "a load that did not finish",
            Some(_) => "data of another version",
        };
        return Ok(vec![DataCheck { name, passed: false, found: found.into() }]);
    };
    let found = format!("scale {}, seed {}", set.scale, set.seed);
    let mut checks = vec![DataCheck { name, passed: true, found }];
    runtime.block_on(all(&mut connection, &set, Engine::of(target), &mut checks))?;
    Ok(checks)
}

async fn all(
    connection: &mut Connection,
    set: &DataSet,
    store: Engine,
    checks: &mut Vec<DataCheck>,
) -> Result<(), Failure> {
    for filled in &set.tables {
        let table = filled.table;
        let found = connection.ask(&sums_of(set, table, store), &[]).await?;
        checks.extend(compare(table, &expected(filled), &found));
    }
    for filled in &set.tables {
        for reference in filled.table.references {
            let sql = orphans(set, filled.table, reference, store);
            let (table, to) = (filled.table.name, reference.table);
            let name = format!("every {} of {table} is in {to}", reference.column);
            checks.push(none(connection, name, &sql).await?);
        }
    }
    for rule in set.rules {
        let sql = store.statement(set.name, rule.sql);
        checks.push(none(connection, rule.name.to_owned(), &sql).await?);
    }
    Ok(())
}

/// A check that a statement's count is zero.
async fn none(connection: &mut Connection, name: String, sql: &str) -> Result<DataCheck, Failure> {
    let found = connection.ask(sql, &[]).await?.first_int(0);
    let passed = found == Some(0);
    let count = found.unwrap_or_default();
    Ok(DataCheck { name, passed, found: format!("{count} that are not") })
}

fn orphans(set: &DataSet, table: &Table, reference: &Reference, store: Engine) -> String {
    let (from, to) = (store.name(set.name, table.name), store.name(set.name, reference.table));
    let Reference { column, key, .. } = reference;
    format!(
        "SELECT count(*) FROM {from} f LEFT JOIN {to} t ON t.{key} = f.{column} \
         WHERE f.{column} IS NOT NULL AND t.{key} IS NULL"
    )
}

/// Whether the numbers of a column are summed.
fn is_number(kind: SqlType) -> bool {
    matches!(kind, SqlType::Int | SqlType::Big | SqlType::Money)
}

/// Count and sums as texts: sums may be larger than any whole number of 64 bits.
fn sums_of(set: &DataSet, table: &Table, store: Engine) -> String {
    let mut parts = vec!["CAST(count(*) AS text)".to_owned()];
    for column in table.columns.iter().filter(|column| is_number(column.kind)) {
        let name = column.name;
        parts.push(match (store, column.kind) {
            (Engine::Postgres, SqlType::Money) => {
                format!("CAST(CAST(coalesce(sum({name}), 0) * 100 AS numeric(30,0)) AS text)")
            }
            _ => format!("CAST(coalesce(sum({name}), 0) AS text)"),
        });
    }
    format!("SELECT {} FROM {}", parts.join(", "), store.name(set.name, table.name))
}

fn compare(table: &Table, expected: &Sums, found: &Rows) -> Vec<DataCheck> {
    let number = |at: usize| match found.first(at) {
        Some(Value::Text(text)) => text.parse::<i128>().ok(),
        _ => None,
    };
    let check = |name: String, at: usize, expected: i128| {
        let found = number(at);
        let passed = found == Some(expected);
        let found = found.map_or_else(|| "no number".to_owned(), |found| found.to_string());
        let found = if passed { found } else { format!("{found} instead of {expected}") };
        DataCheck { name, passed, found }
    };
    let mut checks = vec![check(format!("rows of {}", table.name), 0, expected.rows.into())];
    let numbers = table.columns.iter().enumerate().filter(|(_, column)| is_number(column.kind));
    for (at, (place, column)) in numbers.enumerate() {
        let sum = expected.columns.get(place).copied().unwrap_or_default();
        checks.push(check(format!("sum of {}.{}", table.name, column.name), at + 1, sum));
    }
    checks
}

/// The generator's count and sums.
fn expected(filled: &Filled) -> Sums {
    let step = filled.units_for(SLICE);
    let next = AtomicU64::new(0);
    let some = || {
        let mut sums = Sums::default();
        loop {
            let from = next.fetch_add(step, Ordering::Relaxed);
            let units: Range<u64> = from..(from + step).min(filled.units);
            if units.is_empty() {
                return sums;
            }
            (filled.make)(units, &mut sums);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let all: Vec<_> = (1..threads).map(|_| scope.spawn(some)).collect();
        let mut sums = some();
        // A thread that panics leaves its sums out, and the comparison fails.
        all.into_iter().filter_map(|thread| thread.join().ok()).for_each(|more| sums.merge(&more));
        sums
    })
}
