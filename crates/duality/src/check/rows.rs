//! Queries of other rows: their tables joined to the member's row, and functions over them.

use duet_model::catalog::{TableRef, same_name};
use duet_model::{
    Aggregate, AggregateFunction, Cardinality, ColumnRef, Compare, Expr as Resolved, FieldRef,
    Link, ListOrder, ListTerm, Type,
};

use super::expr::{Resolver, TypedExpr};
use super::item;
use super::joined::{JoinedRows, RowsScope, RowsSource};
use super::types::{Family, comparable, family};
use crate::ast::{
    AggregateCall, BinaryOp, ColumnName, Expr, ExprKind, ItemMethod, ListCall, RowsQuery, RowsTable,
};
use crate::source::Span;
use crate::{names, rules};

/// One side of a condition `a = b` that may join.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// A column of a table of the query.
    Rows(ColumnRef),
    /// A column of the member's row.
    Outer(usize),
}

impl<'c, 'a> Resolver<'c, 'a> {
    /// A query as a value. `shown`: it is the whole value of a member.
    pub(super) fn rows_query(&mut self, query: &RowsQuery, shown: bool) -> Option<TypedExpr> {
        let found: Vec<_> = query.tables.iter().map(|named| self.rows_source(named)).collect();
        let mut tables = found.into_iter().collect::<Option<Vec<_>>>()?;
        let joined = self.joined_rows(query, &mut tables)?;
        let over_rows = has_aggregate(&query.selected);
        let direct = shown && matches!(query.selected.kind, ExprKind::Aggregate(_));
        let scope = RowsScope { tables: &tables, joined: over_rows.then_some(&joined), direct };
        let selected = self.over(scope).resolve(&query.selected)?;
        if over_rows {
            return Some(selected);
        }
        let ty = selected.ty.unwrap_or(Type::Text);
        if !joined.is_one() {
            let message = "this query may have several rows: select count, sum, avg, min or max";
            return self.report(query.span, message.to_owned(), rules::ROWS);
        }
        let made = joined.aggregate(AggregateFunction::Only, false, Some((selected.expr, ty)));
        self.made(made, joined.outer(), query.span, shown)
    }

    /// What resolves expressions over rows.
    fn over<'s>(&'s mut self, scope: RowsScope<'s>) -> Resolver<'s, 'a> {
        let table = TableRef::clone(&self.table);
        let (node, rows) = (self.node, Some(scope));
        Resolver { checker: &mut *self.checker, node, table, outer: rules::ROWS, rows }
    }

    fn rows_source(&mut self, named: &RowsTable) -> Option<RowsSource> {
        let table = self.checker.find_table(&named.table, None)?;
        Some(RowsSource { alias: named.alias().text.clone(), table })
    }

    /// The value that a function makes; one that is no number or text cannot be calculated with, since its type is
    /// not that of a column beside it.
    fn made(
        &mut self,
        made: Result<(Aggregate, Type), String>,
        outer: Vec<Resolved>,
        span: Span,
        direct: bool,
    ) -> Option<TypedExpr> {
        let (aggregate, ty) = match made {
            Ok(made) => made,
            Err(message) => return self.report(span, message, rules::ROWS_TYPES),
        };
        if !direct && !matches!(family(&ty), Family::Number | Family::Text) {
            let message = format!("{} of other rows cannot be calculated with", ty.name());
            return self.report(span, message, rules::ROWS_TYPES);
        }
        let at = self.checker.add_aggregate(self.node, aggregate);
        Some(TypedExpr::of(Resolved::Aggregate(outer, at), ty, span))
    }

    /// `SUM(operand)` over the rows of the query around it.
    pub(super) fn aggregate(
        &mut self,
        call: &AggregateCall,
        span: Span,
    ) -> Option<(Resolved, Option<Type>)> {
        // The parser reads one in a query alone.
        let scope = self.rows?;
        let joined = scope.joined?;
        let each = RowsScope { joined: None, ..scope };
        let operand = match &call.operand {
            Some(operand) if call.list.is_some() => {
                let typed = self.over(each).concatenated("listagg", operand)?;
                let ty = typed.ty.unwrap_or(Type::Text);
                match item::apply(ItemMethod::Text, typed.expr, &ty) {
                    Ok(text) => Some(text),
                    Err(message) => return self.report(operand.span, message, rules::TYPES),
                }
            }
            Some(operand) => {
                let typed = self.over(each).resolve(operand)?;
                Some((typed.expr, typed.ty.unwrap_or(Type::Text)))
            }
            None => None,
        };
        let mut made = joined.aggregate(call.function, call.distinct, operand);
        if let (Some(list), Ok((aggregate, _))) = (&call.list, &mut made) {
            aggregate.list = Some(self.list_order(each, list)?);
        }
        let typed = self.made(made, joined.outer(), span, scope.direct)?;
        Some((typed.expr, typed.ty))
    }

    fn list_order(&mut self, each: RowsScope<'_>, list: &ListCall) -> Option<ListOrder> {
        let terms = list.terms.iter().map(|(term, descending)| {
            let typed = self.over(each).resolve(term)?;
            let ty = typed.ty.unwrap_or(Type::Text);
            if family(&ty) == Family::Opaque {
                let message = format!("{} has no order", ty.name());
                return self.report(term.span, message, rules::TYPES);
            }
            Some(ListTerm { value: typed.expr, ty, descending: *descending })
        });
        let terms: Vec<_> = terms.collect();
        let terms = terms.into_iter().collect::<Option<_>>()?;
        Some(ListOrder { separator: list.separator.clone(), terms })
    }

    /// A column in a query: of its rows, or beside functions of them of the member's row.
    pub(super) fn column_of_rows(
        &mut self,
        scope: RowsScope<'c>,
        name: &ColumnName,
    ) -> Option<(Resolved, Option<Type>)> {
        if scope.joined.is_some() {
            if name.qualifier.as_ref().is_some_and(|it| scope.source(&it.text).is_some()) {
                let message = format!("{} is a value of each row", name.name.text);
                return self.report(name.span(), message, rules::ROWS);
            }
            self.rows = None;
            let found = self.column(name);
            self.rows = Some(scope);
            return found;
        }
        match places(scope.tables, name)[..] {
            [at] => {
                let ty = scope.tables[at.node].table.columns[at.column].ty.clone();
                Some((Resolved::Field(FieldRef::from(at)), Some(ty)))
            }
            [] => {
                self.report_no_column(scope, name);
                None
            }
            _ => {
                let message = format!("{} could be of more than one table", name.name.text);
                self.report(name.span(), message, rules::ROWS)
            }
        }
    }

    fn report_no_column(&mut self, scope: RowsScope<'_>, name: &ColumnName) {
        let source = match &name.qualifier {
            Some(qualifier) => scope.source(&qualifier.text),
            None => scope.tables.first(),
        };
        match source {
            Some(source) => {
                let table = TableRef::clone(&source.table);
                self.checker.column_of(&table, &name.name);
            }
            None => self.checker.report_qualifier(self.node, name, rules::ROWS),
        }
    }

    /// Joins the tables of a query; they come in an order in which each but the first is joined to one before it.
    fn joined_rows(
        &mut self,
        query: &RowsQuery,
        tables: &mut Vec<RowsSource>,
    ) -> Option<JoinedRows> {
        let mut joins = Joins::default();
        let mut rest: Vec<&Expr> = Vec::new();
        for condition in query.conditions.iter().flat_map(|expr| expr.conjuncts()) {
            match self.join_of(tables, condition)? {
                Some((Side::Rows(rows), Side::Outer(outer)))
                | Some((Side::Outer(outer), Side::Rows(rows))) => joins.outer.push((rows, outer)),
                Some((Side::Rows(left), Side::Rows(right))) if left.node != right.node => {
                    joins.inner.push((left, right, condition));
                }
                _ => rest.push(condition),
            }
        }
        let Some(order) = joins.order(tables.len()) else {
            let outer = names::of_table(&self.table).to_owned();
            let message = format!("the tables of this query are not all joined to {outer}");
            return self.report(query.span, message, rules::ROWS);
        };
        rest.extend(joins.left_out(&order));
        let nodes = joins.nodes(&order, tables);
        let mut sources: Vec<Option<RowsSource>> = tables.drain(..).map(Some).collect();
        tables.extend(order.iter().filter_map(|&at| sources[at].take()));
        let filter = self.rows_filter(tables, &rest)?;
        let (columns, outer) = joins.ends();
        Some(JoinedRows::new(nodes, columns, outer, filter))
    }

    /// The two columns that a condition equates, if it does; `None` where their types do not compare.
    fn join_of(&mut self, tables: &[RowsSource], condition: &Expr) -> Option<Option<(Side, Side)>> {
        let ExprKind::Binary(BinaryOp::Compare(Compare::Eq), left, right) = &condition.kind else {
            return Some(None);
        };
        let sides = self.side(tables, left).zip(self.side(tables, right));
        let Some((left, right)) = sides else { return Some(None) };
        let ty = |side| match side {
            Side::Rows(at) => &tables[at.node].table.columns[at.column].ty,
            Side::Outer(column) => &self.table.columns[column].ty,
        };
        if comparable(ty(left), ty(right)) {
            return Some(Some((left, right)));
        }
        let (left, right) = (ty(left).name(), ty(right).name());
        let message = format!("{left} cannot be compared with {right}");
        self.report(condition.span, message, rules::TYPES)
    }

    fn side(&self, tables: &[RowsSource], expr: &Expr) -> Option<Side> {
        let ExprKind::Column(name) = &expr.kind else { return None };
        match places(tables, name)[..] {
            [at] => return Some(Side::Rows(at)),
            [] => {}
            _ => return None,
        }
        let own = name.qualifier.as_ref().is_none_or(|qualifier| {
            same_name(&qualifier.text, &self.checker.drafts[self.node].alias)
        });
        own.then(|| self.table.column_index(&name.name.text).map(Side::Outer))?
    }

    /// What holds for each row beside the joins.
    fn rows_filter(
        &mut self,
        tables: &[RowsSource],
        conditions: &[&Expr],
    ) -> Option<Option<Resolved>> {
        let mut filter: Option<Resolved> = None;
        for condition in conditions {
            let scope = RowsScope { tables, joined: None, direct: false };
            let typed = self.over(scope).resolve(condition)?;
            if typed.family() != Some(Family::Boolean) {
                let message = "a condition is true or false, and this is a value".to_owned();
                return self.report(condition.span, message, rules::PREDICATE);
            }
            filter = Some(match filter {
                Some(before) => before.and(typed.expr),
                None => typed.expr,
            });
        }
        Some(filter)
    }
}

impl<'q> RowsScope<'q> {
    fn source(self, alias: &str) -> Option<&'q RowsSource> {
        self.tables.iter().find(|source| same_name(&source.alias, alias))
    }
}

/// The conditions of a query that equate columns.
#[derive(Default)]
struct Joins<'q> {
    /// A column of the rows and one of the member's row.
    outer: Vec<(ColumnRef, usize)>,
    /// Columns of two tables.
    inner: Vec<(ColumnRef, ColumnRef, &'q Expr)>,
}

impl<'q> Joins<'q> {
    /// The tables, that which is joined to the member's row first and then each joined to one before; `None` where
    /// that is not possible.
    fn order(&self, count: usize) -> Option<Vec<usize>> {
        let first = self.outer.first()?.0.node;
        if self.outer.iter().any(|(column, _)| column.node != first) {
            return None;
        }
        let mut order = vec![first];
        while order.len() < count {
            let next = self.inner.iter().find_map(|(left, right, _)| {
                match (order.contains(&left.node), order.contains(&right.node)) {
                    (true, false) => Some(right.node),
                    (false, true) => Some(left.node),
                    _ => None,
                }
            })?;
            order.push(next);
        }
        Some(order)
    }

    /// The table that a table is joined to: the first one of the order with a join.
    fn parent(&self, order: &[usize], at: usize) -> Option<usize> {
        order[..at].iter().position(|&parent| self.pairs(parent, order[at]).next().is_some())
    }

    /// The columns that join two tables.
    fn pairs(
        &self,
        parent: usize,
        child: usize,
    ) -> impl Iterator<Item = (usize, usize, &'q Expr)> + '_ {
        self.inner.iter().filter_map(move |&(left, right, condition)| {
            match (left.node, right.node) {
                (a, b) if (a, b) == (parent, child) => Some((left.column, right.column, condition)),
                (a, b) if (b, a) == (parent, child) => Some((right.column, left.column, condition)),
                _ => None,
            }
        })
    }

    /// The conditions on two tables of which neither is joined to the other by them.
    fn left_out(&self, order: &[usize]) -> Vec<&'q Expr> {
        let used: Vec<&Expr> = (1..order.len())
            .filter_map(|at| Some((order[self.parent(order, at)?], order[at])))
            .flat_map(|(parent, child)| self.pairs(parent, child).map(|(.., expr)| expr))
            .collect();
        let all = self.inner.iter().map(|(.., condition)| *condition);
        all.filter(|condition| !used.iter().any(|used| std::ptr::eq(*used, *condition))).collect()
    }

    /// The tables in order with their joins.
    fn nodes(&self, order: &[usize], tables: &[RowsSource]) -> Vec<(TableRef, Option<Link>)> {
        let link = |at: usize| {
            let parent = self.parent(order, at)?;
            let pairs = self.pairs(order[parent], order[at]);
            let (parent_columns, child_columns) = pairs.map(|(p, c, _)| (p, c)).unzip();
            let cardinality = Cardinality::Many;
            Some(Link { parent, parent_columns, child_columns, cardinality })
        };
        let nodes = order.iter().enumerate().map(|(at, &table)| {
            (TableRef::clone(&tables[table].table), if at == 0 { None } else { link(at) })
        });
        nodes.collect()
    }

    /// The columns of the first table that are joined to the member's row, and the values there.
    fn ends(&self) -> (Vec<usize>, Vec<Resolved>) {
        let value = |outer: usize| Resolved::from(FieldRef::row(outer));
        self.outer.iter().map(|&(column, outer)| (column.column, value(outer))).unzip()
    }
}

/// The columns of a query's tables that a name may mean.
fn places(tables: &[RowsSource], name: &ColumnName) -> Vec<ColumnRef> {
    let tables = tables.iter().enumerate().filter(|(_, source)| {
        name.qualifier.as_ref().is_none_or(|it| same_name(&it.text, &source.alias))
    });
    let column = |(node, source): (usize, &RowsSource)| {
        source.table.column_index(&name.name.text).map(|column| ColumnRef { node, column })
    };
    tables.filter_map(column).collect()
}

fn has_aggregate(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Aggregate(_))
        || expr.kind.operands().into_iter().any(has_aggregate)
}
