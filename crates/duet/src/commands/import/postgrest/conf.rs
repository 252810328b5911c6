//! PostgREST's configuration file: a key and a value on each line, `#` before comments.

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConfLine {
    /// From 1.
    pub(super) line: usize,
    pub(super) key: String,
    pub(super) value: String,
}

/// Reads a file. The lines that cannot be read are given by their numbers.
pub(super) fn read(text: &str) -> (Vec<ConfLine>, Vec<usize>) {
    let (mut lines, mut unread) = (Vec::new(), Vec::new());
    for (at, text) in text.lines().enumerate() {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let line = at + 1;
        match text.split_once('=').and_then(|(key, value)| Some((key.trim(), of_text(value)?))) {
            Some((key, value)) if !key.is_empty() => {
                lines.push(ConfLine { line, key: key.trim_matches('"').to_owned(), value });
            }
            _ => unread.push(line),
        }
    }
    (lines, unread)
}

/// A value: a text in quotes, a number or a boolean; behind it a comment. `None` where it is neither.
fn of_text(text: &str) -> Option<String> {
    let text = text.trim();
    let Some(inside) = text.strip_prefix('"') else {
        let value = text.split('#').next().unwrap_or(text).trim();
        return (!value.is_empty() && !value.contains(char::is_whitespace))
            .then(|| value.to_owned());
    };
    let (mut value, mut chars) = (String::new(), inside.chars());
    while let Some(char) = chars.next() {
        match char {
            '"' => {
                let rest = chars.as_str().trim();
                return (rest.is_empty() || rest.starts_with('#')).then_some(value);
            }
            '\\' => value.push(match chars.next()? {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            char => value.push(char),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let text = "# a\n\ndb-uri = \"postgres://a\" # b\ndb-pool=10\nx = \"a \\\"b\\\"\"\ny = \"open\nz\n";
        let (lines, unread) = read(text);
        let lines: Vec<_> =
            lines.iter().map(|one| (one.line, one.key.as_str(), one.value.as_str())).collect();
        assert_eq!(
            lines,
            [(3, "db-uri", "postgres://a"), (4, "db-pool", "10"), (5, "x", "a \"b\"")]
        );
        assert_eq!(unread, [6, 7]);
    }
}
