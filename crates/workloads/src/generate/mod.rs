//! Data sets for workloads: rows as a function of seed and scale, and their loading into a
//! database.
//!
//! [`random`], [`weighted`], [`permutation`] and [`words`] are the building blocks of rows; a
//! [`DataSet`] consists of tables ([`schema`]) with the functions that generate their rows;
//! [`load`] fills a database, [`validate`] checks one, [`state`] reads its metadata.

pub mod load;
pub mod moment;
pub mod permutation;
pub mod random;
pub mod schema;
pub mod sink;
pub mod state;
pub mod validate;
pub mod weighted;
pub mod words;

use std::fmt;
use std::ops::Range;

pub use schema::{Engine, Table};
pub use sink::RowSink;

use crate::flag::{Flag, FlagValues};

/// The version of the generator: it changes when the same seed gives other rows.
pub const GENERATOR: u32 = 1;

/// The default seed.
pub const SEED: u64 = 42;

/// Generates the rows of a range of a table's units.
pub type Make = Box<dyn Fn(Range<u64>, &mut dyn RowSink) + Send + Sync>;

/// A table and its rows.
pub struct Filled {
    /// The table.
    pub table: &'static Table,
    /// What rows are generated from, counted from 0: the rows themselves, orders for their items,
    /// baskets for their lines. Any range can be generated alone.
    pub units: u64,
    /// Rows of all units.
    pub rows: u64,
    /// Generates them, in the order of the primary key if there is one.
    pub make: Make,
}

impl Filled {
    /// A table with a row per unit.
    pub fn rows(
        table: &'static Table,
        rows: u64,
        make: impl Fn(u64, &mut dyn RowSink) + Send + Sync + 'static,
    ) -> Self {
        let make = move |range: Range<u64>, sink: &mut dyn RowSink| {
            for row in range {
                make(row, sink);
                sink.end_row();
            }
        };
        Self { table, units: rows, rows, make: Box::new(make) }
    }

    /// A range of units with about this many rows.
    pub fn units_for(&self, rows: u64) -> u64 {
        // Counts of rows are far below 2^64 / 10^6.
        (rows * self.units / self.rows.max(1)).max(1)
    }
}

impl fmt::Debug for Filled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} rows of {} units", self.table.name, self.rows, self.units)
    }
}

/// A rule of a loaded data set.
#[derive(Clone, Copy, Debug)]
pub struct DataRule {
    /// The rule, in words.
    pub name: &'static str,
    /// Counts the rows that violate it, on both stores; `{s}` is the prefix of table names.
    pub sql: &'static str,
}

/// Tables with their rows, and their further objects.
#[derive(Debug)]
pub struct DataSet {
    /// Its name, also that of PostgreSQL's schema.
    pub name: &'static str,
    /// The metadata table.
    pub metadata: &'static str,
    /// The scale.
    pub scale: f64,
    /// The seed.
    pub seed: u64,
    /// Other choices, as rows of the metadata: the name of the [flag](DataSource::flags) in capitals,
    /// and its value. A switch has `1` or `0`.
    pub choices: Vec<(&'static str, String)>,
    /// The choices that were not asked for and are others every day: a loaded data set may have any value of them.
    pub unasked: Vec<&'static str>,
    /// The tables, in the order of loading.
    pub tables: Vec<Filled>,
    /// Names and statements of views; `{s}` is the prefix of names.
    pub views: &'static [(&'static str, &'static str)],
    /// PostgreSQL's sequences and their next number.
    pub sequences: Vec<(&'static str, u64)>,
    /// Facts for workloads, as rows of the metadata.
    pub bounds: Vec<(&'static str, i64)>,
    /// Rules besides references.
    pub rules: &'static [DataRule],
}

impl DataSet {
    /// All rows.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// The key of a row of the metadata.
    pub fn metadata_key(&self, name: &str) -> String {
        format!("{}_{name}", self.name.to_uppercase())
    }
}

/// A data set that can be generated at any scale.
pub trait DataSource: fmt::Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The metadata table.
    fn metadata(&self) -> &'static str;

    /// The default scale.
    fn usual_scale(&self) -> f64 {
        0.1
    }

    /// Whether a scale is valid.
    fn takes(&self, scale: f64) -> bool {
        (0.000_1..=10_000.0).contains(&scale)
    }

    /// The valid scales, in a sentence.
    fn scales(&self) -> &'static str {
        "Scales go from 0.0001 to 10000; 1 is full size."
    }

    /// The meaning of the scale, for the help of `duet load`.
    fn scale_help(&self) -> &'static str {
        "1 is full size"
    }

    /// Its own options for `duet load`. A row of the metadata records each choice: see
    /// [`DataSet::choices`].
    fn flags(&self) -> &'static [Flag] {
        &[]
    }

    /// The options of loads whose metadata do not have them, because they were written before the options existed.
    fn unrecorded(&self) -> FlagValues {
        FlagValues::default()
    }

    /// The data set at a [valid](Self::takes) scale, with these options.
    fn make(&self, scale: f64, seed: u64, given: &FlagValues) -> DataSet;
}

/// `count` times the scale, rounded, at least one.
pub fn scaled(count: u64, scale: f64) -> u64 {
    ((count as f64 * scale).round() as u64).max(1)
}
