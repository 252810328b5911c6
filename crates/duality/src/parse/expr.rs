//! Expressions: the row filters and generated members of both styles.
//!
//! Operators bind as in SQL: OR, AND, NOT, comparisons, `||`, `+ -`, `* /`, sign.

use duet_model::{Arithmetic, Code, Compare};

use super::rows::rows_function;
use super::{Parsed, Parser, Queries, ReportedMistake};
use crate::ast::{BinaryOp, ColumnName, Expr, ExprKind, Literal, Name};
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind;
use crate::rules;
use crate::source::Span;

const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const OPERAND: u8 = 5;
const SIGN: u8 = 8;

/// Functions over many rows.
const AGGREGATES: &[&str] = &[
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "listagg",
    "string_agg",
    "group_concat",
    "array_agg",
    "json_arrayagg",
    "json_agg",
    "stddev",
    "variance",
    "median",
    "total",
    "any_value",
];

/// Keywords that end an expression or occur inside one, and cannot be columns.
const KEYWORDS: &[&str] = &[
    "AND", "OR", "NOT", "IS", "IN", "BETWEEN", "LIKE", "ESCAPE", "CASE", "WHEN", "THEN", "ELSE",
    "END", "WITH", "WHERE", "FROM", "SELECT", "EXISTS", "ANY", "ALL", "SOME", "OVER",
];

impl Parser<'_> {
    /// Reads an expression up to where it ends.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.operators(0, 0)
    }

    /// Reads the value of a generated member, which may read other rows by a query.
    pub(super) fn generated_expression(&mut self) -> Parsed<Expr> {
        let before = std::mem::replace(&mut self.queries, Queries::Allowed);
        let result = match self.is_word("SELECT") {
            true => self.rows_query(),
            false => self.expression(),
        };
        self.queries = before;
        result
    }

    /// Reads operators that bind at least as tight as `minimum`; `nesting` counts open brackets,
    /// parentheses included, and twice what takes twice the stack: lists and CASE.
    pub(super) fn operators(&mut self, minimum: u8, nesting: usize) -> Parsed<Expr> {
        // Printing adds parentheses, at most one pair per level of the tree.
        if nesting > 2 * self.limits.expression_depth {
            return Err(self.too_deep());
        }
        let mut left = self.operand(nesting)?;
        loop {
            if let Some((op, power)) = self.operator().filter(|(_, power)| *power >= minimum) {
                self.bump();
                let right = self.operators(power + 1, nesting + 1)?;
                let span = left.span.to(right.span);
                let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
                left = self.checked(kind, span)?;
            } else if COMPARISON >= minimum && self.begins_predicate() {
                left = self.predicate(left, nesting)?;
            } else {
                return Ok(left);
            }
        }
    }

    fn too_deep(&mut self) -> ReportedMistake {
        let limit = self.limits.expression_depth;
        self.stop(format!("an expression is nested more than {limit} deep"))
    }

    pub(super) fn checked(&mut self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let expr = kind.at(span);
        if expr.depth > self.limits.expression_depth {
            return Err(self.too_deep());
        }
        Ok(expr)
    }

    fn operator(&self) -> Option<(BinaryOp, u8)> {
        Some(match self.peek().kind {
            TokenKind::Symbol("=") => (BinaryOp::Compare(Compare::Eq), COMPARISON),
            TokenKind::Symbol("<>" | "!=") => (BinaryOp::Compare(Compare::Ne), COMPARISON),
            TokenKind::Symbol("<") => (BinaryOp::Compare(Compare::Lt), COMPARISON),
            TokenKind::Symbol("<=") => (BinaryOp::Compare(Compare::Lte), COMPARISON),
            TokenKind::Symbol(">") => (BinaryOp::Compare(Compare::Gt), COMPARISON),
            TokenKind::Symbol(">=") => (BinaryOp::Compare(Compare::Gte), COMPARISON),
            TokenKind::Symbol("||") => (BinaryOp::Arithmetic(Arithmetic::Concat), OPERAND),
            TokenKind::Symbol("+") => (BinaryOp::Arithmetic(Arithmetic::Add), 6),
            TokenKind::Symbol("-") => (BinaryOp::Arithmetic(Arithmetic::Subtract), 6),
            TokenKind::Symbol("*") => (BinaryOp::Arithmetic(Arithmetic::Multiply), 7),
            TokenKind::Symbol("/") => (BinaryOp::Arithmetic(Arithmetic::Divide), 7),
            _ if self.is_word("AND") => (BinaryOp::And, 2),
            _ if self.is_word("OR") => (BinaryOp::Or, 1),
            _ => return None,
        })
    }

    fn begins_predicate(&self) -> bool {
        let ahead = usize::from(self.is_word("NOT"));
        let words = ["IN", "BETWEEN", "LIKE"];
        (ahead == 0 && self.is_word("IS")) || words.iter().any(|word| self.is_word_at(ahead, word))
    }

    /// `IS [NOT] NULL`, `[NOT] IN (…)`, `[NOT] BETWEEN … AND …`, `[NOT] LIKE …`
    fn predicate(&mut self, operand: Expr, nesting: usize) -> Parsed<Expr> {
        let start = operand.span;
        let operand = Box::new(operand);
        let kind = if self.eat_word("IS") {
            let negated = self.eat_word("NOT");
            if !self.eat_word("NULL") {
                return Err(self.unexpected("NULL", None));
            }
            ExprKind::IsNull { operand, negated }
        } else {
            let negated = self.eat_word("NOT");
            if self.eat_word("IN") {
                ExprKind::In { operand, list: self.list(nesting)?, negated }
            } else if self.eat_word("BETWEEN") {
                let low = Box::new(self.operators(OPERAND, nesting + 1)?);
                if !self.eat_word("AND") {
                    return Err(self.unexpected("AND", None));
                }
                let high = Box::new(self.operators(OPERAND, nesting + 1)?);
                ExprKind::Between { operand, low, high, negated }
            } else {
                self.bump();
                let pattern = Box::new(self.operators(OPERAND, nesting + 1)?);
                self.escape()?;
                ExprKind::Like { operand, pattern, negated }
            }
        };
        let span = start.to(self.last_span());
        self.checked(kind, span)
    }

    /// `ESCAPE '\'`, the only escape character there is.
    fn escape(&mut self) -> Parsed<()> {
        if !self.eat_word("ESCAPE") {
            return Ok(());
        }
        let token = self.bump();
        if matches!(&token.kind, TokenKind::Text { text, .. } if text == "\\") {
            return Ok(());
        }
        let message = "the escape character of LIKE is always the backslash";
        Err(self.report(Code::ViewPredicate, token.span, message, rules::PREDICATE))
    }

    /// `( expression, … )`
    fn list(&mut self, nesting: usize) -> Parsed<Vec<Expr>> {
        self.expect("(", None)?;
        self.refuse_subquery()?;
        let mut items = Vec::new();
        loop {
            items.push(self.operators(0, nesting + 2)?);
            if !self.eat(",") {
                self.expect(")", None)?;
                return Ok(items);
            }
        }
    }

    fn refuse_subquery(&mut self) -> Parsed<()> {
        if !["SELECT", "EXISTS", "ANY", "ALL", "SOME"].iter().any(|word| self.is_word(word)) {
            return Ok(());
        }
        let span = self.peek().span;
        let message = "a subquery is not allowed here";
        Err(self.report(Code::ViewPredicate, span, message, rules::NO_SUBQUERY))
    }

    fn operand(&mut self, nesting: usize) -> Parsed<Expr> {
        let token = self.peek().clone();
        match token.kind {
            TokenKind::Number(text) => {
                let literal = self.number_literal(&text, false)?;
                self.bump();
                Ok(ExprKind::Literal(literal).at(token.span))
            }
            TokenKind::Text { text, .. } => {
                self.bump();
                Ok(ExprKind::Literal(Literal::Text(text)).at(token.span))
            }
            TokenKind::Symbol("(") => {
                self.bump();
                let mut inner = match self.is_word("SELECT") && self.queries == Queries::Allowed {
                    true => self.rows_query()?,
                    false => {
                        self.refuse_subquery()?;
                        self.operators(0, nesting + 1)?
                    }
                };
                inner.span = token.span.to(self.expect(")", None)?);
                Ok(inner)
            }
            TokenKind::Symbol("-") => self.negated(nesting),
            TokenKind::Symbol("+") => {
                self.bump();
                self.operators(SIGN, nesting + 1)
            }
            TokenKind::Symbol(":" | "?" | "$") => {
                let message = "a bind variable is not allowed here";
                Err(self.report(Code::ViewPredicate, token.span, message, rules::NO_BIND))
            }
            TokenKind::Quoted { .. } => self.column_operand(),
            TokenKind::Word(word) => self.word(&word, nesting),
            TokenKind::Symbol(_) | TokenKind::End => Err(self.unexpected("an expression", None)),
        }
    }

    /// `-x`; the sign of a number is part of it.
    fn negated(&mut self, nesting: usize) -> Parsed<Expr> {
        let sign = self.bump().span;
        if let TokenKind::Number(text) = self.peek().kind.clone() {
            let literal = self.number_literal(&text, true)?;
            let span = sign.to(self.bump().span);
            return Ok(ExprKind::Literal(literal).at(span));
        }
        let operand = self.operators(SIGN, nesting + 1)?;
        let span = sign.to(operand.span);
        self.checked(ExprKind::Negate(Box::new(operand)), span)
    }

    /// The number of the current token.
    pub(super) fn number_literal(&mut self, text: &str, negative: bool) -> Parsed<Literal> {
        let signed = if negative { format!("-{text}") } else { text.to_owned() };
        if let Ok(number) = signed.parse() {
            return Ok(Literal::Int(number));
        }
        match signed.parse::<f64>() {
            Ok(number) if number.is_finite() && text.contains(['.', 'e', 'E']) => {
                Ok(Literal::Float(number))
            }
            _ => {
                let span = self.peek().span;
                let message = "the number is too large";
                Err(self.fail(Diagnostic::new(Code::ViewPredicate, span, message)))
            }
        }
    }

    fn word(&mut self, word: &str, nesting: usize) -> Parsed<Expr> {
        let span = self.peek().span;
        let upper = word.to_uppercase();
        let literal = match &*upper {
            "NULL" => Some(Literal::Null),
            "TRUE" => Some(Literal::Bool(true)),
            "FALSE" => Some(Literal::Bool(false)),
            _ => None,
        };
        if let Some(literal) = literal {
            self.bump();
            return Ok(ExprKind::Literal(literal).at(span));
        }
        self.refuse_subquery()?;
        match &*upper {
            "NOT" => {
                self.bump();
                self.refuse_subquery()?;
                let operand = self.operators(NOT, nesting + 1)?;
                let span = span.to(operand.span);
                self.checked(ExprKind::Not(Box::new(operand)), span)
            }
            "CASE" => self.case(nesting),
            "DATE" | "TIME" | "TIMESTAMP"
                if matches!(self.peek_at(1).kind, TokenKind::Text { .. }) =>
            {
                self.bump();
                self.operand(nesting)
            }
            _ if KEYWORDS.contains(&&*upper) => Err(self.unexpected("an expression", None)),
            _ if self.peek_at(1).kind == TokenKind::Symbol("(") => self.function(nesting),
            _ => self.column_operand(),
        }
    }

    fn column_operand(&mut self) -> Parsed<Expr> {
        let column: ColumnName = self.column_name()?;
        let span = column.span();
        Ok(ExprKind::Column(column).at(span))
    }

    fn function(&mut self, nesting: usize) -> Parsed<Expr> {
        let name: Name = self.name("a function")?;
        if name.text.eq_ignore_ascii_case("json_value") {
            return self.json_value(&name);
        }
        if self.queries == Queries::Selected
            && let Some(function) = rows_function(&name.text)
        {
            return self.rows_function(&name, function, nesting);
        }
        if AGGREGATES.iter().any(|aggregate| name.text.eq_ignore_ascii_case(aggregate)) {
            return Err(self.refuse_aggregate(&name));
        }
        let empty = self.peek_at(1).kind == TokenKind::Symbol(")");
        let arguments = if empty {
            self.bump();
            self.bump();
            Vec::new()
        } else {
            self.list(nesting)?
        };
        if self.is_word("OVER") {
            let span = self.peek().span;
            let message = "a window is not allowed here";
            return Err(self.report(Code::ViewPredicate, span, message, rules::NO_AGGREGATE));
        }
        let span = name.span.to(self.last_span());
        self.checked(ExprKind::Function(name, arguments), span)
    }

    /// A function over many rows where there is none, or one that the stores have in different forms.
    fn refuse_aggregate(&mut self, name: &Name) -> ReportedMistake {
        let lower = name.text.to_lowercase();
        let message = format!("{lower}() runs over many rows");
        let diagnostic = Diagnostic::new(Code::ViewPredicate, name.span, message);
        let mut diagnostic = diagnostic.rule(rules::NO_AGGREGATE);
        let is_array = ["json_arrayagg", "json_agg", "array_agg"].contains(&&*lower);
        let is_list = ["string_agg", "group_concat"].contains(&&*lower);
        let hint = match self.queries {
            Queries::Selected | Queries::Refused if is_array => {
                "Make it an array of the view, 'name' : [ SELECT … ], or list texts by LISTAGG."
            }
            Queries::Selected | Queries::Refused if is_list => {
                "Write LISTAGG(expression, 'separator') WITHIN GROUP (ORDER BY expression)."
            }
            Queries::Selected => "A query has count, sum, avg, min, max and listagg.",
            _ => {
                "A generated member has it in a query: SELECT … FROM child WHERE child.column = parent.column."
            }
        };
        diagnostic.hint = Some(hint.to_owned());
        self.fail(diagnostic)
    }

    /// `CASE [column] WHEN … THEN … [ELSE …] END`
    fn case(&mut self, nesting: usize) -> Parsed<Expr> {
        let start = self.bump().span;
        let subject = if self.is_word("WHEN") { None } else { Some(self.column_operand()?) };
        let mut branches = Vec::new();
        while self.eat_word("WHEN") {
            let mut condition = self.operators(0, nesting + 2)?;
            if let Some(subject) = &subject {
                let span = condition.span;
                let operands = (Box::new(subject.clone()), Box::new(condition));
                condition = self.checked(
                    ExprKind::Binary(BinaryOp::Compare(Compare::Eq), operands.0, operands.1),
                    span,
                )?;
            }
            if !self.eat_word("THEN") {
                return Err(self.unexpected("THEN", None));
            }
            branches.push((condition, self.operators(0, nesting + 2)?));
        }
        if branches.is_empty() {
            return Err(self.unexpected("WHEN", None));
        }
        let otherwise = if self.eat_word("ELSE") {
            Some(Box::new(self.operators(0, nesting + 2)?))
        } else {
            None
        };
        if !self.eat_word("END") {
            return Err(self.unexpected("END", None));
        }
        let span = start.to(self.last_span());
        self.checked(ExprKind::Case { branches, otherwise }, span)
    }
}
