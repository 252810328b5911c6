//! The tables `t1` to `t4`.
//!
//! | table | PostgreSQL | SQLite |
//! |---|---|---|
//! | `t1` | heap and primary key | rows by their number |
//! | `t2` | an index that covers the value: reads need no heap | rows in the key's tree |
//! | `t3` | heap and hash index | as `t1`; the workload takes it into memory |
//! | `t4` | as `t1`, to be read through the service's rowstore | as `t1`, to be read so |

use crate::generate::schema::{Column, Index, Table, big, index, text};

/// The table that says what was loaded.
pub const METADATA: &str = "lookup_metadata";

const COLUMNS: &[Column] = &[big("key").required(), text("value").required()];

const KEY: &[&str] = &["key"];

pub(super) const T1: Table = Table::new("t1", COLUMNS, KEY);

pub(super) const T2: Table = Table {
    sqlite_key: KEY,
    in_key: true,
    ..Table::new("t2", COLUMNS, &[]).indexed(&[Index {
        unique: true,
        postgres_only: true,
        ..index("t2_cov", "(key) INCLUDE (value)")
    }])
};

pub(super) const T3: Table = Table {
    sqlite_key: KEY,
    ..Table::new("t3", COLUMNS, &[])
        .indexed(&[Index { postgres_only: true, ..index("t3_h", "USING hash (key)") }])
};

pub(super) const T4: Table = Table::new("t4", COLUMNS, KEY);
