//! The first screen of a result: one sentence that says whether the run held, and four figures.

use duet_verdict::compare::seconds_of;
use duet_verdict::judge::Estimate;
use duet_verdict::result::{ABORTED, Percentiles, RunResult};
use duet_verdict::soundness::{SoundnessProblem, problems_beside};
use duet_verdict::text::{counted, duration, figure, short};
use duet_verdict::threshold::Rule;

use super::overview::clock;
use super::words::{self, count};

/// Whether a run held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Held,
    /// It held, and a reader must know something before trusting it.
    Doubtful,
    Missed,
    /// It goes on.
    Running,
}

impl State {
    /// A class of the style.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Held => "good",
            Self::Doubtful => "doubt",
            Self::Missed => "bad",
            Self::Running => "",
        }
    }

    /// The state without colours.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Held => "✓",
            Self::Doubtful => "!",
            Self::Missed => "✗",
            Self::Running => "…",
        }
    }
}

/// A figure with its name, and lines below it.
#[derive(Debug, Default)]
pub(super) struct Tile {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) lines: Vec<String>,
    pub(super) class: &'static str,
}

/// The times that count: response times of an open run, service times of a closed one.
pub(super) fn times(result: &RunResult) -> &Percentiles {
    if result.is_open() { &result.totals.response } else { &result.totals.service }
}

/// Whether the run held; `remarks` is the number of findings that a reader must know.
pub(super) fn state(result: &RunResult, remarks: usize) -> State {
    let is_over = !result.window.ended_by.is_empty();
    let unbalanced = result.ledger.as_ref().is_some_and(|ledger| !ledger.balanced);
    let wrong = unbalanced
        || result.invariants.iter().any(|row| !row.passed)
        || result.thresholds.iter().any(|row| !row.passed)
        || matches!(&*result.window.ended_by, ABORTED | "failed" | "killed")
        || result.totals.completed == 0;
    match () {
        () if !is_over => State::Running,
        () if wrong || !problems(result).is_empty() => State::Missed,
        () if remarks > 0 || result.window.ended_by == "interrupted" => State::Doubtful,
        () => State::Held,
    }
}

/// The reasons why a run is not sound, beside its own thresholds.
fn problems(result: &RunResult) -> Vec<SoundnessProblem> {
    let own: Vec<Rule> = result.thresholds.iter().filter_map(|it| it.rule.parse().ok()).collect();
    problems_beside(result, result.most_failed(), &own)
}

/// The sentence: rate, times, failures, thresholds, what limited the run.
pub(super) fn sentence(result: &RunResult, state: State, remarks: usize) -> String {
    let begin = match state {
        State::Running => "So far it".to_owned(),
        State::Missed => "The run did not hold: it".to_owned(),
        State::Doubtful if result.window.ended_by == "interrupted" => {
            "The run was interrupted: it".to_owned()
        }
        State::Doubtful => format!("The run held, with {}: it", counted(remarks as u64, "remark")),
        State::Held => "The run held: it".to_owned(),
    };
    let parts = [Some(rate(result)), Some(failures(result)), missed(result), limit(result)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{begin} {}.", parts.join("; "))
}

fn rate(result: &RunResult) -> String {
    let totals = &result.totals;
    if totals.completed == 0 {
        return "completed no transaction".into();
    }
    let offered = match result.load.rate_per_s {
        Some(rate) => format!(" of {} offered", short(rate)),
        None => String::new(),
    };
    let times = times(result);
    let at_least = |micros: u64| if times.is_bound(micros) { "at least " } else { "" };
    let within = |micros: u64| format!("{}{}", at_least(micros), spaced(micros as f64));
    let (share, micros) = match times.p99_us {
        Some(p99) => ("99", p99),
        None => ("95", times.p95_us),
    };
    format!(
        "completed {}{offered} transactions/s, half of them within {} and {share} % within {}",
        figure(totals.tps),
        within(times.p50_us),
        within(micros),
    )
}

/// A duration with a space before its unit.
pub(super) fn spaced(micros: f64) -> String {
    let text = duration(micros);
    let unit = text.find(|char: char| !char.is_ascii_digit() && char != '.').unwrap_or(text.len());
    format!("{} {}", &text[..unit], &text[unit..])
}

fn failures(result: &RunResult) -> String {
    match result.failed_share() * 100.0 {
        share if share > 0.0 && result.totals.unfinished > 0 => {
            format!("{} % failed or did not end", short(share))
        }
        share if share > 0.0 => format!("{} % failed", short(share)),
        _ => "none failed".into(),
    }
}

/// The thresholds, and what else decides the exit code.
fn missed(result: &RunResult) -> Option<String> {
    let mut parts = Vec::new();
    let all = result.thresholds.len() as u64;
    let missed: Vec<_> = result.thresholds.iter().filter(|it| !it.passed).collect();
    match &missed[..] {
        [] if all == 1 => parts.push("its threshold was met".to_owned()),
        [] if all > 1 => parts.push(format!("all {} were met", counted(all, "threshold"))),
        [] => {}
        [first, ..] => parts.push(format!(
            "{} of {} missed, {} was {}",
            missed.len(),
            counted(all, "threshold"),
            first.rule,
            first.outcome_text()
        )),
    }
    if result.ledger.as_ref().is_some_and(|ledger| !ledger.balanced) {
        parts.push("the counts of client and server differ".into());
    }
    if result.invariants.iter().any(|row| !row.passed) {
        parts.push("the data are not as they must be".into());
    }
    // The share of failures is in the sentence already.
    let problems = problems(result).into_iter();
    let others = problems.filter(|problem| !matches!(problem, SoundnessProblem::Failed(..)));
    parts.extend(others.map(|problem| problem.to_string()));
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The share of the processors that was busy, from which they count as the limit.
const BUSY: f64 = 90.0;
/// The share of sessions in one kind of wait, from which it counts as the limit.
const WAITING: f64 = 0.5;
/// States of sessions that limit nothing: the run's own work, and time of the client.
const NO_LIMIT: [&str; 4] = ["CPU", "Client", "IdleInTransaction", "Timeout"];

/// What limited the run, as far as it was observed.
fn limit(result: &RunResult) -> Option<String> {
    if result.client.was_the_limit {
        return Some("the load generator was the limit".into());
    }
    if result.client.was_held_up {
        return Some("other programs used the processors when transactions were due".into());
    }
    let busy = busy(result);
    if let Some(share) = busy.filter(|share| *share >= BUSY) {
        let most =
            most_of(result).map_or_else(String::new, |(name, _)| format!(", most by {name}"));
        return Some(format!("the processors were {share:.0} % busy{most}"));
    }
    let active: f64 = result.waits.values().sum();
    let waits = result.waits.iter().filter(|(class, _)| !NO_LIMIT.contains(&class.as_str()));
    let most = waits.max_by(|a, b| a.1.total_cmp(b.1));
    if let Some((class, sessions)) = most.filter(|(_, it)| **it >= 1.0 && **it > WAITING * active) {
        let words = words::wait(class);
        return Some(format!("{} sessions were {words} on average", short(*sessions)));
    }
    if result.client.was_busy {
        return Some("a thread of the load generator was almost always busy".into());
    }
    busy.map(|share| format!("no limit was found, the processors were {share:.0} % busy"))
}

/// The mean of an observed figure over the measured seconds.
fn mean(result: &RunResult, name: &str) -> Option<f64> {
    let values: Vec<f64> =
        result.measured().filter_map(|second| second.observed.get(name).copied()).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The share of all processors' time that programs and kernel used, in percent.
fn busy(result: &RunResult) -> Option<f64> {
    Some((mean(result, "cpu.user")? + mean(result, "cpu.system")?).min(100.0))
}

/// The program that used most of the processors, and its share of all of them in percent.
fn most_of(result: &RunResult) -> Option<(&'static str, f64)> {
    let cpus = f64::from(result.host.cpus.max(1));
    let programs = [
        ("the load generator", mean(result, "client.cpu")),
        ("the server", mean(result, "server.cpu")),
        ("PostgreSQL", mean(result, "postgres.cpu")),
        ("database servers", mean(result, "databases.cpu")),
        ("other programs", mean(result, "host.others").map(|processors| 100.0 * processors)),
    ];
    let known = programs.into_iter().filter_map(|(name, share)| Some((name, share? / cpus)));
    known.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Throughput, times, failures, and the busiest resource.
pub(super) fn tiles(result: &RunResult) -> Vec<Tile> {
    vec![throughput(result), latency(result), failed(result), busiest(result)]
}

/// An interval within the run, if its seconds suffice for one.
fn interval(ends: Option<[f64; 2]>, text: impl Fn(f64) -> String) -> Option<String> {
    let ends = ends.filter(|ends| ends.iter().all(|end| end.is_finite()));
    ends.map(|[low, high]| format!("{} to {} (95 %)", text(low), text(high)))
}

/// Whether the run misses a threshold of this kind.
fn misses(result: &RunResult, is_one: impl Fn(&Rule) -> bool) -> bool {
    let rules = result.thresholds.iter().filter(|it| !it.passed);
    rules.filter_map(|it| it.rule.parse().ok()).any(|rule| is_one(&rule))
}

fn throughput(result: &RunResult) -> Tile {
    let per_s: Vec<f64> = result.measured().map(|second| second.completed as f64).collect();
    let rate = Estimate::of_seconds(&per_s).map(|estimate| estimate.interval(0.95));
    let totals = &result.totals;
    let share = |rate: f64| 100.0 * totals.tps / rate;
    let offered = result.load.rate_per_s.filter(|rate| *rate > 0.0);
    let lines = [
        interval(rate, figure),
        offered.map(|rate| format!("{:.1} % of {}/s offered", share(rate), short(rate))),
        Some(format!("{} transactions completed", count(totals.completed))),
    ];
    Tile {
        name: "Throughput".into(),
        value: format!("{}/s", figure(totals.tps)),
        lines: lines.into_iter().flatten().collect(),
        class: if result.overloaded().is_some() || misses(result, Rule::is_on_throughput) {
            "bad"
        } else {
            ""
        },
    }
}

fn latency(result: &RunResult) -> Tile {
    let times = times(result);
    let text = |micros: u64| {
        let bound = if times.is_bound(micros) { "≥ " } else { "" };
        format!("{bound}{}", spaced(micros as f64))
    };
    let ends = match times.count {
        0 => None,
        _ => seconds_of(result).interval(0.95),
    };
    let p99 = times.p99_us.map_or_else(|| "n/a".into(), text);
    let missed = misses(result, |rule| rule.is_on_p95(result.is_open()));
    let lines = [
        interval(ends, spaced),
        Some(format!("p50 {} · p99 {p99}", text(times.p50_us))),
        Some(format!("max {}", text(times.max_us))),
    ];
    Tile {
        name: format!("{}, p95", clock(result)),
        value: if times.count == 0 { "n/a".into() } else { text(times.p95_us) },
        lines: lines.into_iter().flatten().filter(|_| times.count > 0).collect(),
        class: if missed { "bad" } else { "" },
    }
}

fn failed(result: &RunResult) -> Tile {
    let totals = &result.totals;
    let all = totals.completed + totals.failed + totals.unfinished;
    let failed = totals.failed + totals.unfinished;
    let first = match failed {
        0 => format!("none of {}", count(all)),
        failed => format!("{} of {}", count(failed), count(all)),
    };
    let kind = result.failures.iter().find(|row| row.count > 0).filter(|_| failed > 0);
    let outside: u64 = result.failures.iter().map(|row| row.outside).sum();
    let lines = [
        Some(first),
        (totals.unfinished > 0).then(|| format!("{} did not end", count(totals.unfinished))),
        (totals.unsent > 0).then(|| format!("{} never began", count(totals.unsent))),
        kind.map(|row| format!("most: {} in {}", row.outcome, row.transaction)),
        (outside > 0).then(|| format!("{} more outside of the measured time", count(outside))),
    ];
    let share = result.failed_share();
    Tile {
        name: "Failed".into(),
        value: format!("{} %", short(share * 100.0)),
        lines: lines.into_iter().flatten().collect(),
        class: if share > result.most_failed() || misses(result, Rule::is_of_failures) {
            "bad"
        } else {
            ""
        },
    }
}

fn busiest(result: &RunResult) -> Tile {
    let most = most_of(result).map(|(name, share)| format!("most: {name}, {share:.0} %"));
    let client = &result.client;
    let doubt = if client.is_in_doubt() { "doubt" } else { "" };
    let own = (client.busiest_share > 0.0).then(|| {
        format!("busiest thread of the load generator: {:.0} %", client.busiest_share * 100.0)
    });
    let lines = [most, own].into_iter().flatten().collect();
    match busy(result) {
        Some(share) => Tile {
            name: "Processors busy".into(),
            value: format!("{share:.0} %"),
            lines,
            class: doubt,
        },
        None => Tile {
            name: "Load generator busy".into(),
            value: match result.lost_figures() {
                Some(lost) => lost.to_owned(),
                None => format!("{:.0} %", client.busiest_share * 100.0),
            },
            lines: vec!["of one processor, in its busiest second".into()],
            class: doubt,
        },
    }
}

#[cfg(test)]
mod tests {
    use duet_verdict::result::Threshold;

    use crate::example::Example;

    use super::*;

    fn said(result: &RunResult, remarks: usize) -> String {
        sentence(result, state(result, remarks), remarks)
    }

    #[test]
    fn a_run_that_holds_says_its_rate_times_and_failures() {
        let mut result = Example { rate_per_s: Some(200.0), ..Example::default() }.build();
        let text = said(&result, 0);
        assert!(text.starts_with("The run held: it completed "), "{text}");
        for part in [
            " of 200 offered transactions/s, half of them within ",
            " and 99 % within ",
            "; its threshold was met; no limit was found, the processors were 7",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(said(&result, 1).starts_with("The run held, with 1 remark: it "));
        result.window.ended_by = "interrupted".into();
        assert!(said(&result, 0).starts_with("The run was interrupted: it "));
        result.window.ended_by.clear();
        assert!(said(&result, 0).starts_with("So far it completed "));
    }

    #[test]
    fn a_run_that_does_not_hold_says_why() {
        let mut result = Example::default().build();
        let missed =
            Threshold { rule: "p99<1us".into(), measured: Some(5_631.0), ..Threshold::default() };
        result.thresholds.push(missed);
        let text = said(&result, 3);
        assert!(text.starts_with("The run did not hold: "), "{text}");
        assert!(text.contains("; 1 of 2 thresholds missed, p99<1us was 5,631 µs; "), "{text}");
        let mut failing = Example::default().build();
        failing.totals.failed = failing.totals.completed * 3 / 2;
        assert_eq!(state(&failing, 0), State::Missed);
        assert!(said(&failing, 0).contains("; 60 % failed; "), "{}", said(&failing, 0));
        assert_eq!(tiles(&failing)[2].class, "bad");
        // The run allowed as many.
        failing.errors_percent = Some(70.0);
        assert_ne!(state(&failing, 0), State::Missed);
        assert_eq!(tiles(&failing)[2].class, "");
        let none = RunResult::default();
        let text = sentence(&none, State::Missed, 0);
        assert_eq!(text, "The run did not hold: it completed no transaction; none failed.");
    }

    /// A tile is red where its own figure misses a threshold.
    #[test]
    fn tiles_have_the_state_of_their_figures() {
        let red = |rule: &str| -> Vec<String> {
            let mut result = Example::default().build();
            result.thresholds = vec![Threshold { rule: rule.into(), ..Threshold::default() }];
            let bad = tiles(&result).into_iter().filter(|tile| tile.class == "bad");
            bad.map(|tile| tile.name).collect()
        };
        assert!(red("p99<1us").is_empty());
        assert!(red("NO:p95<1us").is_empty());
        for rule in ["p95<1us", "response.p95<1us"] {
            assert_eq!(red(rule), ["Service time, p95"], "{rule}");
        }
        assert_eq!(red("tps>9999"), ["Throughput"]);
        assert_eq!(red("errors<0.1%"), ["Failed"]);
        let mut open = Example { rate_per_s: Some(200.0), ..Example::default() }.build();
        open.thresholds = vec![Threshold { rule: "p95<1us".into(), ..Threshold::default() }];
        assert_eq!(latency(&open).class, "", "the tile has response times");
    }

    #[test]
    fn limits_that_were_found_are_named() {
        let mut result = Example::default().build();
        for second in &mut result.seconds {
            second.observed.insert("cpu.user".into(), 80.0);
            second.observed.insert("postgres.cpu".into(), 140.0);
            second.observed.insert("client.cpu".into(), 20.0);
        }
        assert!(said(&result, 0).ends_with(" % busy, most by PostgreSQL."), "{}", said(&result, 0));
        assert_eq!(tiles(&result)[3].lines[0], "most: PostgreSQL, 70 %");
        for second in &mut result.seconds {
            second.observed.clear();
        }
        result.waits = [("CPU", 1.0), ("Lock", 6.5)].map(|(k, v)| (k.to_owned(), v)).into();
        let text = said(&result, 0);
        assert!(
            text.contains("; 6.5 sessions were waiting for a lock of a row or table on"),
            "{text}"
        );
        result.client.was_the_limit = true;
        assert!(said(&result, 0).ends_with("; the load generator was the limit."));
    }

    #[test]
    fn durations_have_a_space() {
        assert_eq!([42.3, 45_000.0].map(spaced), ["42.3 µs", "45.0 ms"]);
    }
}
