//! All wrong values of a command line in one error: the parser stops at the first.

use std::ffi::OsString;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The error with every further value that a flag does not take: those before are left out, and the rest is parsed again.
pub(super) fn with_all(
    first: Error,
    typed: &[OsString],
    parse: impl Fn(&[OsString]) -> Option<Error>,
) -> Error {
    let mut words = typed.to_vec();
    let mut messages = Vec::new();
    let mut next = wrong_value(&first);
    while let Some((message, flag, value)) = next {
        messages.push(message);
        next = match without(&words, &flag, &value) {
            Some(left) => {
                words = left;
                parse(&words).as_ref().and_then(wrong_value)
            }
            None => None,
        };
    }
    if messages.len() < 2 {
        return first;
    }
    let all = messages.join("\nerror: ");
    Error::raw(
        ErrorKind::ValueValidation,
        format!("{all}\n\nFor more information, try '--help'.\n"),
    )
}

/// What is said of a wrong value, its flag, and the value.
fn wrong_value(error: &Error) -> Option<(String, String, String)> {
    if error.kind() != ErrorKind::ValueValidation {
        return None;
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let (argument, value) = (text(ContextKind::InvalidArg)?, text(ContextKind::InvalidValue)?);
    let flag = argument.split_whitespace().next().filter(|flag| flag.starts_with("--"))?;
    let shown = error.to_string();
    let message = shown.split("\n\n").next()?.strip_prefix("error: ")?.to_owned();
    Some((message, flag.to_owned(), value))
}

/// The words without a value of a flag: of a list the others stay, otherwise the flag goes too.
fn without(words: &[OsString], flag: &str, value: &str) -> Option<Vec<OsString>> {
    let text = |at: usize| words.get(at).map(|word| word.to_string_lossy().into_owned());
    for at in 0..words.len() {
        let word = text(at)?;
        let joined = word.strip_prefix(flag).and_then(|rest| rest.strip_prefix('='));
        let (given, count) = match joined {
            Some(given) => (given.to_owned(), 1),
            None if word == flag => (text(at + 1)?, 2),
            None => continue,
        };
        let parts: Vec<&str> = given.split(',').collect();
        let left = match parts.iter().position(|part| *part == value) {
            _ if given == value => Vec::new(),
            Some(place) => [&parts[..place], &parts[place + 1..]].concat(),
            None => continue,
        };
        let kept = (!left.is_empty()).then(|| OsString::from(format!("{flag}={}", left.join(","))));
        let (before, behind) = (&words[..at], &words[at + count..]);
        return Some(before.iter().cloned().chain(kept).chain(behind.iter().cloned()).collect());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::command;
    use super::*;

    fn said(line: &[&str]) -> String {
        let words: Vec<OsString> = line.iter().map(OsString::from).collect();
        let parse = |words: &[OsString]| command().try_get_matches_from(words).err();
        with_all(parse(&words).unwrap(), &words, parse).to_string()
    }

    #[test]
    fn all_wrong_values_are_said() {
        let text = said(&[
            "duet",
            "bench",
            "run",
            "rest",
            "--mix",
            "GET=x,PUT=2,DEL",
            "--threshold",
            "p99<20",
            "--threshold=tps>1",
            "--threshold",
            "pages<1",
            "--users",
            "0",
        ]);
        for value in ["'GET=x' for '--mix", "'DEL' for '--mix", "'p99<20' for '--threshold"] {
            assert_eq!(text.matches(&format!("error: invalid value {value}")).count(), 1, "{text}");
        }
        for value in ["'pages<1' for '--threshold", "'0' for '--users"] {
            assert_eq!(text.matches(&format!("error: invalid value {value}")).count(), 1, "{text}");
        }
        assert_eq!(text.matches("try '--help'").count(), 1, "{text}");
        let text = said(&["duet", "bench", "find-max", "rest", "--slo", "p99<20", "--slo", "x<1"]);
        assert!(text.contains("'p99<20'") && text.contains("'x<1'"), "{text}");
        let one = said(&["duet", "bench", "run", "rest", "--mix", "GET=x"]);
        let parsed =
            command().try_get_matches_from(["duet", "bench", "run", "rest", "--mix", "GET=x"]);
        assert_eq!(one, parsed.unwrap_err().to_string());
    }
}
