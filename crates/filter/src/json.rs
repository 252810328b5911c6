//! A JSON reader (RFC 8259) that keeps what a filter needs and general readers drop: the byte
//! position of every value and name, the text of numbers, and members given twice.

use std::borrow::Cow;

use duet_model::{Code, Error, Result};

use crate::problem::{fault, quoted};

/// A value and where it starts.
#[derive(Debug, PartialEq)]
pub(crate) struct Json<'t> {
    /// Byte position of its first character.
    pub(crate) at: usize,
    /// The value.
    pub(crate) kind: Kind<'t>,
}

/// A JSON value.
#[derive(Debug, PartialEq)]
pub(crate) enum Kind<'t> {
    Null,
    Bool(bool),
    /// As written, so that no digit is lost.
    Number(&'t str),
    Text(Cow<'t, str>),
    List(Vec<Json<'t>>),
    Object(Vec<Member<'t>>),
}

/// A member of an object.
#[derive(Debug, PartialEq)]
pub(crate) struct Member<'t> {
    /// Byte position of the name's opening quote.
    pub(crate) at: usize,
    pub(crate) name: Cow<'t, str>,
    pub(crate) value: Json<'t>,
}

impl Kind<'_> {
    /// What it is, with its article.
    pub(crate) fn noun(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

/// Reads one JSON value with at most `depth` objects and arrays inside each other.
///
/// # Errors
/// [`Code::FilterSyntax`], [`Code::FilterLimit`] for the depth, [`Code::FilterGrammar`] for a
/// member given twice and [`Code::NulCharacter`], each with the byte position.
pub(crate) fn read(text: &str, depth: usize) -> Result<Json<'_>> {
    let mut reader = Reader { text, at: 0, limit: depth };
    reader.skip_space();
    let value = reader.value(depth)?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(reader.unexpected("the end of the filter"));
    }
    Ok(value)
}

struct Reader<'t> {
    text: &'t str,
    /// The next byte; always on a character boundary when a method returns.
    at: usize,
    /// The depth that the error names.
    limit: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn error(&self, message: impl Into<String>) -> Error {
        fault(Code::FilterSyntax, self.at, message)
    }

    fn unexpected(&self, wanted: &str) -> Error {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(char) => {
                let found = quoted(char.encode_utf8(&mut [0; 4]));
                self.error(format!("The filter is not JSON: {found} where {wanted} should be."))
            }
            None => self.error(format!("The filter ends where {wanted} should be.")),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json<'t>> {
        let at = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.object(self.deeper(depth)?)?),
            Some(b'[') => Kind::List(self.list(self.deeper(depth)?)?),
            Some(b'"') => Kind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => Kind::Number(self.number()?),
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Json { at, kind })
    }

    fn deeper(&self, depth: usize) -> Result<usize> {
        depth.checked_sub(1).ok_or_else(|| {
            let message = format!(
                "The filter has more than {} objects and arrays inside each other, which is the \
                 limit.",
                self.limit
            );
            fault(Code::FilterLimit, self.at, message)
        })
    }

    fn word(&mut self, word: &str, kind: Kind<'t>) -> Result<Kind<'t>> {
        let found = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word));
        if !found {
            return Err(self.unexpected("a value"));
        }
        self.at += word.len();
        Ok(kind)
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Member<'t>>> {
        self.at += 1;
        let mut members = Vec::new();
        self.skip_space();
        if self.eat(b'}') {
            return Ok(members);
        }
        loop {
            self.skip_space();
            members.push(self.member(depth)?);
            self.skip_space();
            if self.eat(b'}') {
                break;
            }
            if !self.eat(b',') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
        check_names(&members)?;
        Ok(members)
    }

    fn member(&mut self, depth: usize) -> Result<Member<'t>> {
        let at = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a name in double quotes"));
        }
        let name = self.string()?;
        self.skip_space();
        if !self.eat(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.skip_space();
        Ok(Member { at, name, value: self.value(depth)? })
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Json<'t>>> {
        self.at += 1;
        let mut elements = Vec::new();
        self.skip_space();
        if self.eat(b']') {
            return Ok(elements);
        }
        loop {
            self.skip_space();
            elements.push(self.value(depth)?);
            self.skip_space();
            if self.eat(b']') {
                return Ok(elements);
            }
            if !self.eat(b',') {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
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
                    return Err(fault(Code::FilterSyntax, start, message));
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

    /// Reads an escape sequence; the next byte is its backslash.
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

    /// Reads the rest of a `\u` escape and, where it is half of a pair, the other half.
    fn unicode(&mut self, start: usize) -> Result<char> {
        let lone = || fault(Code::FilterSyntax, start, "The escape is half of a surrogate pair.");
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

/// Refuses a name given twice: readers differ in which one they take. Sorted rather than compared
/// pairwise, so that a filter full of names stays cheap.
fn check_names(members: &[Member<'_>]) -> Result<()> {
    let mut names: Vec<(&str, usize)> =
        members.iter().map(|member| (&*member.name, member.at)).collect();
    names.sort_unstable();
    let Some(pair) = names.windows(2).find(|pair| pair[0].0 == pair[1].0) else { return Ok(()) };
    let (name, at) = pair[1];
    Err(fault(Code::FilterGrammar, at, format!("The member {} is given twice.", quoted(name)))
        .hint("To have several conditions on one field, put them into an array or into `$and`."))
}

#[cfg(test)]
mod tests {
    use duet_model::error::Place;

    use super::*;

    fn check(text: &str, code: Code, at: usize) {
        let error = read(text, 4).unwrap_err();
        assert_eq!((error.code, error.place), (code, Some(Place::Offset(at))), "{text}");
    }

    #[test]
    fn values_keep_their_text_and_place() {
        let json = read(r#" {"a":[1.50,"x\né",null]}"#, 4).unwrap();
        let Kind::Object(members) = json.kind else { panic!("no object") };
        assert_eq!((json.at, members[0].at, members[0].value.at), (1, 2, 6));
        let Kind::List(elements) = &members[0].value.kind else { panic!("no list") };
        assert_eq!(elements[0], Json { at: 7, kind: Kind::Number("1.50") });
        assert_eq!(elements[1].kind, Kind::Text("x\né".into()));
        assert_eq!(elements[2], Json { at: 20, kind: Kind::Null });
    }

    #[test]
    fn escapes() {
        let json = read(r#""\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t""#, 1).unwrap();
        assert_eq!(json.kind, Kind::Text("é😀\"\\/\u{8}\u{c}\n\r\t".into()));
    }

    #[test]
    fn errors_have_their_place() {
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
