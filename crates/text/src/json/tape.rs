//! A JSON text that is parsed once: validation records a flat list of its values, from which they can
//! be read repeatedly without parsing the text again.

use std::borrow::Cow;

use super::value::{InputKind, Json, JsonKind, JsonMember, check_names};
use crate::error::Result;

/// The values of a text, in text order. The name of a member comes before its value.
#[derive(Debug, Default)]
pub struct Tape {
    pieces: Vec<TapeItem>,
    /// The strings with escapes, unescaped and concatenated.
    resolved: String,
}

/// A value or a name: 16 bytes.
#[derive(Clone, Copy, Debug)]
struct TapeItem {
    /// Where it starts in the text.
    at: u32,
    tag: Tag,
}

#[derive(Clone, Copy, Debug)]
enum Tag {
    Null,
    Bool(bool),
    /// A number that ends before this byte of the text.
    Number(u32),
    /// A string without escapes, up to its closing quote.
    Plain(u32),
    /// A string with escapes: a byte range of `resolved`.
    Resolved(u32, u32),
    /// An array, and the piece after its last one.
    List(u32),
    /// An object, and the piece after its last one.
    Object(u32),
}

/// Converts a position, which fits because no text is longer than `MOST` bytes.
fn narrow(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

impl Tape {
    /// The maximum length of a text, in bytes.
    pub(crate) const MOST: usize = u32::MAX as usize - 1;

    /// Records the beginning of an object or array.
    pub(crate) fn open(&mut self, at: usize, is_object: bool) -> usize {
        let tag = if is_object { Tag::Object(0) } else { Tag::List(0) };
        self.pieces.push(TapeItem { at: narrow(at), tag });
        self.pieces.len() - 1
    }

    /// Records the end of an object or array, and checks that its names are unique.
    pub(crate) fn close(&mut self, opened: usize, text: &str, subject: &InputKind) -> Result<()> {
        let next = narrow(self.pieces.len());
        match &mut self.pieces[opened].tag {
            Tag::Object(end) => {
                *end = next;
                check_names(&self.names(opened, text), subject)
            }
            Tag::List(end) => {
                *end = next;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Records a string that ends before this byte of the text.
    pub(crate) fn string(&mut self, at: usize, string: &str, is_borrowed: bool, end: usize) {
        let tag = match is_borrowed {
            true => Tag::Plain(narrow(end - 1)),
            false => {
                let from = self.resolved.len();
                self.resolved.push_str(string);
                Tag::Resolved(narrow(from), narrow(self.resolved.len()))
            }
        };
        self.pieces.push(TapeItem { at: narrow(at), tag });
    }

    /// Records a value that has just been read up to this byte of the text.
    pub(crate) fn value(&mut self, value: &Json<'_>, end: usize) {
        let simple = |tag| TapeItem { at: narrow(value.at), tag };
        match &value.kind {
            JsonKind::Null => self.pieces.push(simple(Tag::Null)),
            JsonKind::Bool(is) => self.pieces.push(simple(Tag::Bool(*is))),
            JsonKind::Number(number) => {
                self.pieces.push(simple(Tag::Number(narrow(value.at + number.len()))));
            }
            JsonKind::Text(text) => {
                self.string(value.at, text, matches!(text, Cow::Borrowed(_)), end);
            }
            // Cursors enter or skip these.
            JsonKind::List(_) | JsonKind::Object(_) => {}
        }
    }

    /// The names of an object's members and their positions.
    fn names<'s>(&'s self, object: usize, text: &'s str) -> Vec<(&'s str, usize)> {
        let mut names = Vec::new();
        let (mut at, end) = (object + 1, self.after(object));
        while at < end {
            names.push((self.text_of(at, text).unwrap_or_default(), self.pieces[at].at as usize));
            at = self.after(at + 1);
        }
        names
    }

    /// The piece after a value and its contents.
    pub(crate) fn after(&self, piece: usize) -> usize {
        match self.pieces[piece].tag {
            Tag::List(next) | Tag::Object(next) => next as usize,
            _ => piece + 1,
        }
    }

    /// The string at a piece; `None` for other values.
    pub(crate) fn text_of<'s>(&'s self, piece: usize, text: &'s str) -> Option<&'s str> {
        let TapeItem { at, tag } = self.pieces[piece];
        match tag {
            Tag::Plain(end) => Some(&text[at as usize + 1..end as usize]),
            Tag::Resolved(from, to) => Some(&self.resolved[from as usize..to as usize]),
            _ => None,
        }
    }

    /// The value at a piece.
    pub(crate) fn json<'s>(&'s self, piece: usize, text: &'s str) -> Json<'s> {
        let TapeItem { at, tag } = self.pieces[piece];
        let kind = match tag {
            Tag::Null => JsonKind::Null,
            Tag::Bool(is) => JsonKind::Bool(is),
            Tag::Number(end) => JsonKind::Number(&text[at as usize..end as usize]),
            Tag::Plain(_) | Tag::Resolved(..) => {
                JsonKind::Text(Cow::Borrowed(self.text_of(piece, text).unwrap_or_default()))
            }
            Tag::List(end) => {
                let (mut next, mut elements) = (piece + 1, Vec::new());
                while next < end as usize {
                    elements.push(self.json(next, text));
                    next = self.after(next);
                }
                JsonKind::List(elements)
            }
            Tag::Object(end) => {
                let (mut next, mut members) = (piece + 1, Vec::new());
                while next < end as usize {
                    members.push(JsonMember {
                        at: self.pieces[next].at as usize,
                        name: Cow::Borrowed(self.text_of(next, text).unwrap_or_default()),
                        value: self.json(next + 1, text),
                    });
                    next = self.after(next + 1);
                }
                JsonKind::Object(members)
            }
        };
        Json { at: at as usize, kind }
    }

    /// Where a piece starts in the text.
    pub(crate) fn at(&self, piece: usize) -> usize {
        self.pieces[piece].at as usize
    }

    /// The memory that it uses, in bytes.
    pub(crate) fn size(&self) -> usize {
        size_of_val(&self.pieces[..]) + self.resolved.len()
    }

    /// Whether an array is at a piece.
    pub(crate) fn is_list(&self, piece: usize) -> bool {
        matches!(self.pieces[piece].tag, Tag::List(_))
    }

    /// Whether an object is at a piece.
    pub(crate) fn is_object(&self, piece: usize) -> bool {
        matches!(self.pieces[piece].tag, Tag::Object(_))
    }

    /// The name of the JSON type at a piece, with an article.
    pub(crate) fn noun(&self, piece: usize) -> &'static str {
        match self.pieces[piece].tag {
            Tag::Null => "null",
            Tag::Bool(_) => "a boolean",
            Tag::Number(_) => "a number",
            Tag::Plain(_) | Tag::Resolved(..) => "a string",
            Tag::List(_) => "an array",
            Tag::Object(_) => "an object",
        }
    }
}
