//! The tables `t1` to `t4`.
//!
//! | table | PostgreSQL | SQLite |
//! |---|---|---|
//! | `t1` | heap and primary key | rows by their number |
//! | `t2` | an index that covers the value: reads need no heap | rows in the key's tree |
//! | `t3` | heap and hash index | as `t1`; the workload takes it into memory |
//! | `t4` | as `t1`, to be read through the service's rowstore | as `t1`, to be read so |
//! Keys count from 1, and values say their key.

use crate::generate::schema::{ColumnDefinition, IndexDefinition, Table, big, index, text};
use crate::generate::{DataSet, Filled};

/// The metadata table.
pub const METADATA: &str = "lookup_metadata";

const COLUMNS: &[ColumnDefinition] = &[big("key").required(), text("value").required()];

const KEY: &[&str] = &["key"];

const T1: Table = Table::new("t1", COLUMNS, KEY);

const T2: Table = Table {
    sqlite_key: KEY,
    in_key: true,
    ..Table::new("t2", COLUMNS, &[]).indexed(&[IndexDefinition {
        unique: true,
        postgres_only: true,
        ..index("t2_cov", "(key) INCLUDE (value)")
    }])
};

const T3: Table = Table {
    sqlite_key: KEY,
    ..Table::new("t3", COLUMNS, &[])
        .indexed(&[IndexDefinition { postgres_only: true, ..index("t3_h", "USING hash (key)") }])
};

const T4: Table = Table::new("t4", COLUMNS, KEY);

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
        metadata: METADATA,
        scale,
        seed,
        choices: Vec::new(),
        unasked: Vec::new(),
        tables: vec![table(&T1), table(&T2), table(&T3), table(&T4)],
        views: &[],
        sequences: Vec::new(),
        bounds: vec![("LOOKUP_ROWS", rows as i64)],
        rules: &[],
    }
}
