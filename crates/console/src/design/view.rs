//! The page that designs a duality view: its definition, the tree that it makes with a switch for each right, its mistakes
//! at their places, the SQL of each level, documents as they are now, and what a write would do.

use askama::Template;
use serde_json::Value;

use super::diagram::Diagram;
use crate::address::encoded;
use crate::page::{Frame, Problem, rendered};

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
    /// Its first documents.
    pub samples: Vec<Sample>,
    /// Why there are none.
    pub problem: Option<Problem>,
}

/// A document of a view as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Its key as it is encoded in addresses; empty without one.
    pub key: String,
    /// The document.
    pub json: String,
    /// Whether the rest of it is left out.
    pub is_cut: bool,
}

/// A write to try.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempt {
    /// The view.
    pub view: String,
    /// `POST`, `PUT` or `DELETE`.
    pub method: String,
    /// The key of the document.
    pub key: String,
    /// The document.
    pub document: String,
}

/// What a write would have done.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Its row operations, in order.
    pub operations: Vec<RowOperation>,
    /// Why it is refused.
    pub problem: Option<Problem>,
    /// What is wrong with members, each by its pointer.
    pub members: Vec<(String, String)>,
}

/// An operation on a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowOperation {
    /// Such as `insert`.
    pub action: String,
    /// The table.
    pub table: String,
    /// The place in the document.
    pub pointer: String,
    /// The row's key.
    pub key: Vec<(String, String)>,
    /// The columns with their new values.
    pub set: Vec<(String, String)>,
    /// Why the view does not allow it.
    pub refused: Option<String>,
}

impl Trial {
    /// Reads the plan of a write as the API answers it.
    ///
    /// ```
    /// use duet_console::design::Trial;
    /// let plan = serde_json::json!({ "operations": [{ "operation": "update", "table": "team", "pointer": "",
    ///     "key": { "id": 1 }, "set": { "name": "Reds", "budget": { "default": true } } }] });
    /// let trial = Trial::of(&plan);
    /// assert_eq!(trial.operations[0].key, [("id".to_owned(), "1".to_owned())]);
    /// assert_eq!(trial.operations[0].set[1].1, "its default");
    /// ```
    pub fn of(plan: &Value) -> Self {
        let operations = plan["operations"].as_array().into_iter().flatten();
        Self { operations: operations.map(RowOperation::of).collect(), ..Self::default() }
    }

    fn is_refused(&self) -> bool {
        self.operations.iter().any(|it| it.refused.is_some())
    }
}

impl RowOperation {
    fn of(it: &Value) -> Self {
        let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
        let columns = |name: &str| {
            let columns = it[name].as_object().into_iter().flatten();
            columns.map(|(name, value)| (name.clone(), operand(value))).collect()
        };
        Self {
            action: text("operation"),
            table: text("table"),
            pointer: text("pointer"),
            key: columns("key"),
            set: columns("set"),
            refused: it["error"]["message"].as_str().map(str::to_owned),
        }
    }
}

/// A value of a column in words.
fn operand(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Object(it) if it.contains_key("default") => "its default".to_owned(),
        Value::Object(it) => format!("the key that operation {} makes", it["generatedBy"]),
        other => other.to_string(),
    }
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
    /// The tables of the views, with those around them.
    pub diagram: Option<Diagram>,
    /// The text after a switch was changed; none where it is as it was sent.
    pub changed: Option<String>,
    /// The write in the form.
    pub attempt: Attempt,
    /// What it would have done, where it was tried.
    pub trial: Option<Trial>,
    /// Whether the console only looks.
    pub is_read_only: bool,
    /// What was done, such as stored.
    pub done: Option<String>,
    /// Why it was not stored.
    pub problem: Option<Problem>,
}

impl Designed {
    /// Whether the write in the form is of this view.
    fn is_tried(&self, view: &str) -> bool {
        self.attempt.view == view
    }

    /// Whether it has this method.
    fn has_method(&self, method: &str) -> bool {
        self.attempt.method == method
    }
}

/// Whether the server stores a definition that is designed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStore {
    /// It stores files of the application.
    On,
    /// The operator has not allowed it.
    Off,
    /// There is no application that the file would belong to.
    NoApplication,
}

impl FileStore {
    fn is_on(self) -> bool {
        self == Self::On
    }

    /// What to do where it stores nothing.
    fn advice(self) -> &'static str {
        match self {
            Self::On => "",
            Self::Off => "The server stores it, and serves it, with --console-files.",
            Self::NoApplication => {
                "This database is served without an application: save the file, make an application by \"duet init\", put the file into its folder, and start \"duet serve --config FOLDER/app.toml --console-files\"."
            }
        }
    }
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "design/view.html")]
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
    /// The file that is designed, what it was when the page was opened, as a hash, and where it can be stored.
    pub file: (&'a str, &'a str, FileStore),
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
#[template(path = "design/designed.html")]
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
