//! A run of the bench against a test server: prepared, in progress, and measured.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_verdict::outcome::Outcome;
use duet_verdict::result::RunResult;

use super::server::{Log, Manner, Server};
use crate::run::{Assembly, ChildProcesses, Job, Plan, Ready, Running, prepare};
use crate::workload::{Failed, rest};

/// A run with its server's log.
pub(super) struct Measured {
    pub(super) result: RunResult,
    pub(super) log: Log,
    pub(super) origin: Instant,
}

/// A server, and a run whose users are connected to it.
pub(super) struct PreparedRun {
    pub(super) server: Server,
    pub(super) ready: Ready,
    pub(super) assembly: Assembly,
}

/// The same, in progress.
pub(super) struct StartedRun {
    pub(super) server: Server,
    pub(super) running: Running,
    pub(super) assembly: Assembly,
    pub(super) logon: Duration,
}

impl PreparedRun {
    pub(super) fn ready(plan: &Plan, manner: Manner) -> Result<Self, Failed> {
        let server = Server::start(manner).map_err(|error| {
            Failed::new(Outcome::Other, format!("the test server cannot be started: {error}"))
        })?;
        let job = Job::built_in(rest::RestFacts {
            url: format!("http://{}/", server.address),
            authorization: None,
            items: vec!["/".into()],
            is_collection: false,
            is_duet: false,
            content_type: "application/json".into(),
            changeable: None,
            key: None,
            weights: [1.0, 0.0, 0.0, 0.0],
            timeout: plan.timeout,
        });
        let kinds = job.workload()?.kinds().to_vec();
        // The run has one process, this one: no other is started or stopped.
        let ready =
            prepare(plan, &job, &ChildProcesses(|| Command::new("false")), &Arc::default())?;
        Ok(Self { server, ready, assembly: Assembly::new(plan, &kinds) })
    }

    pub(super) fn go_at(self, origin: Instant) -> StartedRun {
        let Self { server, ready, assembly } = self;
        let logon = ready.logon;
        StartedRun { server, running: ready.go_at(origin), assembly, logon }
    }
}

impl StartedRun {
    pub(super) fn end(mut self) -> Result<Measured, Failed> {
        let origin = self.running.origin;
        while let Some(merged) = self.running.next_second() {
            self.assembly.second(&merged);
        }
        let result = self.assembly.result(&mut self.running.into_collector(), self.logon, None);
        Ok(Measured { result, log: self.server.finish(), origin })
    }

    /// The same, and no request may fail.
    pub(super) fn end_well(self) -> Result<Measured, Failed> {
        let measured = self.end()?;
        match measured.result.totals.failed {
            0 => Ok(measured),
            failed => Err(Failed::new(
                Outcome::Other,
                format!("{failed} requests failed: {:?}", measured.result.failures),
            )),
        }
    }
}
