//! Which table a statement of a service changes, where its text leaves no doubt.
//!
//! A commit event has to name what changed, or everything leaves memory. Statements are read that are a plain
//! `INSERT INTO t`, `UPDATE t SET` or `DELETE FROM t`, or a `SELECT`: without `WITH`, with the schema of the table, and
//! whose calls are all of functions that change no rows. What triggers and keys of the table reach is the catalog's
//! part. Every other statement may change everything.

use duet_model::catalog::TableRef;
use duet_model::{Catalog, Piece, ServiceQuery};
use duet_sql::Dialect;
use duet_store::{Action, Writes};

/// Words before a parenthesis that are no calls.
const KEYWORDS: &[&str] = &[
    "all",
    "and",
    "any",
    "as",
    "between",
    "by",
    "case",
    "char",
    "character",
    "conflict",
    "decimal",
    "distinct",
    "else",
    "end",
    "except",
    "exists",
    "filter",
    "from",
    "having",
    "in",
    "intersect",
    "interval",
    "like",
    "not",
    "numeric",
    "on",
    "or",
    "over",
    "returning",
    "select",
    "set",
    "some",
    "then",
    "time",
    "timestamp",
    "timestamptz",
    "union",
    "using",
    "values",
    "varchar",
    "when",
    "where",
];

/// Functions of the stores that change no rows. A sequence has no rows that are served.
const FUNCTIONS: &[&str] = &[
    "abs",
    "avg",
    "cast",
    "ceil",
    "coalesce",
    "concat",
    "count",
    "currval",
    "date",
    "date_trunc",
    "datetime",
    "extract",
    "floor",
    "format",
    "gen_random_uuid",
    "greatest",
    "hex",
    "ifnull",
    "iif",
    "instr",
    "json_array",
    "json_build_object",
    "json_extract",
    "json_object",
    "jsonb_build_object",
    "jsonb_set",
    "julianday",
    "least",
    "length",
    "lower",
    "lpad",
    "ltrim",
    "max",
    "md5",
    "min",
    "nextval",
    "now",
    "nullif",
    "printf",
    "random",
    "replace",
    "round",
    "row_number",
    "rpad",
    "strftime",
    "substr",
    "substring",
    "sum",
    "to_char",
    "total",
    "trim",
    "unixepoch",
    "upper",
    "uuidv4",
    "uuidv7",
];

/// A word, a name in quotes, or another character; texts and comments are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Name(String),
    Other(char),
    /// A text or a parameter.
    Value,
}

/// What a statement changes.
pub(super) fn changes(query: &ServiceQuery, catalog: &Catalog, dialect: &dyn Dialect) -> Writes {
    let Some(tokens) = tokens(query) else { return Writes::Everything };
    let Some(change) = read(&tokens) else { return Writes::Everything };
    let Change::Rows { schema, table, action } = change else { return Writes::Nothing };
    // A name without a schema is looked for where the connection says, which is not known here.
    let Some(schema) = schema.or(dialect.only_schema()) else { return Writes::Everything };
    let found = find(catalog, schema, table);
    found.map_or(Writes::Everything, |table| Writes::AnyRow(TableRef::clone(table), action))
}

/// A table by the name in a statement, which only one relation may have.
fn find<'c>(catalog: &'c Catalog, schema: &str, name: &Token) -> Option<&'c TableRef> {
    let is_it = |relation: &&TableRef| match name {
        Token::Name(name) => relation.name == *name,
        Token::Word(name) => relation.name.eq_ignore_ascii_case(name),
        Token::Other(_) | Token::Value => false,
    };
    let in_schema = catalog.relations.iter().filter(|one| one.schema == schema);
    let mut found = in_schema.filter(is_it);
    match (found.next(), found.next()) {
        (Some(table), None) => Some(table),
        _ => None,
    }
}

/// What a statement does.
enum Change<'t> {
    Nothing,
    Rows { schema: Option<&'t str>, table: &'t Token, action: Action },
}

fn read(tokens: &[Token]) -> Option<Change<'_>> {
    let word = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) => word.as_str(),
        _ => "",
    };
    // `SELECT … INTO` makes a table.
    let is_doubtful = |token: &Token| is_word(token, "with") || is_word(token, "into");
    let is_plain = |tokens: &[Token]| !tokens.iter().any(is_doubtful) && only_known_calls(tokens);
    let (from, action) = match (word(0), word(1)) {
        ("select", _) => return is_plain(tokens).then_some(Change::Nothing),
        ("insert", "into") => (2, Action::Insert),
        ("delete", "from") => (2, Action::Delete),
        ("update", _) => (1, Action::Update { follows: true }),
        _ => return None,
    };
    let (schema, at) = match (&tokens.get(from)?, tokens.get(from + 1)) {
        (Token::Word(schema) | Token::Name(schema), Some(Token::Other('.'))) => {
            (Some(schema.as_str()), from + 2)
        }
        _ => (None, from),
    };
    let (table, rest) = (tokens.get(at)?, &tokens[at + 1..]);
    // What else may stand here, such as ONLY and OR, is not read.
    let is_table = match table {
        Token::Word(word) => word != "only" && !KEYWORDS.contains(&word.as_str()),
        Token::Name(_) => true,
        Token::Other(_) | Token::Value => false,
    };
    let action = match action {
        Action::Insert if rest.iter().any(|token| is_word(token, "conflict")) => Action::Upsert,
        Action::Update { .. } if !rest.iter().any(|token| is_word(token, "set")) => return None,
        action => action,
    };
    // The columns of an INSERT are in parentheses behind the table.
    (is_table && is_plain(rest)).then_some(Change::Rows { schema, table, action })
}

fn is_word(token: &Token, wanted: &str) -> bool {
    matches!(token, Token::Word(word) if word == wanted)
}

/// Whether each name before a parenthesis is a keyword, or a function that changes no rows.
fn only_known_calls(tokens: &[Token]) -> bool {
    tokens.windows(2).enumerate().all(|(at, pair)| match pair {
        [Token::Word(word), Token::Other('(')] => {
            let word = word.as_str();
            let is_qualified = at > 0 && tokens[at - 1] == Token::Other('.');
            !is_qualified && (KEYWORDS.contains(&word) || FUNCTIONS.contains(&word))
        }
        [Token::Name(_), Token::Other('(')] => false,
        _ => true,
    })
}

/// The tokens of a statement; `None` where a text is quoted in a way that is not read.
fn tokens(query: &ServiceQuery) -> Option<Vec<Token>> {
    let mut text = String::new();
    for piece in &query.pieces {
        match piece {
            Piece::Text { text: more, .. } => text.push_str(more),
            // A text, which is a value too.
            Piece::Parameter { .. } => text.push_str(" '' "),
        }
    }
    let mut tokens = Vec::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if first.is_whitespace() => first.len_utf8(),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/")? + 2,
            '\'' => {
                tokens.push(Token::Value);
                quoted(rest, '\'')?.1
            }
            '"' | '`' => {
                let (name, length) = quoted(rest, first)?;
                tokens.push(Token::Name(name));
                length
            }
            // Texts with escapes, texts between dollars, and names in brackets.
            '\\' | '$' | '[' => return None,
            _ if first.is_alphabetic() || first == '_' => {
                let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                tokens.push(Token::Word(rest[..length].to_lowercase()));
                length
            }
            other => {
                tokens.push(Token::Other(other));
                other.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Some(tokens)
}

/// What is in quotes at the beginning of a text, and the length with the quotes.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, char)) = characters.next() {
        match char {
            // `E'…'` ends otherwise.
            '\\' => return None,
            char if char != quote => name.push(char),
            _ if characters.next_if(|(_, next)| *next == quote).is_some() => name.push(quote),
            _ => return Some((name, at + 1)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use duet_model::{Column, Relation, Type};
    use duet_sql::{Postgres, Sqlite};

    use super::*;

    fn catalog(schema: &str) -> Catalog {
        let table = |name: &str| {
            let columns = vec![Column::new("id", Type::Text)];
            Arc::new(Relation::table(schema, name, columns))
        };
        Catalog { relations: vec![table("a"), table("Big")], ..Catalog::default() }
    }

    /// The table that a statement changes and how, `-` for none, `*` for everything.
    fn changed(text: &str, (schema, dialect): (&str, &dyn Dialect)) -> String {
        let pieces = vec![Piece::Text { text: text.to_owned(), at: 0 }];
        let query = ServiceQuery { pieces, parameters: Vec::new() };
        match changes(&query, &catalog(schema), dialect) {
            Writes::Nothing => "-".into(),
            Writes::AnyRow(table, action) => format!("{} {action:?}", table.name),
            Writes::Row(_) | Writes::Everything => "*".into(),
        }
    }

    #[test]
    fn plain_statements_name_their_table() {
        for (text, expected) in [
            (
                "UPDATE a SET n = n + 1 RETURNING CAST(n AS text) AS number",
                "a Update { follows: true }",
            ),
            (
                "update main.A set (x, y) = (1, coalesce('with', 2)) -- replace(\n",
                "a Update { follows: true }",
            ),
            ("INSERT INTO \"main\".\"Big\" (id) VALUES ('x'), (lower('Y'))", "Big Insert"),
            ("INSERT INTO a (id) SELECT id FROM b WHERE id IN (SELECT max(id) FROM c)", "a Insert"),
            ("INSERT INTO a VALUES (1) ON CONFLICT (id) DO UPDATE SET id = 2", "a Upsert"),
            ("DELETE FROM a WHERE id = 'it''s'", "a Delete"),
            ("SELECT nextval('s'), count(*) FROM a", "-"),
        ] {
            assert_eq!(changed(text, ("main", &Sqlite)), expected, "{text}");
        }
    }

    #[test]
    fn what_leaves_a_doubt_may_change_everything() {
        for text in [
            "UPDATE a SET n = own(n)",
            "UPDATE a SET n = main.lower(n)",
            "UPDATE a SET n = \"lower\"(n)",
            "UPDATE OR REPLACE a SET n = 1",
            "UPDATE nothing SET n = 1",
            "INSERT OR REPLACE INTO a VALUES (1)",
            "REPLACE INTO a VALUES (1)",
            "WITH x AS (SELECT 1) UPDATE a SET n = 1",
            "INSERT INTO a WITH x AS (SELECT 1) SELECT * FROM x",
            "SELECT * INTO b FROM a",
            "SELECT own()",
            "MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DELETE",
            "UPDATE a SET n = E'\\'' || own(1) || ''",
            "UPDATE a SET n = $$x$$",
            "UPDATE [a] SET n = 1",
            "TRUNCATE a",
            "CALL own()",
            "UPDATE",
            "",
        ] {
            assert_eq!(changed(text, ("main", &Sqlite)), "*", "{text}");
        }
    }

    #[test]
    fn a_name_without_a_schema_may_be_in_any() {
        let dialect = &Postgres { icu: true };
        assert_eq!(changed("DELETE FROM a", ("public", dialect)), "*");
        assert_eq!(changed("DELETE FROM public.a", ("public", dialect)), "a Delete");
        assert_eq!(changed("DELETE FROM other.a", ("public", dialect)), "*");
        assert_eq!(changed("UPDATE ONLY a SET n = 1", ("public", dialect)), "*");
    }
}
