//! Search indexes of SQLite: for each declared index of words or of parts of texts an FTS5 table beside the
//! collection's table, for each of ranges or points an [R-tree](crate::sqlite_pair), and the triggers that keep it.
//!
//! The FTS5 table holds no texts. Of words it gets the lexemes of a text, joined by blanks, so that its own
//! tokenizer has nothing left to decide; of parts the text itself, cut into trigrams without positions. What is
//! stored, and the query of a search for words, are both written here; that of parts is in `trigrams.rs`.

use duet_model::collection::{DOCUMENT, KEY, fitted, is_fitted, plain_name};
use duet_model::{
    CollectionIndex, CollectionReference, CollectionTable, IndexKind, Pair, PairKind, Type,
};
use duet_text::{Fold, LexemeQuery};

use crate::parts::index_statement::IndexStatement;
use crate::parts::quotes::quoted;
use crate::sqlite_pair;
use crate::sqlite_path::json_literal;
use crate::sqlite_syntax::{ROW_NUMBERS, folding};

/// The access method of indexes of texts in the catalog.
pub const SEARCH_METHOD: &str = "fts5";

/// That of indexes of ranges and points.
pub const PAIR_METHOD: &str = "rtree";

/// A search index over a column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchIndex {
    /// The table.
    pub table: String,
    /// The column whose texts it has; of ranges and points the document.
    pub column: String,
    /// The name of the FTS5 table.
    pub name: String,
    /// [`IndexKind::FullText`], one of trigrams, or one of ranges or points.
    pub kind: IndexKind,
    /// What two members are together, of which an R-tree is.
    pub pair: Option<Pair>,
    /// What it leaves out of the texts.
    pub fold: Option<Fold>,
    /// The name by which the table numbers its rows.
    pub row_number: &'static str,
}

impl SearchIndex {
    /// The declared search index; `None` for other kinds of indexes.
    pub fn declared(table: &CollectionTable, index: &CollectionIndex) -> Option<Self> {
        let is_of_texts = index.kind.has_trigrams() || index.kind == IndexKind::FullText;
        let pair = match &index.field.ty {
            Type::Pair(pair) if index.kind.is_of_pairs() => {
                // Without a form for the path of a member there is no such value.
                sqlite_pair::value(pair, DOCUMENT, json_literal)?;
                Some(Pair::clone(pair))
            }
            _ if is_of_texts => None,
            _ => return None,
        };
        let references = table.references.iter().map(CollectionReference::column);
        let values = table.indexes.iter().map(CollectionIndex::column);
        let columns = references.chain(values).chain([KEY, DOCUMENT].map(str::to_owned));
        Some(Self {
            table: table.name.clone(),
            column: if pair.is_some() { DOCUMENT.to_owned() } else { index.column() },
            name: index.name(&table.name),
            kind: index.kind,
            pair,
            fold: index.holds_folded(),
            row_number: row_number(columns)?,
        })
    }

    /// The index of this name over a table with these columns, as it would have to be; `None` where no search
    /// index has such a name. The name does not say what it leaves out of texts, so there are several.
    pub fn named(table: &str, name: &str, columns: &[String]) -> Vec<Self> {
        // Behind the kind there is a number that a condition has given, where the index is declared with one.
        let is_number =
            |text: &str| text.len() == 8 && text.bytes().all(|it| it.is_ascii_hexdigit());
        let is_named = |plain: String| {
            let numbered = name.strip_prefix(&*plain).and_then(|rest| rest.strip_prefix('_'));
            numbered.is_some_and(is_number) || fitted(plain) == name
        };
        const FOLDS: &[Option<Fold>] =
            &[Some(Fold::Both), Some(Fold::Case), Some(Fold::Accents), None];
        let kinds: [(IndexKind, &[Option<Fold>]); 3] = [
            (IndexKind::FullText, &[Some(Fold::Both)]),
            (IndexKind::Trigram, FOLDS),
            (IndexKind::Nearest, FOLDS),
        ];
        let found = kinds.into_iter().find_map(|(kind, folds)| {
            let is_it = |column: &&String| is_named(plain_name(table, column, kind));
            columns.iter().find(is_it).map(|column| (kind, column, folds))
        });
        let row_number = row_number(columns.iter().cloned());
        let Some(((kind, column, folds), row_number)) = found.zip(row_number) else {
            return Vec::new();
        };
        let index = |fold: &Option<Fold>| Self {
            table: table.to_owned(),
            column: column.clone(),
            name: name.to_owned(),
            kind,
            pair: None,
            fold: *fold,
            row_number,
        };
        folds.iter().map(index).collect()
    }

    /// The index of ranges or points of this name over a table with these columns, as it would have to be by the statement
    /// of one of its triggers; `None` where no such index has this name.
    pub fn of_pair(table: &str, name: &str, columns: &[String], trigger: &str) -> Option<Self> {
        let pair = sqlite_pair::of_trigger(trigger)?;
        let kind = match pair.kind {
            PairKind::Point => IndexKind::Point,
            PairKind::Numbers | PairKind::Moments => IndexKind::Range,
        };
        let (before, behind) = name.rsplit_once("_idx").unwrap_or_default();
        let is_named = before.starts_with(table) && behind.starts_with(kind.suffix());
        if !is_named && !is_fitted(name) {
            return None;
        }
        Some(Self {
            table: table.to_owned(),
            column: DOCUMENT.to_owned(),
            name: name.to_owned(),
            kind,
            pair: Some(pair),
            fold: None,
            row_number: row_number(columns.iter().cloned())?,
        })
    }

    /// Its access method.
    pub fn method(&self) -> &'static str {
        if self.pair.is_some() { PAIR_METHOD } else { SEARCH_METHOD }
    }

    /// The script that creates it, with an entry for each existing row. Remains of a broken attempt are
    /// replaced.
    pub fn script(&self) -> String {
        let (table, name) = (quoted(&self.table), quoted(&self.name));
        let [value, column] = [self.stored(""), quoted(&self.column)];
        let triggers: String =
            self.triggers().into_iter().map(|(_, sql)| format!("{sql};\n")).collect();
        if self.pair.is_some() {
            let number = format!("{table}.{}", self.row_number);
            return format!(
                "{};\n{};\n{};\n{triggers}",
                self.drop_script(),
                self.virtual_table(),
                self.pair_entry(&number, "", &format!(" FROM {table}")),
            );
        }
        format!(
            "{};\n{};\n\
             INSERT INTO {name} (rowid, text) SELECT {table}.{number}, {value} FROM {table} WHERE {column} IS NOT NULL;\n\
             INSERT INTO {name} ({name}) VALUES ('optimize');\n{triggers}",
            self.drop_script(),
            self.virtual_table(),
            number = self.row_number,
        )
    }

    /// The script that drops what there is of it.
    pub fn drop_script(&self) -> String {
        let triggers = self.triggers().map(|(name, _)| quoted(&name));
        let triggers = triggers.map(|name| format!("DROP TRIGGER IF EXISTS {name};\n"));
        format!("{}DROP TABLE IF EXISTS {}", triggers.concat(), quoted(&self.name))
    }

    /// The statement that makes the FTS5 table, as SQLite keeps it.
    pub fn virtual_table(&self) -> String {
        if let Some(pair) = &self.pair {
            let module = sqlite_pair::module(pair);
            return format!("CREATE VIRTUAL TABLE {} USING {module}", quoted(&self.name));
        }
        let options = match self.kind {
            // Lexemes are letters, digits and the signs of compounds and numbers.
            IndexKind::FullText => "tokenize = 'ascii tokenchars ''-+'''",
            _ => "tokenize = 'trigram case_sensitive 1', detail = none",
        };
        format!(
            "CREATE VIRTUAL TABLE {} USING fts5(text, content = '', contentless_delete = 1, {options})",
            quoted(&self.name)
        )
    }

    /// The triggers that keep it, each with its name and its statement as SQLite keeps it.
    ///
    /// A row that replaced another one by `INSERT OR REPLACE` may have its number, and no trigger runs for the other
    /// one: so each begins by removing an entry.
    pub fn triggers(&self) -> [(String, String); 3] {
        let (table, name) = (quoted(&self.table), quoted(&self.name));
        let (column, number) = (quoted(&self.column), self.row_number);
        let insert = match &self.pair {
            Some(_) => format!("{}; ", self.pair_entry(&format!("new.{number}"), "new.", "")),
            None => format!(
                "INSERT INTO {name} (rowid, text) SELECT new.{number}, {} WHERE new.{column} IS NOT NULL; ",
                self.stored("new.")
            ),
        };
        let own = if self.pair.is_some() { "id" } else { "rowid" };
        let remove = |row: &str| format!("DELETE FROM {name} WHERE {own} = {row}.{number}; ");
        let changed = format!(
            "UPDATE ON {table} WHEN old.{number} <> new.{number} OR old.{column} IS NOT new.{column}"
        );
        let of = |event: &str, when: String, body: String| {
            let own = format!("{}_{event}", self.name);
            let sql = format!("CREATE TRIGGER {} AFTER {when} BEGIN {body}END", quoted(&own));
            (own, sql)
        };
        [
            of("insert", format!("INSERT ON {table}"), remove("new") + &insert),
            of("update", changed, remove("old") + &remove("new") + &insert),
            of("delete", format!("DELETE ON {table}"), remove("old")),
        ]
    }

    /// The statement that adds entries to an R-tree: for rows that have a value.
    fn pair_entry(&self, number: &str, row: &str, from: &str) -> String {
        let value = self.pair.as_ref().and_then(|pair| {
            let column = format!("{row}{}", quoted(&self.column));
            Some((pair, sqlite_pair::value(pair, &column, json_literal)?))
        });
        let (bounds, value) = match value {
            Some((pair, value)) => (sqlite_pair::bounds(pair, &value), value),
            None => Default::default(),
        };
        let name = quoted(&self.name);
        format!("INSERT INTO {name} SELECT {number}, {bounds}{from} WHERE {value} IS NOT NULL")
    }

    /// The expression of a row's indexed text.
    fn stored(&self, row: &str) -> String {
        let function = match self.kind {
            IndexKind::FullText => "duet_lexemes",
            _ => "duet_parts",
        };
        let [before, after] = self.fold.map_or(["", ""], folding);
        format!("{function}({before}{row}{}{after})", quoted(&self.column))
    }

    pub(crate) fn statement(&self) -> IndexStatement {
        IndexStatement { name: self.name.clone(), sql: self.script() }
    }
}

/// The first name of a row's number that no column has.
fn row_number(columns: impl Iterator<Item = String>) -> Option<&'static str> {
    let columns: Vec<String> = columns.collect();
    let is_column = |name: &str| columns.iter().any(|column| column.eq_ignore_ascii_case(name));
    ROW_NUMBERS.iter().copied().find(|name| !is_column(name))
}

/// The query of FTS5 for a search for words, and whether it finds nothing else than the search means; `None` where
/// nothing can be looked up.
pub fn fts5_words(query: &LexemeQuery) -> Option<(String, bool)> {
    let mut is_exact = true;
    let alternative = |phrases: &Vec<duet_text::lexemes::Phrase>| {
        let phrases: Option<Vec<String>> = phrases
            .iter()
            .map(|phrase| {
                // Only the last word of a phrase can be a beginning in FTS5.
                let mut runs: Vec<String> = Vec::new();
                let mut run: Vec<String> = Vec::new();
                for (lexeme, prefix) in phrase.lexemes() {
                    run.push(lexeme);
                    if prefix {
                        runs.push(format!("\"{}\" *", std::mem::take(&mut run).join(" ")));
                    }
                }
                if !run.is_empty() {
                    runs.push(format!("\"{}\"", run.join(" ")));
                }
                is_exact &= runs.len() < 2;
                // A phrase without words is in no text.
                (!runs.is_empty()).then(|| runs.join(" AND "))
            })
            .collect();
        phrases.map(|phrases| format!("({})", phrases.join(" AND ")))
    };
    let alternatives: Vec<String> = query.any.iter().filter_map(alternative).collect();
    (!alternatives.is_empty()).then(|| (alternatives.join(" OR "), is_exact))
}

#[cfg(test)]
mod tests {
    use duet_text::lexemes::{Phrase, QueryWord};

    use super::*;

    fn query(any: &[&[&str]]) -> LexemeQuery {
        let word = |text: &str| {
            let stem = text.strip_suffix('*');
            QueryWord { text: stem.unwrap_or(text).to_owned(), prefix: stem.is_some() }
        };
        let phrase = |text: &&str| Phrase(text.split(' ').map(word).collect());
        LexemeQuery { any: any.iter().map(|all| all.iter().map(phrase).collect()).collect() }
    }

    #[test]
    fn searches_for_words_become_queries_of_fts5() {
        for (asked, expected, is_exact) in [
            (query(&[&["kayak fishing"]]), r#"("kayak fishing")"#, true),
            (query(&[&["Foo-bar", "x*"]]), r#"("foo-bar foo bar" AND "x" *)"#, true),
            (query(&[&["a"], &["b c*"]]), r#"("a") OR ("b c" *)"#, true),
            (query(&[&["a* b"]]), r#"("a" * AND "b")"#, false),
            (query(&[&["foo-ba*"]]), r#"("foo-ba" * AND "foo" * AND "ba" *)"#, false),
        ] {
            assert_eq!(fts5_words(&asked), Some((expected.to_owned(), is_exact)));
        }
        assert_eq!(fts5_words(&query(&[&["-"]])), None);
    }

    #[test]
    fn an_index_is_known_by_its_name() {
        let columns = ["id", "jsonb", "a_name"].map(str::to_owned);
        let found = SearchIndex::named("items", "items_a_name_idx_ft", &columns);
        assert_eq!(found.len(), 1);
        assert_eq!((&*found[0].column, found[0].kind), ("a_name", IndexKind::FullText));
        for name in ["items_a_name_idx_gin", "items_a_name_idx_gin_0123abcd"] {
            assert_eq!(SearchIndex::named("items", name, &columns).len(), 4);
        }
        for other in ["items_a_name_idx", "items_b_idx_ft", "other_a_name_idx_ft"] {
            assert!(SearchIndex::named("items", other, &columns).is_empty(), "{other}");
        }
    }
}
