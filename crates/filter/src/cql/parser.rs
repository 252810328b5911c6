//! The grammar of CQL: text to a syntax tree.
//!
//! Recursion is bounded by the depth of groups, which is checked before each of them.

use duet_model::{Code, Error, Result};
use duet_text::problem::{fault, quoted};

use super::lexer::{Kind, Lexer, Token};
use super::sign::Sign;
use super::tree::{
    At, BOOLEANS, Boolean, BooleanKind, Clause, ClauseChain, CqlRelation, CqlRelationKind,
    Modifier, NAMED_RELATIONS, Prefix, Query, RelationName, SORT_BY, SortKey, Subject, Symbol,
};
use crate::limits::{Counter, Limits};

/// Reads a whole query.
///
/// # Errors
/// [`Code::CqlSyntax`], [`Code::FilterLimit`] or [`Code::NulCharacter`], with the byte position.
pub fn read(text: &str, limits: &Limits) -> Result<Query> {
    limits.check_bytes(text)?;
    let mut lexer = Lexer::new(text)?;
    let token = lexer.next()?;
    let counter = Counter::new(limits);
    let mut parser = Parser { lexer, token, counter, depth: 0, deepest: limits.effective_depth() };
    let prefixes = parser.prefixes()?;
    let scoped = parser.scoped()?;
    let sort = parser.sort()?;
    match parser.token.kind {
        Kind::End => Ok(Query { prefixes, scoped, sort }),
        Kind::Close => Err(parser.fault("This `)` closes no group.")),
        _ => Err(parser.unexpected("`and`, `or`, `not`, `sortBy` or the end of the query")),
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The next token.
    token: Token,
    counter: Counter,
    /// The number of open groups.
    depth: usize,
    deepest: usize,
}

impl Parser<'_> {
    fn advance(&mut self) -> Result<Token> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    /// The unquoted word that is next.
    fn word(&self) -> Option<&str> {
        match &self.token.kind {
            Kind::Word(symbol) => Some(&symbol.text),
            _ => None,
        }
    }

    fn is_sort_by(&self) -> bool {
        self.word().is_some_and(|word| word.eq_ignore_ascii_case(SORT_BY))
    }

    fn boolean_kind(&self) -> Option<BooleanKind> {
        let word = self.word()?;
        BOOLEANS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, kind)| *kind)
    }

    /// The relation that is next.
    fn relation_kind(&self) -> Option<CqlRelationKind> {
        if let Kind::Sign(sign) = self.token.kind {
            return Some(CqlRelationKind::Sign(sign));
        }
        let word = self.word()?;
        let named = NAMED_RELATIONS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
        match named {
            Some((_, RelationName::Same(sign))) => Some(CqlRelationKind::Sign(*sign)),
            None if !word.contains('.') => None,
            _ => Some(CqlRelationKind::Named(word.to_lowercase())),
        }
    }

    /// A word or string; `expected` describes it in errors.
    fn symbol(&mut self, expected: &str) -> Result<Symbol> {
        if !matches!(self.token.kind, Kind::Word(_) | Kind::Text(_)) {
            return Err(self.unexpected(expected));
        }
        match self.advance()?.kind {
            Kind::Word(symbol) | Kind::Text(symbol) => Ok(symbol),
            _ => Err(Error::internal("a symbol that is none")),
        }
    }

    fn prefixes(&mut self) -> Result<Vec<Prefix>> {
        let mut prefixes = Vec::new();
        while self.token.kind == Kind::Sign(Sign::Greater) {
            let at = At(self.advance()?.at);
            self.counter.count(at.0)?;
            let mut identifier = self.symbol("a prefix or the identifier of a context set")?;
            let mut name = None;
            if self.token.kind == Kind::Sign(Sign::Equal) {
                self.advance()?;
                let behind = self.symbol("the identifier of a context set")?;
                name = Some(std::mem::replace(&mut identifier, behind));
            }
            prefixes.push(Prefix { name, identifier, at });
        }
        Ok(prefixes)
    }

    fn scoped(&mut self) -> Result<ClauseChain> {
        let first = self.clause()?;
        let mut rest = Vec::new();
        while let Some(kind) = self.boolean_kind() {
            let at = At(self.advance()?.at);
            let modifiers = self.modifiers()?;
            rest.push((Boolean { kind, modifiers, at }, self.clause()?));
        }
        Ok(ClauseChain { first, rest })
    }

    fn clause(&mut self) -> Result<Clause> {
        self.counter.count(self.token.at)?;
        if self.token.kind == Kind::Open {
            return self.group(None);
        }
        let leads_with_boolean = self.boolean_kind();
        let first = self.symbol("an index, a term or `(`")?;
        let Some(kind) = self.relation_kind() else {
            let term = self.term(first, leads_with_boolean)?;
            return Ok(Clause::Search { subject: None, term });
        };
        let at = At(self.advance()?.at);
        let relation = CqlRelation { kind, modifiers: self.modifiers()?, at };
        let subject = Some(Subject { index: first, relation });
        if self.token.kind == Kind::Open {
            return self.group(subject);
        }
        let first = self.symbol("a term or `(`")?;
        let term = self.term(first, None)?;
        Ok(Clause::Search { subject, term })
    }

    /// The rest of a term behind its first word.
    fn term(&mut self, first: Symbol, leads_with: Option<BooleanKind>) -> Result<Symbol> {
        let mut term = first;
        let mut words = 1;
        loop {
            if self.boolean_kind().is_some() || self.is_sort_by() {
                return Ok(term);
            }
            if self.relation_kind().is_some() {
                return Err(self.misplaced_relation(&term, words, leads_with));
            }
            match &self.token.kind {
                Kind::Word(symbol) | Kind::Text(symbol) => {
                    term.text.push(' ');
                    term.text.push_str(&symbol.text);
                }
                _ => return Ok(term),
            }
            words += 1;
            self.advance()?;
        }
    }

    fn misplaced_relation(
        &self,
        term: &Symbol,
        words: usize,
        leads_with: Option<BooleanKind>,
    ) -> Error {
        let error = self.fault("A relation is not possible here: a term comes before it.");
        match leads_with {
            Some(_) if words > 1 => fault(
                Code::CqlSyntax,
                term.at.0,
                "A query does not begin with `and`, `or`, `not` or `prox`: each joins two conditions.",
            )
            .hint("To find all that a condition does not hold for, write cql.allRecords=1 not (…)."),
            _ => error.hint(
                "Put terms that contain a relation or a word with a dot into quotes, as in \
                 title = \"foo a.b\"; join conditions with `and` or `or`.",
            ),
        }
    }

    fn group(&mut self, subject: Option<Subject>) -> Result<Clause> {
        let at = At(self.advance()?.at);
        self.depth += 1;
        if self.depth > self.deepest {
            let message = format!("Groups are nested deeper than {} levels.", self.deepest);
            return Err(fault(Code::FilterLimit, at.0, message));
        }
        let prefixes = self.prefixes()?;
        let scoped = Box::new(self.scoped()?);
        if self.is_sort_by() {
            let error = self.fault("`sortBy` is not possible in a group.");
            return Err(error.hint("It is the last part of the query, behind all groups."));
        }
        if self.token.kind != Kind::Close {
            return Err(self.unexpected("`)`, `and`, `or` or `not`"));
        }
        self.advance()?;
        self.depth -= 1;
        Ok(Clause::Group { subject, prefixes, scoped, at })
    }

    fn modifiers(&mut self) -> Result<Vec<Modifier>> {
        let mut modifiers = Vec::new();
        while self.token.kind == Kind::Slash {
            self.advance()?;
            self.counter.count(self.token.at)?;
            let name = self.symbol("the name of a modifier")?;
            let mut value = None;
            if let Kind::Sign(sign) = self.token.kind {
                self.advance()?;
                value = Some((sign, self.symbol("the value of the modifier")?));
            }
            modifiers.push(Modifier { name: name.text.to_lowercase(), value, at: name.at });
        }
        Ok(modifiers)
    }

    fn sort(&mut self) -> Result<Vec<SortKey>> {
        let mut keys = Vec::new();
        if !self.is_sort_by() {
            return Ok(keys);
        }
        self.advance()?;
        loop {
            self.counter.count(self.token.at)?;
            let index = self.symbol("an index to sort by")?;
            keys.push(SortKey { index, modifiers: self.modifiers()? });
            if self.token.kind == Kind::End {
                return Ok(keys);
            }
        }
    }

    fn unexpected(&self, expected: &str) -> Error {
        let found = match &self.token.kind {
            Kind::End => "the query ends".to_owned(),
            Kind::Word(symbol) | Kind::Text(symbol) => format!("{} follows", quoted(&symbol.text)),
            Kind::Sign(sign) => format!("`{}` follows", sign.as_str()),
            Kind::Open => "`(` follows".to_owned(),
            Kind::Close => "`)` follows".to_owned(),
            Kind::Slash => "`/` follows".to_owned(),
        };
        self.fault(&format!("Expected {expected}, but {found}."))
    }

    fn fault(&self, message: &str) -> Error {
        fault(Code::CqlSyntax, self.token.at, message)
    }
}
