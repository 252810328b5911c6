//! Text predicates: their operands, their description for explain, and the index kind that supports
//! them.
//!
//! `filter` parses and evaluates them (`search.rs`), `sql` prints them (`text_test.rs`).

use std::fmt;

use duet_text::lexemes::LexemeQuery;
use duet_text::text_query::TextQuery;

use super::native_test::NativeTest;
use crate::values::point::Area;
use crate::values::range::RangeRelation;

/// A text predicate with its operand.
#[derive(Clone, Debug, PartialEq)]
pub enum TextTest {
    /// The text contains this, case-sensitive.
    Contains(String),
    /// The regular expression, in the common syntax of both stores, matches in the text.
    Regex(String),
    /// The text satisfies this full-text query.
    Words(TextQuery),
    /// The text has these words, cut as PostgreSQL's configuration `simple` does: texts of documents.
    Lexemes(LexemeQuery),
    /// The text is similar to this one, by their trigrams.
    Similar(String),
    /// The range is so to this one, given in PostgreSQL's text format; for ranges of two members of a document as
    /// [`Range::parse`](crate::Range::parse) reads it.
    Range(RangeRelation, String),
    /// The point is in this box.
    InArea(Area),
    /// The value is so to this operand, by an operator of PostgreSQL; on no other store.
    Native(NativeTest, String),
}

/// The kind of index that supports a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextIndex {
    /// A substring (trigram) index.
    Parts,
    /// A full-text index.
    Words,
    /// A range index.
    Ranges,
    /// An index of trigrams of a collection's texts.
    Trigrams,
}

impl TextTest {
    /// The test of a regular expression, as [`regex_pattern`](duet_text::regex_pattern) prints it.
    pub fn matches(printed: String) -> Self {
        Self::Regex(printed)
    }

    /// The regular expression, if it is one.
    pub fn pattern(&self) -> Option<&str> {
        match self {
            Self::Regex(pattern) => Some(pattern),
            _ => None,
        }
    }

    /// Whether it compares the text with a pattern, place by place.
    pub fn matches_pattern(&self) -> bool {
        matches!(self, Self::Contains(_) | Self::Regex(_) | Self::Similar(_))
    }

    /// The kind of index that supports it.
    pub fn index(&self) -> TextIndex {
        match self {
            Self::Contains(_) | Self::Regex(_) => TextIndex::Parts,
            Self::Words(_) | Self::Lexemes(_) => TextIndex::Words,
            Self::Native(NativeTest::Words(..), _) => TextIndex::Words,
            Self::Native(NativeTest::AnyCaseRegex, _) => TextIndex::Parts,
            Self::Range(..) | Self::InArea(_) | Self::Native(..) => TextIndex::Ranges,
            Self::Similar(_) => TextIndex::Trigrams,
        }
    }
}

impl fmt::Display for TextTest {
    /// The description in an explained plan, after the field's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contains(text) => write!(f, "contains {text:?}"),
            Self::Regex(pattern) => write!(f, "matches {pattern:?}"),
            Self::Words(query) => write!(f, "has words {}", query.canonical()),
            Self::Lexemes(query) => write!(f, "has words {}", query.shown()),
            Self::Similar(text) => write!(f, "is similar to {text:?}"),
            Self::Range(RangeRelation::Overlaps, range) => write!(f, "overlaps {range:?}"),
            Self::Range(RangeRelation::Within, range) => write!(f, "is within {range:?}"),
            Self::Range(RangeRelation::Encloses, range) => write!(f, "encloses {range:?}"),
            Self::InArea(area) => write!(f, "is in {area}"),
            Self::Native(test, operand) => write!(f, "{} {operand:?}", test.operator()),
        }
    }
}
