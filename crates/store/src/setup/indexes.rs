//! The indexes of a database as it describes them itself, with their sizes and how often each was used.

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The schema of its table; `main` on SQLite.
    pub schema: String,
    /// Its table.
    pub table: String,
    /// Its name.
    pub name: String,
    /// What is indexed and how: the text of `CREATE INDEX` from the method or the list of values on.
    pub definition: String,
    /// Whether no two rows have the same values.
    pub unique: bool,
    /// Its size in bytes.
    pub bytes: u64,
    /// How often statements have used it, where the database counts that.
    pub uses: Option<u64>,
}
