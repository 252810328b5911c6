//! Columns, and values inside their JSON: `data->a->>b`.

use duet_text::JsonStep;

/// A column, and the steps to a value inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnPath {
    /// The name of the column.
    pub column: String,
    /// The steps inside its JSON.
    pub steps: Vec<JsonStep>,
    /// Whether the last arrow is `->>`: the value as a text.
    pub as_text: bool,
}
