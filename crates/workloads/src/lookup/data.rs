//! Rows of the lookup tables: keys from 1, values that say their key.

use super::schema;
use crate::generate::{DataSet, Filled, Table};

/// The data set; its scale is the number of rows of each table. No row depends on the seed.
pub fn data_set(scale: f64, seed: u64) -> DataSet {
    let rows = scale as u64;
    let table = |table: &'static Table| {
        Filled::rows(table, rows, |row, sink| {
            let key = row as i64 + 1;
            sink.int(key);
            sink.text(&["value ", itoa::Buffer::new().format(key)]);
        })
    };
    DataSet {
        name: "lookup",
        metadata: schema::METADATA,
        scale,
        seed,
        choices: Vec::new(),
        tables: vec![
            table(&schema::T1),
            table(&schema::T2),
            table(&schema::T3),
            table(&schema::T4),
        ],
        views: &[],
        sequences: Vec::new(),
        bounds: vec![("LOOKUP_ROWS", rows as i64)],
        rules: &[],
    }
}
