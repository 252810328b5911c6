//! Values that do not have the form of their column's declared type, or refer to no row: another store refuses them, or
//! reads something else.

use duet_model::Type;
use duet_store::setup::copy::{CopiedColumn, CopiedReference, CopiedTable, Misfit};
use duet_store::setup::load::quoted;
use duet_text::numeric_digits::NumericDigits;
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::{Value, ValueRef};

use super::rows;

/// What is true of a value that has the form of its type, in SQLite's SQL; `{}` is the column. Values of other types
/// are checked by the store that takes them.
fn form(ty: &Type) -> Option<String> {
    let text = "typeof({}) = 'text' AND instr({}, char(0)) = 0 AND duet_is_utf8({})";
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
        // An offset is served as a part of the value, and would not be in a column without one.
        Type::Timestamp => format!(
            "{text} AND {{}} GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*' AND NOT substr({{}}, 11) GLOB '*[-+Zz]*'"
        ),
        Type::TimestampTz => {
            format!("{text} AND {{}} GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*'")
        }
        Type::Time | Type::TimeTz => format!("{text} AND {{}} GLOB '[0-9][0-9]:[0-9][0-9]*'"),
        Type::Text | Type::Uuid | Type::Interval => text.to_owned(),
        _ => return None,
    })
}

/// What is true besides of a number of these digits: it has no more of them before its point.
fn within_digits(digits: &str) -> String {
    let declared = NumericDigits::declared(&format!("numeric({digits})"));
    declared.map_or_else(String::new, |NumericDigits { precision, scale }| {
        let power = precision - scale;
        format!(" AND {{}} > -1e{power} AND {{}} < 1e{power}")
    })
}

/// Adds the function that looks at the bytes of texts.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("duet_is_utf8", 1, flags, |context| {
        Ok(match context.get_raw(0) {
            ValueRef::Text(bytes) => std::str::from_utf8(bytes).is_ok(),
            _ => true,
        })
    })
}

/// The columns of a table with such values, by one look at each row, and its references to rows that are not there.
pub(super) fn of(connection: &Connection, table: &CopiedTable) -> rusqlite::Result<Vec<Misfit>> {
    let mut found = values(connection, table)?;
    found.extend(orphans(connection, table)?);
    Ok(found)
}

/// The references of a table to rows that are not there, which SQLite keeps where its check is off.
fn orphans(connection: &Connection, table: &CopiedTable) -> rusqlite::Result<Vec<Misfit>> {
    let key = rows::key(connection, &table.name)?;
    let mut found = Vec::new();
    for reference in &table.references {
        let test = is_orphan(reference);
        let count = format!("SELECT count(*) FROM main.{} AS it WHERE {test}", quoted(&table.name));
        let rows: i64 = connection.query_row(&count, [], |row| row.get(0))?;
        if rows > 0 {
            found.push(Misfit {
                table: table.name.clone(),
                column: reference.columns.join(", "),
                rows: rows.unsigned_abs(),
                example: example(connection, &table.name, &key, &test)?,
                why: "refer to rows that are not there",
            });
        }
    }
    Ok(found)
}

/// Whether a row refers to none, although all columns of the reference have a value.
fn is_orphan(reference: &CopiedReference) -> String {
    let pairs = || reference.columns.iter().map(|name| quoted(name));
    let given: Vec<String> = pairs().map(|name| format!("it.{name} IS NOT NULL")).collect();
    // The left side decides the collation.
    let targets = reference.targets.iter().map(|name| quoted(name)).zip(pairs());
    let equal: Vec<String> = targets.map(|(to, from)| format!("target.{to} = it.{from}")).collect();
    format!(
        "{} AND NOT EXISTS (SELECT 1 FROM main.{} AS target WHERE {})",
        given.join(" AND "),
        quoted(&reference.table),
        equal.join(" AND ")
    )
}

fn values(connection: &Connection, table: &CopiedTable) -> rusqlite::Result<Vec<Misfit>> {
    let key = rows::key(connection, &table.name)?;
    let tested = table.columns.iter().enumerate().filter_map(|(at, column)| {
        let form = [form(&column.ty)?, within_digits(&column.digits)].concat();
        let form = form.replace("{}", &quoted(&column.name));
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
                why: "have values that are not of its type",
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
    let statement = format!(
        "SELECT {} FROM main.{} AS it WHERE {test} LIMIT 1",
        columns.join(", "),
        quoted(table)
    );
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
