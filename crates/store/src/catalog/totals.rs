//! Totals of collections among the indexes of a catalog.

use duet_model::catalog::Index;
use duet_sql::{TOTALS_METHOD, Totals};

/// Totals as the catalog lists them among indexes.
pub fn as_index(totals: &Totals) -> Index {
    Index {
        name: totals.name.clone(),
        columns: Vec::new(),
        unique: false,
        method: TOTALS_METHOD.to_owned(),
        deferred: false,
        deferrable: false,
        nulls_equal: false,
        prefixes: None,
        part: Some(totals.part()),
    }
}
