//! The line of a value in a JSON text, by its pointer: parsed documents have no lines.

/// The line of the value at this pointer (RFC 6901), from 1; of its nearest part that exists, if it
/// does not.
pub(super) fn line_of(text: &str, pointer: &str) -> usize {
    let wanted: Vec<String> =
        pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
    let mut walker = Walker { text, at: 0, line: 1, wanted: &wanted, found: 1, depth: 0 };
    walker.value(true);
    walker.found
}

struct Walker<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    wanted: &'a [String],
    found: usize,
    /// How many parts of the pointer were found.
    depth: usize,
}

impl Walker<'_> {
    /// Passes a value; `on_path` if it is on the way to the wanted one.
    fn value(&mut self, on_path: bool) {
        match self.peek() {
            Some('{') => self.members('}', on_path),
            Some('[') => self.members(']', on_path),
            Some('"') => drop(self.string()),
            _ => {
                let rest = &self.text[self.at..];
                let end = rest.find([',', '}', ']']).unwrap_or(rest.len());
                self.pass(end.max(1).min(rest.len()));
            }
        }
    }

    fn members(&mut self, end: char, on_path: bool) {
        self.pass(1);
        let mut number = 0;
        while let Some(next) = self.peek() {
            match next {
                next if next == end => return self.pass(1),
                ',' => self.pass(1),
                _ => {
                    let line = self.line;
                    let name = if end == '}' { self.string() } else { number.to_string() };
                    if end == '}' && self.peek() == Some(':') {
                        self.pass(1);
                    }
                    let depth = self.depth;
                    let is_next = on_path && self.wanted.get(depth).is_some_and(|it| *it == name);
                    if is_next {
                        self.found = line;
                        self.depth += 1;
                    }
                    self.value(is_next);
                    if is_next {
                        // Nothing behind it is the wanted one.
                        self.at = self.text.len();
                        return;
                    }
                    number += 1;
                }
            }
        }
    }

    fn string(&mut self) -> String {
        let rest = &self.text[self.at..];
        let mut escaped = false;
        let mut end = rest.len();
        for (at, char) in rest.char_indices().skip(1) {
            match (escaped, char) {
                (true, _) => escaped = false,
                (false, '\\') => escaped = true,
                (false, '"') => {
                    end = at + 1;
                    break;
                }
                _ => {}
            }
        }
        let text = serde_json::from_str(&rest[..end]).unwrap_or_default();
        self.pass(end.max(1).min(rest.len()));
        text
    }

    /// The next character that is no blank.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        let blank = rest.len() - rest.trim_start().len();
        self.pass(blank);
        self.text[self.at..].chars().next()
    }

    fn pass(&mut self, length: usize) {
        self.line += self.text[self.at..self.at + length].matches('\n').count();
        self.at += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_values() {
        let text = "{\n \"a\": {\"x\": 1},\n \"paths\": {\n  \"/b/{id}\": {\n   \"get\": [1,\n    {\"c\": 2}]\n  }\n },\n \"z\": \"a\\\"b\"\n}";
        for (pointer, line) in [
            ("", 1),
            ("/paths", 3),
            ("/paths/~1b~1{id}/get", 5),
            ("/paths/~1b~1{id}/get/1/c", 6),
            ("/paths/~1b~1{id}/nothing", 4),
            ("/z", 9),
        ] {
            assert_eq!(line_of(text, pointer), line, "{pointer}");
        }
        assert_eq!(line_of("[1, 2", "/7"), 1);
    }
}
