//! Compares results with the first one, with intervals and a verdict.
//!
//! Single runs are compared, so every interval includes the drift of the machine between runs
//! ([`Rules::drift`]). Runs that are not comparable get no verdict unless the caller forces it.
//! Throughput by type is not compared: types share the users' loops, so it adds no information.

mod differences;
mod figures;

use duet_model::{Code, Error, Result};
use serde::Serialize;

pub use differences::{Difference, Weight, differences};
pub use figures::{Missing, rows, seconds_of};

use crate::judge::{self, ChangeVerdict, Row, Rules};
use crate::result::RunResult;
use crate::soundness;
use crate::text::{COLUMNS, wrap};

/// What the columns of a comparison of pairs are.
pub const COLUMNS_OF_PAIRS: &str =
    "Columns are geometric means of the rounds, and changes the ratios of these.";

/// A comparison of results with the first of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The name of the first result.
    pub base: String,
    /// The rules of its verdicts.
    pub rules: Rules,
    /// Whether runs are judged even if they are not comparable or not sound.
    pub anyway: bool,
    /// The pairs of interleaved rounds that were compared; absent between single runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u32>,
    /// The other results, in order.
    pub against: Vec<Against>,
}

/// A comparison of one result with the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Against {
    /// Its name.
    pub name: String,
    /// The differences other than the figures.
    pub differences: Vec<Difference>,
    /// Whether verdicts are withheld because of the differences.
    pub refused: bool,
    /// Why one of the runs is not sound, as text.
    pub problems: Vec<String>,
    /// Figures without a verdict because of too few measurements.
    pub missing: Vec<Missing>,
    /// The figures.
    pub rows: Vec<Row>,
}

/// The outcome of a comparison, for exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No figure is slower.
    Fine,
    /// The runs are not comparable.
    Refused,
    /// A run lost a process, was overloaded, or failed too often.
    Unsound,
    /// A figure is slower.
    Slower,
    /// No figure is slower, but one is inconclusive or was measured too briefly for a verdict.
    CannotTell,
}

/// Compares results with the first. `anyway` judges runs even if they are not comparable.
///
/// # Errors
/// `ResultFile` with fewer than two results.
pub fn compare(results: &[RunResult], rules: &Rules, anyway: bool) -> Result<Comparison> {
    let Some((base, others)) = results.split_first().filter(|(_, others)| !others.is_empty())
    else {
        return Err(Error::new(Code::ResultFile, "Comparing takes two results or more."));
    };
    let against = |new: &RunResult| {
        let differences = differences(base, new);
        let refused = !anyway && differences.iter().any(|it| it.weight == Weight::Question);
        let (rows, missing) = rows(base, new, rules);
        let mut rows = judge::judge(rows, rules);
        if refused {
            rows.iter_mut().for_each(|row| (row.verdict, row.p) = (None, None));
        }
        let unsound = |result: &RunResult| {
            let title = result.title();
            let problems = soundness::problems(result, rules.most_failed);
            problems.into_iter().map(move |problem| format!("{title}: {problem}"))
        };
        let problems = unsound(base).chain(unsound(new)).collect();
        Against { name: new.title(), differences, refused, problems, missing, rows }
    };
    Ok(Comparison {
        base: base.title(),
        rules: *rules,
        anyway,
        pairs: None,
        against: others.iter().map(against).collect(),
    })
}

impl Comparison {
    /// The worst outcome of all comparisons.
    pub fn ending(&self) -> Ending {
        let any = |wanted: fn(&ChangeVerdict) -> bool| {
            let rows = self.against.iter().flat_map(|against| &against.rows);
            rows.filter_map(|row| row.verdict.as_ref()).any(wanted)
        };
        let is_missing = self.against.iter().any(|against| !against.missing.is_empty());
        let is_unsound = self.against.iter().any(|against| !against.problems.is_empty());
        if self.against.iter().any(|against| against.refused) {
            Ending::Refused
        } else if is_unsound && !self.anyway {
            Ending::Unsound
        } else if any(|verdict| *verdict == ChangeVerdict::Slower) {
            Ending::Slower
        } else if is_missing || any(|verdict| matches!(verdict, ChangeVerdict::CannotTell { .. })) {
            Ending::CannotTell
        } else {
            Ending::Fine
        }
    }

    /// The report for a terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for against in &self.against {
            let title = format!("{} against {}\n", against.name, self.base);
            text.push_str(&wrap(&title, COLUMNS, "  "));
            text.push_str(&against.notes());
            text.push('\n');
            text.push_str(&judge::table(&self.base, &against.name, &against.rows));
            text.push_str(&against.without_verdict());
            text.push_str(&against.found_from());
            text.push('\n');
        }
        text.push_str(&wrap(&self.caveat(), COLUMNS, ""));
        text.push('\n');
        text
    }

    /// The note about verdicts: between single runs, or between pairs of rounds.
    pub fn caveat(&self) -> String {
        if let Some(pairs) = self.pairs {
            return format!(
                "{pairs} pairs of interleaved rounds. {COLUMNS_OF_PAIRS} Changes up to {:.0} % count as none.",
                self.rules.threshold * 100.0
            );
        }
        format!(
            "One run each: a difference up to {:.0} % may be the machine's, and every interval includes it. \
             To detect less, measure both targets alternately (duet bench run URL URL). Changes up to {:.0} % count as none.",
            self.rules.drift * 100.0,
            self.rules.threshold * 100.0
        )
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

impl Against {
    /// The differences, one per line.
    pub fn notes(&self) -> String {
        let mut text = String::new();
        if self.refused {
            text.push_str("NOT COMPARABLE, no verdict (--anyway judges all the same).\n");
        }
        for problem in &self.problems {
            text.push_str(&wrap(&format!("NOT TO BE TRUSTED: {problem}.\n"), COLUMNS, "  "));
        }
        if !self.differences.is_empty() {
            text.push_str("What differs besides the figures (base / this one):\n");
        }
        for it in &self.differences {
            let mark = if it.weight == Weight::Question { "!" } else { "-" };
            let line = format!("  {mark} {}: {} / {}\n", it.what, it.base, it.new);
            text.push_str(&wrap(&line, COLUMNS, "    "));
        }
        text
    }

    /// How large a change of an inconclusive figure would have to be for a verdict; empty without one.
    pub fn found_from(&self) -> String {
        let needed = |row: &Row| {
            let ([low, _], ratio) = (row.interval?, row.ratio?);
            let is_open = matches!(row.verdict, Some(ChangeVerdict::CannotTell { .. }));
            let width = ratio / low - 1.0;
            let text = || format!("{} {:.0} %", row.name, (width * 100.0).ceil());
            (is_open && width.is_finite()).then(text)
        };
        let needed: Vec<String> = self.rows.iter().filter_map(needed).collect();
        match needed.is_empty() {
            true => String::new(),
            false => {
                let text = format!("These runs tell changes from about: {}.\n", needed.join(", "));
                wrap(&text, COLUMNS, "  ")
            }
        }
    }

    /// The figures without a verdict and the reasons, one paragraph each.
    pub fn without_verdict(&self) -> String {
        let is_judged = self.rows.iter().any(|row| row.verdict.is_some());
        let describe = |missing: &Missing| match is_judged {
            true => format!("No verdict on {}: {}.\n", missing.rows.join(", "), missing.why),
            false => format!("NO VERDICT: {}.\n", missing.why),
        };
        self.missing.iter().map(|missing| wrap(&describe(missing), COLUMNS, "  ")).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    fn example(name: &str, level: f64, median_us: f64) -> RunResult {
        Example { name: name.into(), level, median_us, ..Example::default() }.build()
    }

    fn verdict(comparison: &Comparison, row: &str) -> Option<ChangeVerdict> {
        let rows = &comparison.against[0].rows;
        rows.iter().find(|it| it.name == row).unwrap_or_else(|| panic!("{row}")).verdict
    }

    #[test]
    fn a_large_degradation_is_slower() {
        let results = [example("a", 200.0, 2_000.0), example("b", 100.0, 5_000.0)];
        let comparison = compare(&results, &Rules::default(), false).unwrap();
        assert_eq!(verdict(&comparison, "throughput"), Some(ChangeVerdict::Slower));
        assert_eq!(verdict(&comparison, "p95"), Some(ChangeVerdict::Slower));
        assert_eq!(verdict(&comparison, "Payment: mean"), Some(ChangeVerdict::Slower));
        assert_eq!(comparison.ending(), Ending::Slower);
        let back = [results[1].clone(), results[0].clone()];
        let comparison = compare(&back, &Rules::default(), false).unwrap();
        assert_eq!(verdict(&comparison, "throughput"), Some(ChangeVerdict::Faster));
        assert_eq!(comparison.ending(), Ending::Fine);
        let text = comparison.text();
        assert!(text.starts_with("a against b\n") && text.contains("faster"), "{text}");
        assert!(text.contains("One run each"), "{text}");
    }

    #[test]
    fn a_small_degradation_is_inconclusive() {
        let results = [example("a", 200.0, 2_000.0), example("b", 190.0, 2_100.0)];
        let comparison = compare(&results, &Rules::default(), false).unwrap();
        let expected = ChangeVerdict::CannotTell { more_pairs: Some(10) };
        assert_eq!(verdict(&comparison, "throughput"), Some(expected));
        assert_eq!(comparison.ending(), Ending::CannotTell);
        let text = comparison.text();
        assert!(text.contains("These runs tell changes from about: throughput 1"), "{text}");
        // `drift` 0 is for a dedicated machine.
        let still = Rules { drift: 0.0, ..Rules::default() };
        let comparison = compare(&results, &still, false).unwrap();
        assert_eq!(verdict(&comparison, "throughput"), Some(ChangeVerdict::Slower));
    }

    #[test]
    fn a_short_run_gets_no_verdict_with_the_reason() {
        let brief = Example { name: "b".into(), measured_s: 3, ..Example::default() }.build();
        let comparison = compare(&[example("a", 200.0, 2_000.0), brief], &Rules::default(), false);
        let comparison = comparison.unwrap();
        assert_eq!(verdict(&comparison, "throughput"), None);
        assert_eq!(comparison.ending(), Ending::CannotTell);
        let text = comparison.text();
        assert!(text.contains("\nNO VERDICT: b: 3 s measured, 20 s needed.\n"), "{text}");
    }

    #[test]
    fn another_warm_up_is_a_remark() {
        let mut results = [example("a", 200.0, 2_000.0), example("b", 100.0, 5_000.0)];
        results[1].load.warm_up_s = 30.0;
        results[1].load.ramp_up_s = 9.0;
        let comparison = compare(&results, &Rules::default(), false).unwrap();
        assert_eq!(comparison.ending(), Ending::Slower);
        let text = comparison.text();
        assert!(text.contains("  - warm-up (s): 5 / 30\n"), "{text}");
        assert!(text.contains("  - ramp-up (s): 3 / 9\n"), "{text}");
    }

    #[test]
    fn reports_different_result_versions() {
        let mut results = [example("a", 200.0, 2_000.0), example("b", 200.0, 2_000.0)];
        let text = |results: &[RunResult]| {
            compare(results, &Rules::default(), false).unwrap().text().replace("\n    ", " ")
        };
        assert!(!text(&results).contains("rule of the measuring window"));
        results[0].version = 1;
        let message = text(&results);
        let expected = "- rule of the measuring window: version 1, throughput and latency of what began and ended in the window: not comparable with version 2";
        assert!(message.contains(expected), "{message}");
        assert!(
            message.contains(" / version 2, throughput of what ended in the window"),
            "{message}"
        );
        results[1].version = 1;
        assert!(!text(&results).contains("rule of the measuring window"));
    }

    #[test]
    fn a_failed_run_is_unsound() {
        let mut results = [example("a", 200.0, 2_000.0), example("b", 200.0, 2_000.0)];
        results[1].totals.failed = results[1].totals.completed;
        let comparison = compare(&results, &Rules::default(), false).unwrap();
        assert_eq!(comparison.ending(), Ending::Unsound);
        let expected = "NOT TO BE TRUSTED: b: 50 % of the transactions failed; the limit is 1 %\n  (--errors).\n";
        assert!(comparison.text().contains(expected), "{}", comparison.text());
        let rules = Rules { most_failed: 0.6, ..Rules::default() };
        assert_eq!(compare(&results, &rules, false).unwrap().ending(), Ending::CannotTell);
        results[0].processes[0].finished = false;
        let comparison = compare(&results, &rules, false).unwrap();
        assert_eq!(comparison.ending(), Ending::Unsound);
        assert_eq!(compare(&results, &rules, true).unwrap().ending(), Ending::CannotTell);
    }

    /// Lines fit into 80 columns, regardless of the names of runs and types.
    #[test]
    fn the_report_fits_a_terminal() {
        let long = "a-name-that-a-user-has-given-to-a-run-of-order-entry";
        let mut results = [example(long, 200.0, 2_000.0), example("b", 100.0, 5_000.0)];
        for result in &mut results {
            result.types[0].name = "New customer registration by telephone".into();
        }
        results[1].target.server =
            "duet 0.2.0, PostgreSQL 17.5 on a machine far away, Linux".into();
        results[1].load.users = 8;
        for anyway in [false, true] {
            let text = compare(&results, &Rules::default(), anyway).unwrap().text();
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(COLUMNS), "{text}");
        }
    }

    #[test]
    fn runs_that_are_not_comparable_get_no_verdict() {
        let mut results = [example("a", 200.0, 2_000.0), example("b", 100.0, 2_000.0)];
        results[1].load.users = 32;
        results[1].target.server = "duet 0.2.0".into();
        let comparison = compare(&results, &Rules::default(), false).unwrap();
        assert_eq!(comparison.ending(), Ending::Refused);
        assert!(comparison.against[0].rows.iter().all(|row| row.verdict.is_none()));
        let text = comparison.text();
        assert!(text.contains("NOT COMPARABLE"), "{text}");
        assert!(text.contains("  ! users: 16 / 32\n"), "{text}");
        assert!(text.contains("  - server: duet 0.1.0, PostgreSQL 17.5 / duet 0.2.0\n"), "{text}");
        let comparison = compare(&results, &Rules::default(), true).unwrap();
        assert_eq!(comparison.ending(), Ending::Slower);
        let json: serde_json::Value = serde_json::from_str(&comparison.to_json()).unwrap();
        assert_eq!(json["against"][0]["rows"][0]["verdict"]["word"], "slower");
        assert_eq!(json["against"][0]["differences"][0]["weight"], "question");
    }

    #[test]
    fn refuses_fewer_than_two_results() {
        let error = compare(&[example("a", 1.0, 1.0)], &Rules::default(), false).unwrap_err();
        assert!(error.message.contains("two results"));
    }
}
