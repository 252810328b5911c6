//! The page of the operator's log: its last lines, by level and words.

use askama::Template;
use serde_json::Value;

use crate::page::{Frame, rendered};

/// A line of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// When, as the log has it.
    pub time: String,
    /// `ERROR`, `WARN` or `INFO`; empty for a line without one.
    pub level: String,
    /// The process, where several serve.
    pub instance: String,
    /// Its text.
    pub text: String,
}

impl Line {
    /// Reads a line of the API.
    pub fn of(line: &Value) -> Self {
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let instance = line["instance"].as_u64().map(|it| it.to_string()).unwrap_or_default();
        Self { time: text("time"), level: text("level"), instance, text: text("text") }
    }
}

/// Levels by which lines are chosen, each with its words.
pub const LEVELS: [(&str, &str); 4] = [
    ("", "All levels"),
    ("info", "Information and worse"),
    ("warn", "Warnings and worse"),
    ("error", "Errors"),
];

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "log.html")]
pub struct Log<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The level that is chosen.
    pub level: &'a str,
    /// The words that lines have.
    pub words: &'a str,
    /// The lines, the newest first.
    pub lines: &'a [Line],
}

impl Log<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    fn levels(&self) -> [(&'static str, &'static str); 4] {
        LEVELS
    }

    fn is_level(&self, level: &str) -> bool {
        self.level == level
    }
}
