//! `duet bench merge`: merges the results of several machines.

use std::io;
use std::path::{Path, PathBuf};

use duet_bench::result_files::{merge_logs, path_beside};
use duet_bench::run::{RESULT, is_unfinished};
use duet_verdict::result::{LogReader, RunResult, compare_log, merge};
use duet_verdict::text::{counted, seconds};

use super::files::{log, path_of_log, read};
use super::series_folder::runs_in;
use crate::args;
use crate::command_error::CommandError;
use crate::commands::bench::next::{next, report};
use crate::report::{Outcome, print, warn};

pub(in crate::commands::bench) fn run(arguments: &args::BenchMerge) -> Outcome {
    let paths = whole(&arguments.results)?;
    let results = read(&paths)?;
    let logs = || paths.iter().map(|path| log(path)).collect::<Outcome<Vec<_>>>();
    refuse_other_logs(&paths, &results, logs()?)?;
    let all = merge(&results, logs()?)?;
    if arguments.out.exists() {
        let message = format!("{} exists: results are not overwritten.", arguments.out.display());
        return Err(CommandError::file(message).hint("Remove it, or name another file."));
    }
    duet_bench::result_files::write(&all, &arguments.out)?;
    let histograms = path_beside(&arguments.out);
    // The log of an older result in its place would be taken for this one's.
    if !merge_logs(&results, logs()?, &histograms)? {
        remove(&histograms)?;
    }
    all.warnings.iter().for_each(|text| warn(text));
    print(&format!(
        "{}, {}, {} in {}: {}\n{}",
        counted(paths.len() as u64, "result"),
        counted(all.load.users.into(), "user"),
        counted(all.totals.completed, "transaction"),
        seconds(all.window.measured_s),
        arguments.out.display(),
        next(&[report(&[&arguments.out])])
    ))
}

/// Refuses logs that do not hold what their results count, such as those of another run: all of them at once.
fn refuse_other_logs(
    paths: &[PathBuf],
    results: &[RunResult],
    logs: Vec<Option<LogReader<'_>>>,
) -> Outcome {
    let each = paths.iter().zip(results).zip(logs);
    let wrong = each.filter_map(|((path, result), log)| {
        // Of a killed run there is what is left of it.
        let why = compare_log(result, log.filter(|_| !is_unfinished(path))?).err()?;
        Some(format!("{}: {why}", path_of_log(path).display()))
    });
    let wrong: Vec<String> = wrong.collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let message = format!("Histograms are not those of their results. {}.", wrong.join(". "));
    let hint = "Bring back the file that the run has written. Without it, the merged result has no histograms of seconds.";
    Err(CommandError::result_file(message).hint(hint))
}

fn remove(path: &Path) -> Outcome {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let message = format!("{} cannot be removed: {error}.", path.display());
            Err(CommandError::file(message))
        }
        _ => Ok(()),
    }
}

/// A folder without a run of its own means the runs in it, in the order of their names.
fn whole(paths: &[PathBuf]) -> Outcome<Vec<PathBuf>> {
    let mut whole = Vec::new();
    for path in paths {
        if !path.is_dir() || path.join(RESULT).exists() {
            whole.push(path.clone());
            continue;
        }
        let runs = runs_in(path)?;
        if runs.is_empty() {
            let message = format!("There is no result in {}.", path.display());
            return Err(CommandError::file(message));
        }
        whole.extend(runs);
    }
    Ok(whole)
}
