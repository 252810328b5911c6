//! The page of a resource's rows.

use askama::Template;

use crate::cell::Cell;
use crate::filter::OPERATORS;
use crate::page::{Frame, Problem, rendered};

/// A column of the grid.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// The member that it shows.
    pub name: String,
    /// `ascending`, `descending` or `none`, as browsers tell people who do not see it.
    pub sort: &'static str,
    /// The same rows in the next order of this column; none for what cannot be ordered by.
    pub sort_href: Option<String>,
    /// The same rows without it.
    pub hide_href: String,
    /// Whether it is a member of the rows themselves, and not a row that they refer to.
    pub is_own: bool,
}

/// A row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Its page.
    pub href: Option<String>,
    /// Its values, a cell for each column.
    pub cells: Vec<Cell>,
}

/// A condition that is in force.
#[derive(Clone, Debug, Default)]
pub struct Term {
    /// In words.
    pub words: String,
    /// The rows without it.
    pub without: String,
}

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The resource's name.
    pub resource: String,
    /// What it is.
    pub kind: String,
    /// The page itself, without its query.
    pub path: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Columns that are hidden, each with the page that shows it again.
    pub hidden: Vec<(String, String)>,
    /// Which of all columns these are, in words, with the pages of those before and behind; none where all are shown.
    pub part: Option<(String, [Option<String>; 2])>,
    /// The number of the first column that is shown, of all that are not hidden.
    pub columns_from: usize,
    /// Its rows.
    pub rows: Vec<Row>,
    /// The conditions in force.
    pub terms: Vec<Term>,
    /// The names of all columns, for the form.
    pub choices: Vec<String>,
    /// The filter's text.
    pub q: String,
    /// The hidden columns, as the address has them.
    pub hide: String,
    /// How many rows there are, in words; empty where that was not asked for.
    pub total: String,
    /// The page that counts them.
    pub count_href: String,
    /// The first page; none on the first one.
    pub first: Option<String>,
    /// The page behind this one.
    pub next: Option<String>,
    /// Whether cells may be changed in place.
    pub may_edit: bool,
    /// The page that starts a load test; none for callers who may not.
    pub measure_href: Option<String>,
    /// The page for a new item; none where the caller may make none.
    pub new_href: Option<String>,
    /// The same rows as CSV and NDJSON, by the API.
    pub exports: Vec<(String, String)>,
    /// The same rows as files: the form in words, and the address.
    pub files: Vec<(String, String)>,
    /// The page of its operations.
    pub api_href: String,
    /// The page that explains the request of this page.
    pub explain_href: String,
    /// The page that takes rows from a file or a spreadsheet; none where the caller may make none.
    pub import_href: Option<String>,
    /// The request that has given the rows, for a shell.
    pub curl: String,
    /// The filter as CQL, and the request with it; none where it cannot be written so.
    pub cql: Option<(String, String)>,
    /// Why there are none.
    pub problem: Option<Problem>,
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "grid.html")]
pub struct Grid<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// What it shows.
    pub rows: &'a Rows,
}

impl Grid<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    fn operators(&self) -> &'static [(&'static str, &'static str, bool)] {
        &OPERATORS
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::page::Section;

    #[test]
    fn hostile_names_and_values_are_text() {
        let evil = "<img src=x onerror=alert(1)>\"'";
        let rows = Rows {
            resource: evil.to_owned(),
            columns: vec![Column { name: evil.to_owned(), sort: "none", ..Column::default() }],
            rows: vec![Row { href: None, cells: vec![Cell::of(Some(&json!(evil)))] }],
            choices: vec![evil.to_owned()],
            q: evil.to_owned(),
            curl: evil.to_owned(),
            ..Rows::default()
        };
        let frame = Frame {
            base: "/console",
            title: evil,
            section: Section::Data,
            client: Some(evil),
            is_admin: true,
            csrf: evil,
        };
        let html = Grid { frame, rows: &rows }.html();
        assert!(html.contains("role=\"grid\"") && !html.contains("<img"), "{html}");
        assert!(!html.contains("x onerror=alert(1)>\""), "{html}");
    }
}
