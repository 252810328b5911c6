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
    /// The page that explains requests of its resource; of lines about slow requests.
    pub explain: Option<String>,
}

impl Line {
    /// Reads a line of the API.
    pub fn of(line: &Value) -> Self {
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let instance = line["instance"].as_u64().map(|it| it.to_string()).unwrap_or_default();
        let (time, level, text) = (text("time"), text("level"), text("text"));
        Self { time, level, instance, text, explain: None }
    }
}

impl Line {
    /// The application and the resource that a line about a slow request names.
    ///
    /// ```
    /// use duet_console::operate::log::Line;
    /// let text = "slow request request=7 application=\"hr\" resource=\"team\" millis=1200".to_owned();
    /// let line = Line { text, ..Line::default() };
    /// assert_eq!(line.slow_resource(), Some(("hr", "team")));
    /// ```
    pub fn slow_resource(&self) -> Option<(&str, &str)> {
        let value = |name: &str| {
            let (_, rest) = self.text.split_once(&format!("{name}=\""))?;
            rest.split_once('"').map(|(value, _)| value)
        };
        let is_slow = self.text.starts_with("slow request") || self.text.contains(" slow request");
        is_slow.then(|| value("application").zip(value("resource"))).flatten()
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
#[template(path = "operate/log.html")]
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
