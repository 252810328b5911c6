//! A script of pgbench as its parts: statements and commands, each with its line.

use super::Problem;

/// A part of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A SQL statement without its semicolon.
    Sql(usize, String),
    /// A command without its backslash: its name and the rest of its line.
    Command(usize, String, String),
}

/// Splits a script.
///
/// # Errors
/// A quote or a comment that does not end.
pub(super) fn parts(text: &str) -> Result<Vec<Part>, Problem> {
    let mut parts = Vec::new();
    let mut scanner = Scanner { text, at: 0, line: 1 };
    let (mut sql, mut began) = (String::new(), 0);
    let end = |sql: &mut String, line: usize, parts: &mut Vec<Part>| {
        let statement = sql.trim().to_owned();
        if !statement.is_empty() {
            parts.push(Part::Sql(line, statement));
        }
        sql.clear();
    };
    while let Some(next) = scanner.piece()? {
        match next {
            Piece::Comment => sql.push(' '),
            Piece::End => end(&mut sql, began, &mut parts),
            Piece::Command(line, command) => {
                end(&mut sql, began, &mut parts);
                let (name, rest) =
                    command.split_once(char::is_whitespace).unwrap_or((&command, ""));
                parts.push(Part::Command(line, name.to_owned(), rest.trim().to_owned()));
            }
            Piece::Text(line, piece) => {
                if sql.trim().is_empty() && !piece.trim().is_empty() {
                    began = line;
                }
                sql.push_str(piece);
            }
        }
    }
    end(&mut sql, began, &mut parts);
    Ok(parts)
}

/// Whether a piece of SQL is a quoted one, whose content is no syntax.
pub(super) fn is_quoted(piece: &str) -> bool {
    piece.starts_with(['\'', '"'])
        || (piece.starts_with('$') && piece.len() > 1 && piece.ends_with('$'))
}

/// The pieces of a statement: quoted ones, and single characters.
pub(super) fn pieces(sql: &str) -> Vec<&str> {
    let mut scanner = Scanner { text: sql, at: 0, line: 1 };
    let mut pieces = Vec::new();
    while let Ok(Some(piece)) = scanner.piece() {
        if let Piece::Text(_, text) = piece {
            pieces.push(text);
        }
    }
    pieces
}

enum Piece<'a> {
    /// Of a statement: a quoted text, or a character.
    Text(usize, &'a str),
    /// A comment.
    Comment,
    /// A semicolon.
    End,
    /// A command, with the lines that continue it.
    Command(usize, String),
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Scanner<'a> {
    fn piece(&mut self) -> Result<Option<Piece<'a>>, Problem> {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let line = self.line;
        let unclosed = |what: &str| Problem::new(line, format!("{what} does not end."));
        let length = match first {
            ';' => 1,
            '\\' => return Ok(Some(self.command())),
            _ if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => {
                rest.find("*/").ok_or_else(|| unclosed("A comment"))? + 2
            }
            '\'' | '"' => quote(rest, first).ok_or_else(|| unclosed("A quote"))?,
            '$' => match tag(rest) {
                Some(tag) => {
                    let inside = &rest[tag.len()..];
                    inside.find(tag).ok_or_else(|| unclosed("A quote"))? + 2 * tag.len()
                }
                None => 1,
            },
            first => first.len_utf8(),
        };
        let piece = &rest[..length];
        self.at += length;
        self.line += piece.matches('\n').count();
        Ok(Some(match first {
            ';' => Piece::End,
            _ if piece.starts_with("--") || piece.starts_with("/*") => Piece::Comment,
            _ => Piece::Text(line, piece),
        }))
    }

    /// A command ends with its line, unless a backslash continues it.
    fn command(&mut self) -> Piece<'a> {
        let line = self.line;
        let mut command = String::new();
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let length = rest.find('\n').unwrap_or(rest.len());
            let part = rest[..length].trim_end();
            self.at += (length + 1).min(rest.len());
            self.line += 1;
            match part.strip_suffix('\\') {
                Some(part) if self.at < self.text.len() => {
                    command.push_str(part);
                    command.push(' ');
                }
                _ => {
                    command.push_str(part);
                    return Piece::Command(line, command.trim().to_owned());
                }
            }
        }
    }
}

/// The length of a quoted text; a doubled quote is part of it.
fn quote(text: &str, quote: char) -> Option<usize> {
    let mut at = 1;
    loop {
        at += text[at..].find(quote)? + 1;
        match text[at..].starts_with(quote) {
            true => at += 1,
            false => return Some(at),
        }
    }
}

/// The tag of a dollar quote, `$$` or `$name$`.
fn tag(text: &str) -> Option<&str> {
    let end = text[1..].find('$')? + 1;
    let name = &text[1..end];
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|first: char| first.is_ascii_digit());
    is_name.then(|| &text[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_split() {
        let text = "-- a comment; it says nothing\n\\set a random(1, \\\n  10)\nBEGIN; SELECT ';' -- x\n  , $q$;$q$\n;\nSELECT 1 AS x \\gset p_\n\\sleep 10 ms\nSELECT 2";
        let sql = |line, text: &str| Part::Sql(line, text.to_owned());
        let command =
            |line, name: &str, rest: &str| Part::Command(line, name.to_owned(), rest.to_owned());
        let expected = [
            command(2, "set", "a random(1,    10)"),
            sql(4, "BEGIN"),
            sql(4, "SELECT ';'  \n  , $q$;$q$"),
            sql(7, "SELECT 1 AS x"),
            command(7, "gset", "p_"),
            command(8, "sleep", "10 ms"),
            sql(9, "SELECT 2"),
        ];
        assert_eq!(parts(text).unwrap(), expected);
        assert_eq!(parts("SELECT 1;\nSELECT 'a").unwrap_err().line, 2);
    }
}
