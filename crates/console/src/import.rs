//! The page that takes rows from a file or a spreadsheet: which column is which member, a dry run, and the load.

use askama::Template;

use crate::page::{Frame, Problem, rendered};

/// A column of what was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Its name there.
    pub name: String,
    /// The member that it is taken for; none where it is left out.
    pub member: Option<String>,
    /// Its first values.
    pub values: Vec<String>,
}

/// The member that a column is taken for at first: the one with the same name, whatever case and signs it is written with.
///
/// ```
/// use duet_console::import::member_for;
/// let members = ["driver_id".to_owned(), "name".to_owned()];
/// assert_eq!(member_for("Driver ID", &members), Some("driver_id"));
/// assert_eq!(member_for("team", &members), None);
/// ```
pub fn member_for<'m>(column: &str, members: &'m [String]) -> Option<&'m str> {
    let plain = |text: &str| -> String {
        text.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let exact = members.iter().find(|member| *member == column);
    let close = || members.iter().find(|member| plain(member) == plain(column));
    exact.or_else(close).map(String::as_str)
}

/// A row that was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// Where it is: a line of a text, or the number of an element.
    pub place: String,
    /// The member at fault; empty for the whole row.
    pub member: String,
    /// What is wrong.
    pub message: String,
    /// The permanent code.
    pub code: String,
}

/// What a dry run or a load has said.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Whether nothing was to stay.
    pub dry_run: bool,
    /// Rows that were read.
    pub read: u64,
    /// Rows that stay, or would.
    pub taken: u64,
    /// Rows that were refused.
    pub refused: u64,
    /// The first of them.
    pub listed: Vec<Refused>,
    /// Why it ended before the last row.
    pub stopped: Option<String>,
}

/// What was given, and what has become of it.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// What it was read as, in words.
    pub form: String,
    /// How many rows there are.
    pub rows: usize,
    /// Its columns.
    pub columns: Vec<Column>,
    /// The members of the resource.
    pub members: Vec<String>,
    /// What the last run has said.
    pub report: Option<Report>,
    /// Why there is nothing to see.
    pub problem: Option<Problem>,
}

/// What the page shows below its form.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "import_found.html")]
pub struct ImportFound<'a> {
    /// The console's path, for links into the manual.
    pub base: &'a str,
    /// What it shows.
    pub found: &'a Found,
}

impl ImportFound<'_> {
    /// The part of the page.
    pub fn html(&self) -> String {
        rendered(self)
    }
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "import.html")]
pub struct Import<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The resource's name, and the page of its rows.
    pub resource: (&'a str, &'a str),
    /// Whether rows may replace those of the same key.
    pub may_replace: bool,
    /// The same for files that are too large for a page, in a shell.
    pub curl: &'a str,
}

impl Import<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }
}
