//! Whether an output is what the manual shows. `…` in the manual stands for anything: in a text
//! for any characters, as a JSON value for any value, as the last element or as a member
//! `"…": "…"` for those that are not shown.

use serde_json::Value;

/// What the manual writes for what it leaves out.
const ANYTHING: &str = "…";

/// Whether a text fits. Blanks at the ends of lines do not count.
pub(super) fn text_fits(expected: &str, actual: &str) -> bool {
    let tidy = |text: &str| text.trim().lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let (expected, actual) = (tidy(expected), tidy(actual));
    let mut parts = expected.split(ANYTHING);
    let Some(mut rest) = actual.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Whether a text fits in which figures stand for any figures, whatever their width: reports of
/// measurements.
pub(super) fn figures_fit(expected: &str, actual: &str) -> bool {
    text_fits(&without_figures(expected), &without_figures(actual))
}

/// The text with `#` for each number with its unit of time and for `n/a`, single blanks between words,
/// and single dashes in lines.
fn without_figures(text: &str) -> String {
    let line = |line: &str| line.split_whitespace().map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn word(word: &str) -> String {
    if word == "n/a" {
        return "#".to_owned();
    }
    let mut out = String::new();
    let mut rest = word;
    while let Some(char) = rest.chars().next() {
        let digits = rest.trim_start_matches(|char: char| matches!(char, '0'..='9' | '.' | ','));
        let is_number = char.is_ascii_digit() && digits.len() < rest.len();
        if is_number {
            let number = &rest[..rest.len() - digits.len()];
            out.push('#');
            // The end of a sentence is none of the number.
            out.push_str(&number[number.trim_end_matches(['.', ',']).len()..]);
            let unit = ["µs", "ms", "s"].into_iter().find_map(|unit| digits.strip_prefix(unit));
            rest = unit.unwrap_or(digits);
            continue;
        }
        if !(matches!(char, '-' | '+') && out.ends_with(char)) {
            out.push(char);
        }
        rest = &rest[char.len_utf8()..];
    }
    out
}

/// Whether JSON fits: members in the order shown, numbers digit by digit.
pub(super) fn json_fits(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::String(expected), _) if expected == ANYTHING => true,
        (Value::String(expected), Value::String(actual)) => text_fits(expected, actual),
        (Value::Array(expected), Value::Array(actual)) => {
            let open = expected.last().is_some_and(|last| last == ANYTHING);
            let shown = &expected[..expected.len() - usize::from(open)];
            (if open { shown.len() <= actual.len() } else { shown.len() == actual.len() })
                && shown.iter().zip(actual).all(|(expected, actual)| json_fits(expected, actual))
        }
        (Value::Object(expected), Value::Object(actual)) => {
            let shown: Vec<_> = expected.iter().filter(|(name, _)| *name != ANYTHING).collect();
            let there: Vec<_> = actual
                .iter()
                .filter(|(name, _)| shown.iter().any(|(shown, _)| shown == name))
                .collect();
            let open = shown.len() < expected.len();
            (open || shown.len() == actual.len())
                && shown.len() == there.len()
                && shown
                    .iter()
                    .zip(there)
                    .all(|((a, expected), (b, actual))| *a == b && json_fits(expected, actual))
        }
        _ => expected == actual,
    }
}

#[test]
fn figures_are_any_figures() {
    assert!(figures_fit("p99   1.2ms  n/a |  7,000 |\n+---+", "p99 12.25µs 3.0s | 1 |\n+-------+"));
    assert!(figures_fit("ran 3 s.", "ran 12.5 s.") && !figures_fit("ran 3 s.", "ran 3 ms."));
    assert!(!figures_fit("all 3 failed", "none of 3 failed"));
}

#[test]
fn an_ellipsis_matches_any_text() {
    assert!(text_fits("a…c\n", "abc"));
    assert!(text_fits("…b…", "abc"));
    assert!(!text_fits("a…c", "ab"));
    assert!(!text_fits("ab", "abc"));
    let fits = |expected: &str, actual: &str| {
        json_fits(&expected.parse().unwrap(), &actual.parse().unwrap())
    };
    assert!(fits(r#"{"a":1,"…":"…"}"#, r#"{"a":1,"b":2}"#));
    assert!(fits(r#"[1,"…"]"#, "[1,2,3]"));
    assert!(fits(r#""x…""#, r#""xyz""#));
    for (expected, actual) in [
        (r#"{"a":1}"#, r#"{"a":1,"b":2}"#),
        (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#),
        ("[1]", "[1,2]"),
        ("1.5", "1.50"),
    ] {
        assert!(!fits(expected, actual), "{expected} {actual}");
    }
}
