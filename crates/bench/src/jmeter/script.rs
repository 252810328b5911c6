//! Scripts of plans: statements that set variables and properties, and write to the log. Nothing else is taken.

use std::collections::BTreeMap;

use super::Problem;
use super::place::Reader;
use super::text::text;
use crate::workload::file::definition::Scalar;
use crate::xml::Element;

/// Values that a user sets, and values that it sets for all.
pub(super) type Sets = (BTreeMap<String, Scalar>, BTreeMap<String, Scalar>);

/// What a script of JSR223 or BeanShell sets, statement by statement. What is not taken of it is refused.
pub(super) fn read(element: &Element, reader: &mut Reader<'_>) -> Vec<Sets> {
    let names = ["script", "BeanShellPostProcessor.script", "BeanShellPreProcessor.script"];
    let script = names.iter().find_map(|name| element.property(name));
    let Some(script) = script else { return Vec::new() };
    // Without a language JSR223 takes Groovy.
    let language = element.text_of("scriptLanguage");
    let fills_texts =
        element.tag.starts_with("JSR223") && ["", "groovy"].contains(&&*language.to_lowercase());
    let mut sets = Vec::new();
    for (at, text) in script.text.lines().enumerate() {
        for statement in text.split(';').map(str::trim) {
            if statement.is_empty() || statement.starts_with("//") || is_log(statement) {
                continue;
            }
            let line = script.line + at;
            if fills_texts && has_dollar(statement) {
                let message = format!(
                    "{} has the statement {statement:?}: Groovy fills in what is behind a `$` in double quotes; write the text in single quotes.",
                    element.tag
                );
                sets.extend(reader.taken(Err(Problem::new(line, message))));
                continue;
            }
            let read = statement_of(statement, line).unwrap_or_else(|| {
                let message = format!(
                    "{} has the statement {statement:?}; scripts may only put texts and other values into vars and props, and log.",
                    element.tag
                );
                Err(Problem::new(line, message))
            });
            sets.extend(reader.taken(read));
        }
    }
    sets
}

/// Whether a text in double quotes has a `$` that does not begin a value of the plan.
fn has_dollar(statement: &str) -> bool {
    let mut quote = None;
    let mut chars = statement.chars().peekable();
    while let Some(next) = chars.next() {
        match (next, quote) {
            ('"' | '\'', None) => quote = Some(next),
            (next, Some(open)) if next == open => quote = None,
            ('$', Some('"')) if chars.peek() != Some(&'{') => return true,
            _ => {}
        }
    }
    false
}

fn is_log(statement: &str) -> bool {
    ["log.info(", "log.debug(", "log.warn(", "log.error("]
        .iter()
        .any(|log| statement.starts_with(log))
}

/// `vars.put("name", "text")`, or a value of `vars.get("name")` or `props.get("name")`.
fn statement_of(statement: &str, line: usize) -> Option<Result<Sets, Problem>> {
    let (is_shared, rest) = scope(statement, "put(")?;
    let (name, rest) = literal(rest)?;
    let rest = rest.trim_start().strip_prefix(',')?.trim_start();
    let rest = rest.strip_suffix(')')?.trim_end();
    let value = match literal(rest) {
        Some((value, "")) => text(value, line),
        Some(_) => return None,
        None => {
            let (is_shared, rest) = scope(rest, "get(")?;
            let (name, rest) = literal(rest)?;
            (rest.trim() == ")").then_some(())?;
            Ok(if is_shared { format!("${{shared({name})}}") } else { format!("${{{name}}}") })
        }
    };
    // A name that is computed is none that steps can set.
    (!name.contains(['$', '{', '}', '(', ')', ','])).then_some(())?;
    let set = |value| BTreeMap::from([(name.to_owned(), Scalar::Text(value))]);
    Some(value.map(|value| match is_shared {
        true => (BTreeMap::new(), set(value)),
        false => (set(value), BTreeMap::new()),
    }))
}

/// Whether a call is one of properties, and what is in it.
fn scope<'t>(text: &'t str, call: &str) -> Option<(bool, &'t str)> {
    let found = text.strip_prefix("vars.").map(|rest| (false, rest));
    let (is_shared, rest) = found.or_else(|| Some((true, text.strip_prefix("props.")?)))?;
    Some((is_shared, rest.strip_prefix(call)?.trim_start()))
}

/// A text in quotes, and what follows it.
fn literal(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|first| ['"', '\''].contains(first))?;
    let (inside, rest) = text[1..].split_once(quote)?;
    (!inside.contains('\\')).then_some((inside, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_set_values() {
        let (set, share) = statement_of("vars.put('z', \"${y}!\")", 1).unwrap().unwrap();
        assert_eq!((&set["z"], share.len()), (&Scalar::Text("${y}!".into()), 0));
        let (set, share) = statement_of("props.put(\"x\", vars.get(\"y\"))", 1).unwrap().unwrap();
        assert_eq!((set.len(), &share["x"]), (0, &Scalar::Text("${y}".into())));
        for wrong in ["System.exit(1)", "vars.put(\"a\", \"b\" + 1)", "vars.put(x, \"b\")"] {
            assert!(statement_of(wrong, 1).is_none(), "{wrong}");
        }
        assert!(is_log("log.info(\"a\")"));
        for (text, has) in [
            ("vars.put(\"a\", \"x$y\")", true),
            ("vars.put('a', \"$\")", true),
            ("vars.put(\"a\", \"${y}\")", false),
            ("vars.put(\"a\", 'x$y')", false),
        ] {
            assert_eq!(has_dollar(text), has, "{text}");
        }
    }
}
