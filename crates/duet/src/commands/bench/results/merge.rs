//! `duet bench merge`: merges the results of several machines.

use std::io;
use std::path::{Path, PathBuf};

use duet_bench::result_files::{merge_logs, open_log, path_beside};
use duet_bench::run::RESULT;
use duet_verdict::result::{LogReader, merge};
use duet_verdict::text::{counted, seconds};

use super::files::read;
use super::series_folder::runs_in;
use crate::args;
use crate::command_error::CommandError;
use crate::commands::bench::next::{next, report};
use crate::report::{Outcome, print, warn};

pub(in crate::commands::bench) fn run(arguments: &args::BenchMerge) -> Outcome {
    let paths = whole(&arguments.results)?;
    let results = read(&paths)?;
    let logs = || paths.iter().map(|path| log(path)).collect::<Outcome<Vec<_>>>();
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

/// The log of a result, if there is one.
fn log(result: &Path) -> Outcome<Option<LogReader<'static>>> {
    let file = if result.is_dir() { result.join(RESULT) } else { result.to_owned() };
    let path = path_beside(&file);
    match open_log(&path) {
        Ok(log) => Ok(Some(log)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let message = format!("The histograms {} cannot be read: {error}.", path.display());
            Err(CommandError::result_file(message))
        }
    }
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
