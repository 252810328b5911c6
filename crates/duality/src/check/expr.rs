//! Expressions against their table: columns found, literals read by the type of the other
//! operand, types inferred.

use duet_model::catalog::{TableRef, same_name};
use duet_model::key::{ValueError, parse_text};
use duet_model::{Arithmetic, Code, Expr as Resolved, FieldRef, NodeId, Type, Value};
use duet_text::{JsonStep, like};

use super::joined::RowsScope;
use super::types::{Family, calculated, comparable, family, signed, unified};
use super::{Checker, elements, item};
use crate::ast::{BinaryOp, ColumnName, Expr, ExprKind, ItemMethod, Literal};
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::source::Span;

/// An expression and its type; `None` where it is only NULL.
pub(super) struct TypedExpr {
    pub(super) expr: Resolved,
    pub(super) ty: Option<Type>,
    literal: bool,
    pub(super) span: Span,
}

impl TypedExpr {
    pub(super) fn of(expr: Resolved, ty: Type, span: Span) -> Self {
        Self { expr, ty: Some(ty), literal: false, span }
    }

    pub(super) fn family(&self) -> Option<Family> {
        self.ty.as_ref().map(family)
    }

    fn is(&self, wanted: Family) -> bool {
        self.family().is_none_or(|family| family == wanted)
    }

    pub(super) fn type_name(&self) -> &'static str {
        self.ty.as_ref().map_or("NULL", Type::name)
    }
}

/// One conversion of an expression of one node.
pub(super) struct Resolver<'c, 'a> {
    pub(super) checker: &'c mut Checker<'a>,
    pub(super) node: NodeId,
    pub(super) table: TableRef,
    /// The rule that a column of an outer table breaks here.
    pub(super) outer: &'static str,
    /// The rows of a query, where the expression is over them or over functions of them.
    pub(super) rows: Option<RowsScope<'c>>,
}

impl<'a> Checker<'a> {
    /// A row condition of a node.
    pub(super) fn condition(&mut self, node: NodeId, expr: &Expr) -> Option<Resolved> {
        let mixed = matches!(expr.kind, ExprKind::Binary(BinaryOp::Or, ..) | ExprKind::Not(_));
        let outer = if mixed { rules::NO_OR_JOIN } else { rules::NO_OUTER };
        let mut resolver = self.resolver(node, outer);
        let typed = resolver.resolve(expr)?;
        if typed.family() == Some(Family::Boolean) {
            return Some(typed.expr);
        }
        let message = format!("a condition is true or false, and this is {}", typed.type_name());
        resolver.report(expr.span, message, rules::PREDICATE)
    }

    /// The value of a generated member.
    pub(super) fn value(&mut self, node: NodeId, expr: &Expr) -> Option<(Resolved, Type)> {
        let mut resolver = self.resolver(node, rules::NO_OUTER);
        let typed = match &expr.kind {
            // What is only shown may have any type.
            ExprKind::Rows(query) => resolver.rows_query(query, true)?,
            _ => resolver.resolve(expr)?,
        };
        Some((typed.expr, typed.ty.unwrap_or(Type::Text)))
    }

    fn resolver(&mut self, node: NodeId, outer: &'static str) -> Resolver<'_, 'a> {
        let table = TableRef::clone(&self.drafts[node].node.table);
        Resolver { checker: self, node, table, outer, rows: None }
    }
}

impl<'c> Resolver<'c, '_> {
    pub(super) fn report<T>(
        &mut self,
        span: Span,
        message: String,
        rule: &'static str,
    ) -> Option<T> {
        self.checker.report(Diagnostic::new(Code::ViewPredicate, span, message).rule(rule));
        None
    }

    pub(super) fn resolve(&mut self, expr: &Expr) -> Option<TypedExpr> {
        let (row, ty) = match &expr.kind {
            ExprKind::Column(name) => self.column(name)?,
            ExprKind::Literal(literal) => {
                let (value, ty) = literal_value(literal);
                return Some(TypedExpr {
                    expr: Resolved::Literal(value),
                    ty,
                    literal: true,
                    span: expr.span,
                });
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right)?,
            ExprKind::Not(operand) => {
                let operand = self.operand(operand, Family::Boolean)?;
                (operand.expr.negated(), Some(Type::Boolean))
            }
            ExprKind::Negate(operand) => {
                let operand = self.operand(operand, Family::Number)?;
                let ty = operand.ty.map(signed);
                (Resolved::Negate(Box::new(operand.expr)), ty)
            }
            ExprKind::Item(method, operand) => self.item(*method, operand)?,
            ExprKind::IsNull { operand, negated } => {
                let operand = Box::new(self.resolve(operand)?.expr);
                (negated_if(*negated, Resolved::IsNull(operand)), Some(Type::Boolean))
            }
            ExprKind::In { operand, list, negated } => {
                let mut all = self.compared(std::iter::once(&**operand).chain(list))?.into_iter();
                let operand = Box::new(all.next()?.expr);
                let list = all.map(|item| item.expr).collect();
                (negated_if(*negated, Resolved::In(operand, list)), Some(Type::Boolean))
            }
            ExprKind::Between { operand, low, high, negated } => {
                let all = self.compared([&**operand, &**low, &**high])?;
                let [operand, low, high] = <[TypedExpr; 3]>::try_from(all).ok()?;
                let [operand, low, high] = [operand, low, high].map(|item| Box::new(item.expr));
                let between = Resolved::Between(operand, Some(low), Some(high));
                (negated_if(*negated, between), Some(Type::Boolean))
            }
            ExprKind::Like { operand, pattern, negated } => {
                let operand = Box::new(self.operand(operand, Family::Text)?.expr);
                let pattern = self.pattern(pattern)?;
                let like = Resolved::Like { operand, pattern, ignore_case: false };
                (negated_if(*negated, like), Some(Type::Boolean))
            }
            ExprKind::JsonValue(column, steps) => self.json_value(column, steps)?,
            ExprKind::Aggregate(call) => self.aggregate(call, expr.span)?,
            ExprKind::Rows(query) => return self.rows_query(query, false),
            ExprKind::Function(name, arguments) => self.function(name, arguments)?,
            ExprKind::Case { branches, otherwise } => self.case(branches, otherwise.as_deref())?,
        };
        Some(TypedExpr { expr: row, ty, literal: false, span: expr.span })
    }

    /// A pattern of `LIKE`.
    fn pattern(&mut self, expr: &Expr) -> Option<Box<Resolved>> {
        let pattern = self.operand(expr, Family::Text)?.expr;
        if let Resolved::Literal(Value::Text(text)) = &pattern
            && !like::is_complete(text)
        {
            let message =
                "this pattern ends with `\\`, which has to be before a character".to_owned();
            return self.report(expr.span, message, rules::TYPES);
        }
        Some(Box::new(pattern))
    }

    fn json_value(
        &mut self,
        name: &ColumnName,
        steps: &[JsonStep],
    ) -> Option<(Resolved, Option<Type>)> {
        let (value, ty) = self.column(name)?;
        match value {
            Resolved::Field(field) if ty == Some(Type::Json) => {
                Some((elements::inside_column(field, steps), Some(Type::Text)))
            }
            _ => {
                let found = ty.as_ref().map_or("NULL", Type::name);
                let message = format!("a path leads into JSON, not into {found}");
                self.report(name.span(), message, rules::TYPES)
            }
        }
    }

    pub(super) fn column(&mut self, name: &ColumnName) -> Option<(Resolved, Option<Type>)> {
        if let Some(scope) = self.rows {
            return self.column_of_rows(scope, name);
        }
        let own = name.qualifier.as_ref().is_none_or(|qualifier| {
            same_name(&qualifier.text, &self.checker.drafts[self.node].alias)
        });
        if !own {
            self.checker.report_qualifier(self.node, name, self.outer);
            return None;
        }
        let column = self.checker.column_of(&self.table, &name.name)?;
        Some((Resolved::Field(FieldRef::row(column)), Some(self.table.columns[column].ty.clone())))
    }

    /// An operand that must be of one family.
    pub(super) fn operand(&mut self, expr: &Expr, wanted: Family) -> Option<TypedExpr> {
        let typed = self.resolve(expr)?;
        if typed.is(wanted) {
            return Some(typed);
        }
        let wanted = match wanted {
            Family::Number => "a number",
            Family::Boolean => "a condition",
            _ => "text",
        };
        let message = format!("expected {wanted}, found {}", typed.type_name());
        self.report(expr.span, message, rules::TYPES)
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
    ) -> Option<(Resolved, Option<Type>)> {
        match op {
            BinaryOp::And | BinaryOp::Or => {
                let left = self.operand(left, Family::Boolean);
                let right = self.operand(right, Family::Boolean);
                let (left, right) = (left?.expr, right?.expr);
                let both = if op == BinaryOp::And { left.and(right) } else { left.or(right) };
                Some((both, Some(Type::Boolean)))
            }
            BinaryOp::Arithmetic(operator) => self.arithmetic(operator, left, right),
            BinaryOp::Compare(operator) => {
                let [left, right] =
                    <[TypedExpr; 2]>::try_from(self.compared([left, right])?).ok()?;
                let compared = Resolved::compare(operator, left.expr, right.expr);
                Some((compared, Some(Type::Boolean)))
            }
        }
    }

    pub(super) fn item(
        &mut self,
        method: ItemMethod,
        operand: &Expr,
    ) -> Option<(Resolved, Option<Type>)> {
        let typed = self.resolve(operand)?;
        match item::apply(method, typed.expr, &typed.ty.unwrap_or(Type::Text)) {
            Ok((value, ty)) => Some((value, Some(ty))),
            Err(message) => self.report(operand.span, message, rules::TYPES),
        }
    }

    fn arithmetic(
        &mut self,
        operator: Arithmetic,
        left: &Expr,
        right: &Expr,
    ) -> Option<(Resolved, Option<Type>)> {
        let (left, right, ty) = if operator == Arithmetic::Concat {
            let left = self.concatenated("||", left)?;
            let right = self.concatenated("||", right)?;
            (left, right, Type::Text)
        } else {
            let left = self.operand(left, Family::Number)?;
            let right = self.operand(right, Family::Number)?;
            let integer = Type::Integer { bits: 64 };
            let of = |typed: &TypedExpr| typed.ty.clone().unwrap_or(integer.clone());
            // Division is decimal on both stores.
            let ty = match operator {
                Arithmetic::Divide => Type::Decimal { scale: None },
                _ => calculated(&of(&left), &of(&right)),
            };
            (left, right, ty)
        };
        let (left, right) = (Box::new(left.expr), Box::new(right.expr));
        Some((Resolved::Arithmetic(operator, left, right), Some(ty)))
    }

    /// Text, or an integer, whose text is the same in both stores.
    pub(super) fn concatenated(&mut self, by: &str, expr: &Expr) -> Option<TypedExpr> {
        let typed = self.resolve(expr)?;
        if typed.is(Family::Text) || matches!(typed.ty, Some(Type::Integer { .. })) {
            return Some(typed);
        }
        let message = format!("{by} joins text and whole numbers, not {}", typed.type_name());
        self.report(expr.span, message, rules::TYPES)
    }

    /// Operands that are compared with each other: literals take the type of the first that is
    /// no literal.
    fn compared<'e>(
        &mut self,
        exprs: impl IntoIterator<Item = &'e Expr>,
    ) -> Option<Vec<TypedExpr>> {
        let resolved: Vec<_> = exprs.into_iter().map(|expr| self.resolve(expr)).collect();
        let mut all = resolved.into_iter().collect::<Option<Vec<_>>>()?;
        let lead = all.iter().find(|typed| !typed.literal).or(all.first());
        let Some(lead) = lead.and_then(|typed| typed.ty.clone()) else { return Some(all) };
        for typed in &mut all {
            self.compare_with(&lead, typed)?;
        }
        Some(all)
    }

    fn compare_with(&mut self, lead: &Type, typed: &mut TypedExpr) -> Option<()> {
        let span = typed.span;
        if family(lead) == Family::Opaque {
            let message = format!("{} cannot be compared", lead.name());
            return self.report(span, message, rules::TYPES);
        }
        if typed.literal && typed.ty.is_none() {
            let message = "nothing equals NULL; write IS NULL or IS NOT NULL".to_owned();
            return self.report(span, message, rules::TYPES);
        }
        if typed.literal {
            self.adapt(lead, typed)?;
        }
        if typed.ty.as_ref().is_none_or(|ty| comparable(lead, ty)) {
            return Some(());
        }
        let message = format!("{} cannot be compared with {}", lead.name(), typed.type_name());
        self.report(span, message, rules::TYPES)
    }

    /// Reads a literal as a value of the type it is compared with.
    fn adapt(&mut self, lead: &Type, typed: &mut TypedExpr) -> Option<()> {
        let Resolved::Literal(value) = &typed.expr else { return Some(()) };
        let read = match (family(lead), value) {
            (Family::Boolean, Value::Int(number @ (0 | 1))) => Ok(Value::Bool(*number == 1)),
            (
                Family::Date | Family::Time | Family::Interval | Family::Uuid | Family::Enum,
                Value::Text(text),
            ) => parse_text(lead, text),
            (Family::Text, Value::Text(text)) if matches!(lead, Type::Formatted(_)) => {
                parse_text(lead, text)
            }
            (Family::Text, Value::Text(text)) if text.contains('\0') => Err(ValueError::Nul),
            _ => return Some(()),
        };
        match read {
            Ok(value) => {
                typed.expr = Resolved::Literal(value);
                typed.ty = Some(lead.clone());
                Some(())
            }
            Err(ValueError::Form(expected)) => {
                self.report(typed.span, format!("this must be {expected}"), rules::TYPES)
            }
            Err(ValueError::Nul) => {
                let message = "text cannot contain the NUL character".to_owned();
                self.report(typed.span, message, rules::TYPES)
            }
        }
    }

    /// Values of which the result is one.
    pub(super) fn alternatives<'e>(
        &mut self,
        given: impl Iterator<Item = &'e Expr>,
    ) -> Option<(Vec<TypedExpr>, Option<Type>)> {
        let resolved: Vec<_> = given.map(|expr| self.resolve(expr)).collect();
        let mut all = resolved.into_iter().collect::<Option<Vec<_>>>()?;
        let lead = all.iter().find(|typed| !typed.literal).and_then(|typed| typed.ty.clone());
        let mut ty: Option<Type> = lead.clone();
        for typed in &mut all {
            if let Some(lead) = lead.as_ref().filter(|_| typed.literal && typed.ty.is_some()) {
                self.adapt(lead, typed)?;
            }
            match unified(ty.as_ref(), typed.ty.as_ref()) {
                Some(unified) => ty = unified,
                None => {
                    let first = ty.as_ref().map_or("NULL", Type::name);
                    let message = format!("{first} and {} do not go together", typed.type_name());
                    let span = typed.span;
                    return self.report(span, message, rules::TYPES);
                }
            }
        }
        Some((all, ty))
    }

    fn case(
        &mut self,
        branches: &[(Expr, Expr)],
        otherwise: Option<&Expr>,
    ) -> Option<(Resolved, Option<Type>)> {
        let conditions: Option<Vec<_>> = branches
            .iter()
            .map(|(condition, _)| self.operand(condition, Family::Boolean))
            .collect();
        let results = branches.iter().map(|(_, result)| result).chain(otherwise);
        let (mut results, ty) = self.alternatives(results)?;
        let last = if otherwise.is_some() { results.pop() } else { None };
        let pairs = conditions?.into_iter().zip(results);
        let branches = pairs.map(|(condition, result)| (condition.expr, result.expr)).collect();
        let otherwise = last.map(|typed| Box::new(typed.expr));
        Some((Resolved::Case { branches, otherwise }, ty))
    }
}

fn negated_if(negated: bool, condition: Resolved) -> Resolved {
    if negated { condition.negated() } else { condition }
}

/// The value and type of a literal.
fn literal_value(literal: &Literal) -> (Value, Option<Type>) {
    match literal {
        Literal::Null => (Value::Null, None),
        Literal::Bool(value) => (Value::Bool(*value), Some(Type::Boolean)),
        Literal::Int(value) => {
            let bits = if i32::try_from(*value).is_ok() { 32 } else { 64 };
            (Value::Int(*value), Some(Type::Integer { bits }))
        }
        Literal::Float(value) => (Value::Float(*value), Some(Type::Decimal { scale: None })),
        Literal::Text(value) => (Value::Text(value.clone()), Some(Type::Text)),
    }
}
