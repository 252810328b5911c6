//! The statements of migration files whose objects a file lacks, each a step.

use duet_store::setup::migrate::{
    Action, Addition, Blocks, MigrationStatement, Object, Plan, Step,
};
use rusqlite::{Connection, OptionalExtension as _};

use super::quoted;

/// Adds the pending ones to a plan, in their order.
pub(super) fn plan_additions(
    connection: &Connection,
    additions: &[Addition],
    plan: &mut Plan,
) -> rusqlite::Result<()> {
    for addition in additions {
        if is_there(connection, addition)? {
            plan.notes.extend(difference(connection, addition)?);
            continue;
        }
        let rows = rows(connection, &addition.table)?;
        plan.steps.push(Step {
            action: Action::Create,
            object: addition.object,
            name: addition.name.clone(),
            schema: String::new(),
            table: addition.table.clone(),
            reason: None,
            statements: vec![MigrationStatement::online(&addition.sql)],
            rows,
            bytes: None,
            blocks: Blocks::Writes,
        });
    }
    Ok(())
}

/// Whether there is an object of this name; SQLite compares names without regard to case.
fn is_there(connection: &Connection, addition: &Addition) -> rusqlite::Result<bool> {
    let Addition { object, table, name, .. } = addition;
    let column = "SELECT 1 FROM pragma_table_xinfo(?1) WHERE name = ?2 COLLATE NOCASE";
    let other = "SELECT 1 FROM sqlite_schema WHERE type = ?1 AND name = ?2 COLLATE NOCASE";
    let (sql, first) = match object {
        Object::Column => (column, table.as_str()),
        object => (other, object.name()),
    };
    let found = connection.query_row(sql, [first, name], |_| Ok(())).optional()?;
    Ok(found.is_some())
}

/// What to say of an object of this name that is there, where it is seen to be another one.
fn difference(connection: &Connection, addition: &Addition) -> rusqlite::Result<Option<String>> {
    const COLUMNS: &str = "SELECT name FROM pragma_table_xinfo(?1)";
    const TABLE: &str =
        "SELECT tbl_name FROM sqlite_schema WHERE type = 'index' AND name = ?1 COLLATE NOCASE";
    let named = |sql: &str| -> rusqlite::Result<Vec<String>> {
        let mut statement = connection.prepare(sql)?;
        let names = statement.query_map([&addition.name], |row| row.get(0))?;
        names.collect()
    };
    Ok(match addition.object {
        Object::Table => addition.lacks(&named(COLUMNS)?, str::eq_ignore_ascii_case),
        Object::Index => {
            let tables = named(TABLE)?.into_iter();
            let mut others = tables.filter(|table| !table.eq_ignore_ascii_case(&addition.table));
            others.next().map(|table| addition.is_elsewhere(&table))
        }
        _ => None,
    })
}

/// The rows of the table, where there is one.
fn rows(connection: &Connection, table: &str) -> rusqlite::Result<Option<u64>> {
    let known = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE";
    let known = connection.query_row(known, [table], |row| row.get::<_, String>(0)).optional()?;
    let Some(table) = known else { return Ok(None) };
    let count = format!("SELECT count(*) FROM {}", quoted(&table));
    let number = connection.query_row(&count, [], |row| row.get::<_, i64>(0))?;
    Ok(Some(number.cast_unsigned()))
}
