//! XML as a tree, with the line of each element: plans of JMeter, configurations of Swingbench.

use std::fmt;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// How deeply elements may be nested. What reads them follows the nesting with the stack.
const MOST_NESTED: usize = 256;

/// An element of the XML.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) tag: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Element {
    /// An attribute; empty where there is none.
    pub(crate) fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }
}

/// What is wrong with a text, or cannot be taken from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line in the XML, from 1.
    pub line: usize,
    /// What it is, as a sentence.
    pub message: String,
}

impl Problem {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Problem {}

/// Parses a text.
///
/// # Errors
/// Where it is not XML, or nested more than [`MOST_NESTED`] levels deep.
pub(crate) fn parse(text: &str) -> Result<Element, Problem> {
    let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line_at = |at: usize| lines.partition_point(|end| *end < at) + 1;
    let mut reader = Reader::from_str(text);
    let mut open = vec![Element::default()];
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or_default();
        let line = line_at(at);
        let wrong =
            |error: &dyn fmt::Display| Problem::new(line, format!("This is not XML: {error}."));
        match reader.read_event().map_err(|error| wrong(&error))? {
            Event::Start(_) if open.len() > MOST_NESTED => {
                let message = format!("Elements are nested more than {MOST_NESTED} levels deep.");
                return Err(Problem::new(line, message));
            }
            Event::Start(start) => open.push(element(&start, line).map_err(|error| wrong(&error))?),
            Event::Empty(start) => {
                let made = element(&start, line).map_err(|error| wrong(&error))?;
                if let Some(parent) = open.last_mut() {
                    parent.children.push(made);
                }
            }
            Event::End(_) => {
                let Some(done) = open.pop() else { break };
                match open.last_mut() {
                    Some(parent) => parent.children.push(done),
                    None => return Err(Problem::new(line, "An element ends that did not begin.")),
                }
            }
            Event::Text(part) => add(&mut open, &part),
            Event::CData(part) => add(&mut open, &part),
            Event::GeneralRef(name) => {
                let known = match &*name {
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "amp" => Some('&'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => name.resolve_char_ref().map_err(|error| wrong(&error))?,
                };
                let known = known.ok_or_else(|| Problem::new(line, "An entity is not known."))?;
                add(&mut open, known.encode_utf8(&mut [0; 4]));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let root = open.pop().filter(|_| open.is_empty());
    let root = root.and_then(|root| root.children.into_iter().next());
    root.ok_or_else(|| Problem::new(line_at(text.len()), "The XML ends before its elements do."))
}

fn add(open: &mut [Element], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

fn element(start: &BytesStart<'_>, line: usize) -> Result<Element, String> {
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let value =
            quick_xml::escape::unescape(&attribute.value).map_err(|error| error.to_string())?;
        attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
    }
    let tag = start.name().as_ref().to_owned();
    Ok(Element { tag, attributes, line, ..Element::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_has_a_limit() {
        let nested =
            |levels: usize| parse(&format!("{}{}", "<a>\n".repeat(levels), "</a>".repeat(levels)));
        assert!(nested(MOST_NESTED).is_ok());
        for levels in [MOST_NESTED + 1, 200_000] {
            let refused = nested(levels).unwrap_err();
            assert_eq!(refused.line, MOST_NESTED + 1);
            assert!(refused.message.contains("256 levels"), "{}", refused.message);
        }
    }

    #[test]
    fn elements_have_lines_and_texts() {
        let root = parse("<a>\n <b name=\"x&amp;y\">1 &lt; 2&#33;</b>\n <c/>\n</a>").unwrap();
        assert_eq!((root.tag.as_str(), root.children.len(), root.line), ("a", 2, 1));
        assert_eq!(root.children[0].attribute("name"), "x&y");
        assert_eq!(root.children[0].text, "1 < 2!");
        assert_eq!(root.children[1].line, 3);
        assert_eq!(parse("<a>\n<b></a>").unwrap_err().line, 2);
        assert!(parse("").is_err());
    }
}
