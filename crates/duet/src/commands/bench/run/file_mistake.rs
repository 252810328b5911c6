//! Shows a mistake in a user's workload with its line, like mistakes of `app.toml`.

use std::ops::Range;

use duet_bench::workload::file::Problem;
use duet_text::name::nearest;
use toml::de::{DeTable, DeValue};

use crate::application::problem::{self, SourceText, render};
use crate::command_error::{CommandError, ExitStatus};

/// A mistake that the bench finds: its key gives the position. The exit code is that of a wrong command line.
pub(in crate::commands::bench) fn of_key(source: &SourceText, wrong: &Problem) -> CommandError {
    let span = span(&source.text, &wrong.key).unwrap_or(0..0);
    shown(source, span, format!("{}: {}", wrong.key, wrong.message), wrong.hint.clone())
}

/// A mistake in the TOML or in the file's structure.
pub(in crate::commands::bench) fn of_toml(
    source: &SourceText,
    wrong: &toml::de::Error,
) -> CommandError {
    let hint = similar(wrong.message()).map(|name| format!("Did you mean `{name}`?"));
    shown(source, wrong.span().unwrap_or(0..0), wrong.message().to_owned(), hint)
}

fn shown(
    source: &SourceText,
    span: Range<usize>,
    message: String,
    hint: Option<String>,
) -> CommandError {
    let text = render(&problem::Problem { span, message, hint }, source);
    CommandError::Ended(ExitStatus::Usage, text)
}

/// The intended name, from an error with the found and the possible names in backquotes.
fn similar(message: &str) -> Option<&str> {
    let mut names = message.split('`').skip(1).step_by(2);
    let found = names.next().filter(|_| message.starts_with("unknown"))?;
    nearest(found, names)
}

/// The position of a key, or of its longest existing prefix:
/// `transaction[2].step[1].check.json."/a"`.
fn span(text: &str, key: &str) -> Option<Range<usize>> {
    let table = DeTable::parse(text).ok()?;
    let mut found = None;
    let mut place: Option<&DeValue<'_>> = None;
    for part in parts(key) {
        let next = match (part, place) {
            (KeySegment::Name(name), None) => member(table.get_ref(), name),
            (KeySegment::Name(name), Some(value)) => {
                value.as_table().and_then(|it| member(it, name))
            }
            (KeySegment::Number(number), Some(value)) => value
                .as_array()
                .and_then(|list| list.get(number.checked_sub(1)?))
                .map(|item| (item.span(), item.get_ref())),
            (KeySegment::Number(_), None) => None,
        };
        let Some((span, value)) = next else { break };
        (found, place) = (Some(span), Some(value));
    }
    found
}

/// A member's value; a table's position is that of its name, because it may have several.
fn member<'a, 'i>(table: &'a DeTable<'i>, name: &str) -> Option<(Range<usize>, &'a DeValue<'i>)> {
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    let span = if value.get_ref().is_table() { key.span() } else { value.span() };
    Some((span, value.get_ref()))
}

#[derive(Debug, PartialEq, Eq)]
enum KeySegment<'a> {
    Name(&'a str),
    /// Counted from 1.
    Number(usize),
}

fn parts(key: &str) -> Vec<KeySegment<'_>> {
    let mut parts = Vec::new();
    let mut rest = key;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let end = quoted.rfind('"').unwrap_or(quoted.len());
            parts.push(KeySegment::Name(&quoted[..end]));
            break;
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        if end > 0 {
            parts.push(KeySegment::Name(&rest[..end]));
        }
        rest = &rest[end..];
        if let Some((number, after)) = rest.strip_prefix('[').and_then(|it| it.split_once(']')) {
            parts.extend(number.parse().ok().map(KeySegment::Number));
            rest = after;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_similar_names() {
        let message = "unknown field `wieght`, expected one of `name`, `weight`, `step`";
        assert_eq!(similar(message), Some("weight"));
        assert_eq!(
            similar("unknown variant `in trun`, expected `random` or `in turn`"),
            Some("in turn")
        );
        assert_eq!(similar("missing field `name`"), None);
    }

    #[test]
    fn keys_have_places() {
        let text = "[workload]\nname = 'w'\n[feeders]\na = { uniform = [2, 1] }\n[[transaction]]\nname = 'T'\n[[transaction.step]]\nsql = 'x'\nparams = ['1', '${b}']\ncheck.json.\"/a.b\" = 7\n";
        for (key, expected) in [
            ("workload.name", "'w'"),
            ("feeders.a", "a"),
            ("feeders.a.uniform", "[2, 1]"),
            ("transaction[1].step[1].params[2]", "'${b}'"),
            ("transaction[1].step[1].params[9]", "['1', '${b}']"),
            ("transaction[1].step[1].check.json.\"/a.b\"", "7"),
            ("transaction[1].step[1].check.absent", "check"),
        ] {
            assert_eq!(&text[span(text, key).unwrap()], expected, "{key}");
        }
        assert_eq!((span(text, "nothing"), span("a b", "a"), span(text, "")), (None, None, None));
        let second = "[[transaction]]\nname = 'A'\n[[transaction]]\nname = 'B'\n";
        let at = span(second, "transaction[2].step").unwrap();
        assert!(second[at.start..].starts_with("[[transaction]]\nname = 'B'"), "{at:?}");
    }
}
