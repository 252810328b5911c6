//! Directives of the GraphQL style and their arguments.

use duet_model::Code;
use duet_model::view_rule::{RuleStage, ViewRule};

use super::{Parsed, Parser, ReportedMistake};
use crate::ast::{
    Annotation, Arguments, Condition, Expr, GeneratedSource, Kind, Literal, Name, Style,
};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Origin, TokenKind, lex};
use crate::rules;
use crate::source::Span;

/// Directives of GraphQL queries that mean nothing in a definition.
const QUERY_DIRECTIVES: &[&str] = &["orderby", "skip", "include", "alias"];

/// Quoted text and its position.
pub(super) struct Quotation {
    pub(super) text: String,
    pub(super) span: Span,
    verbatim: bool,
}

impl Parser<'_> {
    /// `@name[(…)]` any number of times.
    pub(super) fn directives(&mut self) -> Parsed<Vec<Annotation>> {
        let mut annotations = Vec::new();
        while self.is("@") {
            annotations.extend(self.directive()?);
            if self.is(",") && self.peek_at(1).kind == TokenKind::Symbol("@") {
                let span = self.bump().span;
                let message = "a comma is not allowed between directives";
                self.report(Code::ViewSyntax, span, message, rules::DIRECTIVES_TOUCH);
            }
        }
        Ok(annotations)
    }

    /// Reads one directive; an unknown one is reported and left out.
    fn directive(&mut self) -> Parsed<Option<Annotation>> {
        let at = self.bump().span;
        let name = self.name("a directive's name")?;
        let span = at.to(name.span);
        let lower = name.text.to_lowercase();
        let find = |name: &str| Kind::ALL.into_iter().find(|kind| kind.name() == name);
        let opposite = || {
            let kind = lower.strip_prefix("no").and_then(find)?;
            kind.has_opposite().then_some((kind, false))
        };
        let Some((kind, on)) = find(&lower).map(|kind| (kind, true)).or_else(opposite) else {
            self.unknown_directive(&lower, span);
            self.skip_parentheses();
            return Ok(None);
        };
        let arguments = self.directive_arguments(kind, span)?;
        Ok(Some(Annotation { kind, on, arguments, style: Style::GraphQl, span }))
    }

    fn skip_parentheses(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.peek().kind {
                TokenKind::Symbol("(") => open += 1,
                TokenKind::Symbol(")") => open = open.saturating_sub(1),
                TokenKind::End => return,
                _ => {}
            }
            if open == 0 && !self.is(")") {
                return;
            }
            self.bump();
            if open == 0 {
                return;
            }
        }
    }

    fn unknown_directive(&mut self, name: &str, span: Span) -> ReportedMistake {
        if QUERY_DIRECTIVES.contains(&name) {
            let message = format!("@{name} belongs to queries, not to definitions");
            return self.report(Code::ViewAnnotation, span, message, rules::NOT_GRAPHQL);
        }
        let no = |kind: Kind| kind.has_opposite().then(|| format!("@no{}", kind.name()));
        let known: Vec<_> = Kind::ALL
            .into_iter()
            .flat_map(|kind| [Some(format!("@{}", kind.name())), no(kind)])
            .flatten()
            .collect();
        let shown = super::shortened(name);
        let diagnostic =
            Diagnostic::new(Code::ViewAnnotation, span, format!("there is no directive @{shown}"))
                .rule(rules::DIRECTIVES_KNOWN)
                .nearest(&format!("@{name}"), known.iter().map(String::as_str));
        self.fail(diagnostic)
    }

    fn directive_arguments(&mut self, kind: Kind, span: Span) -> Parsed<Arguments> {
        match kind {
            Kind::Link => self.link_arguments(span),
            Kind::Where => self.where_arguments(span),
            Kind::Generated => self.generated_arguments(span),
            Kind::Cast => self.cast_arguments(),
            Kind::OnNull => self.null_arguments(span),
            Kind::Validate => self.rule_arguments(span),
            Kind::Notify => self.notice_arguments(),
            _ if self.is("(") => {
                let span = self.peek().span;
                let message = format!("@{} takes no arguments", kind.name());
                Err(self.fail(Diagnostic::new(Code::ViewAnnotation, span, message)))
            }
            _ => Ok(Arguments::None),
        }
    }

    /// Reads `( name: value, … )`, the commas optional; `value` reads one argument's value.
    pub(super) fn named_arguments(
        &mut self,
        known: &[&str],
        mut value: impl FnMut(&mut Self, usize) -> Parsed<()>,
    ) -> Parsed<()> {
        self.expect("(", None)?;
        let mut seen = Vec::new();
        loop {
            let name = self.name("an argument")?;
            let position = known.iter().position(|known| name.text.eq_ignore_ascii_case(known));
            let Some(position) = position else {
                let message = format!("there is no argument `{}`", super::shortened(&name.text));
                let hint = format!("The arguments are: {}.", known.join(", "));
                let diagnostic = Diagnostic::new(Code::ViewAnnotation, name.span, message)
                    .hint(hint)
                    .nearest(&name.text, known.iter().copied());
                return Err(self.fail(diagnostic));
            };
            if seen.contains(&position) {
                let message = format!("the argument `{}` appears twice", known[position]);
                return Err(self.report(Code::ViewAnnotation, name.span, message, rules::ONCE));
            }
            seen.push(position);
            self.expect(":", None)?;
            value(self, position)?;
            let _ = self.eat(",");
            if self.eat(")") {
                return Ok(());
            }
        }
    }

    fn link_arguments(&mut self, span: Span) -> Parsed<Arguments> {
        let mut sides = [Vec::new(), Vec::new()];
        self.named_arguments(&["from", "to"], |parser, position| {
            sides[position] = parser.column_list()?;
            Ok(())
        })?;
        let [from, to] = sides;
        if !from.is_empty() && !to.is_empty() && from.len() != to.len() {
            let message =
                format!("@link names {} columns in `from` and {} in `to`", from.len(), to.len());
            return Err(self.report(Code::ViewJoin, span, message, rules::JOIN_KEYS));
        }
        Ok(Arguments::Link { from, to })
    }

    /// `[a, "b"]`, or one column without brackets.
    fn column_list(&mut self) -> Parsed<Vec<Name>> {
        if !self.eat("[") {
            return Ok(vec![self.column_item()?]);
        }
        let mut columns = Vec::new();
        loop {
            columns.push(self.column_item()?);
            let _ = self.eat(",");
            if self.eat("]") {
                return Ok(columns);
            }
        }
    }

    fn column_item(&mut self) -> Parsed<Name> {
        match &self.peek().kind {
            TokenKind::Text { text, .. } if !text.is_empty() => {
                let text = text.clone();
                Ok(Name { text, span: self.bump().span, quoted: true })
            }
            _ => self.name("a column"),
        }
    }

    fn where_arguments(&mut self, span: Span) -> Parsed<Arguments> {
        let mut expr = None;
        let mut check_option = false;
        self.named_arguments(&["sql", "check"], |parser, position| {
            if position == 0 {
                let quotation = parser.quotation()?;
                expr = Some(parser.quoted_expression(&quotation, &mut Self::expression)?);
            } else {
                check_option = match parser.literal()? {
                    (Literal::Bool(check), _) => check,
                    (_, span) => {
                        let message = "`check` is true or false";
                        let diagnostic = Diagnostic::new(Code::ViewAnnotation, span, message);
                        return Err(parser.fail(diagnostic));
                    }
                };
            }
            Ok(())
        })?;
        let Some(expr) = expr else {
            let message = "@where needs its condition: @where(sql: \"…\")";
            return Err(self.report(Code::ViewAnnotation, span, message, rules::PREDICATE));
        };
        Ok(Arguments::Where(Condition { expr, check_option }))
    }

    /// `(sql: "condition", name: "n", on: "INSERT UPDATE", at: "BEFORE OBJECT")`
    fn rule_arguments(&mut self, span: Span) -> Parsed<Arguments> {
        let (mut found, mut name) = (None, None);
        let (mut on, mut stage) = ((true, true), RuleStage::Before);
        self.named_arguments(&["sql", "name", "on", "at"], |parser, position| {
            let quotation = parser.quotation()?;
            let text = quotation.text.clone();
            let words = text.to_ascii_uppercase();
            match position {
                0 => {
                    let read = &mut Self::rule_condition;
                    found = Some((parser.quoted(&quotation, read)?, text));
                }
                1 => name = Some(text),
                2 => {
                    let of = |word: &str| words.split([' ', ',']).any(|known| known == word);
                    on = (of("INSERT"), of("UPDATE"));
                    let known = ["INSERT", "UPDATE", ""];
                    if on == (false, false)
                        || !words.split([' ', ',']).all(|one| known.contains(&one))
                    {
                        let message = "a rule is checked on INSERT, UPDATE or both";
                        let (code, rule) = (Code::ViewAnnotation, rules::VALIDATE);
                        return Err(parser.report(code, quotation.span, message, rule));
                    }
                }
                _ => {
                    stage = match &*words {
                        "BEFORE OBJECT" => RuleStage::Before,
                        "AFTER OBJECT" => RuleStage::After,
                        _ => {
                            let message = "a rule is checked at BEFORE OBJECT or AFTER OBJECT";
                            let (code, rule) = (Code::ViewAnnotation, rules::VALIDATE);
                            return Err(parser.report(code, quotation.span, message, rule));
                        }
                    };
                }
            }
            Ok(())
        })?;
        let Some((condition, text)) = found else {
            let message = "@validate needs its condition: @validate(sql: \"…\")";
            return Err(self.report(Code::ViewAnnotation, span, message, rules::VALIDATE));
        };
        let (insert, update) = on;
        Ok(Arguments::Validate(Box::new(ViewRule { name, stage, insert, update, text, condition })))
    }

    /// `(absent: true)` or `(absent: false)`
    fn null_arguments(&mut self, span: Span) -> Parsed<Arguments> {
        let mut absent = None;
        self.named_arguments(&["absent"], |parser, _| {
            absent = match parser.literal()? {
                (Literal::Bool(absent), _) => Some(absent),
                (_, span) => {
                    let message = "`absent` is true or false";
                    return Err(parser.report(Code::ViewAnnotation, span, message, rules::NULLS));
                }
            };
            Ok(())
        })?;
        absent.map(|absent| Arguments::OnNull { absent }).ok_or_else(|| {
            let message = "@onnull needs its argument: @onnull(absent: true)";
            self.report(Code::ViewAnnotation, span, message, rules::NULLS)
        })
    }

    fn generated_arguments(&mut self, span: Span) -> Parsed<Arguments> {
        let mut sources = Vec::new();
        let mut if_missing = None;
        self.named_arguments(&["path", "sql", "ifMissing"], |parser, position| {
            if position == 2 {
                if_missing = match parser.literal()? {
                    (Literal::Bool(is), _) => Some(is),
                    (_, span) => {
                        let message = "`ifMissing` is true or false";
                        let (code, rule) = (Code::ViewAnnotation, rules::GENERATED_WRITE);
                        return Err(parser.report(code, span, message, rule));
                    }
                };
                return Ok(());
            }
            let quotation = parser.quotation()?;
            sources.push(if position == 0 {
                GeneratedSource::Path { text: quotation.text, span: quotation.span }
            } else {
                let expr = parser.quoted_expression(&quotation, &mut Self::generated_expression)?;
                GeneratedSource::Sql(expr)
            });
            Ok(())
        })?;
        match sources.pop() {
            Some(source) if sources.is_empty() => Ok(Arguments::Generated { source, if_missing }),
            _ => {
                let message = "@generated takes either a path or an expression";
                Err(self.report(Code::ViewAnnotation, span, message, rules::GENERATED_ALONE))
            }
        }
    }

    /// `(as: id)`; the value of a binary column is an id already.
    fn cast_arguments(&mut self) -> Parsed<Arguments> {
        self.named_arguments(&["as"], |parser, _| {
            if parser.eat_word("id") {
                return Ok(());
            }
            Err(parser.unexpected("`id`", Some(rules::CAST_ID)))
        })?;
        Ok(Arguments::None)
    }

    pub(super) fn quotation(&mut self) -> Parsed<Quotation> {
        let token = self.peek().clone();
        let (TokenKind::Quoted { text, verbatim } | TokenKind::Text { text, verbatim }) =
            token.kind
        else {
            return Err(self.unexpected("text in quotes", None));
        };
        self.bump();
        Ok(Quotation { text, span: token.span, verbatim })
    }

    /// Reads the expression inside quotes.
    fn quoted_expression(
        &mut self,
        quotation: &Quotation,
        read: &mut dyn FnMut(&mut Self) -> Parsed<Expr>,
    ) -> Parsed<Expr> {
        self.quoted(quotation, read)
    }

    /// Reads what is inside quotes.
    fn quoted<T>(
        &mut self,
        quotation: &Quotation,
        read: &mut dyn FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let origin = match quotation.verbatim {
            true => Origin::Offset(quotation.span.start + 1),
            false => Origin::Within(quotation.span),
        };
        let (tokens, diagnostics) = lex(&quotation.text, origin);
        let first = diagnostics.into_iter().next();
        if let Some(diagnostic) = first {
            return Err(self.fail(diagnostic));
        }
        let outer = std::mem::replace(&mut self.tokens, tokens);
        let at = std::mem::replace(&mut self.at, 0);
        let result = self.whole_expression(read);
        self.tokens = outer;
        self.at = if self.stopped { self.tokens.len() - 1 } else { at };
        result
    }

    fn whole_expression<T>(&mut self, read: &mut dyn FnMut(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let expr = read(self)?;
        match self.peek().kind {
            TokenKind::End => Ok(expr),
            _ => Err(self.unexpected("the end of the expression", None)),
        }
    }
}
