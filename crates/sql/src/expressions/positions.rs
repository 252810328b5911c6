//! Rows by their positions among the rows of an array, which documents show in the order of their keys.

use duet_model::{Expr, FieldRef, NodeId, Value};
use duet_text::{ArraySlice, Positions};

use super::expr::{Printer, truth};
use super::joins::table;
use crate::writer::Writer;

/// More rows than an array has, for engines that take an offset behind a limit alone.
const ALL: i64 = 1 << 53;

/// The condition `positions('0 to 2', condition, column, …)` on a row: it is one of these among the rows of its
/// table with the same values in the columns for which the condition holds.
#[derive(Clone)]
pub(crate) struct PositionCondition<'e> {
    node: NodeId,
    positions: Positions,
    condition: &'e Expr,
    columns: Vec<&'e FieldRef>,
}

impl<'e> PositionCondition<'e> {
    /// The condition that an expression is.
    pub(crate) fn of(expr: &'e Expr) -> Option<Self> {
        let Expr::Function("positions", arguments) = expr else { return None };
        let [Expr::Literal(Value::Text(positions)), condition, columns @ ..] = &arguments[..]
        else {
            return None;
        };
        let field = |column: &'e Expr| match column {
            Expr::Field(field) => Some(field),
            _ => None,
        };
        let columns = columns.iter().map(field).collect::<Option<Vec<_>>>()?;
        let node = columns.first()?.column_at(0).node;
        Some(Self { node, positions: Positions::parse(positions)?, condition, columns })
    }

    /// Whether it is of the rows of the first node with these columns.
    pub(crate) fn is_of_root(&self, columns: &[usize]) -> bool {
        self.node == 0 && self.columns.iter().map(|field| &field.column).eq(columns)
    }

    /// Whether one statement finds all of the rows, so that their keys lead to them.
    pub(crate) fn is_one_window(&self) -> bool {
        let mut windows = self.positions.windows();
        windows.next().is_some_and(|all| all.len() == 1) && windows.next().is_none()
    }
}

impl Printer<'_> {
    /// `a1_0."id" IN (SELECT a2_0."id" FROM "line" AS a2_0 WHERE a2_0."order_id" = … ORDER BY a2_0."id" LIMIT 1 OFFSET 2)`
    ///
    /// `value` writes what a column of the rows is equal to, which is outside of the inner query.
    pub(crate) fn positions(
        self,
        writer: &mut Writer<'_>,
        placed: &PositionCondition<'_>,
        value: &dyn Fn(&mut Writer<'_>, usize),
    ) {
        writer.text("(");
        writer.list(placed.positions.windows(), " OR ", |writer, windows| {
            if windows.is_empty() {
                truth(writer, true);
            }
            writer.list(windows, " AND ", |writer, window| {
                self.in_window(writer, placed, window, value);
            });
        });
        writer.text(")");
    }

    /// The same, where the columns are those of the row itself.
    pub(crate) fn positions_of_row(self, writer: &mut Writer<'_>, condition: &Expr) {
        let Some(placed) = PositionCondition::of(condition) else { return truth(writer, false) };
        let columns = &self.shape.nodes[placed.node].table.columns;
        self.positions(writer, &placed, &|writer, at| {
            writer.column(placed.node, &columns[placed.columns[at].column].name);
        });
    }

    fn in_window(
        self,
        writer: &mut Writer<'_>,
        placed: &PositionCondition<'_>,
        window: ArraySlice,
        value: &dyn Fn(&mut Writer<'_>, usize),
    ) {
        let (node, relation) = (placed.node, &self.shape.nodes[placed.node].table);
        let key = relation.identity();
        let keys = |writer: &mut Writer<'_>, between, behind| {
            writer.list(key, between, |writer, &column| {
                writer.column(node, &relation.columns[column].name);
                writer.text(behind);
            });
        };
        writer.text("(");
        keys(writer, ", ", "");
        writer.text(") IN (SELECT ");
        writer.enter_rows();
        keys(writer, ", ", "");
        writer.text(" FROM ");
        table(writer, self.shape, node);
        writer.text(" WHERE ");
        writer.list(placed.columns.iter().enumerate(), " AND ", |writer, (at, field)| {
            writer.column(node, &relation.columns[field.column].name);
            writer.text(" = ");
            writer.leave_rows();
            value(writer, at);
            writer.enter_rows();
        });
        if *placed.condition != Expr::Literal(Value::Bool(true)) {
            writer.text(" AND ");
            Printer::of(self.shape, node).write(writer, placed.condition);
        }
        writer.text(" ORDER BY ");
        keys(writer, ", ", if window.from_end { " DESC" } else { "" });
        writer.text(" LIMIT ");
        writer.int(window.taken.map_or(ALL, i64::from));
        if window.skipped > 0 {
            writer.text(" OFFSET ");
            writer.int(i64::from(window.skipped));
        }
        writer.leave_rows();
        writer.text(")");
    }
}
