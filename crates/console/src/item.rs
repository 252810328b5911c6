//! The page of one item: its members as a form, or the whole as JSON; what a save was refused for stands at its member.

use askama::Template;
use serde_json::{Map, Value};

use crate::json_tree::JsonTree;
use crate::page::{Frame, Problem, rendered};

/// How a member is edited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A text.
    #[default]
    Text,
    /// A number, as it is written.
    Number,
    /// True or false.
    Flag,
    /// Anything else, as JSON.
    Json,
}

/// A member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// How it is edited.
    pub form: Form,
    /// What the form shows: the text itself, or JSON.
    pub text: String,
    /// Whether it is NULL.
    pub is_null: bool,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// Whether the caller cannot change it.
    pub fixed: bool,
    /// Its type, in words.
    pub ty: String,
    /// Why the last save was refused.
    pub problem: Option<String>,
    /// What the database has in the meantime, where that is something else.
    pub theirs: Option<String>,
    /// The value as a tree, where it has members.
    pub tree: Option<JsonTree>,
    /// How large it is in words, and its file, where it is too large to be changed here.
    pub large: Option<(String, String)>,
}

impl Field {
    /// Shows a value.
    pub fn show(&mut self, value: Option<&Value>) {
        self.is_null = matches!(value, None | Some(Value::Null));
        self.tree = value.and_then(|value| JsonTree::of(&self.name, value));
        self.text = match (self.form, value) {
            (_, None | Some(Value::Null)) => String::new(),
            (Form::Text, Some(Value::String(text))) => text.clone(),
            (Form::Json, Some(value)) => serde_json::to_string_pretty(value).unwrap_or_default(),
            (_, Some(value)) => value.to_string(),
        };
    }

    /// The value that the form has sent: `text` and whether NULL was chosen. What is no number is left a text: the API
    /// says what it must be, at its place. A text has the line ends that it had `before`, as forms send all as CR LF.
    ///
    /// # Errors
    /// Where JSON is malformed or a flag is neither, what is wrong with it.
    pub fn read(&self, text: &str, is_null: bool, before: Option<&Value>) -> Result<Value, String> {
        let parsed = || serde_json::from_str::<Value>(text);
        match self.form {
            _ if is_null => Ok(Value::Null),
            Form::Text => {
                let before = before.and_then(Value::as_str).unwrap_or_default();
                Ok(with_line_ends_of(before, text).into())
            }
            Form::Number => match parsed() {
                Ok(Value::Number(number)) => Ok(Value::Number(number)),
                _ => Ok(text.into()),
            },
            Form::Flag => match text {
                "true" | "false" => Ok(Value::Bool(text == "true")),
                _ => Err("Choose true or false.".to_owned()),
            },
            Form::Json => parsed().map_err(|error| format!("This is not JSON: {error}.")),
        }
    }
}

/// A text that a form has sent, with the line ends of the text that the form was made of: its first and last lines that
/// are as they were keep theirs, the others have that of the first line, LF where there is none.
///
/// ```
/// use duet_console::item::with_line_ends_of;
/// assert_eq!(with_line_ends_of("a\r\nb\rc", "a\r\nb\r\nc"), "a\r\nb\rc");
/// assert_eq!(with_line_ends_of("a\rb\nc", "a\r\nx\r\ny\r\nc"), "a\rx\ry\rc");
/// assert_eq!(with_line_ends_of("a", "a\r\nb"), "a\nb");
/// ```
pub fn with_line_ends_of(before: &str, sent: &str) -> String {
    let old = lines(before);
    let new = lines(sent);
    let pairs = |from: &dyn Fn(usize) -> bool| {
        (0..old.len().min(new.len())).take_while(|at| from(*at)).count()
    };
    let first = pairs(&|at| old[at].text == new[at].text);
    let last = pairs(&|at| old[old.len() - 1 - at].text == new[new.len() - 1 - at].text);
    let usual = old.first().map_or("", |line| line.end);
    let usual = if usual.is_empty() { "\n" } else { usual };
    let mut out = String::with_capacity(sent.len());
    for (at, line) in new.iter().enumerate() {
        let behind = new.len() - 1 - at;
        let kept = if at < first {
            old[at].end
        } else if behind < last {
            old[old.len() - 1 - behind].end
        } else {
            usual
        };
        out.push_str(line.text);
        if behind > 0 {
            out.push_str(if kept.is_empty() { usual } else { kept });
        }
    }
    out
}

/// A line, and what ends it: nothing behind the last one.
struct Line<'t> {
    text: &'t str,
    end: &'t str,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find(['\r', '\n']) {
        let length = if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        lines.push(Line { text: &rest[..at], end: &rest[at..at + length] });
        rest = &rest[at + length..];
    }
    lines.push(Line { text: rest, end: "" });
    lines
}

/// What is left to decide where the database has changed while a person edited.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    /// Both sides' changes, where they do not collide; theirs where they do.
    pub whole: Map<String, Value>,
    /// Members that both have changed, each to another value.
    pub collisions: Vec<String>,
}

/// Puts together what two have made of one item: what only one has changed is taken from that one.
///
/// ```
/// use duet_console::item::merged;
/// use serde_json::json;
///
/// let object = |value: serde_json::Value| value.as_object().unwrap().clone();
/// let base = object(json!({"a": 1, "b": 1, "c": 1}));
/// let yours = object(json!({"a": 2, "b": 1, "c": 2}));
/// let theirs = object(json!({"a": 1, "b": 3, "c": 3}));
/// let merged = merged(&base, &yours, &theirs);
/// assert_eq!(merged.whole, object(json!({"a": 2, "b": 3, "c": 3})));
/// assert_eq!(merged.collisions, ["c"]);
/// ```
pub fn merged(
    base: &Map<String, Value>,
    yours: &Map<String, Value>,
    theirs: &Map<String, Value>,
) -> Merged {
    let mut merged = Merged { whole: theirs.clone(), collisions: Vec::new() };
    for (name, value) in yours {
        let (before, now) = (base.get(name), theirs.get(name));
        if Some(value) == before || Some(value) == now {
            continue;
        }
        if now == before {
            merged.whole.insert(name.clone(), value.clone());
        } else {
            merged.collisions.push(name.clone());
        }
    }
    merged
}

/// A row that the item refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// What refers to it.
    pub name: String,
    /// What it is called.
    pub label: String,
    /// Its page.
    pub href: String,
}

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The resource's name, and the page of its rows.
    pub resource: (String, String),
    /// The item's key; empty for a new one.
    pub key: String,
    /// Where the form is sent.
    pub action: String,
    /// Its members; empty where it is edited as JSON alone.
    pub fields: Vec<Field>,
    /// The whole as JSON.
    pub json: String,
    /// The whole as a tree, of a document.
    pub tree: Option<JsonTree>,
    /// How large the whole is in words, and its file, where it is too large to be changed as JSON.
    pub large: Option<(String, String)>,
    /// The version that the form was made of.
    pub etag: String,
    /// That version itself, to merge with.
    pub base: String,
    /// What the caller may do.
    pub may_save: bool,
    /// Whether it may be deleted.
    pub may_delete: bool,
    /// Whether the page asks if it shall be deleted.
    pub asks: bool,
    /// Whether it was saved just now.
    pub saved: bool,
    /// Whether another has changed it meanwhile.
    pub is_behind: bool,
    /// Rows that it refers to.
    pub refers: Vec<Reference>,
    /// The request of the page, for a shell.
    pub curl: String,
    /// Why the last request was refused.
    pub problem: Option<Problem>,
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "item.html")]
pub struct Item<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// What it shows.
    pub shown: &'a Shown,
}

impl Item<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_shown_is_read_again() {
        for (form, value) in [
            (Form::Text, json!("a\nb")),
            (Form::Text, json!("a\r\nb\rc\n\r\n\r")),
            (Form::Text, json!("")),
            (Form::Number, serde_json::from_str("1.50").unwrap()),
            (Form::Flag, json!(false)),
            (Form::Json, json!({"a": [1, null]})),
        ] {
            let mut field = Field { form, ..Field::default() };
            field.show(Some(&value));
            let plain = field.text.replace("\r\n", "\n").replace('\r', "\n");
            let sent = plain.replace('\n', "\r\n");
            assert_eq!(
                field.read(&sent, field.is_null, Some(&value)),
                Ok(value.clone()),
                "{form:?}"
            );
        }
        let field = Field { form: Form::Number, ..Field::default() };
        assert_eq!(field.read("ten", false, None), Ok(json!("ten")));
        assert_eq!(field.read("", true, None), Ok(Value::Null));
        assert!(Field { form: Form::Json, ..field }.read("{", false, None).is_err());
        let flag = Field { form: Form::Flag, ..Field::default() };
        for text in ["", "yes", "TRUE"] {
            assert!(flag.read(text, false, None).is_err(), "{text:?} is not false");
        }
    }

    #[test]
    fn changed_texts_keep_the_line_ends_of_other_lines() {
        for (before, sent, expected) in [
            ("", "a\r\nb", "a\nb"),
            ("a\r\n", "a\r\n", "a\r\n"),
            ("a\r\n", "a", "a"),
            ("a\rb\rc", "a\r\nb\r\nx", "a\rb\rx"),
            ("a\nb\r\nc", "x\r\na\r\nb\r\nc", "x\na\nb\r\nc"),
            ("a\r\na\r\na", "a\r\na\r\na\r\na", "a\r\na\r\na\r\na"),
        ] {
            assert_eq!(with_line_ends_of(before, sent), expected, "{before:?} {sent:?}");
        }
    }
}
