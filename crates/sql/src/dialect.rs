//! What SQL engines differ in, as questions, and PostgreSQL's answers; SQLite's are in `sqlite_dialect.rs`.

use duet_model::catalog::PrefixOrder;
use duet_model::{
    CollectionIndex, CollectionTable, Column, Fold, IndexKind, JsonTest, Type, Value,
};

use crate::collection_table::CollectionTypes;
use crate::group_syntax::{self, GroupSyntax};
use crate::idempotency::{self, KeyTable};
use crate::journal::{self, JournalTables};
use crate::pair_syntax::{self, PairSyntax};
use crate::spellings::{self, PrefixRange};
use crate::sqlite_search::{SearchIndex, has_trigram};
use crate::totals::Totals;
use crate::{fold, jsonpath, row_functions, totals};

/// How a statement that reads documents by key receives the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyStyle {
    /// Many at a time, each part of the key as one array.
    Arrays,
    /// One document at a time: the engine runs in the process, so there are no round trips to save.
    Single,
}

/// An index range over the stored texts of a type that compares by a function: the function maps each
/// text that represents a point in time to an integer, and other texts to another type.
#[derive(Debug)]
pub struct IndexRange {
    /// The SQL text around an operand that gives a lower bound of all texts of the same point in time.
    pub earliest: (&'static str, &'static str),
    /// The SQL text around an operand that gives an upper bound of all texts of the same point in time.
    pub latest: (&'static str, &'static str),
    /// The least text, as a literal.
    pub least: &'static str,
    /// The greatest value of the function, as a literal.
    pub most: &'static str,
}

/// How the words of a text are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordSearch {
    /// By PostgreSQL's `tsvector` and `websearch_to_tsquery`, with a configuration.
    Vectors,
    /// By an FTS5 table if one is declared, otherwise by a function: the SQL text before the text,
    /// between it and the query, and after.
    Tables([&'static str; 3]),
}

/// How the number of rows that a statement selects is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// By the plan of the engine: the SQL text before the statement.
    Plan(&'static str),
    /// By a sample of the rows: the SQL text before the table, between it and the tables with their condition,
    /// and after.
    Sample([&'static str; 3]),
}

/// A part of the SQL text of a value that is taken out of a JSON column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtractionPart {
    /// SQL text.
    Text(&'static str),
    /// The column.
    Column,
    /// The path, as [`Dialect::extraction_path`] writes it, in quotes.
    Path,
}

/// How an index that is declared holds its column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexClass {
    /// Its access method, where it is not the default, such as `gin`.
    pub method: Option<&'static str>,
    /// The operator class after the column, with a leading space.
    pub operators: &'static str,
    /// Its storage parameters after the columns, with a leading space.
    pub storage: &'static str,
}

/// How PostgreSQL keeps a BRIN index: ranges of 256 kB, and those that have just been filled are summarized by
/// autovacuum, without which every search reads what was added since the last VACUUM.
const BLOCK_RANGES: &str = " WITH (pages_per_range = 32, autosummarize = on)";

/// A dialect of SQL. The defaults are standard SQL.
pub trait Dialect: Send + Sync {
    /// A quoted identifier with any content: `"na""me"`.
    fn identifier(&self, name: &str, out: &mut String) {
        out.push('"');
        for char in name.chars() {
            if char == '"' {
                out.push('"');
            }
            out.push(char);
        }
        out.push('"');
    }

    /// The placeholder of a value that is compared with a column of this type.
    fn placeholder(&self, number: usize, ty: &Type, declared: &str, out: &mut String);

    /// A value of a type as it is written in a statement; `None` for a text in quotes.
    fn constant(&self, _value: &Value, _ty: &Type) -> Option<String> {
        None
    }

    /// The placeholder of a value whose type follows from its context.
    fn bare_placeholder(&self, number: usize, out: &mut String);

    /// What an update sets a column to that shall have its default, given as the catalog has it.
    fn default_of(&self, _default: Option<&str>, out: &mut String) {
        out.push_str("DEFAULT");
    }

    /// How keys are given.
    fn key_style(&self) -> KeyStyle;

    /// The placeholder of a part of the key, an array where [`Dialect::key_style`] says so.
    fn key_placeholder(&self, number: usize, ty: &Type, declared: &str, out: &mut String);

    /// The SQL text around a selected column that converts it to a format the writer supports.
    fn selected(&self, _ty: &Type) -> (&'static str, &'static str) {
        ("", "")
    }

    /// The type of a NULL in the same position as a column of this type in a `UNION ALL`; `None` if it
    /// is not certain.
    fn null_type(&self, _ty: &Type, _declared: &str) -> Option<String> {
        None
    }

    /// Appends the cast from text to this type, without the declared length: the assignment checks the
    /// length, while a cast would truncate.
    fn cast_from_text(&self, _ty: &Type, _declared: &str, _out: &mut String) {}

    /// Whether the types of a statement's columns are known, so that values have no other.
    fn knows_result_types(&self) -> bool {
        false
    }

    /// Whether there are stored functions and procedures.
    fn has_routines(&self) -> bool {
        false
    }

    /// Whether `TRUNCATE` is there.
    fn truncates(&self) -> bool {
        false
    }

    /// The names of the row number in tables whose primary key may be NULL; the first that is not a
    /// column's name is used. Empty if primary keys are never NULL.
    fn row_numbers(&self) -> &'static [&'static str] {
        &[]
    }

    /// The expression for the snapshot of the read.
    fn as_of(&self) -> &'static str;

    /// The SQL text around a column and its operand to compare by the type's meaning, if the engine
    /// would compare bytes.
    fn comparable(&self, _ty: &Type) -> (&'static str, &'static str) {
        ("", "")
    }

    /// For a type that compares by a function of a text: the index range of the texts that limits the
    /// rows on which the function is evaluated.
    fn window(&self, _ty: &Type) -> Option<&'static IndexRange> {
        None
    }

    /// Where a type compares by a function: the ranges of what may be stored for a value, each with
    /// both ends, and the type by which they are bound. Everything that is equal to the value lies in
    /// one of them; empty where that is not known.
    fn stored_forms(&self, _ty: &Type, _value: &Value) -> Vec<(Value, Value, Type)> {
        Vec::new()
    }

    /// The range of a column's texts that begin with a prefix, where `LIKE` alone does not always find
    /// them by an index. `order` is that of such an index, if there is one.
    fn prefix_range(
        &self,
        _column: &Column,
        _order: Option<PrefixOrder>,
        _prefix: &str,
    ) -> Option<PrefixRange> {
        None
    }

    /// Whether an index can find what begins with a prefix in this column.
    fn finds_prefixes(&self, column: &Column, prefix: &str) -> bool {
        self.prefix_range(column, None, prefix).is_some()
    }

    /// The index class for prefix searches.
    fn prefix_index(&self) -> IndexClass {
        IndexClass::default()
    }

    /// The extension that an index of this kind needs in the database.
    fn index_extension(&self, _kind: IndexKind) -> Option<&'static str> {
        None
    }

    /// The index class for substring searches; `None` if not supported.
    fn substring_index(&self) -> Option<IndexClass> {
        None
    }

    /// The index class for values inside a JSON column.
    ///
    /// # Errors
    /// Why it is not supported.
    fn json_index(&self, _declared: &str) -> Result<IndexClass, &'static str> {
        Err(
            "values inside JSON are tested row by row; copy one into a generated column and index that",
        )
    }

    /// The statement that declares an index: names of schema, index and table, then the column, all
    /// quoted.
    fn create_index(
        &self,
        [schema, index, table]: [&str; 3],
        column: &str,
        class: IndexClass,
    ) -> String {
        let method = class.method.map(|method| format!("USING {method} ")).unwrap_or_default();
        format!("CREATE INDEX {index} ON {schema}.{table} {method}({column}{})", class.operators)
    }

    /// How the words of a text are searched.
    fn word_search(&self) -> WordSearch;

    /// A function that searches for words in a document's text: the SQL text before the text, between it and the
    /// encoded query, and after. `None` where texts become vectors by a dictionary.
    fn lexemes(&self) -> Option<[&'static str; 3]> {
        None
    }

    /// A test that two texts are similar by their trigrams: the SQL text before one, between them and after the other.
    fn similar(&self) -> [&'static str; 3];

    /// How far two texts are from each other by their trigrams, in the same way.
    fn distance(&self) -> [&'static str; 3];

    /// The rank of a text for words, where it is no function of the database, in the same way.
    fn relevance(&self) -> Option<[&'static str; 3]> {
        None
    }

    /// Whether an index of trigrams finds similar texts.
    fn finds_similar(&self) -> bool {
        false
    }

    /// Whether words can be compared by a dictionary of this name.
    fn has_dictionary(&self, _name: &str) -> bool {
        true
    }

    /// What two members of a document are together, and its tests.
    fn pairs(&self) -> &'static PairSyntax;

    /// Whether range columns support the operators of ranges, such as `&&`.
    fn overlaps(&self) -> bool {
        false
    }

    /// A test of the values inside a JSON column: the SQL text before the column, between it and the
    /// operand, and after.
    fn json_test(&self) -> [&'static str; 3];

    /// An array of the values at a path inside a JSON column, elements of arrays among them, which an index can have: the
    /// SQL text before the column, between it and the path, and after. `None` where there is no such index.
    fn json_elements(&self) -> Option<[&'static str; 3]> {
        None
    }

    /// The path for [`Dialect::json_elements`].
    fn json_elements_path(&self, _path: &[String]) -> String {
        String::new()
    }

    /// The operand of such a test, with path and operator in it.
    fn json_operand(&self, path: &[String], test: &JsonTest) -> String;

    /// Whether an index of values inside JSON narrows tests of them: `json_extract`, which has NULL for
    /// what it does not reach, a number for a boolean, and the text of an array.
    fn extracts_json(&self) -> bool {
        false
    }

    /// The statement that declares an index of the words of a column, whose names are quoted.
    fn create_words_index(&self, names: [&str; 3], column: &str) -> String;

    /// The statement that declares an index of the value at a path inside a JSON column; `None` where
    /// the dialect has none that is used.
    fn create_json_index(
        &self,
        _names: [&str; 3],
        _column: &str,
        _path: &[String],
    ) -> Option<String> {
        None
    }

    /// How numbers of rows are estimated.
    fn estimate(&self) -> Estimate;

    /// The texts around the tables and conditions of a join so that it is planned for all of its rows, whatever limit
    /// follows, and still read only as far as that. `None` where the limit does not change the plan, or all rows
    /// would be read.
    fn whole_rows(&self) -> Option<[&'static str; 2]> {
        None
    }

    /// The types and clauses of a collection's table.
    fn collection_types(&self) -> CollectionTypes;

    /// The schema of every table, where a database has no others.
    fn only_schema(&self) -> Option<&'static str> {
        None
    }

    /// The class of a collection's index of this kind; `None` where the dialect has none. What has no class of its
    /// own is a B-tree.
    fn collection_index(&self, kind: IndexKind) -> Option<IndexClass> {
        let is_tree = !kind.has_trigrams()
            && !kind.is_of_pairs()
            && !matches!(kind, IndexKind::FullText | IndexKind::Elements | IndexKind::Totals);
        is_tree.then(IndexClass::default)
    }

    /// Whether there are collections' indexes of this kind, as an index or as a table beside.
    fn has_collection_index(&self, kind: IndexKind) -> bool {
        self.collection_index(kind).is_some()
    }

    /// Whether an index of this kind that is declared with a condition has no other documents.
    fn has_conditions(&self, _kind: IndexKind) -> bool {
        true
    }

    /// The kind whose searches an index declared as this one serves, where that is another one.
    fn collection_kind(&self, kind: IndexKind) -> IndexKind {
        kind
    }

    /// Whether an index of trigrams narrows a pattern of `LIKE`.
    fn finds_parts(&self, pattern: &str) -> bool {
        has_trigram(pattern)
    }

    /// The index as a table beside the collection's table, which triggers keep; `None` where the dialect has none of
    /// this kind.
    fn search_index(
        &self,
        _table: &CollectionTable,
        _index: &CollectionIndex,
    ) -> Option<SearchIndex> {
        None
    }

    /// The script that makes totals, and counts what is there. Remains of a broken attempt are replaced.
    fn totals_script(&self, totals: &Totals) -> String;

    /// The script that drops what there is of totals.
    fn totals_drop_script(&self, totals: &Totals) -> String;

    /// The value at a path inside a JSON column as a value of a type, by functions that an index may
    /// call; NULL where there is none of that type.
    fn extraction(&self, ty: &Type) -> &'static [ExtractionPart];

    /// The text of any value at a path inside a document, NULL for `null`: the SQL text before the column, between
    /// it and the path, and after. The path is a parameter, since requests name it.
    fn json_text(&self) -> [&'static str; 3];

    /// The path for [`Dialect::json_text`]; `None` for one that no document has.
    fn json_text_path(&self, path: &[String]) -> Option<String>;

    /// The number that a text is, NULL where it is none: the SQL text behind the last place of the text, and
    /// what is before each of its places.
    fn number_of_text(&self) -> (&'static str, &'static [&'static str]);

    /// The moment that a text is, NULL where it is none; as [`Dialect::number_of_text`].
    fn moment_of_text(&self) -> (&'static str, &'static [&'static str]);

    /// The elements of an array inside a document, each as [`Dialect::element`]: a source of rows, none where
    /// there is no array.
    fn elements(&self) -> &'static [ExtractionPart];

    /// One of [`Dialect::elements`], in the place of the column of [`Dialect::extraction`]; NULL for what is
    /// no object.
    fn element(&self) -> &'static str;

    /// The path for [`Dialect::extraction`]; `None` for names that the engine has no form for. A step
    /// leads to a member of an object and nowhere else.
    fn extraction_path(&self, path: &[String]) -> Option<String>;

    /// The value at a path inside a JSON column: the SQL text before the column, between it and the path,
    /// and after.
    fn json_at(&self) -> [&'static str; 3];

    /// The path for [`Dialect::json_at`]. A step leads to a member of an object and nowhere else.
    fn json_path(&self, path: &[String]) -> String;

    /// The terms that order values inside JSON, each as the pieces between which the value is written:
    /// `false`, `true`, numbers by value, strings by code point, then arrays and objects. What is missing
    /// or `null` is NULL in all of them.
    fn json_order(&self) -> &'static [&'static [&'static str]];

    /// The same as [`Dialect::comparable`] for orders and what pages begin after, where an index may serve the order.
    /// A column with [`Column::sorts_as_text`] is ordered as it is.
    fn sortable(&self, ty: &Type) -> (&'static str, &'static str) {
        self.comparable(ty)
    }

    /// The conditions of a `CHECK`, with `{}` for the column, that keep the texts of a type in the order
    /// of their meaning, and which introspection therefore reads as [`Column::sorts_as_text`]. The first
    /// one allows the most values.
    fn text_order_checks(&self, _ty: &Type) -> &'static [&'static str] {
        &[]
    }

    /// The forms in which a key of this type may be stored, written around its placeholder; empty
    /// where there is but one. Only for [`KeyStyle::Single`].
    fn key_forms(&self, _ty: &Type) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// `column LIKE pattern`: the SQL text before, between and after the two. Case-sensitive,
    /// `\` escapes. The first pair of the column is its conversion to text.
    fn like(&self, ignore_case: bool) -> [&'static str; 3];

    /// `column` contains `text`, case-sensitive: before, between, after.
    fn contains(&self) -> [&'static str; 3];

    /// What is before and behind a text to fold it.
    fn fold(&self, fold: Fold) -> [&'static str; 2];

    /// A part of a text matches a regular expression: before, between, after. `loose`: different texts
    /// of it may be equal.
    fn regex(&self, loose: bool) -> [&'static str; 3];

    /// The SQL text after an order term that sorts NULLs last.
    fn nulls_last(&self) -> &'static str {
        " NULLS LAST"
    }

    /// Whether statistics of several expressions together can be kept.
    fn has_statistics_of_expressions(&self) -> bool {
        false
    }

    /// Whether an index in ascending order is read with its NULLs last.
    fn indexes_have_nulls_last(&self) -> bool {
        true
    }

    /// The table of keys for matching by ordinal, with columns `k0…` and `ord`; only for
    /// [`KeyStyle::Arrays`].
    fn keys_table(&self) -> [&'static str; 2] {
        ["unnest(", ") WITH ORDINALITY AS k"]
    }

    /// The SQL text before the alias of the table whose rows a `SELECT` locks until the end of the
    /// transaction; `None` if the engine has no row locks.
    fn row_lock(&self) -> Option<&'static str> {
        None
    }

    /// Like [`Self::row_lock`], but other transactions may insert rows that reference the locked one. All
    /// other writes of it are excluded.
    fn row_lock_beside_references(&self) -> Option<&'static str> {
        self.row_lock()
    }

    /// The SQL text behind a row lock that leaves out rows that are locked by others, and the text that
    /// makes them an error; `None` if the engine cannot do both.
    fn row_lock_without_waiting(&self) -> Option<[&'static str; 2]> {
        None
    }

    /// The table of idempotency keys.
    fn key_table(&self) -> KeyTable;

    /// How many characters a column of a declared type may have at most, if the engine enforces that.
    fn most_characters(&self, _declared: &str) -> Option<usize> {
        None
    }

    /// The tables of the ingest journal.
    fn journal_tables(&self) -> JournalTables;

    /// The literal of a truth value.
    fn truth(&self, value: bool) -> &'static str {
        if value { "TRUE" } else { "FALSE" }
    }

    /// A division: before, between and after its operands. On every engine it is decimal, has ten
    /// digits after the point at most, and gives NULL for a division by zero.
    fn divide(&self) -> [&'static str; 3];

    /// The functions over rows whose results engines give in different forms.
    fn row_functions(&self) -> row_functions::RowFunctions {
        row_functions::POSTGRES
    }

    /// The SQL text around a generated member of this type that gives it the same digits on all engines.
    fn generated(&self, _ty: &Type) -> (&'static str, &'static str) {
        ("", "")
    }

    /// How aggregates of groups are written.
    fn groups(&self) -> &'static GroupSyntax;
}

/// PostgreSQL 13 and later, and engines that speak its protocol and SQL.
#[derive(Clone, Copy, Debug)]
pub struct Postgres {
    /// Whether ICU collations exist, with which `lower` supports all of Unicode under any locale.
    pub icu: bool,
}

impl Postgres {
    /// The type a parameter is cast to; widened where one type serves several columns.
    fn cast(ty: &Type, declared: &str, out: &mut String) {
        let known = match ty {
            Type::Boolean => "boolean",
            Type::Integer { .. } => "int8",
            Type::Decimal { .. } => "numeric",
            Type::Float { bits: 32 } => "float4",
            Type::Float { .. } => "float8",
            Type::Uuid => "uuid",
            Type::Date => "date",
            Type::Time => "time",
            Type::TimeTz => "timetz",
            Type::Timestamp => "timestamp",
            Type::TimestampTz => "timestamptz",
            Type::Interval => "interval",
            Type::Binary => "bytea",
            Type::Json => "jsonb",
            Type::Formatted(form) => form.name,
            Type::Char => "bpchar",
            Type::Text if !declared.ends_with("citext") => "text",
            Type::Text | Type::Enum(_) | Type::Array(_) | Type::Pair(_) | Type::Other => declared,
        };
        out.push_str("::");
        out.push_str(known);
    }
}

/// A declared type without its parenthesized modifiers: `character varying(3)[]` is `character
/// varying[]`. Without its length, `bit` is another type.
fn without_length(declared: &str) -> String {
    let mut name = String::with_capacity(declared.len());
    let mut depth = 0;
    for char in declared.chars() {
        match char {
            '"' if depth == 0 => return declared.to_owned(),
            '(' => depth += 1,
            ')' => depth -= 1,
            char if depth == 0 => name.push(char),
            _ => {}
        }
    }
    match name.as_str() {
        "bit[]" => "varbit[]".to_owned(),
        _ => name,
    }
}

impl Dialect for Postgres {
    fn bare_placeholder(&self, number: usize, out: &mut String) {
        out.push('$');
        out.push_str(&number.to_string());
    }

    fn placeholder(&self, number: usize, ty: &Type, declared: &str, out: &mut String) {
        out.push('$');
        out.push_str(&number.to_string());
        // Unknown types compare by their text; see `comparable`.
        let declared = if *ty == Type::Other { "text" } else { declared };
        Self::cast(ty, declared, out);
    }

    fn cast_from_text(&self, ty: &Type, declared: &str, out: &mut String) {
        match ty {
            Type::Other if declared.starts_with("bit(") => out.push_str("::varbit"),
            Type::Json => {
                out.push_str("::");
                out.push_str(declared);
            }
            Type::Array(_) | Type::Other => Self::cast(ty, &without_length(declared), out),
            _ => Self::cast(ty, declared, out),
        }
    }

    fn knows_result_types(&self) -> bool {
        true
    }

    fn has_routines(&self) -> bool {
        true
    }

    fn truncates(&self) -> bool {
        true
    }

    fn comparable(&self, ty: &Type) -> (&'static str, &'static str) {
        if *ty == Type::Other { ("(", ")::text") } else { ("", "") }
    }

    fn key_style(&self) -> KeyStyle {
        KeyStyle::Arrays
    }

    fn key_placeholder(&self, number: usize, ty: &Type, declared: &str, out: &mut String) {
        out.push('$');
        out.push_str(&number.to_string());
        Self::cast(ty, declared, out);
        out.push_str("[]");
    }

    fn null_type(&self, ty: &Type, declared: &str) -> Option<String> {
        // Domains count as their base type in a union, and may refuse NULL: so the base type is
        // named wherever it is known.
        let known = match ty {
            Type::Integer { bits: 16 } => "int2",
            Type::Integer { bits: 32 } => "int4",
            Type::Float { bits: 32 } => "float4",
            Type::Other | Type::Formatted(_) | Type::Enum(_) | Type::Text => "text",
            Type::Json if matches!(declared, "json" | "jsonb") => declared,
            Type::Json => return None,
            Type::Array(_) if self.selected(ty).1.ends_with("::text[]") => "text[]",
            Type::Array(_) => return declared.ends_with("[]").then(|| declared.to_owned()),
            _ => {
                let mut cast = String::new();
                Self::cast(ty, declared, &mut cast);
                return Some(cast.trim_start_matches("::").to_owned());
            }
        };
        Some(known.to_owned())
    }

    fn selected(&self, ty: &Type) -> (&'static str, &'static str) {
        match ty {
            Type::Other | Type::Enum(_) => ("", "::text"),
            // A cast to text would add `/32` to a host.
            Type::Formatted(form) if form.name == "inet" => ("pg_catalog.abbrev(", ")"),
            Type::Formatted(_) => ("", "::text"),
            Type::Array(inner) => match **inner {
                Type::Other | Type::Enum(_) => ("", "::text[]"),
                // By the text of the array, whose elements are written like single values.
                Type::Formatted(form) if form.name == "inet" => ("", "::text::text[]"),
                Type::Formatted(_) => ("", "::text[]"),
                _ => ("", ""),
            },
            _ => ("", ""),
        }
    }

    fn row_lock(&self) -> Option<&'static str> {
        Some(" FOR UPDATE OF ")
    }

    fn row_lock_beside_references(&self) -> Option<&'static str> {
        Some(" FOR NO KEY UPDATE OF ")
    }

    fn row_lock_without_waiting(&self) -> Option<[&'static str; 2]> {
        Some([" SKIP LOCKED", " NOWAIT"])
    }

    fn key_table(&self) -> KeyTable {
        idempotency::POSTGRES
    }

    fn most_characters(&self, declared: &str) -> Option<usize> {
        let (name, rest) = declared.split_once('(')?;
        let is_text = matches!(name.trim_end(), "character varying" | "character");
        rest.strip_suffix(')').filter(|_| is_text)?.parse().ok()
    }

    fn journal_tables(&self) -> JournalTables {
        journal::POSTGRES
    }

    fn as_of(&self) -> &'static str {
        "(SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))"
    }

    fn like(&self, ignore_case: bool) -> [&'static str; 3] {
        match (ignore_case, self.icu) {
            (false, _) => ["(", ")::text LIKE ", ""],
            (true, true) => {
                ["lower((", ")::text COLLATE \"und-x-icu\") LIKE lower(", " COLLATE \"und-x-icu\")"]
            }
            (true, false) => ["(", ")::text ILIKE ", ""],
        }
    }

    fn contains(&self) -> [&'static str; 3] {
        ["strpos((", ")::text, ", ") > 0"]
    }

    fn fold(&self, fold: Fold) -> [&'static str; 2] {
        fold::postgres(fold, self.icu)
    }

    fn regex(&self, loose: bool) -> [&'static str; 3] {
        // PostgreSQL refuses patterns on collations under which different texts can be equal.
        match loose {
            true => ["(", ")::text COLLATE \"C\" ~ ", ""],
            false => ["(", ")::text ~ ", ""],
        }
    }

    fn json_test(&self) -> [&'static str; 3] {
        ["(", ")::jsonb @? ", "::jsonpath"]
    }

    fn json_elements(&self) -> Option<[&'static str; 3]> {
        Some(["jsonb_path_query_array(", ", ", "::jsonpath)"])
    }

    fn json_elements_path(&self, path: &[String]) -> String {
        jsonpath::elements(path)
    }

    fn json_operand(&self, path: &[String], test: &JsonTest) -> String {
        jsonpath::of(path, test)
    }

    fn word_search(&self) -> WordSearch {
        WordSearch::Vectors
    }

    fn create_words_index(&self, [schema, index, table]: [&str; 3], column: &str) -> String {
        format!(
            "CREATE INDEX {index} ON {schema}.{table} USING gin (to_tsvector('simple', {column}))"
        )
    }

    fn overlaps(&self) -> bool {
        true
    }

    fn pairs(&self) -> &'static PairSyntax {
        &pair_syntax::POSTGRES
    }

    fn estimate(&self) -> Estimate {
        Estimate::Plan("EXPLAIN (FORMAT JSON) ")
    }

    fn whole_rows(&self) -> Option<[&'static str; 2]> {
        // Below a limit, a scan of a table may be preferred to an index that costs about as much by the planner's
        // estimate, since it starts earlier. Reading values out of large JSON costs far more than that estimate: a
        // count took 20 ms instead of 1.3. The rows of such a query are made one by one, as the limit asks for them.
        Some(["WITH n AS MATERIALIZED (SELECT 1 FROM ", ") SELECT 1 FROM n"])
    }

    fn collection_types(&self) -> CollectionTypes {
        CollectionTypes {
            key: " uuid PRIMARY KEY",
            document: " jsonb NOT NULL",
            reference: (" uuid GENERATED ALWAYS AS ((", ")::uuid)"),
            computed: " STORED",
            values_are_columns: false,
            online: "CONCURRENTLY ",
        }
    }

    fn has_statistics_of_expressions(&self) -> bool {
        true
    }

    fn collection_index(&self, kind: IndexKind) -> Option<IndexClass> {
        let class = IndexClass::default();
        let of = |method| Some(IndexClass { method: Some(method), ..class });
        match kind {
            IndexKind::Ordered | IndexKind::Unique | IndexKind::Like => Some(IndexClass::default()),
            IndexKind::Trigram => self.substring_index(),
            IndexKind::Nearest => {
                Some(IndexClass { method: Some("gist"), operators: " gist_trgm_ops", ..class })
            }
            IndexKind::FullText => of("gin"),
            IndexKind::Elements => self.json_index("jsonb").ok(),
            IndexKind::Hash => of("hash"),
            IndexKind::BlockRange => {
                Some(IndexClass { method: Some("brin"), storage: BLOCK_RANGES, ..class })
            }
            IndexKind::Prefix => of("spgist"),
            IndexKind::Range | IndexKind::Point => of("gist"),
            IndexKind::Totals => None,
        }
    }

    fn totals_script(&self, totals: &Totals) -> String {
        totals::postgres_script(totals, self)
    }

    fn totals_drop_script(&self, totals: &Totals) -> String {
        totals::postgres_drop_script(totals)
    }

    fn finds_parts(&self, pattern: &str) -> bool {
        // The beginning and the end of a text have trigrams with blanks.
        has_trigram(pattern) || !pattern.starts_with(['%', '_']) || !pattern.ends_with(['%', '_'])
    }

    fn extraction(&self, ty: &Type) -> &'static [ExtractionPart] {
        use ExtractionPart::{Column, Path, Text};
        match ty {
            Type::Boolean => &[
                Text("(CASE "),
                Column,
                Text(" #> "),
                Path,
                Text(" WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END)"),
            ],
            ty if ty.is_number() => &[
                Text("(CASE jsonb_typeof("),
                Column,
                Text(" #> "),
                Path,
                Text(") WHEN 'number' THEN ("),
                Column,
                Text(" #>> "),
                Path,
                Text(")::numeric END)"),
            ],
            _ => &[
                Text("((CASE jsonb_typeof("),
                Column,
                Text(" #> "),
                Path,
                Text(") WHEN 'string' THEN "),
                Column,
                Text(" #>> "),
                Path,
                Text(" END) COLLATE \"C\")"),
            ],
        }
    }

    fn json_text(&self) -> [&'static str; 3] {
        ["((", " #>> ", "::text[]) COLLATE \"C\")"]
    }

    fn json_text_path(&self, path: &[String]) -> Option<String> {
        self.extraction_path(path)
    }

    fn number_of_text(&self) -> (&'static str, &'static [&'static str]) {
        const PATTERN: &str =
            ") ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (";
        (")::numeric END)", &["(CASE WHEN length(", ") <= 1000 AND (", PATTERN])
    }

    fn moment_of_text(&self) -> (&'static str, &'static [&'static str]) {
        const PATTERN: &str = ") ~ '^(?!0000)(\
            [0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|\
            ([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)\
            ([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?\
            (Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN (CASE WHEN (";
        const ZONED: &str = ") ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN (";
        (") || ' UTC' END)::timestamptz END)", &["(CASE WHEN (", PATTERN, ZONED, ") ELSE ("])
    }

    fn elements(&self) -> &'static [ExtractionPart] {
        use ExtractionPart::{Column, Path, Text};
        &[
            Text("jsonb_array_elements(CASE jsonb_typeof("),
            Column,
            Text(" #> "),
            Path,
            Text(") WHEN 'array' THEN "),
            Column,
            Text(" #> "),
            Path,
            Text(" END) AS of_array(element)"),
        ]
    }

    fn element(&self) -> &'static str {
        "of_array.element"
    }

    fn extraction_path(&self, path: &[String]) -> Option<String> {
        let step =
            |step: &String| format!("\"{}\"", step.replace('\\', "\\\\").replace('"', "\\\""));
        // A number leads into arrays too.
        let leads_into_arrays = |step: &String| step.parse::<i64>().is_ok();
        let steps: Vec<String> = path.iter().map(step).collect();
        (!path.iter().any(leads_into_arrays)).then(|| format!("{{{}}}", steps.join(",")))
    }

    fn json_at(&self) -> [&'static str; 3] {
        ["jsonb_path_query_first((", ")::jsonb, ", "::jsonpath, '{}', TRUE)"]
    }

    fn json_path(&self, path: &[String]) -> String {
        jsonpath::to(path)
    }

    fn json_order(&self) -> &'static [&'static [&'static str]] {
        const KIND: &[&str] = &[
            "CASE jsonb_typeof(",
            ") WHEN 'boolean' THEN CASE WHEN ",
            " = 'true' THEN 1 ELSE 0 END WHEN 'number' THEN 2 WHEN 'string' THEN 3 WHEN 'array' THEN 4 \
             WHEN 'object' THEN 4 END",
        ];
        const NUMBER: &[&str] =
            &["CASE jsonb_typeof(", ") WHEN 'number' THEN (", " #>> '{}')::numeric END"];
        const TEXT: &[&str] =
            &["CASE jsonb_typeof(", ") WHEN 'string' THEN (", " #>> '{}') COLLATE \"C\" END"];
        &[KIND, NUMBER, TEXT]
    }

    fn finds_prefixes(&self, column: &Column, _prefix: &str) -> bool {
        column.ty == Type::Text && !column.loose_equality
    }

    fn prefix_range(
        &self,
        column: &Column,
        order: Option<PrefixOrder>,
        prefix: &str,
    ) -> Option<PrefixRange> {
        let order = order.filter(|_| self.finds_prefixes(column, prefix))?;
        spellings::of_prefix_in(order, prefix)
    }

    fn prefix_index(&self) -> IndexClass {
        IndexClass { operators: " text_pattern_ops", ..IndexClass::default() }
    }

    fn json_index(&self, declared: &str) -> Result<IndexClass, &'static str> {
        match declared {
            "jsonb" => Ok(IndexClass {
                method: Some("gin"),
                operators: " jsonb_path_ops",
                ..IndexClass::default()
            }),
            _ => Err("only columns of the type jsonb have indexes of what is inside"),
        }
    }

    fn index_extension(&self, kind: IndexKind) -> Option<&'static str> {
        kind.has_trigrams().then_some("pg_trgm")
    }

    fn substring_index(&self) -> Option<IndexClass> {
        // Of the extension that `index_extension` names.
        let method = Some("gin");
        Some(IndexClass { method, operators: " gin_trgm_ops", ..IndexClass::default() })
    }

    fn similar(&self) -> [&'static str; 3] {
        ["", " % ", ""]
    }

    fn distance(&self) -> [&'static str; 3] {
        ["(", " <-> ", ")"]
    }

    fn finds_similar(&self) -> bool {
        true
    }

    fn divide(&self) -> [&'static str; 3] {
        ["round(", "::numeric / nullif(", ", 0)::numeric, 10)"]
    }

    fn generated(&self, ty: &Type) -> (&'static str, &'static str) {
        if matches!(ty, Type::Decimal { scale: None }) { ("trim_scale(", ")") } else { ("", "") }
    }

    fn groups(&self) -> &'static GroupSyntax {
        &group_syntax::POSTGRES
    }
}
