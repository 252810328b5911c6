//! The statements of bulk loads.

use duet_model::catalog::Generated;
use duet_model::{Relation, RelationKind};

use crate::Writer;
use crate::dialect::Dialect;

/// Streams rows of these columns into a table; only where the engine has `COPY`.
pub fn copy_statement(dialect: &dyn Dialect, table: &Relation, columns: &[usize]) -> String {
    let mut out = Writer::new(dialect);
    out.text("COPY ");
    out.relation(table);
    out.text(" (");
    names(&mut out, table, columns);
    out.text(") FROM STDIN");
    out.finish().sql
}

/// Inserts one row; its values are the parameters, in the order of the columns. With a key, a row
/// of the same key is updated instead.
pub fn insert_row_statement(
    dialect: &dyn Dialect,
    table: &Relation,
    columns: &[usize],
    key: &[usize],
) -> String {
    let mut out = Writer::new(dialect);
    out.text("INSERT INTO ");
    out.relation(table);
    if columns.is_empty() {
        out.text(" DEFAULT VALUES");
        return out.finish().sql;
    }
    out.text(" (");
    names(&mut out, table, columns);
    out.text(") VALUES (");
    out.list(1..=columns.len(), ", ", |out, number| {
        out.text("?");
        out.number(number);
    });
    out.text(")");
    on_conflict(&mut out, table, columns, key);
    out.finish().sql
}

/// Inserts many rows at once, or updates those of the same key: each parameter is the array of the
/// texts of one column, in the order of the columns.
pub fn upsert_arrays_statement(
    dialect: &dyn Dialect,
    table: &Relation,
    columns: &[usize],
    key: &[usize],
) -> String {
    let mut out = Writer::new(dialect);
    out.text("INSERT INTO ");
    out.relation(table);
    out.text(" (");
    names(&mut out, table, columns);
    out.text(")");
    if columns.iter().any(|&column| table.columns[column].generated == Generated::Identity) {
        // As COPY does: a value that is given is taken.
        out.text(" OVERRIDING SYSTEM VALUE");
    }
    out.text(" SELECT ");
    out.list(columns.iter().enumerate(), ", ", |out, (index, &column)| {
        let column = &table.columns[column];
        out.text("u.c");
        out.number(index);
        out.cast_from_text(&column.ty, &column.declared);
    });
    out.text(" FROM unnest(");
    out.list(1..=columns.len(), ", ", |out, number| {
        out.text("$");
        out.number(number);
        out.text("::text[]");
    });
    out.text(") AS u(");
    out.list(0..columns.len(), ", ", |out, index| {
        out.text("c");
        out.number(index);
    });
    out.text(")");
    on_conflict(&mut out, table, columns, key);
    out.finish().sql
}

/// Removes all rows before a load. `at_once` is without triggers and cannot be seen by snapshots;
/// engines without such a thing remove them one by one.
pub fn clear_statement(dialect: &dyn Dialect, table: &Relation, at_once: bool) -> String {
    let mut out = Writer::new(dialect);
    let at_once = at_once && dialect.truncates() && table.kind == RelationKind::Table;
    out.text(if at_once { "TRUNCATE " } else { "DELETE FROM " });
    out.relation(table);
    out.finish().sql
}

fn names(out: &mut Writer<'_>, table: &Relation, columns: &[usize]) {
    out.list(columns, ", ", |out, &column| out.identifier(&table.columns[column].name));
}

fn on_conflict(out: &mut Writer<'_>, table: &Relation, columns: &[usize], key: &[usize]) {
    if key.is_empty() {
        return;
    }
    out.text(" ON CONFLICT (");
    names(out, table, key);
    let others: Vec<usize> =
        columns.iter().copied().filter(|column| !key.contains(column)).collect();
    if others.is_empty() {
        return out.text(") DO NOTHING");
    }
    out.text(") DO UPDATE SET ");
    out.list(others, ", ", |out, column| {
        let name = &table.columns[column].name;
        out.identifier(name);
        out.text(" = excluded.");
        out.identifier(name);
    });
}

#[cfg(test)]
mod tests {
    use duet_model::{Column, Type};

    use super::*;
    use crate::{Postgres, Sqlite};

    fn table() -> Relation {
        let declared = |mut column: Column, declared: &str| {
            column.declared = declared.into();
            column
        };
        let mut id = declared(Column::new("id", Type::Integer { bits: 32 }), "integer");
        id.generated = Generated::Identity;
        Relation {
            schema: "s".into(),
            name: "a\"b".into(),
            alias: None,
            kind: RelationKind::Table,
            columns: vec![
                id,
                declared(Column::new("name", Type::Text), "character varying(3)"),
                declared(Column::new("flags", Type::Other), "bit(3)"),
                declared(Column::new("data", Type::Json), "json"),
            ],
            primary_key: vec![0],
            unique_keys: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            checks: Vec::new(),
            comment: None,
            estimated_rows: None,
            batchable: false,
            plain: false,
        }
    }

    const POSTGRES: Postgres = Postgres { icu: false };

    #[test]
    fn inserts() {
        let table = table();
        assert_eq!(
            copy_statement(&POSTGRES, &table, &[0, 1]),
            "COPY \"s\".\"a\"\"b\" (\"id\", \"name\") FROM STDIN"
        );
        assert_eq!(
            insert_row_statement(&Sqlite, &table, &[0, 1], &[]),
            "INSERT INTO \"s\".\"a\"\"b\" (\"id\", \"name\") VALUES (?1, ?2)"
        );
        assert_eq!(
            insert_row_statement(&Sqlite, &table, &[], &[]),
            "INSERT INTO \"s\".\"a\"\"b\" DEFAULT VALUES"
        );
    }

    #[test]
    fn upserts() {
        let table = table();
        assert_eq!(
            insert_row_statement(&Sqlite, &table, &[0, 1], &[0]),
            "INSERT INTO \"s\".\"a\"\"b\" (\"id\", \"name\") VALUES (?1, ?2) \
             ON CONFLICT (\"id\") DO UPDATE SET \"name\" = excluded.\"name\""
        );
        assert_eq!(
            upsert_arrays_statement(&POSTGRES, &table, &[0], &[0]),
            "INSERT INTO \"s\".\"a\"\"b\" (\"id\") OVERRIDING SYSTEM VALUE SELECT u.c0::int8 \
             FROM unnest($1::text[]) AS u(c0) ON CONFLICT (\"id\") DO NOTHING"
        );
        // A cast to a type with a length would cut the value: the assignment checks it instead.
        assert_eq!(
            upsert_arrays_statement(&POSTGRES, &table, &[1, 2, 3], &[0]),
            "INSERT INTO \"s\".\"a\"\"b\" (\"name\", \"flags\", \"data\") \
             SELECT u.c0::text, u.c1::varbit, u.c2::json \
             FROM unnest($1::text[], $2::text[], $3::text[]) AS u(c0, c1, c2) \
             ON CONFLICT (\"id\") DO UPDATE SET \"name\" = excluded.\"name\", \
             \"flags\" = excluded.\"flags\", \"data\" = excluded.\"data\""
        );
    }

    #[test]
    fn clearing() {
        let table = table();
        assert_eq!(clear_statement(&POSTGRES, &table, true), "TRUNCATE \"s\".\"a\"\"b\"");
        assert_eq!(clear_statement(&POSTGRES, &table, false), "DELETE FROM \"s\".\"a\"\"b\"");
        assert_eq!(clear_statement(&Sqlite, &table, true), "DELETE FROM \"s\".\"a\"\"b\"");
    }
}
