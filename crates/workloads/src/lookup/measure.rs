//! The runs: a fresh process each, round by round over all variants.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use duet_bench::workload::Failed;

use super::cold_run::{ColdRun, run_cold};
use super::endpoint::Endpoint;

/// A table by a path.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The path's name.
    pub path: String,
    /// The table.
    pub table: &'static str,
    /// How it is reached.
    pub endpoint: Endpoint,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rounds {
    /// The seconds of each variant's runs, in the order of the variants.
    pub seconds: Vec<Vec<f64>>,
    /// Whether it was ended before its time.
    pub interrupted: bool,
}

/// Measures all variants. Each round runs every variant once, every other round backwards, so that a
/// machine that grows slower or faster does it to all of them alike. `program` starts a process that
/// calls [`serve_cold`](super::serve_cold); `tell` hears of each run.
///
/// # Errors
/// Why a run could not be made.
pub fn measure(
    variants: &[Variant],
    keys: u64,
    runs: u32,
    program: impl Fn() -> Command,
    stop: &AtomicBool,
    mut tell: impl FnMut(&Variant, u32, Duration),
) -> Result<Rounds, Failed> {
    let mut rounds = Rounds { seconds: vec![Vec::new(); variants.len()], interrupted: false };
    for round in 1..=runs {
        let mut places: Vec<usize> = (0..variants.len()).collect();
        if round % 2 == 0 {
            places.reverse();
        }
        let mut seconds = vec![0.0; variants.len()];
        for place in places {
            if stop.load(Ordering::Relaxed) {
                rounds.interrupted = true;
                break;
            }
            let variant = &variants[place];
            let once = ColdRun {
                endpoint: variant.endpoint.clone(),
                table: variant.table.to_owned(),
                keys,
            };
            let took = match run_cold(program(), &once) {
                Ok(took) => took,
                // Servers hear of Ctrl-C too, and answer no more.
                Err(_) if stop.load(Ordering::Relaxed) => {
                    rounds.interrupted = true;
                    break;
                }
                Err(Failed { outcome, said }) => {
                    return Err(Failed::new(outcome, format!("{}: {said}", variant.path)));
                }
            };
            seconds[place] = took.as_secs_f64();
            tell(variant, round, took);
        }
        if rounds.interrupted {
            // A round that is not whole compares nothing.
            break;
        }
        rounds.seconds.iter_mut().zip(seconds).for_each(|(runs, took)| runs.push(took));
    }
    Ok(rounds)
}

/// A run in the words of the report.
pub fn line(variant: &Variant, run: u32, keys: u64, took: Duration) -> String {
    let (table, address) = (variant.table, variant.endpoint.address());
    let seconds = took.as_secs_f64();
    format!("run #{run}: read {keys} rows from {table} in {seconds:.3} seconds via {address}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variants() -> Vec<Variant> {
        let variant = |table| Variant {
            path: "SQLite, in process".into(),
            table,
            endpoint: Endpoint::Memory(1),
        };
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
        let script = "cat >/dev/null; echo '{\"seconds\":0.5}'";
        let stop = AtomicBool::new(false);
        let measured = measure(&variants(), 1, 3, program(script), &stop, |variant, run, took| {
            told.push(line(variant, run, 1, took));
        });
        let measured = measured.unwrap();
        assert_eq!(measured.seconds[1], [0.5; 3]);
        let expected = [(1, "t1"), (1, "t2"), (2, "t2"), (2, "t1"), (3, "t1"), (3, "t2")];
        let expected = expected.map(|(run, table)| {
            format!("run #{run}: read 1 rows from {table} in 0.500 seconds via sqlite::memory:.")
        });
        assert_eq!(told, expected);
    }

    #[test]
    fn a_process_that_fails_ends_it() {
        let stop = AtomicBool::new(false);
        for (script, said) in [
            ("cat >/dev/null; echo '{\"failed\":{\"outcome\":\"check\",\"said\":\"no\"}}'", "no"),
            ("cat >/dev/null; exit 3", "exit status: 3"),
        ] {
            let failed = measure(&variants(), 1, 1, program(script), &stop, |_, _, _| ());
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
        let measured = measure(&variants(), 1, 3, program(script), &stop, |variant, run, _| {
            stop.store((run, variant.table) == (2, "t2"), Ordering::Relaxed);
        });
        let measured = measured.unwrap();
        assert!(measured.interrupted);
        assert_eq!(measured.seconds[1].len(), 1);
    }

    #[test]
    fn a_run_that_fails_while_all_is_stopped_is_no_failure() {
        let stop = AtomicBool::new(false);
        let stopping = || {
            stop.store(true, Ordering::Relaxed);
            program("cat >/dev/null; exit 3")()
        };
        let measured = measure(&variants(), 1, 3, stopping, &stop, |_, _, _| ()).unwrap();
        assert!(measured.interrupted && measured.seconds[0].is_empty());
    }
}
