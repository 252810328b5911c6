//! Why a journal cannot be used, until the operator has done something.

use duet_model::{Code, Error};

/// Why a journal cannot be used, until the operator has done something.
#[derive(Clone, Debug)]
pub struct Breakage {
    /// `missing` or `damaged`.
    pub word: &'static str,
    /// What is wrong, without the place of its folder.
    pub reason: String,
    /// The answer to requests.
    pub(crate) error: Error,
}

impl Breakage {
    /// That of an error, if it is about the files of the journal.
    pub(crate) fn of(error: &Error) -> Option<Self> {
        let word = match error.code {
            Code::JournalMissing => "missing",
            Code::JournalUnavailable => "damaged",
            _ => return None,
        };
        let reason = error.cause.as_deref().unwrap_or(&error.message).to_owned();
        Some(Self { word, reason, error: error.clone() })
    }
}
