//! Whether the result of a statement changes with commits alone, so that its items can be kept in memory.

use duet_model::{Piece, ServiceQuery};

/// Words that are the time or the caller wherever they are written.
const KEYWORDS: [&str; 9] = [
    "current_catalog",
    "current_date",
    "current_role",
    "current_time",
    "current_timestamp",
    "current_user",
    "localtime",
    "localtimestamp",
    "session_user",
];

/// Functions of both stores that give something else with every call, transaction or connection.
const CALLS: [&str; 17] = [
    "changes",
    "clock_timestamp",
    "current_setting",
    "gen_random_uuid",
    "last_insert_rowid",
    "nextval",
    "now",
    "random",
    "random_normal",
    "randomblob",
    "statement_timestamp",
    "timeofday",
    "total_changes",
    "transaction_timestamp",
    "txid_current",
    "uuidv4",
    "uuidv7",
];

/// Functions of SQLite that give the current time where they have no argument.
const CLOCKS: [&str; 6] = ["date", "datetime", "julianday", "strftime", "time", "unixepoch"];

/// The first word of a statement by which its result changes without a commit.
pub(crate) fn unsteady_word(query: &ServiceQuery) -> Option<&str> {
    query.pieces.iter().find_map(|piece| match piece {
        Piece::Text { text, .. } => in_text(text),
        Piece::Parameter { .. } => None,
    })
}

fn in_text(text: &str) -> Option<&str> {
    let mut at = 0;
    while let Some(start) = text[at..].find(is_part).map(|found| at + found) {
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |length| start + length);
        let word = &text[start..end];
        if is_unsteady(&text[..start], &word.to_ascii_lowercase(), &text[end..]) {
            return Some(word);
        }
        at = end;
    }
    None
}

/// Whether a word is one of these, by its context.
fn is_unsteady(before: &str, word: &str, behind: &str) -> bool {
    let is_name = before.ends_with(['\'', '"', '`', '.']);
    let arguments = behind.trim_start().strip_prefix('(').map(str::trim_start);
    // PostgreSQL and SQLite both read the text 'now' as the current time.
    (word == "now" && before.ends_with('\'') && behind.starts_with('\''))
        || (KEYWORDS.contains(&word) && !is_name)
        || (CALLS.contains(&word) && arguments.is_some())
        || (CLOCKS.contains(&word) && arguments.is_some_and(|rest| rest.starts_with(')')))
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_and_the_caller_are_found() {
        for (text, word) in [
            ("SELECT now() AS at", "now"),
            ("SELECT a FROM t WHERE at < Current_Timestamp", "Current_Timestamp"),
            ("SELECT date('now')", "now"),
            ("SELECT datetime ( )", "datetime"),
            ("SELECT pg_catalog.random ()", "random"),
            ("SELECT current_setting('a')", "current_setting"),
        ] {
            assert_eq!(in_text(text), Some(word), "{text}");
        }
    }

    #[test]
    fn columns_and_texts_are_left_alone() {
        for text in [
            "SELECT now, random FROM t",
            "SELECT date(at), t.current_date, \"current_user\" FROM t",
            "SELECT datetime(at, 'localtime') FROM nowhere",
            "",
        ] {
            assert_eq!(in_text(text), None, "{text}");
        }
    }
}
