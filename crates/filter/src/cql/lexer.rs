//! Tokens of CQL. White space is space, tab, CR and LF; there are no reserved words at this level.

use duet_model::{Code, Result};
use duet_text::problem::fault;

use super::sign::{SIGNS, Sign};
use super::tree::Symbol;

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A word without quotes.
    Word(Symbol),
    /// A string in quotes.
    Text(Symbol),
    Sign(Sign),
    Open,
    Close,
    Slash,
    End,
}

/// A token and the byte at which it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) at: usize,
}

/// Whether a character cannot be part of a word.
pub(super) fn ends_word(char: char) -> bool {
    is_space(char) || matches!(char, '(' | ')' | '/' | '<' | '>' | '=')
}

/// Whether a character separates tokens.
pub(super) fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\r' | '\n')
}

/// Whether a backslash before this character is kept: the term gives the character a meaning.
pub(super) fn is_masked(char: char) -> bool {
    matches!(char, '*' | '?' | '^' | '\\')
}

/// Reads tokens from a text.
#[derive(Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// # Errors
    /// [`Code::NulCharacter`] if the text contains U+0000.
    pub(super) fn new(text: &'t str) -> Result<Self> {
        match text.find('\0') {
            Some(at) => Err(fault(Code::NulCharacter, at, "Text cannot contain U+0000.")),
            None => Ok(Self { text, at: 0 }),
        }
    }

    /// The next token; [`Kind::End`] at the end, any number of times.
    pub(super) fn next(&mut self) -> Result<Token> {
        let spaces = self.rest().len() - self.rest().trim_start_matches(is_space).len();
        self.at += spaces;
        let (at, rest) = (self.at, self.rest());
        let single = |kind| (kind, 1);
        let (kind, length) = match rest.chars().next() {
            None => (Kind::End, 0),
            Some('(') => single(Kind::Open),
            Some(')') => single(Kind::Close),
            Some('/') => single(Kind::Slash),
            Some('"') => self.string()?,
            Some('<' | '>' | '=') => {
                let found = SIGNS.iter().find(|(text, _)| rest.starts_with(text));
                found.map_or((Kind::End, 0), |(text, sign)| (Kind::Sign(*sign), text.len()))
            }
            Some(_) => {
                let length = rest.find(ends_word).unwrap_or(rest.len());
                (Kind::Word(Symbol::new(canonical(&rest[..length]), at)), length)
            }
        };
        self.at += length;
        Ok(Token { kind, at })
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The string that begins here, with the length of its literal.
    fn string(&self) -> Result<(Kind, usize)> {
        let rest = self.rest();
        let mut escaped = false;
        for (at, char) in rest.char_indices().skip(1) {
            match char {
                '"' if !escaped => {
                    let symbol = Symbol::new(canonical(&rest[1..at]), self.at);
                    return Ok((Kind::Text(symbol), at + 1));
                }
                '\\' => escaped = !escaped,
                _ => escaped = false,
            }
        }
        Err(fault(Code::CqlSyntax, self.at, "The string that begins here has no closing `\"`."))
    }
}

/// The text of a symbol: a backslash remains before `*`, `?`, `^` and `\` only.
fn canonical(literal: &str) -> String {
    let mut text = String::with_capacity(literal.len());
    let mut chars = literal.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            text.push(char);
            continue;
        }
        // A backslash at the end is the character itself.
        let escaped = chars.next().unwrap_or('\\');
        if is_masked(escaped) {
            text.push('\\');
        }
        text.push(escaped);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(Kind, usize)> {
        let mut lexer = Lexer::new(text).unwrap();
        let mut out = Vec::new();
        loop {
            let token = lexer.next().unwrap();
            if token.kind == Kind::End {
                return out;
            }
            out.push((token.kind, token.at));
        }
    }

    fn word(text: &str, at: usize) -> (Kind, usize) {
        (Kind::Word(Symbol::new(text.to_owned(), at)), at)
    }

    fn text(text: &str, at: usize) -> (Kind, usize) {
        (Kind::Text(Symbol::new(text.to_owned(), at)), at)
    }

    #[test]
    fn words_and_signs() {
        use Sign::{Exact, GreaterOrEqual, LessOrEqual, NotEqual};
        let sign = |sign, at| (Kind::Sign(sign), at);
        assert_eq!(tokens("a==b"), [word("a", 0), sign(Exact, 1), word("b", 3)]);
        assert_eq!(tokens("é<=ü"), [word("é", 0), sign(LessOrEqual, 2), word("ü", 4)]);
        let expected = [word("a", 0), sign(NotEqual, 2), text("b c", 5)];
        assert_eq!(tokens("a\n<>\t\"b c\""), expected);
        assert_eq!(tokens("=>="), [sign(Sign::Equal, 0), sign(GreaterOrEqual, 1)]);
        let expected = [(Kind::Slash, 0), word("@x", 1), (Kind::Open, 3), (Kind::Close, 4)];
        assert_eq!(tokens("/@x()"), expected);
    }

    #[test]
    fn escapes() {
        for (literal, expected) in [
            (r#""a \"b\" c""#, r#"a "b" c"#),
            (r#""a\*b\?c\^d""#, r"a\*b\?c\^d"),
            (r#""a\\""#, r"a\\"),
            (r#""\a\.""#, "a."),
            ("\"\"", ""),
        ] {
            assert_eq!(tokens(literal), [text(expected, 0)], "{literal}");
        }
        for (literal, expected) in [(r"a\*", r"a\*"), ("a\\", r"a\\"), ("a\"b\"", "a\"b\"")] {
            assert_eq!(tokens(literal), [word(expected, 0)], "{literal}");
        }
    }

    #[test]
    fn broken_texts() {
        let error = |text: &str| {
            let mut lexer = match Lexer::new(text) {
                Ok(lexer) => lexer,
                Err(error) => return error,
            };
            loop {
                if let Err(error) = lexer.next() {
                    return error;
                }
            }
        };
        for (text, code, at) in [
            ("a = \"b", Code::CqlSyntax, 4),
            ("a = \"b\\\"", Code::CqlSyntax, 4),
            ("a = b\0", Code::NulCharacter, 5),
        ] {
            let expected = Some(duet_text::error::Place::Offset(at));
            assert_eq!((error(text).code, error(text).place), (code, expected), "{text:?}");
        }
    }
}
