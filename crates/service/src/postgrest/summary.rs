//! What a write did, and how many rows it may have been.

use duet_model::profiles::PostgrestCode;
use duet_model::{Code, Error, Result, Shape, Value};
use serde_json::json;

/// What was written.
#[derive(Debug)]
pub struct WriteSummary {
    /// How many rows there are.
    pub rows: u64,
    /// How many of them are new.
    pub inserted: u64,
    /// The rows, where they are answered.
    pub body: Option<Vec<u8>>,
    /// The names of the key's columns with its values, where there is exactly one row.
    pub key: Vec<(String, String)>,
}

/// The error for more rows than the request allows.
pub fn too_many(rows: u64) -> Error {
    let details = json!(format!("The query affects {rows} rows")).to_string();
    let message = "Query result exceeds max-affected preference constraint";
    PostgrestCode::MaxAffected.with_details(message, details)
}

/// The error where there is not exactly one row.
pub fn not_singular(rows: u64) -> Error {
    let details = json!(format!("The result contains {rows} rows")).to_string();
    let message = "Cannot coerce the result to a single JSON object";
    PostgrestCode::Singular.with_details(message, details)
}

/// The names of the key's columns with its values.
pub(super) fn named_key(shape: &Shape, key: &[Value]) -> Vec<(String, String)> {
    let columns = &shape.root().table.columns;
    let parts = shape.key.iter().zip(key);
    parts.map(|(&column, value)| (columns[column].served_name(), value.to_string())).collect()
}

/// What was written; `None` where a trigger of the database has kept the row as it was, of which PostgREST
/// answers what other rows became.
pub(super) fn unless_kept<T>(written: Result<T>) -> Result<Option<T>> {
    match written {
        Err(error) if error.code == Code::RowRefused => Ok(None),
        written => written.map(Some),
    }
}
