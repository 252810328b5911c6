//! Payment transactions in the registry.

use std::sync::Arc;
use std::time::Duration;

use duet_bench::run::Prepared;
use duet_bench::workload::{self, Configured, Failed, Preset, Workload};
use duet_model::Result as DuetResult;
use duet_verdict::outcome::Outcome;

use super::commit::COMMIT;
use super::prepare::{BATCH_ROWS, prepare};
use super::{Facts, METADATA, PRESETS, Transactions, data_set};
use crate::built_in::{BuiltIn, Host, Request, Run, Targets};
use crate::flag::{Flag, FlagValues};
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

impl BuiltIn for Entry {
    fn name(&self) -> &'static str {
        "txn"
    }

    fn data(&self) -> Option<&'static dyn DataSource> {
        Some(&Self)
    }

    fn runs(&self) -> &'static [Run] {
        const RUNS: &[Run] = &[Run {
            name: "txn",
            targets: Targets::Both,
            timeout: Duration::from_secs(30),
            example: "--target postgres:///bench --preset payments",
            configurations: &[],
        }];
        RUNS
    }

    fn flags(&self) -> &'static [Flag] {
        &[BATCH_ROWS, COMMIT]
    }

    fn presets(&self) -> &'static [Preset] {
        &PRESETS
    }

    fn prepare(&self, request: &Request, host: &mut dyn Host) -> DuetResult<Prepared> {
        prepare(request, host)
    }

    fn configured(&self, facts: &str) -> serde_json::Result<Box<dyn Configured>> {
        Ok(Box::new(serde_json::from_str::<Facts>(facts)?))
    }
}

impl workload::Facts for Facts {
    const NAME: &'static str = "txn";

    fn renew(&mut self) -> workload::Local<'_, Result<(), Failed>> {
        self.run = Facts::new_run();
        Box::pin(std::future::ready(Ok(())))
    }

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        let workload = Transactions::new(self.clone());
        Ok(Arc::new(workload.map_err(|message| Failed::new(Outcome::Other, message))?))
    }
}
