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

/// Whether a statement writes to the log, and does nothing else: what it calls only gives values.
fn is_log(statement: &str) -> bool {
    let log = ["log.info(", "log.debug(", "log.warn(", "log.error("];
    let Some(rest) = log.iter().find_map(|log| statement.strip_prefix(log)) else { return false };
    let Some(code) = without_texts(rest) else { return false };
    let mut parts: Vec<&str> = code.split('(').collect();
    parts.pop();
    !code.contains(['=', '{', '['])
        && !code.contains("++")
        && !code.contains("--")
        && parts.iter().all(|before| gives_value(before))
}

/// Whether what is called behind this text only gives a value.
fn gives_value(before: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    let name = before.rsplit(|char| !is_part(char)).next().unwrap_or_default();
    name.is_empty()
        || ["get", "is"].iter().any(|start| name.starts_with(start))
        || ["toString", "length", "size"].contains(&name)
}

/// A text of a script without what is in quotes; `None` where that computes something, or does not end.
fn without_texts(code: &str) -> Option<String> {
    let (mut out, mut rest) = (String::new(), code);
    while let Some(at) = rest.find(['"', '\'']) {
        out.push_str(&rest[..at]);
        let (inside, behind) = literal(&rest[at..])?;
        // Groovy runs what is in `${…}`.
        let runs = |rest: &str| !rest.starts_with("__") && rest.contains('(');
        if inside.split("${").skip(1).any(runs) {
            return None;
        }
        rest = behind;
    }
    out.push_str(rest);
    Some(out)
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
        for (statement, expected) in [
            ("log.info(\"a\")", true),
            ("log.info('a (b=c)' + vars.get(\"x\") + prev.getResponseCode())", true),
            ("log.info(\"a\" + vars.put(\"x\",\"9\"))", false),
            ("log.info(\"a\") ? vars.put('x','9') : 1", false),
            ("log.info(\"${vars.put('x','9')}\")", false),
            ("log.info(\"a\" + (x = 5))", false),
        ] {
            assert_eq!(is_log(statement), expected, "{statement}");
        }
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
