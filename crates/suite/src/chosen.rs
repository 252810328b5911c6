//! The tests: which programs, in which order, and what became of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::programs::Program;
use crate::record::Record;
use crate::run::{Ending, Manner, Outcome};
use crate::schedule;

/// How many seconds of a run of parts the tests of crates that use the changed ones may take, as they took last time.
const SHORT: f64 = 25.0;

/// Which tests are run.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// Crates whose tests are all run; every crate, where there are none.
    pub(super) packages: BTreeSet<String>,
    /// Crates of which short tests are run.
    pub(super) users: BTreeSet<String>,
    /// A part of the tests' names.
    pub(super) filter: Option<String>,
}

/// Where things are kept, below `target/test`.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) logs: PathBuf,
    pub(super) times: PathBuf,
    /// The file that tests write to what they left out.
    pub(super) skipped: PathBuf,
    /// A folder that exists for this run alone.
    pub(super) scratch: PathBuf,
}

/// Runs the chosen tests of the programs, prints what failed and what was skipped, and gives all outcomes.
pub(super) fn run(
    programs: Vec<Program>,
    chosen: &Chosen,
    places: &Places,
    manner: &Manner,
) -> Vec<Outcome> {
    let record = Record::read(&places.times);
    let whole = chosen.packages.is_empty() && chosen.filter.is_none();
    let (mut all, users): (Vec<_>, Vec<_>) = programs
        .into_iter()
        .filter(|program| whole || chosen.of(program))
        .partition(|program| whole || !chosen.users.contains(&program.package));
    schedule::order(&mut all, &record.programs);
    let with = |arguments| Manner { arguments, ..manner.clone() };
    let filter: Vec<_> = chosen.filter.iter().cloned().collect();
    let mut work: Vec<_> = all.into_iter().map(|program| (program, with(filter.clone()))).collect();
    let (short, left_out) = short_tests(&users, &record.tests);
    work.extend(short.into_iter().map(|(program, names)| {
        let exact = std::iter::once("--exact".to_owned());
        (program, with(exact.chain(names).collect()))
    }));
    let outcomes = schedule::run(work, manner.threads, |outcome| println!("{}", line(outcome)));
    if left_out > 0 {
        println!("left to a whole run: {left_out} tests of crates that use these");
    }
    if let Err(error) = record.keep(&outcomes, whole, &places.times) {
        println!("{}: {error}", places.times.display());
    }
    outcomes
}

impl Chosen {
    /// Whether tests of a program are run; a filter alone is for all programs.
    fn of(&self, program: &Program) -> bool {
        if self.packages.is_empty() {
            return true;
        }
        [&self.packages, &self.users].iter().any(|packages| packages.contains(&program.package))
    }
}

/// The shortest tests that were run before, until their time is used up; and how many are left out.
fn short_tests(
    programs: &[Program],
    seconds: &BTreeMap<String, f64>,
) -> (Vec<(Program, Vec<String>)>, usize) {
    let named: BTreeMap<_, _> = programs.iter().map(|program| (program.name(), program)).collect();
    let mut known: Vec<(&Program, &str, f64)> = seconds
        .iter()
        .filter_map(|(name, seconds)| {
            let (program, test) = name.split_once(' ')?;
            Some((*named.get(program)?, test, *seconds))
        })
        .collect();
    known.sort_by(|one, other| one.2.total_cmp(&other.2));
    let mut used = 0.0;
    let fit = known.iter().take_while(|(_, _, seconds)| {
        used += seconds;
        used <= SHORT
    });
    let mut chosen: BTreeMap<String, (Program, Vec<String>)> = BTreeMap::new();
    let mut count = 0;
    for (program, test, _) in fit {
        count += 1;
        let entry = chosen.entry(program.name());
        entry.or_insert_with(|| ((*program).clone(), Vec::new())).1.push((*test).to_owned());
    }
    (chosen.into_values().collect(), known.len() - count)
}

fn line(outcome: &Outcome) -> String {
    let count = |wanted: fn(&Ending) -> bool| {
        outcome.tests.iter().filter(|test| wanted(&test.ending)).count()
    };
    let failed = count(|ending| matches!(ending, Ending::Failed(_)));
    let passed = count(|ending| *ending == Ending::Passed);
    let trouble =
        outcome.trouble.as_ref().map(|trouble| format!(": {trouble}")).unwrap_or_default();
    format!(
        "{:>7.1} s  {}: {passed} passed, {failed} failed{trouble}",
        outcome.seconds,
        outcome.program.name()
    )
}

/// Prints every failure with its output, its log and the command that repeats it; then what was skipped, and the counts.
/// Gives whether all passed.
pub(super) fn tell(outcomes: &[Outcome], places: &Places) -> bool {
    let (mut passed, mut failed) = (0, 0);
    let mut skipped = BTreeSet::new();
    for outcome in outcomes {
        let name = outcome.program.name();
        for test in &outcome.tests {
            match &test.ending {
                Ending::Passed => passed += 1,
                Ending::Ignored(why) => {
                    skipped.insert(format!("{name} {}: {why}", test.name));
                }
                Ending::Failed(said) => {
                    failed += 1;
                    let repeat = outcome.program.repeat(&test.name);
                    println!("\nFAILED {name} {}\n{}", test.name, said.trim_end());
                    println!("its log: {}\nonce more: {repeat}", outcome.log.display());
                }
            }
        }
        if let Some(trouble) = &outcome.trouble {
            failed += 1;
            println!("\nFAILED {name}: {trouble}\n{}", tail(&outcome.log));
        }
    }
    let file = fs::read_to_string(&places.skipped).unwrap_or_default();
    skipped.extend(file.lines().map(str::to_owned));
    for test in &skipped {
        println!("skipped: {test}");
    }
    println!("{passed} passed, {failed} failed, {} skipped", skipped.len());
    failed == 0
}

/// The last lines of a log.
fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_tests_fill_the_time() {
        let program = Program {
            package: "duet-store".to_owned(),
            selection: "--lib".to_owned(),
            path: "/nowhere".into(),
            folder: "/nowhere".into(),
            source: "/nowhere/main.rs".into(),
            variables: Vec::new(),
        };
        let seconds = [("store a", 20.0), ("store b", 1.0), ("store c", 9.0), ("sql d", 0.1)];
        let seconds = seconds.map(|(name, seconds)| (name.to_owned(), seconds)).into();
        let (short, left_out) = short_tests(&[program], &seconds);
        assert_eq!(short[0].1, ["b", "c"]);
        assert_eq!((short.len(), left_out), (1, 1));
    }
}
