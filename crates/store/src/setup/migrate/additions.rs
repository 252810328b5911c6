//! What the migration files of an application add: tables, columns and indexes, a statement each. A statement is
//! pending while the database has no object of its name; one of that name that is not the same is noted; what would
//! drop, change or narrow is refused.

use duet_model::{Code, CollectionTable, Error, Result};

use super::Object;
use super::scanner::{Kind, Scanner, Token};

/// All that a database is to have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeclaredObjects {
    /// The schema of names without one, where it is not the default; PostgreSQL's alone.
    pub schema: Option<String>,
    /// What migration files add, before the collections.
    pub additions: Vec<Addition>,
    /// The tables of collections.
    pub collections: Vec<CollectionTable>,
}

impl From<Vec<CollectionTable>> for DeclaredObjects {
    fn from(collections: Vec<CollectionTable>) -> Self {
        Self { collections, ..Self::default() }
    }
}

impl DeclaredObjects {
    /// The schema that a migration has for itself.
    pub fn locked_schema(&self) -> String {
        let of_table = self.collections.first().and_then(|table| table.schema.clone());
        of_table.or_else(|| self.schema.clone()).unwrap_or_else(|| "public".to_owned())
    }
}

/// A statement that adds a table, a column or an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// A table, a column or an index.
    pub object: Object,
    /// The schema of its table, where the statement names one.
    pub schema: Option<String>,
    /// Its table.
    pub table: String,
    /// Its name; of a table the same as `table`.
    pub name: String,
    /// Of a table, the names of its columns.
    pub columns: Vec<String>,
    /// The statement, without its semicolon.
    pub sql: String,
    /// The file and line of the statement.
    pub place: String,
    /// Where the word `INDEX` of the statement ends; 0 for other objects, and where it is built beside requests anyway.
    pub index_word: usize,
}

impl Addition {
    /// What to say of a table that is there with these columns, where it lacks some of the statement. `same` compares
    /// two names as the store does.
    pub fn lacks(&self, known: &[String], same: impl Fn(&str, &str) -> bool) -> Option<String> {
        let is_known = |column: &String| known.iter().any(|known| same(known, column));
        let lacking: Vec<&str> =
            self.columns.iter().filter(|column| !is_known(column)).map(String::as_str).collect();
        let words = if lacking.len() == 1 { "the column" } else { "the columns" };
        (!lacking.is_empty()).then(|| {
            format!(
                "The table {} is there without {words} {} of {}: add what is to be in it by ALTER TABLE … ADD COLUMN.",
                self.name,
                lacking.join(", "),
                self.place
            )
        })
    }

    /// What to say of an index of this name that is there on another table.
    pub fn is_elsewhere(&self, table: &str) -> String {
        format!(
            "The index {} is there on the table {table}, and not on {}, for which {} has it: give it another name.",
            self.name, self.table, self.place
        )
    }
}

/// Words that begin something other than a column, behind `ADD` and in the parentheses of a table.
const NO_COLUMNS: [&str; 8] =
    ["CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "EXCLUDE", "GENERATED", "LIKE"];

/// What is said of every other statement.
const TAKEN: &str = "A migration has CREATE TABLE … (…), ALTER TABLE … ADD COLUMN … and CREATE [UNIQUE] INDEX … ON … alone, one object a statement: it adds, and neither drops nor changes.";

/// Reads migration files, each with its name, in their order.
///
/// # Errors
/// `Setting` with all statements that are something else, each by file and line.
pub fn read_additions(files: &[(&str, &str)]) -> Result<Vec<Addition>> {
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for (file, text) in files {
        for statement in statements(text) {
            let start = statement.first().map_or(0, |token| token.start);
            let place = format!("{file}:{}", text[..start].matches('\n').count() + 1);
            match addition(text, &statement) {
                Ok(addition) => found.push(Addition { place, ..addition }),
                Err(why) => refused.push(format!("{place}: {why}")),
            }
        }
    }
    if refused.is_empty() {
        return Ok(found);
    }
    let message = format!("Migrations cannot be taken:\n{}", refused.join("\n"));
    Err(Error::new(Code::Setting, message).hint(TAKEN))
}

/// The tokens of each statement.
fn statements(text: &str) -> Vec<Vec<Token>> {
    let (mut all, mut current) = (Vec::new(), Vec::new());
    for token in Scanner::new(text) {
        match token.kind {
            Kind::Semicolon => all.push(std::mem::take(&mut current)),
            _ => current.push(token),
        }
    }
    all.push(current);
    all.retain(|statement| !statement.is_empty());
    all
}

fn addition(text: &str, tokens: &[Token]) -> std::result::Result<Addition, String> {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
        return Err("a statement is empty".to_owned());
    };
    let mut words = Words { text, tokens, at: 0 };
    let found = if words.take(&["CREATE", "TABLE"]) {
        table(&mut words)
    } else if words.take(&["CREATE", "INDEX"]) || words.take(&["CREATE", "UNIQUE", "INDEX"]) {
        index(&mut words, first.start)
    } else if words.take(&["ALTER", "TABLE"]) {
        column(&mut words)
    } else {
        None
    };
    let Some(found) = found else {
        let shown: String = text[first.start..last.end].chars().take(60).collect();
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        return Err(format!("{shown:?} is not taken"));
    };
    Ok(Addition { sql: text[first.start..last.end].to_owned(), ..found })
}

fn table(words: &mut Words<'_>) -> Option<Addition> {
    words.take(&["IF", "NOT", "EXISTS"]);
    let (schema, name) = words.qualified()?;
    // Columns follow, and no query.
    let rest = words.outer();
    let begins = rest.first().is_some_and(|token| token.kind == Kind::Open);
    let is_query = rest.iter().any(|token| words.is(token, "AS"));
    let columns = words.columns();
    (begins && !is_query).then(|| Addition {
        object: Object::Table,
        schema,
        table: name.clone(),
        name,
        columns,
        place: String::new(),
        sql: String::new(),
        index_word: 0,
    })
}

fn index(words: &mut Words<'_>, start: usize) -> Option<Addition> {
    let word_end = words.before()?.end - start;
    let is_online = words.take(&["CONCURRENTLY"]);
    words.take(&["IF", "NOT", "EXISTS"]);
    let name = words.name()?;
    let named = words.take(&["ON"]);
    words.take(&["ONLY"]);
    let (schema, table) = words.qualified()?;
    let index_word = if is_online { 0 } else { word_end };
    named.then(|| Addition {
        object: Object::Index,
        schema,
        table,
        name,
        columns: Vec::new(),
        place: String::new(),
        sql: String::new(),
        index_word,
    })
}

fn column(words: &mut Words<'_>) -> Option<Addition> {
    words.take(&["IF", "EXISTS"]);
    let (schema, table) = words.qualified()?;
    if !words.take(&["ADD"]) {
        return None;
    }
    let is_named = words.take(&["COLUMN"]);
    words.take(&["IF", "NOT", "EXISTS"]);
    let next = words.next_token()?;
    if !is_named && NO_COLUMNS.iter().any(|word| words.is(next, word)) {
        return None;
    }
    let name = words.name()?;
    // A comma outside of parentheses begins another change of the table.
    let is_alone = words.outer().iter().all(|token| token.kind != Kind::Comma);
    is_alone.then(|| Addition {
        object: Object::Column,
        schema,
        table,
        name,
        columns: Vec::new(),
        place: String::new(),
        sql: String::new(),
        index_word: 0,
    })
}

/// The tokens of a statement, from one on.
struct Words<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
}

impl<'t> Words<'t> {
    fn next_token(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn before(&self) -> Option<&'t Token> {
        self.tokens.get(self.at.checked_sub(1)?)
    }

    fn is(&self, token: &Token, word: &str) -> bool {
        token.kind == Kind::Word && self.text[token.start..token.end].eq_ignore_ascii_case(word)
    }

    /// Goes behind these words if they are next.
    fn take(&mut self, words: &[&str]) -> bool {
        let next = self.tokens.get(self.at..self.at + words.len());
        let is_next = next
            .is_some_and(|next| next.iter().zip(words).all(|(token, word)| self.is(token, word)));
        if is_next {
            self.at += words.len();
        }
        is_next
    }

    /// A name as the database keeps it: without quotes, else in lower case.
    fn name(&mut self) -> Option<String> {
        let token = self.next_token()?;
        let text = &self.text[token.start..token.end];
        let name = match token.kind {
            Kind::Word => text.to_lowercase(),
            Kind::Quoted => {
                let quote = text.get(..1)?;
                let inner = text.get(1..)?.strip_suffix(quote)?;
                let doubled = quote.repeat(2);
                // A quotation without an end may end with a doubled quote.
                let is_whole = !inner.replace(&doubled, "").contains(quote);
                is_whole.then(|| inner.replace(&doubled, quote))?
            }
            _ => return None,
        };
        self.at += 1;
        Some(name)
    }

    /// A name, and its schema in front of it.
    fn qualified(&mut self) -> Option<(Option<String>, String)> {
        let first = self.name()?;
        if self.next_token().is_none_or(|token| token.kind != Kind::Dot) {
            return Some((None, first));
        }
        self.at += 1;
        Some((Some(first), self.name()?))
    }

    /// The names of the columns in the parentheses that are next.
    fn columns(&self) -> Vec<String> {
        let mut inside = Words { text: self.text, tokens: self.tokens, at: self.at };
        let (mut depth, mut begins, mut found) = (0_usize, false, Vec::new());
        while let Some(token) = inside.next_token() {
            if depth == 1 && begins {
                begins = false;
                let is_column = !NO_COLUMNS.iter().any(|word| inside.is(token, word));
                let at = inside.at;
                found.extend(inside.name().filter(|_| is_column));
                inside.at = at;
            }
            match token.kind {
                Kind::Open => {
                    depth += 1;
                    begins = depth == 1;
                }
                Kind::Close => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                Kind::Comma => begins = depth == 1,
                _ => {}
            }
            inside.at += 1;
        }
        found
    }

    /// What follows, without what is inside parentheses.
    fn outer(&self) -> Vec<&'t Token> {
        let mut depth = 0_usize;
        let mut found = Vec::new();
        for token in &self.tokens[self.at..] {
            if depth == 0 {
                found.push(token);
            }
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Addition>> {
        read_additions(&[("a.sql", text)])
    }

    #[test]
    fn additions_are_read() {
        let text = "-- First; then\nCREATE TABLE IF NOT EXISTS \"Or\"\"der\" (id integer, note text DEFAULT 'a;b, c');\n\
            alter table shop.Parcel add column \"kind\" numeric(10, 2) /* ; */ REFERENCES k (id);\n\
            ALTER TABLE parcel ADD grams integer;\n\
            CREATE UNIQUE INDEX parcel_ix ON parcel (kind, grams) WHERE kind > 1;\n\
            CREATE INDEX CONCURRENTLY IF NOT EXISTS b ON ONLY shop.parcel (grams);";
        let found = read(text).unwrap();
        let shown: Vec<_> = found
            .iter()
            .map(|it| (it.object.name(), it.schema.as_deref(), it.table.as_str(), it.name.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("table", None, "Or\"der", "Or\"der"),
                ("column", Some("shop"), "parcel", "kind"),
                ("column", None, "parcel", "grams"),
                ("index", None, "parcel", "parcel_ix"),
                ("index", Some("shop"), "parcel", "b"),
            ]
        );
        assert_eq!(&found[3].sql[..found[3].index_word], "CREATE UNIQUE INDEX");
        assert_eq!(found[4].index_word, 0, "it is built beside requests already");
        assert!(found[4].sql.ends_with("(grams)"));
    }

    #[test]
    fn what_a_table_lacks_is_named() {
        let text = "\nCREATE TABLE t (\"A b\" numeric(10, 2) DEFAULT 1, Kind text CHECK (kind IN ('a', 'b')), c int,\n\
            PRIMARY KEY (c), CONSTRAINT k UNIQUE (kind, c), FOREIGN KEY (c) REFERENCES u (d, e));";
        let table = &read(text).unwrap()[0];
        assert_eq!(table.columns, ["A b", "kind", "c"]);
        let known =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let exact = |a: &str, b: &str| a == b;
        assert_eq!(table.lacks(&known(&["c", "more", "kind", "A b"]), exact), None);
        let said = table.lacks(&known(&["c", "KIND", "A b"]), exact).unwrap();
        assert!(said.contains("t is there without the column kind of a.sql:2"), "{said}");
        assert_eq!(table.lacks(&known(&["C", "KIND", "a B"]), str::eq_ignore_ascii_case), None);
    }

    #[test]
    fn all_that_is_refused_is_named_by_line() {
        let text = "CREATE TABLE a (id integer);\nDROP TABLE b;\n\nALTER TABLE a DROP COLUMN c;\n\
            ALTER TABLE a ADD COLUMN c text, DROP COLUMN d;\nALTER TABLE a ADD CONSTRAINT x CHECK (c > 1);\n\
            ALTER TABLE a RENAME TO b;\nCREATE TABLE e AS SELECT 1;\nCREATE TABLE f (a) AS SELECT 1;\n\
            UPDATE a SET c = 1;\nCREATE INDEX ON a (c);\nALTER TABLE a ADD \"\nCREATE TABLE";
        let error = read(text).unwrap_err();
        let lines: Vec<&str> = error.message.lines().skip(1).collect();
        let places: Vec<&str> =
            lines.iter().filter_map(|line| line.split_once(": ")).map(|(at, _)| at).collect();
        let expected = [2, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(|line| format!("a.sql:{line}"));
        assert_eq!(places, expected, "{}", error.message);
        assert_eq!(read(" ; -- nothing\n").unwrap(), []);
    }
}
