//! How large a filter may be. Every limit is checked before the work that it bounds is done.

use duet_model::{Code, Error};

use duet_model::problem::fault;

/// Nesting is read by recursion; no setting lifts the limit above this.
const DEEPEST: usize = 128;

/// The limits of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Length of the text in bytes; 64 KiB by default.
    pub bytes: usize,
    /// Objects and arrays inside each other, the outermost included; 32 by default, never more
    /// than 128.
    pub depth: usize,
    /// Conditions, logical operators and terms of the order together; 1,000 by default.
    pub nodes: usize,
    /// Values in one `$in` or `$nin`; 1,000 by default.
    pub list: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 64 * 1024, depth: 32, nodes: 1_000, list: 1_000 }
    }
}

impl Limits {
    /// The depth in force.
    pub(crate) fn effective_depth(&self) -> usize {
        self.depth.min(DEEPEST)
    }

    pub(crate) fn check_bytes(&self, text: &str) -> Result<(), Error> {
        if text.len() <= self.bytes {
            return Ok(());
        }
        let message =
            format!("The filter has {} bytes; the limit is {} bytes.", text.len(), self.bytes);
        Err(fault(Code::FilterLimit, self.bytes, message))
    }

    pub(crate) fn check_list(&self, length: usize, at: usize) -> Result<(), Error> {
        if length <= self.list {
            return Ok(());
        }
        let message = format!("The list has {length} values; the limit is {} values.", self.list);
        Err(fault(Code::FilterLimit, at, message))
    }
}
