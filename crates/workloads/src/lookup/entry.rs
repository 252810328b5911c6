//! Reads by key in the registry.

use std::sync::Arc;

use duet_bench::workload::{Configured, Failed, Workload};
use serde_json::value::{RawValue, to_raw_value};

use super::{Facts, Lookup, METADATA, data_set};
use crate::built_in::BuiltIn;
use crate::generate::{DataSet, Source};

/// Reads by key in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry;

impl Source for Entry {
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

    fn make(&self, scale: f64, seed: u64, _inventory: bool) -> DataSet {
        data_set(scale, seed)
    }
}

impl BuiltIn for Entry {
    fn configured(&self, facts: &str) -> serde_json::Result<Box<dyn Configured>> {
        Ok(Box::new(serde_json::from_str::<Facts>(facts)?))
    }
}

impl Configured for Facts {
    fn name(&self) -> &'static str {
        Entry.name()
    }

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        Ok(Arc::new(Lookup::new(self.clone())))
    }

    fn json(&self) -> serde_json::Result<Box<RawValue>> {
        to_raw_value(self)
    }

    fn boxed(&self) -> Box<dyn Configured> {
        Box::new(self.clone())
    }
}
