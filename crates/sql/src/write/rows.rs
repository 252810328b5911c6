//! The statements of row operations: one row each, found by its key.

use crate::parts::affixes::Affixes;
use duet_model::{Column, ColumnRef, NodeId, Relation, Shape, Type, Value};

use crate::dialect::Dialect;
use crate::expressions::form::in_form;
use crate::expressions::index_range;
use crate::expressions::joins::{row_filter, table};
use crate::writer::{Statement, Writer};

/// What a column is set to.
#[derive(Clone, Debug, PartialEq)]
pub enum AssignedValue {
    /// A value.
    Value(Value),
    /// The column's default.
    Default,
}

/// Inserts a row into a node's table and returns the columns `returning`.
pub fn insert_statement(
    dialect: &dyn Dialect,
    shape: &Shape,
    node: NodeId,
    set: &[(usize, AssignedValue)],
    returning: &[usize],
) -> Statement {
    let relation = &shape.nodes[node].table;
    let mut writer = Writer::new(dialect);
    writer.text("INSERT INTO ");
    writer.relation(relation);
    if set.is_empty() {
        writer.text(" DEFAULT VALUES");
    } else {
        writer.text(" (");
        writer.list(set, ", ", |writer, (column, _)| {
            writer.identifier(&relation.columns[*column].name);
        });
        writer.text(") VALUES (");
        writer.list(set, ", ", |writer, (column, assigned)| {
            assign(writer, &relation.columns[*column], assigned);
        });
        writer.text(")");
    }
    returned(&mut writer, relation, returning);
    writer.finish()
}

/// Gives columns of the row with this key other values, at least one, and returns the columns `returning`.
pub fn update_statement(
    dialect: &dyn Dialect,
    shape: &Shape,
    node: NodeId,
    key: &[(usize, Value)],
    set: &[(usize, AssignedValue)],
    returning: &[usize],
) -> Statement {
    let relation = &shape.nodes[node].table;
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    table(&mut writer, shape, node);
    writer.text(" SET ");
    writer.list(set, ", ", |writer, (column, assigned)| {
        let column = &relation.columns[*column];
        writer.identifier(&column.name);
        writer.text(" = ");
        assign(writer, column, assigned);
    });
    with_key(&mut writer, shape, node, key);
    returned(&mut writer, relation, returning);
    writer.finish()
}

/// Removes the row with this key.
pub fn delete_statement(
    dialect: &dyn Dialect,
    shape: &Shape,
    node: NodeId,
    key: &[(usize, Value)],
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("DELETE FROM ");
    table(&mut writer, shape, node);
    with_key(&mut writer, shape, node, key);
    writer.finish()
}

/// Gives one row with the number 1 where the row with this key satisfies the node's row filter, and
/// none where it does not.
pub fn check_statement(
    dialect: &dyn Dialect,
    shape: &Shape,
    node: NodeId,
    key: &[(usize, Value)],
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("SELECT 1 FROM ");
    table(&mut writer, shape, node);
    with_key(&mut writer, shape, node, key);
    row_filter(&mut writer, shape, node, " AND ");
    writer.finish()
}

/// Reads columns of the row with this key.
pub fn columns_statement(
    dialect: &dyn Dialect,
    shape: &Shape,
    node: NodeId,
    key: &[(usize, Value)],
    columns: &[usize],
) -> Statement {
    let relation = &shape.nodes[node].table;
    let mut writer = Writer::new(dialect);
    writer.text("SELECT ");
    selected(&mut writer, relation, columns);
    writer.text(" FROM ");
    table(&mut writer, shape, node);
    with_key(&mut writer, shape, node, key);
    writer.finish()
}

/// `RETURNING` with these columns, if there are any.
pub(super) fn returned(writer: &mut Writer<'_>, relation: &Relation, columns: &[usize]) {
    if !columns.is_empty() {
        writer.text(" RETURNING ");
        selected(writer, relation, columns);
    }
}

/// Columns as a read would find them.
fn selected(writer: &mut Writer<'_>, relation: &Relation, columns: &[usize]) {
    writer.list(columns, ", ", |writer, &column| {
        let column = &relation.columns[column];
        writer.shown(&column.ty, |writer| writer.identifier(&column.name));
    });
}

pub(super) fn assign(writer: &mut Writer<'_>, column: &Column, assigned: &AssignedValue) {
    match assigned {
        AssignedValue::Value(value) => writer.assign(value.clone(), &column.ty, &column.declared),
        AssignedValue::Default => writer.default_of(column),
    }
}

fn with_key(writer: &mut Writer<'_>, shape: &Shape, node: NodeId, key: &[(usize, Value)]) {
    let relation = &shape.nodes[node].table;
    writer.text(" WHERE ");
    writer.list(key, " AND ", |writer, (column, value)| {
        let about = &relation.columns[*column];
        let field = ColumnRef { node, column: *column };
        let narrowed = index_range::in_window(writer, shape, field, &mut |writer, form| {
            writer.bind_in(form, value.clone(), &about.ty, &about.declared);
        });
        if narrowed {
            return;
        }
        // The stored value is known here, with its storage class: a number is not the text of it.
        let forms = match about.ty {
            Type::Dynamic => const { &[Affixes::NONE, Affixes::new("duet_untyped_bytes(", ")")] },
            _ => writer.dialect.key_forms(&about.ty),
        };
        let form =
            if forms.is_empty() { writer.dialect.comparable(&about.ty) } else { Affixes::NONE };
        let alone = [form];
        let forms = if forms.is_empty() { &alone[..] } else { forms };
        in_form(writer, shape, field, form);
        writer.text(" IN (");
        writer.list(forms, ", ", |writer, &form| {
            writer.bind_in(form, value.clone(), &about.ty, &about.declared);
        });
        writer.text(")");
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use duet_model::{ColumnMember, Member, MemberKind, Node, Operations, RelationKind};

    use super::*;
    use crate::{Postgres, Sqlite};

    fn shape() -> Shape {
        let mut points = Column::new("po\"ints", Type::Integer { bits: 32 });
        points.default = Some("0".into());
        let relation = Relation {
            schema: "main".into(),
            name: "team".into(),
            alias: None,
            kind: RelationKind::Table,
            columns: vec![Column::new("id", Type::Integer { bits: 64 }), points],
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
            placement: duet_model::catalog::Placement::default(),
        };
        let member = |column| Member {
            name: format!("c{column}"),
            kind: MemberKind::Column(ColumnMember::read_only(column)),
        };
        let node = Node {
            table: Arc::new(relation),
            link: None,
            members: vec![member(0), member(1)],
            filter: None,
            check_option: false,
            aggregates: Vec::new(),
            derived: Vec::new(),
            elements: duet_model::shape::Elements::default(),
            operations: Operations::default(),
        };
        Shape {
            name: "team".into(),
            nodes: vec![node],
            key: vec![0],
            metadata: false,
            rules: Vec::new(),
            notice: None,
            style: duet_model::DocumentStyle::default(),
        }
    }

    #[test]
    fn statements() {
        let shape = shape();
        let postgres = Postgres { icu: true };
        let set = [(1, AssignedValue::Value(Value::Int(7)))];
        let key = [(0, Value::Int(2))];
        let insert = insert_statement(&postgres, &shape, 0, &set, &[0]);
        assert_eq!(
            &*insert.sql,
            "INSERT INTO \"main\".\"team\" (\"po\"\"ints\") VALUES ($1) RETURNING \"id\""
        );
        let none = insert_statement(&Sqlite, &shape, 0, &[], &[]);
        assert_eq!(&*none.sql, "INSERT INTO \"main\".\"team\" DEFAULT VALUES");
        let update = update_statement(&postgres, &shape, 0, &key, &set, &[]);
        assert_eq!(
            &*update.sql,
            "UPDATE \"main\".\"team\" AS t0 SET \"po\"\"ints\" = $1 WHERE t0.\"id\" IN ($2::int8)"
        );
        let default = [(1, AssignedValue::Default)];
        let update = update_statement(&Sqlite, &shape, 0, &key, &default, &[]);
        assert_eq!(
            &*update.sql,
            "UPDATE \"main\".\"team\" AS t0 SET \"po\"\"ints\" = (0) WHERE t0.\"id\" IN (?1)"
        );
        let read = columns_statement(&postgres, &shape, 0, &key, &[0, 1]);
        assert_eq!(
            &*read.sql,
            "SELECT \"id\", \"po\"\"ints\" FROM \"main\".\"team\" AS t0 WHERE t0.\"id\" IN ($1::int8)"
        );
        let delete = delete_statement(&Sqlite, &shape, 0, &key);
        assert_eq!(&*delete.sql, "DELETE FROM \"main\".\"team\" AS t0 WHERE t0.\"id\" IN (?1)");
    }
}
