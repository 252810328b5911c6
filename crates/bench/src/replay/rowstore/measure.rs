//! The runs: a fresh process each, round by round over all variants.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use duet_verdict::result::HostFacts;

use super::paths::Path;
use super::ratio::trimmed_mean;
use crate::facts;
use crate::lookup::{Once, Way, run_once};
use crate::workload::Failed;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Keys that each run reads; the tables have as many rows.
    pub keys: u64,
    /// Runs of each variant.
    pub runs: u32,
}

impl Size {
    /// As published.
    pub const FULL: Self = Self { keys: 100_000, runs: 5 };
    /// For a look: too little to decide anything.
    pub const QUICK: Self = Self { keys: 5_000, runs: 2 };
}

/// A table by a path.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The path.
    pub path: &'static Path,
    /// The table.
    pub table: &'static str,
    /// How it is reached.
    pub way: Way,
}

/// The runs of a variant, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The path.
    pub path: &'static Path,
    /// The table.
    pub table: &'static str,
    /// Of each run.
    pub seconds: Vec<f64>,
}

impl Series {
    /// The average, as the report takes it.
    pub(super) fn mean(&self) -> Option<f64> {
        trimmed_mean(&self.seconds)
    }
}

/// All that was measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// How much.
    pub size: Size,
    /// The runs of each variant.
    pub series: Vec<Series>,
    /// When it began.
    pub started: String,
    /// The machine, before it began.
    pub host: HostFacts,
    /// Whether it was ended before its time.
    pub interrupted: bool,
}

impl Measured {
    /// The runs of a table by a path.
    pub(super) fn of(&self, path: &Path, table: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.path == path && series.table == table)
    }

    /// The paths that were measured, in their order.
    pub(super) fn paths(&self) -> Vec<&'static Path> {
        let mut paths: Vec<&'static Path> = Vec::new();
        for series in &self.series {
            if !paths.contains(&series.path) {
                paths.push(series.path);
            }
        }
        paths
    }
}

/// Measures all variants. Each round runs every variant once, every other round backwards, so that a
/// machine that grows slower or faster does it to all of them alike. `program` starts a process that
/// calls [`crate::lookup::serve_once`]; `tell` hears of each run.
///
/// # Errors
/// Why a run could not be made.
pub fn measure(
    variants: &[Variant],
    size: Size,
    program: impl Fn() -> Command,
    stop: &AtomicBool,
    mut tell: impl FnMut(&Variant, u32, Duration),
) -> Result<Measured, Failed> {
    let (started, host) = (facts::now(), facts::host());
    let mut series: Vec<Series> = variants
        .iter()
        .map(|variant| Series { path: variant.path, table: variant.table, seconds: Vec::new() })
        .collect();
    let mut interrupted = false;
    for round in 1..=size.runs {
        let mut places: Vec<usize> = (0..variants.len()).collect();
        if round % 2 == 0 {
            places.reverse();
        }
        let mut seconds = vec![0.0; variants.len()];
        for place in places {
            if stop.load(Ordering::Relaxed) {
                interrupted = true;
                break;
            }
            let variant = &variants[place];
            let once =
                Once { way: variant.way.clone(), table: variant.table.to_owned(), keys: size.keys };
            let took = match run_once(program(), &once) {
                Ok(took) => took,
                // Servers hear of Ctrl-C too, and answer no more.
                Err(_) if stop.load(Ordering::Relaxed) => {
                    interrupted = true;
                    break;
                }
                Err(Failed { outcome, said }) => {
                    return Err(Failed::new(outcome, format!("{}: {said}", variant.path.name)));
                }
            };
            seconds[place] = took.as_secs_f64();
            tell(variant, round, took);
        }
        if interrupted {
            // A round that is not whole compares nothing.
            break;
        }
        series.iter_mut().zip(seconds).for_each(|(series, took)| series.seconds.push(took));
    }
    Ok(Measured { size, series, started, host, interrupted })
}

/// A run in the words of the report.
pub fn line(variant: &Variant, run: u32, keys: u64, took: Duration) -> String {
    let (table, address) = (variant.table, variant.way.address());
    let seconds = took.as_secs_f64();
    format!("run #{run}: read {keys} rows from {table} in {seconds:.3} seconds via {address}.")
}

#[cfg(test)]
mod tests {
    use super::super::PATHS;
    use super::*;

    fn variants() -> Vec<Variant> {
        let variant = |table| Variant { path: &PATHS[2], table, way: Way::Memory(1) };
        ["t1", "t2"].map(variant).into()
    }

    fn program(script: &str) -> impl Fn() -> Command {
        move || {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]);
            command
        }
    }

    #[test]
    fn rounds_go_there_and_back() {
        let mut told = Vec::new();
        let size = Size { keys: 1, runs: 3 };
        let script = "cat >/dev/null; echo '{\"seconds\":0.5}'";
        let stop = AtomicBool::new(false);
        let measured = measure(&variants(), size, program(script), &stop, |variant, run, took| {
            told.push(line(variant, run, 1, took));
        });
        let measured = measured.unwrap();
        assert_eq!(measured.series[1].seconds, [0.5; 3]);
        let expected = [(1, "t1"), (1, "t2"), (2, "t2"), (2, "t1"), (3, "t1"), (3, "t2")];
        let expected = expected.map(|(run, table)| {
            format!("run #{run}: read 1 rows from {table} in 0.500 seconds via sqlite::memory:.")
        });
        assert_eq!(told, expected);
    }

    #[test]
    fn a_process_that_fails_ends_it() {
        let size = Size { keys: 1, runs: 1 };
        let stop = AtomicBool::new(false);
        for (script, said) in [
            ("cat >/dev/null; echo '{\"failed\":{\"outcome\":\"check\",\"said\":\"no\"}}'", "no"),
            ("cat >/dev/null; exit 3", "exit status: 3"),
        ] {
            let failed = measure(&variants(), size, program(script), &stop, |_, _, _| ());
            let failed = failed.unwrap_err().said;
            assert!(
                failed.starts_with("SQLite, in process: ") && failed.ends_with(said),
                "{failed}"
            );
        }
    }

    #[test]
    fn a_round_that_is_not_whole_does_not_count() {
        let stop = AtomicBool::new(false);
        let script = "cat >/dev/null; echo '{\"seconds\":0.5}'";
        let size = Size { keys: 1, runs: 3 };
        let measured = measure(&variants(), size, program(script), &stop, |variant, run, _| {
            stop.store((run, variant.table) == (2, "t2"), Ordering::Relaxed);
        });
        let measured = measured.unwrap();
        assert!(measured.interrupted);
        assert_eq!(measured.series[1].seconds.len(), 1);
    }

    #[test]
    fn a_run_that_fails_while_all_is_stopped_is_no_failure() {
        let stop = AtomicBool::new(false);
        let stopping = || {
            stop.store(true, Ordering::Relaxed);
            program("cat >/dev/null; exit 3")()
        };
        let size = Size { keys: 1, runs: 3 };
        let measured = measure(&variants(), size, stopping, &stop, |_, _, _| ()).unwrap();
        assert!(measured.interrupted && measured.series[0].seconds.is_empty());
    }
}
