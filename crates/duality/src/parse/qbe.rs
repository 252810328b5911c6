//! The filter of `table(check: {…})`: a filter by example, as an expression.
//!
//! Operators may be written as in GraphQL (`_gt`) or as in `q` (`"$gt"`, `$gt`).

use duet_model::{Code, Compare};

use super::graphql::equals;
use super::{Parsed, Parser};
use crate::ast::{BinaryOp, ColumnName, Expr, ExprKind, Literal, Name};
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::source::Span;

/// The operators on a column, without their prefix.
const OPERATORS: &[&str] =
    &["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "between", "like", "null", "notnull"];

impl Parser<'_> {
    /// `{ column: literal, column: { _op: operand }, _or: [ {…} ] }`, all ANDed.
    pub(super) fn query_by_example(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let start = parser.expect("{", None)?;
            let mut terms = Vec::new();
            loop {
                terms.push(parser.term()?);
                let _ = parser.eat(",");
                if parser.eat("}") {
                    let span = start.to(parser.last_span());
                    return parser.combine(BinaryOp::And, terms, span);
                }
            }
        })
    }

    fn term(&mut self) -> Parsed<Expr> {
        let name = self.key()?;
        self.expect(":", None)?;
        match operator_name(&name.text) {
            Some("and") => self.combination(BinaryOp::And),
            Some("or") => self.combination(BinaryOp::Or),
            Some("not") => {
                let inner = self.query_by_example()?;
                let span = name.span.to(inner.span);
                Ok(ExprKind::Not(Box::new(inner)).at(span))
            }
            _ if self.is("{") => self.comparisons(&name),
            _ => {
                let (value, span) = self.literal()?;
                let span = name.span.to(span);
                Ok(equals(ColumnName { qualifier: None, name }, value, span))
            }
        }
    }

    /// A key: a name, or `$` and a name.
    fn key(&mut self) -> Parsed<Name> {
        let start = self.peek().span;
        let dollar = self.eat("$");
        let mut name = self.name("a column or operator")?;
        if dollar {
            name.text.insert(0, '$');
            name.span = start.to(name.span);
        }
        Ok(name)
    }

    fn combination(&mut self, op: BinaryOp) -> Parsed<Expr> {
        let start = self.expect("[", None)?;
        let mut terms = Vec::new();
        loop {
            terms.push(self.query_by_example()?);
            let _ = self.eat(",");
            if self.eat("]") {
                let span = start.to(self.last_span());
                return self.combine(op, terms, span);
            }
        }
    }

    fn combine(&mut self, op: BinaryOp, terms: Vec<Expr>, span: Span) -> Parsed<Expr> {
        let join = |left, right| ExprKind::Binary(op, Box::new(left), Box::new(right)).at(span);
        let combined = terms.into_iter().reduce(join);
        match combined {
            Some(expr) if expr.depth <= self.limits.expression_depth => Ok(expr),
            Some(_) => {
                let limit = self.limits.expression_depth;
                Err(self.stop(format!("an expression is nested more than {limit} deep")))
            }
            None => Err(self.unexpected("a column or operator", None)),
        }
    }

    /// `{ _op: operand, … }` on one column, all ANDed.
    fn comparisons(&mut self, column: &Name) -> Parsed<Expr> {
        self.expect("{", None)?;
        let mut terms = Vec::new();
        loop {
            terms.push(self.comparison(column)?);
            let _ = self.eat(",");
            if self.eat("}") {
                let span = column.span.to(self.last_span());
                return self.combine(BinaryOp::And, terms, span);
            }
        }
    }

    fn comparison(&mut self, column: &Name) -> Parsed<Expr> {
        let key = self.key()?;
        let known = operator_name(&key.text).filter(|name| OPERATORS.contains(name));
        let Some(operator) = known else {
            let written: Vec<_> = OPERATORS.iter().map(|name| format!("_{name}")).collect();
            let message = format!("there is no operator `{}`", super::shortened(&key.text));
            let diagnostic = Diagnostic::new(Code::ViewPredicate, key.span, message)
                .rule(rules::PREDICATE)
                .nearest(&key.text.replace('$', "_"), written.iter().map(String::as_str));
            return Err(self.fail(diagnostic));
        };
        self.expect(":", None)?;
        let name = ColumnName { qualifier: None, name: column.clone() };
        let subject = Box::new(ExprKind::Column(name).at(column.span));
        let kind = self.compare(operator, subject)?;
        Ok(kind.at(column.span.to(self.last_span())))
    }

    fn compare(&mut self, operator: &str, operand: Box<Expr>) -> Parsed<ExprKind> {
        let op = match operator {
            "in" | "nin" => {
                let list = self.literals()?;
                return Ok(ExprKind::In { operand, list, negated: operator == "nin" });
            }
            "between" => {
                let span = self.peek().span;
                let Ok([low, high]) = <[Expr; 2]>::try_from(self.literals()?) else {
                    let message = "_between takes two values";
                    return Err(self.report(Code::ViewPredicate, span, message, rules::PREDICATE));
                };
                let (low, high) = (Box::new(low), Box::new(high));
                return Ok(ExprKind::Between { operand, low, high, negated: false });
            }
            "null" | "notnull" => {
                let (value, _) = self.literal()?;
                let negated = (operator == "notnull") != (value == Literal::Bool(false));
                return Ok(ExprKind::IsNull { operand, negated });
            }
            "like" => {
                let pattern = Box::new(self.literal_expr()?);
                return Ok(ExprKind::Like { operand, pattern, negated: false });
            }
            "ne" => BinaryOp::Compare(Compare::Ne),
            "gt" => BinaryOp::Compare(Compare::Gt),
            "gte" => BinaryOp::Compare(Compare::Gte),
            "lt" => BinaryOp::Compare(Compare::Lt),
            "lte" => BinaryOp::Compare(Compare::Lte),
            _ => BinaryOp::Compare(Compare::Eq),
        };
        Ok(ExprKind::Binary(op, operand, Box::new(self.literal_expr()?)))
    }

    fn literal_expr(&mut self) -> Parsed<Expr> {
        let (literal, span) = self.literal()?;
        Ok(ExprKind::Literal(literal).at(span))
    }

    fn literals(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("[", None)?;
        let mut items = Vec::new();
        loop {
            items.push(self.literal_expr()?);
            let _ = self.eat(",");
            if self.eat("]") {
                return Ok(items);
            }
        }
    }
}

/// The name behind the prefix of an operator.
fn operator_name(key: &str) -> Option<&str> {
    let name = key.strip_prefix(['$', '_'])?;
    (OPERATORS.contains(&name) || ["and", "or", "not"].contains(&name)).then_some(name)
}
