//! Ingest in the registry.

use std::sync::Arc;
use std::time::Duration;

use duet_bench::run::Prepared;
use duet_bench::workload::{Configured, Failed, Preset, Workload, WorkloadFacts, Local};
use duet_model::Result as DuetResult;
use duet_verdict::outcome::Outcome;

use super::prepare::{INGEST_ROWS, prepare};
use super::{Facts, Ingest, PRESETS};
use crate::built_in::{BuiltIn, Host, Request, Run, Targets};
use crate::flag::Flag;

/// Ingest in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry;

impl BuiltIn for Entry {
    fn name(&self) -> &'static str {
        "ingest"
    }

    fn runs(&self) -> &'static [Run] {
        const RUNS: &[Run] = &[Run {
            name: "ingest",
            targets: Targets::Both,
            timeout: Duration::from_secs(30),
            example: "--target postgres:///bench --users 4",
            configurations: &[],
        }];
        RUNS
    }

    fn flags(&self) -> &'static [Flag] {
        &[INGEST_ROWS]
    }

    fn presets(&self) -> &'static [Preset] {
        &PRESETS
    }

    fn takes_service(&self) -> bool {
        true
    }

    fn prepare(&self, request: &Request, host: &mut dyn Host) -> DuetResult<Prepared> {
        prepare(request, host)
    }

    fn configured(&self, facts: &str) -> serde_json::Result<Box<dyn Configured>> {
        Ok(Box::new(serde_json::from_str::<Facts>(facts)?))
    }
}

impl WorkloadFacts for Facts {
    const NAME: &'static str = "ingest";

    fn renew(&mut self) -> Local<'_, Result<(), Failed>> {
        self.run = Facts::new_run();
        Box::pin(std::future::ready(Ok(())))
    }

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        let workload = Ingest::new(self.clone());
        Ok(Arc::new(workload.map_err(|message| Failed::new(Outcome::Other, message))?))
    }
}
