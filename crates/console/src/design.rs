//! The page that designs a duality view: its definition, the tree that it makes with a switch for each right, its mistakes
//! at their places, and the SQL of each level.

use askama::Template;

use crate::address::encoded;
use crate::page::{Frame, rendered};

/// A node of the tree: a table of the document.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Its number, by which switches name it.
    pub number: usize,
    /// How deep it is below the root.
    pub depth: usize,
    /// The member that holds it; the view's name for the root.
    pub member: String,
    /// The table.
    pub table: String,
    /// `one`, `many` or, of the root, nothing.
    pub cardinality: &'static str,
    /// The columns by which it is joined, in words; empty for the root.
    pub link: String,
    /// The members that are columns of it.
    pub members: Vec<String>,
    /// The rights, each with its name and whether it is given.
    pub rights: [(&'static str, bool); 3],
}

/// A view.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Its name.
    pub name: String,
    /// Its nodes, every parent before its children.
    pub nodes: Vec<Node>,
    /// The members that identify a document.
    pub key: Vec<String>,
    /// The statements of an item, each with what it reads.
    pub statements: Vec<(String, String)>,
    /// The definition in the GraphQL style.
    pub text: String,
}

/// A mistake.
#[derive(Clone, Debug, Default)]
pub struct Mistake {
    /// Its code.
    pub code: String,
    /// Where it begins and ends in the text, in UTF-16 units as browsers count.
    pub range: (usize, usize),
    /// The line and the column.
    pub place: (usize, usize),
    /// What is wrong, with the line and a mark below the place.
    pub text: String,
}

/// What a text has become.
#[derive(Clone, Debug, Default)]
pub struct Designed {
    /// The views; none where there is a mistake.
    pub views: Vec<View>,
    /// The mistakes.
    pub mistakes: Vec<Mistake>,
    /// The text after a switch was changed; none where it is as it was sent.
    pub changed: Option<String>,
    /// What could not be done.
    pub problem: Option<String>,
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "design.html")]
pub struct Design<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The path of the mount.
    pub mount: &'a str,
    /// The page itself.
    pub path: &'a str,
    /// The text.
    pub text: &'a str,
    /// Definitions that are served, by file.
    pub files: &'a [String],
    /// What it has become.
    pub designed: &'a Designed,
}

impl Design<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    fn encoded(&self, file: &str) -> String {
        encoded(file)
    }
}

/// The part of the page that follows the text as it is typed.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "designed.html")]
pub struct DesignedPart<'a> {
    /// What the text has become.
    pub designed: &'a Designed,
}

impl DesignedPart<'_> {
    /// The part.
    pub fn html(&self) -> String {
        rendered(self)
    }
}

/// A place in a text in UTF-16 units, as browsers count.
pub fn utf16(text: &str, byte: usize) -> usize {
    let end = text.floor_char_boundary(byte);
    text[..end].encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_browsers_do() {
        let text = "é😀x";
        assert_eq!([0, 2, 6, 7, 99].map(|byte| utf16(text, byte)), [0, 1, 3, 4, 4]);
    }

    #[test]
    fn names_are_no_markup() {
        let node = Node { table: "<b>".into(), rights: [("insert", true); 3], ..Node::default() };
        let view = View { name: "<i>".into(), nodes: vec![node], ..View::default() };
        let html =
            DesignedPart { designed: &Designed { views: vec![view], ..Designed::default() } }
                .html();
        assert!(!html.contains("<b>") && !html.contains("<i>"), "{html}");
        assert!(html.contains("aria-checked=\"true\""));
    }
}
