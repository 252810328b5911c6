//! The registry entry of order entry.

use super::{METADATA, clock, data_set};
use crate::flag::{Flag, FlagValues, Values};
use crate::generate::{DataSet, DataSource};

/// The option for the end of the data's dates.
pub const UNTIL: Flag = Flag {
    name: "until",
    placeholder: "DATE",
    help: "The day before which the orders of five years end; today (in UTC) without the option",
    default: None,
    values: Values::Date,
};

/// The registry entry of order entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry;

impl DataSource for Entry {
    fn name(&self) -> &'static str {
        "soe"
    }

    fn metadata(&self) -> &'static str {
        METADATA
    }

    fn flags(&self) -> &'static [Flag] {
        &[UNTIL]
    }

    fn unrecorded(&self) -> FlagValues {
        FlagValues::default().with(&UNTIL, "2025-01-01")
    }

    fn make(&self, scale: f64, seed: u64, given: &FlagValues) -> DataSet {
        match given.day(&UNTIL) {
            Some(until) => data_set(scale, seed, until),
            None => {
                let until = clock::now().div_euclid(86_400);
                DataSet { unasked: vec!["UNTIL"], ..data_set(scale, seed, until) }
            }
        }
    }
}
