//! How large a filter may be. Every limit is checked before the work that it bounds is done.

use duet_model::{Code, Error, Expr, JsonTest, TextTest, Value};

pub use crate::limit_table::Limits;
use crate::limit_table::{DEPTH, LimitRow, PATH, PATTERN, REGEX};
use crate::regex;

use duet_text::problem::fault;

/// Each value is a parameter of the statement; SQLite takes 32,766 and PostgreSQL 65,535 of them.
/// The maximum of the setting for the number of values in a filter.
const MOST_VALUES: usize = 30_000;

/// What a pattern counts at least, since PostgreSQL keeps 32 of them compiled.
const LEAST_REGEX: usize = 16;

impl Limits {
    /// The depth in force.
    pub(crate) fn effective_depth(&self) -> usize {
        DEPTH.of(self)
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

    /// Refuses more than a limit allows, at a place of the filter.
    pub(crate) fn check(&self, row: &LimitRow, count: usize, at: usize) -> Result<(), Error> {
        let most = row.of(self);
        if count <= most {
            return Ok(());
        }
        let LimitRow { counts, setting, .. } = row;
        let message =
            format!("The filter has {count} {counts}; the limit is {most} (`{setting}`).");
        Err(fault(Code::FilterLimit, at, message))
    }

    /// A condition or a term of an order, unless one of its patterns is too long or one of its paths too deep.
    pub(crate) fn checked(&self, expr: Expr, at: usize) -> Result<Expr, Error> {
        self.check_condition(&expr, at)?;
        Ok(expr)
    }

    fn check_condition(&self, expr: &Expr, at: usize) -> Result<(), Error> {
        let pattern = match expr {
            Expr::Like { pattern, .. } => match &**pattern {
                Expr::Operand(Value::Text(pattern), _) => pattern.as_str(),
                _ => "",
            },
            Expr::Search(_, TextTest::Contains(text) | TextTest::Similar(text))
            | Expr::Json(_, JsonTest::Like(text) | JsonTest::Contains(text)) => text,
            _ => "",
        };
        self.check(&PATTERN, pattern.chars().count(), at)?;
        if let Expr::Field(field)
        | Expr::Json(field, _)
        | Expr::Extracted(field, _)
        | Expr::AnyElement(field, _) = expr
        {
            self.check(&PATH, field.path.len(), at)?;
        }
        expr.parts().into_iter().try_for_each(|part| self.check_condition(part, at))
    }

    /// The form for both stores of a regular expression.
    pub(crate) fn check_regex(&self, pattern: &str, at: usize) -> Result<String, Error> {
        let length = pattern.chars().count();
        if length > self.effective_regex() {
            return Err(self.too_long(length, at));
        }
        let read = regex::read(pattern).map_err(|problem| {
            let regex::PatternError { at: place, message } = problem;
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
        REGEX.of(self)
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
