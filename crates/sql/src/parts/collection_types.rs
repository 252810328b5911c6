//! What the statements of collections' tables differ in between stores.

/// The types and clauses of a collection's table.
#[derive(Clone, Copy, Debug)]
pub struct CollectionTypes {
    /// The type of the key.
    pub key: &'static str,
    /// The type of the document, and the type that its column must have.
    pub document: &'static str,
    /// Around the text at a path that refers to another document.
    pub reference: (&'static str, &'static str),
    /// How a computed column is kept.
    pub computed: &'static str,
    /// Whether indexed values are columns: an index of one is named by conditions on it.
    pub values_are_columns: bool,
    /// What has an index made beside writes of the table.
    pub online: &'static str,
}
