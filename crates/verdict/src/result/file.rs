//! Parses and serializes results, and derives values from their fields.

use duet_model::{Code, Error, Result};
use duet_text::time::moment;
use hdrhistogram::Histogram;
use serde::Deserialize;

use super::{ACHIEVED, RunResult, Second, TypeResult, VERSION};
use crate::judge::MOST_FAILED;
use crate::times::{self, Damaged, histogram, unpack};

/// The fields of every version.
#[derive(Debug, Deserialize)]
pub struct Head {
    version: Option<u32>,
    tool: Option<String>,
}

impl Head {
    /// Those of a result that has been parsed.
    pub fn of(result: &RunResult) -> Self {
        let tool = Some(result.tool.clone()).filter(|tool| !tool.is_empty());
        Self { version: Some(result.version), tool }
    }

    /// Checks that this program can read the version; `name` is the result's name in errors.
    ///
    /// # Errors
    /// `ResultFile` if it is not a result, or was written by a newer version.
    pub fn check(self, name: &str) -> Result<()> {
        let (Some(version @ 1..), Some(tool)) = (self.version, self.tool) else {
            return Err(not_a_result(name));
        };
        if version > VERSION {
            let message = format!(
                "The result {name} has version {version}; this program reads up to {VERSION}."
            );
            return Err(wrong(message).hint(format!("{tool} wrote it: use that version or newer.")));
        }
        Ok(())
    }
}

/// Checks the histograms of seconds.
///
/// # Errors
/// The first that is none.
pub fn check_times(seconds: &[Second]) -> std::result::Result<(), Damaged> {
    seconds.iter().try_for_each(|second| times::check(&second.response_histogram))
}

impl RunResult {
    /// Parses a result; `name` is its name in errors.
    ///
    /// # Errors
    /// `ResultFile` if it is not a result, or was written by a newer version.
    pub fn from_json(text: &str, name: &str) -> Result<Self> {
        let none = |error: serde_json::Error| not_a_result(name).cause(error);
        serde_json::from_str::<Head>(text).map_err(none)?.check(name)?;
        serde_json::from_str::<Self>(text).map_err(none)?.completed(name)
    }

    /// Validates a parsed result and adds fields that older versions lack; `name` is its name in errors.
    ///
    /// # Errors
    /// `ResultFile` if its parts are inconsistent.
    pub fn completed(self, name: &str) -> Result<Self> {
        let result = self.completed_but_times(name)?;
        check_times(&result.seconds).map_err(|error| not_a_result(name).cause(error))?;
        Ok(result)
    }

    /// The same without [`check_times`], which takes most of the time for a long run.
    ///
    /// # Errors
    /// As [`completed`](Self::completed).
    pub fn completed_but_times(mut self, name: &str) -> Result<Self> {
        self.check(name)?;
        if self.version < 2 {
            self.complete_first_version();
        }
        let has_counts = !self.failures.is_empty() || !self.checks.is_empty();
        if self.version < 3 && has_counts {
            let words = "Failures by message and checks are of the whole run: results of this version do not tell the measured time apart.";
            if !self.warnings.iter().any(|warning| warning == words) {
                self.warnings.push(words.to_owned());
            }
        }
        Ok(self)
    }

    /// Version 1 only counted transactions that began and ended in the window, so these are equal.
    fn complete_first_version(&mut self) {
        let totals = &mut self.totals;
        (totals.completed_in_window, totals.failed_in_window) = (totals.completed, totals.failed);
        totals.backlog = totals.unsent;
        totals.under_way = totals.ended_per_s * totals.service.mean_us / 1e6;
        for kind in &mut self.types {
            (kind.completed_in_window, kind.failed_in_window) = (kind.completed, kind.failed);
        }
    }

    /// Checks the lengths of parallel columns, which would otherwise be misread.
    fn check(&self, name: &str) -> Result<()> {
        for kind in &self.types {
            for text in [
                &kind.service_histogram,
                &kind.response_histogram,
                &kind.unfinished_service_histogram,
                &kind.unfinished_response_histogram,
            ] {
                times::check(text).map_err(|error| not_a_result(name).cause(error))?;
            }
        }
        let waits = times::check(&self.totals.unsent_histogram);
        waits.map_err(|error| not_a_result(name).cause(error))?;
        for second in &self.seconds {
            let columns = [second.by_type.len(), second.mean_us_by_type.len()];
            if columns.iter().any(|count| *count > self.types.len()) {
                return Err(not_a_result(name).cause("a second has more types than the run"));
            }
        }
        Ok(())
    }

    /// The result as JSON, one field per line.
    pub fn to_json(&self) -> String {
        // Serialization cannot fail: map keys are strings, and non-finite numbers become null.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// When it began, in milliseconds since 1970; 0 if unknown.
    pub fn started_ms(&self) -> i64 {
        moment::moment_of(&self.started).map_or(0, |micros| micros / 1000)
    }

    /// Its title: its name, or the workload and the start time.
    pub fn title(&self) -> String {
        if self.name.is_empty() {
            format!("{} {}", self.workload, self.started).trim().to_owned()
        } else {
            self.name.clone()
        }
    }

    /// The measured seconds, those entirely in the measured window; the partial second at a run's end
    /// is excluded.
    pub fn measured(&self) -> impl Iterator<Item = &Second> {
        let end = self.window.from_s + self.window.measured_s;
        let whole = move |second: &&Second| (second.at_s + 1) as f64 <= end + 0.01;
        self.seconds.iter().filter(|second| second.phase == "measure").filter(whole)
    }

    /// What is shown for figures that are known at a run's end alone, which this one has not reached; `None` of other
    /// runs.
    pub fn lost_figures(&self) -> Option<&'static str> {
        (self.window.ended_by == super::KILLED).then_some("not known: the run was killed")
    }

    /// Whether the run is open; then response times are used in place of service times.
    pub fn is_open(&self) -> bool {
        self.load.model == "open"
    }

    /// (Failed + unfinished) ÷ all begun transactions; 0 without any.
    pub fn failed_share(&self) -> f64 {
        let bad = self.totals.failed + self.totals.unfinished;
        let all = self.totals.completed + bad;
        if all == 0 { 0.0 } else { bad as f64 / all as f64 }
    }

    /// The share of its transactions that might fail: `--errors` of the run, or the usual one.
    pub fn most_failed(&self) -> f64 {
        self.errors_percent.map_or(MOST_FAILED, |percent| percent / 100.0)
    }

    /// The share of an open run's arrivals that began within the window, if below 99 %: the server or the
    /// number of users was insufficient.
    pub fn overloaded(&self) -> Option<f64> {
        let offered = self.totals.offered.filter(|offered| self.is_open() && *offered > 0)?;
        let share = 1.0 - self.totals.backlog as f64 / offered as f64;
        (share < ACHIEVED).then_some(share)
    }

    /// The merged histogram of all types: response times in open runs, service times in closed ones.
    /// Unfinished transactions, and those that a timeout ended, are included with their minimum duration.
    pub fn histogram(&self) -> Histogram<u64> {
        let mut all = self.unfinished(self.is_open());
        for kind in &self.types {
            // Validated when it was read; an invalid histogram counts as empty.
            let _ = kind.histogram(self.is_open()).map(|one| all.add(&one));
        }
        all
    }

    /// The minimum durations of transactions that were due in the window and did not end, or that a timeout ended;
    /// response times include those that never began.
    pub fn unfinished(&self, response: bool) -> Histogram<u64> {
        let mut all = histogram();
        for kind in &self.types {
            let _ = kind.unfinished_histogram(response).map(|one| all.add(&one));
        }
        if response {
            let _ = unpack(&self.totals.unsent_histogram).map(|one| all.add(&one));
        }
        all
    }
}

impl TypeResult {
    /// Its histogram of response times or service times.
    ///
    /// # Errors
    /// If the text is not a histogram.
    pub fn histogram(&self, response: bool) -> std::result::Result<Histogram<u64>, Damaged> {
        unpack(if response { &self.response_histogram } else { &self.service_histogram })
    }

    /// The minimum durations of its transactions that did not end, or that a timeout ended.
    ///
    /// # Errors
    /// If the text is not a histogram.
    pub fn unfinished_histogram(
        &self,
        response: bool,
    ) -> std::result::Result<Histogram<u64>, Damaged> {
        unpack(match response {
            true => &self.unfinished_response_histogram,
            false => &self.unfinished_service_histogram,
        })
    }
}

/// The error for a text that is not a result, with the file's name.
pub fn not_a_result(name: &str) -> Error {
    wrong(format!("{name} is not a result of `duet bench`."))
        .hint("A result is the JSON file that a run writes.")
}

/// An error about a result file.
pub fn wrong(message: String) -> Error {
    Error::new(Code::ResultFile, message)
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn written_and_read() {
        let result = Example::default().build();
        let read = RunResult::from_json(&result.to_json(), "x").unwrap();
        assert_eq!((&read.target, &read.load), (&result.target, &result.load));
        assert_eq!(
            (read.seconds.len(), read.totals.service.p99_us),
            (68, result.totals.service.p99_us)
        );
        // Fractions may differ in the last bit.
        assert!((read.totals.tps - result.totals.tps).abs() < 1e-9);
        assert_eq!(read.histogram(), result.histogram());
        assert_eq!(result.started_ms(), 1_767_225_600_000);
        assert_eq!(result.measured().count(), 60);
        let mut shorter = result.clone();
        shorter.window.measured_s = 59.4;
        assert_eq!(shorter.measured().count(), 59, "the rest of a second is none");
        assert_eq!(result.histogram().len(), result.totals.completed);
    }

    #[test]
    fn reads_older_results_without_new_fields() {
        let text = r#"{"version": 1, "tool": "duet 0.1", "seconds": [{"at_s": 3}]}"#;
        let read = RunResult::from_json(text, "x").unwrap();
        assert_eq!((read.seconds[0].at_s, read.histogram().len()), (3, 0));
    }

    /// Fields that version 1 lacks are derived from its counts.
    #[test]
    fn converts_version_1() {
        const SECOND: [&str; 8] = [
            "completed_in_window",
            "failed_in_window",
            "backlog",
            "under_way",
            "unfinished",
            "unsent_histogram",
            "unfinished_service_histogram",
            "unfinished_response_histogram",
        ];
        let written = Example::default().build();
        let mut old: serde_json::Value = serde_json::from_str(&written.to_json()).unwrap();
        old["version"] = 1.into();
        old["totals"]["unsent"] = 7.into();
        let forget = |object: &mut serde_json::Value| {
            let object = object.as_object_mut().unwrap();
            SECOND.iter().for_each(|name| drop(object.remove(*name)));
        };
        forget(&mut old["totals"]);
        old["types"].as_array_mut().unwrap().iter_mut().for_each(forget);
        let read = RunResult::from_json(&old.to_string(), "old").unwrap();
        let totals = &read.totals;
        assert_eq!(read.version, 1, "comparisons say so");
        assert_eq!(totals.completed, written.totals.completed);
        assert_eq!(
            (totals.completed_in_window, totals.failed_in_window),
            (totals.completed, totals.failed)
        );
        assert_eq!((totals.backlog, totals.unfinished), (7, 0));
        let under_way = totals.ended_per_s * totals.service.mean_us / 1e6;
        assert!(under_way > 0.0 && (totals.under_way - under_way).abs() < 1e-9);
        for kind in &read.types {
            assert_eq!(
                (kind.completed_in_window, kind.failed_in_window),
                (kind.completed, kind.failed)
            );
        }
        assert_eq!(read.histogram(), written.histogram());
    }

    #[test]
    fn refuses_other_files() {
        for text in [
            "",
            "[]",
            "{}",
            "{\"version\": 1}",
            "{\"version\": 0, \"tool\": \"t\"}",
            r#"{"version": 1, "tool": "t", "types": 7}"#,
            r#"{"version": 1, "tool": "t", "types": [{"service_histogram": "AAAA"}]}"#,
            r#"{"version": 1, "tool": "t", "seconds": [{"by_type": [1]}]}"#,
        ] {
            let error = RunResult::from_json(text, "a.json").unwrap_err();
            assert_eq!(error.message, "a.json is not a result of `duet bench`.", "{text}");
        }
        let newer = format!("{{\"version\": {}, \"tool\": \"duet 9.0\"}}", VERSION + 1);
        let error = RunResult::from_json(&newer, "a.json").unwrap_err();
        assert!(error.message.contains("this program reads up to"), "{error:?}");
        assert!(error.hint.unwrap().contains("duet 9.0"));
    }
}
