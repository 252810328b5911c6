//! Limits that decide whether a run passes: `p99<20ms`, `errors<=1%`, `tps>=1000`.

use std::str::FromStr;

use crate::result::{CheckRow, PART, Percentiles, RunResult, Threshold, TypeResult, needed};
use crate::text::{counted, figure};

/// A limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    text: String,
    /// The short name of the transaction type; `None` for all types.
    kind: Option<String>,
    metric: Metric,
    comparison: Comparison,
    /// Microseconds, percent, or a plain number.
    bound: f64,
    /// The rule's unit, to show the measured value.
    unit: f64,
}

/// The figure that a limit is on, for exports that keep limits beside their figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Service times, or response times.
    Times {
        /// Whether they are response times.
        response: bool,
    },
    /// Completed transactions per second.
    Throughput,
    /// The share of failed transactions.
    Errors,
    /// The number of failed transactions.
    Failed,
    /// The number of transactions that never began or did not end.
    Unsent,
    /// The share of checks that held.
    Checks,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Metric {
    /// A time; a response time if true.
    Time(Time, bool),
    Tps,
    Errors,
    Failed,
    Unsent,
    /// The percentage of checks that held.
    Checks,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Time {
    Mean,
    Min,
    P50,
    P90,
    P95,
    P99,
    P99_9,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
}

/// Judges the thresholds of a result again, where more of its run has been counted since.
pub fn judge_again(result: &mut RunResult) {
    let rules = result.thresholds.iter().filter_map(|it| it.rule.parse::<Rule>().ok());
    let judged: Vec<Threshold> = rules.map(|rule| rule.judge(result)).collect();
    result.thresholds = judged;
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let at = text.find(['<', '>']).ok_or_else(|| wrong(text))?;
        let (left, right) = text.split_at(at);
        let (comparison, right) = match right {
            right if right.starts_with("<=") => (Comparison::LessOrEqual, &right[2..]),
            right if right.starts_with(">=") => (Comparison::MoreOrEqual, &right[2..]),
            right if right.starts_with('<') => (Comparison::Less, &right[1..]),
            right => (Comparison::More, &right[1..]),
        };
        let (kind, name) = match left.trim().split_once(':') {
            Some((kind, name)) => (Some(kind.to_owned()), name),
            None => (None, left.trim()),
        };
        let metric = metric(name).ok_or_else(|| wrong(text))?;
        let right = right.trim();
        let (bound, unit) =
            bound(right, metric).ok_or_else(|| match lacks_unit(right, metric) {
                true => without_unit(text),
                false => wrong(text),
            })?;
        Ok(Self { text: text.trim().into(), kind, metric, comparison, bound, unit })
    }
}

fn wrong(text: &str) -> String {
    format!(
        "{text:?} is no threshold; examples: p99<20ms, response.p99.9<=1s, OP:avg<5ms, errors<1%, checks>=99%, tps>=1000, unsent<=0"
    )
}

/// Whether a bound on times is a plain number.
fn lacks_unit(bound: &str, metric: Metric) -> bool {
    matches!(metric, Metric::Time(..)) && bound.parse::<f64>().is_ok_and(f64::is_finite)
}

fn without_unit(text: &str) -> String {
    let text = text.trim();
    format!(
        "The threshold {text:?} has no unit: write `us`, `ms` or `s` behind the number, as in {text}ms"
    )
}

fn metric(name: &str) -> Option<Metric> {
    let (name, response) = match name.strip_prefix("response.") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let time = match name {
        "avg" | "mean" => Time::Mean,
        "min" => Time::Min,
        "med" | "p50" => Time::P50,
        "p90" => Time::P90,
        "p95" => Time::P95,
        "p99" => Time::P99,
        "p99.9" => Time::P99_9,
        "max" => Time::Max,
        _ if response => return None,
        "tps" => return Some(Metric::Tps),
        "errors" => return Some(Metric::Errors),
        "failed" => return Some(Metric::Failed),
        "unsent" => return Some(Metric::Unsent),
        "checks" => return Some(Metric::Checks),
        _ => return None,
    };
    Some(Metric::Time(time, response))
}

/// The bound, and for a time its unit in microseconds.
fn bound(text: &str, metric: Metric) -> Option<(f64, f64)> {
    // One below 0 would always hold, or never.
    let fits = |number: &f64| number.is_finite() && *number >= 0.0;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(fits);
    match metric {
        Metric::Time(..) => {
            let units = [("ms", 1e3), ("us", 1.0), ("µs", 1.0), ("s", 1e6)];
            let unit =
                units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
            let micros = |(text, factor)| Some((number(text)? * factor, factor));
            unit.and_then(micros).filter(|(micros, _)| micros.is_finite())
        }
        Metric::Errors | Metric::Checks => {
            Some((number(text.strip_suffix('%').unwrap_or(text))?, 1.0))
        }
        _ => Some((number(text)?, 1.0)),
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.text)
    }
}

impl Rule {
    /// Checks that its type is one of these short names.
    ///
    /// # Errors
    /// A message for the user, if it is not.
    pub fn fits(&self, kinds: &[&str]) -> Result<(), String> {
        let known = |short: &String| kinds.iter().any(|kind| kind.eq_ignore_ascii_case(short));
        if self.kind.as_ref().is_none_or(known) {
            return Ok(());
        }
        Err(format!(
            "The threshold {} names an unknown type; the types are {}.",
            self.text,
            kinds.join(", ")
        ))
    }

    /// Judges a result. A limit that the result cannot decide fails, with the reason.
    pub fn judge(&self, result: &RunResult) -> Threshold {
        let measured = self.measured(result).map(|measured| measured / self.unit);
        let passed = self.holds(result).unwrap_or(false);
        let why = if measured.is_none() { self.undecided(result) } else { String::new() };
        let at_least = self.is_bound(result);
        Threshold { rule: self.text.clone(), measured, at_least, passed, why }
    }

    /// Whether it limits the failures of all types.
    pub fn is_of_failures(&self) -> bool {
        self.kind.is_none() && matches!(self.metric, Metric::Errors | Metric::Failed)
    }

    /// The figure that it is on.
    pub fn subject(&self) -> Subject {
        match self.metric {
            Metric::Time(_, response) => Subject::Times { response },
            Metric::Tps => Subject::Throughput,
            Metric::Errors => Subject::Errors,
            Metric::Failed => Subject::Failed,
            Metric::Unsent => Subject::Unsent,
            Metric::Checks => Subject::Checks,
        }
    }

    /// The short name of the type that it is on; `None` for all types.
    pub fn transaction(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Whether it limits the unsent arrivals.
    pub fn is_of_unsent(&self) -> bool {
        self.metric == Metric::Unsent
    }

    /// Whether it is on the p95 of all types: of response times in an open run. In a closed one both clocks are one.
    pub fn is_on_p95(&self, is_open: bool) -> bool {
        let of_clock = |response: bool| response || !is_open;
        let is_p95 = matches!(self.metric, Metric::Time(Time::P95, response) if of_clock(response));
        self.kind.is_none() && is_p95
    }

    /// Whether it is on the throughput of all types.
    pub fn is_on_throughput(&self) -> bool {
        self.bound_per_s().is_some()
    }

    /// The bound of a limit on times of all types, in microseconds.
    pub fn bound_us(&self) -> Option<f64> {
        let is_time = self.kind.is_none() && matches!(self.metric, Metric::Time(..));
        is_time.then_some(self.bound)
    }

    /// The bound of a limit on the rate of all types.
    pub fn bound_per_s(&self) -> Option<f64> {
        (self.kind.is_none() && self.metric == Metric::Tps).then_some(self.bound)
    }

    /// The unit of the measured value; empty for plain numbers.
    pub fn unit(&self) -> &'static str {
        match self.metric {
            Metric::Time(..) if self.unit >= 1e6 => "s",
            Metric::Time(..) if self.unit >= 1e3 => "ms",
            Metric::Time(..) => "µs",
            Metric::Tps => "/s",
            Metric::Errors | Metric::Checks => "%",
            Metric::Failed | Metric::Unsent => "",
        }
    }

    /// Why the result cannot decide the limit.
    fn undecided(&self, result: &RunResult) -> String {
        let is_response = matches!(self.metric, Metric::Time(_, true));
        let count = self.times(result, is_response).map_or(0, |times| times.count);
        match (self.metric, &self.kind) {
            (_, Some(kind)) if self.has_run(result) == Some(false) => {
                format!("no transaction of the type {kind} was due in the measured time")
            }
            (Metric::Checks, _) => "no check was made in the measured time".into(),
            _ if count == 0 => "no transaction succeeded".into(),
            _ => format!(
                "cannot be judged from {}: {} are needed, ten of them beyond the percentile",
                counted(count, "transaction"),
                self.samples()
            ),
        }
    }

    /// Whether transactions of its type were due in the measured time; `None` for a rule on all types.
    fn has_run(&self, result: &RunResult) -> Option<bool> {
        let short = self.kind.as_ref()?;
        let row = result.types.iter().find(|row| row.short.eq_ignore_ascii_case(short));
        // What began before the window and ended in it counts for throughput.
        let ran = |row: &TypeResult| {
            row.completed + row.failed + row.unfinished + row.completed_in_window > 0
        };
        Some(row.is_some_and(ran))
    }

    /// Whether the measured value is only a lower bound because of unfinished transactions.
    fn is_bound(&self, result: &RunResult) -> bool {
        let Metric::Time(time, response) = self.metric else { return false };
        self.times(result, response).is_some_and(|times| match time {
            // The mean includes every sample.
            Time::Mean => times.unfinished > 0,
            _ => of_time(times, time).is_some_and(|micros| times.is_bound(micros as u64)),
        })
    }

    /// Whether it holds; `None` if the result cannot decide. A limit on a lower bound never holds.
    pub fn holds(&self, result: &RunResult) -> Option<bool> {
        let measured = self.measured(result)?;
        if self.is_bound(result) {
            return Some(false);
        }
        Some(match self.comparison {
            Comparison::Less => measured < self.bound,
            Comparison::LessOrEqual => measured <= self.bound,
            Comparison::More => measured > self.bound,
            Comparison::MoreOrEqual => measured >= self.bound,
        })
    }

    /// The minimum number of transactions to decide it: ten samples beyond a percentile.
    pub fn samples(&self) -> u64 {
        match self.metric {
            Metric::Time(time, _) => time.samples(),
            _ => 1,
        }
    }

    fn times<'a>(&self, result: &'a RunResult, response: bool) -> Option<&'a Percentiles> {
        let (service, of_response) = match &self.kind {
            None => (&result.totals.service, &result.totals.response),
            Some(short) => {
                let row = result.types.iter().find(|row| row.short.eq_ignore_ascii_case(short))?;
                (&row.service, &row.response)
            }
        };
        Some(if response { of_response } else { service })
    }

    /// The measured value; times in microseconds. Transactions that were due and did not end count as failed and as unsent.
    /// `None` for a percentile without enough samples, and for a type that did not run.
    fn measured(&self, result: &RunResult) -> Option<f64> {
        if self.has_run(result) == Some(false) {
            return None;
        }
        let totals = &result.totals;
        let (in_window, completed, failed) = match &self.kind {
            None => {
                (totals.completed_in_window, totals.completed, totals.failed + totals.unfinished)
            }
            Some(short) => {
                let row = result.types.iter().find(|row| row.short.eq_ignore_ascii_case(short))?;
                (row.completed_in_window, row.completed, row.failed + row.unfinished)
            }
        };
        Some(match self.metric {
            Metric::Time(time, response) => of_time(self.times(result, response)?, time)?,
            Metric::Tps if result.window.measured_s > 0.0 => {
                in_window as f64 / result.window.measured_s
            }
            Metric::Tps => 0.0,
            Metric::Errors => 100.0 * failed as f64 / (completed + failed).max(1) as f64,
            Metric::Failed => failed as f64,
            Metric::Unsent => (totals.unsent + totals.unfinished) as f64,
            Metric::Checks => {
                let is_of = |row: &&CheckRow| match &self.kind {
                    None => true,
                    Some(short) => row.transaction.eq_ignore_ascii_case(short),
                };
                let rows = || result.checks.iter().filter(is_of);
                let sum = |of: fn(&CheckRow) -> u64| rows().map(of).sum::<u64>();
                let (passed, failed) = (sum(|row| row.passed), sum(|row| row.failed));
                if passed + failed == 0 {
                    return None;
                }
                100.0 * passed as f64 / (passed + failed) as f64
            }
        })
    }
}

impl Threshold {
    /// The measured value with its unit, or the reason why there is none.
    pub fn outcome_text(&self) -> String {
        // In a merged result the name of the part is in front.
        let rule = self.rule.rsplit(PART).next().unwrap_or_default();
        let unit = rule.parse::<Rule>().map_or("", |rule| rule.unit());
        let sign = if self.at_least { "≥ " } else { "" };
        match self.measured {
            Some(measured) => format!("{sign}{} {unit}", figure(measured)).trim_end().to_owned(),
            None if self.why.is_empty() => "too few samples".into(),
            None => self.why.clone(),
        }
    }
}

impl Time {
    /// The minimum number of samples.
    fn samples(self) -> u64 {
        match self {
            Self::Mean | Self::Min | Self::Max => 1,
            Self::P50 => needed(0.5),
            Self::P90 => needed(0.9),
            Self::P95 => needed(0.95),
            Self::P99 => needed(0.99),
            Self::P99_9 => needed(0.999),
        }
    }
}

fn of_time(times: &Percentiles, time: Time) -> Option<f64> {
    if times.count < time.samples() {
        return None;
    }
    Some(match time {
        Time::Mean => times.mean_us,
        Time::Min => times.min_us as f64,
        Time::P50 => times.p50_us as f64,
        Time::P90 => times.p90_us as f64,
        Time::P95 => times.p95_us as f64,
        Time::P99 => times.p99_us? as f64,
        Time::P99_9 => times.p99_9_us? as f64,
        Time::Max => times.max_us as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A limit on a percentile needs ten samples beyond it.
    #[test]
    fn a_percentile_of_few_samples_fails_its_limit() {
        for (limit, enough) in [
            ("p50<1s", 20),
            ("p90<1s", 100),
            ("p95<1s", 200),
            ("response.p95<1s", 200),
            ("p99<1s", 1_000),
            ("p99.9<1s", 10_000),
            ("max<1s", 1),
        ] {
            let passed = |count: u64| {
                let mut result = RunResult::default();
                let micros = Some(1);
                let known = |needed: u64| micros.filter(|_| count >= needed);
                result.totals.service = Percentiles {
                    count,
                    p99_us: known(1_000),
                    p99_9_us: known(10_000),
                    ..Percentiles::default()
                };
                result.totals.response = result.totals.service;
                limit.parse::<Rule>().unwrap().judge(&result)
            };
            assert!(passed(enough).passed, "{limit}");
            let few = passed(enough - 1);
            assert!(!few.passed && few.measured.is_none() && !few.why.is_empty(), "{few:?}");
        }
    }

    /// 990 transactions in ten seconds.
    fn ten_seconds() -> RunResult {
        let mut result = RunResult::default();
        result.window.measured_s = 10.0;
        result.totals.completed = 990;
        result
    }

    fn judged(result: &RunResult, rule: &str) -> Threshold {
        rule.parse::<Rule>().unwrap().judge(result)
    }

    fn expect(result: &RunResult, passed: bool, rules: &[&str]) {
        for rule in rules {
            assert_eq!(judged(result, rule).passed, passed, "{rule}");
        }
    }

    #[test]
    fn judges_limits() {
        let mut result = ten_seconds();
        result.totals.completed_in_window = 990;
        result.totals.failed = 10;
        result.totals.service = Percentiles {
            count: 990,
            mean_us: 900.0,
            p95_us: 2_000,
            max_us: 9_000,
            ..Percentiles::default()
        };
        let check = |short: &str, failed| CheckRow {
            name: format!("{short}: c"),
            transaction: short.into(),
            passed: 99,
            failed,
            ..CheckRow::default()
        };
        let of = |short: &str, completed| TypeResult {
            short: short.into(),
            completed,
            completed_in_window: completed,
            ..TypeResult::default()
        };
        result.types = vec![of("BP", 990), of("RARE", 0)];
        result.checks = vec![check("BP", 0), check("WQ", 2)];
        let holds = [
            "p95<=2ms",
            "avg<1ms",
            "max < 0.01s",
            "errors<=1%",
            "tps>98.9",
            "failed<11",
            "unsent<=0",
            "checks>=99%",
            "bp:checks>=100%",
        ];
        expect(&result, true, &holds);
        let missed =
            ["p95<2ms", "errors<1", "tps>=100", "p99<1s", "OP:avg<1s", "checks>99%", "OP:checks>1"];
        expect(&result, false, &["RARE:errors<1%", "RARE:failed<=0", "RARE:tps<9", "OP:tps<9"]);
        expect(&result, false, &missed);
        for wrong in ["p95", "p95<2", "p77<2ms", "tps>fast", "response.tps>1", ""] {
            assert!(wrong.parse::<Rule>().is_err(), "{wrong}");
        }
        let text = |rule: &str| judged(&result, rule).outcome_text();
        let few = "cannot be judged from 990 transactions: 1000 are needed, ten of them beyond the percentile";
        assert_eq!((text("p99<1s"), text("avg<1ms")), (few.into(), "0.900 ms".into()));
        assert_eq!((text("avg<1us"), text("tps>1")), ("900.0 µs".into(), "99.00 /s".into()));
        assert_eq!((text("errors<1"), text("failed<1")), ("1.000 %".into(), "10.00".into()));
        let none = "no transaction of the type RARE was due in the measured time";
        assert_eq!((text("RARE:errors<1%"), text("RARE:p99<1s")), (none.into(), none.into()));
        let is_of = |rule: &str| rule.parse::<Rule>().unwrap().is_of_failures();
        assert_eq!(
            ["errors<9%", "failed<9", "OP:failed<9", "tps>1"].map(is_of),
            [true, true, false, false]
        );
        let fits = |rule: &str| rule.parse::<Rule>().unwrap().fits(&["OP"]);
        assert!(fits("op:avg<1s").is_ok() && fits("avg<1s").is_ok());
        assert!(fits("PO:avg<1s").unwrap_err().ends_with("the types are OP."));
    }

    #[test]
    fn unfinished_transactions_fail_limits() {
        let mut result = ten_seconds();
        result.totals.unfinished = 10;
        result.totals.response = Percentiles {
            count: 1_000,
            p50_us: 1_000,
            p95_us: 2_000,
            p99_us: Some(3_000_000),
            max_us: 4_000_000,
            mean_us: 30_000.0,
            unfinished: 10,
            unfinished_from_us: 2_500_000,
            ..Percentiles::default()
        };
        let holds = ["response.p95<=2ms", "response.med<2ms", "errors<=1%", "failed<=10"];
        expect(&result, true, &holds);
        let missed = ["response.p99<1h", "response.p99<100s", "response.p99>1s", "response.avg<1s"];
        for rule in missed {
            assert!(!rule.parse::<Rule>().is_ok_and(|rule| rule.judge(&result).passed), "{rule}");
        }
        let missed = ["errors<1%", "failed<10", "unsent<=9", "response.max<10s"];
        expect(&result, false, &missed);
        assert_eq!(judged(&result, "response.p99<1s").outcome_text(), "≥ 3.000 s");
        assert_eq!(judged(&result, "response.p95<1ms").outcome_text(), "2.000 ms");
    }
}
