//! Values that do not have the form of their column's declared type: another store refuses them, or reads something else.

use duet_model::Type;
use duet_store::setup::copy::{CopiedColumn, CopiedTable, Misfit};
use duet_store::setup::load::quoted;
use rusqlite::Connection;
use rusqlite::types::Value;

use super::rows;

/// What is true of a value that has the form of its type, in SQLite's SQL; `{}` is the column. Values of other types
/// are checked by the store that takes them.
fn form(ty: &Type) -> Option<String> {
    let text = "typeof({}) = 'text' AND instr({}, char(0)) = 0";
    Some(match ty {
        Type::Boolean => "typeof({}) = 'integer' AND {} IN (0, 1)".to_owned(),
        Type::Integer { .. } => "typeof({}) = 'integer'".to_owned(),
        Type::Decimal { scale: None } => "typeof({}) IN ('integer', 'real')".to_owned(),
        Type::Decimal { scale: Some(scale) } => format!(
            "(typeof({{}}) = 'integer' OR (typeof({{}}) = 'real' AND round({{}}, {scale}) = {{}}))"
        ),
        Type::Float { .. } => {
            "(typeof({}) IN ('integer', 'real') OR {} IN ('NaN', 'Infinity', '-Infinity'))"
                .to_owned()
        }
        Type::Binary => "typeof({}) = 'blob'".to_owned(),
        Type::Json => {
            "(typeof({}) IN ('integer', 'real') OR (typeof({}) = 'text' AND json_valid({})))"
                .to_owned()
        }
        Type::Date => format!("{text} AND {{}} GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]'"),
        Type::Timestamp | Type::TimestampTz => {
            format!("{text} AND {{}} GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*'")
        }
        Type::Time | Type::TimeTz => format!("{text} AND {{}} GLOB '[0-9][0-9]:[0-9][0-9]*'"),
        Type::Text | Type::Uuid | Type::Interval => text.to_owned(),
        _ => return None,
    })
}

/// The columns of a table with such values, by one look at each row.
pub(super) fn of(connection: &Connection, table: &CopiedTable) -> rusqlite::Result<Vec<Misfit>> {
    let key = rows::key(connection, &table.name)?;
    let tested = table.columns.iter().enumerate().filter_map(|(at, column)| {
        let form = form(&column.ty)?.replace("{}", &quoted(&column.name));
        let is_key = table.primary_key.contains(&at);
        Some((column, test(column, is_key, &form)))
    });
    let tested: Vec<(&CopiedColumn, String)> = tested.collect();
    if tested.is_empty() {
        return Ok(Vec::new());
    }
    let sums = tested.iter().map(|(_, test)| format!("sum({test})"));
    let statement =
        format!("SELECT {} FROM main.{}", sums.collect::<Vec<_>>().join(", "), quoted(&table.name));
    let counts: Vec<i64> = connection.query_row(&statement, [], |row| {
        (0..tested.len()).map(|at| Ok(row.get::<_, Option<i64>>(at)?.unwrap_or(0))).collect()
    })?;
    let wrong = tested.iter().zip(counts).filter(|(_, rows)| *rows > 0);
    wrong
        .map(|((column, test), rows)| {
            Ok(Misfit {
                table: table.name.clone(),
                column: column.name.clone(),
                rows: rows.unsigned_abs(),
                example: example(connection, &table.name, &key, test)?,
            })
        })
        .collect()
}

/// 1 where a value does not have its form, else 0.
fn test(column: &CopiedColumn, is_key: bool, form: &str) -> String {
    let name = quoted(&column.name);
    let of_null = i32::from(is_key && !column.is_identity);
    format!("CASE WHEN {name} IS NULL THEN {of_null} WHEN {form} THEN 0 ELSE 1 END")
}

/// How the first row of which a test is true is found.
fn example(
    connection: &Connection,
    table: &str,
    key: &[String],
    test: &str,
) -> rusqlite::Result<String> {
    let columns: Vec<String> = key.iter().map(|name| quoted(name)).collect();
    let statement =
        format!("SELECT {} FROM main.{} WHERE {test} LIMIT 1", columns.join(", "), quoted(table));
    connection.query_row(&statement, [], |row| {
        let part = |(at, name): (usize, &String)| {
            Ok(format!("{name} = {}", shown(&row.get::<_, Value>(at)?)))
        };
        let parts: rusqlite::Result<Vec<String>> = key.iter().enumerate().map(part).collect();
        Ok(parts?.join(", "))
    })
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Text(text) => format!("'{}'", text.chars().take(60).collect::<String>()),
        Value::Blob(bytes) => format!("a value of {} bytes", bytes.len()),
    }
}
