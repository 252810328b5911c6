//! Queries of other rows, as the values of generated members; and `JSON_VALUE`.

use duet_model::{AggregateFunction, Code};

use super::{Parsed, Parser, Queries};
use crate::ast::{AggregateCall, Expr, ExprKind, ItemMethod, ListCall, Name, RowsQuery, RowsTable};
use crate::json_path::{self, NoSteps};
use crate::lexer::TokenKind;
use crate::rules;

/// The function over rows of this name.
pub(super) fn rows_function(name: &str) -> Option<AggregateFunction> {
    let all = [
        AggregateFunction::Count,
        AggregateFunction::Sum,
        AggregateFunction::Average,
        AggregateFunction::Least,
        AggregateFunction::Greatest,
        AggregateFunction::List,
    ];
    all.into_iter().find(|function| function.name().eq_ignore_ascii_case(name))
}

impl Parser<'_> {
    /// `SELECT expression FROM table [alias] [[INNER] JOIN table [alias] ON condition]… [WHERE condition]`
    pub(super) fn rows_query(&mut self) -> Parsed<Expr> {
        let start = self.peek().span;
        self.count_table()?;
        self.expect_word("SELECT")?;
        self.queries = Queries::Selected;
        let selected = self.expression();
        self.queries = Queries::Refused;
        let query = selected.and_then(|selected| self.rows_sources(selected));
        self.queries = Queries::Allowed;
        let (selected, tables, conditions) = query?;
        let span = start.to(self.last_span());
        let query = RowsQuery { selected, tables, conditions, span };
        Ok(ExprKind::Rows(Box::new(query)).at(span))
    }

    fn rows_sources(&mut self, selected: Expr) -> Parsed<(Expr, Vec<RowsTable>, Vec<Expr>)> {
        if !self.eat_word("FROM") {
            return Err(self.unexpected("FROM", Some(rules::ROWS)));
        }
        let mut tables = vec![self.rows_table()?];
        let mut conditions = Vec::new();
        loop {
            let inner = self.is_word("INNER") && self.is_word_at(1, "JOIN");
            if !inner && !self.is_word("JOIN") {
                break;
            }
            self.at += usize::from(inner);
            self.bump();
            self.count_table()?;
            tables.push(self.rows_table()?);
            if !self.eat_word("ON") {
                return Err(self.unexpected("ON", Some(rules::ROWS)));
            }
            conditions.push(self.expression()?);
        }
        if self.eat_word("WHERE") {
            conditions.push(self.expression()?);
        }
        self.refuse_other_clauses()?;
        Ok((selected, tables, conditions))
    }

    fn rows_table(&mut self) -> Parsed<RowsTable> {
        Ok(RowsTable { table: self.source_table()?, alias: self.table_alias()? })
    }

    /// `(*)`, or `([DISTINCT] operand)`, behind the name of a function over rows.
    pub(super) fn rows_function(
        &mut self,
        name: &Name,
        function: AggregateFunction,
        nesting: usize,
    ) -> Parsed<Expr> {
        self.expect("(", None)?;
        let whole = function == AggregateFunction::Count && self.eat("*");
        let is_list = function == AggregateFunction::List;
        let span = self.peek().span;
        let distinct = !whole && self.eat_word("DISTINCT");
        if is_list && distinct {
            let message = "listagg lists every row: DISTINCT is for count, sum and avg";
            return Err(self.report(Code::ViewPredicate, span, message, rules::LISTAGG));
        }
        let _ = !whole && !distinct && self.eat_word("ALL");
        // What is counted is a value of each row, and has no functions over rows.
        self.queries = Queries::Refused;
        let operand = if whole { None } else { Some(self.operators(0, nesting + 2).map(Box::new)) };
        self.queries = Queries::Selected;
        let operand = operand.transpose()?;
        let list = if is_list { Some(self.list_call(nesting)?) } else { None };
        if !is_list {
            self.expect(")", None)?;
        }
        let span = name.span.to(self.last_span());
        let call = AggregateCall { function, distinct, operand, list };
        self.checked(ExprKind::Aggregate(call), span)
    }

    /// `, 'separator') WITHIN GROUP (ORDER BY expression [ASC|DESC], …)`
    fn list_call(&mut self, nesting: usize) -> Parsed<ListCall> {
        let mut separator = String::new();
        if self.eat(",") {
            let TokenKind::Text { text, .. } = self.peek().kind.clone() else {
                return Err(self.unexpected("a separator in single quotes", Some(rules::LISTAGG)));
            };
            self.bump();
            separator = text;
        }
        if !self.is(")") {
            return Err(self.unexpected("`)`", Some(rules::LISTAGG)));
        }
        self.bump();
        for word in ["WITHIN", "GROUP"] {
            if !self.eat_word(word) {
                return Err(self.unexpected("WITHIN GROUP (ORDER BY …)", Some(rules::LISTAGG)));
            }
        }
        self.expect("(", Some(rules::LISTAGG))?;
        for word in ["ORDER", "BY"] {
            if !self.eat_word(word) {
                return Err(self.unexpected(word, Some(rules::LISTAGG)));
            }
        }
        self.queries = Queries::Refused;
        let terms = self.list_terms(nesting);
        self.queries = Queries::Selected;
        let terms = terms?;
        self.expect(")", Some(rules::LISTAGG))?;
        Ok(ListCall { separator, terms })
    }

    fn list_terms(&mut self, nesting: usize) -> Parsed<Vec<(Expr, bool)>> {
        let mut terms = Vec::new();
        loop {
            let term = self.operators(0, nesting + 2)?;
            let descending = self.eat_word("DESC");
            let _ = !descending && self.eat_word("ASC");
            terms.push((term, descending));
            if !self.eat(",") {
                return Ok(terms);
            }
        }
    }

    /// `(column, 'path' [RETURNING type])` behind `JSON_VALUE`: text, or a number where the type is one.
    pub(super) fn json_value(&mut self, name: &Name) -> Parsed<Expr> {
        self.expect("(", None)?;
        let column = self.column_name()?;
        self.expect(",", None)?;
        let token = self.peek().clone();
        let TokenKind::Text { text, .. } = &token.kind else {
            return Err(self.unexpected("a path in single quotes", Some(rules::GENERATED_PATH)));
        };
        let steps = match json_path::inside_json(text) {
            Ok(steps) => steps,
            Err(why) => {
                let message = match why {
                    NoSteps::Form => {
                        format!("the path {} cannot be followed", super::shortened(text))
                    }
                    NoSteps::Several(name) => json_path::several(&name),
                };
                let rule = rules::GENERATED_PATH;
                return Err(self.report(Code::ViewPredicate, token.span, message, rule));
            }
        };
        self.bump();
        let is_number = self.eat_word("RETURNING") && self.returned_type()?;
        self.expect(")", None)?;
        let span = name.span.to(self.last_span());
        let value = ExprKind::JsonValue(column, steps).at(span);
        match is_number {
            true => self.checked(ExprKind::Item(ItemMethod::Number, Box::new(value)), span),
            false => Ok(value),
        }
    }

    /// `NUMBER`, or a type of text with a length; whether it is a number.
    fn returned_type(&mut self) -> Parsed<bool> {
        let is_number = self.is_word("NUMBER");
        let is_text = ["VARCHAR2", "VARCHAR", "CLOB"].iter().any(|word| self.is_word(word));
        if !is_number && !is_text {
            return Err(self.unexpected("NUMBER or VARCHAR2", None));
        }
        self.bump();
        if self.eat("(") {
            while !self.is(")") && self.peek().kind != TokenKind::End {
                self.bump();
            }
            self.expect(")", None)?;
        }
        Ok(is_number)
    }
}
