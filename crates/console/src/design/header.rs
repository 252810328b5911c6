//! Changes of one value in a text of TOML that a person writes: its comments, its order and its other lines stay as they are.
//! Comments between the items of a list that is changed go.
//!
//! The text is a file of TOML, or the header of a service: the first lines that are SQL comments.

use std::ops::Range;

/// A text, of which the TOML is changed.
#[derive(Clone, Debug)]
pub struct Header {
    lines: Vec<String>,
    /// How many lines are the TOML.
    end: usize,
    /// What each of these begins with.
    prefix: &'static str,
}

impl Header {
    /// A file of TOML.
    pub fn of_toml(text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        Self { end: lines.len(), lines, prefix: "" }
    }

    /// The header of a file of SQL.
    pub fn of_sql(text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let end = lines.iter().take_while(|line| line.starts_with("--")).count();
        Self { lines, end, prefix: "-- " }
    }

    /// The text.
    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line, "\n"]).collect()
    }

    /// Gives a key at the beginning of the TOML another value, which is a literal of TOML; `None` removes it.
    ///
    /// ```
    /// use duet_console::design::Header;
    /// let mut header = Header::of_sql("-- path = \"/a\"\n-- [parameters]\nSELECT 1\n");
    /// header.set("method", Some("\"POST\""));
    /// header.set("path", None);
    /// assert_eq!(header.text(), "-- method = \"POST\"\n-- [parameters]\nSELECT 1\n");
    /// ```
    pub fn set(&mut self, key: &str, value: Option<&str>) {
        let root = 0..self.root_end();
        self.set_in(root, key, value);
    }

    /// The same below a section, which is made where there is none.
    pub fn set_below(&mut self, section: &str, key: &str, value: Option<&str>) {
        let Some(range) = self.section(section) else {
            if let Some(value) = value {
                let lines = [format!("[{section}]"), format!("{key} = {value}")];
                let lines = lines.map(|line| format!("{}{line}", self.prefix));
                self.lines.splice(self.end..self.end, lines);
                self.end += 2;
            }
            return;
        };
        self.set_in(range, key, value);
    }

    /// Adds a text to a list below a section, or takes it out of it; a list that is empty is removed.
    pub fn set_listed(&mut self, section: &str, key: &str, item: &str, is_in: bool) {
        let quoted = literal(item);
        let range = self.section(section).and_then(|range| self.entry(range, key));
        let mut items = range.clone().map(|range| items(&self.value(range))).unwrap_or_default();
        items.retain(|known| *known != quoted && *known != format!("'{item}'"));
        if is_in {
            items.push(quoted);
        }
        let value = format!("[{}]", items.join(", "));
        self.set_below(section, key, (!items.is_empty()).then_some(&value));
    }

    fn set_in(&mut self, range: Range<usize>, key: &str, value: Option<&str>) {
        let line = value.map(|value| format!("{}{key} = {value}", self.prefix));
        let at = match self.entry(range.clone(), key) {
            Some(known) => known,
            None if line.is_none() => return,
            None => {
                let last = (range.start..range.end).rev().find(|at| !self.toml(*at).is_empty());
                let at = last.map_or(range.start, |at| at + 1);
                at..at
            }
        };
        self.end = self.end + usize::from(line.is_some()) - at.len();
        self.lines.splice(at, line);
    }

    /// What a line has of TOML.
    fn toml(&self, at: usize) -> &str {
        self.lines[at].strip_prefix(self.prefix.trim_end()).unwrap_or(&self.lines[at]).trim()
    }

    /// Where the first section begins.
    fn root_end(&self) -> usize {
        (0..self.end).find(|at| self.toml(*at).starts_with('[')).unwrap_or(self.end)
    }

    /// The lines below the title of a section.
    fn section(&self, name: &str) -> Option<Range<usize>> {
        let title = format!("[{name}]");
        let start = (0..self.end).find(|at| self.toml(*at).starts_with(&title))? + 1;
        let is_next = |at: &usize| {
            let line = self.toml(*at);
            line.starts_with('[') && !line.contains('=')
        };
        let end = (start..self.end).find(is_next).unwrap_or(self.end);
        Some(start..end)
    }

    /// The lines of a key and its value.
    fn entry(&self, range: Range<usize>, key: &str) -> Option<Range<usize>> {
        let is_it = |at: &usize| {
            let name = self.toml(*at).split_once('=').map(|(name, _)| name.trim());
            name.is_some_and(|name| name == key || name.trim_matches('"') == key)
        };
        let start = range.clone().find(is_it)?;
        let mut end = start + 1;
        while end < range.end && !is_closed(&self.value(start..end)) {
            end += 1;
        }
        Some(start..end)
    }

    /// The value of an entry, in one line.
    fn value(&self, entry: Range<usize>) -> String {
        let lines: Vec<&str> = entry.map(|at| self.toml(at)).collect();
        let text = lines.join("\n");
        text.split_once('=').map_or("", |(_, value)| value.trim()).to_owned()
    }
}

/// A value, of which some characters mean nothing; the places of bytes are the same in both texts.
struct ValueText {
    /// Without its comments.
    plain: String,
    /// Without what is in quotes, too.
    code: String,
}

impl ValueText {
    fn of(value: &str) -> Self {
        let (mut plain, mut code, mut quote) = (String::new(), String::new(), None);
        let mut chars = value.chars();
        while let Some(char) = chars.next() {
            let blank = " ".repeat(char.len_utf8());
            match (quote, char) {
                // In double quotes a backslash escapes; in single quotes it is one.
                (Some('"'), '\\') => {
                    let escaped = chars.next().map_or(String::new(), |char| char.to_string());
                    plain.extend([char.to_string(), escaped.clone()]);
                    code += &" ".repeat(1 + escaped.len());
                    continue;
                }
                (Some(open), _) => {
                    quote = (open != char).then_some(open);
                    plain.push(char);
                    code += &blank;
                    continue;
                }
                (None, '#') => {
                    let length = chars.as_str().find('\n').unwrap_or(chars.as_str().len());
                    let blank = " ".repeat(1 + length);
                    chars = chars.as_str()[length..].chars();
                    plain += &blank;
                    code += &blank;
                    continue;
                }
                (None, '"' | '\'') => quote = Some(char),
                (None, _) => {}
            }
            plain.push(if char == '\n' { ' ' } else { char });
            code.push(if char == '\n' { ' ' } else { char });
        }
        Self { plain, code }
    }
}

/// How much deeper in brackets and braces one is behind a sign.
fn step(char: char) -> i32 {
    match char {
        '[' | '{' => 1,
        ']' | '}' => -1,
        _ => 0,
    }
}

/// Whether the brackets and braces of a value are closed.
fn is_closed(value: &str) -> bool {
    ValueText::of(value).code.chars().map(step).sum::<i32>() <= 0
}

/// The items of a list, as they are written, without comments.
fn items(list: &str) -> Vec<String> {
    let ValueText { plain, code } = ValueText::of(list);
    let start = code.find('[').map_or(0, |at| at + 1);
    let end = code.rfind(']').unwrap_or(code.len()).max(start);
    let (mut found, mut from, mut depth) = (Vec::new(), start, 0);
    for (at, char) in code[start..end].char_indices() {
        depth += step(char);
        if char == ',' && depth == 0 {
            found.push(plain[from..start + at].trim().to_owned());
            from = start + at + 1;
        }
    }
    found.push(plain[from..end].trim().to_owned());
    found.retain(|item| !item.is_empty());
    found
}

/// A text as a literal of TOML, which has the escapes of JSON.
pub(crate) fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQL: &str = "-- # Sells.\n-- method = \"POST\"\n-- [parameters]\n-- id = { type = \"text\" }\n\n-- The statement.\nINSERT INTO a VALUES (:id)\n";

    #[test]
    fn a_header_keeps_what_is_not_changed() {
        let mut header = Header::of_sql(SQL);
        header.set("method", Some("\"PUT\""));
        header.set("result", Some("\"row\""));
        header.set_below("parameters", "part", Some("{ type = \"number\" }"));
        let expected = SQL.replace("\"POST\"\n", "\"PUT\"\n-- result = \"row\"\n").replace(
            "{ type = \"text\" }\n",
            "{ type = \"text\" }\n-- part = { type = \"number\" }\n",
        );
        assert_eq!(header.text(), expected);
        header.set_below("parameters", "part", None);
        header.set("result", None);
        header.set("method", Some("\"POST\""));
        assert_eq!(header.text(), SQL);
        let mut bare = Header::of_sql("SELECT 1\n");
        bare.set_below("parameters", "a", Some("{ type = \"text\" }"));
        bare.set("method", Some("\"POST\""));
        assert_eq!(
            bare.text(),
            "-- method = \"POST\"\n-- [parameters]\n-- a = { type = \"text\" }\nSELECT 1\n"
        );
    }

    #[test]
    fn quotations_and_comments_are_no_brackets() {
        let text = "[indexes]\nlike = [ # the [first\n  \"a\\\"],b\", # and, so on\n  'c\\', \"é]\"\n]\nunique = [\"x\"]\n";
        let mut toml = Header::of_toml(text);
        toml.set_listed("indexes", "like", "d", true);
        let expected = "[indexes]\nlike = [\"a\\\"],b\", 'c\\', \"é]\", \"d\"]\nunique = [\"x\"]\n";
        assert_eq!(toml.text(), expected);
    }

    #[test]
    fn lists_take_and_lose_items() {
        let text = "schema = \"a.json\"\n\n[indexes]\n# Found often.\nlike = [\n  \"name\",\n  { path = \"a,b\" },\n]\n[arrays.x]\nsubfield = \"y\"\n";
        let mut toml = Header::of_toml(text);
        toml.set_listed("indexes", "like", "city", true);
        assert!(
            toml.text().contains(
                "# Found often.\nlike = [\"name\", { path = \"a,b\" }, \"city\"]\n[arrays.x]"
            ),
            "{}",
            toml.text()
        );
        toml.set_listed("indexes", "like", "name", false);
        toml.set_listed("indexes", "unique", "name", true);
        assert!(
            toml.text().contains("\"city\"]\nunique = [\"name\"]\n[arrays.x]"),
            "{}",
            toml.text()
        );
        toml.set_listed("indexes", "unique", "name", false);
        assert!(!toml.text().contains("unique"));
        toml.set("metadata", Some("true"));
        assert!(toml.text().starts_with("schema = \"a.json\"\nmetadata = true\n\n[indexes]"));
    }
}
