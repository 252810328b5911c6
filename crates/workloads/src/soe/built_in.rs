//! Order entry as a built-in workload: its runs, options and presets.

use std::sync::Arc;
use std::time::Duration;

use duet_bench::run::Prepared;
use duet_bench::workload::{Configured, Failed, Local, Preset, Workload, WorkloadFacts};
use duet_model::Result as DuetResult;
use duet_verdict::outcome::Outcome;

use super::entry::Entry;
use super::prepare::{COMPAT, RETRIES, prepare};
use super::{Facts, PRESETS, Side, Soe, renew};
use crate::built_in::{BuiltIn, Host, Request, Run, Targets};
use crate::flag::Flag;
use crate::generate::DataSource;

impl BuiltIn for Entry {
    fn name(&self) -> &'static str {
        "soe"
    }

    fn data(&self) -> Option<&'static dyn DataSource> {
        Some(&Self)
    }

    fn runs(&self) -> &'static [Run] {
        const fn of(side: Side, example: &'static str) -> Run {
            Run {
                name: side.run_name(),
                targets: Targets::Databases,
                timeout: Duration::from_secs(30),
                example,
                configurations: match side {
                    Side::Client => &["soe_client_side", "soe_client_side_ac"],
                    Side::Server => &["soe_server_side_v1", "soe_server_side_v2"],
                    Side::Rest | Side::RestClient => &[],
                },
            }
        }
        const RUNS: &[Run] = &[
            of(Side::Client, "--target postgres:///bench --users 16"),
            of(Side::Server, ""),
            of(Side::Rest, ""),
            of(Side::RestClient, ""),
        ];
        RUNS
    }

    fn flags(&self) -> &'static [Flag] {
        &[COMPAT, RETRIES]
    }

    fn presets(&self) -> &'static [Preset] {
        &PRESETS
    }

    fn packages(&self) -> &'static [(&'static str, &'static str)] {
        const CLIENT: &str = Side::Client.run_name();
        const SERVER: &str = Side::Server.run_name();
        &[
            (".orderentryjdbc.", CLIENT),
            (".jdbctransactions.", CLIENT),
            (".orderentryplsql.", SERVER),
            (".plsqltransactions.", SERVER),
        ]
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
    const NAME: &'static str = "soe";

    fn renew(&mut self) -> Local<'_, Result<(), Failed>> {
        Box::pin(renew(self))
    }

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        let workload = Soe::new(self.clone());
        Ok(Arc::new(workload.map_err(|message| Failed::new(Outcome::Other, message))?))
    }
}
