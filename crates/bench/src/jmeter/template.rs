//! Texts with variables and functions: `${name}` and `${__function(arguments)}`.

use super::Problem;
use super::function::Function;

/// How many functions may be in each other's arguments.
const MOST_NESTED: usize = 32;

/// A text whose parts are filled in for each use.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Template(pub(super) Vec<Piece>);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Variable(String),
    Call(Function, Vec<Template>),
}

impl Template {
    /// Reads a text.
    ///
    /// # Errors
    /// A function that is not known, and functions that are nested too deeply.
    pub(super) fn read(text: &str, line: usize) -> Result<Self, Problem> {
        Self::nested(text, line, 0)
    }

    fn nested(text: &str, line: usize, depth: usize) -> Result<Self, Problem> {
        if depth > MOST_NESTED {
            let message = format!("Functions are nested more than {MOST_NESTED} levels deep.");
            return Err(Problem::new(line, message));
        }
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            if at > 0 {
                pieces.push(Piece::Text(rest[..at].to_owned()));
            }
            let inside = &rest[at + 2..];
            let Some(end) = closing(inside) else {
                pieces.push(Piece::Text("${".to_owned()));
                rest = inside;
                continue;
            };
            pieces.push(piece(&inside[..end], line, depth)?);
            rest = &inside[end + 1..];
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self(pieces))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text, where nothing is filled in.
    pub(super) fn constant(&self) -> Option<&str> {
        match &self.0[..] {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// Where the brace closes that was open before a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' if at > 0 && bytes[at - 1] == b'$' => depth += 1,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn piece(inside: &str, line: usize, depth: usize) -> Result<Piece, Problem> {
    let trimmed = inside.trim();
    if !trimmed.starts_with("__") {
        return Ok(Piece::Variable(trimmed.to_owned()));
    }
    let (name, arguments) = match trimmed.split_once('(') {
        Some((name, rest)) => (name, rest.strip_suffix(')').unwrap_or(rest)),
        None => (trimmed, ""),
    };
    let function = Function::named(name, arguments, line)?;
    let given = if function == Function::BaseFolder { Vec::new() } else { divided(arguments) };
    let read = given.iter().map(|text| Template::nested(text, line, depth + 1));
    let read = read.collect::<Result<_, _>>()?;
    Ok(Piece::Call(function, read))
}

/// The arguments of a call: divided by commas outside of braces, unless a backslash is before them.
fn divided(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0usize;
    let mut chars = text.chars().peekable();
    while let Some(next) = chars.next() {
        let Some(part) = parts.last_mut() else { break };
        match next {
            '\\' if chars.peek() == Some(&',') => part.extend(chars.next()),
            ',' if depth == 0 => parts.push(String::new()),
            _ => {
                depth = match next {
                    '{' | '(' => depth + 1,
                    '}' | ')' => depth.saturating_sub(1),
                    _ => depth,
                };
                part.push(next);
            }
        }
    }
    if parts.len() == 1 && parts[0].is_empty() { Vec::new() } else { parts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_calls_have_a_limit() {
        let nested = |levels: usize| {
            Template::read(&format!("{}x{}", "${__eval(".repeat(levels), ")}".repeat(levels)), 7)
        };
        assert!(nested(MOST_NESTED).is_ok());
        for levels in [MOST_NESTED + 1, 2_000] {
            assert_eq!(nested(levels).unwrap_err().line, 7);
        }
    }

    #[test]
    fn texts_have_variables_and_calls() {
        let read = |text: &str| Template::read(text, 7);
        let text = |text: &str| Piece::Text(text.to_owned());
        assert_eq!(read("a${b}c").unwrap().0, [text("a"), Piece::Variable("b".into()), text("c")]);
        assert_eq!(read("50 $ {a}").unwrap().constant(), Some("50 $ {a}"));
        let Piece::Call(Function::Random, arguments) = &read("${__Random(0,${n})}").unwrap().0[0]
        else {
            panic!("a call");
        };
        assert_eq!(arguments[0].constant(), Some("0"));
        assert_eq!(arguments[1].0, [Piece::Variable("n".into())]);
        let wrong = read("${__groovy(1+1)}").unwrap_err();
        assert!(wrong.line == 7 && wrong.message.contains("__groovy"), "{wrong}");
        let base = "${__CSVRead(${__BeanShell(import org.apache.jmeter.services.FileServer; FileServer.getFileServer().getBaseDir();)}/c.csv,6)}";
        let Piece::Call(Function::CsvRead, arguments) = &read(base).unwrap().0[0] else {
            panic!("a call");
        };
        assert_eq!(arguments.len(), 2);
    }
}
