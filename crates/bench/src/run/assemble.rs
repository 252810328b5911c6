//! From what processes told to the result.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::collect::{Collector, Merged};
use super::figures;
use super::plan::{Model, Plan};
use super::process::{Ended, peak_memory};
use crate::record::{FailureKey, Outcome, Tally, Totals, pack};
use crate::result::{
    ClientHealth, FailureRow, Invariant, LoadFacts, Percentiles, ProcessResult, Reconnects,
    RunResult, TypeResult, VERSION, Window,
};
use crate::workload::Kind;

/// A process that uses more of a processor than this may itself have been the limit.
const BUSY: f64 = 0.8;

/// Sums over trailing seconds.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    last: VecDeque<u64>,
    /// Transactions of the last 60 seconds ("TPM").
    pub tpm: u64,
    /// The largest of these ("Maximum Transactions/min").
    pub max_tpm: u64,
    /// Transactions of the last second ("TPS").
    pub tps: u64,
}

impl Rates {
    /// Adds a second.
    pub fn add(&mut self, completed: u64) {
        self.tps = completed;
        self.tpm += completed;
        self.last.push_back(completed);
        if self.last.len() > 60 {
            self.tpm -= self.last.pop_front().unwrap_or(0);
        }
        self.max_tpm = self.max_tpm.max(self.tpm);
    }
}

/// What must be known of a run beside what its processes tell.
#[derive(Clone, Debug)]
pub struct Assembly {
    plan: Plan,
    kinds: Vec<Kind>,
    rates: Rates,
    busiest: f64,
    seconds: u64,
}

impl Assembly {
    /// Of a run of this plan, with these types.
    pub fn new(plan: &Plan, kinds: &[Kind]) -> Self {
        Self {
            plan: plan.clone(),
            kinds: kinds.to_vec(),
            rates: Rates::default(),
            busiest: 0.0,
            seconds: 0,
        }
    }

    /// Takes a second into account.
    pub fn second(&mut self, merged: &Merged) -> &Rates {
        self.rates.add(merged.all.completed());
        self.seconds = self.seconds.max(merged.second + 1);
        // Each process has one thread that drives, unless its users hold threads.
        let share = merged.cpu.as_secs_f64() / f64::from(self.plan.processes);
        self.busiest = self.busiest.max(share.min(1.0));
        &self.rates
    }

    /// The result, but for what is known of target and host.
    pub fn result(
        &self,
        collector: &mut Collector,
        logon: Duration,
        interrupted: bool,
    ) -> RunResult {
        let totals = collector.totals().clone();
        let window = self.window(&totals, logon, interrupted);
        let measured = window.measured_s;
        let mut all = Tally::default();
        totals.kinds.iter().for_each(|tally| all.add(tally));
        let unsent: u64 = collector.ended().iter().map(|ended| ended.unsent).sum();
        let mut result = RunResult {
            version: VERSION,
            tool: format!("duet {}", env!("CARGO_PKG_VERSION")),
            load: self.load(),
            totals: self.totals(&totals, &all, measured, unsent),
            types: self.types(&totals),
            processes: self.processes(collector, measured),
            failures: self.failures(&totals),
            checks: collector.checks(),
            client: self.client(collector, &all),
            window,
            ..RunResult::default()
        };
        self.answers(&mut result, collector);
        result.figures = figures::of(&self.plan, &result, &totals);
        result.warnings = self.warnings(&result, collector);
        result
    }

    fn window(&self, totals: &Totals, logon: Duration, interrupted: bool) -> Window {
        let mut measured = self.plan.phases.measured();
        if self.plan.uncounted > 0 {
            measured.from = totals.first_begin.unwrap_or(measured.from);
        }
        let to = match (interrupted, measured.to) {
            (false, Some(to)) if self.plan.iterations.is_none() => to,
            (_, Some(to)) => totals.last_end.min(to),
            (_, None) => totals.last_end,
        };
        let ended_by = match () {
            () if interrupted => "interrupted",
            () if self.plan.transactions.is_some() => "transactions",
            () if self.plan.iterations.is_some() => "iterations",
            () => "duration",
        };
        Window {
            from_s: measured.from.as_secs_f64(),
            measured_s: to.saturating_sub(measured.from).as_secs_f64(),
            total_s: self.seconds as f64,
            ended_by: ended_by.into(),
            logon_s: logon.as_secs_f64(),
        }
    }

    fn load(&self) -> LoadFacts {
        let plan = &self.plan;
        let ms = |length: Duration| length.as_secs_f64() * 1000.0;
        let (model, rate, arrivals) = match &plan.model {
            Model::Closed => ("closed", None, None),
            Model::Open { rate, poisson, steps } => (
                "open",
                Some(mean_rate(steps).unwrap_or(*rate)),
                Some(if *poisson { "poisson" } else { "constant" }),
            ),
        };
        let options = match &plan.model {
            Model::Open { steps, .. } if !steps.is_empty() => {
                let steps = steps.iter().map(|(rate, seconds)| format!("{rate}:{seconds}"));
                [("steps".to_owned(), steps.collect::<Vec<_>>().join(","))].into()
            }
            _ => BTreeMap::new(),
        };
        LoadFacts {
            model: model.into(),
            users: plan.users,
            layout: format!("{}x{}", plan.processes, plan.users / plan.processes),
            rate_per_s: rate,
            arrivals: arrivals.map(str::to_owned),
            think_ms: plan.think.map(ms),
            think_inside_ms: plan.think_inside.map(ms),
            pacing_ms: plan.pacing.map(ms),
            ramp_up_s: plan.phases.ramp_up.as_secs_f64(),
            warm_up_s: plan.phases.warm_up.as_secs_f64(),
            cool_down_s: plan.phases.cool_down.as_secs_f64(),
            seed: plan.seed,
            mix: (self.kinds.iter().filter(|kind| kind.weight > 0.0))
                .map(|kind| (kind.short.clone(), kind.weight))
                .collect(),
            options,
        }
    }

    fn totals(
        &self,
        totals: &Totals,
        all: &Tally,
        measured_s: f64,
        unsent: u64,
    ) -> crate::result::Totals {
        let (completed, failed) = (all.completed(), all.failed());
        let per_second =
            |count: u64| if measured_s > 0.0 { count as f64 / measured_s } else { 0.0 };
        let is_open = matches!(self.plan.model, Model::Open { .. });
        crate::result::Totals {
            completed,
            failed,
            tps: per_second(completed),
            throughput_per_s: per_second(completed + failed),
            max_tpm: self.rates.max_tpm,
            outcomes: by_outcome(&all.outcomes),
            offered: is_open.then_some(completed + failed + unsent),
            late: totals.late,
            unsent,
            service: Percentiles::of(&all.service),
            response: Percentiles::of(&all.response),
            lag: Percentiles::of(&totals.lag),
            lag_histogram: pack(&totals.lag),
            sent_bytes: all.work.sent,
            received_bytes: all.work.received,
            round_trips: all.work.round_trips,
            dml: all.work.dml,
            implicit_commits: all.work.implicit,
            reconnects: Reconnects {
                opened: all.work.connects,
                failed: all.work.connects_failed,
                connecting_s: all.work.connecting.as_secs_f64(),
                backing_off_s: all.work.backing_off.as_secs_f64(),
            },
        }
    }

    fn types(&self, totals: &Totals) -> Vec<TypeResult> {
        let row = |(kind, tally): (&Kind, &Tally)| TypeResult {
            name: kind.name.clone(),
            short: kind.short.clone(),
            completed: tally.completed(),
            failed: tally.failed(),
            outcomes: by_outcome(&tally.outcomes),
            service: Percentiles::of(&tally.service),
            response: Percentiles::of(&tally.response),
            dml: tally.work.dml,
            round_trips: tally.work.round_trips,
            bytes: tally.work.sent + tally.work.received,
            service_histogram: pack(&tally.service),
            response_histogram: pack(&tally.response),
        };
        self.kinds.iter().zip(&totals.kinds).map(row).collect()
    }

    fn processes(&self, collector: &mut Collector, measured_s: f64) -> Vec<ProcessResult> {
        let row = |ended: &Ended| {
            let mut all = Tally::default();
            ended.totals.kinds.iter().for_each(|tally| all.add(tally));
            let completed = all.completed();
            ProcessResult {
                index: ended.share.process,
                users: self.plan.share(ended.share.process).users,
                completed,
                failed: all.failed(),
                tps: if measured_s > 0.0 { completed as f64 / measured_s } else { 0.0 },
                p95_us: all.service.value_at_quantile(0.95),
                cpu_s: ended.cost.cpu.as_secs_f64(),
                finished: true,
            }
        };
        let mut rows: Vec<ProcessResult> = collector.ended().iter().map(row).collect();
        rows.extend(collector.lost().iter().map(|(process, _)| ProcessResult {
            index: *process,
            users: self.plan.share(*process).users,
            ..ProcessResult::default()
        }));
        rows.sort_by_key(|row| row.index);
        rows
    }

    /// What was answered; processes that were answered differently do not agree.
    fn answers(&self, result: &mut RunResult, collector: &Collector) {
        let (answers, differ) = collector.answers();
        if self.plan.processes > 1 && !answers.is_empty() {
            let found = match differ.first() {
                None => format!("{} answers", answers.len()),
                Some(first) => format!("{} differ, such as {first}", differ.len()),
            };
            let name = "all processes were answered alike".into();
            result.invariants.push(Invariant { name, passed: differ.is_empty(), found });
        }
        result.answers = answers;
    }

    fn failures(&self, totals: &Totals) -> Vec<FailureRow> {
        let row = |((kind, outcome, said), count): (&FailureKey, &u64)| FailureRow {
            transaction: self.kinds.get(*kind).map(|kind| kind.name.clone()).unwrap_or_default(),
            outcome: outcome.name().into(),
            said: said.clone(),
            count: *count,
        };
        let mut rows: Vec<FailureRow> = totals.failures.iter().map(row).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.count));
        rows.truncate(100);
        rows
    }

    fn client(&self, collector: &mut Collector, all: &Tally) -> ClientHealth {
        let transactions: u64 = collector.totals().whole.iter().sum();
        let ended = collector.ended();
        let cpu: f64 = ended.iter().map(|ended| ended.cost.cpu.as_secs_f64()).sum();
        let memory = ended.iter().map(|ended| ended.cost.memory).max().unwrap_or(0);
        let memory = memory.max(peak_memory());
        ClientHealth {
            cpu_s: cpu,
            cpu_us_per_transaction: if transactions > 0 {
                cpu * 1e6 / transactions as f64
            } else {
                0.0
            },
            busiest_share: self.busiest,
            memory_mb: memory as f64 / 1e6,
            was_the_limit: self.busiest > BUSY && all.completed() > 0,
        }
    }

    fn warnings(&self, result: &RunResult, collector: &Collector) -> Vec<String> {
        let mut warnings = Vec::new();
        let totals = &result.totals;
        for (process, said) in collector.lost() {
            warnings.push(format!(
                "Process {process} was lost ({said}): its transactions are missing."
            ));
        }
        let panicked = collector.panicked();
        if panicked > 0 {
            warnings.push(format!(
                "A fault of the measuring side ended {panicked} of {} users: their last transactions are not counted, and the load was less than asked for.",
                self.plan.users
            ));
        }
        if result.window.ended_by == "interrupted" {
            warnings.push("The run was interrupted: this is what was measured until then.".into());
        }
        if totals.completed + totals.failed == 0 {
            warnings.push("Nothing began and ended within the measured time.".into());
        }
        if totals.failed > 0 {
            let share = 100.0 * totals.failed as f64 / (totals.completed + totals.failed) as f64;
            warnings.push(format!("{} transactions failed ({share:.2} %); they are in no time and no rate of success.", totals.failed));
        }
        if let Some(offered) = totals.offered {
            let achieved = (offered - totals.unsent) as f64 / offered.max(1) as f64;
            if achieved < 0.99 {
                warnings.push(format!(
                    "Overloaded: only {:.1} % of the offered transactions were begun in time; percentiles of response times grow with the length of such a run.",
                    achieved * 100.0
                ));
            }
        }
        if let Some(warning) = self.little(result) {
            warnings.push(warning);
        }
        warnings
    }

    /// Little's law: users = rate × (time in a transaction + think time). Where it does not hold, the
    /// measuring side lost time.
    fn little(&self, result: &RunResult) -> Option<String> {
        let closed = matches!(self.plan.model, Model::Closed);
        let timed = self.plan.iterations.is_none() && self.plan.pacing.is_none();
        if !closed || !timed || result.totals.completed < 1_000 || result.window.measured_s < 5.0 {
            return None;
        }
        let inside: Duration = self.plan.think_inside.iter().sum();
        if !inside.is_zero() {
            return None;
        }
        let think = self.plan.think.iter().sum::<Duration>().as_secs_f64() / 2.0;
        let busy = result.totals.throughput_per_s * (result.totals.service.mean_us / 1e6 + think);
        let share = busy / f64::from(self.plan.users);
        (share < 0.9).then(|| {
            format!(
                "By Little's law {:.1} of {} users were in a transaction or thinking: the measuring side lost {:.0} % of the time.",
                busy,
                self.plan.users,
                (1.0 - share) * 100.0
            )
        })
    }
}

/// The mean rate of steps; nothing where there are none.
fn mean_rate(steps: &[(f64, f64)]) -> Option<f64> {
    let length: f64 = steps.iter().map(|(_, seconds)| seconds).sum();
    let arrivals: f64 = steps.iter().map(|(rate, seconds)| rate * seconds).sum();
    (length > 0.0).then(|| arrivals / length)
}

fn by_outcome(counts: &[u64; Outcome::ALL.len()]) -> BTreeMap<String, u64> {
    let named = Outcome::ALL.iter().zip(counts).filter(|(_, count)| **count > 0);
    named.map(|(outcome, count)| (outcome.name().to_owned(), *count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_steps_is_their_mean() {
        assert_eq!(mean_rate(&[(50.0, 10.0), (350.0, 5.0)]), Some(150.0));
        assert_eq!(mean_rate(&[]), None);
    }

    #[test]
    fn the_most_of_a_minute() {
        let mut rates = Rates::default();
        (0..30).for_each(|_| rates.add(10));
        assert_eq!((rates.tps, rates.tpm, rates.max_tpm), (10, 300, 300));
        (0..60).for_each(|_| rates.add(2));
        assert_eq!((rates.tps, rates.tpm), (2, 120));
        // The largest window has 30 seconds of 10 and 30 of 2.
        assert_eq!(rates.max_tpm, 360);
    }
}
