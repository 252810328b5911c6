//! CSV data sets: a row of a file for each iteration of a thread.

use super::line::fields;
use super::template::Template;

/// A data set as a plan declares it.
#[derive(Clone, Debug)]
pub(super) struct DataSet {
    pub(super) file: Template,
    pub(super) names: Vec<String>,
    pub(super) delimiter: char,
    pub(super) skips_first: bool,
    pub(super) recycles: bool,
    pub(super) stops_thread: bool,
    pub(super) quoted: bool,
    /// Whether each thread reads the file from its beginning.
    pub(super) by_thread: bool,
    pub(super) line: usize,
}

/// The rows of a data set, and the one that is next.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    pub(super) next: usize,
}

impl DataSet {
    /// The rows in a text.
    pub(super) fn rows(&self, text: &str) -> Rows {
        let lines = text.lines().filter(|line| !line.is_empty());
        let mut rows: Vec<_> =
            lines.map(|line| fields(line, self.delimiter, self.quoted)).collect();
        let mut names = self.names.clone();
        if names.is_empty() && !rows.is_empty() {
            names = rows.remove(0);
        } else if self.skips_first && !rows.is_empty() {
            rows.remove(0);
        }
        Rows { names, rows, next: 0 }
    }

    /// The next row; `None` where there is none and the thread stops.
    pub(super) fn next(&self, rows: &mut Rows) -> Option<Vec<(String, String)>> {
        if rows.next >= rows.rows.len() {
            if !self.recycles {
                let end = |name: &String| (name.clone(), "<EOF>".to_owned());
                return (!self.stops_thread).then(|| rows.names.iter().map(end).collect());
            }
            rows.next = 0;
        }
        let row = rows.rows.get(rows.next)?;
        rows.next += 1;
        let value =
            |(at, name): (usize, &String)| (name.clone(), row.get(at).cloned().unwrap_or_default());
        Some(rows.names.iter().enumerate().map(value).collect())
    }
}
