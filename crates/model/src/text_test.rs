//! Tests of a text that are one predicate in SQL: their operands, the words that explain them, and the kind of index
//! that serves them.
//!
//! `filter` reads and evaluates them (`search.rs`), `sql` prints them (`text_test.rs`).

use std::fmt;

use crate::text_query::TextQuery;

/// A test with its operand.
#[derive(Clone, Debug, PartialEq)]
pub enum TextTest {
    /// The text contains this, case-sensitive.
    Contains(String),
    /// A part of the text matches this regular expression, in the form for both stores.
    Regex(String),
    /// The words of the text satisfy this query.
    Words(TextQuery),
    /// The range has a point in common with this one, in PostgreSQL's text form.
    Overlaps(String),
}

/// The kind of index that can serve a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextIndex {
    /// One of parts of the text.
    Parts,
    /// One of words.
    Words,
    /// One of ranges.
    Ranges,
}

impl TextTest {
    /// The kind of index that can serve it.
    pub fn index(&self) -> TextIndex {
        match self {
            Self::Contains(_) | Self::Regex(_) => TextIndex::Parts,
            Self::Words(_) => TextIndex::Words,
            Self::Overlaps(_) => TextIndex::Ranges,
        }
    }
}

impl fmt::Display for TextTest {
    /// The words that follow the text's name where a plan is explained.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contains(text) => write!(f, "contains {text:?}"),
            Self::Regex(pattern) => write!(f, "matches {pattern:?}"),
            Self::Words(query) => write!(f, "has words {}", query.canonical()),
            Self::Overlaps(range) => write!(f, "overlaps {range:?}"),
        }
    }
}
