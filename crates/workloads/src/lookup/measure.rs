//! The runs: a new process each, round by round over all variants.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use duet_bench::workload::Failed;

use super::cold_run::{ColdRun, run_cold};
use super::endpoint::Endpoint;
use super::served::REMEMBERED;

/// A table by an access path.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The path's name.
    pub path: String,
    /// The table.
    pub table: &'static str,
    /// Its endpoint.
    pub endpoint: Endpoint,
    /// Whether processors are kept awake during the measurement.
    pub is_awake: bool,
}

impl Variant {
    /// Whether a service reads a table with a rowstore: then every item must come from memory.
    fn is_from_memory(&self) -> bool {
        let is_service = matches!(self.endpoint, Endpoint::Http { .. } | Endpoint::Process(_));
        is_service && self.table == REMEMBERED
    }
}

/// The measured times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rounds {
    /// The seconds of each variant's runs, in the order of the variants.
    pub seconds: Vec<Vec<f64>>,
    /// Whether the measurement was interrupted.
    pub interrupted: bool,
}

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct MeasureSize {
    /// The keys that a run reads.
    pub keys: u64,
    /// How often each variant runs.
    pub runs: u32,
}

/// Measures all variants. Each round runs every variant once, every other round in reverse order,
/// so that a drift of the machine affects all of them alike. `program` starts a process that calls
/// [`serve_cold`](super::serve_cold); `keep_awake` returns a guard that keeps processors awake;
/// `tell` is called after each run.
///
/// # Errors
/// Why a run failed.
pub fn measure<Awake>(
    variants: &[Variant],
    size: MeasureSize,
    program: impl Fn() -> Command,
    keep_awake: impl Fn() -> Result<Awake, Failed>,
    stop: &AtomicBool,
    mut tell: impl FnMut(&Variant, u32, Duration),
) -> Result<Rounds, Failed> {
    let mut rounds = Rounds { seconds: vec![Vec::new(); variants.len()], interrupted: false };
    for round in 1..=size.runs {
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
                keys: size.keys,
                from_memory: variant.is_from_memory(),
            };
            let _awake = if variant.is_awake { Some(keep_awake()?) } else { None };
            let took = match run_cold(program(), &once) {
                Ok(took) => took,
                // Servers receive Ctrl-C too, and stop responding.
                Err(_) if stop.load(Ordering::Relaxed) => {
                    rounds.interrupted = true;
                    break;
                }
                Err(Failed { outcome, message }) => {
                    return Err(Failed::new(outcome, format!("{}: {message}", variant.path)));
                }
            };
            seconds[place] = took.as_secs_f64();
            tell(variant, round, took);
        }
        if rounds.interrupted {
            // An incomplete round compares nothing.
            break;
        }
        rounds.seconds.iter_mut().zip(seconds).for_each(|(runs, took)| runs.push(took));
    }
    Ok(rounds)
}

/// Reads all keys once from each endpoint that keeps items in memory across processes, to warm it
/// up.
///
/// # Errors
/// Why one could not be read.
pub fn fill_memory(
    variants: &[Variant],
    keys: u64,
    program: impl Fn() -> Command,
) -> Result<(), Failed> {
    let mut filled: Vec<&Endpoint> = Vec::new();
    for Variant { path, table, endpoint, .. } in variants.iter().filter(|it| it.is_from_memory()) {
        if matches!(endpoint, Endpoint::Process(_)) || filled.contains(&endpoint) {
            continue;
        }
        filled.push(endpoint);
        let (endpoint, table) = (endpoint.clone(), (*table).to_owned());
        let run = run_cold(program(), &ColdRun { endpoint, table, keys, from_memory: false });
        run.map_err(|Failed { outcome, message }| {
            Failed::new(outcome, format!("{path}: {message}"))
        })?;
    }
    Ok(())
}

/// The report's line about a run, with whether processors were kept awake.
pub fn line(variant: &Variant, run: u32, keys: u64, took: Duration) -> String {
    let (table, path, address) = (variant.table, &variant.path, variant.endpoint.address());
    let seconds = took.as_secs_f64();
    let awake = if variant.is_awake { ", spinners on" } else { "" };
    format!(
        "run #{run}: read {keys} rows from {table} in {seconds:.3} seconds via {address} ({path}{awake})."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variants() -> Vec<Variant> {
        let variant = |table| Variant {
            path: "SQLite, in process".into(),
            table,
            endpoint: Endpoint::Memory(1),
            is_awake: table == "t2",
        };
        ["t1", "t2"].map(variant).into()
    }

    fn asleep() -> Result<(), Failed> {
        Ok(())
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
        let measured =
            measure(&variants(), MeasureSize { keys: 1, runs: 3 }, program(script), asleep, &stop, |variant, run, took| {
                told.push(line(variant, run, 1, took));
            });
        let measured = measured.unwrap();
        assert_eq!(measured.seconds[1], [0.5; 3]);
        let expected = [(1, "t1"), (1, "t2"), (2, "t2"), (2, "t1"), (3, "t1"), (3, "t2")];
        let expected = expected.map(|(run, table)| {
            let path = ["SQLite, in process", "SQLite, in process, spinners on"];
            let path = path[usize::from(table == "t2")];
            format!(
                "run #{run}: read 1 rows from {table} in 0.500 seconds via sqlite::memory: ({path})."
            )
        });
        assert_eq!(told, expected);
    }

    #[test]
    fn processors_are_kept_awake_during_the_runs_that_ask_for_it() {
        use std::cell::Cell;

        struct Awake<'a>(&'a Cell<bool>);
        impl Drop for Awake<'_> {
            fn drop(&mut self) {
                self.0.set(false);
            }
        }

        let is_awake = Cell::new(false);
        let seen = std::cell::RefCell::new(Vec::new());
        let program = || {
            seen.borrow_mut().push(is_awake.get());
            program("cat >/dev/null; echo '{\"seconds\":0.5}'")()
        };
        let keep_awake = || {
            is_awake.set(true);
            Ok(Awake(&is_awake))
        };
        let stop = AtomicBool::new(false);
        measure(&variants(), MeasureSize { keys: 1, runs: 2 }, program, keep_awake, &stop, |_, _, _| ()).unwrap();
        assert_eq!(*seen.borrow(), [false, true, true, false]);
        assert!(!is_awake.get());
    }

    #[test]
    fn items_are_brought_into_memory_once_for_each_server() {
        let at = |mount: &str| Endpoint::Http { mount: mount.into(), authorization: None };
        let variant =
            |endpoint, table| Variant { path: "HTTP".into(), table, endpoint, is_awake: false };
        let database = duet_bench::targets::sql::DatabaseAddress::sqlite("/a.db");
        let all = [
            variant(at("http://h/a"), "t1"),
            variant(at("http://h/a"), "t4"),
            variant(at("http://h/b"), "t4"),
            variant(at("http://h/a"), "t4"),
            variant(Endpoint::Process(database), "t4"),
            variant(Endpoint::Memory(1), "t4"),
        ];
        let folder = tempfile::tempdir().unwrap();
        let told = folder.path().join("told");
        let script = format!("cat >>{}; echo '{{\"seconds\":1}}'", told.display());
        fill_memory(&all, 7, program(&script)).unwrap();
        let told = std::fs::read_to_string(told).unwrap();
        assert_eq!(told.matches("\"table\":\"t4\"").count(), 2, "{told}");
        assert!(told.contains("http://h/b") && !told.contains("a.db"), "{told}");
        let failed = fill_memory(&all, 7, program("cat >/dev/null; exit 3")).unwrap_err().message;
        assert!(failed.starts_with("HTTP: "), "{failed}");
    }

    #[test]
    fn a_process_that_fails_ends_it() {
        let stop = AtomicBool::new(false);
        for (script, message) in [
            (
                "cat >/dev/null; echo '{\"failed\":{\"outcome\":\"check\",\"message\":\"no\"}}'",
                "no",
            ),
            ("cat >/dev/null; exit 3", "exit status: 3"),
        ] {
            let failed = measure(&variants(), MeasureSize { keys: 1, runs: 1 }, program(script), asleep, &stop, |_, _, _| ());
            let failed = failed.unwrap_err().message;
            assert!(
                failed.starts_with("SQLite, in process: ") && failed.ends_with(message),
                "{failed}"
            );
        }
    }

    #[test]
    fn incomplete_rounds_do_not_count() {
        let stop = AtomicBool::new(false);
        let script = "cat >/dev/null; echo '{\"seconds\":0.5}'";
        let measured =
            measure(&variants(), MeasureSize { keys: 1, runs: 3 }, program(script), asleep, &stop, |variant, run, _| {
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
        let measured = measure(&variants(), MeasureSize { keys: 1, runs: 3 }, stopping, asleep, &stop, |_, _, _| ()).unwrap();
        assert!(measured.interrupted && measured.seconds[0].is_empty());
    }
}
