//! Payment transactions in the registry.

use super::{METADATA, data_set};
use crate::flag::FlagValues;
use crate::generate::{DataSet, DataSource};

/// Payment transactions in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry;

impl DataSource for Entry {
    fn name(&self) -> &'static str {
        "txn"
    }

    fn metadata(&self) -> &'static str {
        METADATA
    }

    fn usual_scale(&self) -> f64 {
        10_000.0
    }

    fn takes(&self, scale: f64) -> bool {
        scale.fract() == 0.0 && (100.0..=1e8).contains(&scale)
    }

    fn scales(&self) -> &'static str {
        "Its scale is its number of rows: a whole number from 100 to 100000000."
    }

    fn scale_help(&self) -> &'static str {
        "the number of rows"
    }

    fn make(&self, scale: f64, seed: u64, _given: &FlagValues) -> DataSet {
        data_set(scale, seed)
    }
}
