//! The registry entry of retail.

use super::{METADATA, data_set};
use crate::flag::{Flag, FlagValues, Values};
use crate::generate::{DataSet, DataSource};

/// The option for the table of inventories.
const INVENTORY: Flag = Flag {
    name: "inventory",
    placeholder: "",
    help: "Load the table `inventory` too",
    default: None,
    values: Values::Switch,
};

/// The registry entry of retail.
#[derive(Clone, Copy, Debug)]
pub struct Entry;

impl DataSource for Entry {
    fn name(&self) -> &'static str {
        "retail"
    }

    fn metadata(&self) -> &'static str {
        METADATA
    }

    fn flags(&self) -> &'static [Flag] {
        &[INVENTORY]
    }

    fn make(&self, scale: f64, seed: u64, given: &FlagValues) -> DataSet {
        data_set(scale, seed, given.is_on(&INVENTORY))
    }
}
