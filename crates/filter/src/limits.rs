//! How large a filter may be. Every limit is checked before the work that it bounds is done.

use duet_model::{Code, Error, Expr};

use duet_model::problem::fault;

/// Nesting is read by recursion; no setting lifts the limit above this.
const DEEPEST: usize = 128;

/// Each value is a parameter of the statement; SQLite takes 32,766 and PostgreSQL 65,535 of them.
/// No setting lifts the number of values of a whole filter above this.
const MOST_VALUES: usize = 30_000;

/// The limits of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Length of the text in bytes; 1 MiB by default.
    pub bytes: usize,
    /// Objects and arrays inside each other, the outermost included; 32 by default, never more
    /// than 128.
    pub depth: usize,
    /// Conditions, logical operators and terms of the order together; 1,000 by default.
    pub nodes: usize,
    /// Values in one `$in` or `$nin`; 10,000 by default.
    pub list: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 1024 * 1024, depth: 32, nodes: 1_000, list: 10_000 }
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

    /// Refuses a filter with more values, in all of its lists and comparisons, than a statement
    /// can carry.
    pub(crate) fn check_values(expr: &Expr) -> Result<(), Error> {
        let values = values(expr);
        if values <= MOST_VALUES {
            return Ok(());
        }
        let message =
            format!("The filter has {values} values in all; the limit is {MOST_VALUES} values.");
        Err(fault(Code::FilterLimit, 0, message))
    }
}

/// How many values an expression holds.
fn values(expr: &Expr) -> usize {
    match expr {
        Expr::And(members) | Expr::Or(members) => members.iter().map(values).sum(),
        Expr::Not(inner) => values(inner),
        Expr::In(_, list) => list.len(),
        Expr::Between(_, low, high) => usize::from(low.is_some()) + usize::from(high.is_some()),
        Expr::Compare(..) | Expr::Contains(..) | Expr::Like { .. } => 1,
        Expr::IsNull(_) => 0,
        // All operands of it are one parameter.
        Expr::Json(..) => 1,
    }
}
