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
    /// says what it must be, at its place.
    ///
    /// # Errors
    /// Where JSON is malformed, what is wrong with it.
    pub fn read(&self, text: &str, is_null: bool) -> Result<Value, String> {
        let parsed = || serde_json::from_str::<Value>(text);
        match self.form {
            _ if is_null => Ok(Value::Null),
            // Browsers send every line's end as CR LF.
            Form::Text => Ok(text.replace("\r\n", "\n").into()),
            Form::Number => match parsed() {
                Ok(Value::Number(number)) => Ok(Value::Number(number)),
                _ => Ok(text.into()),
            },
            Form::Flag => Ok(Value::Bool(text == "true")),
            Form::Json => parsed().map_err(|error| format!("This is not JSON: {error}.")),
        }
    }
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
            (Form::Text, json!("")),
            (Form::Number, serde_json::from_str("1.50").unwrap()),
            (Form::Flag, json!(false)),
            (Form::Json, json!({"a": [1, null]})),
        ] {
            let mut field = Field { form, ..Field::default() };
            field.show(Some(&value));
            let sent = field.text.replace('\n', "\r\n");
            assert_eq!(field.read(&sent, field.is_null), Ok(value), "{form:?}");
        }
        let field = Field { form: Form::Number, ..Field::default() };
        assert_eq!(field.read("ten", false), Ok(json!("ten")));
        assert_eq!(field.read("", true), Ok(Value::Null));
        assert!(Field { form: Form::Json, ..field }.read("{", false).is_err());
    }
}
