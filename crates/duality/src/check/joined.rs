//! Rows that are joined to each other and to a row: what functions of other rows are over.

use duet_model::catalog::TableRef;
use duet_model::{
    Aggregate, AggregateFunction, Expr as Resolved, Link, Node, NodeId, Operations, Relation,
    Shape, Type,
};

use super::types::{Family, family};
use super::{Checker, elements};
use crate::joins::unique;

/// The rows that an expression is about.
#[derive(Clone, Copy)]
pub(super) struct RowsScope<'q> {
    pub(super) tables: &'q [RowsSource],
    /// Those joined to the member's row, where the expression is over functions of them and of that row.
    pub(super) joined: Option<&'q JoinedRows>,
    /// Whether the value is shown as it is.
    pub(super) direct: bool,
}

/// A table of a query, with the name that qualifies its columns.
pub(super) struct RowsSource {
    pub(super) alias: String,
    pub(super) table: TableRef,
}

/// The rows of a query: joined to each other and to the member's row, without a function.
pub(super) struct JoinedRows {
    shape: Shape,
    columns: Vec<usize>,
    outer: Vec<Resolved>,
    filter: Option<Resolved>,
}

impl JoinedRows {
    /// The rows of nodes that are joined by `links`, the first by `columns` to the values `outer`.
    pub(super) fn new(
        nodes: impl IntoIterator<Item = (TableRef, Option<Link>)>,
        columns: Vec<usize>,
        outer: Vec<Resolved>,
        filter: Option<Resolved>,
    ) -> Self {
        let nodes = nodes.into_iter().map(|(table, link)| row_node(&table, link)).collect();
        let shape = Shape {
            name: String::new(),
            nodes,
            key: Vec::new(),
            metadata: false,
            rules: Vec::new(),
            notice: None,
            style: duet_model::DocumentStyle::default(),
        };
        Self { shape, columns, outer, filter }
    }

    /// The values of the outer row by which the rows are joined to it.
    pub(super) fn outer(&self) -> Vec<Resolved> {
        self.outer.clone()
    }

    /// A function of the rows, and the type of its result.
    ///
    /// # Errors
    /// What the function takes, where the operand is of another type.
    pub(super) fn aggregate(
        &self,
        function: AggregateFunction,
        distinct: bool,
        operand: Option<(Resolved, Type)>,
    ) -> Result<(Aggregate, Type), String> {
        let (operand, ty) = match operand {
            Some((operand, ty)) => (Some(operand), ty),
            None => (None, Type::Integer { bits: 64 }),
        };
        let result = result_of(function, &ty)?;
        let (rows, columns) = (self.shape.clone(), self.columns.clone());
        let filter = self.filter.clone();
        let aggregate =
            Aggregate { function, distinct, operand, ty, rows, columns, filter, list: None };
        Ok((aggregate, result))
    }

    /// Whether at most one row belongs to the member's.
    pub(super) fn is_one(&self) -> bool {
        self.shape.nodes.iter().enumerate().all(|(at, node)| {
            let columns = node.link.as_ref().map_or(&self.columns, |link| &link.child_columns);
            unique(&node.table, columns) || elements::leaves_one(self.filter.as_ref(), at, columns)
        })
    }
}

/// The type of a function's result.
fn result_of(function: AggregateFunction, ty: &Type) -> Result<Type, String> {
    let of = family(ty);
    match function {
        AggregateFunction::Count => Ok(Type::Integer { bits: 64 }),
        AggregateFunction::Sum if matches!(ty, Type::Integer { .. }) => {
            Ok(Type::Integer { bits: 64 })
        }
        AggregateFunction::Sum | AggregateFunction::Average if of == Family::Number => {
            Ok(Type::Decimal { scale: None })
        }
        AggregateFunction::Least | AggregateFunction::Greatest
            if matches!(of, Family::Number | Family::Date | Family::Time)
                || matches!(ty, Type::Text | Type::Char) =>
        {
            Ok(ty.clone())
        }
        AggregateFunction::Only => Ok(ty.clone()),
        // Numbers have become texts, as in `||`.
        AggregateFunction::List if of == Family::Text => Ok(Type::Text),
        function => Err(format!("{} does not take {}", function.name(), ty.name())),
    }
}

/// A node without members. An estimate of its rows would make it another one whenever it changes.
fn row_node(table: &Relation, link: Option<Link>) -> Node {
    Node {
        table: TableRef::new(Relation { estimated_rows: None, ..table.clone() }),
        link,
        members: Vec::new(),
        filter: None,
        check_option: false,
        operations: Operations::default(),
        aggregates: Vec::new(),
        derived: Vec::new(),
        elements: duet_model::shape::Elements::default(),
    }
}

impl Checker<'_> {
    /// Gives a node a function over other rows, and its position there; one that it has already stays one.
    pub(super) fn add_aggregate(&mut self, node: NodeId, aggregate: Aggregate) -> usize {
        let known = &mut self.drafts[node].node.aggregates;
        known.iter().position(|one| *one == aggregate).unwrap_or_else(|| {
            known.push(aggregate);
            known.len() - 1
        })
    }
}
