//! The filter of `table(check: {…})` and `table(where: {…})`: a filter by example, as an expression.
//!
//! Operators may be written as in GraphQL (`_gt`) or as in `q` (`"$gt"`, `$gt`), without case.

use duet_model::{Code, Compare};

use super::graphql::equals;
use super::{Parsed, Parser};
use crate::ast::{BinaryOp, ColumnName, Expr, ExprKind, ItemMethod, Literal, Name};
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::source::Span;

/// The operators on a column, without their prefix.
const OPERATORS: &[&str] = &[
    "eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "between", "like", "nlike", "is_null",
    "null", "notnull",
];

/// The operators that join and negate conditions.
const LOGIC: &[&str] = &["and", "or", "not"];

/// The operators that change a value before it is compared.
const METHODS: &[&str] = &[
    "abs",
    "boolean",
    "ceiling",
    "date",
    "double",
    "floor",
    "length",
    "lower",
    "number",
    "string",
    "timestamp",
    "type",
    "upper",
];

impl Parser<'_> {
    /// `{ member: literal, member: { _op: operand }, _or: [ {…} ] }`, all ANDed.
    pub(super) fn query_by_example(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let start = parser.expect("{", None)?;
            parser.all_of(start, &mut Self::term)
        })
    }

    /// The terms up to the closing brace, joined by AND.
    fn all_of(
        &mut self,
        start: Span,
        term: &mut dyn FnMut(&mut Self) -> Parsed<Expr>,
    ) -> Parsed<Expr> {
        let mut terms = Vec::new();
        loop {
            terms.push(term(self)?);
            let _ = self.eat(",");
            if self.eat("}") {
                let span = start.to(self.last_span());
                return self.combine(BinaryOp::And, terms, span);
            }
        }
    }

    fn term(&mut self) -> Parsed<Expr> {
        let name = self.key()?;
        self.expect(":", None)?;
        match operator_name(&name.text).as_deref() {
            Some("and") => self.combination(BinaryOp::And, &mut Self::query_by_example),
            Some("or") => self.combination(BinaryOp::Or, &mut Self::query_by_example),
            Some("not") => {
                let inner = self.query_by_example()?;
                self.negation(&name, inner)
            }
            _ if self.is("{") => {
                let span = name.span;
                let column = ColumnName { qualifier: None, name };
                self.comparisons(&ExprKind::Column(column).at(span))
            }
            _ => {
                let (value, span) = self.literal()?;
                let span = name.span.to(span);
                Ok(equals(ColumnName { qualifier: None, name }, value, span))
            }
        }
    }

    fn negation(&mut self, operator: &Name, inner: Expr) -> Parsed<Expr> {
        let span = operator.span.to(inner.span);
        self.combine(BinaryOp::And, vec![ExprKind::Not(Box::new(inner)).at(span)], span)
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

    fn combination(
        &mut self,
        op: BinaryOp,
        term: &mut dyn FnMut(&mut Self) -> Parsed<Expr>,
    ) -> Parsed<Expr> {
        let start = self.expect("[", None)?;
        let mut terms = Vec::new();
        loop {
            terms.push(term(self)?);
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

    /// `{ _op: operand, … }` on one value, all ANDed.
    fn comparisons(&mut self, subject: &Expr) -> Parsed<Expr> {
        self.deeper(|parser| {
            parser.expect("{", None)?;
            parser.all_of(subject.span, &mut |parser| parser.comparison(subject))
        })
    }

    fn comparison(&mut self, subject: &Expr) -> Parsed<Expr> {
        let key = self.key()?;
        let known = operator_name(&key.text);
        let Some(operator) = known.as_deref() else { return Err(self.no_operator(&key)) };
        self.expect(":", None)?;
        let mut on_subject = |parser: &mut Self| parser.comparisons(subject);
        match operator {
            "and" => return self.combination(BinaryOp::And, &mut on_subject),
            "or" => return self.combination(BinaryOp::Or, &mut on_subject),
            "not" => {
                let inner = self.comparisons(subject)?;
                return self.negation(&key, inner);
            }
            _ => {}
        }
        if let Some(method) = ItemMethod::named(operator) {
            return self.item(method, subject);
        }
        let kind = self.compare(operator, Box::new(subject.clone()))?;
        Ok(kind.at(subject.span.to(self.last_span())))
    }

    /// `_upper: { _eq: "X" }`, or short `_upper: "X"`.
    fn item(&mut self, method: ItemMethod, subject: &Expr) -> Parsed<Expr> {
        let item = ExprKind::Item(method, Box::new(subject.clone())).at(subject.span);
        if self.is("{") {
            return self.comparisons(&item);
        }
        let right = Box::new(self.literal_expr()?);
        let span = item.span.to(right.span);
        let equal = BinaryOp::Compare(Compare::Eq);
        self.combine(
            BinaryOp::And,
            vec![ExprKind::Binary(equal, Box::new(item), right).at(span)],
            span,
        )
    }

    fn no_operator(&mut self, key: &Name) -> super::ReportedMistake {
        let all = OPERATORS.iter().chain(LOGIC).chain(METHODS);
        let written: Vec<_> = all.map(|name| format!("_{name}")).collect();
        let message = format!("there is no operator `{}`", super::shortened(&key.text));
        let diagnostic = Diagnostic::new(Code::ViewPredicate, key.span, message)
            .rule(rules::PREDICATE)
            .nearest(&key.text.replace('$', "_"), written.iter().map(String::as_str));
        self.fail(diagnostic)
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
            "null" | "is_null" | "notnull" => {
                let (value, _) = self.literal()?;
                let negated = (operator == "notnull") != (value == Literal::Bool(false));
                return Ok(ExprKind::IsNull { operand, negated });
            }
            "like" | "nlike" => {
                let pattern = Box::new(self.literal_expr()?);
                return Ok(ExprKind::Like { operand, pattern, negated: operator == "nlike" });
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

/// The name behind the prefix of an operator, in lower case.
fn operator_name(key: &str) -> Option<String> {
    let name = key.strip_prefix(['$', '_'])?.to_ascii_lowercase();
    let known = OPERATORS.iter().chain(LOGIC).chain(METHODS).any(|known| *known == name);
    known.then_some(name)
}
