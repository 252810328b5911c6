//! The statement that gives many rows of a node other values in the same columns, and returns them as
//! a read would find them.

use duet_model::{ReadPlan, Type};

use crate::dialect::{Dialect, KeyStyle};
use crate::expressions::joins::table;
use crate::read::levels::returned_by_update;
use crate::writer::{Statement, Writer};

/// Updates rows of the node that heads a level: finds them by the columns `key`, whose values are no
/// NULLs, and gives them values in the columns `set`. What is given are
/// [`Parameter::Key`](crate::Parameter::Key)s, arrays with a part for each column of `key`, then one for
/// each of `set`.
///
/// Back come, for each row, the columns of the level, the position of the row in the arrays from 1 on,
/// a number without a meaning, and the snapshot. If one of the rows does not exist, or is updated twice,
/// the statement fails: by a division by zero.
///
/// `None` where the level has columns of other nodes, and for a dialect that takes one row at a time.
pub fn update_rows_statement(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    level: usize,
    key: &[usize],
    set: &[usize],
) -> Option<Statement> {
    if dialect.key_style() != KeyStyle::Arrays || key.is_empty() || set.is_empty() {
        return None;
    }
    let (shape, node) = (&plan.shape, plan.levels[level].node);
    let columns = &shape.nodes[node].table.columns;
    if set.iter().any(|&column| columns[column].ty.domain_casts().is_some()) {
        return None;
    }
    let width = plan.levels[level].columns.len();
    let mut writer = Writer::new(dialect);
    writer.text("WITH u(");
    writer.list(0..width, ", ", cell);
    writer.text(", ord) AS (UPDATE ");
    table(&mut writer, shape, node);
    writer.text(" SET ");
    writer.list(set.iter().enumerate(), ", ", |writer, (part, &column)| {
        writer.identifier(&columns[column].name);
        writer.text(" = ");
        given(writer, plan, node, key.len() + part, column);
    });
    writer.text(" FROM ");
    let [before, after] = writer.dialect.keys_table();
    writer.text(before);
    let all = || key.iter().chain(set).enumerate();
    writer.list(all(), ", ", |writer, (part, &column)| {
        writer.bind_key(part, &array_type(&columns[column].ty), "text");
    });
    writer.text(after);
    writer.text("(");
    writer.list(all(), ", ", |writer, (part, _)| {
        writer.text("k");
        writer.number(part);
    });
    writer.text(", ord) WHERE ");
    writer.list(key.iter().enumerate(), " AND ", |writer, (part, &column)| {
        writer.column(node, &columns[column].name);
        writer.text(" = ");
        given(writer, plan, node, part, column);
    });
    writer.text(" RETURNING ");
    if !returned_by_update(&mut writer, plan, level) {
        return None;
    }
    writer.text(", k.ord) SELECT ");
    writer.list(0..width, ", ", |writer, at| {
        writer.text("u.");
        cell(writer, at);
    });
    writer.text(", u.ord, n.n, ");
    let as_of = writer.dialect.as_of();
    writer.text(as_of);
    // The count comes first, because it is always selected.
    writer.text(" FROM (SELECT 1 / CASE WHEN count(*) = cardinality(");
    writer.bind_key(0, &array_type(&columns[key[0]].ty), "text");
    writer.text(") THEN 1 ELSE 0 END AS n FROM u) AS n LEFT JOIN u ON TRUE");
    Some(writer.finish())
}

fn cell(writer: &mut Writer<'_>, at: usize) {
    writer.text("c");
    writer.number(at);
}

/// A value of the arrays, as a value of a column.
fn given(writer: &mut Writer<'_>, plan: &ReadPlan, node: usize, part: usize, column: usize) {
    let column = &plan.shape.nodes[node].table.columns[column];
    writer.text("k.k");
    writer.number(part);
    if !matches!(column.ty, Type::Integer { .. }) {
        writer.cast_from_text(&column.ty, &column.declared);
    }
}

/// Integers are passed as integers, all other types as text.
fn array_type(ty: &Type) -> Type {
    if matches!(ty, Type::Integer { .. }) { Type::Integer { bits: 64 } } else { Type::Text }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use duet_model::{
        Cardinality, Column, ColumnMember, ForeignKey, Link, Member, MemberKind, Node, Operations,
        Relation, RelationKind, Shape,
    };

    use super::*;
    use crate::{Postgres, Sqlite, locked_level_statements};

    fn table(name: &str, columns: &[(&str, Type, &str)]) -> Relation {
        let column = |(name, ty, declared): &(&str, Type, &str)| Column {
            declared: (*declared).to_owned(),
            ..Column::new(*name, ty.clone())
        };
        Relation {
            schema: "s".into(),
            name: name.into(),
            alias: None,
            kind: RelationKind::Table,
            columns: columns.iter().map(column).collect(),
            primary_key: vec![0],
            unique_keys: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            checks: Vec::new(),
            comment: None,
            estimated_rows: None,
            batchable: true,
            plain: true,
            links: Vec::new(),
            effects: duet_model::catalog::Effects::default(),
            query: None,
            withheld: duet_model::catalog::Withheld::default(),
            placement: duet_model::catalog::Placement::default(),
        }
    }

    fn node(relation: Relation, link: Option<Link>) -> Node {
        let member = |column| Member {
            name: format!("c{column}"),
            kind: MemberKind::Column(ColumnMember::read_only(column)),
        };
        let members = (0..relation.columns.len()).map(member).collect();
        let operations = Operations { update: true, ..Operations::default() };
        let table = Arc::new(relation);
        Node {
            table,
            link,
            members,
            filter: None,
            check_option: false,
            operations,
            aggregates: Vec::new(),
            derived: Vec::new(),
            elements: duet_model::shape::Elements::default(),
        }
    }

    /// A team with its drivers, whose reference to the team is a foreign key or not.
    fn shape(refers: bool) -> Shape {
        let integer = Type::Integer { bits: 32 };
        let team = table("team", &[("id", integer.clone(), "integer")]);
        let mut driver = table(
            "driver",
            &[
                ("id", integer.clone(), "integer"),
                ("team", integer, "integer"),
                ("born", Type::Date, "date"),
            ],
        );
        if refers {
            driver.foreign_keys.push(ForeignKey {
                name: "f".into(),
                columns: vec![1],
                references_schema: "s".into(),
                references_table: "team".into(),
                references_columns: vec!["id".into()],
                on_delete: duet_model::catalog::OnDelete::Refuse,
            });
        }
        let link = Link {
            parent: 0,
            parent_columns: vec![0],
            child_columns: vec![1],
            cardinality: Cardinality::Many,
        };
        let mut nodes = vec![node(team, None), node(driver, Some(link))];
        nodes[0].members.push(Member { name: "driver".into(), kind: MemberKind::Array(1) });
        Shape {
            name: "t".into(),
            nodes,
            key: vec![0],
            metadata: false,
            rules: Vec::new(),
            notice: None,
            style: duet_model::DocumentStyle::default(),
        }
    }

    fn plan(shape: Shape) -> ReadPlan {
        ReadPlan::by_keys(Arc::new(shape))
    }

    #[test]
    fn updates() {
        let plan = plan(shape(true));
        let dialect = Postgres { icu: false };
        let update = update_rows_statement(&dialect, &plan, 1, &[0], &[2]).unwrap();
        assert_eq!(
            &*update.sql,
            "WITH u(c0, c1, c2, c3, ord) AS (UPDATE \"s\".\"driver\" AS t1 SET \"born\" = k.k1::date \
             FROM unnest($1::int8[], $2::text[]) WITH ORDINALITY AS k(k0, k1, ord) \
             WHERE t1.\"id\" = k.k0 RETURNING t1.\"team\", t1.\"id\", t1.\"team\", t1.\"born\", k.ord) \
             SELECT u.c0, u.c1, u.c2, u.c3, u.ord, n.n, \
             (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())) \
             FROM (SELECT 1 / CASE WHEN count(*) = cardinality($1::int8[]) THEN 1 ELSE 0 END AS n \
             FROM u) AS n LEFT JOIN u ON TRUE"
        );
        assert_eq!(update_rows_statement(&dialect, &plan, 1, &[0], &[]), None);
        assert_eq!(update_rows_statement(&Sqlite, &plan, 1, &[0], &[2]), None);
    }

    #[test]
    fn locked_levels() {
        let dialect = Postgres { icu: false };
        let both = locked_level_statements(&dialect, &plan(shape(true)), false).unwrap();
        assert_eq!(
            &*both[0].sql,
            "SELECT t0.\"id\" FROM \"s\".\"team\" AS t0 WHERE t0.\"id\" = ANY($1::int8[]) \
             ORDER BY t0.\"id\" FOR UPDATE OF t0"
        );
        assert_eq!(
            &*both[1].sql,
            "SELECT t1.\"team\", t1.\"id\", t1.\"team\", t1.\"born\" FROM \"s\".\"driver\" AS t1 \
             WHERE t1.\"team\" = ANY($1::int8[]) ORDER BY t1.\"id\" FOR NO KEY UPDATE OF t1"
        );
        let one = locked_level_statements(&dialect, &plan(shape(true)), true).unwrap();
        assert_eq!(
            [&*one[0].sql, &*one[1].sql],
            [
                "SELECT t0.\"id\" FROM \"s\".\"team\" AS t0 WHERE t0.\"id\" = $1::int8 FOR UPDATE OF t0",
                "SELECT t1.\"team\", t1.\"id\", t1.\"team\", t1.\"born\" FROM \"s\".\"driver\" AS t1 \
                 WHERE t1.\"team\" = $1::int8 ORDER BY t1.\"id\" FOR NO KEY UPDATE OF t1"
            ]
        );
        assert_eq!(locked_level_statements(&Sqlite, &plan(shape(true)), false), None);
        assert_eq!(locked_level_statements(&dialect, &plan(shape(false)), false), None);
        let mut read_only = shape(true);
        read_only.nodes[1].operations = Operations::default();
        assert_eq!(locked_level_statements(&dialect, &plan(read_only), false), None);
        let mut more = shape(true);
        Arc::get_mut(&mut more.nodes[1].table).unwrap().plain = false;
        assert_eq!(locked_level_statements(&dialect, &plan(more), false), None);
    }
}
