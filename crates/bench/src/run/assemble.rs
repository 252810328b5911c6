//! Assembles the result from the processes' reports.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use duet_verdict::result::{
    ABORTED, ClientHealth, FailureRow, Invariant, LoadFacts, Percentiles, ProcessResult,
    Reconnects, RunResult, TypeResult, VERSION, Window,
};
use duet_verdict::text::{counted, duration};

use super::collect::{Collector, Merged};
use super::event::Ended;
use super::figures;
use super::plan::{Model, Plan};
use super::process::peak_memory;
use crate::record::{FailureKey, ProcessTotals, Tally, Unfinished};
use crate::workload::TransactionType;
use duet_verdict::outcome::Outcome;
use duet_verdict::times::{SparseTimes, pack, pack_some};

/// The CPU use of a process, as a share of one processor, above which it may have been the
/// bottleneck.
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

/// What ended a run before its plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A signal.
    Interrupted,
    /// A threshold that failed, as a sentence.
    Threshold(String),
}

/// Facts about a run besides its processes' reports.
#[derive(Clone, Debug)]
pub struct Assembly {
    plan: Plan,
    kinds: Vec<TransactionType>,
    rates: Rates,
    busiest: f64,
    seconds: u64,
}

impl Assembly {
    /// For a run of this plan, with these types.
    pub fn new(plan: &Plan, kinds: &[TransactionType]) -> Self {
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
        // Each process has one thread that drives the load, unless its users have threads of their
        // own.
        let share = merged.cpu.as_secs_f64() / f64::from(self.plan.processes);
        self.busiest = self.busiest.max(share.min(1.0));
        &self.rates
    }

    /// The result, without the facts about target and host.
    pub fn result(
        &self,
        collector: &mut Collector,
        logon: Duration,
        stopped: Option<&Stop>,
    ) -> RunResult {
        let totals = collector.totals().clone();
        let window = self.window(&totals, logon, stopped);
        let measured = window.measured_s;
        let mut all = Tally::default();
        totals.kinds.iter().for_each(|tally| all.add(tally));
        let mut result = RunResult {
            version: VERSION,
            tool: format!("duet {}", env!("CARGO_PKG_VERSION")),
            load: self.load(),
            totals: self.totals(&totals, &all, measured),
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
        if let Some(Stop::Threshold(why)) = stopped {
            result.warnings.insert(0, why.clone());
        }
        result
    }

    fn window(&self, totals: &ProcessTotals, logon: Duration, stopped: Option<&Stop>) -> Window {
        let mut measured = self.plan.phases.measured();
        if self.plan.uncounted > 0 {
            measured.from = totals.first_begin.unwrap_or(measured.from);
        }
        let ended_by = match () {
            () if stopped == Some(&Stop::Interrupted) => "interrupted",
            () if stopped.is_some() => ABORTED,
            () if self.plan.ends_by_groups() => "groups",
            () => self.limit(totals),
        };
        Window {
            from_s: measured.from.as_secs_f64(),
            measured_s: totals.until.saturating_sub(measured.from).as_secs_f64(),
            total_s: self.seconds as f64,
            ended_by: ended_by.into(),
            logon_s: logon.as_secs_f64(),
            grace_s: self.plan.grace().as_secs_f64(),
        }
    }

    /// The limit that ended the run, of several.
    fn limit(&self, totals: &ProcessTotals) -> &'static str {
        let plan = &self.plan;
        let is_reached = |most: u64| totals.begun >= most;
        match (plan.phases.measured().to, plan.transactions, plan.iterations) {
            (Some(to), ..) if totals.until >= to => "duration",
            (_, Some(most), _) if is_reached(most) => "transactions",
            (_, _, Some(_)) => "iterations",
            (_, Some(_), None) => "transactions",
            (_, None, None) => "duration",
        }
    }

    fn load(&self) -> LoadFacts {
        let plan = &self.plan;
        let ms = |length: Duration| length.as_secs_f64() * 1000.0;
        let (model, rate, arrivals) = match &plan.model {
            Model::Closed if plan.ends_by_groups() => ("groups", None, None),
            Model::Closed => ("closed", None, None),
            Model::Open { rate, poisson, steps } => (
                "open",
                Some(plan.mean_rate().or_else(|| mean_rate(steps)).unwrap_or(*rate)),
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
            timeout_s: Some(plan.timeout.as_secs_f64()),
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
        totals: &ProcessTotals,
        all: &Tally,
        measured_s: f64,
    ) -> duet_verdict::result::Totals {
        let per_second = |count: f64| if measured_s > 0.0 { count / measured_s } else { 0.0 };
        let [completed_in_window, failed_in_window] = ended(&totals.ended);
        let mut unfinished = Unfinished::default();
        totals.unfinished.iter().for_each(|it| unfinished.add(it));
        // A transaction that never began has no service time, but a wait.
        let mut waiting = unfinished.response.histogram().into_owned();
        let _ = waiting.add(&totals.unsent_waits);
        duet_verdict::result::Totals {
            completed: all.completed(),
            failed: all.failed(),
            unfinished: unfinished.count,
            completed_in_window,
            failed_in_window,
            tps: per_second(completed_in_window as f64),
            ended_per_s: per_second((completed_in_window + failed_in_window) as f64),
            under_way: per_second(totals.busy.as_secs_f64()),
            unanswered_s: totals.unanswered.as_secs_f64(),
            max_tpm: self.rates.max_tpm,
            outcomes: by_outcome(&all.outcomes),
            offered: Some(totals.offered),
            late: totals.late_by_client + totals.late_by_server,
            late_by_client: totals.late_by_client,
            late_by_server: totals.late_by_server,
            unsent: totals.unsent,
            backlog: totals.begun_after + totals.unsent,
            unsent_histogram: pack_some(&totals.unsent_waits),
            service: percentiles(&all.service, &unfinished.service),
            response: Percentiles::with_unfinished(&all.response.histogram(), &waiting),
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

    fn types(&self, totals: &ProcessTotals) -> Vec<TypeResult> {
        let row = |(place, (kind, tally)): (usize, (&TransactionType, &Tally))| {
            let [completed_in_window, failed_in_window] = ended(&totals.ended[place..=place]);
            let unfinished = &totals.unfinished[place];
            TypeResult {
                name: kind.name.clone(),
                short: kind.short.clone(),
                completed: tally.completed(),
                failed: tally.failed(),
                unfinished: unfinished.count,
                completed_in_window,
                failed_in_window,
                outcomes: by_outcome(&tally.outcomes),
                service: percentiles(&tally.service, &unfinished.service),
                response: percentiles(&tally.response, &unfinished.response),
                dml: tally.work.dml,
                round_trips: tally.work.round_trips,
                bytes: tally.work.sent + tally.work.received,
                service_histogram: pack(&tally.service.histogram()),
                response_histogram: pack(&tally.response.histogram()),
                unfinished_service_histogram: unfinished.service.pack(),
                unfinished_response_histogram: unfinished.response.pack(),
            }
        };
        self.kinds.iter().zip(&totals.kinds).enumerate().map(row).collect()
    }

    fn processes(&self, collector: &mut Collector, measured_s: f64) -> Vec<ProcessResult> {
        let row = |ended: &Ended| {
            let totals = &ended.totals;
            let (mut all, mut unfinished) = (Tally::default(), Unfinished::default());
            totals.kinds.iter().for_each(|tally| all.add(tally));
            totals.unfinished.iter().for_each(|it| unfinished.add(it));
            let [in_window, _] = self::ended(&totals.ended);
            ProcessResult {
                index: ended.share.process,
                users: self.plan.share(ended.share.process).users,
                completed: all.completed(),
                failed: all.failed(),
                unfinished: unfinished.count,
                tps: if measured_s > 0.0 { in_window as f64 / measured_s } else { 0.0 },
                p95_us: percentiles(&all.service, &unfinished.service).p95_us,
                cpu_s: ended.cost.cpu.as_secs_f64(),
                finished: true,
                lost_users: ended.panicked,
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

    /// The answers by question; processes with different answers are reported.
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

    fn failures(&self, totals: &ProcessTotals) -> Vec<FailureRow> {
        let row =
            |((kind, outcome, message), [due, outside]): (&FailureKey, &[u64; 2])| FailureRow {
                transaction: self
                    .kinds
                    .get(*kind)
                    .map(|kind| kind.name.clone())
                    .unwrap_or_default(),
                outcome: outcome.name().into(),
                message: message.clone(),
                count: *due,
                outside: *outside,
            };
        FailureRow::most_frequent(totals.failures.iter().map(row))
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
            thread_share: ended.iter().map(|ended| ended.cost.thread_share).fold(0.0, f64::max),
            recording_share: ended.iter().map(|it| it.cost.recording_share).fold(0.0, f64::max),
            busiest_share: self.busiest,
            memory_mb: memory as f64 / 1e6,
            was_the_limit: false,
            was_held_up: false,
            was_busy: self.busiest > BUSY && all.completed() > 0,
        }
    }

    fn warnings(&self, result: &RunResult, collector: &Collector) -> Vec<String> {
        let mut warnings = Vec::new();
        let totals = &result.totals;
        for (process, message) in collector.lost() {
            warnings.push(format!(
                "Process {process} was lost ({message}): its transactions are missing."
            ));
        }
        let panicked = collector.panicked();
        if panicked > 0 {
            warnings.push(format!(
                "A fault of the load generator ended {panicked} of {}: their last transactions are not counted, and the load was less than asked for.",
                counted(self.plan.users.into(), "user")
            ));
        }
        if result.window.ended_by == "interrupted" {
            warnings.push("The run was interrupted: this is what was measured until then.".into());
        }
        if totals.completed + totals.failed == 0 {
            warnings.push("Nothing that was due in the measured time has ended.".into());
        }
        if totals.failed > 0 {
            let share = 100.0 * totals.failed as f64 / (totals.completed + totals.failed) as f64;
            let timed_out = totals.outcomes.get(Outcome::Timeout.name()).copied().unwrap_or(0);
            let times = match timed_out {
                0 => "they are excluded from latency and throughput".to_owned(),
                some => format!(
                    "they are excluded from throughput. The {some} that a timeout ended count in latency with the time that they waited: percentiles with ≥ lie among them"
                ),
            };
            warnings
                .push(format!("{} transactions failed ({share:.2} %); {times}.", totals.failed));
        }
        warnings.extend(failed_outside(result));
        warnings.extend(unfinished(result));
        if let Some(share) = result.overloaded() {
            warnings.push(format!(
                "Overloaded: only {:.1} % of the offered transactions began in the measured time; percentiles of response times grow with the length of such a run.",
                share * 100.0
            ));
        }
        warnings.extend(result.coarse());
        warnings.extend(result.lost_time());
        warnings.extend(result.short_silences());
        warnings
    }
}

/// The warning about transactions that failed and are not among those of the window.
fn failed_outside(result: &RunResult) -> Option<String> {
    let outside: u64 = result.failures.iter().map(|row| row.outside).sum();
    let words = "outside of the measured time: no rate, share or threshold counts them";
    (outside > 0).then(|| format!("{} failed {words}.", counted(outside, "transaction")))
}

/// The warning about transactions that were due in the window and did not end.
fn unfinished(result: &RunResult) -> Option<String> {
    let duet_verdict::result::Totals { unfinished, unsent, response, .. } = &result.totals;
    let at_least = duration(response.unfinished_from_us as f64);
    let words = match (unfinished, unsent) {
        (0, 0) => return None,
        (some, 0) => format!("{some} transactions due in the measured time were unfinished"),
        (0, some) => format!("{some} transactions due in the measured time never began"),
        (some, others) => format!(
            "{some} transactions due in the measured time were unfinished and {others} never began"
        ),
    };
    Some(format!(
        "{words} when the drain ended, after at least {at_least}. Percentiles with ≥ lie among them, and thresholds on those fail."
    ))
}

/// Completed and failed of outcomes by type.
fn ended(kinds: &[[u64; Outcome::ALL.len()]]) -> [u64; 2] {
    let (good, bad): (Vec<Outcome>, Vec<Outcome>) =
        Outcome::ALL.iter().partition(|outcome| outcome.is_success());
    [good, bad].map(|outcomes| {
        kinds.iter().flat_map(|kind| outcomes.iter().map(|it| kind[it.index()])).sum()
    })
}

/// The mean rate of steps; `None` without steps.
fn mean_rate(steps: &[(f64, f64)]) -> Option<f64> {
    let length: f64 = steps.iter().map(|(_, seconds)| seconds).sum();
    let arrivals: f64 = steps.iter().map(|(rate, seconds)| rate * seconds).sum();
    (length > 0.0).then(|| arrivals / length)
}

fn percentiles(ended: &SparseTimes, unfinished: &SparseTimes) -> Percentiles {
    Percentiles::with_unfinished(&ended.histogram(), &unfinished.histogram())
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
