//! Results as texts, and what is derived from several of their fields.

use duet_model::temporal;
use duet_model::types::Type;
use duet_model::{Code, Error, Result};
use hdrhistogram::Histogram;
use serde::Deserialize;

use super::{ACHIEVED, RunResult, Second, TypeResult, VERSION};
use crate::times::{Damaged, histogram, unpack};

/// What every result has, whatever its version: to be read before the rest.
#[derive(Debug, Deserialize)]
pub struct Head {
    version: Option<u32>,
    tool: Option<String>,
}

impl Head {
    /// Whether this program reads such a result; `name` is what errors call it.
    ///
    /// # Errors
    /// `ResultFile`: it is no result, or a newer program wrote it.
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

impl RunResult {
    /// Reads a result from its text; `name` is what errors call it.
    ///
    /// # Errors
    /// `ResultFile`: it is no result, or a newer program wrote it.
    pub fn from_json(text: &str, name: &str) -> Result<Self> {
        let none = |error: serde_json::Error| not_a_result(name).cause(error);
        serde_json::from_str::<Head>(text).map_err(none)?.check(name)?;
        serde_json::from_str::<Self>(text).map_err(none)?.completed(name)
    }

    /// A result as it was read, checked, with what older versions lack; `name` is what errors call it.
    ///
    /// # Errors
    /// `ResultFile`: its parts do not fit together.
    pub fn completed(mut self, name: &str) -> Result<Self> {
        self.check(name)?;
        if self.version < 2 {
            self.complete_first_version();
        }
        Ok(self)
    }

    /// In version 1 what counts both began and ended in the window: completed ones are those that ended in it.
    fn complete_first_version(&mut self) {
        let totals = &mut self.totals;
        (totals.completed_in_window, totals.failed_in_window) = (totals.completed, totals.failed);
        totals.backlog = totals.unsent;
        totals.under_way = totals.throughput_per_s * totals.service.mean_us / 1e6;
        for kind in &mut self.types {
            (kind.completed_in_window, kind.failed_in_window) = (kind.completed, kind.failed);
        }
    }

    /// Columns that do not fit together would be read as something else.
    fn check(&self, name: &str) -> Result<()> {
        for kind in &self.types {
            for text in [
                &kind.service_histogram,
                &kind.response_histogram,
                &kind.unfinished_service_histogram,
                &kind.unfinished_response_histogram,
            ] {
                unpack(text).map_err(|error| not_a_result(name).cause(error))?;
            }
        }
        let waits = unpack(&self.totals.unsent_histogram);
        waits.map_err(|error| not_a_result(name).cause(error))?;
        for second in &self.seconds {
            let columns = [second.by_type.len(), second.mean_us_by_type.len()];
            if columns.iter().any(|count| *count > self.types.len()) {
                return Err(not_a_result(name).cause("a second has more types than the run"));
            }
            unpack(&second.response_histogram).map_err(|error| not_a_result(name).cause(error))?;
        }
        Ok(())
    }

    /// As JSON, one field a line.
    pub fn to_json(&self) -> String {
        // Its maps have texts as keys, and numbers that JSON has not become null.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// When it began, in milliseconds since 1970; 0 where it does not say.
    pub fn started_ms(&self) -> i64 {
        temporal::sort_key(&Type::TimestampTz, &self.started).map_or(0, |(micros, _)| micros / 1000)
    }

    /// The name it goes by: its own, or the workload and the moment.
    pub fn title(&self) -> String {
        if self.name.is_empty() {
            format!("{} {}", self.workload, self.started).trim().to_owned()
        } else {
            self.name.clone()
        }
    }

    /// The seconds that count, those that lie wholly in the measured window: the piece of a second
    /// at a run's end has fewer transactions than a second.
    pub fn measured(&self) -> impl Iterator<Item = &Second> {
        let end = self.window.from_s + self.window.measured_s;
        let whole = move |second: &&Second| (second.at_s + 1) as f64 <= end + 0.01;
        self.seconds.iter().filter(|second| second.phase == "measure").filter(whole)
    }

    /// Whether arrivals have a plan: then response times are what counts.
    pub fn is_open(&self) -> bool {
        self.load.model == "open"
    }

    /// Failed and unfinished ÷ all that were begun, 0 of none.
    pub fn failed_share(&self) -> f64 {
        let bad = self.totals.failed + self.totals.unfinished;
        let all = self.totals.completed + bad;
        if all == 0 { 0.0 } else { bad as f64 / all as f64 }
    }

    /// The share of the arrivals of an open run that were begun within the window, where it is under 99 %: the server, or the
    /// number of users, did not keep up.
    pub fn overloaded(&self) -> Option<f64> {
        let offered = self.totals.offered.filter(|offered| self.is_open() && *offered > 0)?;
        let share = 1.0 - self.totals.backlog as f64 / offered as f64;
        (share < ACHIEVED).then_some(share)
    }

    /// All types' histograms together, of response times in open runs and of service times in
    /// closed ones. Those that did not end are in it with the least that they took.
    pub fn histogram(&self) -> Histogram<u64> {
        let mut all = self.unfinished(self.is_open());
        for kind in &self.types {
            // Checked when it was read; one that is none holds nothing.
            let _ = kind.histogram(self.is_open()).map(|one| all.add(&one));
        }
        all
    }

    /// The least that those took that were due in the window and did not end; of response times, those that were never begun
    /// among them.
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
    /// Its histogram: of response times or of service times.
    ///
    /// # Errors
    /// Where the text is none.
    pub fn histogram(&self, response: bool) -> std::result::Result<Histogram<u64>, Damaged> {
        unpack(if response { &self.response_histogram } else { &self.service_histogram })
    }

    /// The least that its unfinished ones took.
    ///
    /// # Errors
    /// Where the text is none.
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

/// The error for a text that is no result; `name` is what it calls it.
pub fn not_a_result(name: &str) -> Error {
    wrong(format!("{name} is not a result of `duet bench`."))
        .hint("A result is the JSON file that a run writes.")
}

/// An error about a file of a result.
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
        // Numbers with a fraction may differ in their last bit.
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
    fn older_ones_lack_fields() {
        let text = r#"{"version": 1, "tool": "duet 0.1", "seconds": [{"at_s": 3}]}"#;
        let read = RunResult::from_json(text, "x").unwrap();
        assert_eq!((read.seconds[0].at_s, read.histogram().len()), (3, 0));
    }

    /// What version 1 did not have is derived from what it counted: only what began and ended in the window.
    #[test]
    fn the_first_version_is_converted() {
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
        let under_way = totals.throughput_per_s * totals.service.mean_us / 1e6;
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
    fn what_is_no_result() {
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
