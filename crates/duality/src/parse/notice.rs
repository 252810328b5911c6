//! Events of a view: `CREATE DIRECTIVE name FOR view NOTIFY …` (Oracle AI Database 26ai, SQL reference) and
//! `@notify(on: "…")`.

use duet_model::Code;
use duet_model::view_notice::ViewNotice;

use super::{Parsed, Parser, ReportedMistake};
use crate::ast::{Arguments, Name, ViewDefinition};
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind;
use crate::rules;

/// Clauses that are not taken, by their first words.
const REFUSED: [&str; 3] = ["DISABLE", "CONTEXT", "PURGE"];

impl Parser<'_> {
    /// What follows `NOTIFY`: `[ON INSERT UPDATE DELETE] [ENABLE]`. Each clause that is not taken is reported.
    pub(super) fn directive_notice(&mut self, name: &Name, of: &str) -> Parsed<ViewNotice> {
        let hint = "Take the clause out, or the whole statement.";
        let mut notice = ViewNotice { name: Some(name.text.clone()), ..ViewNotice::default() };
        let mut refused = None;
        loop {
            if self.eat_word("ON") {
                let events = self.notice_events(of)?;
                notice = ViewNotice { name: notice.name, ..events };
            } else if let Some(word) = REFUSED.into_iter().find(|word| self.is_word(word)) {
                refused = Some(self.refused_with(word, of, hint));
                self.bump();
                self.skip_clause();
            } else if !self.eat_word("ENABLE") {
                break;
            }
        }
        refused.map_or(Ok(notice), Err)
    }

    /// `INSERT UPDATE DELETE`, at least one, also with commas or `OR`.
    fn notice_events(&mut self, of: &str) -> Parsed<ViewNotice> {
        let mut events = ViewNotice { name: None, insert: false, update: false, delete: false };
        loop {
            self.refuse_words("SELECT", "NOTIFY ON SELECT", of)?;
            match () {
                () if self.eat_word("INSERT") => events.insert = true,
                () if self.eat_word("UPDATE") => events.update = true,
                () if self.eat_word("DELETE") => events.delete = true,
                () if events.words().is_empty() => {
                    return Err(self.unexpected("INSERT, UPDATE or DELETE", Some(rules::NOTIFY)));
                }
                () => return Ok(events),
            }
            let _ = self.eat(",") || self.eat_word("OR");
        }
    }

    /// Goes to the next clause, or to the end of the directive.
    fn skip_clause(&mut self) {
        let begins = |parser: &Self| {
            let words = ["ON", "ENABLE"].into_iter().chain(REFUSED);
            words.into_iter().any(|word| parser.is_word(word))
        };
        while !(begins(self) || self.is(";") || self.is("/") || self.peek().kind == TokenKind::End)
        {
            self.bump();
        }
    }

    /// `[(on: "INSERT UPDATE DELETE", name: "n")]`
    pub(super) fn notice_arguments(&mut self) -> Parsed<Arguments> {
        let mut notice = ViewNotice::default();
        if !self.is("(") {
            return Ok(Arguments::Notify(notice));
        }
        self.named_arguments(&["on", "name"], |parser, position| {
            let quotation = parser.quotation()?;
            if position == 1 {
                notice.name = Some(quotation.text);
                return Ok(());
            }
            let words = quotation.text.to_ascii_uppercase();
            let words: Vec<&str> =
                words.split([' ', ',']).filter(|word| !word.is_empty()).collect();
            let has = |word| words.contains(&word);
            (notice.insert, notice.update, notice.delete) =
                (has("INSERT"), has("UPDATE"), has("DELETE"));
            let known = ["INSERT", "UPDATE", "DELETE"];
            if words.is_empty() || words.iter().any(|word| !known.contains(word)) {
                let message = "an event is of INSERT, UPDATE, DELETE or several of them";
                let (code, rule) = (Code::ViewAnnotation, rules::NOTIFY);
                return Err(parser.report(code, quotation.span, message, rule));
            }
            Ok(())
        })?;
        Ok(Arguments::Notify(notice))
    }

    /// Gives a view its events; it has one directive of them.
    pub(super) fn attach_notice(
        &mut self,
        notice: ViewNotice,
        name: &Name,
        view: &mut ViewDefinition,
    ) {
        let is_other = view.notice.as_ref().is_some_and(|known| known.name != notice.name);
        if is_other {
            let message = format!("the view {} has two directives with NOTIFY", view.name.text);
            let diagnostic = Diagnostic::new(Code::ViewSyntax, name.span, message);
            let ReportedMistake = self.fail(diagnostic.rule(rules::NOTIFY));
        }
        view.notice = Some(notice);
    }
}
