//! Retail as a built-in workload: its runs and options.

use std::sync::Arc;

use duet_bench::run::Prepared;
use duet_bench::workload::{Configured, Failed, Workload, WorkloadFacts};
use duet_model::Result as DuetResult;
use duet_verdict::outcome::Outcome;

use super::entry::Entry;
use super::prepare::{MODE, PASSES, TIMEOUT, prepare};
use super::{Facts, Retail};
use crate::built_in::{BuiltIn, Host, Request, Run, Targets};
use crate::flag::Flag;
use crate::generate::DataSource;

impl BuiltIn for Entry {
    fn name(&self) -> &'static str {
        "retail"
    }

    fn data(&self) -> Option<&'static dyn DataSource> {
        Some(&Self)
    }

    fn runs(&self) -> &'static [Run] {
        const RUNS: &[Run] = &[Run {
            name: "retail",
            targets: Targets::Databases,
            timeout: TIMEOUT,
            example: "--mode power --target sqlite:retail.db",
            configurations: &["tpcds_like_workload"],
        }];
        RUNS
    }

    fn flags(&self) -> &'static [Flag] {
        &[MODE, PASSES]
    }

    fn prepare(&self, request: &Request, host: &mut dyn Host) -> DuetResult<Prepared> {
        prepare(request, host)
    }

    fn configured(&self, facts: &str) -> serde_json::Result<Box<dyn Configured>> {
        Ok(Box::new(serde_json::from_str::<Facts>(facts)?))
    }
}

impl WorkloadFacts for Facts {
    const NAME: &'static str = "retail";

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        let workload = Retail::new(self.clone());
        Ok(Arc::new(workload.map_err(|message| Failed::new(Outcome::Other, message))?))
    }
}
