//! The normalized form of a query: one spelling for all that parse to the same tree.

use std::fmt::{self, Display, Formatter};

use super::lexer::ends_word;
use super::tree::{
    BOOLEANS, Boolean, Clause, ClauseChain, CqlRelation, CqlRelationKind, Modifier, Prefix, Query,
    SORT_BY, SortKey, Subject, Symbol,
};

impl Display for Query {
    /// One space between parts, operators and modifiers in lower case, quotes where they are needed.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        prefixes(&self.prefixes, f)?;
        self.scoped.fmt(f)?;
        if !self.sort.is_empty() {
            f.write_str(" sortBy")?;
        }
        for key in &self.sort {
            write!(f, " {key}")?;
        }
        Ok(())
    }
}

fn prefixes(prefixes: &[Prefix], f: &mut Formatter<'_>) -> fmt::Result {
    for Prefix { name, identifier, .. } in prefixes {
        match name {
            Some(name) => write!(f, "> {name} = {identifier} ")?,
            None => write!(f, "> {identifier} ")?,
        }
    }
    Ok(())
}

impl Display for ClauseChain {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        for (boolean, clause) in &self.rest {
            write!(f, " {boolean} {clause}")?;
        }
        Ok(())
    }
}

impl Display for Clause {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Search { subject: Some(subject), term } => write!(f, "{subject} {term}"),
            Self::Search { subject: None, term } => term.fmt(f),
            Self::Group { subject, prefixes: inner, scoped, .. } => {
                if let Some(subject) = subject {
                    write!(f, "{subject} ")?;
                }
                f.write_str("(")?;
                prefixes(inner, f)?;
                write!(f, "{scoped})")
            }
        }
    }
}

impl Display for Subject {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.index, self.relation)
    }
}

impl Display for CqlRelation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            CqlRelationKind::Sign(sign) => f.write_str(sign.as_str())?,
            CqlRelationKind::Named(name) => f.write_str(name)?,
        }
        modifiers(&self.modifiers, f)
    }
}

impl Display for Boolean {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name =
            BOOLEANS.iter().find(|(_, kind)| *kind == self.kind).map_or("", |(name, _)| name);
        f.write_str(name)?;
        modifiers(&self.modifiers, f)
    }
}

impl Display for SortKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.index.fmt(f)?;
        modifiers(&self.modifiers, f)
    }
}

fn modifiers(modifiers: &[Modifier], f: &mut Formatter<'_>) -> fmt::Result {
    for Modifier { name, value, at } in modifiers {
        write!(f, "/{}", Symbol { text: name.clone(), at: *at })?;
        if let Some((sign, value)) = value {
            write!(f, "{}{value}", sign.as_str())?;
        }
    }
    Ok(())
}

impl Display for Symbol {
    /// In quotes unless it is a single word that means nothing else.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_keyword = |word: &&str| self.text.eq_ignore_ascii_case(word);
        let mut keywords = BOOLEANS.iter().map(|(name, _)| *name).chain([SORT_BY]);
        let needs_quotes = self.text.is_empty()
            || self.text.contains(|char| ends_word(char) || char == '"')
            || keywords.any(|keyword| is_keyword(&keyword));
        if needs_quotes {
            write!(f, "\"{}\"", self.text.replace('"', "\\\""))
        } else {
            f.write_str(&self.text)
        }
    }
}
