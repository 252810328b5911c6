//! The columns of a SQLite view, traced to the table columns they show.

use duet_model::Type;
use duet_model::catalog::Column;
use rusqlite::{Connection, Statement};

use super::declared::type_of;

/// The columns of a view; fails where the view does (a table or function it needs is missing).
pub(super) fn columns(connection: &Connection, view: &str) -> rusqlite::Result<Vec<Column>> {
    let quoted = view.replace('"', "\"\"");
    let statement = connection.prepare(&format!("SELECT * FROM main.\"{quoted}\""))?;
    columns_of(&statement, &affinities(connection, view)?)
}

/// The columns of a statement's result, with the affinities of those that are computed.
pub(super) fn columns_of(
    statement: &Statement<'_>,
    affinities: &[String],
) -> rusqlite::Result<Vec<Column>> {
    (0..statement.column_count())
        .map(|at| {
            let shown = statement.column_metadata(at)?;
            let mut column = match shown {
                Some((_, _, _, declared, collation, ..)) => {
                    let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
                    let declared = declared.map(text).unwrap_or_default();
                    let binary =
                        collation.is_none_or(|name| text(name).eq_ignore_ascii_case("BINARY"));
                    plain(type_of(&declared), declared, !binary)
                }
                None => computed(affinities.get(at).map(String::as_str).unwrap_or_default()),
            };
            column.name = statement.column_name(at)?.to_owned();
            Ok(column)
        })
        .collect()
}

/// Nullable always: an outer join may put NULL where the table refuses it.
fn plain(ty: Type, declared: String, loose_equality: bool) -> Column {
    let loose_equality = loose_equality || ty == Type::Dynamic;
    Column { declared, loose_equality, ..Column::new("", ty) }
}

/// An expression has no declared type. SQLite shows its affinity instead, which says something
/// after a cast alone: `BLOB` and `NUM` stand for "anything".
fn computed(affinity: &str) -> Column {
    let ty = match affinity {
        "TEXT" | "INT" | "INTEGER" | "REAL" => type_of(affinity),
        _ => Type::Dynamic,
    };
    plain(ty, String::new(), false)
}

fn affinities(connection: &Connection, view: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT coalesce(type, '') FROM pragma_table_xinfo(?1, 'main') ORDER BY cid",
    )?;
    let rows = statement.query_map([view], |row| row.get(0))?;
    rows.collect()
}
