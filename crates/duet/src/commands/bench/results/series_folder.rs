//! The folder of a series of runs where one run is expected: which runs it has, and what to type.

use std::io;
use std::path::{Path, PathBuf};

use duet_bench::run::{RESULT, holds_run};

use crate::command_error::CommandError;
use crate::commands::bench::next::{compare, report};
use crate::report::Outcome;

/// The most runs that a message names.
const NAMED: usize = 12;

/// The runs in a folder that has no result of its own, in the order of their names.
///
/// # Errors
/// If the folder cannot be read.
pub(in crate::commands::bench) fn runs_in(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let unreadable = |error: io::Error| CommandError::unreadable(folder, error);
    let mut runs = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let run = entry.map_err(unreadable)?.path();
        if run.join(RESULT).exists() {
            runs.push(run);
        }
    }
    runs.sort();
    Ok(runs)
}

/// Why a folder is no result of one run, if it has runs in it.
pub(in crate::commands::bench) fn of_series(folder: &Path) -> Option<CommandError> {
    let runs = runs_in(folder).ok().filter(|runs| !runs.is_empty())?;
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut names: Vec<String> = runs.iter().take(NAMED).map(name).collect();
    if runs.len() > NAMED {
        names.push(format!("and {} more", runs.len() - NAMED));
    }
    let message = format!(
        "{} is the folder of {} runs, and has no result of its own. Its runs: {}.",
        folder.display(),
        runs.len(),
        names.join(", ")
    );
    let [first, .., last] = &runs[..] else {
        return Some(CommandError::file(message).hint(report(&[&runs[0]])));
    };
    let mut hint = format!(
        "A page of one run: {}. Two of them: {}.",
        report(&[first]),
        compare(&[first, last])
    );
    if let Some(page) = page_of(folder) {
        hint.push_str(&format!(" The page of the series is {}.", page.display()));
    }
    Some(CommandError::file(message).hint(hint))
}

/// These results, and the runs of folders that have none of their own.
///
/// # Errors
/// If a folder cannot be read.
pub(in crate::commands::bench) fn with_runs(paths: &[PathBuf]) -> Outcome<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        let is_run = !path.is_dir() || holds_run(path);
        let runs = if is_run { Vec::new() } else { runs_in(path)? };
        if runs.is_empty() {
            all.push(path.clone());
        }
        all.extend(runs);
    }
    Ok(all)
}

/// The page that the command of the series has written.
fn page_of(folder: &Path) -> Option<PathBuf> {
    let mut pages: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "html"))
        .collect();
    pages.sort();
    pages.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runs_of_a_series_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let series = folder.path();
        assert!(of_series(series).is_none());
        let run = |name: &str| {
            std::fs::create_dir(series.join(name)).unwrap();
            std::fs::write(series.join(name).join(RESULT), "{}").unwrap();
        };
        run("001-a-1");
        let error = of_series(series).unwrap().coded().unwrap();
        assert!(error.message.ends_with("Its runs: 001-a-1."), "{}", error.message);
        assert!(error.hint.unwrap().contains("duet bench report"));
        (2..=15).for_each(|number| run(&format!("{number:03}-b-1")));
        std::fs::write(series.join("sweep.html"), "").unwrap();
        let error = of_series(series).unwrap().coded().unwrap();
        assert!(error.message.contains("folder of 15 runs"), "{}", error.message);
        assert!(error.message.ends_with("012-b-1, and 3 more."), "{}", error.message);
        let hint = error.hint.unwrap();
        let compared = format!(
            "duet bench compare {} {}",
            series.join("001-a-1").display(),
            series.join("015-b-1").display()
        );
        let all = with_runs(&[series.to_owned(), series.join("001-a-1")]).unwrap();
        assert_eq!((all.len(), &all[15]), (16, &series.join("001-a-1")));
        assert_eq!(with_runs(&[series.join("none")]).unwrap(), [series.join("none")]);
        assert!(hint.contains(&compared) && hint.contains("sweep.html"), "{hint}");
    }
}
