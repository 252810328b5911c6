//! What a deployment may decide about view definitions, and the limits that keep any text harmless.

use duet_model::catalog::RelationName;

/// How definitions are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The schema of tables that are named without one. `None`: any schema, as long as only one
    /// has a table of that name.
    pub default_schema: Option<String>,
    /// Whether every link must be a foreign key that the database declares. Otherwise a link may
    /// be declared by the definition alone, if one side of it is a key.
    pub require_foreign_keys: bool,
    /// The tables whose rows are documents of collections: views show them and do not write them.
    pub documents: Vec<RelationName>,
    /// The limits.
    pub limits: ViewLimits,
}

/// What a definition may be at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewLimits {
    /// Bytes of one file.
    pub text_bytes: usize,
    /// Objects within objects.
    pub depth: usize,
    /// Tables of one view, each place counted.
    pub tables: usize,
    /// Members of one view.
    pub members: usize,
    /// Operators within operators of one expression.
    pub expression_depth: usize,
    /// Errors reported for one file.
    pub diagnostics: usize,
}

impl Default for ViewLimits {
    fn default() -> Self {
        Self {
            text_bytes: 1 << 20,
            depth: 32,
            tables: 200,
            members: 5_000,
            expression_depth: 64,
            diagnostics: 50,
        }
    }
}
