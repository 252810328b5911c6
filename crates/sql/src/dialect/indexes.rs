//! Declared indexes, tables of collections, and totals.

use duet_model::{CollectionIndex, CollectionTable, IndexKind};

use crate::parts::collection_types::CollectionTypes;
use crate::parts::index_statement::IndexStatement;
use crate::parts::totals::Totals;

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

/// Declared indexes, tables of collections, and totals.
pub trait IndexSyntax {
    /// The index class for prefix searches.
    fn prefix_index(&self) -> IndexClass {
        IndexClass::default()
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

    /// The extension that an index of this kind needs in the database.
    fn index_extension(&self, _kind: IndexKind) -> Option<&'static str> {
        None
    }

    /// The statement that declares an index: names of schema, index and table, then the column, all
    /// quoted. A dialect without access methods and operator classes needs no class.
    fn create_index(
        &self,
        [schema, index, table]: [&str; 3],
        column: &str,
        _class: IndexClass,
    ) -> String {
        format!("CREATE INDEX {index} ON {schema}.{table} ({column})")
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
        false
    }

    /// The kind whose searches an index declared as this one serves, where that is another one.
    fn collection_kind(&self, kind: IndexKind) -> IndexKind {
        kind
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

    /// The script that makes totals, and counts what is there. Remains of a broken attempt are replaced. Empty where the
    /// dialect has no indexes of [`IndexKind::Totals`].
    fn totals_script(&self, _totals: &Totals) -> String {
        String::new()
    }

    /// The script that drops what there is of totals.
    fn totals_drop_script(&self, _totals: &Totals) -> String {
        String::new()
    }

    /// Whether statistics of several expressions together can be kept.
    fn has_statistics_of_expressions(&self) -> bool {
        false
    }
}
