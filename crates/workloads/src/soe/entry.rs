//! Order entry in the registry.

use std::sync::Arc;

use duet_bench::record::Outcome;
use duet_bench::workload::{Configured, Failed, Local, Workload};
use serde_json::value::{RawValue, to_raw_value};

use super::{Facts, METADATA, Soe, data_set, renew};
use crate::built_in::BuiltIn;
use crate::generate::{DataSet, Source};

/// Order entry in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry;

impl Source for Entry {
    fn name(&self) -> &'static str {
        "soe"
    }

    fn metadata(&self) -> &'static str {
        METADATA
    }

    fn make(&self, scale: f64, seed: u64, _inventory: bool) -> DataSet {
        data_set(scale, seed)
    }
}

impl BuiltIn for Entry {
    fn first_run(&self) -> &'static str {
        "soe-client"
    }

    fn configured(&self, facts: &str) -> serde_json::Result<Box<dyn Configured>> {
        Ok(Box::new(serde_json::from_str::<Facts>(facts)?))
    }
}

impl Configured for Facts {
    fn name(&self) -> &'static str {
        Entry.name()
    }

    fn renew(&mut self) -> Local<'_, Result<(), Failed>> {
        Box::pin(renew(self))
    }

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        let workload = Soe::new(self.clone());
        Ok(Arc::new(workload.map_err(|said| Failed::new(Outcome::Other, said))?))
    }

    fn json(&self) -> serde_json::Result<Box<RawValue>> {
        to_raw_value(self)
    }

    fn boxed(&self) -> Box<dyn Configured> {
        Box::new(self.clone())
    }
}
