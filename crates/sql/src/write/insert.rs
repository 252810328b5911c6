//! Statements that insert complete rows of one table and return them as a read would.

use crate::parts::affixes::Affixes;
use duet_model::catalog::{Column, GeneratedValue};
use duet_model::{LevelColumn, ReadPlan, Relation, Root, Type, Value};

use crate::dialect::{Dialect, KeyStyle};
use crate::parts::quotes::quoted;
use crate::read::levels::returned;
use crate::writer::{Statement, Writer};

/// Inserts one row with values for these columns, and returns what level 0 of the plan reads of it.
/// The values are [`Parameter::Key`](crate::Parameter::Key)s, a part for each column, given when it
/// runs. Rows of several requests are several statements: the order in which one statement returns
/// many rows is promised by no engine, so nothing would say whose row is whose.
///
/// `None` where the plan reads more than the row itself, or not by key, or no column is given; and where it reads other
/// than plain columns of a table that is spread over machines.
pub fn insert_row_returning(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    columns: &[usize],
) -> Option<Statement> {
    insert_values(dialect, plan, columns, 1)
}

/// How many rows a statement of [`insert_together`] inserts.
pub const TOGETHER: usize = 20;

/// The most parameters of a statement: the limit of SQLite as it is built.
const PARAMETERS: usize = 32_766;

/// The same for [`TOGETHER`] rows, one after the other; the parts of the next row follow those of the one before. For
/// a dialect whose engine is a part of Duet, so that its tests hold what its manual does not promise: the rows come
/// back in the order in which they were given.
///
/// `None` where [`insert_row_returning`] gives none, for other dialects, and for rows of very many columns.
pub fn insert_together(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    columns: &[usize],
) -> Option<Statement> {
    let fits = columns.len() * TOGETHER <= PARAMETERS;
    let is_own = dialect.key_style() == KeyStyle::Single;
    (fits && is_own).then(|| insert_values(dialect, plan, columns, TOGETHER))?
}

fn insert_values(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    columns: &[usize],
    rows: usize,
) -> Option<Statement> {
    let root = plan.shape.root();
    let alone =
        plan.levels.len() == 1 && plan.levels[0].joined.is_empty() && !plan.shape.has_aggregates();
    if plan.root != Root::Keys || !alone || root.filter.is_some() || columns.is_empty() {
        return None;
    }
    if root.table.placement.is_spread() && !returns_plain_columns(dialect, plan) {
        return None;
    }
    let mut writer = Writer::new(dialect);
    writer.text("INSERT INTO ");
    writer.relation(&root.table);
    writer.text(" (");
    writer.list(columns, ", ", |writer, &column| {
        writer.identifier(&root.table.columns[column].name);
    });
    writer.text(") VALUES ");
    writer.list(0..rows, ", ", |writer, row| {
        writer.text("(");
        writer.list(columns.iter().enumerate(), ", ", |writer, (part, &column)| {
            let Column { ty, declared, .. } = &root.table.columns[column];
            writer.assign_part(row * columns.len() + part, ty, declared);
        });
        writer.text(")");
    });
    writer.text(" RETURNING ");
    returned(&mut writer, plan);
    Some(writer.finish())
}

/// Whether level 0 reads columns alone, as they are: an engine that spreads tables inserts no row of which it would have to
/// return anything else.
fn returns_plain_columns(dialect: &dyn Dialect, plan: &ReadPlan) -> bool {
    let table = &plan.shape.root().table;
    plan.levels[0].columns.iter().all(|column| match column {
        LevelColumn::Ordinal => true,
        LevelColumn::Column(field) => {
            dialect.selected(&table.columns[field.column].ty) == Affixes::NONE
        }
        LevelColumn::Generated { .. } | LevelColumn::RowNumber | LevelColumn::AsOf => false,
    })
}

/// Inserts the rows of several requests, values given by column as in [`insert_row_returning`], each
/// an array; the first returned column is the position of the row (counted from 1), so that the
/// order in which the engine returns rows does not matter. Rows are matched by their keys: texts, UUIDs
/// and whole numbers that the requests give, or whole numbers that are drawn from their sequences
/// beforehand.
///
/// `None` where [`insert_row_returning`] gives none, for a dialect that takes no arrays, and where a
/// part of the key is anything else.
pub fn insert_rows_matched(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    columns: &[usize],
) -> Option<Statement> {
    insert_row_returning(dialect, plan, columns)?;
    let table = &plan.shape.root().table;
    let is_shown = |&column: &usize| table.columns[column].ty.domain_casts().is_some();
    let is_cast = columns.iter().any(is_shown);
    if dialect.key_style() != KeyStyle::Arrays || table.primary_key.is_empty() || is_cast {
        return None;
    }
    let drawn = drawn(table, columns)?;
    let mut writer = Writer::new(dialect);
    writer.text("WITH k AS MATERIALIZED (SELECT k.ord");
    given(&mut writer, table, columns);
    for (at, &column) in drawn.iter().enumerate() {
        writer.text(", ");
        draw(&mut writer, table, column);
        writer.text(" AS ");
        numbered(&mut writer, "c", columns.len() + at);
    }
    writer.text(" FROM ");
    arrays(&mut writer, table, columns);
    writer.text("), i (");
    let returns = plan.levels[0].columns.len();
    writer.list(0..returns + table.primary_key.len(), ", ", |writer, at| numbered(writer, "r", at));
    writer.text(") AS (INSERT INTO ");
    writer.relation(table);
    writer.text(" (");
    let all: Vec<usize> = columns.iter().chain(&drawn).copied().collect();
    writer.list(&all, ", ", |writer, &column| {
        writer.identifier(&table.columns[column].name);
    });
    // Identity columns that are always generated take the drawn values, too.
    writer.text(if drawn.is_empty() { ") SELECT " } else { ") OVERRIDING SYSTEM VALUE SELECT " });
    writer.list(0..all.len(), ", ", |writer, at| numbered(writer, "c", at));
    writer.text(" FROM k RETURNING ");
    returned(&mut writer, plan);
    for &column in &table.primary_key {
        writer.text(", ");
        writer.identifier(&table.columns[column].name);
    }
    writer.text(") SELECT k.ord");
    (0..returns).for_each(|at| {
        writer.text(", i.");
        numbered(&mut writer, "r", at);
    });
    writer.text(" FROM k JOIN i ON ");
    writer.list(table.primary_key.iter().enumerate(), " AND ", |writer, (part, column)| {
        writer.text("i.");
        numbered(writer, "r", returns + part);
        writer.text(" = k.");
        let at = all.iter().position(|one| one == column).unwrap_or_default();
        numbered(writer, "c", at);
    });
    Some(writer.finish())
}

/// The same where requests give a key of one part that can be matched by its bytes: the key names the
/// request of each row that comes back, as in the answer of [`insert_row_returning`], so no position is joined to it.
///
/// `None` where [`insert_rows_matched`] gives none, and for other keys.
pub fn insert_rows_by_key(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    columns: &[usize],
) -> Option<Statement> {
    insert_row_returning(dialect, plan, columns)?;
    let table = &plan.shape.root().table;
    let is_given = table.primary_key.iter().all(|part| columns.contains(part));
    let is_shown = |&column: &usize| table.columns[column].ty.domain_casts().is_some();
    let fits = !plan.by_ordinal && plan.shape.key == table.primary_key && is_given;
    let fits = fits && !columns.iter().any(is_shown);
    if dialect.key_style() != KeyStyle::Arrays || !fits {
        return None;
    }
    drawn(table, columns)?;
    let mut writer = Writer::new(dialect);
    rows_by_arrays(&mut writer, table, columns);
    writer.text(" RETURNING ");
    returned(&mut writer, plan);
    Some(writer.finish())
}

/// Inserts rows with values for these columns, given by column, each an array, in their order, and returns nothing.
///
/// `None` for a dialect that takes no arrays, and where no column is given.
pub fn insert_rows(
    dialect: &dyn Dialect,
    table: &Relation,
    columns: &[usize],
) -> Option<Statement> {
    let is_shown = |&column: &usize| table.columns[column].ty.domain_casts().is_some();
    let is_cast = columns.iter().any(is_shown);
    if dialect.key_style() != KeyStyle::Arrays || columns.is_empty() || is_cast {
        return None;
    }
    let mut writer = Writer::new(dialect);
    rows_by_arrays(&mut writer, table, columns);
    Some(writer.finish())
}

/// `INSERT` of arrays, up to what it returns.
fn rows_by_arrays(writer: &mut Writer<'_>, table: &Relation, columns: &[usize]) {
    writer.text("INSERT INTO ");
    writer.relation(table);
    writer.text(" (");
    writer.list(columns, ", ", |writer, &column| {
        writer.identifier(&table.columns[column].name);
    });
    writer.text(") SELECT ");
    writer.list(columns.iter().enumerate(), ", ", |writer, (part, &column)| {
        given_part(writer, part, &table.columns[column]);
    });
    writer.text(" FROM ");
    arrays(writer, table, columns);
}

/// The parts of the key that are drawn from sequences; `None` where a part can neither be given nor
/// drawn. Given parts are of types whose returned values equal the given ones.
fn drawn(table: &Relation, columns: &[usize]) -> Option<Vec<usize>> {
    let mut drawn = Vec::new();
    for &part in &table.primary_key {
        let column = &table.columns[part];
        let is_integer = matches!(column.ty, Type::Integer { .. });
        if columns.contains(&part) && (is_integer || matches!(column.ty, Type::Text | Type::Uuid)) {
            continue;
        }
        if !is_integer || columns.contains(&part) || column.generated != GeneratedValue::Identity {
            return None;
        }
        drawn.push(part);
    }
    Some(drawn)
}

/// The values that requests give, named by their positions; see [`given_part`].
fn given(writer: &mut Writer<'_>, table: &Relation, columns: &[usize]) {
    for (part, &column) in columns.iter().enumerate() {
        writer.text(", ");
        given_part(writer, part, &table.columns[column]);
        writer.text(" AS ");
        numbered(writer, "c", part);
    }
}

/// A value that requests give: a whole number as such, everything else as text, from which it is cast.
fn given_part(writer: &mut Writer<'_>, part: usize, column: &Column) {
    writer.text("k.");
    numbered(writer, "k", part);
    if !matches!(column.ty, Type::Integer { .. }) {
        writer.cast_from_text(&column.ty, &column.declared);
    }
}

/// The next value of a column's sequence, which the default of a serial column names.
pub(super) fn draw(writer: &mut Writer<'_>, table: &Relation, column: usize) {
    let column = &table.columns[column];
    match &column.default {
        Some(default) => writer.serial_default(default),
        None => {
            let relation = format!("{}.{}", quoted(&table.schema), quoted(&table.name));
            // In brackets, so that it is looked up once for each statement.
            writer.text("nextval((SELECT pg_catalog.pg_get_serial_sequence(");
            writer.bind(Value::Text(relation), &Type::Text, "text");
            writer.text(", ");
            writer.bind(Value::Text(column.name.clone()), &Type::Text, "text");
            writer.text("))::regclass)");
        }
    }
}

/// The values of all requests as a table of arrays, with the position of each request.
fn arrays(writer: &mut Writer<'_>, table: &Relation, columns: &[usize]) {
    let [before, after] = writer.dialect.keys_table();
    writer.text(before);
    writer.list(columns.iter().enumerate(), ", ", |writer, (part, &column)| {
        let integer = Type::Integer { bits: 64 };
        let is_integer = matches!(table.columns[column].ty, Type::Integer { .. });
        writer.bind_key(part, if is_integer { &integer } else { &Type::Text }, "text");
    });
    writer.text(after);
    writer.text("(");
    writer.list(0..columns.len(), ", ", |writer, part| numbered(writer, "k", part));
    writer.text(", ord)");
}

fn numbered(writer: &mut Writer<'_>, name: &'static str, number: usize) {
    writer.text(name);
    writer.number(number);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use duet_model::{
        Column, ColumnMember, Member, MemberKind, Node, Operations, Relation, RelationKind, Shape,
        Type,
    };

    use super::*;
    use crate::{Postgres, Sqlite, group_level_statements, lock_statements};

    fn plan() -> ReadPlan {
        let declared = |name: &str, ty: Type, declared: &str| Column {
            declared: declared.to_owned(),
            ..Column::new(name, ty)
        };
        let tags = Type::Array(Box::new(Type::Text));
        let relation = Relation {
            schema: "s".into(),
            name: "t\"t".into(),
            alias: None,
            kind: RelationKind::Table,
            columns: vec![
                declared("id", Type::Integer { bits: 32 }, "integer"),
                declared("when", Type::Date, "date"),
                declared("tags", tags, "character varying(3)[]"),
            ],
            primary_key: vec![0, 1],
            unique_keys: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            checks: Vec::new(),
            comment: None,
            estimated_rows: None,
            batchable: true,
            plain: false,
            links: Vec::new(),
            effects: duet_model::catalog::Effects::default(),
            query: None,
            withheld: duet_model::catalog::Withheld::default(),
            placement: duet_model::catalog::Placement::default(),
        };
        let member = |column| Member {
            name: format!("c{column}"),
            kind: MemberKind::Column(ColumnMember::read_only(column)),
        };
        let node = Node {
            table: Arc::new(relation),
            link: None,
            members: (0..3).map(member).collect(),
            filter: None,
            check_option: false,
            aggregates: Vec::new(),
            derived: Vec::new(),
            elements: duet_model::shape::Elements::default(),
            operations: Operations::default(),
        };
        let shape = Shape {
            name: "t".into(),
            nodes: vec![node],
            key: vec![0, 1],
            metadata: false,
            rules: Vec::new(),
            notice: None,
            style: duet_model::DocumentStyle::default(),
        };
        ReadPlan::by_keys(Arc::new(shape))
    }

    #[test]
    fn statements() {
        let plan = plan();
        let every = insert_row_returning(&Postgres { icu: false }, &plan, &[0, 1, 2]).unwrap();
        assert_eq!(
            &*every.sql,
            "INSERT INTO \"s\".\"t\"\"t\" (\"id\", \"when\", \"tags\") \
             VALUES ($1, $2, $3) RETURNING 1, \"id\", \"when\", \"tags\""
        );
        let one = insert_row_returning(&Sqlite, &plan, &[2]).unwrap();
        assert_eq!(
            &*one.sql,
            "INSERT INTO \"s\".\"t\"\"t\" (\"tags\") VALUES (?1) \
             RETURNING 1, \"id\", \"when\", \"tags\""
        );
        assert_eq!(insert_row_returning(&Sqlite, &plan, &[]), None);
        // A date is a part of the key.
        assert_eq!(insert_rows_matched(&Postgres { icu: false }, &plan, &[0, 1, 2]), None);
    }

    /// What Citus would refuse to return is read afterwards.
    #[test]
    fn rows_of_spread_tables_return_plain_columns_alone() {
        let dialect = Postgres { icu: false };
        let spread = |ty: Option<Type>, as_of: bool| {
            let mut shape = Shape::clone(&plan().shape);
            shape.metadata = as_of;
            let table = Arc::make_mut(&mut shape.nodes[0].table);
            table.placement = duet_model::catalog::Placement::Reference;
            if let Some(ty) = ty {
                table.columns[2].ty = ty;
            }
            let plan = ReadPlan::by_keys(Arc::new(shape));
            insert_row_returning(&dialect, &plan, &[0, 1]).is_some()
        };
        assert!(spread(None, false));
        assert!(!spread(Some(Type::Other), false), "its text is returned");
        assert!(!spread(None, true), "the snapshot is returned");
    }

    #[test]
    fn matches_rows_by_keys() {
        let mut plan = plan();
        let shape = Arc::make_mut(&mut plan.shape);
        shape.key = vec![0];
        let table = Arc::make_mut(&mut shape.nodes[0].table);
        table.primary_key = vec![0];
        let postgres = &Postgres { icu: false };
        let given = insert_rows_matched(postgres, &plan, &[2, 0]).unwrap();
        assert_eq!(
            &*given.sql,
            "WITH k AS MATERIALIZED (SELECT k.ord, k.k0::character varying[] AS c0, k.k1 AS c1 \
             FROM unnest($1::text[], $2::int8[]) WITH ORDINALITY AS k(k0, k1, ord)), \
             i (r0, r1, r2, r3, r4) AS (INSERT INTO \"s\".\"t\"\"t\" (\"tags\", \"id\") \
             SELECT c0, c1 FROM k RETURNING 1, \"id\", \"when\", \"tags\", \"id\") \
             SELECT k.ord, i.r0, i.r1, i.r2, i.r3 FROM k JOIN i ON i.r4 = k.c1"
        );
        assert_eq!(insert_rows_matched(postgres, &plan, &[2]), None, "nothing gives the key");
        assert_eq!(insert_rows_by_key(postgres, &plan, &[2, 0]), None, "read by position");
        plan.by_ordinal = false;
        assert_eq!(
            &*insert_rows_by_key(postgres, &plan, &[2, 0]).unwrap().sql,
            "INSERT INTO \"s\".\"t\"\"t\" (\"tags\", \"id\") \
             SELECT k.k0::character varying[], k.k1 \
             FROM unnest($1::text[], $2::int8[]) WITH ORDINALITY AS k(k0, k1, ord) \
             RETURNING 1, \"id\", \"when\", \"tags\""
        );
        assert_eq!(insert_rows_by_key(postgres, &plan, &[1]), None, "nothing gives the key");
        assert_eq!(insert_rows_by_key(&Sqlite, &plan, &[2, 0]), None);
        let mut drawn = |default: Option<&str>| {
            let shape = Arc::make_mut(&mut plan.shape);
            let id = &mut Arc::make_mut(&mut shape.nodes[0].table).columns[0];
            id.generated = GeneratedValue::Identity;
            id.default = default.map(str::to_owned);
            insert_rows_matched(postgres, &plan, &[1]).unwrap().sql
        };
        let identity = drawn(None);
        assert!(identity.contains(
            "nextval((SELECT pg_catalog.pg_get_serial_sequence($1::text, $2::text))::regclass) AS c1"
        ), "{identity}");
        assert!(
            identity.contains("(\"when\", \"id\") OVERRIDING SYSTEM VALUE SELECT c0, c1 FROM k")
        );
        let serial = drawn(Some("nextval('s.t_id_seq'::regclass)"));
        assert!(serial.contains(", nextval('s.t_id_seq'::regclass) AS c1"), "{serial}");
        assert_eq!(insert_rows_matched(&Sqlite, &plan, &[0, 1]), None);
    }

    #[test]
    fn locks() {
        let plan = plan();
        assert!(lock_statements(&Sqlite, &plan).is_empty());
        let locks = lock_statements(&Postgres { icu: false }, &plan);
        assert_eq!(
            &*locks[0].sql,
            "SELECT 1 FROM unnest($1::int8[], $2::date[]) WITH ORDINALITY AS k(k0, k1, ord) \
             JOIN \"s\".\"t\"\"t\" AS t0 ON t0.\"id\" = k.k0 AND t0.\"when\" = k.k1 WHERE TRUE \
             ORDER BY t0.\"id\", t0.\"when\" FOR NO KEY UPDATE OF t0"
        );
        assert_eq!(locks.len(), 1);
    }

    /// Of a table that is distributed over machines, rows are locked where values say which machine has them.
    #[test]
    fn locks_of_distributed_tables() {
        let plan = plan();
        let mut shape = Shape::clone(&plan.shape);
        let placement =
            duet_model::catalog::Placement::Distributed { column: "id".into(), group: 1 };
        Arc::make_mut(&mut shape.nodes[0].table).placement = placement;
        let plan = ReadPlan::by_keys(shape.into());
        let dialect = Postgres { icu: false };
        assert!(plan.shape.is_distributed() && group_level_statements(&dialect, &plan).is_none());
        let [lock] = &lock_statements(&dialect, &plan)[..] else { panic!() };
        assert_eq!(
            &*lock.sql,
            "SELECT 1 FROM \"s\".\"t\"\"t\" AS t0 WHERE t0.\"id\" = $1::int8 AND t0.\"when\" = $2::date \
             ORDER BY t0.\"id\", t0.\"when\" FOR NO KEY UPDATE OF t0"
        );
    }
}
