//! The XML of a plan as a tree, with the line of each element.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::Problem;

/// An element of the XML.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub(super) tag: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Element>,
    pub(super) text: String,
    pub(super) line: usize,
}

impl Element {
    /// An attribute; empty where there is none.
    pub(super) fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// What the element is called in JMeter.
    pub(super) fn name(&self) -> &str {
        self.attribute("testname")
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.attribute("enabled") != "false"
    }

    /// A property of this name.
    pub(super) fn property(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.attribute("name") == name)
    }

    /// The text of a property; empty where there is none.
    pub(super) fn text_of(&self, name: &str) -> &str {
        self.property(name).map_or("", |property| &property.text)
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        self.text_of(name) == "true"
    }

    /// The elements inside of a collection: `<elementProp>` in `<collectionProp name="…">`.
    pub(super) fn collection(&self, name: &str) -> &[Self] {
        self.property(name).map_or(&[], |property| &property.children)
    }
}

/// Parses a text.
///
/// # Errors
/// Where it is not XML.
pub(super) fn parse(text: &str) -> Result<Element, Problem> {
    let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line_at = |at: usize| lines.partition_point(|end| *end < at) + 1;
    let mut reader = Reader::from_str(text);
    let mut open = vec![Element::default()];
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or_default();
        let line = line_at(at);
        let wrong = |error: &dyn std::fmt::Display| {
            Problem::new(line, format!("This is not XML: {error}."))
        };
        match reader.read_event().map_err(|error| wrong(&error))? {
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
    fn elements_have_lines_and_texts() {
        let root = parse("<a>\n <b name=\"x&amp;y\">1 &lt; 2&#33;</b>\n <c/>\n</a>").unwrap();
        assert_eq!((root.tag.as_str(), root.children.len(), root.line), ("a", 2, 1));
        assert_eq!(root.text_of("x&y"), "1 < 2!");
        assert_eq!(root.children[1].line, 3);
        assert_eq!(parse("<a>\n<b></a>").unwrap_err().line, 2);
        assert!(parse("").is_err());
    }
}
