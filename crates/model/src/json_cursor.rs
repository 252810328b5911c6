//! JSON read piece by piece: the reader says of each value whether to take it, to enter it or to
//! pass over it, so that unwanted values are never held in memory.

use std::borrow::Cow;

use crate::error::{Code, Error, Result};
use crate::json::{Bounds, Json, Reader, Subject};
use crate::json_tape::Tape;

/// What kind of value comes next.
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
    /// What it is, with its article.
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

/// An object or array that a cursor is in.
#[derive(Debug)]
pub struct Inside {
    is_first: bool,
    /// The piece that it is on the tape.
    piece: usize,
}

/// A place in a JSON text; the next value begins there.
///
/// ```
/// use duet_model::json::{BODY, Bounds};
/// use duet_model::json_cursor::Cursor;
///
/// let mut cursor = Cursor::new(r#"{"a":[1,2],"b":3}"#, &BODY, Bounds::depth(8));
/// let mut names = Vec::new();
/// let mut object = cursor.enter()?;
/// while let Some(name) = cursor.member(&mut object)? {
///     names.push(name.into_owned());
///     cursor.skip()?;
/// }
/// cursor.end()?;
/// assert_eq!((names.join(","), cursor.nodes()), ("a,b".to_owned(), 5));
/// # Ok::<(), duet_model::Error>(())
/// ```
#[derive(Debug)]
pub struct Cursor<'t> {
    reader: Reader<'t>,
    /// Objects and arrays that may still be entered.
    depth: usize,
    /// Where the text was cut, if it was.
    cut: Option<usize>,
}

impl<'t> Cursor<'t> {
    /// A cursor at the beginning of a text.
    pub fn new(text: &'t str, subject: &'static Subject, bounds: Bounds) -> Self {
        let mut reader = Reader::new(text, subject, bounds);
        reader.skip_space();
        Self { reader, depth: bounds.depth, cut: None }
    }

    /// A cursor at the beginning of a text that notes what it passes over.
    ///
    /// # Errors
    /// [`Code::BodyTooLarge`] where the text is longer than can be noted.
    pub fn noting(text: &'t str, subject: &'static Subject, bounds: Bounds) -> Result<Self> {
        if text.len() > Tape::MOST {
            let message = format!("A body may have {} bytes at most.", Tape::MOST);
            return Err(Error::new(Code::BodyTooLarge, message));
        }
        let mut cursor = Self::new(text, subject, bounds);
        cursor.reader.tape = Some(Tape::default());
        Ok(cursor)
    }

    /// Notes nothing any more, and forgets what was noted.
    pub fn forget(&mut self) {
        self.reader.tape = None;
    }

    /// What was noted.
    pub fn into_tape(self) -> Option<Tape> {
        self.reader.tape
    }

    /// Goes on at another byte of the text, where a value begins.
    pub fn go_to(&mut self, at: usize) {
        self.reader.at = at;
    }

    /// The byte that comes next.
    pub fn at(&self) -> usize {
        self.reader.at
    }

    /// How many values were read or passed over.
    pub fn nodes(&self) -> usize {
        self.reader.nodes_read()
    }

    /// Reads no more than so many bytes from here on; what comes then is an error.
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

    /// Whether an error is no fault of the text: it was cut there.
    pub fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// What kind of value comes next.
    ///
    /// # Errors
    /// Where no value begins here.
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
    /// Where it is too deep, or one value too many.
    pub fn enter(&mut self) -> Result<Inside> {
        self.reader.node()?;
        self.depth = self.reader.deeper(self.depth)?;
        let piece = self.reader.open(self.reader.peek() == Some(b'{'));
        Ok(Inside { is_first: true, piece })
    }

    /// The name of the next member of an object, whose value must then be read, entered or passed
    /// over; `None` at the end of the object.
    ///
    /// # Errors
    /// Where the text is not JSON.
    pub fn member(&mut self, inside: &mut Inside) -> Result<Option<Cow<'t, str>>> {
        match self.goes_on(inside, b'}', "`,` or `}`")? {
            true => self.reader.name().map(Some),
            false => Ok(None),
        }
    }

    /// Whether there is another element of an array, which must then be read, entered or passed
    /// over.
    ///
    /// # Errors
    /// Where the text is not JSON.
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

    /// Reads a value, which a cursor that [notes](Cursor::noting) takes only where it is no object
    /// and no array.
    ///
    /// # Errors
    /// Where it is not JSON, too deep, or has too many values.
    pub fn value(&mut self) -> Result<Json<'t>> {
        self.reader.scalar(self.depth)
    }

    /// Passes over a value without holding any of it, and gives its text.
    ///
    /// # Errors
    /// As [`Cursor::value`].
    pub fn skip(&mut self) -> Result<&'t str> {
        let start = self.reader.at;
        self.reader.skip(self.depth)?;
        Ok(&self.reader.text[start..self.reader.at])
    }

    /// Sees that nothing comes any more.
    ///
    /// # Errors
    /// Where something does.
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
        let mut cursor = Cursor::new(text, &BODY, Bounds { depth: 4, nodes });
        cursor.skip()?;
        cursor.end()?;
        Ok(cursor.nodes())
    }

    #[test]
    fn what_is_passed_over_is_checked_and_counted() {
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
    fn values_are_entered_or_taken() {
        let text = r#"{"a":[1,2], "b":{"c":"x"}}"#;
        let mut cursor = Cursor::new(text, &BODY, Bounds::depth(2));
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
    fn a_cut_text_ends_there() {
        let mut cursor = Cursor::new("[1,2,\"é\"]", &BODY, Bounds::depth(2));
        cursor.cut_after(7);
        let error = cursor.skip().unwrap_err();
        assert_eq!((error.code, cursor.at(), cursor.is_cut()), (Code::BodySyntax, 6, true));
    }

    proptest! {
        /// A text is passed over where it can be read, and nowhere else.
        #[test]
        fn as_the_reader_does(text in r#"[\[\]{}:,"a1 \\n.etrufals-]{0,24}"#) {
            let read = read(&text, &BODY, 4);
            let skipped = skip(&text, usize::MAX);
            match read {
                // A name given twice matters only where the value is kept.
                Err(error) if error.message.contains("given twice") => {}
                read => prop_assert_eq!(read.is_ok(), skipped.is_ok(), "{}", text),
            }
        }
    }
}
