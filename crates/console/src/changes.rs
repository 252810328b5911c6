//! The page of collected changes: what each one changes, and what stands against it. All of them are saved together.

use askama::Template;
use serde_json::{Map, Value, json};

use crate::page::{Frame, Problem, rendered};

/// A change that has been collected and not saved. Items are kept as text: a number of many digits stays what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The path of the mount.
    pub mount: String,
    /// The resource's name.
    pub resource: String,
    /// The path below the mount, as a transaction takes it.
    pub path: String,
    /// `POST`, `PUT` or `DELETE`.
    pub method: String,
    /// The version that it was made of; empty for a new item.
    pub etag: String,
    /// That version, as JSON; empty for a new item.
    pub base: String,
    /// What the item is to be, as JSON; empty where it is deleted.
    pub body: String,
}

/// The members of a change, as the browser keeps it.
const MEMBERS: [&str; 7] = ["mount", "resource", "path", "method", "etag", "base", "body"];

impl Change {
    /// The change as the browser keeps it.
    pub fn json(&self) -> Value {
        json!({
            "mount": self.mount, "resource": self.resource, "path": self.path, "method": self.method,
            "etag": self.etag, "base": self.base, "body": self.body,
        })
    }

    /// Reads a change; `None` for anything else.
    pub fn of(json: &Value) -> Option<Self> {
        let [mount, resource, path, method, etag, base, body] =
            MEMBERS.map(|name| json[name].as_str().map(str::to_owned));
        let change = Self {
            mount: mount?,
            resource: resource?,
            path: path?,
            method: method?,
            etag: etag?,
            base: base?,
            body: body?,
        };
        matches!(&*change.method, "POST" | "PUT" | "DELETE").then_some(change)
    }

    /// The list of a browser; `None` where it is no list of changes.
    ///
    /// ```
    /// use duet_console::changes::Change;
    /// assert_eq!(Change::list("[]"), Some(Vec::new()));
    /// assert_eq!(Change::list("[{}]"), None);
    /// ```
    pub fn list(text: &str) -> Option<Vec<Self>> {
        let all: Vec<Value> = serde_json::from_str(text).ok()?;
        all.iter().map(Self::of).collect()
    }

    /// The list for a browser.
    pub fn text(all: &[Self]) -> String {
        Value::Array(all.iter().map(Self::json).collect()).to_string()
    }

    /// What a save does: an operation of a transaction.
    pub fn operation(&self) -> Value {
        let mut operation = json!({ "method": self.method, "path": self.path });
        if !self.etag.is_empty() {
            operation["ifMatch"] = self.etag.clone().into();
        }
        if self.method != "DELETE" {
            operation["body"] = serde_json::from_str(&self.body).unwrap_or_default();
        }
        operation
    }

    /// What it changes, member by member; all members of an item that is new or deleted.
    pub fn differences(&self) -> Vec<Difference> {
        let object =
            |text: &str| -> Map<String, Value> { serde_json::from_str(text).unwrap_or_default() };
        let (base, body) = (object(&self.base), object(&self.body));
        let names = base.keys().chain(body.keys().filter(|name| !base.contains_key(*name)));
        let names = names.filter(|name| !matches!(name.as_str(), "links" | "_metadata"));
        let one = |name: &String| Difference {
            name: name.clone(),
            before: base.get(name).map(Value::to_string),
            after: body.get(name).map(Value::to_string),
            ..Difference::default()
        };
        names.map(one).filter(|it| it.before != it.after).collect()
    }

    /// What it does, as a word.
    pub fn verb(&self) -> &'static str {
        match &*self.method {
            "POST" => "New",
            "DELETE" => "Deleted",
            _ => "Changed",
        }
    }
}

/// A member that differs. Values are JSON, so NULL, empty texts and numbers in quotes differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The member.
    pub name: String,
    /// Its value before; none where it was not there.
    pub before: Option<String>,
    /// Its value after.
    pub after: Option<String>,
    /// What another has made of it meanwhile, where that is something else than both.
    pub theirs: Option<String>,
    /// Why it was refused.
    pub problem: Option<String>,
}

/// A change as the page shows it.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// What it does: `New`, `Changed` or `Deleted`.
    pub verb: &'static str,
    /// The item, in words.
    pub title: String,
    /// Its page; none for a new item.
    pub href: Option<String>,
    /// What differs.
    pub differences: Vec<Difference>,
    /// Why it was refused, where that is no member's fault.
    pub problem: Option<String>,
    /// Whether another has changed the item since it was read.
    pub is_behind: bool,
}

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// The changes.
    pub changes: Vec<Shown>,
    /// The list as the browser keeps it.
    pub list: String,
    /// How many were saved just now.
    pub saved: Option<usize>,
    /// Why nothing was saved.
    pub problem: Option<Problem>,
    /// Whether the page is to be asked for again with the browser's own list.
    pub asks: bool,
}

impl Collected {
    /// What a save does, in numbers.
    pub fn summary(&self) -> String {
        let count = |verb: &str| self.changes.iter().filter(|it| it.verb == verb).count();
        let words = [("New", "new"), ("Changed", "changed"), ("Deleted", "deleted")];
        let parts = words.iter().filter(|(verb, _)| count(verb) > 0);
        parts.map(|(verb, word)| format!("{} {word}", count(verb))).collect::<Vec<_>>().join(", ")
    }
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "changes.html")]
pub struct Changes<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// What it shows.
    pub collected: &'a Collected,
}

impl Changes<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_kept_and_sent_as_they_are() {
        let change = Change {
            mount: "/api/main".into(),
            resource: "driver".into(),
            path: "driver/1".into(),
            method: "PUT".into(),
            etag: "\"a\"".into(),
            base: r#"{"id":1,"points":12345678901234567890.10,"nick":null}"#.into(),
            body: r#"{"id":1,"points":12345678901234567890.20,"nick":""}"#.into(),
        };
        let list = Change::text(std::slice::from_ref(&change));
        assert_eq!(Change::list(&list), Some(vec![change.clone()]));
        let operation = change.operation();
        assert_eq!(operation["ifMatch"], "\"a\"");
        assert_eq!(operation["body"].to_string(), change.body);
        let found: Vec<_> =
            change.differences().into_iter().map(|it| (it.name, it.before, it.after)).collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            found,
            [
                ("points".into(), text("12345678901234567890.10"), text("12345678901234567890.20")),
                ("nick".into(), text("null"), text("\"\"")),
            ]
        );
    }

    #[test]
    fn what_is_no_list_of_changes_is_refused() {
        for text in ["", "{}", "[1]", r#"[{"method":"PUT"}]"#] {
            assert_eq!(Change::list(text), None, "{text}");
        }
        let mut change = Change { method: "TRACE".into(), ..Change::default() };
        assert_eq!(Change::of(&change.json()), None);
        change.method = "DELETE".into();
        assert!(Change::of(&change.json()).is_some());
    }
}
