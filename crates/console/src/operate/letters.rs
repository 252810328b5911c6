//! The page of rows that the database has refused after they were acknowledged: tried again, or dropped, after a question
//! that says how many.

use askama::Template;
use serde_json::Value;

use crate::address::query;
use crate::page::{Frame, Problem, rendered};

/// A dead letter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Letter {
    /// The journal.
    pub journal: String,
    /// Its sequence id.
    pub sequence: String,
    /// The resource.
    pub resource: String,
    /// Whose row it is.
    pub caller: String,
    /// When it was refused.
    pub rejected: String,
    /// The code.
    pub code: String,
    /// Why.
    pub detail: String,
    /// The row, cut.
    pub row: String,
}

/// The most characters of a row that are shown.
const SHOWN: usize = 200;

impl Letter {
    /// Reads a dead letter of the API.
    pub fn of(it: &Value) -> Self {
        let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
        let row = it["row"].to_string();
        let cut: String = row.chars().take(SHOWN).collect();
        Self {
            journal: text("journal"),
            sequence: it["sequenceId"].to_string(),
            resource: text("resource"),
            caller: text("caller"),
            rejected: text("rejectedAt"),
            code: text("code"),
            detail: text("detail"),
            row: if cut.len() < row.len() { cut + " …" } else { cut },
        }
    }
}

/// Which dead letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The application.
    pub application: String,
    /// The resource; empty for all.
    pub resource: String,
    /// The journal and the sequence id of one; empty for all.
    pub one: (String, String),
}

impl Choice {
    /// The parameters that the API takes.
    pub fn query(&self, more: &[(&str, &str)]) -> String {
        let (journal, sequence) = &self.one;
        let own = [
            ("application", self.application.as_str()),
            ("resource", &self.resource),
            ("journal", journal),
            ("from", sequence),
            ("to", sequence),
        ];
        query(&[&own, more].concat())
    }
}

/// What is asked before it is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// `redrive` or `discard`.
    pub action: String,
    /// What will be done, in numbers.
    pub words: String,
}

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct Letters {
    /// The applications with a journal.
    pub applications: Vec<String>,
    /// Which are shown.
    pub choice: Choice,
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub letters: Vec<Letter>,
    /// What is asked.
    pub question: Option<Question>,
    /// What was done.
    pub done: Option<String>,
    /// What went wrong.
    pub problem: Option<Problem>,
    /// Whether the console only looks.
    pub is_read_only: bool,
}

impl Letters {
    fn is_chosen(&self, application: &str) -> bool {
        self.choice.application == application
    }

    /// The address of a question about all that are chosen.
    fn ask(&self, action: &str) -> String {
        self.choice.query(&[("ask", action)])
    }

    /// The same about one.
    fn ask_one(&self, action: &str, letter: &Letter) -> String {
        let one = (letter.journal.clone(), letter.sequence.clone());
        Choice { one, ..self.choice.clone() }.query(&[("ask", action)])
    }
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "operate/letters.html")]
pub struct LettersPage<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// What it shows.
    pub shown: &'a Letters,
}

impl LettersPage<'_> {
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
    fn long_rows_are_cut() {
        let letter = Letter::of(&json!({ "sequenceId": 7, "row": { "a": "x".repeat(300) } }));
        assert_eq!((letter.row.chars().count(), &*letter.sequence), (SHOWN + 2, "7"));
        let letters = Letters { letters: vec![letter], ..Letters::default() };
        let question = letters.ask_one("discard", &letters.letters[0]);
        assert_eq!(question, "?from=7&to=7&ask=discard");
    }
}
