//! Functions over the rows of other tables that are joined to a row, as subqueries.
//!
//! Subqueries, because a join and a grouping per member would multiply the rows of the level, and a
//! statement of its own would be one more for each document.

use duet_model::{Aggregate, AggregateFunction, Expr, ListOrder, Type, Value};

use super::expr::Printer;
use super::joins::{join, table};
use super::positions::PositionCondition;
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
        self.selected_rows(writer, aggregate, outer);
        if let Some(operand) = aggregate.operand.as_ref().filter(|_| sorted) {
            rows.first_in_order(writer, aggregate, operand);
        }
        writer.leave_rows();
        writer.text(")");
    }

    /// What the rows of the first table have in common with the outer row, and what holds for each row.
    fn selected_rows(self, writer: &mut Writer<'_>, aggregate: &Aggregate, outer: &[Expr]) {
        let rows = Printer::of(&aggregate.rows, 0);
        let outer_value = |writer: &mut Writer<'_>, at: usize| {
            writer.leave_rows();
            self.value(writer, &outer[at]);
            writer.enter_rows();
        };
        let conditions = conjuncts(aggregate.filter.as_ref());
        let of_root = |condition: &&Expr| {
            PositionCondition::of(condition)
                .is_some_and(|placed| placed.is_of_root(&aggregate.columns))
        };
        let (placed, others): (Vec<_>, Vec<_>) = conditions.into_iter().partition(of_root);
        let placed: Vec<_> = placed.into_iter().filter_map(PositionCondition::of).collect();
        let mut before = "";
        // The keys of such a window lead to the rows. Joined by their columns as well, they would be looked for once
        // for each row of the array.
        if !placed.iter().any(PositionCondition::is_one_window) {
            let columns = &aggregate.rows.root().table.columns;
            writer.list(aggregate.columns.iter().enumerate(), " AND ", |writer, (at, &column)| {
                writer.column(0, &columns[column].name);
                writer.text(" = ");
                outer_value(writer, at);
            });
            before = " AND ";
        }
        for placed in &placed {
            writer.text(before);
            rows.positions(writer, placed, &outer_value);
            before = " AND ";
        }
        match &others[..] {
            [] => {}
            [one] => {
                writer.text(before);
                rows.write(writer, one);
            }
            all => {
                writer.text(before);
                rows.write(writer, &Expr::And(all.iter().copied().cloned().collect()));
            }
        }
    }

    fn function_of(self, writer: &mut Writer<'_>, aggregate: &Aggregate, operand: Option<&Expr>) {
        let functions = writer.dialect.row_functions();
        if let (Some(list), Some(operand)) = (&aggregate.list, operand) {
            return self.list_of(writer, list, operand);
        }
        let [before, after] = match aggregate.function {
            AggregateFunction::Count => ["count(", ")"],
            AggregateFunction::Sum if matches!(aggregate.ty, Type::Integer { .. }) => {
                functions.integer_sum
            }
            AggregateFunction::Sum => functions.sum,
            AggregateFunction::Average => functions.mean,
            AggregateFunction::Least => ["min(", ")"],
            AggregateFunction::Greatest => ["max(", ")"],
            AggregateFunction::Only | AggregateFunction::List => ["", ""],
        };
        writer.text(before);
        writer.text(if aggregate.distinct { "DISTINCT " } else { "" });
        match operand {
            Some(operand) => self.value(writer, operand),
            None => writer.text("*"),
        }
        writer.text(after);
    }

    /// `string_agg(a1_0."name", $1 ORDER BY a1_0."points" DESC NULLS FIRST, a1_0."driver_id")`
    fn list_of(self, writer: &mut Writer<'_>, list: &ListOrder, operand: &Expr) {
        writer.text(writer.dialect.row_functions().list);
        self.value(writer, operand);
        writer.text(", ");
        writer.bind(Value::Text(list.separator.clone()), &Type::Text, "text");
        writer.text(" ORDER BY ");
        for term in &list.terms {
            self.sorted_value(writer, &term.value, &term.ty);
            writer.text(if term.descending { " DESC NULLS FIRST, " } else { " NULLS LAST, " });
        }
        let keys = self.shape.nodes.iter().enumerate().flat_map(|(node, of)| {
            of.table.identity().iter().map(move |&column| (node, &of.table.columns[column].name))
        });
        writer.list(keys, ", ", |writer, (node, name)| writer.column(node, name));
        writer.text(")");
    }

    /// A value in the form in which pages sort it, texts by their code points.
    fn sorted_value(self, writer: &mut Writer<'_>, value: &Expr, ty: &Type) {
        let form = writer.dialect.sortable(ty);
        writer.text(form.before);
        self.value(writer, value);
        writer.text(form.after);
        if matches!(ty, Type::Text | Type::Char) {
            let by_code_points = writer.dialect.row_functions().by_code_points;
            writer.text(by_code_points);
        }
    }

    /// The smallest or largest value is the first in the order in which pages sort it, since engines have no `min`
    /// of every type, and several texts may be the same moment.
    fn first_in_order(self, writer: &mut Writer<'_>, aggregate: &Aggregate, operand: &Expr) {
        writer.text(" AND ");
        self.value(writer, operand);
        writer.text(" IS NOT NULL ORDER BY ");
        self.sorted_value(writer, operand, &aggregate.ty);
        let descending = aggregate.function == AggregateFunction::Greatest;
        writer.text(if descending { " DESC LIMIT 1" } else { " LIMIT 1" });
    }
}

/// The conditions that a filter joins.
fn conjuncts(filter: Option<&Expr>) -> Vec<&Expr> {
    match filter {
        Some(Expr::And(parts)) => parts.iter().collect(),
        Some(other) => vec![other],
        None => Vec::new(),
    }
}

/// Whether it is the first value of an order, and not a function of the engine.
fn is_sorted(aggregate: &Aggregate) -> bool {
    let is_end =
        matches!(aggregate.function, AggregateFunction::Least | AggregateFunction::Greatest);
    is_end && !aggregate.ty.is_number()
}
