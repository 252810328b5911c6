//! The last lines of the operator's log, kept in memory for `GET /admin/log`.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

/// The longest line that is kept, in bytes; the rest of a longer one is left out.
const LONGEST: usize = 2_000;

/// Levels as lines have them, the worst first.
pub(crate) const LEVELS: [&str; 3] = ["ERROR", "WARN", "INFO"];

/// The last lines of the log. Clones are the same log.
#[derive(Clone, Debug)]
pub struct RecentLog {
    lines: Arc<Mutex<VecDeque<String>>>,
    most: usize,
}

impl RecentLog {
    /// One that keeps so many lines.
    pub fn new(most: usize) -> Self {
        Self { lines: Arc::default(), most }
    }

    /// Adds a line, without colours of terminals; the oldest makes room.
    pub fn add(&self, line: &str) {
        let line = plain(line.trim_end());
        if line.is_empty() || self.most == 0 {
            return;
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= self.most {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// The lines as a list of objects, the oldest first: time, level and text.
    pub(crate) fn json(&self) -> Value {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().map(|line| entry(line)).collect()
    }
}

/// A line without sequences that colour it (ECMA-48, "CSI … m"), cut where it is long.
fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut parts = line.split('\u{1b}');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find('m').map_or(part.len(), |at| at + 1);
        text.push_str(if part.starts_with('[') { &part[end..] } else { part });
    }
    let end = text.floor_char_boundary(LONGEST);
    text.truncate(end);
    text
}

/// A line as `TIME LEVEL TEXT`.
fn entry(line: &str) -> Value {
    let (time, rest) = line.split_once(' ').unwrap_or(("", line));
    let rest = rest.trim_start();
    let (level, text) = rest.split_once(' ').unwrap_or((rest, ""));
    match LEVELS.contains(&level) {
        true => json!({ "time": time, "level": level, "text": text }),
        false => json!({ "time": null, "level": null, "text": line }),
    }
}

/// Whether an entry is at least as bad as a level, and has these words, in whatever case.
pub(crate) fn is_wanted(entry: &Value, level: &str, words: &str) -> bool {
    let rank = |level: &str| LEVELS.iter().position(|known| known.eq_ignore_ascii_case(level));
    let is_bad = match (rank(level), entry["level"].as_str().and_then(rank)) {
        (Some(wanted), Some(own)) => own <= wanted,
        (Some(_), None) => false,
        (None, _) => true,
    };
    let text = entry["text"].as_str().unwrap_or_default().to_lowercase();
    is_bad && words.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_without_colours() {
        let log = RecentLog::new(2);
        log.add("2026-01-01T00:00:00Z  INFO first\n");
        log.add("\u{1b}[2m2026-01-01T00:00:01Z\u{1b}[0m \u{1b}[33m WARN\u{1b}[0m the second code=DUET-1\n");
        log.clone().add("no level");
        let lines = log.json();
        let seen = json!([
            { "time": "2026-01-01T00:00:01Z", "level": "WARN", "text": "the second code=DUET-1" },
            { "time": null, "level": null, "text": "no level" },
        ]);
        assert_eq!(lines, seen);
        let wanted = |level: &str, words: &str| {
            lines.as_array().unwrap().iter().filter(|it| is_wanted(it, level, words)).count()
        };
        assert_eq!([wanted("", ""), wanted("info", ""), wanted("ERROR", "")], [2, 1, 0]);
        assert_eq!([wanted("", "SECOND duet-1"), wanted("", "third")], [1, 0]);
        log.add(&"é".repeat(LONGEST));
        assert!(log.json()[1]["text"].as_str().unwrap().len() <= LONGEST);
        let none = RecentLog::new(0);
        none.add("x");
        assert_eq!(none.json(), json!([]));
    }
}
