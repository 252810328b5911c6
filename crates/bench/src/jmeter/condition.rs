//! Conditions of plans, in JavaScript, JEXL and Groovy, as far as they compare texts and numbers.

use super::Problem;
use super::text::text;
use crate::workload::file::functions::{closing, divided};

/// The functions whose argument is a condition.
const WRAPPERS: [&str; 4] = ["__jexl3", "__jexl2", "__groovy", "__javaScript"];
/// Words of JEXL for operators.
const WORDS: [(&str, &str); 9] = [
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("eq", "=="),
    ("ne", "!="),
    ("lt", "<"),
    ("le", "<="),
    ("gt", ">"),
    ("ge", ">="),
];
/// Operators, longer ones first, and what they become.
const OPERATORS: [(&str, &str); 13] = [
    ("===", "=="),
    ("!==", "!="),
    ("==", "=="),
    ("!=", "!="),
    ("<=", "<="),
    (">=", ">="),
    ("&&", "&&"),
    ("||", "||"),
    ("<", "<"),
    (">", ">"),
    ("!", "!"),
    ("(", "("),
    (")", ")"),
];

/// The condition of a workload file.
///
/// # Errors
/// Where it does more than compare.
pub(super) fn condition(given: &str, line: usize) -> Result<String, Problem> {
    let inner = unwrapped(given.trim());
    let inner = inner.trim().trim_end_matches(';');
    if inner.is_empty() {
        return Ok("\"\"".into());
    }
    let mut rest = inner;
    let mut parts: Vec<String> = Vec::new();
    while !rest.is_empty() {
        let taken = token(rest, line)?;
        let Some((part, behind)) = taken else {
            let message = format!(
                "The condition {given:?} is not taken from {rest:?} on: it compares texts and numbers, joined by &&, || and !."
            );
            return Err(Problem::new(line, message));
        };
        parts.push(part);
        rest = behind.trim_start();
    }
    Ok(parts.join(" "))
}

/// Whether a text is a call of a function that computes a condition.
pub(super) fn is_wrapped(given: &str) -> bool {
    unwrapped(given.trim()) != given.trim()
}

/// The condition within `${__jexl3(…)}`.
fn unwrapped(given: &str) -> String {
    let inside =
        given.strip_prefix("${").filter(|inside| closing(inside) == Some(inside.len() - 1));
    let inside = inside.map(|inside| &inside[..inside.len() - 1]);
    let call = inside.and_then(|inside| inside.trim().split_once('('));
    match call {
        Some((name, rest)) if WRAPPERS.contains(&name) => {
            let rest = rest.trim_end().strip_suffix(')').unwrap_or(rest);
            // The second argument only names a variable.
            divided(rest).into_iter().next().unwrap_or_default()
        }
        _ => given.to_owned(),
    }
}

/// A part of a condition, and what follows it.
fn token(rest: &str, line: usize) -> Result<Option<(String, &str)>, Problem> {
    let Some(first) = rest.chars().next() else { return Ok(None) };
    if ['"', '\''].contains(&first) {
        let Some((inside, behind)) = quoted(rest) else { return Ok(None) };
        let value = text(inside, line)?;
        return match quote(&value) {
            Some(value) => method(value, behind, line),
            None => Ok(None),
        };
    }
    if let Some(inside) = rest.strip_prefix("${") {
        let Some(end) = closing(inside) else { return Ok(None) };
        let value = text(&rest[..end + 3], line)?;
        return method(value, &inside[end + 1..], line);
    }
    for (start, is_shared) in [("vars.get(", false), ("props.get(", true)] {
        let Some(inside) = rest.strip_prefix(start) else { continue };
        let Some((name, behind)) = quoted(inside.trim_start()) else { return Ok(None) };
        let Some(behind) = behind.trim_start().strip_prefix(')') else { return Ok(None) };
        let value = if is_shared { format!("${{shared({name})}}") } else { format!("${{{name}}}") };
        return method(format!("\"{value}\""), behind, line);
    }
    if let Some((operator, becomes)) = OPERATORS.iter().find(|(word, _)| rest.starts_with(word)) {
        return Ok(Some(((*becomes).to_owned(), &rest[operator.len()..])));
    }
    let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && !"._-".contains(char));
    let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
    if let Some((_, becomes)) = WORDS.iter().find(|(known, _)| *known == word) {
        return Ok(Some(((*becomes).to_owned(), behind)));
    }
    let is_value = word.parse::<f64>().is_ok() || ["true", "false"].contains(&word);
    Ok(is_value.then(|| (word.to_owned(), behind)))
}

/// The methods of values that are taken: `.equals(…)`, `.contains(…)`, `.isEmpty()`, and those that make numbers.
fn method(value: String, rest: &str, line: usize) -> Result<Option<(String, &str)>, Problem> {
    for number in [".toInteger()", ".toLong()", ".toDouble()", " as int", " as Integer", ".trim()"]
    {
        if let Some(behind) = rest.strip_prefix(number) {
            return method(value, behind, line);
        }
    }
    if let Some(behind) = rest.strip_prefix(".isEmpty()") {
        return Ok(Some((format!("( {value} == \"\" )"), behind)));
    }
    for (start, word) in [(".equals(", "=="), (".contains(", "contains")] {
        let Some(inside) = rest.strip_prefix(start) else { continue };
        let Some((other, behind)) = token(inside.trim_start(), line)? else { return Ok(None) };
        let behind = behind.trim_start().strip_prefix(')');
        return Ok(behind.map(|behind| (format!("( {value} {word} {other} )"), behind)));
    }
    Ok((!rest.starts_with('.')).then_some((value, rest)))
}

/// A text in quotes, and what follows it. Placeholders may have quotes of their own.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|first| ['"', '\''].contains(first))?;
    let mut end = 1;
    loop {
        let behind = &text[end..];
        if let Some(inside) = behind.strip_prefix("${") {
            end += 3 + closing(inside)?;
            continue;
        }
        let next = behind.chars().next()?;
        if next == quote {
            return Some((&text[1..end], &text[end + 1..]));
        }
        end += next.len_utf8();
    }
}

/// A text in quotes that it does not have.
pub(super) fn quote(text: &str) -> Option<String> {
    let quote = ['"', '\''].into_iter().find(|quote| !text.contains(*quote))?;
    Some(format!("{quote}{text}{quote}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_those_of_workload_files() {
        let condition = |text: &str| condition(text, 3).unwrap();
        for (given, expected) in [
            ("\"${a}\" == \"x\"", "\"${a}\" == \"x\""),
            ("${__jexl3(\"${a}\" == 'x' && ${n} < 5,)}", "\"${a}\" == \"x\" && ${n} < 5"),
            ("${__groovy(vars.get(\"a\").equals(\"x\"))}", "( \"${a}\" == \"x\" )"),
            ("${__groovy(vars.get('n').toInteger() >= 3)}", "\"${n}\" >= 3"),
            ("${__jexl3(${n} gt 3 or not ${a})}", "${n} > 3 || ! ${a}"),
            ("${JMeterThread.last_sample_ok}", "${last_ok()}"),
            ("!(${__P(x)} === 1.5)", "! ( ${shared(x,1)} == 1.5 )"),
            ("true", "true"),
            ("", "\"\""),
        ] {
            assert_eq!(condition(given), expected, "{given}");
        }
    }

    #[test]
    fn other_conditions_are_refused() {
        for wrong in [
            "${__groovy(new Random().nextInt() > 1)}",
            "vars.get(\"a\").matches(\"x\")",
            "vars.get(\"a\") == null",
            "${n} + 1 == 2",
            "\"open",
        ] {
            let problem = condition(wrong, 3).unwrap_err();
            assert!(problem.line == 3 && problem.message.contains("not taken"), "{problem}");
        }
    }
}
