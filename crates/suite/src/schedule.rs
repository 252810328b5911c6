//! Which program runs when: several at once, those that take longest first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::thread;

use crate::programs::Program;
use crate::run::{self, Manner, Outcome};

/// Runs all programs, `lanes` of them at once, and tells of each that has ended.
pub(super) fn run(
    programs: Vec<(Program, Manner)>,
    lanes: usize,
    ended: impl Fn(&Outcome) + Sync,
) -> Vec<Outcome> {
    // The last of the list is the next to run.
    let waiting = Mutex::new(programs.into_iter().rev().collect::<Vec<_>>());
    let outcomes = Mutex::new(Vec::new());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    thread::scope(|scope| {
        for _ in 0..lanes {
            scope.spawn(|| {
                while let Some((program, manner)) = next() {
                    let outcome = run::run(&program, &manner);
                    ended(&outcome);
                    outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
                }
            });
        }
    });
    outcomes.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Those that took longest last time first. Before them those that are new: tests from outside before tests of units, and
/// those with more code first.
pub(super) fn order(programs: &mut [Program], seconds: &BTreeMap<String, f64>) {
    programs.sort_by_cached_key(|program| {
        let last = seconds.get(&program.name()).map(|seconds| (seconds * 1_000.0) as u64);
        let new = (program.selection.starts_with("--test"), code_below(&program.source));
        Reverse((last.is_none().then_some(new), last))
    });
}

/// Bytes of code in the folder of a file, and below it.
fn code_below(file: &Path) -> u64 {
    let entries = file.parent().and_then(|folder| fs::read_dir(folder).ok());
    let sizes =
        entries.into_iter().flatten().filter_map(Result::ok).map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => code_below(&entry.path().join("mod.rs")),
            Ok(data) => data.len(),
            Err(_) => 0,
        });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_program_runs_first_and_new_ones_before_it() {
        let program = |package: &str| Program {
            package: package.to_owned(),
            selection: "--lib".to_owned(),
            path: "/nowhere".into(),
            folder: "/nowhere".into(),
            source: "/nowhere/main.rs".into(),
            variables: Vec::new(),
        };
        let mut programs = ["duet-a", "duet-b", "duet-new"].map(program);
        let seconds = [("a".to_owned(), 1.0), ("b".to_owned(), 9.0)].into();
        order(&mut programs, &seconds);
        assert_eq!(programs.map(|program| program.name()), ["new", "b", "a"]);
    }
}
