//! Directives of views: `CREATE DIRECTIVE name FOR view VALIDATE …` or `NOTIFY …` (Oracle AI Database 26ai, SQL
//! reference). Here are the clauses and the rules, also those of `@validate(sql: "…")`.

use duet_model::view_rule::{ReturnType, RuleCondition, RulePath, RuleStage, RuleValue, ViewRule};
use duet_model::{Code, Compare};
use duet_text::exact::Exact;

use super::{Parsed, Parser};
use crate::ast::{DirectiveDefinition, Name, ViewDirective};
use crate::diagnostic::Diagnostic;
use crate::json_path;
use crate::lexer::TokenKind;
use crate::rules;
use crate::source::Span;

/// A clause of a directive.
pub(crate) struct Clause {
    /// Its words, blanks between them.
    pub(crate) words: &'static str,
    /// What becomes of it.
    pub(crate) fate: Fate,
}

/// What becomes of a clause.
#[derive(Clone, Copy)]
pub(crate) enum Fate {
    /// It means what it means in Oracle.
    Taken,
    /// It is left out, which is said with its line; what holds instead.
    Skipped(&'static str),
    /// The definition is refused; why.
    Refused(&'static str),
}

const fn taken(words: &'static str) -> Clause {
    Clause { words, fate: Fate::Taken }
}

const fn refused(words: &'static str, why: &'static str) -> Clause {
    Clause { words, fate: Fate::Refused(why) }
}

/// The clauses of `CREATE DIRECTIVE`, each with what becomes of it.
pub(crate) const CLAUSES: &[Clause] = &[
    taken("VALIDATE ON INSERT"),
    taken("VALIDATE ON UPDATE"),
    refused("VALIDATE ON SELECT", "documents are not checked when they are read"),
    taken("BEFORE OBJECT"),
    taken("AFTER OBJECT"),
    refused("ON COMMIT", "rules are checked with each document, not at the commit"),
    refused("SCOPE", "a rule is about one document"),
    taken("NOVALIDATE"),
    refused("VALIDATE", "documents that are stored are not checked"),
    taken("ENABLE"),
    refused("DISABLE", "a directive that does nothing has no place here"),
    taken("USING a condition"),
    refused("USING a function or block of PL/SQL", "PL/SQL is not run"),
    taken("NOTIFY"),
    taken("NOTIFY ON INSERT UPDATE DELETE"),
    refused("NOTIFY ON SELECT", "reading a document is no event"),
    Clause {
        words: "USING NOTIFICATION TABLE … NOTIFICATION VIEW …",
        fate: Fate::Skipped("events are read below the view"),
    },
    refused("CONTEXT", "an event has no values of the session"),
    refused("PURGE", "the setting view_event_retention says how long events are kept"),
];

/// What a condition is made of.
pub(crate) const CONDITIONS: &[&str] = &[
    "json_value(new.data, '$.a[0].b')",
    "json_value(old.data, '$.a' RETURNING NUMBER)",
    "json_exists(new.data, '$.a')",
    "= <> != < <= > >=",
    "IS NULL, IS NOT NULL",
    "[NOT] IN (…), [NOT] BETWEEN … AND …",
    "AND OR NOT ( )",
    "numbers, 'text', TRUE, FALSE",
];

/// How deep parentheses and NOT may be nested.
const DEEPEST: usize = 32;
/// How many comparisons a condition may have.
const MOST_TESTS: usize = 64;

impl Parser<'_> {
    /// Whether `CREATE [OR REPLACE] DIRECTIVE` follows.
    pub(super) fn is_directive(&self) -> bool {
        let behind = if self.is_word_at(1, "OR") { 3 } else { 1 };
        self.is_word("CREATE") && self.is_word_at(behind, "DIRECTIVE")
    }

    /// `CREATE [OR REPLACE] DIRECTIVE name FOR view …`
    pub(super) fn view_directive(&mut self) -> Parsed<DirectiveDefinition> {
        while !self.eat_word("DIRECTIVE") {
            self.bump();
        }
        let name = self.view_name()?;
        self.expect_clause("FOR")?;
        let view = self.view_name()?;
        let of = format!("{} of the view {}", name.text, view.text);
        let directive = match self.eat_word("NOTIFY") {
            true => ViewDirective::Notice(self.directive_notice(&name, &of)?),
            false => ViewDirective::Rule(self.directive_rule(&name, &of)?),
        };
        if !(self.is(";") || self.is("/") || self.peek().kind == TokenKind::End) {
            let rule = match directive {
                ViewDirective::Rule(_) => rules::VALIDATE,
                ViewDirective::Notice(_) => rules::NOTIFY,
            };
            return Err(self.unexpected("`;` or the end of the directive", Some(rule)));
        }
        Ok(DirectiveDefinition { view, name, directive })
    }

    /// `VALIDATE ON … BEFORE OBJECT … USING (condition)`
    fn directive_rule(&mut self, name: &Name, of: &str) -> Parsed<ViewRule> {
        if !self.eat_word("VALIDATE") {
            return Err(self.unexpected("VALIDATE or NOTIFY", Some(rules::VALIDATE)));
        }
        self.expect_clause("ON")?;
        let (mut insert, mut update) = (false, false);
        loop {
            self.refuse_words("SELECT", "VALIDATE ON SELECT", of)?;
            match () {
                () if self.eat_word("INSERT") => insert = true,
                () if self.eat_word("UPDATE") => update = true,
                () if !insert && !update => {
                    return Err(self.unexpected("INSERT or UPDATE", Some(rules::VALIDATE)));
                }
                () => break,
            }
            let _ = self.eat(",") || self.eat_word("OR");
        }
        self.refuse_words("ON", "ON COMMIT", of)?;
        let stage = self.rule_stage()?;
        self.expect_clause("OBJECT")?;
        for _ in 0..3 {
            let _ = self.eat_word("NOVALIDATE") || self.eat_word("ENABLE");
            for refused in ["SCOPE", "VALIDATE", "DISABLE"] {
                self.refuse_clause(refused, of)?;
            }
        }
        self.expect_clause("USING")?;
        let start = self.peek().span;
        if !self.is("(") {
            return Err(self.refused_clause("USING a function or block of PL/SQL", of));
        }
        let condition = self.rule_condition()?;
        let text = self.text_of(start.to(self.last_span()));
        Ok(ViewRule { name: Some(name.text.clone()), stage, insert, update, text, condition })
    }

    fn rule_stage(&mut self) -> Parsed<RuleStage> {
        match () {
            () if self.eat_word("BEFORE") => Ok(RuleStage::Before),
            () if self.eat_word("AFTER") => Ok(RuleStage::After),
            () => Err(self.unexpected("BEFORE OBJECT or AFTER OBJECT", Some(rules::VALIDATE))),
        }
    }

    fn expect_clause(&mut self, word: &str) -> Parsed<()> {
        match self.eat_word(word) {
            true => Ok(()),
            false => Err(self.unexpected(word, Some(rules::VALIDATE))),
        }
    }

    pub(super) fn refuse_clause(&mut self, word: &'static str, of: &str) -> Parsed<()> {
        self.refuse_words(word, word, of)
    }

    /// Refuses a clause of [`CLAUSES`] that begins with a word.
    pub(super) fn refuse_words(&mut self, word: &str, clause: &str, of: &str) -> Parsed<()> {
        if self.is_word(word) { Err(self.refused_clause(clause, of)) } else { Ok(()) }
    }

    fn refused_clause(&mut self, clause: &str, of: &str) -> super::ReportedMistake {
        let hint = "Write the rule as a CHECK or a trigger of the view's tables, and take this statement out.";
        self.refused_with(clause, of, hint)
    }

    /// Reports a clause of [`CLAUSES`] that is not taken.
    pub(super) fn refused_with(
        &mut self,
        clause: &str,
        of: &str,
        hint: &'static str,
    ) -> super::ReportedMistake {
        let span = self.peek().span;
        let known = CLAUSES.iter().find(|known| known.words == clause);
        let why = match known.map(|known| known.fate) {
            Some(Fate::Refused(why)) => why,
            _ => "it has no meaning here",
        };
        let message = format!("the directive {of} is not taken: {clause}: {why}");
        let diagnostic = Diagnostic::new(Code::ViewSyntax, span, message);
        self.fail(diagnostic.rule(rules::DIRECTIVES_OF_VIEWS).hint(hint))
    }

    /// A condition, with its own parentheses or without.
    pub(super) fn rule_condition(&mut self) -> Parsed<RuleCondition> {
        let mut tests = 0;
        self.any_rule(0, &mut tests)
    }

    fn any_rule(&mut self, depth: usize, tests: &mut usize) -> Parsed<RuleCondition> {
        let mut all = vec![self.all_rules(depth, tests)?];
        while self.eat_word("OR") {
            all.push(self.all_rules(depth, tests)?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { RuleCondition::Or(all) })
    }

    fn all_rules(&mut self, depth: usize, tests: &mut usize) -> Parsed<RuleCondition> {
        let mut all = vec![self.one_rule(depth, tests)?];
        while self.eat_word("AND") {
            all.push(self.one_rule(depth, tests)?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { RuleCondition::And(all) })
    }

    fn one_rule(&mut self, depth: usize, tests: &mut usize) -> Parsed<RuleCondition> {
        *tests += 1;
        if depth > DEEPEST || *tests > MOST_TESTS {
            let message = format!("a rule has at most {MOST_TESTS} tests, {DEEPEST} deep");
            let span = self.peek().span;
            return Err(self.report(Code::ViewLimit, span, message, rules::LIMITS));
        }
        if self.eat_word("NOT") {
            return Ok(RuleCondition::Not(Box::new(self.one_rule(depth + 1, tests)?)));
        }
        if self.eat("(") {
            let inner = self.any_rule(depth + 1, tests)?;
            self.expect(")", Some(rules::VALIDATE))?;
            return Ok(inner);
        }
        if self.eat_word("json_exists") {
            return Ok(RuleCondition::Exists(self.rule_path()?.0));
        }
        let left = self.rule_value()?;
        self.rule_test(left, tests)
    }

    /// What a value is compared with.
    fn rule_test(&mut self, left: RuleValue, tests: &mut usize) -> Parsed<RuleCondition> {
        if self.eat_word("IS") {
            let negated = self.eat_word("NOT");
            self.expect_clause("NULL")?;
            return Ok(negate(negated, RuleCondition::IsNull(left)));
        }
        let negated = self.eat_word("NOT");
        if self.eat_word("IN") {
            self.expect("(", Some(rules::VALIDATE))?;
            let mut any = Vec::new();
            loop {
                *tests += 1;
                let right = self.rule_value()?;
                any.push(RuleCondition::Compare(Compare::Eq, left.clone(), right));
                if *tests > MOST_TESTS || !self.eat(",") {
                    break;
                }
            }
            self.expect(")", Some(rules::VALIDATE))?;
            return Ok(negate(negated, RuleCondition::Or(any)));
        }
        if self.eat_word("BETWEEN") {
            let low = self.rule_value()?;
            self.expect_clause("AND")?;
            let high = self.rule_value()?;
            let bounds = vec![
                RuleCondition::Compare(Compare::Gte, left.clone(), low),
                RuleCondition::Compare(Compare::Lte, left, high),
            ];
            return Ok(negate(negated, RuleCondition::And(bounds)));
        }
        let signs = [
            ("=", Compare::Eq),
            ("<>", Compare::Ne),
            ("!=", Compare::Ne),
            ("<=", Compare::Lte),
            (">=", Compare::Gte),
            ("<", Compare::Lt),
            (">", Compare::Gt),
        ];
        let found = signs.into_iter().find(|(sign, _)| self.is(sign)).filter(|_| !negated);
        let Some((_, compare)) = found else {
            return Err(self.unexpected("a comparison", Some(rules::VALIDATE)));
        };
        self.bump();
        Ok(RuleCondition::Compare(compare, left, self.rule_value()?))
    }

    fn rule_value(&mut self) -> Parsed<RuleValue> {
        if self.eat_word("json_value") {
            let (path, returned) = self.rule_path()?;
            return Ok(RuleValue::Inside(path, returned));
        }
        let negative = self.eat("-");
        let value = match &self.peek().kind {
            TokenKind::Number(text) => {
                let text = if negative { format!("-{text}") } else { text.clone() };
                Exact::parse(&text).map(|number| RuleValue::Number(number.to_string()))
            }
            _ if negative => None,
            TokenKind::Text { text, .. } => Some(RuleValue::Text(text.clone())),
            TokenKind::Word(word) => match &*word.to_ascii_lowercase() {
                "true" => Some(RuleValue::Bool(true)),
                "false" => Some(RuleValue::Bool(false)),
                "null" => Some(RuleValue::Null),
                _ => None,
            },
            _ => None,
        };
        let Some(value) = value else {
            return Err(self
                .unexpected("json_value(new.data, '$.path') or a literal", Some(rules::VALIDATE)));
        };
        self.bump();
        Ok(value)
    }

    /// `(new.data, '$.path' [RETURNING type])`
    fn rule_path(&mut self) -> Parsed<(RulePath, ReturnType)> {
        self.expect("(", Some(rules::VALIDATE))?;
        let old = match () {
            () if self.eat_word("new") => false,
            () if self.eat_word("old") => true,
            () => return Err(self.unexpected("new.data or old.data", Some(rules::VALIDATE))),
        };
        self.expect(".", Some(rules::VALIDATE))?;
        self.expect_clause("data")?;
        self.expect(",", Some(rules::VALIDATE))?;
        let token = self.peek().clone();
        let TokenKind::Text { text, .. } = &token.kind else {
            return Err(self.unexpected("a path in quotes", Some(rules::VALIDATE)));
        };
        let Ok(steps) = json_path::inside_json(text) else {
            let message = "a rule takes a path to one value, such as '$.a.b' or '$.a[0]'";
            return Err(self.report(Code::ViewPredicate, token.span, message, rules::VALIDATE));
        };
        self.bump();
        let returned = self.returned()?;
        self.expect(")", Some(rules::VALIDATE))?;
        Ok((RulePath { old, steps }, returned))
    }

    /// `RETURNING NUMBER`, `VARCHAR2[(n)]`, `CLOB` or `BOOLEAN`; text without it.
    fn returned(&mut self) -> Parsed<ReturnType> {
        if !self.eat_word("RETURNING") {
            return Ok(ReturnType::Text);
        }
        match () {
            () if self.eat_word("NUMBER") => Ok(ReturnType::Number),
            () if self.eat_word("BOOLEAN") => Ok(ReturnType::Boolean),
            () if self.eat_word("CLOB") => Ok(ReturnType::Text),
            () if self.eat_word("VARCHAR2") => {
                if self.eat("(") {
                    if matches!(self.peek().kind, TokenKind::Number(_)) {
                        self.bump();
                    }
                    self.expect(")", Some(rules::VALIDATE))?;
                }
                Ok(ReturnType::Text)
            }
            () => Err(self.unexpected("NUMBER, VARCHAR2, CLOB or BOOLEAN", Some(rules::VALIDATE))),
        }
    }

    /// The text between two places.
    fn text_of(&self, span: Span) -> String {
        self.text.get(span.start..span.end).unwrap_or_default().trim().to_owned()
    }
}

fn negate(negated: bool, condition: RuleCondition) -> RuleCondition {
    if negated { RuleCondition::Not(Box::new(condition)) } else { condition }
}
