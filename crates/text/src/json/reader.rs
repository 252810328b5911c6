//! A JSON parser (RFC 8259) that keeps what general parsers drop: the byte position of every value and
//! name, the text of numbers, and duplicate members.

use std::borrow::Cow;

use crate::effort::{Effort, Interruption, WORD};
use crate::error::{Code, Error, Result};
use crate::json::tape::Tape;
use crate::json::value::{InputKind, Json, JsonKind, JsonLimits, JsonMember, STORED, check_names};
use crate::problem::{fault, quoted};

/// Parses one JSON value with at most `depth` nested objects and arrays.
///
/// # Errors
/// The subject's codes and [`Code::NulCharacter`], each with the byte position.
pub fn read<'t>(text: &'t str, subject: &'static InputKind, depth: usize) -> Result<Json<'t>> {
    read_within(text, subject, JsonLimits::depth(depth))
}

/// Parses one JSON value within these bounds.
///
/// # Errors
/// As [`read`], and [`Code::BodyNodes`].
pub fn read_within<'t>(
    text: &'t str,
    subject: &'static InputKind,
    bounds: JsonLimits,
) -> Result<Json<'t>> {
    let mut reader = Reader::new(text, subject, bounds);
    reader.skip_space();
    let value = reader.value(bounds.depth)?;
    reader.skip_space();
    reader.end()?;
    Ok(value)
}

/// Parses a stored JSON value with at most `depth` nested objects and arrays; `None` for a text that is not JSON.
///
/// # Errors
/// [`Interruption`] where the effort is over.
pub fn read_stored<'t>(
    text: &'t str,
    depth: usize,
    effort: &'t Effort<'t>,
) -> std::result::Result<Option<Json<'t>>, Interruption> {
    let mut reader = Reader::new(text, &STORED, JsonLimits::depth(depth));
    reader.effort = Some(effort);
    reader.skip_space();
    let value = reader.value(depth);
    reader.skip_space();
    match (value, reader.end()) {
        _ if reader.stopped => Err(Interruption),
        (Ok(value), Ok(())) => Ok(Some(value)),
        _ => Ok(None),
    }
}

/// The lexer and parser: it reads a value into memory or skips it.
#[derive(Debug)]
pub(crate) struct Reader<'t> {
    pub(crate) text: &'t str,
    /// The next byte; always on a character boundary when a method returns.
    pub(crate) at: usize,
    /// The limits, for messages.
    bounds: JsonLimits,
    /// The remaining number of values.
    nodes: usize,
    subject: &'static InputKind,
    /// Records the values that are read or skipped, if requested.
    pub(crate) tape: Option<Tape>,
    /// What counts the work, if it is counted; up to which byte it has; and whether it has stopped.
    effort: Option<&'t Effort<'t>>,
    counted: usize,
    stopped: bool,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str, subject: &'static InputKind, bounds: JsonLimits) -> Self {
        let nodes = bounds.nodes;
        let (effort, counted, stopped) = (None, 0, false);
        Self { text, at: 0, bounds, nodes, subject, tape: None, effort, counted, stopped }
    }

    /// The number of values so far.
    pub(crate) fn nodes_read(&self) -> usize {
        self.bounds.nodes - self.nodes
    }

    /// Counts a value.
    pub(crate) fn node(&mut self) -> Result<()> {
        let left = self.nodes.checked_sub(1).ok_or_else(|| {
            let message = format!(
                "The {} has more than {} values, which is the limit (`body_nodes`).",
                self.subject.noun, self.bounds.nodes
            );
            fault(Code::BodyNodes, self.at, message)
        });
        self.nodes = left?;
        match self.effort {
            Some(effort) => self.count_work(effort),
            None => Ok(()),
        }
    }

    /// Counts what was read since the last value.
    fn count_work(&mut self, effort: &Effort<'_>) -> Result<()> {
        let bytes = self.at - std::mem::replace(&mut self.counted, self.at);
        effort.spend(WORD + bytes).map_err(|Interruption| {
            self.stopped = true;
            self.error("Reading it was stopped.")
        })
    }

    /// Checks that the text ends here.
    pub(crate) fn end(&self) -> Result<()> {
        if self.at < self.text.len() {
            return Err(self.unexpected(&format!("the end of the {}", self.subject.noun)));
        }
        Ok(())
    }

    /// Consumes this byte if it comes next after white space.
    pub(crate) fn eat_spaced(&mut self, byte: u8) -> bool {
        self.skip_space();
        self.eat(byte)
    }

    /// After a member or an element: whether another one follows; consumes the separator.
    pub(crate) fn goes_on(&mut self, end: u8, wanted: &str) -> Result<bool> {
        self.skip_space();
        if self.eat(end) {
            return Ok(false);
        }
        if !self.eat(b',') {
            return Err(self.unexpected(wanted));
        }
        self.skip_space();
        Ok(true)
    }

    /// Reads the name of a member and the colon after it.
    pub(crate) fn name(&mut self) -> Result<Cow<'t, str>> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a name in double quotes"));
        }
        let at = self.at;
        let name = self.string()?;
        if let Some(tape) = &mut self.tape {
            tape.string(at, &name, matches!(name, Cow::Borrowed(_)), self.at);
        }
        self.skip_space();
        if !self.eat(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.skip_space();
        Ok(name)
    }

    /// Skips a value.
    pub(crate) fn skip(&mut self, depth: usize) -> Result<()> {
        let (depth, end, wanted) = match self.peek() {
            Some(b'{') => (self.deeper(depth)?, b'}', "`,` or `}`"),
            Some(b'[') => (self.deeper(depth)?, b']', "`,` or `]`"),
            _ => return self.scalar(depth).map(drop),
        };
        self.node()?;
        let opened = self.open(end == b'}');
        let mut more = !self.eat_spaced(end);
        while more {
            if end == b'}' {
                self.name()?;
            }
            self.skip(depth)?;
            more = self.goes_on(end, wanted)?;
        }
        self.close(opened)
    }

    /// Consumes the opening bracket of an object or array and returns its position on the tape.
    pub(crate) fn open(&mut self, is_object: bool) -> usize {
        let at = self.at;
        self.at += 1;
        self.tape.as_mut().map_or(0, |tape| tape.open(at, is_object))
    }

    /// Records the end of the object or array at this tape position.
    pub(crate) fn close(&mut self, opened: usize) -> Result<()> {
        match &mut self.tape {
            Some(tape) => tape.close(opened, self.text, self.subject),
            None => Ok(()),
        }
    }

    /// Reads and records a scalar.
    pub(crate) fn scalar(&mut self, depth: usize) -> Result<Json<'t>> {
        let value = self.value(depth)?;
        if let Some(tape) = &mut self.tape {
            tape.value(&value, self.at);
        }
        Ok(value)
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn error(&self, message: impl Into<String>) -> Error {
        fault(self.subject.syntax, self.at, message)
    }

    pub(crate) fn unexpected(&self, wanted: &str) -> Error {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(char) => {
                let found = quoted(char.encode_utf8(&mut [0; 4]));
                let noun = self.subject.noun;
                self.error(format!("The {noun} is not JSON: {found} where {wanted} should be."))
            }
            None => {
                let noun = self.subject.noun;
                self.error(format!("The {noun} ends where {wanted} should be."))
            }
        }
    }

    pub(crate) fn value(&mut self, depth: usize) -> Result<Json<'t>> {
        self.node()?;
        let at = self.at;
        let kind = match self.peek() {
            Some(b'{') => JsonKind::Object(self.object(self.deeper(depth)?)?),
            Some(b'[') => JsonKind::List(self.list(self.deeper(depth)?)?),
            Some(b'"') => JsonKind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => JsonKind::Number(self.number()?),
            Some(b't') => self.word("true", JsonKind::Bool(true))?,
            Some(b'f') => self.word("false", JsonKind::Bool(false))?,
            Some(b'n') => self.word("null", JsonKind::Null)?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Json { at, kind })
    }

    pub(crate) fn deeper(&self, depth: usize) -> Result<usize> {
        depth.checked_sub(1).ok_or_else(|| {
            let message = format!(
                "The {} has more than {} objects and arrays inside each other, which is the limit.",
                self.subject.noun, self.bounds.depth
            );
            fault(self.subject.depth, self.at, message)
        })
    }

    fn word(&mut self, word: &str, kind: JsonKind<'t>) -> Result<JsonKind<'t>> {
        let found = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word));
        if !found {
            return Err(self.unexpected("a value"));
        }
        self.at += word.len();
        Ok(kind)
    }

    fn object(&mut self, depth: usize) -> Result<Vec<JsonMember<'t>>> {
        self.at += 1;
        let mut members = Vec::new();
        let mut more = !self.eat_spaced(b'}');
        while more {
            let at = self.at;
            let name = self.name()?;
            members.push(JsonMember { at, name, value: self.value(depth)? });
            more = self.goes_on(b'}', "`,` or `}`")?;
        }
        let names: Vec<_> = members.iter().map(|member| (&*member.name, member.at)).collect();
        check_names(&names, self.subject)?;
        Ok(members)
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Json<'t>>> {
        self.at += 1;
        let mut elements = Vec::new();
        let mut more = !self.eat_spaced(b']');
        while more {
            elements.push(self.value(depth)?);
            more = self.goes_on(b']', "`,` or `]`")?;
        }
        Ok(elements)
    }

    fn number(&mut self) -> Result<&'t str> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _signed = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) -> Result<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    fn string(&mut self) -> Result<Cow<'t, str>> {
        let start = self.at;
        self.at += 1;
        let mut copied: Option<String> = None;
        let mut from = self.at;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    let text = copied.get_or_insert_default();
                    text.push_str(&self.text[from..self.at]);
                    text.push(self.escape()?);
                    from = self.at;
                }
                Some(0) => return Err(nul(self.at)),
                Some(1..=0x1f) => {
                    return Err(self.error("A control character in a string must be escaped."));
                }
                Some(_) => self.at += 1,
                None => {
                    let message = "The string that starts here has no closing quote.";
                    return Err(fault(self.subject.syntax, start, message));
                }
            }
        }
        let last = &self.text[from..self.at];
        self.at += 1;
        Ok(match copied {
            None => Cow::Borrowed(last),
            Some(text) => Cow::Owned(text + last),
        })
    }

    /// Reads an escape sequence, starting at its backslash.
    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        self.at += 1;
        let char = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(start),
            _ => return Err(self.unexpected("one of `\"\\/bfnrtu`")),
        };
        self.at += 1;
        Ok(char)
    }

    /// Reads the rest of a `\u` escape and, for a surrogate pair, the second half.
    fn unicode(&mut self, start: usize) -> Result<char> {
        let syntax = self.subject.syntax;
        let lone = || fault(syntax, start, "The escape is half of a surrogate pair.");
        let first = self.code_unit()?;
        let code = match first {
            0 => return Err(nul(start)),
            0xd800..=0xdbff => {
                if !(self.eat(b'\\') && self.peek() == Some(b'u')) {
                    return Err(lone());
                }
                let second = self.code_unit()?;
                let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400);
                0x1_0000 + ((first - 0xd800) << 10) + low.ok_or_else(lone)?
            }
            code => code,
        };
        char::from_u32(code).ok_or_else(lone)
    }

    /// Reads `uXXXX`.
    fn code_unit(&mut self) -> Result<u32> {
        self.at += 1;
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            code = code * 16 + digit.ok_or_else(|| self.unexpected("a hexadecimal digit"))?;
            self.at += 1;
        }
        Ok(code)
    }
}

fn nul(at: usize) -> Error {
    fault(Code::NulCharacter, at, "Text cannot contain the NUL character (U+0000).")
}

#[cfg(test)]
mod tests {
    use crate::error::Place;
    use crate::json::{BODY, FILTER};

    use super::*;

    fn check(text: &str, code: Code, at: usize) {
        let error = read(text, &FILTER, 4).unwrap_err();
        assert_eq!((error.code, error.place), (code, Some(Place::Offset(at))), "{text}");
    }

    #[test]
    fn values_keep_their_text_and_position() {
        let json = read(r#" {"a":[1.50,"x\né",null]}"#, &FILTER, 4).unwrap();
        let JsonKind::Object(members) = json.kind else { panic!("no object") };
        assert_eq!((json.at, members[0].at, members[0].value.at), (1, 2, 6));
        let JsonKind::List(elements) = &members[0].value.kind else { panic!("no list") };
        assert_eq!(elements[0], Json { at: 7, kind: JsonKind::Number("1.50") });
        assert_eq!(elements[1].kind, JsonKind::Text("x\né".into()));
        assert_eq!(elements[2], Json { at: 20, kind: JsonKind::Null });
    }

    #[test]
    fn equality_ignores_order_positions_and_number_notation() {
        let json = |text: &'static str| read(text, &BODY, 8).unwrap();
        assert_eq!(json(r#"{"a":1.50,"b":[1e2]}"#), json(r#" {"b":[100.0],"a":1.5}"#));
        assert_ne!(json(r#"{"a":1}"#), json(r#"{"a":1,"b":2}"#));
        assert_ne!(json("[1,2]"), json("[2,1]"));
        assert_ne!(json("\"1\""), json("1"));
    }

    /// The examples of RFC 7396, appendix A.
    #[test]
    fn applies_the_merge_patches_of_rfc_7396() {
        for (target, patch, expected) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
            (r#"{"a":"foo"}"#, "null", "null"),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ] {
            let json = |text: &'static str| read(text, &BODY, 8).unwrap();
            let mut merged = String::new();
            json(target).merged(json(patch)).write(&mut merged);
            assert_eq!(merged, expected, "{target} {patch}");
        }
    }

    #[test]
    fn reads_escapes() {
        let json = read(r#""\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t""#, &FILTER, 1).unwrap();
        assert_eq!(json.kind, JsonKind::Text("é😀\"\\/\u{8}\u{c}\n\r\t".into()));
    }

    #[test]
    fn errors_have_code_and_position() {
        for (text, at) in [
            ("", 0),
            ("  ", 2),
            ("{", 1),
            (r#"{"a""#, 4),
            (r#"{"a":}"#, 5),
            (r#"{"a":1,}"#, 7),
            ("{a:1}", 1),
            ("[1 2]", 3),
            ("[01]", 2),
            ("[1.]", 3),
            ("[-]", 2),
            ("[1e+]", 4),
            ("nul", 0),
            ("[] x", 3),
            ("[é]", 1),
            (r#"["ab"#, 1),
            (r#"["\x"]"#, 3),
            (r#"["\u12g4"]"#, 6),
            (r#"["\ud800"]"#, 2),
            (r#"["\ud800\u0041"]"#, 2),
            (r#"["\udc00"]"#, 2),
            ("[\"a\u{1}\"]", 3),
            ("\0", 0),
        ] {
            check(text, Code::FilterSyntax, at);
        }
        check(r#"["a\u0000"]"#, Code::NulCharacter, 3);
        check("[\"a\0\"]", Code::NulCharacter, 3);
        check(r#"{"a":1,"b":2,"\u0061":3}"#, Code::FilterGrammar, 13);
        check("[[[[[]]]]]", Code::FilterLimit, 4);
    }
}
