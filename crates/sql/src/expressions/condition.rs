//! Request filters as SQL conditions.
//!
//! Fields reached by to-one links are columns of joined tables. A predicate on a field below an
//! array becomes `EXISTS` over the tables from the array down: any element satisfies it. Where tables are distributed over
//! machines it is `IN` over the same rows, whose subquery the engine runs by itself: it refuses most that refer to rows
//! around them.

use std::collections::BTreeSet;

use duet_model::{Expr, NodeId, Shape};
use duet_text::Fold;

use super::expr::{Context, Printer, connect};
use super::joins;
use crate::writer::Writer;

/// Writes a condition, in parentheses where it needs them.
pub(crate) fn write(writer: &mut Writer<'_>, shape: &Shape, expr: &Expr) {
    connect(writer, expr, Context::Selecting, &|writer, expr, context| {
        predicate(writer, shape, expr, context);
    });
}

/// The nodes that must be joined to the root for this filter: those reached by to-one links.
pub(crate) fn joined_nodes(shape: &Shape, expr: &Expr, out: &mut BTreeSet<NodeId>) {
    let outside = |node: NodeId| split_chain(shape, node).0.into_iter().filter(|node| *node != 0);
    out.extend(expr.nodes().into_iter().flat_map(outside));
}

/// Writes the joins of the root to nodes that are reached by to-one links. The filter may need the row of one: then
/// rows without it are not joined, which lets the planner begin at the other table. It cannot know that by
/// itself where the condition is on an expression that it takes to be one that has a value for NULL, such as `CASE`.
pub(crate) fn join_nodes<'n>(
    writer: &mut Writer<'_>,
    shape: &Shape,
    filter: &Expr,
    nodes: impl IntoIterator<Item = &'n NodeId>,
) {
    let mut needed = BTreeSet::new();
    needed_nodes(shape, filter, &mut needed);
    for node in nodes {
        let how = if needed.contains(node) { " JOIN " } else { " LEFT JOIN " };
        joins::join(writer, shape, *node, how);
    }
}

/// The nodes without whose rows a filter cannot hold.
fn needed_nodes(shape: &Shape, filter: &Expr, out: &mut BTreeSet<NodeId>) {
    let operand = match filter {
        Expr::And(parts) => return parts.iter().for_each(|part| needed_nodes(shape, part, out)),
        Expr::Not(inner) => match &**inner {
            Expr::IsNull(operand) => operand,
            _ => return,
        },
        Expr::Compare(_, operand, _)
        | Expr::In(operand, _)
        | Expr::Between(operand, ..)
        | Expr::Like { operand, .. }
        | Expr::Search(operand, _) => operand,
        _ => return,
    };
    let value = match &**operand {
        Expr::Function(name, arguments) if Fold::named(name).is_some() => arguments.first(),
        operand => Some(operand),
    };
    if let Some(Expr::Field(field) | Expr::Extracted(field, _)) = value {
        // Below an array it is about rows of which there may be none.
        let (joined, below) = split_chain(shape, field.column_at(0).node);
        out.extend(joined.into_iter().filter(|_| below.is_empty()));
    }
}

/// The nodes from the root to this one: first those reached by to-one links alone, then the rest,
/// which begins with a to-many node.
fn split_chain(shape: &Shape, node: NodeId) -> (Vec<NodeId>, Vec<NodeId>) {
    let mut chain = vec![node];
    let mut at = node;
    while let Some(link) = &shape.nodes[at].link {
        at = link.parent;
        chain.push(at);
    }
    chain.reverse();
    let first_many = chain.iter().position(|node| shape.is_many(*node)).unwrap_or(chain.len());
    let below = chain.split_off(first_many);
    (chain, below)
}

fn predicate(writer: &mut Writer<'_>, shape: &Shape, expr: &Expr, context: Context) {
    let printer = Printer::of(shape, 0);
    let Some(rows) = Rows::of(shape, expr) else { return printer.leaf(writer, expr, context) };
    rows.write(writer, expr);
}

/// The rows below a document of which one satisfies a condition.
struct Rows<'a> {
    shape: &'a Shape,
    /// The to-many node, then those below it.
    nodes: Vec<NodeId>,
}

impl<'a> Rows<'a> {
    /// The rows that a condition is about; `None` for the root and the rows joined to it. One that names
    /// several arrays is about the first of them.
    fn of(shape: &'a Shape, expr: &Expr) -> Option<Self> {
        let chains = expr.nodes().into_iter().map(|node| split_chain(shape, node).1);
        let chains: Vec<_> = chains.filter(|chain| !chain.is_empty()).collect();
        let first = chains.iter().map(|chain| chain[0]).min()?;
        let own = chains.into_iter().filter(|chain| chain[0] == first);
        let nodes: BTreeSet<_> = own.flatten().collect();
        Some(Self { shape, nodes: nodes.into_iter().collect() })
    }

    fn write(&self, writer: &mut Writer<'_>, expr: &Expr) {
        let (shape, first) = (self.shape, self.nodes[0]);
        // Within one row a part may be about an absent value; a condition alone is not.
        let one_row = matches!(expr, Expr::SameRow(_));
        let alone = self.linked_alone(expr);
        match alone {
            Some(linked) => linked.write(writer, shape, first),
            None => writer.text("EXISTS (SELECT 1 FROM "),
        }
        joins::table(writer, shape, first);
        for &node in &self.nodes[1..] {
            joins::join(writer, shape, node, if one_row { " LEFT JOIN " } else { " JOIN " });
        }
        writer.text(" WHERE ");
        match alone {
            Some(linked) => linked.is_there(writer, shape, first),
            None => joins::link_condition(writer, shape, first),
        }
        joins::row_filter(writer, shape, first, " AND ");
        writer.text(" AND ");
        // EXISTS is false where nothing is true.
        match expr {
            Expr::SameRow(inner) => self.of_one_row(writer, inner),
            _ => Printer::of(shape, 0).leaf(writer, expr, Context::Selecting),
        }
        writer.text(if alone.is_some() { "))" } else { ")" });
    }

    /// The columns that link the rows to their parent, where a subquery of a distributed shape can be without the parent:
    /// nothing in it is about other rows.
    fn linked_alone(&self, expr: &Expr) -> Option<LinkedColumns> {
        let link = self.shape.nodes[self.nodes[0]].link.as_ref()?;
        let ([child], [column]) = (&link.child_columns[..], &link.parent_columns[..]) else {
            return None;
        };
        let is_alone = expr.nodes().iter().all(|node| self.nodes.contains(node));
        (is_alone && self.shape.is_distributed()).then_some(LinkedColumns {
            child: *child,
            parent: link.parent,
            column: *column,
        })
    }

    /// Conditions of one row, and beside them those on other arrays.
    fn of_one_row(&self, writer: &mut Writer<'_>, expr: &Expr) {
        connect(writer, expr, Context::Selecting, &|writer, part, context| match Self::of(
            self.shape, part,
        ) {
            Some(rows) if rows.nodes[0] != self.nodes[0] => rows.write(writer, part),
            _ => Printer::of(self.shape, 0).leaf(writer, part, context),
        });
    }
}

/// The one column of rows that links them to their parent, and that of the parent.
#[derive(Clone, Copy)]
struct LinkedColumns {
    child: usize,
    parent: NodeId,
    column: usize,
}

impl LinkedColumns {
    /// `(parent.column IN (SELECT child.column FROM `. As `EXISTS` it is false where the parent's value is NULL.
    fn write(self, writer: &mut Writer<'_>, shape: &Shape, child: NodeId) {
        let column = &shape.nodes[self.parent].table.columns[self.column];
        let own = &shape.nodes[child].table.columns[self.child].name;
        writer.text("(");
        if !column.not_null {
            writer.column(self.parent, &column.name);
            writer.text(" IS NOT NULL AND ");
        }
        writer.column(self.parent, &column.name);
        writer.text(" IN (SELECT ");
        writer.column(child, own);
        writer.text(" FROM ");
    }

    /// That the row has a value there: the denial of `IN` over one that has none would never hold.
    fn is_there(self, writer: &mut Writer<'_>, shape: &Shape, child: NodeId) {
        writer.column(child, &shape.nodes[child].table.columns[self.child].name);
        writer.text(" IS NOT NULL");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use duet_model::catalog::Placement;
    use duet_model::shape::{Cardinality, Link};
    use duet_model::{ColumnRef, Compare, Relation, Type, Value};

    use super::*;
    use crate::Postgres;

    /// A condition on the rows below a root, which are linked by a column that may be NULL on the root's side.
    fn condition(placement: &Placement, number: i64) -> String {
        let integer = Type::Integer { bits: 32 };
        let table = |name: &str, columns: [&str; 2]| {
            let columns = columns.map(|name| duet_model::Column::new(name, integer.clone()));
            let table = Relation::table("s", name, columns.into());
            Arc::new(Relation { placement: placement.clone(), ..table })
        };
        let mut shape = Shape::of_relation(&table("driver", ["id", "team"]));
        let mut child = Shape::of_relation(&table("result", ["id", "driver"])).nodes.remove(0);
        child.link = Some(Link {
            parent: 0,
            parent_columns: vec![0],
            child_columns: vec![1],
            cardinality: Cardinality::Many,
        });
        shape.nodes.push(child);
        let place = ColumnRef { node: 1, column: 0 };
        let filter = Expr::compare(Compare::Eq, place, Expr::operand(Value::Int(number), &integer));
        let dialect = Postgres { icu: false };
        let mut writer = Writer::new(&dialect);
        write(&mut writer, &shape, &Expr::Not(Box::new(filter)));
        writer.finish().sql.to_string()
    }

    #[test]
    fn rows_of_distributed_tables_are_found_without_their_parents() {
        assert_eq!(
            condition(&Placement::Local, 3),
            "(NOT EXISTS (SELECT 1 FROM \"s\".\"result\" AS t1 WHERE t1.\"driver\" = t0.\"id\" AND t1.\"id\" = $1::int8))"
        );
        let placement = Placement::Distributed { column: "id".to_owned(), group: 1 };
        assert_eq!(
            condition(&placement, 3),
            "(NOT (t0.\"id\" IS NOT NULL AND t0.\"id\" IN (SELECT t1.\"driver\" FROM \"s\".\"result\" AS t1 \
             WHERE t1.\"driver\" IS NOT NULL AND t1.\"id\" = $1::int8)))"
        );
    }

    /// A number that the distribution column cannot have is compared with a column of more bits.
    #[test]
    fn numbers_beyond_a_distribution_column_are_compared_all_the_same() {
        let by = |column: &str| Placement::Distributed { column: column.to_owned(), group: 1 };
        let end = |placement: Placement| {
            let text = condition(&placement, i64::MIN);
            text.split_once(" AND t1.").unwrap().1.trim_end_matches(')').to_owned()
        };
        assert_eq!(end(by("id")), "\"id\"::int8 = $1::int8");
        assert_eq!(end(Placement::Mixed), "\"id\"::int8 = $1::int8");
        for placement in [by("driver"), Placement::Local, Placement::Reference] {
            assert_eq!(end(placement), "\"id\" = $1::int8");
        }
    }

    /// What requests name inside a document is found by steps, between which no cast to an array is needed.
    #[test]
    fn paths_in_documents_of_distributed_tables_are_steps() {
        let text = |placement: Placement| {
            let document = duet_model::Column::new("jsonb", Type::Json);
            let table = Relation { placement, ..Relation::table("s", "book", vec![document]) };
            let shape = Shape::of_relation(&Arc::new(table));
            let path = ["a".to_owned(), "\u{1}b".to_owned()];
            let field = duet_model::FieldRef { path: path.into(), ..duet_model::FieldRef::row(0) };
            let filter = Expr::IsNull(Box::new(Expr::Extracted(field, Type::Json)));
            let dialect = Postgres { icu: false };
            let mut writer = Writer::new(&dialect);
            write(&mut writer, &shape, &filter);
            let statement = writer.finish();
            (statement.sql.to_string(), format!("{:?}", statement.parameters))
        };
        let by = Placement::Distributed { column: "id".to_owned(), group: 1 };
        let (sql, parameters) = text(by);
        assert!(sql.contains("#>> string_to_array($1::text, $2::text)"), "{sql}");
        assert!(parameters.contains("a\\u{2}\\u{1}b"), "{parameters}");
        assert!(
            text(Placement::Local).0.contains("#>> $1::text::text[]"),
            "{}",
            text(Placement::Local).0
        );
    }
}
