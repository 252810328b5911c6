//! Files of SQL that a `schema.json` names by `customSnippetPath`: their statements, and the indexes among them.
//!
//! An index of a member, as searches compare it or as they order it, is kept under its own name. What an index makes
//! fast alone needs no replacement. Every other statement is refused by name and line.

use duet_model::shape::Folding;
use duet_model::{DeclaredSearch, DocumentField, IndexKind};
use duet_text::Fold;

use super::condition;
use crate::declaration::{Declaration, DeclaredIndex};
use crate::misfit;
use crate::rmb_file::line::{LineOutcome, LinePlace, RmbLine};

/// A statement of a file, and its line from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlStatement {
    /// Its text without the semicolon.
    pub text: String,
    /// Where it begins.
    pub line: usize,
}

/// The statements of a file: comments are left out, and quotes, also of dollars, keep what is in them together.
///
/// ```
/// use duet_collection::sql_statements;
///
/// let found = sql_statements("-- a; b\nCREATE INDEX i ON t (a);\n\nDO $$ BEGIN x; END $$;");
/// let lines: Vec<_> = found.iter().map(|it| (it.line, it.text.as_str())).collect();
/// assert_eq!(lines, [(2, "CREATE INDEX i ON t (a)"), (4, "DO $$ BEGIN x; END $$")]);
/// ```
pub fn sql_statements(text: &str) -> Vec<SqlStatement> {
    let mut found = Vec::new();
    let (mut at, mut begins) = (0, 0);
    let mut clean = String::new();
    let mut push = |clean: &mut String, begins: usize| {
        let statement = clean.trim();
        if !statement.is_empty() {
            let line = text[..begins].matches('\n').count() + 1;
            found.push(SqlStatement { text: statement.to_owned(), line });
        }
        clean.clear();
    };
    while let Some(char) = text[at..].chars().next() {
        let rest = &text[at..];
        if clean.trim().is_empty() && !char.is_whitespace() {
            begins = at;
        }
        let length = match char {
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            ';' => {
                push(&mut clean, begins);
                at += 1;
                continue;
            }
            '\'' | '"' => rest[1..].find(char).map_or(rest.len(), |end| end + 2),
            '$' => quoted_by_dollars(rest).unwrap_or(1),
            char => char.len_utf8(),
        };
        let is_comment = rest.starts_with("--") || rest.starts_with("/*");
        clean.push_str(if is_comment { " " } else { &rest[..length] });
        at += length;
    }
    push(&mut clean, begins);
    found
}

/// The length of a text in dollar quotes.
fn quoted_by_dollars(text: &str) -> Option<usize> {
    let tag = text[1..].find('$').map(|end| &text[..end + 2])?;
    let is_tag = tag[1..tag.len() - 1].chars().all(|char| char.is_alphanumeric() || char == '_');
    let end = text[tag.len()..].find(tag).filter(|_| is_tag)?;
    Some(tag.len() * 2 + end)
}

/// Declares the indexes of a file for one table, and says what became of every statement.
pub(super) fn declare(
    file: &str,
    text: &str,
    declaration: &mut Declaration,
    fields: &[DocumentField],
) {
    for statement in sql_statements(text) {
        let place = LinePlace::Sql(file.to_owned(), statement.line);
        let what = shortened(&statement.text);
        let (outcome, why) = match index_of(&statement.text) {
            Some(index) => index.declare(declaration, fields),
            None => (
                LineOutcome::Refused,
                "not run: it is no index; app.toml names SQL files with `prepare`".to_owned(),
            ),
        };
        declaration.lines.push(RmbLine { place, what, outcome, why });
    }
}

/// The beginning of a statement, on one line.
pub(super) fn shortened(sql: &str) -> String {
    const LONGEST: usize = 72;
    let words: Vec<&str> = sql.split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// `CREATE INDEX` as data.
#[derive(Debug, PartialEq, Eq)]
struct SqlIndex<'s> {
    is_unique: bool,
    name: &'s str,
    method: &'s str,
    /// What is in the parentheses.
    values: Vec<&'s str>,
    condition: Option<&'s str>,
}

fn index_of(sql: &str) -> Option<SqlIndex<'_>> {
    let mut rest = sql;
    take(&mut rest, "CREATE")?;
    let is_unique = take(&mut rest, "UNIQUE").is_some();
    take(&mut rest, "INDEX")?;
    let _ = take(&mut rest, "CONCURRENTLY");
    if take(&mut rest, "IF").is_some() {
        take(&mut rest, "NOT")?;
        take(&mut rest, "EXISTS")?;
    }
    let name = word(&mut rest)?;
    take(&mut rest, "ON")?;
    let open = rest.find('(')?;
    let method = rest[..open].split_whitespace().collect::<Vec<_>>();
    let method = match method[..] {
        [_, using, method] if using.eq_ignore_ascii_case("using") => method,
        [_] => "btree",
        _ => return None,
    };
    let inside = parenthesized(&rest[open..])?;
    let behind = rest[open + inside.len() + 2..].trim();
    let condition = match behind {
        "" => None,
        text => {
            Some(text.get(..5).filter(|it| it.eq_ignore_ascii_case("where")).map(|_| &text[5..])?)
        }
    };
    Some(SqlIndex { is_unique, name, method, values: parts(inside), condition })
}

fn take(rest: &mut &str, keyword: &str) -> Option<()> {
    let text = rest.trim_start();
    let found = text.get(..keyword.len()).filter(|it| it.eq_ignore_ascii_case(keyword))?;
    let behind = &text[found.len()..];
    behind.starts_with(char::is_whitespace).then_some(())?;
    *rest = behind;
    Some(())
}

fn word<'s>(rest: &mut &'s str) -> Option<&'s str> {
    let text = rest.trim_start();
    let end = text.find(char::is_whitespace)?;
    *rest = &text[end..];
    Some(text[..end].rsplit('.').next().unwrap_or_default().trim_matches('"'))
}

/// What is in the parentheses at the beginning of a text.
fn parenthesized(text: &str) -> Option<&str> {
    let (mut depth, mut is_quoted) = (0_usize, false);
    for (at, char) in text.char_indices() {
        match char {
            '\'' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(1..at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The parts of a list between its commas.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut is_quoted, mut begins) = (0_usize, false, 0);
    let mut found = Vec::new();
    for (at, char) in text.char_indices() {
        match char {
            '\'' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth = depth.saturating_sub(1),
            ',' if !is_quoted && depth == 0 => {
                found.push(text[begins..at].trim());
                begins = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[begins..].trim());
    found
}

impl SqlIndex<'_> {
    fn declare(
        &self,
        declaration: &mut Declaration,
        fields: &[DocumentField],
    ) -> (LineOutcome, String) {
        let refused = |why: &str| match self.is_unique {
            true => (LineOutcome::Refused, format!("{why}, so that nothing is unique by it")),
            false => (LineOutcome::Otherwise, format!("{why}; searches find the same without it")),
        };
        if !self.method.eq_ignore_ascii_case("btree") {
            return refused("only B-trees of members are made");
        }
        let condition = match self.condition {
            Some(sql) => match condition::of(sql, fields, searches(declaration)) {
                Some(condition) => Some(condition),
                None => return refused("its WHERE compares no member with a value"),
            },
            None => None,
        };
        // An order of RMB: the beginning of a text, then the text.
        let values = match self.values[..] {
            [beginning, whole] if truncated(beginning).is_some_and(|it| same(it, whole)) => {
                &self.values[1..]
            }
            _ => &self.values[..],
        };
        let mut members = Vec::new();
        for sql in values {
            let found = fields.iter().find_map(|field| {
                let (case, accents) = condition::of_expression(sql, &field.path)?;
                Some((field, Fold::of(case, accents).map_or(Folding::Never, Folding::Always)))
            });
            match found {
                Some(found) => members.push(found),
                None => return refused("it is of something else than members of the JSON Schema"),
            }
        }
        let kind = if self.is_unique { IndexKind::Unique } else { IndexKind::Ordered };
        let Some(((first, folding), then)) = members.split_first() else {
            return refused("it has no members");
        };
        if then.iter().any(|(_, other)| other != folding) {
            return refused("its members are compared in different ways");
        }
        let misfits = members.iter().find_map(|(field, _)| misfit(field, kind));
        if let Some(why) = misfits {
            return refused(why.trim_end_matches('.'));
        }
        let then = then.iter().map(|(field, _)| field.path.clone()).collect();
        declaration.indexes.push(DeclaredIndex {
            then,
            condition,
            folding: Some(*folding),
            name: Some(self.name.to_owned()),
            ..DeclaredIndex::new(&first.path, kind)
        });
        (LineOutcome::Taken, String::new())
    }
}

/// How the declared paths are searched.
fn searches(declaration: &Declaration) -> &[DeclaredSearch] {
    declaration.search.declared.as_deref().unwrap_or_default()
}

/// `left(X, 600)` as `X`.
fn truncated(sql: &str) -> Option<&str> {
    let inner = sql.strip_prefix("left(")?.strip_suffix(')')?;
    let (text, length) = inner.rsplit_once(',')?;
    (length.trim() == "600").then_some(text)
}

fn same(one: &str, other: &str) -> bool {
    let signs =
        |text: &'_ str| text.chars().filter(|char| !char.is_whitespace()).collect::<String>();
    signs(one) == signs(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Collection;

    const DOCUMENT: &str = r#"{"properties": {"id": {"type": "string"}, "number": {"type": "string"},
        "active": {"type": "boolean"}, "meta": {"type": "object", "properties": {"at": {"type": "string"}}}}}"#;

    fn declared(sql: &str) -> Collection {
        let parsed: serde_json::Value = serde_json::from_str(DOCUMENT).unwrap();
        let (fields, _) = crate::fields::of(&parsed);
        let mut declaration = Declaration::new("orders");
        declare("orders.sql", sql, &mut declaration, &fields);
        Collection::new(declaration, DOCUMENT).unwrap()
    }

    #[test]
    fn indexes_are_kept_under_their_names() {
        let collection = declared(
            "CREATE UNIQUE INDEX IF NOT EXISTS orders_number_unique ON ${myuniversity}_${mymodule}.orders\n\
             ((jsonb->>'number'));\n\
             CREATE INDEX IF NOT EXISTS orders_at_sort ON ${myuniversity}_${mymodule}.orders\n\
             (left(lower(f_unaccent(jsonb->'meta'->>'at')), 600), lower(f_unaccent(jsonb->'meta'->>'at')));\n\
             CREATE INDEX orders_active ON x.orders ((jsonb->>'number')) WHERE (jsonb->>'active')::boolean = true",
        );
        let table = collection.table(None);
        let found: Vec<_> = table
            .indexes
            .iter()
            .map(|index| (index.name("orders"), index.kind, index.holds_folded()))
            .collect();
        let expected = [
            ("orders_number_unique".to_owned(), IndexKind::Unique, None),
            ("orders_at_sort".to_owned(), IndexKind::Ordered, Some(Fold::Both)),
            ("orders_active".to_owned(), IndexKind::Ordered, None),
        ];
        assert_eq!(found, expected);
        assert!(table.indexes[2].condition.is_some());
        assert_eq!(collection.notes().count(), 0);
    }

    #[test]
    fn everything_else_has_its_line() {
        let collection = declared(
            "-- a comment\nCREATE INDEX g ON t USING GIN ((jsonb->'meta'));\n\
             CREATE UNIQUE INDEX u ON t ((length(jsonb->>'number')));\n\
             CREATE OR REPLACE FUNCTION f() RETURNS text AS $$ SELECT ';'; $$ LANGUAGE sql;\nUPDATE t SET a = 1",
        );
        let found: Vec<String> = collection.notes().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "orders.sql:2: `CREATE INDEX g ON t USING GIN ((jsonb->'meta'))`: only B-trees of members are made; searches find the same without it",
                "orders.sql:3: `CREATE UNIQUE INDEX u ON t ((length(jsonb->>'number')))`: it is of something else than members of the JSON Schema, so that nothing is unique by it",
                "orders.sql:4: `CREATE OR REPLACE FUNCTION f() RETURNS text AS $$ SELECT ';'; $$ LANGUAG…`: not run: it is no index; app.toml names SQL files with `prepare`",
                "orders.sql:5: `UPDATE t SET a = 1`: not run: it is no index; app.toml names SQL files with `prepare`",
            ]
        );
    }
}
