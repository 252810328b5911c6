//! Definition texts and places in them.

/// A definition file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionFile {
    /// The name shown in messages, such as `views/order_dv.sql`.
    pub name: String,
    /// The text; it may define several views.
    pub text: String,
}

impl DefinitionFile {
    /// A text under a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// The line and column, both from 1 and the column in characters, of a byte offset.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let start = self.line_start(offset);
        let line = 1 + self.text.bytes().take(start).filter(|&byte| byte == b'\n').count();
        let column = 1 + self.text.get(start..offset).map_or(0, |text| text.chars().count());
        (line, column)
    }

    /// The line that holds a byte offset, without its end.
    pub(crate) fn line(&self, offset: usize) -> &str {
        let rest = &self.text[self.line_start(offset)..];
        rest.split(['\n', '\r']).next().unwrap_or("")
    }

    /// The byte offset at which the line of `offset` begins.
    pub(crate) fn line_start(&self, offset: usize) -> usize {
        let mut before = self.text.as_bytes().iter().take(offset);
        before.rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1)
    }
}

/// A range of bytes of a definition text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

impl Span {
    /// The range from `start` up to, but not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest range that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        let source = DefinitionFile::new("a.sql", "é\r\nab\n");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position(2), (1, 2));
        assert_eq!(source.position(5), (2, 2));
        assert_eq!(source.position(7), (3, 1));
        assert_eq!(source.line(5), "ab");
        assert_eq!(source.line(7), "");
    }
}
