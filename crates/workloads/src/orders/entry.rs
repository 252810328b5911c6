//! Purchase orders in the registry.

use std::sync::Arc;
use std::time::Duration;

use duet_bench::run::Prepared;
use duet_bench::workload::{Configured, Failed, Preset, Workload, WorkloadFacts, Local};
use duet_model::Result as DuetResult;

use super::prepare::{IN_ORDER, TENANT, TOTAL_RECORDS, prepare};
use super::{Facts, Orders, PRESETS};
use crate::built_in::{BuiltIn, Host, Request, Run, Targets};
use crate::flag::Flag;

/// Purchase orders in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry;

impl BuiltIn for Entry {
    fn name(&self) -> &'static str {
        "orders"
    }

    fn runs(&self) -> &'static [Run] {
        const RUNS: &[Run] = &[Run {
            name: "orders",
            targets: Targets::Both,
            timeout: Duration::from_secs(30),
            example: "--target http://127.0.0.1:8080/orders-storage --users 20 --ramp-up 20s",
            configurations: &[],
        }];
        RUNS
    }

    fn flags(&self) -> &'static [Flag] {
        &[IN_ORDER, TENANT, TOTAL_RECORDS]
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
    const NAME: &'static str = "orders";

    fn renew(&mut self) -> Local<'_, Result<(), Failed>> {
        self.run = Facts::new_run();
        Box::pin(std::future::ready(Ok(())))
    }

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        Ok(Arc::new(Orders::new(self.clone())))
    }
}
