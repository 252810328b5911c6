//! `nulls=stripped`: members whose value is `null` leave a JSON text, however deep they are; elements of arrays stay, as
//! in PostgreSQL's `json_strip_nulls`. The text is one that Duet has written, and is gone through once.

/// A JSON text without the members that are `null`.
pub(super) fn stripped(text: &[u8]) -> Vec<u8> {
    let mut stripper = Stripper { text, at: 0, out: Vec::with_capacity(text.len()) };
    while stripper.at < text.len() {
        stripper.step();
    }
    stripper.out
}

struct Stripper<'t> {
    text: &'t [u8],
    at: usize,
    out: Vec<u8>,
}

impl Stripper<'_> {
    /// Takes a character, or all of a string. A string before a colon and `null` goes, with a comma beside it.
    fn step(&mut self) {
        match self.text[self.at] {
            b'"' => {
                let end = self.end_of_string();
                match self.end_of_null(end) {
                    Some(behind) => self.leave_out(behind),
                    None => self.take(end),
                }
            }
            _ => self.take(self.at + 1),
        }
    }

    fn take(&mut self, end: usize) {
        self.out.extend_from_slice(&self.text[self.at..end]);
        self.at = end;
    }

    /// Goes over a member. The comma before it goes; where it is the first, the one behind it.
    fn leave_out(&mut self, behind: usize) {
        self.at = behind;
        while self.out.last().is_some_and(u8::is_ascii_whitespace) {
            self.out.pop();
        }
        if self.out.last() == Some(&b',') {
            self.out.pop();
            return;
        }
        let blanks = self.blanks(behind);
        if self.text.get(blanks) == Some(&b',') {
            self.at = self.blanks(blanks + 1);
        }
    }

    /// Where the string that begins here ends.
    fn end_of_string(&self) -> usize {
        let mut at = self.at + 1;
        while at < self.text.len() {
            match self.text[at] {
                b'\\' => at += 2,
                b'"' => return at + 1,
                _ => at += 1,
            }
        }
        self.text.len()
    }

    /// Where the `null` of a member ends whose name ends here.
    fn end_of_null(&self, end: usize) -> Option<usize> {
        let colon = self.blanks(end);
        let value = self.blanks((self.text.get(colon) == Some(&b':')).then_some(colon + 1)?);
        self.text[value..].starts_with(b"null").then_some(value + 4)
    }

    fn blanks(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::stripped;

    #[test]
    fn members_go_and_elements_stay() {
        for (text, expected) in [
            (r#"[{"a":1,"b":null},{"a":null,"b":2}]"#, r#"[{"a":1},{"b":2}]"#),
            (r#"{"a":null,"b":null}"#, "{}"),
            (r#"{"a":null , "b":1,"c":null}"#, r#"{"b":1}"#),
            (r#"{"a":[null,{"b":null}],"c":"null"}"#, r#"{"a":[null,{}],"c":"null"}"#),
            (r#"{"a\":null":1,"b":"x\\","c":null}"#, r#"{"a\":null":1,"b":"x\\"}"#),
            (r#"{"a": {"b": null, "c": 1}, "d": null}"#, r#"{"a": {"c": 1}}"#),
            ("[]", "[]"),
            ("null", "null"),
            ("\"", "\""),
        ] {
            assert_eq!(String::from_utf8(stripped(text.as_bytes())).unwrap(), expected, "{text}");
        }
    }
}
