//! A field, a relation and a term, as RMB means them.

use duet_model::{Code, Error, Expr, Result};
use duet_text::problem::fault;

use super::super::condition::Meaning;
use super::super::tree::Symbol;
use super::modifiers::Modifiers;
use super::target::{ComparedText, SearchedBy, SearchedValue};
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

    /// The text that a relation compares, and how.
    ///
    /// # Errors
    /// Where the declaration has SQL of its own that is not taken.
    pub(super) fn compared(&self, by: SearchedBy) -> Result<ComparedText<'_>> {
        let compared = self.target.compared_by(by);
        match compared.refused {
            Some(why) => {
                let hint = "The report of `duet import rmb` and the notes of `duet check` name all such indexes.";
                Err(self.refused(format!("It cannot be searched: {why}."), hint))
            }
            None => Ok(compared),
        }
    }

    pub(super) fn refused(&self, message: String, hint: &str) -> Error {
        fault(Code::FilterUnsupported, self.at, message).hint(hint)
    }
}
