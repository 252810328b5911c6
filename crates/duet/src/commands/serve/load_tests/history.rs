//! The runs of a folder: those of the console, and those that `duet bench run` has put there.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use duet_bench::result_files::{self, notes};
use duet_bench::run::{
    RESULT, holds_run, is_under_way, is_unfinished, recover, so_far, unreadable,
};
use duet_http::load_tests::{Problem, Run, State};
use duet_report::html::holds;
use duet_verdict::result::RunResult;
use duet_verdict::stored_result::refuse_contradictions;
use duet_verdict::text::figure;

use super::child::OUTPUT;

/// The most of what a process has said that is shown, in bytes.
const SAID: usize = 4_000;

/// Whether a name can be that of a run: nothing that leads elsewhere.
pub(super) fn is_name(name: &str) -> bool {
    let plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_' | b'.');
    !name.is_empty() && !name.starts_with('.') && name.bytes().all(plain)
}

/// The newest runs of a folder; `running` is the one that goes on.
pub(super) fn list(folder: &Path, running: Option<&str>, most: usize) -> Vec<Run> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok().filter(|name| is_name(name))?;
        let path = entry.path();
        let is_run = holds_run(&path) || path.join(OUTPUT).is_file();
        is_run.then(|| (time(&path), name, path))
    });
    let mut found: Vec<(Option<SystemTime>, String, PathBuf)> = found.collect();
    found.sort_by(|a, b| (b.0, &b.1).cmp(&(a.0, &a.1)));
    let newest = found.into_iter().take(most);
    let runs = newest.filter_map(|(_, name, path)| run(&path, running == Some(&name)));
    let mut runs: Vec<Run> = runs.collect();
    runs.sort_by(|a, b| b.started.cmp(&a.started));
    runs
}

/// When the first file of a run was made, as far as the file system knows.
fn time(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|it| it.created().or_else(|_| it.modified())).ok()
}

/// The run of a folder; `goes_on` says that its process is alive.
pub(super) fn run(folder: &Path, goes_on: bool) -> Option<Run> {
    let id = folder.file_name()?.to_str()?.to_owned();
    let has_begun = holds_run(folder);
    if !has_begun && !folder.join(OUTPUT).is_file() {
        return None;
    }
    let started = time(folder).map(|time| humantime::format_rfc3339_seconds(time).to_string());
    let bare = |state, message| Run {
        title: id.clone(),
        started: started.clone().unwrap_or_default(),
        state,
        message,
        id: id.clone(),
        ..Run::default()
    };
    if !has_begun {
        let state = if goes_on { State::Begins } else { State::Failed };
        return Some(bare(state, said(folder)));
    }
    Some(match read(folder) {
        Ok(result) => described(id.clone(), &result),
        Err(problem) => bare(State::Failed, problem.detail),
    })
}

/// What the process of a run has said, its end.
fn said(folder: &Path) -> String {
    let bytes = fs::read(folder.join(OUTPUT)).unwrap_or_default();
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(SAID)..]).into_owned()
}

/// The result of a run: of one that goes on what was measured so far, of a killed one what is left.
///
/// # Errors
/// Where nothing was measured.
pub(super) fn read(folder: &Path) -> Result<RunResult, Problem> {
    let of_disk = |error: &std::io::Error| super::unreadable(unreadable(folder, error));
    let spooled = is_unfinished(folder).then(|| match is_under_way(folder) {
        true => so_far(folder),
        false => recover(folder),
    });
    let mut result = match spooled {
        // It may have ended meanwhile, and the spool is gone.
        Some(spooled) if is_unfinished(folder) => spooled.map_err(|error| of_disk(&error))?,
        _ => finished(&folder.join(RESULT)).map_err(super::unreadable)?,
    };
    result.notes.extend(notes(folder));
    if result.name.is_empty() {
        result.name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    }
    Ok(result)
}

/// The result of a run that has ended.
///
/// # Errors
/// If it is none, or contradicts itself.
fn finished(file: &Path) -> duet_model::Result<RunResult> {
    let result = result_files::read(file)?;
    refuse_contradictions(&result, &file.display().to_string())?;
    Ok(result)
}

/// Seconds from the beginning of a run that goes on.
pub(super) fn seconds(folder: &Path) -> u64 {
    let last = so_far(folder).ok().and_then(|result| result.seconds.last().map(|it| it.at_s));
    last.unwrap_or(0)
}

fn described(id: String, result: &RunResult) -> Run {
    let state = match &*result.window.ended_by {
        "" => State::Runs,
        "interrupted" | "killed" => State::Stopped,
        _ if holds(result) => State::Held,
        _ => State::Missed,
    };
    let users = result.load.users;
    let load = match result.load.rate_per_s {
        Some(rate) => format!("{} a second, {users} at most", figure(rate)),
        None => format!("{users} users"),
    };
    let totals = &result.totals;
    let times = if result.is_open() { &totals.response } else { &totals.service };
    let p99 =
        times.p99_us.map_or_else(|| "–".into(), |us| format!("{} ms", figure(us as f64 / 1e3)));
    Run {
        id,
        title: result.title(),
        started: result.started.clone(),
        target: result.target.address.clone(),
        load,
        figures: [figure(totals.tps), p99, totals.failed.to_string()],
        state,
        message: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_without_a_run_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["empty", "failed", ".hidden", "a b"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::write(at("failed").join(OUTPUT), "error: no such resource\n").unwrap();
        fs::write(at(".hidden").join(OUTPUT), "").unwrap();
        fs::write(at("a b").join(OUTPUT), "").unwrap();
        let runs = list(folder.path(), None, 9);
        assert_eq!(runs.len(), 1);
        assert_eq!((&*runs[0].id, runs[0].state), ("failed", State::Failed));
        assert_eq!(runs[0].message, "error: no such resource\n");
        assert_eq!(list(folder.path(), Some("failed"), 9)[0].state, State::Begins);
        assert!(list(&at("nowhere"), None, 9).is_empty());
    }
}
