//! The registry entry of reads by key.

use super::{METADATA, data_set};
use crate::flag::FlagValues;
use crate::generate::{DataSet, DataSource};

/// The registry entry of reads by key.
#[derive(Clone, Copy, Debug)]
pub struct Entry;

impl DataSource for Entry {
    fn name(&self) -> &'static str {
        "lookup"
    }

    fn metadata(&self) -> &'static str {
        METADATA
    }

    fn usual_scale(&self) -> f64 {
        100_000.0
    }

    fn takes(&self, scale: f64) -> bool {
        scale.fract() == 0.0 && (1.0..=1e9).contains(&scale)
    }

    fn scales(&self) -> &'static str {
        "Its scale is its number of rows: a whole number up to 1000000000."
    }

    fn scale_help(&self) -> &'static str {
        "the number of rows"
    }

    fn make(&self, scale: f64, seed: u64, _given: &FlagValues) -> DataSet {
        data_set(scale, seed)
    }
}
