//! The statements of bulk loads.

use duet_model::catalog::{ForeignKey, GeneratedValue};
use duet_model::{Column, Relation, RelationKind};

use crate::dialect::Dialect;
use crate::write::lists::{RowLists, insert_lists};
use crate::writer::Writer;

/// Streams rows of these columns into a table; only where the engine has `COPY`.
pub fn copy_statement(dialect: &dyn Dialect, table: &Relation, columns: &[usize]) -> String {
    let mut out = Writer::new(dialect);
    out.text("COPY ");
    out.relation(table);
    out.text(" (");
    names(&mut out, table, columns);
    out.text(") FROM STDIN");
    out.finish_text()
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
        return out.finish_text();
    }
    out.text(" (");
    names(&mut out, table, columns);
    out.text(") VALUES (");
    out.list(columns.iter().enumerate(), ", ", |out, (index, &column)| {
        let Column { ty, declared, .. } = &table.columns[column];
        out.assigned(index + 1, ty, declared);
    });
    out.text(")");
    on_conflict(&mut out, table, columns, key);
    out.finish_text()
}

/// Inserts many rows by one statement, or updates those of the same key: each parameter is the array of the
/// texts of one column, in the order of the columns.
pub fn upsert_arrays_statement(
    dialect: &dyn Dialect,
    table: &Relation,
    columns: &[usize],
    key: &[usize],
) -> String {
    let mut out = Writer::new(dialect);
    insert_arrays(&mut out, table, columns);
    on_conflict(&mut out, table, columns, key);
    out.finish_text()
}

/// The same as lists of values, each of the type of its column.
pub fn upsert_lists(
    dialect: &dyn Dialect,
    table: &Relation,
    columns: &[usize],
    key: &[usize],
) -> RowLists {
    let is_identity = |&column: &usize| table.columns[column].generated == GeneratedValue::Identity;
    // As COPY does: a given value is taken.
    let overriding = columns.iter().any(is_identity);
    let end = |out: &mut Writer<'_>| on_conflict(out, table, columns, key);
    insert_lists(dialect, table, columns, overriding, end)
}

/// Inserts those of many rows that do not conflict with another row; the parameters are as for
/// [`upsert_arrays_statement`].
pub fn insert_new_arrays_statement(
    dialect: &dyn Dialect,
    table: &Relation,
    columns: &[usize],
) -> String {
    let mut out = Writer::new(dialect);
    insert_arrays(&mut out, table, columns);
    out.text(" ON CONFLICT DO NOTHING");
    out.finish_text()
}

fn insert_arrays(out: &mut Writer<'_>, table: &Relation, columns: &[usize]) {
    out.text("INSERT INTO ");
    out.relation(table);
    out.text(" (");
    names(out, table, columns);
    out.text(")");
    if columns.iter().any(|&column| table.columns[column].generated == GeneratedValue::Identity) {
        // As COPY does: a given value is taken.
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
    arrays(out, columns.len());
    out.text(") AS u(");
    numbered(out, "c", 0..columns.len());
    out.text(")");
}

/// Parameters that are arrays of texts.
fn arrays(out: &mut Writer<'_>, count: usize) {
    out.list(1..=count, ", ", |out, number| {
        out.text("$");
        out.number(number);
        out.text("::text[]");
    });
}

/// Names of our own, such as `c0, c1`.
fn numbered(out: &mut Writer<'_>, name: &'static str, numbers: impl IntoIterator<Item = usize>) {
    out.list(numbers, ", ", |out, number| {
        out.text(name);
        out.number(number);
    });
}

/// A rule of a table that rows can be looked up by before they are written.
#[derive(Clone, Copy, Debug)]
pub enum Rule<'t> {
    /// No two rows have the same values in these columns.
    Unique(&'t [usize]),
    /// Like `Unique`, but only compares with stored rows: the caller has already found duplicates among
    /// the new rows.
    NotThere(&'t [usize]),
    /// There is a row in another table.
    Reference(&'t ForeignKey),
}

impl<'t> Rule<'t> {
    /// The columns that it is about.
    pub fn columns(&self) -> &'t [usize] {
        match self {
            Self::Unique(columns) | Self::NotThere(columns) => columns,
            Self::Reference(key) => &key.columns,
        }
    }
}

/// Finds the rows that would break rules, were they written in their order: pairs of a row's number,
/// from 1, and a rule's. Each parameter is the array of the texts of one of `columns`, which
/// are all those of the rules. Only for engines with arrays.
///
/// Every lookup has a `LIMIT`, so that it uses the key's index for each row: without statistics the
/// planner would prefer a sequential scan of the table.
pub fn suspects_statement(
    dialect: &dyn Dialect,
    table: &Relation,
    columns: &[usize],
    rules: &[(usize, Rule<'_>)],
) -> String {
    let mut out = Writer::new(dialect);
    out.text("WITH u AS (SELECT a.n");
    for &column in columns {
        out.text(", a.c");
        out.number(column);
        // The declared type, lengths and all: equal is what would be equal once it is stored.
        out.text("::");
        out.declared(&table.columns[column]);
        out.text(" AS c");
        out.number(column);
    }
    out.text(" FROM unnest(");
    arrays(&mut out, columns.len());
    out.text(") WITH ORDINALITY AS a(");
    numbered(&mut out, "c", columns.iter().copied());
    out.text(", n)) ");
    out.list(rules, " UNION ALL ", |out, &(number, rule)| match rule {
        Rule::Unique(key) => {
            there_already(out, table, number, key);
            out.text(" UNION ALL ");
            again(out, number, key);
        }
        Rule::NotThere(key) => there_already(out, table, number, key),
        Rule::Reference(key) => not_there(out, number, key),
    });
    out.finish_text()
}

/// The values of an integer column in a range, in order. The parameters are the minimum, the maximum
/// and the limit.
pub fn span_statement(dialect: &dyn Dialect, table: &Relation, column: usize) -> String {
    let mut out = Writer::new(dialect);
    let name = |out: &mut Writer<'_>| {
        out.text("t.");
        out.identifier(&table.columns[column].name);
    };
    out.text("SELECT ");
    name(&mut out);
    out.text("::int8 FROM ");
    out.relation(table);
    out.text(" AS t WHERE ");
    name(&mut out);
    out.text(" BETWEEN $1::int8 AND $2::int8 ORDER BY ");
    name(&mut out);
    out.text(" LIMIT $3::int8");
    out.finish_text()
}

/// Rows whose key the table has.
fn there_already(out: &mut Writer<'_>, table: &Relation, number: usize, key: &[usize]) {
    out.text("SELECT u.n, ");
    out.number(number);
    out.text(" FROM u, LATERAL (SELECT FROM ");
    out.relation(table);
    out.text(" AS t WHERE ");
    out.list(key, " AND ", |out, &column| {
        out.text("t.");
        out.identifier(&table.columns[column].name);
        out.text(" = u.c");
        out.number(column);
    });
    out.text(" LIMIT 1) AS f");
}

/// Rows whose key an earlier row has.
fn again(out: &mut Writer<'_>, number: usize, key: &[usize]) {
    out.text("SELECT w.n, ");
    out.number(number);
    out.text(" FROM (SELECT u.n, row_number() OVER (PARTITION BY ");
    numbered(out, "u.c", key.iter().copied());
    out.text(" ORDER BY u.n) AS place FROM u WHERE ");
    given(out, key);
    out.text(") AS w WHERE w.place > 1");
}

/// Rows that refer to nothing.
fn not_there(out: &mut Writer<'_>, number: usize, key: &ForeignKey) {
    out.text("SELECT u.n, ");
    out.number(number);
    out.text(" FROM u LEFT JOIN LATERAL (SELECT 1 AS found FROM ");
    out.identifier(&key.references_schema);
    out.text(".");
    out.identifier(&key.references_table);
    out.text(" AS t WHERE ");
    out.list(key.columns.iter().zip(&key.references_columns), " AND ", |out, (column, name)| {
        out.text("t.");
        out.identifier(name);
        out.text(" = u.c");
        out.number(*column);
    });
    out.text(" LIMIT 1) AS f ON true WHERE f.found IS NULL AND ");
    given(out, &key.columns);
}

/// NULL is in no conflict and refers to nothing.
fn given(out: &mut Writer<'_>, key: &[usize]) {
    out.list(key, " AND ", |out, &column| {
        out.text("u.c");
        out.number(column);
        out.text(" IS NOT NULL");
    });
}

/// Removes all rows before a load. `at_once` is without triggers and cannot be seen by snapshots;
/// engines without it remove them one by one.
pub fn clear_statement(dialect: &dyn Dialect, table: &Relation, at_once: bool) -> String {
    let mut out = Writer::new(dialect);
    let at_once = at_once && dialect.truncates() && table.kind == RelationKind::Table;
    out.text(if at_once { "TRUNCATE " } else { "DELETE FROM " });
    out.relation(table);
    out.finish_text()
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
    use duet_model::catalog::Placement;
    use duet_model::{Column, Type};

    use super::*;
    use crate::write::lists::takes_lists;
    use crate::{Postgres, Sqlite};

    fn table() -> Relation {
        let declared = |mut column: Column, declared: &str| {
            column.declared = declared.into();
            column
        };
        let mut id = declared(Column::new("id", Type::Integer { bits: 32 }), "integer");
        id.generated = GeneratedValue::Identity;
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
            links: Vec::new(),
            effects: duet_model::catalog::Effects::default(),
            query: None,
            withheld: duet_model::catalog::Withheld::default(),
            placement: Placement::default(),
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
    fn rows_of_distributed_tables_are_lists() {
        let placement = Placement::Distributed { column: "id".into(), group: 1 };
        let table = Relation { placement, ..table() };
        assert!(takes_lists(&table));
        assert_eq!(
            upsert_lists(&POSTGRES, &table, &[0, 2], &[0]).sql(1),
            "INSERT INTO \"s\".\"a\"\"b\" (\"id\", \"flags\") OVERRIDING SYSTEM VALUE VALUES ($1, $2) \
             ON CONFLICT (\"id\") DO UPDATE SET \"flags\" = excluded.\"flags\""
        );
        assert_eq!(
            upsert_lists(&POSTGRES, &table, &[1], &[]).sql(3),
            "INSERT INTO \"s\".\"a\"\"b\" (\"name\") VALUES ($1), ($2), ($3)"
        );
    }

    #[test]
    fn inserts_only_new_rows() {
        assert_eq!(
            insert_new_arrays_statement(&POSTGRES, &table(), &[1]),
            "INSERT INTO \"s\".\"a\"\"b\" (\"name\") SELECT u.c0::text \
             FROM unnest($1::text[]) AS u(c0) ON CONFLICT DO NOTHING"
        );
    }

    #[test]
    fn suspects() {
        let parent = ForeignKey {
            name: "up".into(),
            columns: vec![1],
            references_schema: "s".into(),
            references_table: "p".into(),
            references_columns: vec!["code".into()],
            on_delete: duet_model::catalog::OnDelete::Refuse,
        };
        let rules = [(0, Rule::Unique(&[0])), (1, Rule::Reference(&parent))];
        assert_eq!(
            suspects_statement(&POSTGRES, &table(), &[0, 1], &rules),
            "WITH u AS (SELECT a.n, a.c0::integer AS c0, a.c1::character varying(3) AS c1 \
             FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS a(c0, c1, n)) \
             SELECT u.n, 0 FROM u, LATERAL (SELECT FROM \"s\".\"a\"\"b\" AS t \
             WHERE t.\"id\" = u.c0 LIMIT 1) AS f \
             UNION ALL SELECT w.n, 0 FROM (SELECT u.n, row_number() OVER \
             (PARTITION BY u.c0 ORDER BY u.n) AS place FROM u WHERE u.c0 IS NOT NULL) AS w \
             WHERE w.place > 1 \
             UNION ALL SELECT u.n, 1 FROM u LEFT JOIN LATERAL (SELECT 1 AS found \
             FROM \"s\".\"p\" AS t WHERE t.\"code\" = u.c1 LIMIT 1) AS f ON true \
             WHERE f.found IS NULL AND u.c1 IS NOT NULL"
        );
        assert_eq!(
            suspects_statement(&POSTGRES, &table(), &[0], &[(3, Rule::NotThere(&[0]))]),
            "WITH u AS (SELECT a.n, a.c0::integer AS c0 \
             FROM unnest($1::text[]) WITH ORDINALITY AS a(c0, n)) \
             SELECT u.n, 3 FROM u, LATERAL (SELECT FROM \"s\".\"a\"\"b\" AS t \
             WHERE t.\"id\" = u.c0 LIMIT 1) AS f"
        );
        assert_eq!(
            span_statement(&POSTGRES, &table(), 0),
            "SELECT t.\"id\"::int8 FROM \"s\".\"a\"\"b\" AS t \
             WHERE t.\"id\" BETWEEN $1::int8 AND $2::int8 ORDER BY t.\"id\" LIMIT $3::int8"
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
