//! The registry entry of reads by key.

use std::sync::Arc;
use std::time::Duration;

use duet_bench::run::Prepared;
use duet_bench::workload::{self, Configured, Failed, Workload};
use duet_model::Result as DuetResult;

use super::prepare::VIA;
use super::{Facts, Lookup, METADATA, data_set, prepare};
use crate::built_in::{BuiltIn, Host, Request, Run, Targets};
use crate::flag::{Flag, FlagValues};
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

impl BuiltIn for Entry {
    fn name(&self) -> &'static str {
        "lookup"
    }

    fn data(&self) -> Option<&'static dyn DataSource> {
        Some(&Self)
    }

    fn runs(&self) -> &'static [Run] {
        const RUNS: &[Run] = &[Run {
            name: "lookup",
            targets: Targets::Both,
            timeout: Duration::from_secs(30),
            example: "--target postgres:///bench --mix T1=1,T2=1",
            configurations: &[],
        }];
        RUNS
    }

    fn flags(&self) -> &'static [Flag] {
        &[VIA]
    }

    fn prepare(&self, request: &Request, host: &mut dyn Host) -> DuetResult<Prepared> {
        prepare(request, host)
    }

    fn configured(&self, facts: &str) -> serde_json::Result<Box<dyn Configured>> {
        Ok(Box::new(serde_json::from_str::<Facts>(facts)?))
    }
}

impl workload::Facts for Facts {
    const NAME: &'static str = "lookup";

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        Ok(Arc::new(Lookup::new(self.clone())))
    }
}
