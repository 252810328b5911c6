//! A field, a relation and a term, as RMB means them.

use duet_model::{Code, Error, Expr};
use duet_text::problem::fault;

use super::super::condition::Meaning;
use super::super::tree::Symbol;
use super::modifiers::Modifiers;
use super::target::SearchedValue;
use crate::limits::Limits;

/// A field, a relation and a term.
pub(super) struct FieldSearch<'a> {
    pub(super) target: SearchedValue<'a>,
    /// Whether there is a document that the field belongs to.
    pub(super) row_exists: &'a Expr,
    pub(super) meaning: Meaning,
    /// Whether the relation is a sign, and not the name of one.
    pub(super) is_sign: bool,
    pub(super) modifiers: Modifiers<'a>,
    pub(super) term: &'a Symbol,
    pub(super) limits: &'a Limits,
    /// Where the relation is.
    pub(super) at: usize,
}

impl FieldSearch<'_> {
    /// Whether words are looked for.
    pub(super) fn is_words(&self) -> bool {
        matches!(self.meaning, Meaning::Phrase | Meaning::All | Meaning::Any)
    }

    pub(super) fn refused(&self, message: String, hint: &str) -> Error {
        fault(Code::FilterUnsupported, self.at, message).hint(hint)
    }
}
