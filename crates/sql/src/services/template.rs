//! The statements of a service, as a file of an application has them: split at semicolons, named
//! parameters found. Text in quotes and comments is left as it is.

use std::ops::Range;

use duet_model::{Piece, QueryParameter};
use duet_text::name;

/// What cannot be part of a service's statements, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateMistake {
    /// The place in the file, in bytes.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

/// Splits a text into statements and finds `:name` in them. Positions count from `base`. Statements without
/// anything but comments are left out.
///
/// ```
/// use duet_model::{Piece, QueryParameter, Type};
///
/// let id = QueryParameter { name: "id".into(), ty: Type::Text, declared: "text".into() };
/// let statements = duet_sql::statements("SELECT ':id', a::text FROM t WHERE id = :id;", 0, &[id]).unwrap();
/// assert_eq!(statements.len(), 1);
/// assert!(matches!(statements[0][1], Piece::Parameter { index: 0, at: 40 }));
/// ```
///
/// # Errors
/// For parameters that are not known or written otherwise, and quotes without an end.
pub fn statements(
    text: &str,
    base: usize,
    parameters: &[QueryParameter],
) -> Result<Vec<Vec<Piece>>, TemplateMistake> {
    let mut lexer =
        Lexer { text, base, parameters, at: 0, from: 0, pieces: Vec::new(), full: false };
    let mut found = Vec::new();
    while lexer.at < text.len() {
        if lexer.step()? {
            found.extend(lexer.statement());
        }
    }
    found.extend(lexer.statement());
    Ok(found)
}

/// First words of statements that are about transactions and sessions.
const REFUSED: [&str; 24] = [
    "BEGIN",
    "START",
    "COMMIT",
    "END",
    "ROLLBACK",
    "ABORT",
    "SAVEPOINT",
    "RELEASE",
    "PREPARE",
    "DEALLOCATE",
    "EXECUTE",
    "SET",
    "RESET",
    "DISCARD",
    "LISTEN",
    "UNLISTEN",
    "COPY",
    "LOAD",
    "VACUUM",
    "PRAGMA",
    "ATTACH",
    "DETACH",
    "DECLARE",
    "FETCH",
];

struct Lexer<'t> {
    text: &'t str,
    base: usize,
    parameters: &'t [QueryParameter],
    at: usize,
    /// Where the piece begins that is being read.
    from: usize,
    pieces: Vec<Piece>,
    /// Whether the statement has more than spaces and comments.
    full: bool,
}

impl Lexer<'_> {
    /// Passes over one token; true where it ends the statement.
    fn step(&mut self) -> Result<bool, TemplateMistake> {
        let rest = &self.text[self.at..];
        let mut characters = rest.chars();
        let first = characters.next().unwrap_or_default();
        let second = characters.next().unwrap_or_default();
        match (first, second) {
            ('-', '-') => self.at += rest.find('\n').unwrap_or(rest.len()),
            ('/', '*') => self.comment()?,
            _ if first.is_whitespace() => self.at += first.len_utf8(),
            (';', _) => return Ok(true),
            _ => {
                if !self.full {
                    self.check_first_word()?;
                }
                self.full = true;
                self.token(first, second)?;
            }
        }
        Ok(false)
    }

    fn token(&mut self, first: char, second: char) -> Result<(), TemplateMistake> {
        match (first, second) {
            ('\'', _) => self.quoted('\'', self.is_escaped())?,
            ('"' | '`', _) => self.quoted(first, false)?,
            ('$', '0'..='9') => return Err(self.positional()),
            ('$', _) if self.dollar_quoted()? => {}
            (':', ':') => self.at += 2,
            (':', second) if is_start(second) => self.parameter()?,
            ('?', _) => return Err(self.positional()),
            ('@' | '$', second) if is_start(second) => return Err(self.positional()),
            _ if is_start(first) => self.at += self.word().len(),
            _ => self.at += first.len_utf8(),
        }
        Ok(())
    }

    /// A name or keyword at this place; a `$` within it begins no quote.
    fn word(&self) -> &str {
        let rest = &self.text[self.at..];
        let is_part = |c: char| is_start(c) || c.is_ascii_digit() || c == '$';
        &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())]
    }

    /// Refuses statements that would end the transaction that Duet begins, or change the connection that
    /// others use after it.
    fn check_first_word(&self) -> Result<(), TemplateMistake> {
        let word = self.word();
        if !REFUSED.iter().any(|refused| word.eq_ignore_ascii_case(refused)) {
            return Ok(());
        }
        let start = self.base + self.at;
        Err(TemplateMistake {
            span: start..start + word.len(),
            message: format!("A service cannot have the statement {}.", word.to_ascii_uppercase()),
            hint: Some(
                "Duet begins and ends the transaction in which the statements of a service run."
                    .into(),
            ),
        })
    }

    /// Whether the string that begins here is one of PostgreSQL's with escapes: `E'…'`.
    fn is_escaped(&self) -> bool {
        let mut before = self.text[..self.at].chars().rev();
        matches!(before.next(), Some('e' | 'E')) && !before.next().is_some_and(is_start)
    }

    fn quoted(&mut self, quote: char, escapes: bool) -> Result<(), TemplateMistake> {
        let start = self.at;
        let mut characters = self.text[start + 1..].char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            if c == '\\' && escapes {
                characters.next();
            } else if c == quote && characters.next_if(|(_, next)| *next == quote).is_none() {
                self.at = start + 1 + at + 1;
                return Ok(());
            }
        }
        Err(self.unfinished(start, "quote"))
    }

    /// A comment. Comments inside comments are refused: SQLite and PostgreSQL end them differently.
    fn comment(&mut self) -> Result<(), TemplateMistake> {
        let start = self.at;
        let body = &self.text[start + 2..];
        let Some(length) = body.find("*/") else { return Err(self.unfinished(start, "comment")) };
        if let Some(inner) = body[..length].find("/*") {
            let at = self.base + start + 2 + inner;
            let message = "A comment cannot be inside of another one.".to_owned();
            return Err(TemplateMistake { span: at..at + 2, message, hint: None });
        }
        self.at = start + 2 + length + 2;
        Ok(())
    }

    /// Passes over `$tag$ … $tag$`; false where none begins here.
    fn dollar_quoted(&mut self) -> Result<bool, TemplateMistake> {
        let rest = &self.text[self.at + 1..];
        let is_part = |c: char| is_start(c) || c.is_ascii_digit();
        let tag = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        if !rest[tag.len()..].starts_with('$') {
            return Ok(false);
        }
        let mark = format!("${tag}$");
        let body = self.at + mark.len();
        let Some(end) = self.text[body..].find(&mark) else {
            return Err(self.unfinished(self.at, "quote"));
        };
        self.at = body + end + mark.len();
        Ok(true)
    }

    fn parameter(&mut self) -> Result<(), TemplateMistake> {
        let start = self.at;
        self.at += 1;
        let word = self.word().to_owned();
        let Some(index) = self.parameters.iter().position(|parameter| parameter.name == word)
        else {
            let names = self.parameters.iter().map(|parameter| parameter.name.as_str());
            let near = name::nearest(&word, names).map(|near| format!("Did you mean `:{near}`?"));
            let span = self.base + start..self.base + start + 1 + word.len();
            let message = format!("There is no parameter {word:?}.");
            let hint =
                near.unwrap_or_else(|| "Declare it in the header, below [parameters].".into());
            return Err(TemplateMistake { span, message, hint: Some(hint) });
        };
        self.text_until(start);
        self.pieces.push(Piece::Parameter { index, at: self.base + start });
        self.at += word.len();
        self.from = self.at;
        Ok(())
    }

    fn text_until(&mut self, end: usize) {
        if self.from < end {
            let text = self.text[self.from..end].to_owned();
            self.pieces.push(Piece::Text { text, at: self.base + self.from });
        }
    }

    /// Ends the statement, and passes over its semicolon.
    fn statement(&mut self) -> Option<Vec<Piece>> {
        self.text_until(self.at);
        self.at += 1;
        self.from = self.at;
        let pieces = std::mem::take(&mut self.pieces);
        std::mem::take(&mut self.full).then_some(pieces)
    }

    fn positional(&self) -> TemplateMistake {
        let start = self.base + self.at;
        let message = "Parameters are written as `:name`.".to_owned();
        let hint = "Declare each below [parameters]. PostgreSQL's operators with a question mark have functions: \
                    `jsonb_exists(a, b)` is `a ? b`.";
        TemplateMistake { span: start..start + 1, message, hint: Some(hint.to_owned()) }
    }

    fn unfinished(&self, start: usize, what: &str) -> TemplateMistake {
        let start = self.base + start;
        let message = format!("This {what} has no end.");
        TemplateMistake { span: start..start + 1, message, hint: None }
    }
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

#[cfg(test)]
mod tests {
    use duet_model::Type;
    use proptest::prelude::*;

    use super::*;

    fn parameters() -> Vec<QueryParameter> {
        let parameter = |name: &str| QueryParameter {
            name: name.into(),
            ty: Type::Text,
            declared: "text".into(),
        };
        vec![parameter("id"), parameter("name")]
    }

    /// Each statement with its parameters as `<0>`.
    fn read(text: &str) -> Result<Vec<String>, String> {
        let piece = |piece: &Piece| match piece {
            Piece::Text { text, .. } => text.clone(),
            Piece::Parameter { index, .. } => format!("<{index}>"),
        };
        let found = statements(text, 0, &parameters()).map_err(|mistake| mistake.message)?;
        Ok(found.iter().map(|pieces| pieces.iter().map(piece).collect()).collect())
    }

    #[test]
    fn parameters_are_found_outside_of_quotes_and_comments() {
        for (text, expected) in [
            ("a = :id AND :name", "a = <0> AND <1>"),
            ("':id' || \":id\" || `:id` || :id", "':id' || \":id\" || `:id` || <0>"),
            ("'it''s :id' :id", "'it''s :id' <0>"),
            (r"E'\' :id' :id", r"E'\' :id' <0>"),
            (r"'\' || :id", r"'\' || <0>"),
            ("a::id, b :: name, :id::text", "a::id, b :: name, <0>::text"),
            ("$$ :id $$ || $x$ $$ :id $x$ || :id", "$$ :id $$ || $x$ $$ :id $x$ || <0>"),
            ("a$b$c = :id", "a$b$c = <0>"),
            ("-- :id ;\n:id", "-- :id ;\n<0>"),
            ("/* ; :id */ :id", "/* ; :id */ <0>"),
            ("/* ' */ :id /* ' */", "/* ' */ <0> /* ' */"),
            ("a[1:2], é = :id", "a[1:2], é = <0>"),
        ] {
            assert_eq!(read(text).unwrap(), [expected], "{text}");
        }
    }

    #[test]
    fn statements_end_at_semicolons() {
        assert_eq!(read("a; b :id;").unwrap(), ["a", " b <0>"]);
        assert_eq!(read("';' ; -- ;\n ; /* */").unwrap(), ["';' "]);
        assert!(read("  -- nothing\n").unwrap().is_empty());
    }

    #[test]
    fn mistakes_have_positions() {
        for (text, span, message) in [
            ("a = :nam", 4..8, "There is no parameter \"nam\"."),
            ("a = ?", 4..5, "Parameters are written as `:name`."),
            ("a = $1", 4..5, "Parameters are written as `:name`."),
            ("a = @id", 4..5, "Parameters are written as `:name`."),
            ("a = 'x", 4..5, "This quote has no end."),
            ("/* x", 0..1, "This comment has no end."),
            ("$a$ x", 0..1, "This quote has no end."),
            ("/* a /* b */", 5..7, "A comment cannot be inside of another one."),
            ("a; /* */ commit;", 9..15, "A service cannot have the statement COMMIT."),
            ("PRAGMA user_version", 0..6, "A service cannot have the statement PRAGMA."),
        ] {
            let mistake = statements(text, 0, &parameters()).unwrap_err();
            assert_eq!((mistake.span, mistake.message.as_str()), (span, message), "{text}");
        }
        let mistake = statements("a = :nam", 10, &parameters()).unwrap_err();
        assert_eq!(mistake.span, 14..18);
        assert_eq!(mistake.hint.as_deref(), Some("Did you mean `:name`?"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[:;'\"$/*a-e\\-\\\\ \n?é0-9]{0,40}") {
            let Ok(found) = statements(&text, 0, &parameters()) else { return Ok(()) };
            for piece in found.iter().flatten() {
                if let Piece::Text { text: part, at } = piece {
                    prop_assert_eq!(&text[*at..*at + part.len()], part.as_str());
                }
            }
        }
    }
}
