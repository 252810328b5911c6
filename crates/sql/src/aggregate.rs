//! Functions over the rows of other tables that are joined to a row, as subqueries.

use duet_model::{Aggregate, AggregateFunction, Expr, Type};

use crate::expr::Printer;
use crate::joins::{join, table};
use crate::writer::Writer;

impl Printer<'_> {
    /// `(SELECT sum(a1_0."points") FROM "driver" AS a1_0 WHERE a1_0."team_id" = t0."team_id")`
    pub(crate) fn aggregate(self, writer: &mut Writer<'_>, expr: &Expr, outer: &[Expr]) {
        let Some(aggregate) = self.shape.aggregate(self.node, expr) else {
            return writer.text("NULL");
        };
        let rows = Printer::of(&aggregate.rows, 0);
        let sorted = is_sorted(aggregate);
        writer.text("(SELECT ");
        writer.enter_rows();
        match &aggregate.operand {
            Some(operand) if sorted => rows.value(writer, operand),
            operand => rows.function_of(writer, aggregate, operand.as_ref()),
        }
        writer.text(" FROM ");
        table(writer, &aggregate.rows, 0);
        for node in 1..aggregate.rows.nodes.len() {
            join(writer, &aggregate.rows, node, " JOIN ");
        }
        writer.text(" WHERE ");
        let columns = &aggregate.rows.root().table.columns;
        let pairs = aggregate.columns.iter().zip(outer);
        writer.list(pairs, " AND ", |writer, (&column, value)| {
            writer.column(0, &columns[column].name);
            writer.text(" = ");
            writer.leave_rows();
            self.value(writer, value);
            writer.enter_rows();
        });
        if let Some(filter) = &aggregate.filter {
            writer.text(" AND ");
            rows.write(writer, filter);
        }
        if let Some(operand) = aggregate.operand.as_ref().filter(|_| sorted) {
            rows.first_in_order(writer, aggregate, operand);
        }
        writer.leave_rows();
        writer.text(")");
    }

    fn function_of(self, writer: &mut Writer<'_>, aggregate: &Aggregate, operand: Option<&Expr>) {
        let functions = writer.dialect.row_functions();
        let [before, after] = match aggregate.function {
            AggregateFunction::Count => ["count(", ")"],
            AggregateFunction::Sum if matches!(aggregate.ty, Type::Integer { .. }) => {
                functions.integer_sum
            }
            AggregateFunction::Sum => functions.sum,
            AggregateFunction::Average => functions.mean,
            AggregateFunction::Least => ["min(", ")"],
            AggregateFunction::Greatest => ["max(", ")"],
            AggregateFunction::Only => ["", ""],
        };
        writer.text(before);
        writer.text(if aggregate.distinct { "DISTINCT " } else { "" });
        match operand {
            Some(operand) => self.value(writer, operand),
            None => writer.text("*"),
        }
        writer.text(after);
    }

    /// The smallest or largest value is the first in the order in which pages sort it, since engines have no `min`
    /// of every type, and several texts may be the same moment.
    fn first_in_order(self, writer: &mut Writer<'_>, aggregate: &Aggregate, operand: &Expr) {
        writer.text(" AND ");
        self.value(writer, operand);
        writer.text(" IS NOT NULL ORDER BY ");
        let form = writer.dialect.sortable(&aggregate.ty);
        writer.text(form.0);
        self.value(writer, operand);
        writer.text(form.1);
        if matches!(aggregate.ty, Type::Text | Type::Char) {
            let by_code_points = writer.dialect.row_functions().by_code_points;
            writer.text(by_code_points);
        }
        let descending = aggregate.function == AggregateFunction::Greatest;
        writer.text(if descending { " DESC LIMIT 1" } else { " LIMIT 1" });
    }
}

/// Whether it is the first value of an order, and not a function of the engine.
fn is_sorted(aggregate: &Aggregate) -> bool {
    let is_end =
        matches!(aggregate.function, AggregateFunction::Least | AggregateFunction::Greatest);
    is_end && !aggregate.ty.is_number()
}
