//! Reads by key as a built-in workload: its runs and options.

use std::sync::Arc;
use std::time::Duration;

use duet_bench::run::Prepared;
use duet_bench::workload::{Configured, Failed, Workload, WorkloadFacts};
use duet_model::Result as DuetResult;

use super::entry::Entry;
use super::prepare::VIA;
use super::{Facts, Lookup, prepare};
use crate::built_in::{BuiltIn, Host, Request, Run, Targets};
use crate::flag::Flag;
use crate::generate::DataSource;

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

impl WorkloadFacts for Facts {
    const NAME: &'static str = "lookup";

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        Ok(Arc::new(Lookup::new(self.clone())))
    }
}
