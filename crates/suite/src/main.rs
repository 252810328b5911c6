//! Everything that continuous integration checks, run on all processors, with a table of where the minutes went.
//! `./test` calls it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool")]

mod chosen;
mod machine;
mod options;
mod packages;
mod programs;
mod record;
mod run;
mod schedule;
mod scratch;
mod steps;
mod table;
mod units;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use chosen::{Chosen, Places};
use machine::Processor;
use options::{Options, USAGE};
use packages::Packages;
use run::{Manner, Outcome};
use steps::{Cargo, Steps, shown};
use table::{Minutes, Step};

/// The variable with the seconds since the epoch at which `./test` began.
const BEGAN: &str = "SUITE_BEGAN";

/// The file that tests and servers write the seconds of starts to.
const STARTS: &str = "THROWAWAY_TIMES";

/// The folder in which a fresh cluster of PostgreSQL is kept for the run.
const TEMPLATE: &str = "THROWAWAY_TEMPLATE";

/// The full counts, for `--long`: `just` has the same for each alone.
const FULL: &[(&str, &str)] = &[
    ("DUET_LONG", "1"),
    ("DUET_KILLS", "1000"),
    ("DUET_CUTS", "1000"),
    ("DUET_TRIAL_OPERATIONS", "250000"),
    ("DUET_TRIAL_QUERIES", "100000"),
    ("DUET_RMB_QUERIES", "20000"),
    ("DUET_FUZZ_CASES", "1000000"),
];

fn main() -> ExitCode {
    if let Some(notes) = std::env::var_os(units::NOTES) {
        let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
        return units::compile(Path::new(&notes), &arguments);
    }
    if std::env::args().any(|word| matches!(word.as_str(), "--help" | "-h")) {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(said) => {
            eprintln!("{said}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match Suite::new(options).and_then(|mut suite| suite.run()) {
        Ok(()) => {
            println!("\n./test: everything passed");
            ExitCode::SUCCESS
        }
        Err(step) => {
            println!("\n./test: FAILED: {step}");
            ExitCode::FAILURE
        }
    }
}

/// A run.
#[derive(Debug)]
struct Suite {
    options: Options,
    cargo: Cargo,
    places: Places,
    steps: Steps,
    cores: usize,
    linking: f64,
}

impl Drop for Suite {
    fn drop(&mut self) {
        // It holds a cluster and temporary files that no test uses any more.
        let _ = fs::remove_dir_all(&self.places.scratch);
    }
}

impl Suite {
    fn new(options: Options) -> Result<Self, String> {
        let root = std::env::current_dir().map_err(|error| error.to_string())?;
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let kept = root.join(target).join("test");
        let places = Places {
            logs: kept.join("logs"),
            times: kept.join("times.json"),
            skipped: kept.join("skipped.txt"),
            scratch: scratch::make().map_err(|error| error.to_string())?,
        };
        let made = fs::create_dir_all(&places.logs);
        made.and_then(|()| fs::write(&places.skipped, "")).map_err(|error| error.to_string())?;
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let cargo = Cargo { own, notes: kept.join("units") };
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Self { options, cargo, places, steps: Steps::default(), cores, linking: 0.0 })
    }

    fn run(&mut self) -> Result<(), String> {
        self.steps.done.extend(bootstrap());
        self.steps.step("format", "layout that `cargo fmt` would change", || {
            shown(Command::new("cargo").args(["fmt", "--all", "--check"]))
        })?;
        if self.options.is_part() {
            let chosen = self.choose()?;
            let programs = self.build()?;
            return verdict(self.run_tests(programs, &chosen)?.1);
        }
        let chosen = Chosen::default();
        let programs = self.build()?;
        self.documentation()?;
        self.steps.step("oldest Rust", "what only newer compilers take", steps::minimum_rust)?;
        self.steps.step("fuzz targets", "targets that no longer compile", steps::fuzz_targets)?;
        let validator = self.places.times.with_file_name("validator");
        self.steps.step(
            "OpenAPI documents",
            "what a validator that is not ours refuses",
            || steps::openapi(&validator),
        )?;
        let before = Processor::now();
        let (outcomes, passed) = self.run_tests(programs, &chosen)?;
        let used = Processor::now().since(before);
        if self.options.long && passed {
            self.steps.step("scripts of figures", "scripts that no longer run", scripts)?;
        }
        // Where the minutes went is of use after a failure, too.
        self.tell_minutes(&outcomes, used)?;
        verdict(passed)
    }

    fn choose(&self) -> Result<Chosen, String> {
        let packages = Packages::of_workspace()?;
        let filter = self.options.filter.clone();
        let (changed, others) = if self.options.changed {
            let files = Packages::changed_files()?;
            packages.of_files(files.iter().map(String::as_str))
        } else {
            let named: Result<_, _> =
                self.options.crates.iter().map(|name| packages.at(name)).collect();
            (named?, false)
        };
        if others {
            println!("files outside the crates changed: `duet` is tested, too");
        }
        let users = if filter.is_some() { BTreeSet::new() } else { packages.that_use(&changed) };
        let whole = if others { Some("duet".to_owned()) } else { None };
        Ok(Chosen { packages: changed.into_iter().chain(whole).collect(), users, filter })
    }

    fn build(&mut self) -> Result<Vec<programs::Program>, String> {
        let cargo = &self.cargo;
        let catches = "errors and warnings of compiler and clippy, in all code";
        let (messages, linking) = self.steps.step("build and lints", catches, || cargo.build())?;
        self.linking = linking;
        programs::read(&messages)
    }

    fn documentation(&mut self) -> Result<(), String> {
        let (cargo, cores) = (&self.cargo, self.cores);
        let output = self.places.times.with_file_name("doc");
        self.steps.step(
            "documentation",
            "broken links and examples of the code's own pages",
            || {
                let done = units::document(&cargo.notes, &output, cores)?;
                println!("{} crates documented, {} examples run", done.units, done.examples);
                Ok(())
            },
        )
    }

    /// Runs the tests, and gives what became of them and whether all passed.
    fn run_tests(
        &mut self,
        programs: Vec<programs::Program>,
        chosen: &Chosen,
    ) -> Result<(Vec<Outcome>, bool), String> {
        let surroundings = self.surroundings();
        let (places, cores) = (&self.places, self.cores);
        self.steps.step("tests", "behaviour on SQLite and PostgreSQL, pages, examples", || {
            let manner = Manner { threads: cores, surroundings, ..Manner::new(&places.logs) };
            let outcomes = chosen::run(programs, chosen, places, &manner);
            let passed = chosen::tell(&outcomes, places);
            Ok((outcomes, passed))
        })
    }

    /// What tests find in their environment.
    fn surroundings(&self) -> Vec<(&'static str, OsString)> {
        let full =
            FULL.iter().filter(|_| self.options.long).map(|(name, value)| (*name, (*value).into()));
        let folders: [(&str, OsString); 4] = [
            ("TMPDIR", scratch::temporary(&self.places.scratch).into()),
            ("DUET_SKIPPED", self.places.skipped.clone().into()),
            (TEMPLATE, self.places.scratch.clone().into()),
            (STARTS, self.places.scratch.join("starts.txt").into()),
        ];
        folders.into_iter().chain(full).collect()
    }

    fn tell_minutes(&self, outcomes: &[Outcome], used: Processor) -> Result<(), String> {
        let build: f64 = self
            .steps
            .done
            .iter()
            .filter(|step| step.name.starts_with("build"))
            .map(|step| step.seconds)
            .sum();
        let starts = fs::read_to_string(self.places.scratch.join("starts.txt")).unwrap_or_default();
        let starts: f64 = starts.lines().filter_map(|line| line.parse::<f64>().ok()).sum();
        let named = |outcome: &Outcome| {
            let name = outcome.program.name();
            let tests = outcome.tests.iter();
            tests.map(|test| (format!("{name} {}", test.name), test.seconds)).collect::<Vec<_>>()
        };
        let minutes = Minutes {
            steps: self.steps.done.clone(),
            tests: outcomes.iter().flat_map(named).collect(),
            kinds: vec![
                ("building, linkers left out", build - self.linking),
                ("linking, of all linkers", self.linking),
                ("starting servers, of all tests", starts),
                ("running tests, processor time of the machine", used.busy),
                ("waiting, processor time that nothing used while tests ran", used.idle),
            ],
            host: format!("{} processors.", self.cores),
        };
        let table = minutes.markdown();
        println!("\n{table}");
        if !self.options.record {
            return Ok(());
        }
        let page = fs::read_to_string("CONTRIBUTING.md").map_err(|error| error.to_string())?;
        fs::write("CONTRIBUTING.md", table::replaced(&page, &table)?)
            .map_err(|error| error.to_string())
    }
}

/// The end of a run whose other steps have passed.
fn verdict(passed: bool) -> Result<(), String> {
    if passed { Ok(()) } else { Err("tests".to_owned()) }
}

/// What `./test` did before this program was there: packages, toolchain, and its build.
fn bootstrap() -> Option<Step> {
    let began: f64 = std::env::var(BEGAN).ok()?.parse().ok()?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
    let catches = "tools that are missing; they are installed";
    Some(Step {
        name: "packages and this program".to_owned(),
        seconds: now.as_secs_f64() - began,
        catches,
    })
}

/// Runs each script of `bench/` once, in its shortest form.
fn scripts() -> Result<(), String> {
    shown(&mut Command::new("bench/all.sh"))
}
