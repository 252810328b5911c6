//! The parts of SQLite's indexes besides plain columns: values inside JSON, and the words of texts in FTS5
//! tables whose content is another table.
//!
//! This is no SQL parser: it knows quotes and parentheses. What it does not understand is no part.

use std::collections::HashMap;

use duet_model::catalog::{Index, IndexedPart, Relation};
use rusqlite::Connection;

/// The first key of an index as its statement spells it.
pub(super) fn first_key(sql: &str) -> Option<String> {
    // The name of an index or table may hold a parenthesis, in quotes.
    let (_, list) = call(sql)?;
    arguments(list).first().map(|key| (*key).to_owned())
}

/// The value inside JSON that a key of the form `json_extract(column, '$.path')` is.
pub(super) fn json_value(
    key: &str,
    position: impl Fn(&str) -> Option<usize>,
) -> Option<IndexedPart> {
    let (name, list) = call(key)?;
    if !name.trim().eq_ignore_ascii_case("json_extract") {
        return None;
    }
    let [column, literal] = arguments(list).try_into().ok()?;
    let literal = literal.trim().strip_prefix('\'')?.strip_suffix('\'')?.replace("''", "'");
    Some(IndexedPart::JsonValue {
        column: position(&unquoted(column))?,
        path: steps(&literal)?,
        literal,
    })
}

/// The FTS5 tables over the columns of other tables, by name.
pub(super) fn words(connection: &Connection) -> rusqlite::Result<Vec<Words>> {
    let mut statement = connection.prepare(
        "SELECT name, sql FROM main.sqlite_schema \
         WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING%FTS5%' ORDER BY name",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let mut found = Vec::new();
    for row in rows {
        let (name, sql) = row?;
        found.extend(Fts5::read(&sql).map(|table| Words { name, table }));
    }
    Ok(found)
}

/// Adds the FTS5 tables over a table's columns to its indexes.
pub(super) fn add_words(words: &[Words], relations: &mut [&mut Relation]) {
    let at = positions(relations, str::to_ascii_lowercase);
    for Words { name, table } in words {
        if let Some(&at) = at.get(&table.content.to_ascii_lowercase()) {
            table.add_to(relations[at], name);
        }
    }
}

/// An FTS5 table by its name.
#[derive(Debug)]
pub(super) struct Words {
    name: String,
    table: Fts5,
}

impl Words {
    /// The table whose columns it is over.
    pub(super) fn content(&self) -> &str {
        &self.table.content
    }
}

/// The positions of relations by their names.
pub(super) fn positions(
    relations: &[&mut Relation],
    name: impl Fn(&str) -> String,
) -> HashMap<String, usize> {
    let named = relations.iter().enumerate().map(|(at, relation)| (name(&relation.name), at));
    named.collect()
}

/// An FTS5 table with the content of another one.
#[derive(Debug)]
struct Fts5 {
    columns: Vec<String>,
    content: String,
    row_number: String,
    tokenizer: String,
}

impl Fts5 {
    fn read(sql: &str) -> Option<Self> {
        let (_, list) = call(sql)?;
        let mut words = Self {
            columns: Vec::new(),
            content: String::new(),
            row_number: "rowid".to_owned(),
            tokenizer: "unicode61".to_owned(),
        };
        for item in arguments(list) {
            let Some((option, value)) = item.split_once('=') else {
                // A column that is carried along has no words.
                let name = item.trim();
                if !name.to_ascii_lowercase().ends_with(" unindexed") {
                    words.columns.push(unquoted(name));
                }
                continue;
            };
            let value = unquoted(value);
            match option.trim().to_ascii_lowercase().as_str() {
                "content" => words.content = value,
                "content_rowid" => words.row_number = value,
                "tokenize" => words.tokenizer = value,
                _ => {}
            }
        }
        (!words.content.is_empty()).then_some(words)
    }

    fn add_to(&self, relation: &mut Relation, name: &str) {
        for column in &self.columns {
            let same = |known: &duet_model::Column| known.name.eq_ignore_ascii_case(column);
            let Some(column) = relation.columns.iter().position(same) else { continue };
            relation.indexes.push(Index {
                name: name.to_owned(),
                columns: Vec::new(),
                unique: false,
                method: "fts5".to_owned(),
                deferred: false,
                deferrable: false,
                nulls_equal: false,
                prefixes: None,
                part: Some(IndexedPart::Words {
                    column,
                    configuration: self.tokenizer.clone(),
                    row_number: self.row_number.clone(),
                }),
            });
        }
    }
}

/// The member names of a path such as `$.a."b c"`; `None` for elements of arrays.
fn steps(path: &str) -> Option<Vec<String>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while let Some(step) = rest.strip_prefix('.') {
        let (name, behind) = match step.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => step.split_at(step.find(['.', '[']).unwrap_or(step.len())),
        };
        steps.push(name.to_owned());
        rest = behind;
    }
    (rest.is_empty() && !steps.is_empty()).then_some(steps)
}

/// The text before the first parenthesis, and the text in it.
fn call(text: &str) -> Option<(&str, &str)> {
    let open = outside(text).find(|&(at, char)| char == '(' && at > 0)?.0;
    let inner = &text[open + 1..];
    let mut depth = 0;
    for (at, char) in outside(inner) {
        match char {
            '(' => depth += 1,
            ')' if depth == 0 => return Some((&text[..open], &inner[..at])),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The items of a list.
fn arguments(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, char) in outside(list) {
        match char {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&list[start..]);
    items
}

/// The characters that are not in quotes, with their places.
fn outside(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    text.char_indices().filter(move |&(_, char)| match (quote, char) {
        (Some(open), char) => {
            if open == char {
                quote = None;
            }
            false
        }
        (None, '\'' | '"' | '`') => {
            quote = Some(char);
            false
        }
        (None, '[') => {
            quote = Some(']');
            false
        }
        (None, _) => true,
    })
}

/// A name or value without its quotes.
fn unquoted(text: &str) -> String {
    let text = text.trim();
    let quoted = |open: char, close: char| text.strip_prefix(open)?.strip_suffix(close);
    let inner = [('"', '"'), ('`', '`'), ('[', ']'), ('\'', '\'')]
        .into_iter()
        .find_map(|(open, close)| quoted(open, close).map(|inner| (inner, close)));
    inner.map_or(text.to_owned(), |(inner, close)| {
        inner.replace(&format!("{close}{close}"), &close.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_inside_json_are_understood() {
        let part = |key: &str| json_value(key, |name| (name == "j x").then_some(3));
        let value = |path: &[&str], literal: &str| {
            let path = path.iter().map(|step| (*step).to_owned()).collect();
            Some(IndexedPart::JsonValue { column: 3, path, literal: literal.to_owned() })
        };
        assert_eq!(part("json_extract(\"j x\", '$.a.b')"), value(&["a", "b"], "$.a.b"));
        assert_eq!(part("JSON_EXTRACT([j x],'$.\"it''s\"')"), value(&["it's"], "$.\"it's\""));
        for other in [
            "json_extract(\"j x\", '$.a[0]')",
            "json_extract(\"j x\", '$')",
            "json_extract(\"j x\", '$.a', '$.b')",
            "json_extract(other, '$.a')",
            "lower(\"j x\")",
            "\"j x\" ->> '$.a'",
            "json_extract(",
            "",
        ] {
            assert_eq!(part(other), None, "{other}");
        }
    }

    #[test]
    fn tables_of_words_are_understood() {
        let words = Fts5::read(
            "CREATE VIRTUAL TABLE \"f(x\" USING fts5(name, \"de(s\" , note UNINDEXED, content='doc', \
             content_rowid=\"id\", tokenize = 'porter ascii')",
        )
        .unwrap();
        assert_eq!(words.columns, ["name", "de(s"]);
        let options = [words.content, words.row_number, words.tokenizer];
        assert_eq!(options, ["doc", "id", "porter ascii"]);
        assert!(Fts5::read("CREATE VIRTUAL TABLE f USING fts5(name)").is_none());
        assert!(Fts5::read("CREATE VIRTUAL TABLE f USING fts5(name, content='')").is_none());
    }
}
