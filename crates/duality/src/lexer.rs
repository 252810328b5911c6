//! Definition text to tokens, for both syntaxes and for expressions inside string arguments.

use duet_model::Code;

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// A token and its position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// Whether it is the first of its line.
    pub(crate) starts_line: bool,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// A bare name or keyword.
    Word(String),
    /// Text in double quotes: a quoted name in SQL, a string in GraphQL. `verbatim` where nothing
    /// in it was escaped, so that offsets inside are those of the file.
    Quoted { text: String, verbatim: bool },
    /// Text in single quotes.
    Text { text: String, verbatim: bool },
    /// A number as written.
    Number(String),
    /// Punctuation or an operator.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// Longer symbols come first, so that `<=` is not read as `<`.
const SYMBOLS: &[&str] = &[
    "...", "<>", "!=", "<=", ">=", "||", "{", "}", "[", "]", "(", ")", ":", ",", ";", ".", "@",
    "=", "<", ">", "+", "-", "*", "/", "?", "$",
];

/// The position of a text in its file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    /// It begins at this byte.
    Offset(usize),
    /// It was unescaped from this range; everything in it is placed there.
    Within(Span),
}

/// Cuts a text into tokens, the last of which is [`TokenKind::End`]. What cannot be a token is
/// reported and left out.
pub(crate) fn lex(text: &str, origin: Origin) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer {
        text,
        at: 0,
        origin,
        starts_line: true,
        tokens: Vec::new(),
        diagnostics: Vec::new(),
    };
    // A byte order mark is not part of the text.
    lexer.at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while lexer.token() {}
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    origin: Origin,
    starts_line: bool,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    /// Reads one token; `false` at the end.
    fn token(&mut self) -> bool {
        self.skip_blank();
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            self.push(start, TokenKind::End);
            return false;
        };
        match first {
            '\'' | '"' | '`' => self.quoted(first),
            '0'..='9' => self.number(),
            _ if is_word_start(first) => {
                let len = rest.find(|char| !is_word_part(char)).unwrap_or(rest.len());
                self.at += len;
                self.push(start, TokenKind::Word(rest[..len].to_owned()));
            }
            _ => self.symbol(first),
        }
        true
    }

    fn symbol(&mut self, first: char) {
        let start = self.at;
        let rest = &self.text[start..];
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            self.at += symbol.len();
            self.push(start, TokenKind::Symbol(symbol));
            return;
        }
        self.at += first.len_utf8();
        let message = format!("the character {first:?} has no meaning here");
        self.report(start, message);
    }

    fn push(&mut self, start: usize, kind: TokenKind) {
        let span = self.span(start);
        self.tokens.push(Token { kind, span, starts_line: self.starts_line });
        self.starts_line = false;
    }

    fn span(&self, start: usize) -> Span {
        match self.origin {
            Origin::Offset(base) => Span::new(base + start, base + self.at),
            Origin::Within(span) => span,
        }
    }

    fn report(&mut self, start: usize, message: impl Into<String>) {
        let span = self.span(start);
        self.diagnostics.push(Diagnostic::new(Code::ViewSyntax, span, message));
    }

    /// Skips white space and the comments of both languages: `--`, `#` and `/* */`.
    fn skip_blank(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.find(|char: char| !char.is_whitespace()).unwrap_or(rest.len());
            self.starts_line |= rest[..blank].contains('\n');
            self.at += blank;
            let rest = &rest[blank..];
            if rest.starts_with("--") || rest.starts_with('#') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.block_comment(rest.len(), rest.find("*/"));
            } else {
                return;
            }
        }
    }

    fn block_comment(&mut self, rest: usize, end: Option<usize>) {
        let start = self.at;
        self.at += end.map_or(rest, |end| end + "*/".len());
        self.starts_line |= self.text[start..self.at].contains('\n');
        if end.is_none() {
            self.at = start + "/*".len();
            self.report(start, "this comment has no end");
            self.at = start + rest;
        }
    }

    /// Reads quoted text. A doubled quote is one quote; in double quotes a backslash escapes
    /// as in JSON and GraphQL. Backticks hold names of MySQL.
    fn quoted(&mut self, quote: char) {
        let start = self.at;
        let body = start + 1;
        let mut text = String::new();
        let mut chars = self.text[body..].char_indices().peekable();
        let mut end = None;
        while let Some((offset, char)) = chars.next() {
            if char == quote {
                if chars.next_if(|&(_, next)| next == quote).is_none() {
                    end = Some(body + offset);
                    break;
                }
                text.push(quote);
            } else if char == '\\' && quote == '"' {
                text.push(escaped(&mut chars));
            } else {
                text.push(char);
            }
        }
        let Some(end) = end else {
            self.at = body;
            self.report(start, "this quotation has no end");
            self.at = self.text.len();
            return;
        };
        self.at = end + 1;
        let verbatim = self.text[body..end] == text;
        let kind = match quote {
            '"' | '`' => TokenKind::Quoted { text, verbatim },
            _ => TokenKind::Text { text, verbatim },
        };
        self.push(start, kind);
    }

    fn number(&mut self) {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let digits = |from: usize| {
            from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let mut end = digits(start);
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = end + 1 + sign;
            if bytes.get(exponent).is_some_and(u8::is_ascii_digit) {
                end = digits(exponent);
            }
        }
        self.at = end;
        self.push(start, TokenKind::Number(self.text[start..end].to_owned()));
    }
}

/// The character of an escape after a backslash; an unknown escape is the character itself.
fn escaped(chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>) -> char {
    match chars.next().map(|(_, char)| char) {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('u') => {
            let mut code = 0;
            for _ in 0..4 {
                let digit = chars.next_if(|(_, char)| char.is_ascii_hexdigit());
                let Some(digit) = digit.and_then(|(_, char)| char.to_digit(16)) else {
                    return char::REPLACEMENT_CHARACTER;
                };
                code = code * 16 + digit;
            }
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        Some(char) => char,
        None => '\\',
    }
}

fn is_word_start(char: char) -> bool {
    char == '_' || char.is_alphabetic()
}

fn is_word_part(char: char) -> bool {
    is_word_start(char) || char == '$' || char.is_numeric()
}

/// Whether a name needs no quotes in a definition.
pub(crate) fn is_plain_name(name: &str) -> bool {
    name.starts_with(is_word_start) && name.chars().all(is_word_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let (mut tokens, diagnostics) = lex(text, Origin::Offset(0));
        assert_eq!(diagnostics, []);
        assert_eq!(tokens.pop().map(|token| token.kind), Some(TokenKind::End));
        tokens.into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn both_languages() {
        let text = "'it''s': t._id -- c\n # d\n/* e\n */ \"a\\\"b\" <= 1.5e3 @insert@update";
        let quoted = TokenKind::Quoted { text: "a\"b".to_owned(), verbatim: false };
        let expected = [
            TokenKind::Text { text: "it's".to_owned(), verbatim: false },
            TokenKind::Symbol(":"),
            TokenKind::Word("t".to_owned()),
            TokenKind::Symbol("."),
            TokenKind::Word("_id".to_owned()),
            quoted,
            TokenKind::Symbol("<="),
            TokenKind::Number("1.5e3".to_owned()),
            TokenKind::Symbol("@"),
            TokenKind::Word("insert".to_owned()),
            TokenKind::Symbol("@"),
            TokenKind::Word("update".to_owned()),
        ];
        assert_eq!(kinds(text), expected);
    }

    #[test]
    fn reports_invalid_texts() {
        for (text, message) in [
            ("'abc", "this quotation has no end"),
            ("/* abc", "this comment has no end"),
            ("a ~ b", "the character '~' has no meaning here"),
        ] {
            let (_, diagnostics) = lex(text, Origin::Offset(0));
            assert_eq!(diagnostics.len(), 1, "{text}");
            assert_eq!(diagnostics[0].message, message);
        }
    }

    #[test]
    fn lines_and_numbers() {
        let (tokens, _) = lex("a b\n c", Origin::Offset(10));
        let starts: Vec<_> = tokens.iter().map(|token| token.starts_line).collect();
        assert_eq!(starts, [true, false, true, false]);
        assert_eq!(tokens[2].span, Span::new(15, 16));
        assert_eq!(kinds("1.x").len(), 3);
        assert_eq!(kinds("1ex").len(), 2);
    }
}
