//! A JSON text that is parsed once: validation records a flat list of its values, from which they can
//! be read repeatedly without parsing the text again.

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::Result;
use crate::json::{BODY, Bounds, Json, Kind, Member, Subject, check_names};
use crate::json_cursor::Cursor;

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
    pub(crate) fn close(&mut self, opened: usize, text: &str, subject: &Subject) -> Result<()> {
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
            Kind::Null => self.pieces.push(simple(Tag::Null)),
            Kind::Bool(is) => self.pieces.push(simple(Tag::Bool(*is))),
            Kind::Number(number) => {
                self.pieces.push(simple(Tag::Number(narrow(value.at + number.len()))));
            }
            Kind::Text(text) => {
                self.string(value.at, text, matches!(text, Cow::Borrowed(_)), end);
            }
            // Cursors enter or skip these.
            Kind::List(_) | Kind::Object(_) => {}
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
    fn after(&self, piece: usize) -> usize {
        match self.pieces[piece].tag {
            Tag::List(next) | Tag::Object(next) => next as usize,
            _ => piece + 1,
        }
    }

    fn text_of<'s>(&'s self, piece: usize, text: &'s str) -> Option<&'s str> {
        let TapeItem { at, tag } = self.pieces[piece];
        match tag {
            Tag::Plain(end) => Some(&text[at as usize + 1..end as usize]),
            Tag::Resolved(from, to) => Some(&self.resolved[from as usize..to as usize]),
            _ => None,
        }
    }

    fn json<'s>(&'s self, piece: usize, text: &'s str) -> Json<'s> {
        let TapeItem { at, tag } = self.pieces[piece];
        let kind = match tag {
            Tag::Null => Kind::Null,
            Tag::Bool(is) => Kind::Bool(is),
            Tag::Number(end) => Kind::Number(&text[at as usize..end as usize]),
            Tag::Plain(_) | Tag::Resolved(..) => {
                Kind::Text(Cow::Borrowed(self.text_of(piece, text).unwrap_or_default()))
            }
            Tag::List(end) => {
                let (mut next, mut elements) = (piece + 1, Vec::new());
                while next < end as usize {
                    elements.push(self.json(next, text));
                    next = self.after(next);
                }
                Kind::List(elements)
            }
            Tag::Object(end) => {
                let (mut next, mut members) = (piece + 1, Vec::new());
                while next < end as usize {
                    members.push(Member {
                        at: self.pieces[next].at as usize,
                        name: Cow::Borrowed(self.text_of(next, text).unwrap_or_default()),
                        value: self.json(next + 1, text),
                    });
                    next = self.after(next + 1);
                }
                Kind::Object(members)
            }
        };
        Json { at: at as usize, kind }
    }
}

/// The body of a request, or a value in it: the text and its tape.
///
/// ```
/// use duet_model::json::Bounds;
/// use duet_model::json_tape::Body;
///
/// let body = Body::read(r#"[{"a":1},{"a":2}]"#.into(), Bounds::depth(4))?;
/// let numbers: Vec<_> = body.elements().filter_map(|one| one.member("a")).collect();
/// assert_eq!(numbers[1].json().kind, duet_model::json::Kind::Number("2"));
/// # Ok::<(), duet_model::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Body {
    text: Arc<str>,
    tape: Arc<Tape>,
    /// The piece of the value.
    root: usize,
}

impl Body {
    /// A text and its tape, recorded by a cursor.
    pub fn new(text: Arc<str>, tape: Tape) -> Self {
        Self { text, tape: Arc::new(tape), root: 0 }
    }

    /// Parses a text.
    ///
    /// # Errors
    /// The first position at which it is not JSON or exceeds its limits.
    pub fn read(text: Arc<str>, bounds: Bounds) -> Result<Self> {
        let mut cursor = Cursor::noting(&text, &BODY, bounds)?;
        cursor.skip()?;
        cursor.end()?;
        let tape = cursor.into_tape().unwrap_or_default();
        Ok(Self::new(text, tape))
    }

    /// The value.
    pub fn json(&self) -> Json<'_> {
        self.tape.json(self.root, &self.text)
    }

    /// The text of the entire body, and the position of the value in it.
    pub fn place(&self) -> (&str, usize) {
        (&self.text, self.tape.pieces[self.root].at as usize)
    }

    /// The memory used by the text and its tape, in bytes.
    pub fn size(&self) -> usize {
        let Tape { pieces, resolved } = &*self.tape;
        self.text.len() + size_of_val(&pieces[..]) + resolved.len()
    }

    /// Whether it is an array.
    pub fn is_list(&self) -> bool {
        matches!(self.tape.pieces[self.root].tag, Tag::List(_))
    }

    /// The elements of an array; none for other values.
    pub fn elements(&self) -> impl Iterator<Item = Self> + '_ {
        let end = if self.is_list() { self.tape.after(self.root) } else { 0 };
        let mut next = self.root + 1;
        std::iter::from_fn(move || {
            let root = next;
            (root < end).then(|| {
                next = self.tape.after(root);
                self.part(root)
            })
        })
    }

    /// The member with this name; `None` if it is missing or the value is not an object.
    pub fn member(&self, name: &str) -> Option<Self> {
        let found = self.members().find(|(_, known)| *known == name);
        found.map(|(piece, _)| self.part(piece + 1))
    }

    /// The names of the members of an object; none for other values.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members().map(|(_, name)| name)
    }

    /// The pieces of the members' names, and the names.
    fn members(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = match self.tape.pieces[self.root].tag {
            Tag::Object(end) => end as usize,
            _ => 0,
        };
        let mut next = self.root + 1;
        std::iter::from_fn(move || {
            let at = next;
            (at < end).then(|| {
                next = self.tape.after(at + 1);
                (at, self.tape.text_of(at, &self.text).unwrap_or_default())
            })
        })
    }

    /// The text of a string; `None` for other values.
    pub fn as_text(&self) -> Option<&str> {
        self.tape.text_of(self.root, &self.text)
    }

    /// The name of its JSON type, with an article.
    pub fn noun(&self) -> &'static str {
        match self.tape.pieces[self.root].tag {
            Tag::Null => "null",
            Tag::Bool(_) => "a boolean",
            Tag::Number(_) => "a number",
            Tag::Plain(_) | Tag::Resolved(..) => "a string",
            Tag::List(_) => "an array",
            Tag::Object(_) => "an object",
        }
    }

    fn part(&self, root: usize) -> Self {
        Self { text: Arc::clone(&self.text), tape: Arc::clone(&self.tape), root }
    }
}

impl AsRef<[u8]> for Body {
    /// The text of the entire body.
    fn as_ref(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::{Code, Place};
    use crate::json::read;

    fn body(text: &str) -> Result<Body> {
        Body::read(text.into(), Bounds::depth(5))
    }

    #[test]
    fn finds_elements_and_members() {
        let all = body(r#" [{"a":"x\ny","b":[1,{"c":null}]},true] "#).unwrap();
        let parts: Vec<Body> = all.elements().collect();
        assert_eq!((parts.len(), parts[0].noun(), parts[1].noun()), (2, "an object", "a boolean"));
        assert_eq!(parts[0].names().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(parts[0].member("a").unwrap().as_text(), Some("x\ny"));
        let inner = parts[0].member("b").unwrap();
        assert_eq!(inner.elements().nth(1).unwrap().member("c").unwrap().noun(), "null");
        assert!(parts[0].member("c").is_none() && parts[1].member("a").is_none());
        assert_eq!(parts[1].elements().count(), 0);
        assert_eq!(parts[1].place().1, all.place().0.find("true").unwrap());
    }

    #[test]
    fn refuses_duplicate_names() {
        let error = body(r#"{"a":{"x":1,"y":2,"\u0078":3}}"#).unwrap_err();
        assert_eq!((error.code, error.place), (Code::BodySyntax, Some(Place::Offset(18))));
        let many: Vec<String> = (0..100).map(|number| format!("\"n{number}\":0")).collect();
        assert!(body(&format!("{{{}}}", many.join(","))).is_ok());
        assert!(body(&format!("{{{},\"n7\":1}}", many.join(","))).is_err());
    }

    proptest! {
        /// The tape gives the same values and positions as the parser.
        #[test]
        fn the_tape_agrees_with_the_parser(text in r#"[\[\]{}:,"a1 \\n.etrufals-]{0,24}"#) {
            match (body(&text), read(&text, &BODY, 5)) {
                (Ok(body), Ok(json)) => {
                    prop_assert_eq!(format!("{:?}", body.json()), format!("{json:?}"));
                }
                (Err(body), Err(json)) => {
                    prop_assert_eq!((body.code, body.place), (json.code, json.place));
                }
                (body, json) => prop_assert!(false, "{text} {body:?} {json:?}"),
            }
        }
    }
}
