//! Scripts of plans: statements that set variables and properties, and write to the log. Nothing else is taken.

use super::Problem;
use super::functions::Values;
use super::template::Template;
use crate::xml::Element;

/// A script.
#[derive(Clone, Debug)]
pub(super) struct Script(Vec<Statement>);

#[derive(Clone, Debug)]
struct Statement {
    to: Scope,
    name: Template,
    value: Expression,
}

#[derive(Clone, Copy, Debug)]
enum Scope {
    Variables,
    Properties,
}

#[derive(Clone, Debug)]
enum Expression {
    Text(Template),
    Get(Scope, Template),
}

impl Script {
    /// Reads a script of JSR223 or BeanShell.
    ///
    /// # Errors
    /// The first statement that is not taken.
    pub(super) fn read(element: &Element) -> Result<Self, Problem> {
        let script = ["script", "BeanShellPostProcessor.script"].map(|name| element.property(name));
        let Some(script) = script.into_iter().flatten().next() else { return Ok(Self(Vec::new())) };
        let mut found = Vec::new();
        for (at, text) in script.text.lines().enumerate() {
            for statement in text.split(';').map(str::trim) {
                if statement.is_empty() || statement.starts_with("//") || is_log(statement) {
                    continue;
                }
                let line = script.line + at;
                let read = read(statement, line).ok_or_else(|| {
                    let message = format!(
                        "{} has the statement {statement:?}; scripts may only put texts and other values into vars and props, and log.",
                        element.tag
                    );
                    Problem::new(line, message)
                })?;
                found.push(read);
            }
        }
        Ok(Self(found))
    }

    /// Runs it, and returns the variables that it sets.
    pub(super) fn run(&self, values: &mut Values<'_>) -> Vec<(String, String)> {
        let mut set = Vec::new();
        for Statement { to, name, value } in &self.0 {
            let name = values.text(name);
            let value = match value {
                Expression::Text(text) => values.text(text),
                Expression::Get(from, name) => {
                    let name = values.text(name);
                    match from {
                        Scope::Variables => values.variables.get(&name),
                        Scope::Properties => values.shared.properties.get(&name),
                    }
                    .cloned()
                    .unwrap_or_default()
                }
            };
            match to {
                Scope::Variables => set.push((name, value)),
                Scope::Properties => drop(values.shared.properties.insert(name, value)),
            }
        }
        set
    }
}

fn is_log(statement: &str) -> bool {
    ["log.info(", "log.debug(", "log.warn("].iter().any(|log| statement.starts_with(log))
}

/// `vars.put("name", "text")`, or a value of `vars.get("name")` or `props.get("name")`.
fn read(statement: &str, line: usize) -> Option<Statement> {
    let (to, rest) = scope(statement, "put(")?;
    let (name, rest) = literal(rest, line)?;
    let rest = rest.trim_start().strip_prefix(',')?.trim_start();
    let rest = rest.strip_suffix(')')?.trim_end();
    let value = match literal(rest, line) {
        Some((text, "")) => Expression::Text(text),
        Some(_) => return None,
        None => {
            let (from, rest) = scope(rest, "get(")?;
            let (name, rest) = literal(rest, line)?;
            (rest.trim() == ")").then_some(())?;
            Expression::Get(from, name)
        }
    };
    Some(Statement { to, name, value })
}

fn scope<'t>(text: &'t str, call: &str) -> Option<(Scope, &'t str)> {
    let found = text.strip_prefix("vars.").map(|rest| (Scope::Variables, rest));
    let (scope, rest) =
        found.or_else(|| Some((Scope::Properties, text.strip_prefix("props.")?)))?;
    Some((scope, rest.strip_prefix(call)?.trim_start()))
}

/// A text in quotes, and what follows it.
fn literal(text: &str, line: usize) -> Option<(Template, &str)> {
    let quote = text.chars().next().filter(|first| ['"', '\''].contains(first))?;
    let (inside, rest) = text[1..].split_once(quote)?;
    if inside.contains('\\') {
        return None;
    }
    Some((Template::read(inside, line).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> Result<Script, Problem> {
        let property = Element {
            attributes: vec![("name".into(), "script".into())],
            text: text.into(),
            line: 5,
            ..Element::default()
        };
        Script::read(&Element { children: vec![property], ..Element::default() })
    }

    #[test]
    fn scripts_set_and_log() {
        let text =
            "log.info(\"a ${b}\");\nprops.put(\"x\", vars.get(\"y\")); vars.put('z', \"${y}!\")";
        assert_eq!(script(text).unwrap().0.len(), 2);
        let wrong = script("log.info(\"a\");\nSystem.exit(1);").unwrap_err();
        assert!(wrong.line == 6 && wrong.message.contains("System.exit(1)"), "{wrong}");
        assert!(script("vars.put(\"a\", \"b\" + 1)").is_err());
    }
}
