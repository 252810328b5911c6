//! The tokens of statements of SQL, as far as their ends and names are found by them. Texts without an end reach to
//! the end of the file.

/// A kind of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word without quotes, or a number.
    Word,
    /// A name in quotes.
    Quoted,
    /// A text.
    Text,
    Open,
    Close,
    Comma,
    Dot,
    Semicolon,
    Other,
}

/// A token, by its place in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Goes through a text; comments are passed over.
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            let rest = &self.text[self.at..];
            if rest.starts_with("--") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            } else {
                return;
            }
        }
    }
}

impl Iterator for Scanner<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let (start, rest) = (self.at, &self.text[self.at..]);
        let first = rest.chars().next()?;
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let (kind, length) = match first {
            '\'' => (Kind::Text, quoted(rest, '\'')),
            '"' | '`' => (Kind::Quoted, quoted(rest, first)),
            '$' => (Kind::Text, dollar_quoted(rest).unwrap_or(1)),
            '(' => (Kind::Open, 1),
            ')' => (Kind::Close, 1),
            ',' => (Kind::Comma, 1),
            '.' => (Kind::Dot, 1),
            ';' => (Kind::Semicolon, 1),
            _ if is_word(first) => {
                (Kind::Word, rest.find(|char| !is_word(char)).unwrap_or(rest.len()))
            }
            _ => (Kind::Other, first.len_utf8()),
        };
        self.at += length;
        Some(Token { kind, start, end: self.at })
    }
}

/// The length of a quotation; a doubled quote is a part of it.
fn quoted(rest: &str, quote: char) -> usize {
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, char)) = chars.next() {
        if char == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
            return at + 1;
        }
    }
    rest.len()
}

/// The length of `$tag$ … $tag$`.
fn dollar_quoted(rest: &str) -> Option<usize> {
    let tag_end = rest[1..].find('$')? + 2;
    let tag = &rest[..tag_end];
    let inner = &tag[1..tag_end - 1];
    let is_tag = inner.chars().all(|char| char.is_alphanumeric() || char == '_')
        && !inner.starts_with(|char: char| char.is_ascii_digit());
    let end = rest[tag_end..].find(tag).map_or(rest.len(), |at| tag_end + at + tag_end);
    is_tag.then_some(end)
}
