//! The first page: applications, their mounts, and what is served below these.

use askama::Template;

use crate::page::{Frame, rendered};

/// A mount and its resources.
#[derive(Clone, Debug, Default)]
pub struct Mount {
    /// The application's name.
    pub application: String,
    /// Its path.
    pub path: String,
    /// What is served below it.
    pub resources: Vec<Resource>,
}

/// Something that is served.
#[derive(Clone, Debug, Default)]
pub struct Resource {
    /// Its name.
    pub name: String,
    /// What it is, such as `table` or `duality view`.
    pub kind: String,
    /// What the caller may do with it, as words.
    pub operations: String,
    /// Its page; none for what has no rows.
    pub href: Option<String>,
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "tree.html")]
pub struct Tree<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The mounts of which the caller may see something.
    pub mounts: &'a [Mount],
}

impl Tree<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }
}
