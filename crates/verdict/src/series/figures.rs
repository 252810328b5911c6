//! The figures of one trial that comparisons between trials use.

use serde::{Deserialize, Serialize};

use crate::judge::{Better, one_of};
use crate::result::{RunResult, needed};
use crate::times;

/// The figures of a run. Times are response times in open runs, service times in closed ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialFigures {
    /// Completed per second.
    pub per_s: f64,
    /// Mean time, ms.
    pub mean_ms: f64,
    /// Median, ms.
    pub p50_ms: f64,
    /// 95th percentile, ms.
    pub p95_ms: f64,
    /// 99th percentile, ms; absent with too few samples.
    pub p99_ms: Option<f64>,
    /// Processor time of the load generator, µs per transaction.
    pub client_us: f64,
    /// Processor time of the server, µs per transaction, if observed.
    pub server_us: Option<f64>,
    /// Commits per second as counted by the workload, including auto-committed statements.
    pub commits_per_s: f64,
    /// Bytes sent and received per transaction.
    pub bytes_each: f64,
    /// Bandwidth sent and received, in Mbit/s.
    pub mbit_per_s: f64,
    /// The share of failed transactions.
    pub failed_share: f64,
    /// The number of samples of the percentiles.
    #[serde(default)]
    pub samples: u64,
    /// The number of transactions that the throughput was counted from; 0 where it was not kept.
    #[serde(default)]
    pub counted: u64,
}

/// A figure that is judged.
pub(super) struct VerdictFigure {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) better: Better,
    /// The figure; not positive where a trial lacks it.
    pub(super) of: fn(&TrialFigures) -> f64,
    /// The smallest change that two trials with these figures show, as a logarithm.
    pub(super) step: fn([&TrialFigures; 2]) -> f64,
}

/// The judged figures, in order.
pub(super) const VERDICT_FIGURES: [VerdictFigure; 5] = [
    VerdictFigure {
        name: "throughput",
        unit: "/s",
        better: Better::Higher,
        of: |it| it.per_s,
        step: |both| both.map(|it| one_of(it.counted)).iter().sum(),
    },
    VerdictFigure {
        name: "p50",
        unit: "ms",
        better: Better::Lower,
        of: |it| it.of_enough(0.5, it.p50_ms),
        step: |both| largest(both.map(|it| it.p50_ms)),
    },
    VerdictFigure {
        name: "p95",
        unit: "ms",
        better: Better::Lower,
        of: |it| it.of_enough(0.95, it.p95_ms),
        step: |both| largest(both.map(|it| it.p95_ms)),
    },
    VerdictFigure {
        name: "p99",
        unit: "ms",
        better: Better::Lower,
        of: |it| it.p99_ms.unwrap_or(f64::NAN),
        step: |both| largest(both.map(|it| it.p99_ms.unwrap_or_default())),
    },
    VerdictFigure {
        name: "client processor time each",
        unit: "µs",
        better: Better::Lower,
        of: |it| it.client_us,
        step: |_| 0.0,
    },
];

/// The larger step of two times in milliseconds: both are rounded in the same direction.
fn largest(ms: [f64; 2]) -> f64 {
    ms.map(|ms| times::step(ms * 1e3)).into_iter().fold(0.0, f64::max)
}

impl TrialFigures {
    /// The figures of a run.
    pub fn of(result: &RunResult) -> Self {
        let totals = &result.totals;
        let times = if result.is_open() { &totals.response } else { &totals.service };
        let all = (totals.completed + totals.failed).max(1) as f64;
        let seconds = result.window.measured_s;
        let per_s = |count: f64| if seconds > 0.0 { count / seconds } else { 0.0 };
        let ended_per_s = per_s((totals.completed_in_window + totals.failed_in_window) as f64);
        // Counts are of transactions due in the window, rates of those that ended in it.
        let each = |count: u64| count as f64 / all;
        let bytes = each(totals.sent_bytes + totals.received_bytes);
        let ms = |micros: u64| micros as f64 / 1e3;
        Self {
            per_s: per_s(totals.completed_in_window as f64),
            mean_ms: times.mean_us / 1e3,
            p50_ms: ms(times.p50_us),
            p95_ms: ms(times.p95_us),
            p99_ms: times.p99_us.map(ms),
            client_us: result.client.cpu_us_per_transaction,
            server_us: server_us(result),
            commits_per_s: each(totals.dml.commits + totals.implicit_commits) * ended_per_s,
            bytes_each: bytes,
            mbit_per_s: bytes * 8.0 / 1e6 * ended_per_s,
            failed_share: result.failed_share(),
            samples: times.count,
            counted: totals.completed_in_window,
        }
    }

    /// A percentile with at least ten samples beyond it; otherwise NaN.
    fn of_enough(&self, quantile: f64, ms: f64) -> f64 {
        if self.samples >= needed(quantile) { ms } else { f64::NAN }
    }
}

/// The processor time of the server's and PostgreSQL's processes in the measured seconds.
fn server_us(result: &RunResult) -> Option<f64> {
    let (mut busy_s, mut done) = (0.0, 0);
    for second in result.measured() {
        let of = |name: &str| second.observed.get(name).copied();
        let percent = match (of("server.cpu"), of("postgres.cpu")) {
            (None, None) => continue,
            (server, postgres) => server.unwrap_or(0.0) + postgres.unwrap_or(0.0),
        };
        busy_s += percent / 100.0;
        done += second.completed;
    }
    (done > 0).then(|| busy_s * 1e6 / done as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_figures_from_a_run() {
        let mut result = RunResult::default();
        result.window.measured_s = 2.0;
        result.totals.completed = 1_000;
        result.totals.completed_in_window = 1_000;
        result.totals.sent_bytes = 100_000;
        result.totals.received_bytes = 400_000;
        result.totals.dml.commits = 300;
        result.totals.implicit_commits = 200;
        result.totals.service.p95_us = 2_500;
        result.totals.response.p95_us = 9_000;
        for (at_s, cpu) in [(0, None), (1, Some(50.0))] {
            let mut second = crate::result::Second {
                at_s,
                phase: "measure".into(),
                completed: 500,
                ..crate::result::Second::default()
            };
            second.observed.extend(cpu.map(|cpu| ("server.cpu".to_owned(), cpu)));
            result.seconds.push(second);
        }
        let figures = TrialFigures::of(&result);
        assert_eq!((figures.per_s, figures.p95_ms, figures.p99_ms), (500.0, 2.5, None));
        assert_eq!((figures.bytes_each, figures.mbit_per_s), (500.0, 2.0));
        assert_eq!((figures.commits_per_s, figures.server_us), (250.0, Some(1_000.0)));
        assert!(figures.of_enough(0.5, 1.0).is_nan(), "no time was recorded");
        result.totals.service.count = 199;
        let [median, p95] = [0.5, 0.95].map(|it| TrialFigures::of(&result).of_enough(it, 2.5));
        assert!(median == 2.5 && p95.is_nan());
        result.load.model = "open".into();
        assert_eq!(TrialFigures::of(&result).p95_ms, 9.0);
    }
}
