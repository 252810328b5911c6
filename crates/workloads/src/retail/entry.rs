//! Retail in the registry.

use std::sync::Arc;

use duet_bench::record::Outcome;
use duet_bench::workload::{Configured, Failed, Workload};
use serde_json::value::{RawValue, to_raw_value};

use super::{Facts, METADATA, Retail, data_set};
use crate::built_in::BuiltIn;
use crate::generate::{DataSet, Source};

/// Retail in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry;

impl Source for Entry {
    fn name(&self) -> &'static str {
        "retail"
    }

    fn metadata(&self) -> &'static str {
        METADATA
    }

    fn has_inventory(&self) -> bool {
        true
    }

    fn make(&self, scale: f64, seed: u64, inventory: bool) -> DataSet {
        data_set(scale, seed, inventory)
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
        let workload = Retail::new(self.clone());
        Ok(Arc::new(workload.map_err(|said| Failed::new(Outcome::Other, said))?))
    }

    fn json(&self) -> serde_json::Result<Box<RawValue>> {
        to_raw_value(self)
    }

    fn boxed(&self) -> Box<dyn Configured> {
        Box::new(self.clone())
    }
}
