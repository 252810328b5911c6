//! What SQL engines differ in, as questions; the answers are in `postgres_dialect.rs` and `sqlite_dialect.rs`.

use std::sync::Arc;

use duet_model::catalog::PrefixOrder;
use duet_model::{CollectionIndex, CollectionTable, Column, IndexKind, JsonTest, Type, Value};
use duet_text::{Fold, JsonStep};

use crate::group_syntax::GroupSyntax;
use crate::pair_syntax::PairSyntax;
use crate::parts::collection_types::CollectionTypes;
use crate::parts::index_statement::IndexStatement;
use crate::parts::journal_tables::JournalTables;
use crate::parts::key_table::KeyTable;
use crate::parts::row_functions;
use crate::parts::spellings::PrefixRange;
use crate::parts::totals::Totals;
use crate::parts::trigrams::has_trigram;

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

/// A dialect of SQL. The defaults are standard SQL.
pub trait Dialect: Send + Sync + std::fmt::Debug {
    /// The dialect, for those who keep it.
    fn shared(&self) -> Arc<dyn Dialect>;

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

    /// Appends what makes a value of the table of keys one of the key's type, where it is not.
    fn key_of_table(&self, _ty: &Type, _declared: &str, _out: &mut String) {}

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

    /// The script that makes the index as a table beside the collection's table, which triggers keep; `None` where the
    /// dialect has none of this kind.
    fn table_beside(
        &self,
        _table: &CollectionTable,
        _index: &CollectionIndex,
    ) -> Option<IndexStatement> {
        None
    }

    /// The script that makes totals, and counts what is there. Remains of a broken attempt are replaced.
    fn totals_script(&self, totals: &Totals) -> String;

    /// The script that drops what there is of totals.
    fn totals_drop_script(&self, totals: &Totals) -> String;

    /// The value at a path inside a JSON column as a value of a type, by functions that an index may
    /// call; NULL where there is none of that type.
    fn extraction(&self, ty: &Type) -> &'static [ExtractionPart];

    /// The SQL text behind a JSON column, declared as this type, from which values are extracted.
    fn json_column(&self, _declared: &str) -> &'static str {
        ""
    }

    /// The text of any value at a path inside a document, NULL for `null`: the SQL text before the column, between
    /// it and the path, and after. The path is a parameter, since requests name it.
    fn json_text(&self) -> [&'static str; 3];

    /// The path for [`Dialect::json_text`]; `None` for one that no document has.
    fn json_text_path(&self, path: &[String]) -> Option<String>;

    /// The text of the only value that steps inside a document lead to, NULL for `null` and for none or several of
    /// them: the SQL text before the column, between it and the steps, and after.
    fn json_value(&self) -> [&'static str; 3];

    /// The steps for [`Dialect::json_value`].
    fn json_value_path(&self, steps: &[JsonStep]) -> String;

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
