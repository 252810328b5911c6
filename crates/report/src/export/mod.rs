//! Exports results in the formats of other programs.
//!
//! A new one is its writer in a file, a variant of [`ExportFormat`] with its arms here, and its row in
//! `docs/bench-reports.md`. The command line and its help read [`ExportFormat::ALL`].

mod csv;
mod hgrm;
mod jmeter;
mod k6;
mod swingbench;

use std::io::{self, Write};

use duet_verdict::result::RunResult;

pub use csv::{seconds_csv, types_csv};
pub use hgrm::{hgrm, percentile_output};
pub use jmeter::{jtl, statistics};
pub use k6::summary;
pub use swingbench::results_xml;

/// An export format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A line per second, comma-separated.
    SecondsCsv,
    /// A line per type, comma-separated.
    TypesCsv,
    /// HdrHistogram's percentile output of all types together.
    Hgrm,
    /// Swingbench's results.xml.
    Swingbench,
    /// JMeter's JTL, as CSV.
    Jtl,
    /// JMeter's statistics.json.
    Jmeter,
    /// k6's `--summary-export`.
    K6,
}

impl ExportFormat {
    /// All formats, in the order of the manual.
    pub const ALL: [Self; 7] = [
        Self::SecondsCsv,
        Self::TypesCsv,
        Self::Hgrm,
        Self::Swingbench,
        Self::Jtl,
        Self::Jmeter,
        Self::K6,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::SecondsCsv => "csv",
            Self::TypesCsv => "types-csv",
            Self::Hgrm => "hgrm",
            Self::Swingbench => "swingbench",
            Self::Jtl => "jtl",
            Self::Jmeter => "jmeter",
            Self::K6 => "k6",
        }
    }

    /// What it is, for the help of the command line.
    pub fn about(self) -> &'static str {
        match self {
            Self::SecondsCsv => "A line per second",
            Self::TypesCsv => "A line per type of transaction, and their total",
            Self::Hgrm => "HdrHistogram's percentile output",
            Self::Swingbench => "Swingbench's results.xml",
            Self::Jtl => "JMeter's JTL, as CSV",
            Self::Jmeter => "JMeter's statistics.json",
            Self::K6 => "The file of k6's --summary-export",
        }
    }

    /// Writes a result in this format.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(self, result: &RunResult, out: &mut impl Write) -> io::Result<()> {
        let text = match self {
            Self::SecondsCsv => seconds_csv(result),
            Self::TypesCsv => types_csv(result),
            Self::Hgrm => hgrm(result),
            Self::Swingbench => results_xml(result),
            Self::Jtl => return jtl(result, out),
            Self::Jmeter => statistics(result),
            Self::K6 => summary(result),
        };
        out.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_result_has_every_form() {
        for form in ExportFormat::ALL {
            let mut text = Vec::new();
            form.write(&RunResult::default(), &mut text).unwrap();
            assert!(!text.is_empty(), "{form:?}");
        }
    }

    #[test]
    fn the_manual_has_a_row_for_every_form() {
        let page = include_str!("../../../../docs/bench-reports.md");
        for form in ExportFormat::ALL {
            let row = format!("\n| `{}` |", form.name());
            assert_eq!(page.matches(&row).count(), 1, "{form:?}");
        }
    }

    #[test]
    fn every_form_is_listed_once() {
        let mut names = ExportFormat::ALL.map(ExportFormat::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ExportFormat::ALL.len());
        let numbers = ExportFormat::ALL.map(|form| form as usize);
        assert!(numbers.into_iter().eq(0..numbers.len()), "in the order of their numbers");
    }
}
