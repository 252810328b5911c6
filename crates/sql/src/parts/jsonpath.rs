//! Tests of values inside JSON in the path language of SQL/JSON (ISO/IEC 9075-2), as PostgreSQL has it.
//!
//! The path is a parameter, in which every name and operand is a JSON string or number of its own.
//! Lax mode takes a step on the objects of an array, and a filter on its elements; each filter tests
//! the type first, because comparisons would unwrap once more.

use std::borrow::Cow;

use duet_model::{Compare, JsonScalar, JsonTest};
use duet_text::JsonStep;
use duet_text::json::{Json, JsonKind};
use duet_text::like::{self, PatternPart};

/// The path that finds the values that satisfy a predicate.
pub(crate) fn of(steps: &[String], test: &JsonTest) -> String {
    if let JsonTest::Size(operator, size) = test {
        return of_size(steps, *operator, *size);
    }
    let mut path = String::from("lax $");
    for step in steps {
        path.push('.');
        string(step, &mut path);
    }
    match test {
        JsonTest::Exists => {}
        JsonTest::IsNull => path.push_str(" ? (@.type() == \"null\")"),
        JsonTest::NotNull => path.push_str(" ? (@.type() != \"null\")"),
        test => {
            path.push_str(" ? (");
            condition(test, &mut path);
            path.push(')');
        }
    }
    path
}

/// The path that finds arrays of a size. A filter on an array would be one on its elements, so the last step is
/// inside of the filter.
fn of_size(steps: &[String], operator: Compare, size: u64) -> String {
    let mut path = String::new();
    let last = match steps.split_last() {
        Some((last, before)) => {
            path.push_str(&of(before, &JsonTest::Exists));
            let mut member = String::from("@.");
            string(last, &mut member);
            member
        }
        None => {
            path.push_str("strict $");
            "@".to_owned()
        }
    };
    let symbol = symbol(operator);
    path.push_str(&format!(" ? ({last}.type() == \"array\" && {last}.size(){symbol}{size})"));
    path
}

/// The path to the values at these member names, and to the elements of those that are arrays.
pub(crate) fn elements(steps: &[String]) -> String {
    format!("{}[*]", of(steps, &JsonTest::Exists))
}

/// The path to the value at these member names alone: it takes no step on the elements of an array.
pub(crate) fn to(steps: &[String]) -> String {
    let mut path = String::from("strict $");
    for step in steps {
        path.push('.');
        string(step, &mut path);
    }
    path
}

/// The path along steps, array steps among them, in lax mode.
pub(crate) fn along(steps: &[JsonStep]) -> String {
    let mut path = String::from("lax $");
    for step in steps {
        match step {
            JsonStep::Member(name) => {
                path.push('.');
                string(name, &mut path);
            }
            JsonStep::Element(position) => path.push_str(&format!("[{position}]")),
            JsonStep::Size => path.push_str(".size()"),
        }
    }
    path
}

fn condition(test: &JsonTest, path: &mut String) {
    match test {
        JsonTest::Exists | JsonTest::IsNull | JsonTest::NotNull | JsonTest::Size(..) => {}
        JsonTest::Compare(operator, operand) => typed(operand, path, |path| {
            path.push_str(symbol(*operator));
            literal(operand, path);
        }),
        JsonTest::In(operands) => any(operands, path),
        JsonTest::Between(low, high) => {
            let ends = [(low, Compare::Gte), (high, Compare::Lte)];
            let given = ends.into_iter().filter_map(|(end, op)| end.clone().map(|end| (end, op)));
            for (at, (end, operator)) in given.enumerate() {
                path.push_str(if at > 0 { " && " } else { "" });
                condition(&JsonTest::Compare(operator, end), path);
            }
        }
        JsonTest::Like(pattern) => matches(&regex(pattern), "s", path),
        JsonTest::Contains(part) => matches(part, "q", path),
        JsonTest::Regex(pattern) => matches(pattern, "s", path),
    }
}

/// Equality with one of the operands. Halves are grouped, because a chain of thousands would exhaust
/// the stack of PostgreSQL's parser.
fn any(operands: &[JsonScalar], path: &mut String) {
    match operands {
        [] => path.push_str("1 == 0"),
        [operand] => condition(&JsonTest::Compare(Compare::Eq, operand.clone()), path),
        _ => {
            let (left, right) = operands.split_at(operands.len() / 2);
            path.push('(');
            any(left, path);
            path.push_str(" || ");
            any(right, path);
            path.push(')');
        }
    }
}

/// A condition on values of the operand's type.
fn typed(operand: &JsonScalar, path: &mut String, test: impl FnOnce(&mut String)) {
    let name = match operand {
        JsonScalar::Bool(_) => "boolean",
        JsonScalar::Number(_) => "number",
        JsonScalar::Text(_) => "string",
    };
    path.push_str("(@.type() == \"");
    path.push_str(name);
    path.push_str("\" && @");
    test(path);
    path.push(')');
}

fn matches(pattern: &str, flag: &str, path: &mut String) {
    path.push_str("@.type() == \"string\"");
    if pattern.is_empty() {
        return;
    }
    path.push_str(" && @ like_regex ");
    string(pattern, path);
    path.push_str(" flag \"");
    path.push_str(flag);
    path.push('"');
}

/// The regular expression of a `LIKE` pattern.
fn regex(pattern: &str) -> String {
    let mut regex = String::from("^");
    for part in like::parts(pattern) {
        match part {
            PatternPart::Text => regex.push_str(".*"),
            PatternPart::One => regex.push('.'),
            PatternPart::Char(char) => {
                if char.is_ascii_punctuation() {
                    regex.push('\\');
                }
                regex.push(char);
            }
        }
    }
    regex.push('$');
    regex
}

fn literal(scalar: &JsonScalar, path: &mut String) {
    scalar.json().write(path);
}

fn string(text: &str, path: &mut String) {
    Json::new(JsonKind::Text(Cow::Borrowed(text))).write(path);
}

fn symbol(operator: Compare) -> &'static str {
    match operator {
        Compare::Eq => " == ",
        Compare::Ne => " != ",
        Compare::Lt => " < ",
        Compare::Lte => " <= ",
        Compare::Gt => " > ",
        Compare::Gte => " >= ",
    }
}
