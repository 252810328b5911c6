//! JMeter's texts become texts of workload files: `${name}` and `${__function(arguments)}`.

use super::Problem;
use crate::workload::file::functions::moment::{Pattern, period};
use crate::workload::file::functions::{FUNCTIONS, closing, divided};

/// How many functions may be in each other's arguments.
const MOST_NESTED: usize = 32;

/// The text of a workload file for a text of JMeter.
///
/// # Errors
/// A function that is not taken, and functions that are nested too deeply.
pub(super) fn text(given: &str, line: usize) -> Result<String, Problem> {
    converted(given, line, 0)
}

/// A text of a workload file as an argument of a function.
pub(super) fn argument(text: &str) -> String {
    escaped(text)
}

/// A text that is written as it is.
pub(super) fn literal(given: &str) -> String {
    given.replace("${", "$${")
}

fn converted(given: &str, line: usize, depth: usize) -> Result<String, Problem> {
    if depth > MOST_NESTED {
        let message = format!("Functions are nested more than {MOST_NESTED} levels deep.");
        return Err(Problem::new(line, message));
    }
    if !given.contains("${") {
        return Ok(given.to_owned());
    }
    let mut out = String::with_capacity(given.len());
    let mut rest = given;
    while let Some(next) = rest.chars().next() {
        let behind = &rest[next.len_utf8()..];
        // Where a text has functions, a backslash takes their characters as they are.
        if next == '\\' && behind.starts_with(['$', ',', '\\']) {
            let taken = &behind[..1];
            rest = &behind[1..];
            match taken == "$" && rest.starts_with('{') {
                true => {
                    out.push_str("$${");
                    rest = &rest[1..];
                }
                false => out.push_str(taken),
            }
            continue;
        }
        let Some(inside) = rest.strip_prefix("${") else {
            out.push(next);
            rest = behind;
            continue;
        };
        let Some(end) = closing(inside) else {
            out.push_str("$${");
            rest = inside;
            continue;
        };
        if out.ends_with('$') {
            out.pop();
            out.push_str("${text($)}");
        }
        out.push_str(&placeholder(&inside[..end], line, depth)?);
        rest = &inside[end + 1..];
    }
    Ok(out)
}

fn placeholder(inside: &str, line: usize, depth: usize) -> Result<String, Problem> {
    let trimmed = inside.trim();
    if trimmed == "JMeterThread.last_sample_ok" {
        return Ok("${last_ok()}".into());
    }
    // The numbers of passes are values.
    if !trimmed.starts_with("__") || trimmed.starts_with("__jm__") {
        // A name that a placeholder cannot have is none.
        return Ok(match trimmed.contains(['$', '{', '(', ')']) {
            true => format!("$${{{}}}", literal(inside)),
            false => format!("${{{trimmed}}}"),
        });
    }
    let (name, arguments) = match trimmed.split_once('(') {
        Some((name, rest)) => (name, rest.strip_suffix(')').unwrap_or(rest)),
        None => (trimmed, ""),
    };
    if let Some(value) = script(name, arguments) {
        return Ok(value);
    }
    let known = FUNCTIONS.iter().find(|row| row.jmeter.contains(&name));
    let is_script = ["__BeanShell", "__groovy"].contains(&name);
    let Some(row) = known.filter(|_| !is_script) else {
        let more = match is_script {
            true => {
                " for this script: it gives FileServer's getBaseDir(), or a value of vars or props"
            }
            false => "",
        };
        return Err(Problem::new(line, format!("The function {name} is not taken{more}.")));
    };
    let mut given = divided(arguments);
    let mut function = row.name;
    check(name, &given, line)?;
    match name {
        // A default that is given counts, though it be empty.
        "__P" => {
            let default = given.get(1).cloned().unwrap_or_else(|| "1".to_owned());
            given = vec![part(&given, 0), default];
        }
        "__property" => {
            let name = part(&given, 0);
            let default = given.get(2).unwrap_or(&name).clone();
            given = vec![name, default, part(&given, 1)];
        }
        "__changeCase" => {
            function = match part(&given, 1).trim().to_ascii_lowercase().as_str() {
                "lower" => "lower",
                "capitalize" => "capitalize",
                _ => "upper",
            };
            given.truncate(1);
        }
        "__CSVRead" => given.truncate(2),
        "__evalVar" => given = vec![format!("${{__V({})}}", part(&given, 0))],
        "__log" => given.truncate(1),
        _ => {}
    }
    let [least, most] =
        FUNCTIONS.iter().find(|row| row.name == function).map_or([0, 0], |row| row.count);
    if given.len() < least || given.len() > most {
        let message = format!("The function {name} is not taken with {} arguments.", given.len());
        return Err(Problem::new(line, message));
    }
    let each = given.iter().map(|text| Ok(escaped(&converted(text, line, depth + 1)?)));
    let each: Vec<String> = each.collect::<Result<_, Problem>>()?;
    Ok(format!("${{{function}({})}}", each.join(",")))
}

fn part(given: &[String], at: usize) -> String {
    given.get(at).cloned().unwrap_or_default()
}

/// Rejects arguments that mean something else than what is done with them.
fn check(name: &str, given: &[String], line: usize) -> Result<(), Problem> {
    let part = |at: usize| given.get(at).map_or("", |text| text.trim());
    let is_constant = |at: usize| !part(at).contains("${");
    let is_format = |text: &str| ["", "/1000"].contains(&text) || Pattern::read(text).is_some();
    let is_taken = match name {
        "__time" => is_constant(0) && is_format(part(0)),
        "__timeShift" => {
            let is_period = is_constant(2) && period(part(2)).is_some();
            is_constant(0) && is_format(part(0)) && part(1).is_empty() && is_period
        }
        // JMeter fails the sample.
        "__Random" => match (part(0).parse::<i64>(), part(1).parse::<i64>()) {
            (Ok(from), Ok(to)) => from <= to,
            _ => true,
        },
        "__CSVRead" => part(1).bytes().all(|byte| byte.is_ascii_digit()) && !part(1).is_empty(),
        "__FileToString" => ["", "utf-8", "utf8"].contains(&&*part(1).to_ascii_lowercase()),
        "__changeCase" => {
            ["", "upper", "lower", "capitalize"].contains(&&*part(1).to_ascii_lowercase())
                && part(2).is_empty()
        }
        _ => true,
    };
    match is_taken {
        true => Ok(()),
        false => {
            let message = format!("The function {name} is not taken with ({}).", given.join(","));
            Err(Problem::new(line, message))
        }
    }
}

/// An argument whose commas are its own.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0usize;
    for next in text.chars() {
        match next {
            ',' if depth == 0 => out.push_str("\\,"),
            _ => {
                depth = match next {
                    '{' | '(' => depth + 1,
                    '}' | ')' => depth.saturating_sub(1),
                    _ => depth,
                };
                out.push(next);
            }
        }
    }
    out
}

/// What a script gives that only reads a value.
fn script(function: &str, arguments: &str) -> Option<String> {
    ["__BeanShell", "__groovy", "__jexl2", "__jexl3", "__javaScript"]
        .contains(&function)
        .then_some(())?;
    let words: String = arguments.split_whitespace().collect();
    let words = words.replace("importorg.apache.jmeter.services.FileServer;", "");
    let words =
        words.trim_start_matches("org.apache.jmeter.services.").trim_end_matches([';', ',']);
    if words == "FileServer.getFileServer().getBaseDir()" {
        return Some("${folder()}".into());
    }
    let name = |start: &str| {
        let inside = words.strip_prefix(start)?.strip_suffix(')')?;
        let quote = inside.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
        let name = inside.strip_prefix(quote)?.strip_suffix(quote)?;
        (!name.contains(['"', '\'', '$', '{', '}', '(', ')', ','])).then_some(name)
    };
    match (name("vars.get("), name("props.get(")) {
        (Some(name), _) => Some(format!("${{{name}}}")),
        (None, Some(name)) => Some(format!("${{shared({name})}}")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_keep_their_meaning() {
        let text = |given: &str| text(given, 7).unwrap();
        for (given, expected) in [
            ("a${b}c", "a${b}c"),
            ("50 $ {a} a\\,b", "50 $ {a} a\\,b"),
            ("${ b }$${c}", "${b}${text($)}${c}"),
            ("${__P(host)}:${__P(port,80)}", "${shared(host,1)}:${shared(port,80)}"),
            ("${__property(a,,d)}", "${shared(a,d,)}"),
            ("${__property(a)}${__property(a,v)}", "${shared(a,a,)}${shared(a,a,v)}"),
            ("${__P(a,)}${__property(a,,)}", "${shared(a,)}${shared(a,,)}"),
            (
                "${__Random(0,${n},x)}${JMeterThread.last_sample_ok}",
                "${random(0,${n},x)}${last_ok()}",
            ),
            ("${__P(zz,a\\,b)}", "${shared(zz,a\\,b)}"),
            ("${__groovy(vars.get(\"x\"))}", "${x}"),
            ("a\\${b}${c}", "a$${b}${c}"),
            ("${open", "$${open"),
            ("${__UUID}", "${uuid()}"),
            (
                "${__CSVRead(${__BeanShell(import org.apache.jmeter.services.FileServer; FileServer.getFileServer().getBaseDir();)}/c.csv,6)}",
                "${csv_cell(${folder()}/c.csv,6)}",
            ),
        ] {
            assert_eq!(text(given), expected);
        }
    }

    #[test]
    fn what_is_not_taken_is_named() {
        for (given, name) in [
            ("${__groovy(1+1)}", "__groovy"),
            ("${__machineName()}", "__machineName"),
            ("${__time(EEE)}", "__time"),
            ("${__timeShift(,2020-01-01,P1D)}", "__timeShift"),
            ("${__CSVRead(a.csv,next)}", "__CSVRead"),
            ("${__Random(1)}", "__Random"),
        ] {
            let problem = text(given, 7).unwrap_err();
            assert!(problem.line == 7 && problem.message.contains(name), "{problem}");
        }
        let nested = |levels: usize| {
            text(&format!("{}x{}", "${__eval(".repeat(levels), ")}".repeat(levels)), 7)
        };
        assert!(nested(MOST_NESTED).is_ok());
        for levels in [MOST_NESTED + 1, 2_000] {
            assert_eq!(nested(levels).unwrap_err().line, 7);
        }
    }
}
