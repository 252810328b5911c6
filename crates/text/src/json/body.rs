//! The body of a request as JSON: parsed once, and read from its tape as often as it is needed.

use std::sync::Arc;

use super::cursor::Cursor;
use super::tape::Tape;
use super::value::{BODY, Json, JsonLimits};
use crate::error::Result;

/// The body of a request, or a value in it: the text and its tape.
///
/// ```
/// use duet_text::json::JsonLimits;
/// use duet_text::json::body::Body;
///
/// let body = Body::read(r#"[{"a":1},{"a":2}]"#.into(), JsonLimits::depth(4))?;
/// let numbers: Vec<_> = body.elements().filter_map(|one| one.member("a")).collect();
/// assert_eq!(numbers[1].json().kind, duet_text::json::JsonKind::Number("2"));
/// # Ok::<(), duet_text::Error>(())
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
    pub fn read(text: Arc<str>, bounds: JsonLimits) -> Result<Self> {
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
        (&self.text, self.tape.at(self.root))
    }

    /// The memory used by the text and its tape, in bytes.
    pub fn size(&self) -> usize {
        self.text.len() + self.tape.size()
    }

    /// Whether it is an array.
    pub fn is_list(&self) -> bool {
        self.tape.is_list(self.root)
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

    /// The names of the members of an object and their values; `None` for other values.
    pub fn fields(&self) -> Option<impl Iterator<Item = (&str, Json<'_>)>> {
        let value = |(piece, name)| (name, self.tape.json(piece + 1, &self.text));
        self.tape.is_object(self.root).then(|| self.members().map(value))
    }

    /// The pieces of the members' names, and the names.
    fn members(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = if self.tape.is_object(self.root) { self.tape.after(self.root) } else { 0 };
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
        self.tape.noun(self.root)
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
        Body::read(text.into(), JsonLimits::depth(5))
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
