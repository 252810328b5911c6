//! The tokens of scripts: quotations, comments, lines and words.

/// A place in a script.
pub(crate) struct Scanner<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Goes behind a quotation, a comment, or else one character. In a view a backslash escapes in double quotes.
    pub(crate) fn skip_token(&mut self, in_view: bool) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return };
        let alternative = rest.get(..2).is_some_and(|text| text.eq_ignore_ascii_case("q'"));
        let begins_word = !self.text[..self.at].ends_with(|char: char| char.is_alphanumeric());
        if rest.starts_with("--") || (in_view && first == '#') {
            self.skip_line();
        } else if rest.starts_with("/*") {
            self.skip_comment();
        } else if !in_view && alternative && begins_word {
            self.skip_alternative_quotation();
        } else if ['\'', '"', '`'].contains(&first) {
            self.skip_quotation(first, in_view && first == '"');
        } else {
            self.at += first.len_utf8();
        }
    }

    fn skip_quotation(&mut self, quote: char, escapes: bool) {
        self.at += 1;
        let mut chars = self.rest().char_indices();
        let mut end = self.text.len();
        while let Some((offset, char)) = chars.next() {
            if char == quote {
                end = self.at + offset + 1;
                break;
            }
            if escapes && char == '\\' {
                chars.next();
            }
        }
        self.at = end;
    }

    /// `q'[…]'`, where the bracket may be any character.
    fn skip_alternative_quotation(&mut self) {
        self.at += 2;
        let Some(open) = self.rest().chars().next() else { return };
        let close = closing(open);
        self.at += open.len_utf8();
        let end = format!("{close}'");
        self.at += self.rest().find(&end).map_or(self.rest().len(), |offset| offset + end.len());
    }

    pub(crate) fn skip_comment(&mut self) {
        let rest = self.rest();
        self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
    }

    pub(crate) fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
    }

    /// Goes behind blanks and comments.
    pub(crate) fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if self.rest().starts_with("--") {
                self.skip_line();
            } else if self.rest().starts_with("/*") {
                self.skip_comment();
            } else {
                return;
            }
        }
    }

    /// The rest of the line.
    pub(crate) fn line(&self) -> &'a str {
        self.rest().split('\n').next().unwrap_or_default()
    }

    /// Whether there are only blanks before this on its line.
    pub(crate) fn begins_line(&self) -> bool {
        let before = self.text[..self.at].bytes().rev().find(|byte| !b" \t\r".contains(byte));
        !self.rest().starts_with(char::is_whitespace) && before.is_none_or(|byte| byte == b'\n')
    }
}

/// The end of an alternative quotation that begins so.
pub(crate) fn closing(open: char) -> char {
    match open {
        '[' => ']',
        '(' => ')',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

/// The words and signs of a text, without comments.
pub(crate) struct Words<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let mut scanner = Scanner { text: self.text, at: self.at };
        scanner.skip_blanks();
        let rest = scanner.rest();
        let is_part = |char: char| char.is_alphanumeric() || "_$".contains(char);
        let first = rest.chars().next()?;
        let end = match is_part(first) {
            true => rest.find(|char| !is_part(char)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        self.at = scanner.at + end;
        Some(&rest[..end])
    }
}
