//! Tokens to the syntax tree: the cursor, error recovery and the header of a view.
//!
//! A mistake is reported once, where it is met; reading goes on behind the member or view that
//! holds it. What was left out is marked, so that the checker does not complain about its lack.

mod directive;
mod expr;
mod graphql;
mod notice;
mod qbe;
mod rows;
mod rule;
mod sql;

use duet_model::Code;

use crate::ast::{DirectiveDefinition, Name, Nesting, ViewDefinition, ViewDirective};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Origin, Token, TokenKind, lex};
use crate::options::ViewLimits;
use crate::rules;
use crate::script::Script;
use crate::source::{DefinitionFile, Span};

pub(crate) use rule::{CLAUSES, CONDITIONS, Clause, Fate};

/// Proof that a mistake has been reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReportedMistake;

type Parsed<T> = Result<T, ReportedMistake>;

/// Reads all views of a text, and its mistakes.
pub(crate) fn parse(
    source: &DefinitionFile,
    limits: &ViewLimits,
) -> (Vec<ViewDefinition>, Vec<Diagnostic>) {
    if source.text.len() > limits.text_bytes {
        let message = format!(
            "the text has {} bytes, more than the {} allowed",
            source.text.len(),
            limits.text_bytes
        );
        let diagnostic = Diagnostic::new(Code::ViewLimit, Span::new(0, 0), message);
        return (Vec::new(), vec![diagnostic.rule(rules::LIMITS)]);
    }
    let script = Script::of(&source.text);
    let (tokens, mut diagnostics) = lex(&script.views, Origin::Offset(0));
    diagnostics.extend(script.diagnostics);
    let mut parser = Parser {
        text: &script.views,
        tokens,
        at: 0,
        limits,
        diagnostics,
        stopped: false,
        depth: 0,
        tables: 0,
        members: 0,
        queries: Queries::Refused,
    };
    let views = parser.views();
    let mut diagnostics = parser.diagnostics;
    diagnostics.truncate(limits.diagnostics);
    (views, diagnostics)
}

struct Parser<'a> {
    /// The text that is read.
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    limits: &'a ViewLimits,
    diagnostics: Vec<Diagnostic>,
    /// A limit was met: nothing more is read or reported.
    stopped: bool,
    depth: usize,
    tables: usize,
    members: usize,
    /// What an expression may read beside its row.
    queries: Queries,
}

/// Whether an expression may have a query of other rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Queries {
    /// It may not.
    Refused,
    /// It may: it is the value of a generated member.
    Allowed,
    /// It is what a query selects, and may have functions over the rows.
    Selected,
}

impl Parser<'_> {
    fn views(&mut self) -> Vec<ViewDefinition> {
        let (mut views, mut directives) = (Vec::new(), Vec::new());
        loop {
            while self.eat(";") || self.eat("/") {}
            if self.peek().kind == TokenKind::End {
                break;
            }
            (self.depth, self.tables, self.members) = (0, 0, 0);
            if self.is_directive() {
                match self.view_directive() {
                    Ok(rule) => directives.push(rule),
                    Err(ReportedMistake) => self.skip_view(),
                }
                continue;
            }
            match self.view() {
                Ok(view) => views.push(view),
                Err(ReportedMistake) => self.skip_view(),
            }
        }
        self.attach(directives, &mut views);
        if views.is_empty() && self.diagnostics.is_empty() {
            let end = self.peek().span;
            self.report(Code::ViewSyntax, end, "the text defines no view", rules::HEADER);
        }
        views
    }

    /// Gives each view what its directives say. A view that could not be read is reported already.
    fn attach(&mut self, directives: Vec<DirectiveDefinition>, views: &mut [ViewDefinition]) {
        for directive in directives {
            let is_it = |view: &&mut ViewDefinition| {
                let (a, b) = (&view.name, &directive.view);
                a.text == b.text || !a.quoted && !b.quoted && a.text.eq_ignore_ascii_case(&b.text)
            };
            if let Some(view) = views.iter_mut().find(is_it) {
                match directive.directive {
                    ViewDirective::Rule(rule) => {
                        view.rules.retain(|known| known.name != rule.name);
                        view.rules.push(rule);
                    }
                    ViewDirective::Notice(notice) => {
                        self.attach_notice(notice, &directive.name, view);
                    }
                }
            } else if self.diagnostics.is_empty() {
                let message = format!(
                    "the directive {} is of the view {}, which this file does not define",
                    directive.name.text, directive.view.text
                );
                let hint = "Put it into the file of the view, behind it.";
                let span = directive.view.span;
                let diagnostic = Diagnostic::new(Code::ViewSyntax, span, message);
                self.fail(diagnostic.rule(rules::DIRECTIVES_OF_VIEWS).hint(hint));
            }
        }
    }

    /// `CREATE … JSON … DUALITY VIEW name AS …`, or short `VIEW name AS …` or `VIEW name = …`.
    fn view(&mut self) -> Parsed<ViewDefinition> {
        let force = self.header()?;
        let name = self.view_name()?;
        if name.text.len() > LONGEST_NAME {
            let message = format!(
                "the name has {} bytes; a view's name has {LONGEST_NAME} at most",
                name.text.len()
            );
            self.report(Code::ViewSyntax, name.span, message, rules::HEADER);
        }
        // What is replicated is the database's affair.
        if self.is_word_at(1, "LOGICAL") && (self.eat_word("ENABLE") || self.eat_word("DISABLE")) {
            self.expect_word("LOGICAL")?;
            self.expect_word("REPLICATION")?;
        }
        if !self.eat_word("AS") && !self.eat("=") {
            return Err(self.unexpected("AS", Some(rules::HEADER)));
        }
        let mut parentheses = 0;
        while self.eat("(") {
            parentheses += 1;
        }
        let is_row = self.is_word("JSONIZE") && self.peek_at(1).kind == TokenKind::Symbol("(");
        let root = if is_row {
            self.jsonized()?
        } else if self.is_word("SELECT") {
            self.select(Nesting::Natural)?
        } else {
            self.graphql_root()?
        };
        for _ in 0..parentheses {
            self.expect(")", None)?;
        }
        let ended = self.is(";")
            || self.peek().kind == TokenKind::End
            || (self.peek().starts_line && (self.is_header() || self.is("/")));
        if !ended {
            return Err(self.unexpected("`;` or the end of the definition", None));
        }
        Ok(ViewDefinition { name, force, root, rules: Vec::new(), notice: None })
    }

    fn is_header(&self) -> bool {
        self.is_word("CREATE") || self.is_word("VIEW")
    }

    /// Whether the view may be over tables that are missing (`FORCE`).
    fn header(&mut self) -> Parsed<bool> {
        let mut force = false;
        if self.is_word("ALTER") {
            let span = self.peek().span;
            let message = "a view that exists is not altered here";
            let diagnostic = Diagnostic::new(Code::ViewSyntax, span, message).rule(rules::ALTERED);
            return Err(self.fail(diagnostic.hint("Write CREATE OR REPLACE, once for each view.")));
        }
        if self.eat_word("CREATE") {
            if self.eat_word("OR") {
                self.expect_word("REPLACE")?;
            }
            if self.eat_word("NO") {
                self.expect_word("FORCE")?;
            } else {
                force = self.eat_word("FORCE");
            }
            let _ = self.eat_word("EDITIONABLE") || self.eat_word("NONEDITIONABLE");
            self.expect_word("JSON")?;
            let _ = self.eat_word("RELATIONAL");
            self.expect_word("DUALITY")?;
        }
        self.expect_word("VIEW")?;
        if self.eat_word("IF") {
            self.expect_word("NOT")?;
            self.expect_word("EXISTS")?;
        }
        Ok(force)
    }

    /// `[schema.]name`; the schema of a view means nothing here.
    fn view_name(&mut self) -> Parsed<Name> {
        let name = self.name("the view's name")?;
        if self.eat(".") { self.name("the view's name") } else { Ok(name) }
    }

    /// Goes on behind the next `;`, or before the next line that begins a view.
    fn skip_view(&mut self) {
        let start = self.at;
        while self.peek().kind != TokenKind::End {
            if self.at > start && self.peek().starts_line && self.is_header() {
                return;
            }
            self.at += 1;
            if self.tokens[self.at - 1].kind == TokenKind::Symbol(";") {
                return;
            }
        }
    }

    /// Leaves out the member that began at token `start` and could not be read on from here: goes
    /// on behind its comma, before its object's closing brace, or at a token that begins a line
    /// and could begin a member.
    fn skip_member(&mut self, start: usize) {
        if self.stopped {
            return;
        }
        let failed = self.at.max(start + 1);
        self.at = start;
        let mut open = 0_usize;
        loop {
            let passed = self.at >= failed;
            let token = self.peek();
            match &token.kind {
                TokenKind::End => return,
                TokenKind::Symbol("{" | "[" | "(") => open += 1,
                TokenKind::Symbol("}") if open == 0 => return,
                TokenKind::Symbol("}" | "]" | ")") => open = open.saturating_sub(1),
                TokenKind::Symbol(",") if open == 0 && passed => {
                    self.at += 1;
                    return;
                }
                TokenKind::Word(_) | TokenKind::Quoted { .. } | TokenKind::Text { .. }
                    if open == 0 && passed && token.starts_line =>
                {
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    /// The token that many ahead; the end where there are fewer.
    fn peek_at(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn bump(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// The range of the token just read.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Symbol(found) if found == symbol)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.at += usize::from(found);
        found
    }

    fn is_word(&self, word: &str) -> bool {
        self.is_word_at(0, word)
    }

    fn is_word_at(&self, ahead: usize, word: &str) -> bool {
        matches!(&self.peek_at(ahead).kind, TokenKind::Word(found) if found.eq_ignore_ascii_case(word))
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str, rule: Option<&'static str>) -> Parsed<Span> {
        if self.eat(symbol) {
            return Ok(self.last_span());
        }
        Err(self.unexpected(&format!("`{symbol}`"), rule))
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        Err(self.unexpected(word, Some(rules::HEADER)))
    }

    /// A name, bare or in double quotes.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek().clone();
        let (text, quoted) = match token.kind {
            TokenKind::Word(text) => (text, false),
            TokenKind::Quoted { text, .. } if !text.is_empty() => (text, true),
            _ => return Err(self.unexpected(what, None)),
        };
        self.at += 1;
        Ok(Name { text, span: token.span, quoted })
    }

    /// Counts a level of nesting while `inner` reads.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.limits.depth {
            let message = format!("objects are nested more than {} deep", self.limits.depth);
            return Err(self.stop(message));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn count_table(&mut self) -> Parsed<()> {
        self.tables += 1;
        if self.tables <= self.limits.tables {
            return Ok(());
        }
        Err(self.stop(format!("the view uses more than {} tables", self.limits.tables)))
    }

    fn count_member(&mut self) -> Parsed<()> {
        self.members += 1;
        if self.members <= self.limits.members {
            return Ok(());
        }
        Err(self.stop(format!("the view has more than {} members", self.limits.members)))
    }

    /// Reports that a limit is met and reads no further.
    fn stop(&mut self, message: String) -> ReportedMistake {
        let span = self.peek().span;
        let reported = self.report(Code::ViewLimit, span, message, rules::LIMITS);
        self.stopped = true;
        self.at = self.tokens.len() - 1;
        reported
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> ReportedMistake {
        if !self.stopped {
            self.diagnostics.push(diagnostic);
        }
        if self.diagnostics.len() >= self.limits.diagnostics {
            self.stopped = true;
            self.at = self.tokens.len() - 1;
        }
        ReportedMistake
    }

    fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        rule: &'static str,
    ) -> ReportedMistake {
        self.fail(Diagnostic::new(code, span, message).rule(rule))
    }

    fn unexpected(&mut self, expected: &str, rule: Option<&'static str>) -> ReportedMistake {
        let token = self.peek();
        let found = match &token.kind {
            TokenKind::Word(word) => format!("`{}`", shortened(word)),
            TokenKind::Quoted { text, .. } => format!("\"{}\"", shortened(text)),
            TokenKind::Text { text, .. } => format!("'{}'", shortened(text)),
            TokenKind::Number(number) => format!("`{}`", shortened(number)),
            TokenKind::Symbol(symbol) => format!("`{symbol}`"),
            TokenKind::End => "the end of the text".to_owned(),
        };
        let message = format!("expected {expected}, found {found}");
        let mut diagnostic = Diagnostic::new(Code::ViewSyntax, token.span, message);
        diagnostic.rule = rule;
        self.fail(diagnostic)
    }
}

/// The most bytes of a view's name, as of every name in Oracle's database.
const LONGEST_NAME: usize = 128;

/// A text short enough for a message.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
