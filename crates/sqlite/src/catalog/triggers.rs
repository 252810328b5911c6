//! After which statements the triggers of a table run.

use std::collections::BTreeSet;

use duet_sql::WEBHOOK_TRIGGERS;

use super::StatementKinds;
use super::ddl::bare_words;

/// The statements that run triggers, of these names and texts, other than those of Duet itself.
pub(super) fn of(triggers: &[(String, String)], without: &BTreeSet<String>) -> StatementKinds {
    let mut all = StatementKinds::default();
    let others =
        triggers.iter().filter(|(name, _)| !without.contains(name) && !is_of_webhooks(name));
    for (_, text) in others {
        let StatementKinds { insert, update, delete } = statement_of(text);
        all.insert |= insert;
        all.update |= update;
        all.delete |= delete;
    }
    all
}

/// Whether a trigger fills the outbox of webhooks, which is not served.
pub(super) fn is_of_webhooks(name: &str) -> bool {
    name.starts_with(WEBHOOK_TRIGGERS)
}

/// The statement in the text of a trigger; every statement where it is not found.
///
/// The name may be a word such as `INSERT`, so it is skipped: it follows `TRIGGER` and
/// `IF NOT EXISTS`, and may be qualified.
fn statement_of(text: &str) -> StatementKinds {
    let words = bare_words(text);
    let mut rest = words.iter().map(String::as_str).skip_while(|word| *word != "TRIGGER").skip(1);
    let mut next = rest.next();
    if next == Some("IF") {
        // `NOT EXISTS`, and the word behind.
        next = rest.nth(2);
    }
    let mut behind = rest.clone();
    // A dot is an empty word.
    if next.is_some() && behind.next() == Some("") {
        rest.nth(1);
    }
    let found = rest.find(|word| !matches!(*word, "BEFORE" | "AFTER" | "INSTEAD" | "OF"));
    match found {
        Some("INSERT") => StatementKinds { insert: true, ..StatementKinds::default() },
        Some("UPDATE") => StatementKinds { update: true, ..StatementKinds::default() },
        Some("DELETE") => StatementKinds { delete: true, ..StatementKinds::default() },
        _ => StatementKinds::ALWAYS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statement_of_a_trigger() {
        let insert = StatementKinds { insert: true, ..StatementKinds::default() };
        let update = StatementKinds { update: true, ..StatementKinds::default() };
        let delete = StatementKinds { delete: true, ..StatementKinds::default() };
        for (text, expected) in [
            ("CREATE TRIGGER a INSERT ON t BEGIN SELECT 1; END", insert),
            ("CREATE TEMP TRIGGER IF NOT EXISTS a AFTER UPDATE OF b ON t BEGIN DELETE", update),
            ("create trigger main . \"delete\" before delete on t begin", delete),
            ("CREATE TRIGGER main.a INSTEAD OF DELETE ON v BEGIN", delete),
            ("CREATE TRIGGER \"a b\" AFTER INSERT ON t BEGIN", insert),
            ("CREATE TRIGGER 'insert' UPDATE ON t BEGIN", update),
            ("CREATE TRIGGER /* DELETE */ a -- DELETE\n AFTER INSERT ON t BEGIN", insert),
            ("", StatementKinds::ALWAYS),
            ("CREATE TRIGGER a", StatementKinds::ALWAYS),
        ] {
            assert_eq!(statement_of(text), expected, "{text}");
        }
    }
}
