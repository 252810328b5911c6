//! What a query finds, by brute force, as the rules of RMB have it: every value is the text of `->>`, a condition is true,
//! false or unknown, and the index of a relation's kind decides about case, accents and the joined members.

use serde_json::Value;

use super::sample::{Clause, Declared, Entry, Query};

/// The ids of the documents that a query finds.
pub(super) fn found(query: &Query, declared: &Declared, documents: &[Value]) -> Vec<String> {
    let holds = |document: &&Value| {
        let mut all: Option<bool> = None;
        for (at, (operator, clause)) in query.clauses.iter().enumerate() {
            let one = || condition(clause, declared, document);
            all = match (at, *operator) {
                (0, _) => one(),
                // Behind `or`, `=*` is dropped.
                (_, "or") if clause.relation == "=" && clause.term == "*" => all,
                (_, "or") => either(all, one()),
                (_, "not") => both(all, Some(one() != Some(true))),
                _ => both(all, one()),
            };
        }
        all == Some(true)
    };
    let ids = documents.iter().filter(holds).map(|one| one["id"].as_str().unwrap().to_owned());
    let mut ids: Vec<String> = ids.collect();
    ids.sort_unstable();
    ids
}

fn either(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn condition(clause: &Clause, declared: &Declared, document: &Value) -> Option<bool> {
    let term = clause.term.as_str();
    match clause.relation {
        "==" | "<>" => {
            let kinds = ["ginIndex", "likeIndex", "uniqueIndex", "index"];
            let entry = kinds.iter().find_map(|kind| declared.entry(kind, clause.path));
            let value = folded(&compared(entry, clause.path, document)?, entry);
            let is_like = like(&value, &folded(term, entry));
            Some(is_like == (clause.relation == "=="))
        }
        "<" | ">=" => {
            let value = text(document, clause.path)?;
            let entry = declared.entry("index", clause.path);
            let fold = |text: &str| entry.map_or(text.to_owned(), |_| folded(text, entry));
            let is_less = fold(&value) < fold(term);
            Some(is_less == (clause.relation == "<"))
        }
        relation => {
            let entry = declared.entry("fullTextIndex", clause.path);
            let Some((member, value)) = clause.modifier else {
                if term == "*" {
                    return Some(true);
                }
                if term.is_empty() {
                    return text(document, clause.path).map(|_| true);
                }
                let value = compared(entry, clause.path, document)?;
                return Some(has_words(&value, relation, term, entry));
            };
            let elements = document["people"].as_array().cloned().unwrap_or_default();
            let holds = |element: &Value| {
                let searched = if value.is_none() { member } else { "name" };
                let text = element[searched].as_str().unwrap_or_default();
                let has_term =
                    term == "*" || term.is_empty() || has_words(text, relation, term, entry);
                let of_value = |value: &str| {
                    has_words(element[member].as_str().unwrap_or_default(), "=", value, entry)
                };
                has_term && value.is_none_or(of_value)
            };
            Some(elements.iter().any(holds))
        }
    }
}

/// What an index compares: the member, or the texts of several.
fn compared(entry: Option<&Entry>, path: &str, document: &Value) -> Option<String> {
    let Some(paths) = entry.and_then(|entry| entry.joined) else { return text(document, path) };
    let parts = paths.split(',').map(str::trim).filter_map(|path| match path.split_once("[*]") {
        None => text(document, path),
        Some((array, member)) => {
            let elements = document[array].as_array()?;
            let texts = elements.iter().filter_map(|one| match member.strip_prefix('.') {
                Some(member) => one[member].as_str(),
                None => one.as_str(),
            });
            let texts: Vec<&str> = texts.collect();
            (!texts.is_empty()).then(|| texts.join(" "))
        }
    });
    Some(parts.collect::<Vec<_>>().join(" "))
}

/// The text of `->>`.
fn text(document: &Value, path: &str) -> Option<String> {
    let found = path.split('.').try_fold(document, |at, step| at.get(step))?;
    match found {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(json_text(other)),
    }
}

/// JSON as `jsonb` prints it: members by the length of their names.
fn json_text(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            let parts: Vec<String> = elements.iter().map(json_text).collect();
            format!("[{}]", parts.join(", "))
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| (name.len(), name.as_str()));
            let parts: Vec<String> = members
                .into_iter()
                .map(|(name, value)| format!("\"{name}\": {}", json_text(value)))
                .collect();
            format!("{{{}}}", parts.join(", "))
        }
        other => other.to_string(),
    }
}

fn folded(text: &str, entry: Option<&Entry>) -> String {
    let (case, accents) =
        entry.map_or((true, true), |entry| (!entry.case_sensitive, entry.remove_accents));
    fold(text, case, accents)
}

fn fold(text: &str, case: bool, accents: bool) -> String {
    let text = if case { text.to_lowercase() } else { text.to_owned() };
    let plain = |char| match char {
        'ä' => 'a',
        'Ä' => 'A',
        'ø' => 'o',
        'Ø' => 'O',
        char => char,
    };
    if accents { text.chars().map(plain).collect() } else { text }
}

/// `LIKE`, with `*` and `?`.
fn like(text: &str, pattern: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let pattern: Vec<char> = pattern.chars().collect();
    fn fits(text: &[char], pattern: &[char]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some(('*', rest)) => (0..=text.len()).any(|skipped| fits(&text[skipped..], rest)),
            Some(('?', rest)) => !text.is_empty() && fits(&text[1..], rest),
            Some((char, rest)) => text.first() == Some(char) && fits(&text[1..], rest),
        }
    }
    fits(&text, &pattern)
}

/// Whether a text has the words of a term, without case, and without accents as the index says.
fn has_words(text: &str, relation: &str, term: &str, entry: Option<&Entry>) -> bool {
    let accents = entry.is_none_or(|entry| entry.remove_accents);
    let words = |text: &str| -> Vec<String> {
        let text = fold(text, true, accents);
        let parts = text.split(|char: char| !char.is_alphanumeric() && char != '*');
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let (text, term) = (words(text), words(term));
    if term.is_empty() {
        return false;
    }
    let is_it = |word: &String, wanted: &String| match wanted.strip_suffix('*') {
        Some(begin) => word.starts_with(begin),
        None => word == wanted,
    };
    match relation {
        "all" => term.iter().all(|wanted| text.iter().any(|word| is_it(word, wanted))),
        "any" => term.iter().any(|wanted| text.iter().any(|word| is_it(word, wanted))),
        _ => text
            .windows(term.len())
            .any(|window| window.iter().zip(&term).all(|(word, wanted)| is_it(word, wanted))),
    }
}
