//! Facts that only the text of `CREATE TABLE` has: check constraints and the names of constraints.
//!
//! This is not a SQL parser. It knows quotes, comments and parentheses, and reads the words of
//! the outermost list; whatever it does not understand it passes over.

use duet_store::catalog::unwrapped;

/// The findings.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ddl {
    pub(super) checks: Vec<DeclaredCheck>,
    /// The name of each foreign key in the order of declaration.
    pub(super) foreign_key_names: Vec<Option<String>>,
    /// Named unique constraints with their columns.
    uniques: Vec<(String, Vec<String>)>,
    /// Whether a conflict replaces rows (`ON CONFLICT REPLACE`).
    pub(super) replaces: bool,
}

/// A check constraint.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DeclaredCheck {
    pub(super) name: Option<String>,
    pub(super) condition: String,
}

impl Ddl {
    /// Reads the text of one `CREATE TABLE` statement.
    pub(crate) fn parse(text: &str) -> Self {
        let tokens = tokens(text);
        // The table's name precedes the first parenthesis.
        let start = tokens.iter().position(|token| token.kind == Kind::Open);
        let mut walk = Walk { text, tokens: &tokens, ..Walk::default() };
        walk.items(start.map_or(tokens.len(), |at| at + 1));
        let words = bare_words(text);
        let clause = ["ON", "CONFLICT", "REPLACE"];
        walk.found.replaces = words.windows(clause.len()).any(|words| words == clause);
        walk.found
    }

    /// The name of the unique constraint on exactly these columns, if it has one.
    pub(super) fn unique_name(&self, columns: &[&str]) -> Option<&str> {
        let same = |declared: &[String]| {
            declared.len() == columns.len()
                && declared.iter().zip(columns).all(|(a, b)| a.eq_ignore_ascii_case(b))
        };
        let found = self.uniques.iter().find(|(_, declared)| same(declared));
        found.map(|(name, _)| name.as_str())
    }
}

/// A walk over the items of the outermost list.
#[derive(Default)]
struct Walk<'a> {
    text: &'a str,
    tokens: &'a [Token],
    found: Ddl,
    /// The name after `CONSTRAINT`, until the constraint it belongs to.
    name: Option<String>,
    /// The column that is being defined.
    column: Option<String>,
}

impl Walk<'_> {
    fn items(&mut self, mut at: usize) {
        self.column = self.word(at);
        while let Some(token) = self.tokens.get(at) {
            match token.kind {
                Kind::Close => return,
                Kind::Open => at = self.closing(at),
                Kind::Comma => {
                    self.name = None;
                    self.column = self.word(at + 1);
                }
                Kind::Word => at = self.keyword(at),
                Kind::Quoted | Kind::Other => {}
            }
            at += 1;
        }
    }

    /// Handles a bare word; returns where it ends.
    fn keyword(&mut self, at: usize) -> usize {
        let token = &self.tokens[at];
        match self.text[token.start..token.end].to_ascii_uppercase().as_str() {
            "CONSTRAINT" => {
                self.name = self.word(at + 1);
                return at + 1;
            }
            "CHECK" if self.is_open(at + 1) => return self.check(at + 1),
            "UNIQUE" => self.unique(at),
            "REFERENCES" => {
                let name = self.name.take();
                self.found.foreign_key_names.push(name);
            }
            "PRIMARY" | "NOT" | "DEFAULT" | "COLLATE" | "GENERATED" => self.name = None,
            _ => {}
        }
        at
    }

    fn check(&mut self, open: usize) -> usize {
        let close = self.closing(open);
        let end = self.tokens.get(close).map_or(self.text.len(), |token| token.start);
        let condition = unwrapped(&self.text[self.tokens[open].end..end]).to_owned();
        self.found.checks.push(DeclaredCheck { name: self.name.take(), condition });
        close
    }

    fn unique(&mut self, at: usize) {
        let Some(name) = self.name.take() else { return };
        let columns = if self.is_open(at + 1) {
            let is_first =
                |&inner: &usize| matches!(self.tokens[inner - 1].kind, Kind::Open | Kind::Comma);
            let inner = at + 2..self.closing(at + 1).min(self.tokens.len());
            inner.filter(is_first).filter_map(|inner| self.word(inner)).collect()
        } else {
            self.column.clone().into_iter().collect()
        };
        self.found.uniques.push((name, columns));
    }

    fn is_open(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Open)
    }

    /// The identifier at this place, quotes removed.
    fn word(&self, at: usize) -> Option<String> {
        let token = self.tokens.get(at)?;
        let text = &self.text[token.start..token.end];
        match token.kind {
            Kind::Word => Some(text.to_owned()),
            Kind::Quoted => {
                let close = text.chars().next_back()?;
                let inner = text.get(1..text.len() - close.len_utf8())?;
                Some(inner.replace(&format!("{close}{close}"), &close.to_string()))
            }
            _ => None,
        }
    }

    /// The place of the parenthesis that closes the one at `open`, or the end.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close if depth <= 1 => return at,
                Kind::Close => depth -= 1,
                _ => {}
            }
        }
        self.tokens.len()
    }
}

/// The words of a text outside of quotes, in upper case; quoted text, and every other sign, is an
/// empty word.
pub(crate) fn bare_words(text: &str) -> Vec<String> {
    let word = |token: &Token| match token.kind {
        Kind::Word => text[token.start..token.end].to_ascii_uppercase(),
        _ => String::new(),
    };
    tokens(text).iter().map(word).collect()
}

/// The parts of an expression without blanks and comments: names without quotes and words in lower
/// case, so that they compare as SQLite compares them; strings and other signs as they are.
pub(crate) fn parts(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let walk = Walk { text, tokens: &tokens, ..Walk::default() };
    let part = |at: usize| {
        let written = &text[tokens[at].start..tokens[at].end];
        match walk.word(at).filter(|_| !written.starts_with('\'')) {
            Some(name) => name.to_ascii_lowercase(),
            None => written.to_owned(),
        }
    };
    (0..tokens.len()).map(part).collect()
}

/// The condition in the text of `CREATE INDEX`, of an index of some rows alone.
pub(crate) fn condition_of_index(text: &str) -> Option<&str> {
    let tokens = tokens(text);
    let walk = Walk { text, tokens: &tokens, ..Walk::default() };
    let open = tokens.iter().position(|token| token.kind == Kind::Open)?;
    let word = tokens.get(walk.closing(open) + 1)?;
    let is_where = text[word.start..word.end].eq_ignore_ascii_case("WHERE");
    is_where.then(|| text[word.end..].trim())
}

/// All words and quoted texts of a statement without their quotes, in lower case, each with whether it has none: what
/// the statement may name is among them.
pub(super) fn words(text: &str) -> Vec<(String, bool)> {
    let tokens = tokens(text);
    let walk = Walk { text, tokens: &tokens, ..Walk::default() };
    let word =
        |at: usize| Some((walk.word(at)?.to_ascii_lowercase(), tokens[at].kind == Kind::Word));
    (0..tokens.len()).filter_map(word).collect()
}

/// The words behind the columns of a `CREATE TABLE` statement, in upper case.
pub(super) fn table_options(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let walk = Walk { text, tokens: &tokens, ..Walk::default() };
    let Some(open) = tokens.iter().position(|token| token.kind == Kind::Open) else {
        return Vec::new();
    };
    let behind = walk.closing(open) + 1..tokens.len();
    behind.filter_map(|at| walk.word(at)).map(|word| word.to_ascii_uppercase()).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    /// A quoted identifier or a string.
    Quoted,
    Open,
    Close,
    Comma,
    Other,
}

struct Token {
    kind: Kind,
    start: usize,
    end: usize,
}

fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(&byte) = bytes.get(start) {
        let rest = &bytes[start..];
        let (kind, length) = match byte {
            b'(' => (Some(Kind::Open), 1),
            b')' => (Some(Kind::Close), 1),
            b',' => (Some(Kind::Comma), 1),
            b'\'' | b'"' | b'`' => (Some(Kind::Quoted), quoted(rest, byte)),
            b'[' => (Some(Kind::Quoted), through(rest, b"]")),
            b'-' if rest.starts_with(b"--") => (None, through(rest, b"\n")),
            b'/' if rest.starts_with(b"/*") => (None, 2 + through(&rest[2..], b"*/")),
            _ if byte.is_ascii_whitespace() => (None, 1),
            _ if is_word(byte) => {
                (Some(Kind::Word), rest.iter().take_while(|&&byte| is_word(byte)).count())
            }
            _ => (Some(Kind::Other), 1),
        };
        let end = (start + length).min(bytes.len());
        tokens.extend(kind.map(|kind| Token { kind, start, end }));
        start = end;
    }
    tokens
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// The length of a quoted text, doubled quotes included.
fn quoted(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte == quote {
            if bytes.get(at) != Some(&quote) {
                break;
            }
            at += 1;
        }
    }
    at
}

/// The length up to and with `end`.
fn through(bytes: &[u8], end: &[u8]) -> usize {
    let found = bytes.windows(end.len()).position(|window| window == end);
    found.map_or(bytes.len(), |at| at + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks(text: &str) -> Vec<(Option<String>, String)> {
        Ddl::parse(text).checks.into_iter().map(|check| (check.name, check.condition)).collect()
    }

    #[test]
    fn checks_of_columns_and_tables() {
        let found = checks(
            "CREATE TABLE \"t(\" ( -- CHECK (no)
               a INT CONSTRAINT positive CHECK (a > (0)) /* CHECK (no) */,
               [check] TEXT DEFAULT 'CHECK (no)' CHECK (length([check]) < 3 AND x <> ')'),
               b INT CONSTRAINT nn NOT NULL CHECK ((b IN (1, 2))),
               CONSTRAINT \"the \"\"sum\" CHECK (a + b < 9))",
        );
        let expected = [
            (Some("positive"), "a > (0)"),
            (None, "length([check]) < 3 AND x <> ')'"),
            (None, "b IN (1, 2)"),
            (Some("the \"sum"), "a + b < 9"),
        ];
        let expected = expected.map(|(name, text)| (name.map(str::to_owned), text.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn names_of_keys() {
        let ddl = Ddl::parse(
            "CREATE TABLE t (a INT REFERENCES x, b INT CONSTRAINT uk UNIQUE,
               CONSTRAINT fk FOREIGN KEY (a, b) REFERENCES y (c, d) ON DELETE SET NULL,
               CONSTRAINT both UNIQUE (a COLLATE NOCASE, 'b' DESC), UNIQUE (b))",
        );
        assert_eq!(ddl.foreign_key_names, [None, Some("fk".to_owned())]);
        assert_eq!(ddl.unique_name(&["B"]), Some("uk"));
        assert_eq!(ddl.unique_name(&["a", "b"]), Some("both"));
        assert_eq!(ddl.unique_name(&["a"]), None);
    }

    #[test]
    fn replacing_conflicts_are_found() {
        let replaces = |text| Ddl::parse(text).replaces;
        assert!(replaces("CREATE TABLE t (a INT PRIMARY KEY on /* no */ conflict REPLACE)"));
        assert!(replaces("CREATE TABLE t (a INT, UNIQUE (a) ON CONFLICT REPLACE)"));
        assert!(!replaces("CREATE TABLE t (a INT UNIQUE ON CONFLICT IGNORE, replace TEXT)"));
        assert!(!replaces("CREATE TABLE t (a TEXT DEFAULT 'ON CONFLICT REPLACE')"));
    }

    #[test]
    fn conditions_of_indexes() {
        let of = condition_of_index;
        assert_eq!(of("CREATE INDEX i ON t (a, lower(b)) WHERE a > 1"), Some("a > 1"));
        assert_eq!(of("CREATE INDEX \"i(\" ON t (\"where\")"), None);
    }

    #[test]
    fn nonsense_is_passed_over() {
        for text in [
            "",
            "(",
            "CHECK (",
            "t (CHECK",
            "t (CHECK (",
            "t ('",
            "t (\"",
            "t ([",
            "t (/*",
            "é(ß CHECK(ü",
        ] {
            Ddl::parse(text);
        }
    }
}
