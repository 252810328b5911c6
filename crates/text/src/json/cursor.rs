//! A pull parser for JSON: the caller reads, enters or skips each value, so unwanted values are never
//! held in memory.

use std::borrow::Cow;

use super::Reader;
use super::tape::Tape;
use super::value::{InputKind, Json, JsonLimits};
use crate::error::{Code, Error, Result};

/// The JSON type of the next value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// An object.
    Object,
    /// An array.
    List,
    /// `null`.
    Null,
    /// A string.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
}

impl Token {
    /// The name of the type, with an article.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::List => "an array",
            Self::Null => "null",
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Bool => "a boolean",
        }
    }
}

/// An object or array that a cursor has entered.
#[derive(Debug)]
pub struct Inside {
    is_first: bool,
    /// Its position on the tape.
    piece: usize,
}

/// A position in a JSON text, before the next value.
///
/// ```
/// use duet_text::json::{BODY, JsonLimits};
/// use duet_text::json::cursor::Cursor;
///
/// let mut cursor = Cursor::new(r#"{"a":[1,2],"b":3}"#, &BODY, JsonLimits::depth(8));
/// let mut names = Vec::new();
/// let mut object = cursor.enter()?;
/// while let Some(name) = cursor.member(&mut object)? {
///     names.push(name.into_owned());
///     cursor.skip()?;
/// }
/// cursor.end()?;
/// assert_eq!((names.join(","), cursor.nodes()), ("a,b".to_owned(), 5));
/// # Ok::<(), duet_text::Error>(())
/// ```
#[derive(Debug)]
pub struct Cursor<'t> {
    reader: Reader<'t>,
    /// The remaining nesting depth.
    depth: usize,
    /// The byte position at which the text was truncated, if any.
    cut: Option<usize>,
}

impl<'t> Cursor<'t> {
    /// A cursor at the beginning of a text.
    pub fn new(text: &'t str, subject: &'static InputKind, bounds: JsonLimits) -> Self {
        let mut reader = Reader::new(text, subject, bounds);
        reader.skip_space();
        Self { reader, depth: bounds.depth, cut: None }
    }

    /// A cursor at the beginning of a text that records the skipped values on a [`Tape`].
    ///
    /// # Errors
    /// [`Code::BodyTooLarge`] if the text is longer than a tape can record.
    pub fn noting(text: &'t str, subject: &'static InputKind, bounds: JsonLimits) -> Result<Self> {
        if text.len() > Tape::MOST {
            let message = format!("A body may have {} bytes at most.", Tape::MOST);
            return Err(Error::new(Code::BodyTooLarge, message));
        }
        let mut cursor = Self::new(text, subject, bounds);
        cursor.reader.tape = Some(Tape::default());
        Ok(cursor)
    }

    /// Stops recording and drops the tape.
    pub fn forget(&mut self) {
        self.reader.tape = None;
    }

    /// The recorded tape.
    pub fn into_tape(self) -> Option<Tape> {
        self.reader.tape
    }

    /// Continues at another byte of the text, where a value begins.
    pub fn go_to(&mut self, at: usize) {
        self.reader.at = at;
    }

    /// The position of the next byte.
    pub fn at(&self) -> usize {
        self.reader.at
    }

    /// The number of values that were read or skipped.
    pub fn nodes(&self) -> usize {
        self.reader.nodes_read()
    }

    /// Truncates the text after this many more bytes; reading on is an error.
    pub fn cut_after(&mut self, bytes: usize) {
        let mut end = self.reader.at.saturating_add(bytes).min(self.reader.text.len());
        while !self.reader.text.is_char_boundary(end) {
            end -= 1;
        }
        if end < self.reader.text.len() {
            self.reader.text = &self.reader.text[..end];
            self.cut = Some(end);
        }
    }

    /// Whether the cursor is at the truncation, so that an error is not an error of the text.
    pub fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// The JSON type of the next value.
    ///
    /// # Errors
    /// If no value begins here.
    pub fn peek(&self) -> Result<Token> {
        match self.reader.peek() {
            Some(b'{') => Ok(Token::Object),
            Some(b'[') => Ok(Token::List),
            Some(b'n') => Ok(Token::Null),
            Some(b'"') => Ok(Token::Text),
            Some(b't' | b'f') => Ok(Token::Bool),
            Some(b'-' | b'0'..=b'9') => Ok(Token::Number),
            _ => Err(self.reader.unexpected("a value")),
        }
    }

    /// Enters the object or array that comes next.
    ///
    /// # Errors
    /// If the depth or the number of values exceeds its limit.
    pub fn enter(&mut self) -> Result<Inside> {
        self.reader.node()?;
        self.depth = self.reader.deeper(self.depth)?;
        let piece = self.reader.open(self.reader.peek() == Some(b'{'));
        Ok(Inside { is_first: true, piece })
    }

    /// The name of the next member of an object, whose value must then be read, entered or skipped;
    /// `None` at the end of the object.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn member(&mut self, inside: &mut Inside) -> Result<Option<Cow<'t, str>>> {
        match self.goes_on(inside, b'}', "`,` or `}`")? {
            true => self.reader.name().map(Some),
            false => Ok(None),
        }
    }

    /// Whether the array has another element, which must then be read, entered or skipped.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn element(&mut self, inside: &mut Inside) -> Result<bool> {
        self.goes_on(inside, b']', "`,` or `]`")
    }

    fn goes_on(&mut self, inside: &mut Inside, end: u8, wanted: &str) -> Result<bool> {
        let more = match std::mem::take(&mut inside.is_first) {
            true => !self.reader.eat_spaced(end),
            false => self.reader.goes_on(end, wanted)?,
        };
        if !more {
            self.depth += 1;
            self.reader.close(inside.piece)?;
        }
        Ok(more)
    }

    /// Reads a value. A [recording](Cursor::noting) cursor only reads scalars.
    ///
    /// # Errors
    /// If it is not JSON, too deep, or has too many values.
    pub fn value(&mut self) -> Result<Json<'t>> {
        self.reader.scalar(self.depth)
    }

    /// Skips a value without storing it, and returns its text.
    ///
    /// # Errors
    /// As [`Cursor::value`].
    pub fn skip(&mut self) -> Result<&'t str> {
        let start = self.reader.at;
        self.reader.skip(self.depth)?;
        Ok(&self.reader.text[start..self.reader.at])
    }

    /// Checks that only white space follows.
    ///
    /// # Errors
    /// If anything else follows.
    pub fn end(&mut self) -> Result<()> {
        self.reader.skip_space();
        self.reader.end()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::{Code, Place};
    use crate::json::{BODY, read};

    fn skip(text: &str, nodes: usize) -> Result<usize> {
        let mut cursor = Cursor::new(text, &BODY, JsonLimits { depth: 4, nodes });
        cursor.skip()?;
        cursor.end()?;
        Ok(cursor.nodes())
    }

    #[test]
    fn skipped_values_are_checked_and_counted() {
        assert_eq!(skip(r#" {"a":[1,"x\né",{}],"b":null} "#, 9).unwrap(), 6);
        for wrong in
            ["", "{", "[1,]", "[1 2]", r#"{"a"}"#, r#"{a:1}"#, "[1]]", "nul", "[01]", "\"x"]
        {
            assert_eq!(skip(wrong, 9).unwrap_err().code, Code::BodySyntax, "{wrong}");
        }
        assert_eq!(skip("[[[[[]]]]]", 9).unwrap_err().code, Code::BodyDepth);
        assert_eq!(skip("[1,2,3]", 4).unwrap(), 4);
        let error = skip("[1,2,3]", 3).unwrap_err();
        assert_eq!((error.code, error.place), (Code::BodyNodes, Some(Place::Offset(5))));
    }

    #[test]
    fn enters_or_reads_values() {
        let text = r#"{"a":[1,2], "b":{"c":"x"}}"#;
        let mut cursor = Cursor::new(text, &BODY, JsonLimits::depth(2));
        let mut seen = Vec::new();
        let mut object = cursor.enter().unwrap();
        while let Some(name) = cursor.member(&mut object).unwrap() {
            seen.push(format!("{}{name}{:?}", cursor.at(), cursor.peek().unwrap()));
            if name == "a" {
                let mut list = cursor.enter().unwrap();
                while cursor.element(&mut list).unwrap() {
                    seen.push(format!("{:?}", cursor.value().unwrap().kind));
                }
            } else {
                seen.push(cursor.skip().unwrap().to_owned());
            }
        }
        cursor.end().unwrap();
        let expected = ["5aList", "Number(\"1\")", "Number(\"2\")", "16bObject", r#"{"c":"x"}"#];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_truncated_text_ends_at_the_truncation() {
        let mut cursor = Cursor::new("[1,2,\"é\"]", &BODY, JsonLimits::depth(2));
        cursor.cut_after(7);
        let error = cursor.skip().unwrap_err();
        assert_eq!((error.code, cursor.at(), cursor.is_cut()), (Code::BodySyntax, 6, true));
    }

    proptest! {
        /// A text can be skipped exactly if it can be read.
        #[test]
        fn skipping_agrees_with_reading(text in r#"[\[\]{}:,"a1 \\n.etrufals-]{0,24}"#) {
            let read = read(&text, &BODY, 4);
            let skipped = skip(&text, usize::MAX);
            match read {
                // Duplicate names are only an error if the value is read.
                Err(error) if error.message.contains("given twice") => {}
                read => prop_assert_eq!(read.is_ok(), skipped.is_ok(), "{}", text),
            }
        }
    }
}
