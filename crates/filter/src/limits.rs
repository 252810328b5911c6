//! How large a filter may be. Every limit is checked before the work that it bounds is done.

use duet_model::{Code, Error, Expr, JsonTest, TextTest};

use crate::regex;

use duet_model::problem::fault;

/// Nesting is read by recursion; no setting lifts the limit above this.
const DEEPEST: usize = 128;

/// Each value is a parameter of the statement; SQLite takes 32,766 and PostgreSQL 65,535 of them.
/// The maximum of the setting for the number of values in a filter.
const MOST_VALUES: usize = 30_000;

/// PostgreSQL's time to compile a pattern grows with the third power of its size.
const LONGEST_REGEX: usize = 1_000;

/// What a pattern counts at least, since PostgreSQL keeps 32 of them compiled.
const LEAST_REGEX: usize = 16;

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
    /// Characters of all `$regex` patterns together, bounded repetitions written out; 256 by default,
    /// never more than 1,000.
    pub regex: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 1024 * 1024, depth: 32, nodes: 1_000, list: 10_000, regex: 256 }
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

    /// The form for both stores of a regular expression.
    pub(crate) fn check_regex(&self, pattern: &str, at: usize) -> Result<String, Error> {
        let length = pattern.chars().count();
        if length > self.effective_regex() {
            return Err(self.too_long(length, at));
        }
        let read = regex::read(pattern).map_err(|problem| {
            let regex::Problem { at: place, message } = problem;
            let message = format!("The pattern is wrong at its character {place}: {message}.");
            fault(Code::FilterOperand, at, message)
        })?;
        if read.size > self.effective_regex() {
            return Err(self.too_long(read.size, at));
        }
        Ok(read.printed)
    }

    /// Refuses more words in a query of full text than a filter may have conditions.
    pub(crate) fn check_words(&self, words: usize, at: usize) -> Result<(), Error> {
        if words <= self.nodes {
            return Ok(());
        }
        let message = format!("The search has {words} words; the limit is {} words.", self.nodes);
        Err(fault(Code::FilterLimit, at, message))
    }

    /// Refuses more regular expressions than the limit allows in all.
    pub(crate) fn check_regexes(&self, expr: &Expr) -> Result<(), Error> {
        let total = regexes(expr);
        // A single one has been checked.
        if total <= self.effective_regex().max(LEAST_REGEX) {
            return Ok(());
        }
        Err(self.too_long(total, 0))
    }

    fn effective_regex(&self) -> usize {
        self.regex.min(LONGEST_REGEX)
    }

    fn too_long(&self, length: usize, at: usize) -> Error {
        let message = format!(
            "The patterns of `$regex` have {length} characters, repetitions written out and each \
             pattern counted as {LEAST_REGEX} at least; the limit is {} in a filter.",
            self.effective_regex()
        );
        fault(Code::FilterLimit, at, message)
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

/// Counts conditions, operators and terms against their limit.
#[derive(Debug)]
pub(crate) struct Counter {
    most: usize,
    counted: usize,
}

impl Counter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { most: limits.nodes, counted: 0 }
    }

    /// Counts the one at this place.
    pub(crate) fn count(&mut self, at: usize) -> Result<(), Error> {
        self.counted += 1;
        if self.counted <= self.most {
            return Ok(());
        }
        let message =
            format!("The filter has more than {} conditions, which is the limit.", self.most);
        Err(fault(Code::FilterLimit, at, message))
    }
}

/// How many values an expression holds.
fn values(expr: &Expr) -> usize {
    let own = match expr {
        Expr::Operand(..) | Expr::Search(..) => 1,
        // All operands of it are one parameter.
        Expr::Json(..) => 1,
        _ => 0,
    };
    expr.parts().into_iter().map(values).sum::<usize>() + own
}

/// The size of all regular expressions; a pattern that has been read reads back as itself.
fn regexes(expr: &Expr) -> usize {
    let own = match expr {
        Expr::Search(_, TextTest::Regex(pattern)) | Expr::Json(_, JsonTest::Regex(pattern)) => {
            regex::read(pattern).map_or(0, |read| read.size).max(LEAST_REGEX)
        }
        _ => 0,
    };
    expr.parts().into_iter().fold(own, |sum, part| sum.saturating_add(regexes(part)))
}
