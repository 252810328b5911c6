//! Statements that make indexes, by the names of these.

/// A statement that makes an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexStatement {
    /// The name of the index.
    pub name: String,
    /// The statement, which does nothing if the index exists; of a search index of SQLite a script that creates
    /// it again.
    pub sql: String,
}
