//! The names of the columns that a statement returns, as far as its text says: what `\gset` sets (PostgreSQL's manual,
//! "SELECT List"; an expression without a name is `?column?`, which no variable can be).

use crate::import::statements::{is_quoted, pieces};

/// What `\gset` sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    /// The names that are known.
    pub(super) names: Vec<String>,
    /// Whether there may be others, such as those of `*`.
    pub(super) open: bool,
}

impl Columns {
    /// Whether there is a column of this name, or may be.
    pub(super) fn may_have(&self, name: &str) -> bool {
        self.open || self.names.iter().any(|known| known == name)
    }
}

/// A word, a quoted text, or a character of a statement, with the number of parentheses around it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    text: String,
    depth: usize,
}

impl Token {
    fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    /// The name that it is: unquoted ones in lower case.
    fn name(&self) -> Option<String> {
        if let Some(inside) = self.text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            return Some(inside.replace("\"\"", "\""));
        }
        let is_name = self.text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let is_operator = OPERATORS.iter().any(|word| self.is(word));
        (is_name && !is_operator).then(|| self.text.to_lowercase())
    }
}

/// Words that are operators or values, not names.
const OPERATORS: [&str; 16] = [
    "and", "or", "not", "is", "in", "like", "ilike", "similar", "between", "null", "true", "false",
    "collate", "at", "distinct", "end",
];
/// What ends a list of columns.
const BEHIND: [&str; 14] = [
    "from",
    "into",
    "where",
    "group",
    "having",
    "window",
    "union",
    "intersect",
    "except",
    "order",
    "limit",
    "offset",
    "fetch",
    "for",
];

fn tokens(sql: &str) -> Vec<Token> {
    let (mut tokens, mut depth) = (Vec::<Token>::new(), 0_usize);
    let mut is_open = false;
    for piece in pieces(sql) {
        let is_word =
            !is_quoted(piece) && piece.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        match tokens.last_mut() {
            Some(last) if is_word && is_open => last.text.push_str(piece),
            _ if piece.chars().all(char::is_whitespace) => {}
            _ => {
                if matches!(piece, ")" | "]") {
                    depth = depth.saturating_sub(1);
                }
                tokens.push(Token { text: piece.to_owned(), depth });
                if matches!(piece, "(" | "[") {
                    depth += 1;
                }
            }
        }
        is_open = is_word;
    }
    tokens
}

/// The columns that a statement returns.
pub(super) fn columns(sql: &str) -> Columns {
    let tokens = tokens(sql);
    let at_top = |words: &[&str], from: usize| {
        let found = tokens.iter().enumerate().skip(from);
        let mut found = found.filter(|(_, token)| token.depth == 0);
        found.find(|(_, token)| words.iter().any(|word| token.is(word))).map(|(at, _)| at)
    };
    let unknown = Columns { names: Vec::new(), open: true };
    let begin = match at_top(&["select", "insert", "update", "delete", "merge"], 0) {
        Some(at) if tokens[at].is("select") => at + 1,
        Some(at) => match at_top(&["returning"], at) {
            Some(at) => at + 1,
            None => return Columns::default(),
        },
        None => return unknown,
    };
    let list = match tokens.get(begin) {
        Some(token) if token.is("all") => &tokens[begin + 1..],
        Some(token) if token.is("distinct") => match &tokens[begin + 1..] {
            [on, ..] if on.is("on") => {
                match tokens[begin + 2..].iter().position(|one| one.text == ")" && one.depth == 0) {
                    Some(end) => &tokens[begin + 3 + end..],
                    None => return unknown,
                }
            }
            list => list,
        },
        _ => &tokens[begin..],
    };
    let mut found = Columns::default();
    for item in items(list) {
        match named(item) {
            Named::As(name) => found.names.push(name),
            Named::Not => {}
            Named::Unknown => found.open = true,
        }
    }
    found
}

/// The items of a list that ends with its clause.
fn items(list: &[Token]) -> Vec<&[Token]> {
    let ends = |at: usize| {
        let is_compared = at > 0 && list[at - 1].is("distinct");
        list[at].depth == 0 && !is_compared && BEHIND.iter().any(|word| list[at].is(word))
    };
    let end = (0..list.len()).find(|at| ends(*at)).unwrap_or(list.len());
    list[..end].split(|token| token.depth == 0 && token.text == ",").collect()
}

/// The name of a column.
enum Named {
    As(String),
    /// It has none that a variable can have.
    Not,
    Unknown,
}

fn named(item: &[Token]) -> Named {
    let [before @ .., last] = item else { return Named::Unknown };
    if last.text == "*" && before.last().is_none_or(|token| token.text == ".") {
        return Named::Unknown;
    }
    if let (Some(name), Some(previous)) = (last.name(), before.last()) {
        let is_behind_value = previous.name().is_some()
            || previous.text == ")"
            || previous.text == "]"
            || previous.is("end")
            || previous.text.starts_with(|c: char| c.is_ascii_digit() || c == '\'');
        if previous.is("as") || is_behind_value {
            return Named::As(name);
        }
    }
    of_expression(item)
}

/// The name of an expression without an alias: that of its column or function.
fn of_expression(item: &[Token]) -> Named {
    let (mut at, mut name) = (0, None);
    while let Some(part) = item.get(at).and_then(Token::name) {
        name = Some(part);
        at += 1;
        if item.get(at).is_some_and(|token| token.text == ".") {
            at += 1;
        } else {
            break;
        }
    }
    let is_call = item.get(at).is_some_and(|token| token.text == "(");
    let end = item.iter().skip(at).position(|token| token.text == ")" && token.depth == 0);
    let behind = if is_call { end.map_or(item.len(), |end| at + end + 1) } else { at };
    match (name, item.get(behind)) {
        (Some(name), _) if ["case", "cast", "row", "array"].contains(&&*name) => Named::Unknown,
        (Some(name), None) => Named::As(name),
        (Some(name), Some(next))
            if is_call && ["over", "filter", "within"].iter().any(|word| next.is(word)) =>
        {
            Named::As(name)
        }
        (Some(name), Some(next)) if next.text == ":" && only_casts(&item[behind..]) => {
            Named::As(name)
        }
        (None, _) if item.len() == 1 => Named::Not,
        (_, Some(_)) if is_arithmetic(item) => Named::Not,
        _ => Named::Unknown,
    }
}

/// Whether nothing follows but the names of types.
fn only_casts(behind: &[Token]) -> bool {
    behind
        .iter()
        .all(|token| token.depth > 0 || ":()[]".contains(&*token.text) || token.name().is_some())
}

/// Whether operators of numbers join the parts.
fn is_arithmetic(item: &[Token]) -> bool {
    let is_operator = |token: &Token| ["+", "-", "*", "/", "%"].contains(&&*token.text);
    item.iter().any(|token| token.depth == 0 && is_operator(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_as_postgresql_names_them() {
        for (sql, names, open) in [
            ("SELECT 1 AS v", &["v"][..], false),
            ("select abalance FROM pgbench_accounts WHERE aid = :aid", &["abalance"], false),
            ("SELECT t.a, \"B b\", c AS \"D\", e f FROM t", &["a", "B b", "D", "f"], false),
            (
                "SELECT count(*), max(x) AS top, lower(s.n) FROM s",
                &["count", "top", "lower"],
                false,
            ),
            ("SELECT * FROM t", &[], true),
            ("SELECT t.*, a FROM t", &["a"], true),
            ("SELECT DISTINCT ON (a, b) c FROM t", &["c"], false),
            ("SELECT a IS DISTINCT FROM b AS differs FROM t", &["differs"], false),
            ("SELECT extract(year FROM d) AS y, a + 1, 5, 'x' FROM t", &["y"], false),
            ("SELECT a::text, sum(b) OVER (PARTITION BY c) FROM t", &["a", "sum"], false),
            ("WITH w AS (SELECT x FROM t) SELECT y FROM w", &["y"], false),
            (
                "INSERT INTO t (a, b) VALUES (1, 2) RETURNING id, a + b total",
                &["id", "total"],
                false,
            ),
            ("UPDATE t SET a = 1 WHERE b = 2", &[], false),
            ("SELECT CASE WHEN a THEN 1 END FROM t", &[], true),
            ("SHOW work_mem", &[], true),
            ("SELECT (SELECT 1) x, array[1, 2] y", &["x", "y"], false),
        ] {
            let expected =
                Columns { names: names.iter().map(|&name| name.to_owned()).collect(), open };
            assert_eq!(columns(sql), expected, "{sql}");
        }
    }
}
