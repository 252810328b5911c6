//! The part of YAML that RAML files are written in: mappings, lists, texts on one or several lines, and `!include`.
//!
//! Not read are anchors, several documents, and keys that are no plain texts.

use std::borrow::Cow;

/// How deep values are read.
const DEPTH: usize = 32;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Yaml {
    /// No value.
    Null,
    /// A text, also of a number or a switch.
    Text(String),
    /// The path of an included file.
    Include(String),
    /// A list.
    List(Vec<Yaml>),
    /// A mapping, in its order.
    Map(Vec<Entry>),
}

/// A member of a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its name.
    pub(super) key: String,
    /// The line of the name, from 1.
    pub(super) line: usize,
    /// Its value.
    pub(super) value: Yaml,
}

impl Yaml {
    /// The members of a mapping; none of anything else.
    pub(super) fn entries(&self) -> &[Entry] {
        match self {
            Self::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The member of a name.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The text of a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Reads a file.
pub(super) fn read(text: &str) -> Yaml {
    let lines = text.lines().enumerate().map(|(at, line)| Line::new(at + 1, line));
    let mut reader = Reader { lines: lines.collect(), at: 0 };
    reader.block(0, DEPTH)
}

struct Line<'t> {
    number: usize,
    indent: usize,
    /// Without indentation and comment.
    text: &'t str,
    /// As it is, for texts of several lines.
    whole: &'t str,
}

impl<'t> Line<'t> {
    fn new(number: usize, whole: &'t str) -> Self {
        let text = whole.trim_start();
        let indent = whole.len() - text.len();
        Self { number, indent, text: without_comment(text).trim_end(), whole }
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() || (self.indent == 0 && self.text.starts_with("%"))
    }
}

/// A line without the comment at its end: behind a blank, and outside of quotes.
fn without_comment(text: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, char) in text.char_indices() {
        match (quote, char) {
            (None, '#') if before.is_whitespace() => return &text[..at],
            (None, '"' | '\'') if !before.is_alphanumeric() => quote = Some(char),
            (Some(open), char) if open == char && before != '\\' => quote = None,
            _ => {}
        }
        before = char;
    }
    text
}

struct Reader<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
}

impl<'t> Reader<'t> {
    /// The next line with content.
    fn next(&mut self) -> Option<&Line<'t>> {
        while self.lines.get(self.at).is_some_and(Line::is_empty) {
            self.at += 1;
        }
        self.lines.get(self.at)
    }

    /// The value whose lines are indented by at least this.
    fn block(&mut self, least: usize, depth: usize) -> Yaml {
        let Some(line) = self.next().filter(|line| line.indent >= least && depth > 0) else {
            return Yaml::Null;
        };
        let (indent, text) = (line.indent, line.text);
        match text {
            _ if text.starts_with("- ") || text == "-" => self.list(indent, depth),
            _ if key_of(text).is_some() => self.map(indent, depth),
            _ => {
                self.at += 1;
                self.scalar(text, indent, depth)
            }
        }
    }

    fn map(&mut self, indent: usize, depth: usize) -> Yaml {
        let mut entries = Vec::new();
        while let Some(line) = self.next().filter(|line| line.indent >= indent) {
            let (here, text, number) = (line.indent, line.text, line.number);
            let found = key_of(text).filter(|_| here == indent);
            self.at += 1;
            // What is deeper, or no member, continues a text that is not needed.
            let Some((key, rest)) = found else { continue };
            let value = if rest.is_empty() {
                self.below(indent, depth)
            } else {
                self.scalar(rest, indent, depth)
            };
            entries.push(Entry { key: key.into_owned(), line: number, value });
        }
        Yaml::Map(entries)
    }

    /// The value on the lines below a key: a list may have the indentation of the key.
    fn below(&mut self, indent: usize, depth: usize) -> Yaml {
        let is_list = |line: &&Line<'_>| line.indent == indent && line.text.starts_with("- ");
        match self.next().filter(is_list).is_some() {
            true => self.list(indent, depth - 1),
            false => self.block(indent + 1, depth - 1),
        }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Yaml {
        let mut items = Vec::new();
        while let Some(line) = self.next().filter(|line| line.indent == indent) {
            let Some(rest) = line.text.strip_prefix('-') else { break };
            let text = rest.trim_start();
            let inner = indent + 1 + (rest.len() - text.len());
            if text.is_empty() {
                self.at += 1;
                items.push(self.block(indent + 1, depth - 1));
                continue;
            }
            // The item is a block of its own that begins behind the hyphen.
            if let Some(line) = self.lines.get_mut(self.at) {
                (line.indent, line.text) = (inner, text);
            }
            items.push(self.block(inner, depth - 1));
        }
        Yaml::List(items)
    }

    /// A value that begins on the line of its key.
    fn scalar(&mut self, text: &'t str, indent: usize, depth: usize) -> Yaml {
        if let Some(path) = text.strip_prefix("!include") {
            return Yaml::Include(unquoted(path.trim()).into_owned());
        }
        if text.starts_with(['|', '>']) {
            return Yaml::Text(self.lines_below(indent));
        }
        if text.starts_with(['[', '{']) {
            let mut whole = text.to_owned();
            while depth_of(&whole) > 0 && self.at < self.lines.len() {
                whole.push(' ');
                whole.push_str(self.lines[self.at].text);
                self.at += 1;
            }
            return flow(&mut whole.as_str(), depth);
        }
        Yaml::Text(unquoted(text).into_owned())
    }

    fn lines_below(&mut self, indent: usize) -> String {
        let mut text = String::new();
        while let Some(line) = self.lines.get(self.at) {
            if !line.whole.trim().is_empty() && line.indent <= indent {
                break;
            }
            text.push_str(line.whole.trim());
            text.push('\n');
            self.at += 1;
        }
        text
    }
}

/// The key of a line, and what is behind its colon.
fn key_of(text: &str) -> Option<(Cow<'_, str>, &str)> {
    if text.starts_with(['[', '{', '!', '|', '>']) {
        return None;
    }
    if let Some(quote @ ('"' | '\'')) = text.chars().next() {
        let end = text[1..].find(quote)? + 1;
        let rest = text[end + 1..].strip_prefix(':')?;
        return Some((Cow::Borrowed(&text[1..end]), rest.trim()));
    }
    let at = text.find(": ").or_else(|| text.strip_suffix(':').map(str::len))?;
    Some((Cow::Borrowed(text[..at].trim_end()), text[at + 1..].trim()))
}

fn unquoted(text: &str) -> Cow<'_, str> {
    let inner = |quote| text.strip_prefix(quote).and_then(|it| it.strip_suffix(quote));
    match (inner('"'), inner('\'')) {
        (Some(inner), _) => inner.replace("\\\"", "\"").into(),
        (_, Some(inner)) => inner.replace("''", "'").into(),
        _ => text.into(),
    }
}

/// How many brackets are open at the end of a text.
fn depth_of(text: &str) -> usize {
    let mut open = 0_usize;
    let mut quote = None;
    let mut before = ' ';
    for char in text.chars() {
        match (quote, char) {
            (None, '"' | '\'') if !before.is_alphanumeric() => quote = Some(char),
            (Some(known), char) if known == char && before != '\\' => quote = None,
            (None, '[' | '{') => open += 1,
            (None, ']' | '}') => open = open.saturating_sub(1),
            _ => {}
        }
        before = char;
    }
    open
}

/// A value in brackets.
fn flow(rest: &mut &str, depth: usize) -> Yaml {
    *rest = rest.trim_start();
    let Some(open @ ('[' | '{')) = rest.chars().next().filter(|_| depth > 0) else {
        return flow_scalar(rest);
    };
    *rest = &rest[1..];
    let (mut items, mut entries) = (Vec::new(), Vec::new());
    loop {
        *rest = rest.trim_start_matches(|char: char| char.is_whitespace() || char == ',');
        match rest.chars().next() {
            None => break,
            Some(']' | '}') => {
                *rest = &rest[1..];
                break;
            }
            _ => {}
        }
        let value = flow(rest, depth - 1);
        *rest = rest.trim_start();
        match (rest.strip_prefix(':'), value) {
            (Some(behind), Yaml::Text(key)) => {
                *rest = behind;
                entries.push(Entry { key, line: 0, value: flow(rest, depth - 1) });
            }
            (_, value) => items.push(value),
        }
    }
    match open {
        // `[a, b: c]` has a mapping of one member for each that has a value.
        '[' => {
            items.extend(entries.into_iter().map(|entry| Yaml::Map(vec![entry])));
            Yaml::List(items)
        }
        _ => Yaml::Map(entries),
    }
}

fn flow_scalar(rest: &mut &str) -> Yaml {
    if let Some(quote @ ('"' | '\'')) = rest.chars().next() {
        let mut before = ' ';
        let end = rest.char_indices().skip(1).find(|(_, char)| {
            let ends = *char == quote && before != '\\';
            before = *char;
            ends
        });
        let end = end.map_or(rest.len(), |(at, _)| at + 1);
        let text = unquoted(&rest[..end]).into_owned();
        *rest = &rest[end..];
        return Yaml::Text(text);
    }
    let end = rest.char_indices().find(|(at, char)| {
        matches!(char, ',' | ']' | '}')
            || (*char == ':' && rest[at + 1..].starts_with([' ', '{', '[']))
    });
    let end = end.map_or(rest.len(), |(at, _)| at);
    let text = rest[..end].trim();
    *rest = &rest[end..];
    match text.strip_prefix("!include") {
        Some(path) => Yaml::Include(path.trim().to_owned()),
        None => Yaml::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#%RAML 1.0
title: \"Orders # storage\"   # a comment
documentation:
  - title: Orders
    content: <b>This: and that</b>
types:
    order: !include schemas/order.json
    UUID:
     type: string
     pattern: ^[0-9]{8}$

/orders-storage/orders:
  type:
    collection:
      schemaItem: order
  get:
    description: |
      Lists: all
      of them
    is: [
      searchable: {description: \"with: x\", example: \"[\\\"code\\\"]\"},
      pageable
    ]
  /{id}:
    is: [validate]
    post:
";

    #[test]
    fn a_file_of_raml() {
        let read = read(TEXT);
        assert_eq!(read.get("title").and_then(Yaml::text), Some("Orders # storage"));
        let types = read.get("types").unwrap();
        assert_eq!(types.get("order"), Some(&Yaml::Include("schemas/order.json".into())));
        let pattern = types.get("UUID").and_then(|it| it.get("pattern"));
        assert_eq!(pattern.and_then(Yaml::text), Some("^[0-9]{8}$"));
        let resource = read.get("/orders-storage/orders").unwrap();
        let item = resource.get("type").and_then(|it| it.get("collection")).unwrap();
        assert_eq!(item.get("schemaItem").and_then(Yaml::text), Some("order"));
        let get = resource.get("get").unwrap();
        assert_eq!(get.get("description").and_then(Yaml::text), Some("Lists: all\nof them\n"));
        let Some(Yaml::List(traits)) = get.get("is") else { panic!("{get:?}") };
        assert_eq!(traits[0], Yaml::Text("pageable".into()));
        assert_eq!(traits[1].entries()[0].key, "searchable");
        let below = resource.get("/{id}").unwrap();
        assert_eq!(below.get("is"), Some(&Yaml::List(vec![Yaml::Text("validate".into())])));
        assert_eq!(below.get("post"), Some(&Yaml::Null));
        let lines: Vec<usize> = resource.entries().iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [13, 16, 24]);
        let Some(Yaml::List(items)) = read.get("documentation") else { panic!("no list") };
        assert_eq!(items[0].get("content").and_then(Yaml::text), Some("<b>This: and that</b>"));
    }

    #[test]
    fn no_text_is_too_deep_or_too_odd() {
        for text in ["", "[", "{a", "- ", "- - - x", "a: [b: {c", "'", "\"", "a: |\n", ":"] {
            let _ = read(text);
        }
        let _ = read(&"[".repeat(9_999));
        let _ = read(&"- ".repeat(9_999));
    }
}
