//! The page of a server's links: made, given new addresses and revoked, after a question that says what it does.

use askama::Template;
use serde_json::Value;

use super::question::{Question, ShownSecret};
use crate::address::encoded;
use crate::page::{Frame, Problem, rendered};

/// A link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkRow {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The path that it leads to.
    pub path: String,
    /// The client that it acts for.
    pub of: String,
    /// What it allows.
    pub operations: String,
    /// When it ends, or that it has.
    pub until: String,
    /// How many of its uses were made; empty for any number.
    pub uses: String,
}

impl LinkRow {
    /// Reads a client of the API; `None` for one that is no link.
    ///
    /// ```
    /// use duet_console::operate::links::LinkRow;
    /// let it = serde_json::json!({ "id": "a", "name": "report", "link": { "path": "/api/t/", "operations": ["read"],
    ///     "of": "etl", "ended": false, "expires": "2027-01-02T03:04:05Z", "uses": 3, "used": 1 } });
    /// let link = LinkRow::of(&it).unwrap_or_default();
    /// assert_eq!((&*link.until, &*link.uses), ("2027-01-02 03:04 UTC", "1 of 3"));
    /// assert_eq!(LinkRow::of(&serde_json::json!({ "id": "b", "name": "etl" })), None);
    /// ```
    pub fn of(it: &Value) -> Option<Self> {
        let link = it.get("link")?;
        let text = |of: &Value, name: &str| of[name].as_str().unwrap_or_default().to_owned();
        let operations = link["operations"].as_array().into_iter().flatten();
        let operations: Vec<&str> = operations.filter_map(Value::as_str).collect();
        let expires = text(link, "expires");
        let minute = expires.get(..16).unwrap_or(&expires).replace('T', " ");
        let until = if link["ended"] == true { "ended, valid until " } else { "" };
        Some(Self {
            id: text(it, "id"),
            name: text(it, "name"),
            path: text(link, "path"),
            of: link["of"].as_str().unwrap_or("a removed client").to_owned(),
            operations: operations.join(", "),
            until: format!("{until}{minute} UTC"),
            uses: link["uses"].as_u64().map_or(String::new(), |uses| {
                format!("{} of {uses}", link["used"].as_u64().unwrap_or_default())
            }),
        })
    }
}

/// A unit of time in the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeUnit {
    /// Its name in the plural.
    pub name: &'static str,
    /// Its seconds.
    pub seconds: u64,
}

/// The units of the form.
pub const UNITS: [TimeUnit; 3] = [
    TimeUnit { name: "days", seconds: 86_400 },
    TimeUnit { name: "hours", seconds: 3_600 },
    TimeUnit { name: "minutes", seconds: 60 },
];

/// What the form of a new link has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkDraft {
    /// Its name.
    pub name: String,
    /// The id of the client that it acts for.
    pub of: String,
    /// The path that it leads to.
    pub path: String,
    /// What it allows.
    pub operations: Vec<String>,
    /// How long it is valid, in units.
    pub duration: String,
    /// The name of the unit.
    pub unit: String,
    /// How many requests it is good for; empty for any number.
    pub uses: String,
}

impl LinkDraft {
    /// How long it is valid in seconds; a text that is no number of units as it is.
    ///
    /// ```
    /// use duet_console::operate::links::LinkDraft;
    /// let draft = |duration: &str, unit: &str| LinkDraft { duration: duration.into(), unit: unit.into(), ..LinkDraft::default() };
    /// assert_eq!(draft("2", "hours").seconds(), "7200");
    /// assert_eq!(draft("soon", "hours").seconds(), "soon");
    /// ```
    pub fn seconds(&self) -> String {
        let unit = UNITS.iter().find(|unit| unit.name == self.unit).unwrap_or(&UNITS[0]);
        let count: Option<u64> = self.duration.trim().parse().ok();
        let seconds = count.and_then(|count| count.checked_mul(unit.seconds));
        seconds.map_or_else(|| self.duration.clone(), |seconds| seconds.to_string())
    }
}

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Where they are kept: `memory`, `file` or `database`.
    pub source: String,
    /// The links in force.
    pub links: Vec<LinkRow>,
    /// The clients that a link may act for: id and name.
    pub clients: Vec<(String, String)>,
    /// All operations.
    pub operations: Vec<&'static str>,
    /// What is in the form.
    pub draft: LinkDraft,
    /// What is asked.
    pub question: Option<Question>,
    /// What was done.
    pub done: Option<String>,
    /// The address that is shown this once.
    pub secret: Option<ShownSecret>,
    /// What went wrong.
    pub problem: Option<Problem>,
    /// Whether the console only looks.
    pub is_read_only: bool,
}

impl Links {
    /// Whether links can be changed.
    fn may_change(&self) -> bool {
        !self.is_read_only && self.source != "memory"
    }

    fn allows(&self, operation: &&str) -> bool {
        self.draft.operations.iter().any(|one| one == operation)
    }

    fn units(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let chosen = self.draft.unit.clone();
        UNITS.iter().map(move |unit| (unit.name, unit.name == chosen))
    }
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "operate/links.html")]
pub struct LinksPage<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// What it shows.
    pub shown: &'a Links,
}

impl LinksPage<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    fn encoded(&self, text: &str) -> String {
        encoded(text)
    }
}
