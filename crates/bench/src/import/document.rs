//! A document of another tool, JSON or YAML, and the lines of its values.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Value};

use super::Problem;
use super::json_lines::line_of;

/// The deepest nesting, as in JSON texts.
const DEEPEST: usize = 127;
/// The most values that aliases of YAML may copy.
const MOST_COPIES: usize = 100_000;

/// A parsed document.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) value: Value,
    lines: Lines,
}

#[derive(Debug)]
enum Lines {
    /// The text of JSON, which is searched for a line.
    Text(String),
    /// The line of each value of YAML, by its pointer.
    Known(BTreeMap<String, usize>),
}

impl Document {
    /// Parses a text: JSON if it begins as an object, otherwise YAML.
    ///
    /// # Errors
    /// The first mistake in it.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start().starts_with('{') {
            let value = serde_json::from_str(text).map_err(|error| {
                Problem::new(error.line().max(1), format!("It is not JSON: {error}."))
            })?;
            return Ok(Self { value, lines: Lines::Text(text.to_owned()) });
        }
        let mut builder = Builder::default();
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| {
                let message = format!("It is not YAML: {}.", error.info());
                Problem::new(error.marker().line().max(1), message)
            })?;
            builder.take(event, span)?;
        }
        let value = builder.root.unwrap_or(Value::Null);
        Ok(Self { value, lines: Lines::Known(builder.lines) })
    }

    /// The line of the value at a pointer (RFC 6901), or of its nearest part that exists.
    pub(super) fn line(&self, pointer: &str) -> usize {
        match &self.lines {
            Lines::Text(text) => line_of(text, pointer),
            Lines::Known(lines) => {
                let mut pointer = pointer;
                loop {
                    if let Some(line) = lines.get(pointer) {
                        return *line;
                    }
                    match pointer.rfind('/') {
                        Some(at) => pointer = &pointer[..at],
                        None => return 1,
                    }
                }
            }
        }
    }

    pub(super) fn problem(&self, pointer: &str, message: impl Into<String>) -> Problem {
        Problem::new(self.line(pointer), message)
    }
}

/// A part of a JSON pointer.
pub(super) fn escaped(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

/// Makes values of the events of YAML.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Value>,
    anchors: BTreeMap<usize, Value>,
    copies: usize,
    lines: BTreeMap<String, usize>,
}

/// An array or object that is not complete.
struct Open {
    value: Value,
    /// Of an object, the name whose value comes next.
    name: Option<String>,
    anchor: usize,
    pointer: String,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let line = span.start.line().max(1);
        match event {
            Event::SequenceStart(anchor, _) => self.begin(Value::Array(Vec::new()), anchor, line),
            Event::MappingStart(anchor, _) => self.begin(Value::Object(Map::new()), anchor, line),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else { return Ok(()) };
                self.put(open.value, open.anchor, line)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = style != ScalarStyle::Plain
                    || tag.is_some_and(|tag| tag.suffix == "str")
                    || self.awaits_name();
                let value = if is_text { Value::String(text.into_owned()) } else { plain(&text) };
                self.place(line);
                self.put(value, anchor, line)
            }
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor).cloned().unwrap_or(Value::Null);
                self.copies += size(&value);
                if self.copies > MOST_COPIES {
                    let message = format!("Aliases copy more than {MOST_COPIES} values.");
                    return Err(Problem::new(line, message));
                }
                self.place(line);
                self.put(value, 0, line)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, value: Value, anchor: usize, line: usize) -> Result<(), Problem> {
        if self.open.len() >= DEEPEST {
            return Err(Problem::new(line, format!("It is nested deeper than {DEEPEST}.")));
        }
        if self.awaits_name() {
            return Err(Problem::new(line, "A name is an array or an object."));
        }
        let pointer = self.place(line);
        self.open.push(Open { value, name: None, anchor, pointer });
        Ok(())
    }

    fn awaits_name(&self) -> bool {
        self.open.last().is_some_and(|open| open.value.is_object() && open.name.is_none())
    }

    /// The pointer of the next value, whose line is noted.
    fn place(&mut self, line: usize) -> String {
        let pointer = match self.open.last() {
            None => String::new(),
            Some(Open { value: Value::Array(items), pointer, .. }) => {
                format!("{pointer}/{}", items.len())
            }
            Some(Open { name: Some(name), pointer, .. }) => format!("{pointer}/{}", escaped(name)),
            // A name has no place of its own.
            Some(_) => return String::new(),
        };
        self.lines.entry(pointer.clone()).or_insert(line);
        pointer
    }

    fn put(&mut self, value: Value, anchor: usize, line: usize) -> Result<(), Problem> {
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        let Some(open) = self.open.last_mut() else {
            // Documents behind the first one are none of it.
            self.root.get_or_insert(value);
            return Ok(());
        };
        match &mut open.value {
            Value::Array(items) => items.push(value),
            Value::Object(members) => match open.name.take() {
                None => {
                    let name = match value {
                        Value::String(text) => text,
                        other => other.to_string(),
                    };
                    // The line of a member is that of its name.
                    let pointer = format!("{}/{}", open.pointer, escaped(&name));
                    self.lines.insert(pointer, line);
                    open.name = Some(name);
                }
                Some(name) => {
                    if members.contains_key(&name) {
                        return Err(Problem::new(line, format!("{name:?} is there twice.")));
                    }
                    members.insert(name, value);
                }
            },
            _ => {}
        }
        Ok(())
    }
}

/// A scalar without quotes, by YAML's core schema (§10.3).
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let radix = |prefix: &str, radix: u32| {
        text.strip_prefix(prefix).and_then(|digits| i64::from_str_radix(digits, radix).ok())
    };
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return number.into();
    }
    let digits = text.trim_start_matches(['-', '+']);
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.contains(|char: char| char.is_ascii_digit())
        && digits.chars().all(|char| char.is_ascii_digit() || ".eE+-".contains(char));
    if is_number && let Ok(number) = text.parse::<i64>() {
        return number.into();
    }
    match text.parse::<f64>().ok().filter(|_| is_number).and_then(serde_json::Number::from_f64) {
        Some(number) => Value::Number(number),
        None => Value::String(text.to_owned()),
    }
}

/// How many values it has in it.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum::<usize>(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn yaml_is_read_as_json_is() {
        let text = "# a comment\nopenapi: 3.0.3\npaths:\n  /a/{b}:\n    get: &one\n      responses: {\"200\": {description: it's}}\n      deprecated: false\n    put: *one\nlist:\n- 1\n- -2.5\n- 'text'\n- 0x1F\n- 1.2.3\n- ~\n- |\n  two\n  lines\n";
        let document = Document::parse(text).unwrap();
        let get = json!({"responses": {"200": {"description": "it's"}}, "deprecated": false});
        let expected = json!({
            "openapi": "3.0.3",
            "paths": {"/a/{b}": {"get": get, "put": get}},
            "list": [1, -2.5, "text", 31, "1.2.3", null, "two\nlines\n"],
        });
        assert_eq!(document.value, expected);
        for (pointer, line) in [
            ("/openapi", 2),
            ("/paths/~1a~1{b}/get", 5),
            ("/paths/~1a~1{b}/get/responses/200", 6),
            ("/paths/~1a~1{b}/put/nothing", 8),
            ("/list/2", 12),
        ] {
            assert_eq!(document.line(pointer), line, "{pointer}");
        }
    }

    #[test]
    fn what_is_no_document_has_its_line() {
        let bomb = "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n";
        let deep = "[".repeat(100_000);
        let lists = "- ".repeat(200) + "1";
        for (text, line, said) in [
            ("{\n\"a\": }", 2, "It is not JSON"),
            ("a: 1\nb: [1\n", 2, "It is not YAML"),
            ("a: 1\na: 2\n", 2, "is there twice"),
            (bomb, 5, "Aliases copy"),
            (&deep, 1, "recursion limit"),
            (&lists, 1, "nested deeper"),
        ] {
            let problem = Document::parse(text).unwrap_err();
            assert!(problem.message.contains(said), "{problem:?}");
            assert!(problem.line >= line, "{problem:?}");
        }
    }
}
