//! What became of a line of a module: whether it is taken, and why not.

use std::fmt;

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineOutcome {
    /// It means here what it means there.
    Taken,
    /// Searches and writes mean the same, by other means.
    Otherwise,
    /// It is left out, and requests can notice.
    Refused,
}

impl LineOutcome {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Otherwise => "taken otherwise",
            Self::Refused => "refused",
        }
    }
}

/// A line of a file of RMB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RmbLine {
    /// Where it is in the file: the JSON pointer of a part of `schema.json`, or the byte of a statement of SQL.
    pub place: LinePlace,
    /// What it declares, such as ``index of `title` ``.
    pub what: String,
    /// What became of it.
    pub outcome: LineOutcome,
    /// Why; empty for what is taken.
    pub why: String,
}

/// Where a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinePlace {
    /// In `schema.json`, by its JSON pointer.
    Pointer(String),
    /// In a file of SQL, by its name and the line from 1.
    Sql(String, usize),
}

impl fmt::Display for RmbLine {
    /// What it is and why, as a note.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let LinePlace::Sql(file, line) = &self.place {
            write!(f, "{file}:{line}: ")?;
        }
        write!(f, "{}: {}", self.what, self.why)
    }
}
