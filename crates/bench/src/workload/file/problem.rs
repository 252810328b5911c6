//! A mistake in a user's file: the key, the reason, and what to write instead.

use std::fmt;

use duet_text::name::nearest;

/// A mistake in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The key: `transaction[2].step[1].check.status`, counted from 1.
    pub key: String,
    /// What is wrong, as a sentence.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Problem {
    pub(super) fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into(), hint: None }
    }

    /// An unknown name, with the nearest one or all that exist.
    pub(super) fn unknown<'a>(
        key: &str,
        message: impl Into<String>,
        name: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        let hint = match nearest(name, known.clone()) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => {
                let all: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
                format!("There are {}.", all.join(", "))
            }
        };
        Self { hint: Some(hint), ..Self::new(key, message) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " {hint}"),
            None => Ok(()),
        }
    }
}
