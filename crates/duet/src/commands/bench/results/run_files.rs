//! Saves a run on disk. A full disk ends no run: its summary is printed, and the error follows.

use std::io;
use std::path::{Path, PathBuf};

use duet_bench::run::{Merged, Spool, holds_run, is_under_way, is_unfinished};
use duet_verdict::result::{RunResult, Second};

use crate::command_error::CommandError;
use crate::commands::bench::next::report;
use crate::report::Outcome;

/// The files of a run in progress.
pub(in crate::commands::bench) struct RunFiles<'a> {
    folder: &'a Path,
    spool: io::Result<Spool>,
    /// The first second that could not be saved.
    lost_from: Option<u64>,
}

impl<'a> RunFiles<'a> {
    /// Creates the files.
    ///
    /// # Errors
    /// If the folder already holds a run, or is not writable.
    pub(in crate::commands::bench) fn begin(
        folder: &'a Path,
        tags: &[String],
        before: &RunResult,
    ) -> Outcome<Self> {
        check_vacant(folder)?;
        let spool = Spool::begin(folder, tags, before);
        let spool = spool.map_err(|error| unwritable(folder, &error))?;
        Ok(Self { folder, spool: Ok(spool), lost_from: None })
    }

    /// Saves a second. After the first failure no further one is saved.
    pub(in crate::commands::bench) fn second(&mut self, merged: &Merged, row: &Second) {
        if let Ok(spool) = &mut self.spool
            && let Err(error) = spool.add(merged, row)
        {
            self.spool = Err(error);
            self.lost_from = Some(row.at_s);
        }
    }

    /// Saves the result; returns its file.
    ///
    /// # Errors
    /// If it, or a second before it, cannot be saved.
    pub(in crate::commands::bench) fn finish(self, result: &RunResult) -> Outcome<PathBuf> {
        let Self { folder, spool, lost_from } = self;
        spool.and_then(|spool| spool.finish(result)).map_err(|error| {
            let lost =
                lost_from.map(|second| format!(" Its seconds from {second} on are not saved."));
            not_written(folder, &error, lost.as_deref().unwrap_or_default())
        })
    }
}

/// Rejects a folder that holds a run, finished, killed or under way: runs are never overwritten.
///
/// # Errors
/// If it does.
pub(in crate::commands::bench) fn check_vacant(folder: &Path) -> Outcome {
    let shown = folder.display();
    if is_under_way(folder) {
        let message = format!("{shown} holds a run that is under way.");
        let hint = "Name another folder with --out, or wait for its end.";
        return Err(CommandError::file(message).hint(hint));
    }
    if is_unfinished(folder) {
        let message = format!("{shown} holds a run that was killed, and runs are not overwritten.");
        let hint = format!(
            "`{}` recovers it. Name another folder with --out, or delete this one.",
            report(&[folder])
        );
        return Err(CommandError::file(message).hint(hint));
    }
    match holds_run(folder) {
        true => Err(overwrites(&format!("{shown} holds a run"))),
        false => Ok(()),
    }
}

/// Rejects a folder that is not empty: a series writes folders and files of many names.
///
/// # Errors
/// If it is not empty, or cannot be read.
pub(in crate::commands::bench) fn check_empty(folder: &Path) -> Outcome {
    check_vacant(folder)?;
    match std::fs::read_dir(folder).map(|mut entries| entries.next()) {
        Ok(Some(_)) => Err(overwrites(&format!(
            "{} is not empty, and a series needs a folder of its own",
            folder.display()
        ))),
        Ok(None) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(unwritable(folder, &error)),
    }
}

fn overwrites(what: &str) -> CommandError {
    let message = format!("{what}: runs are not overwritten.");
    CommandError::file(message).hint("Name another folder with --out, or delete this one.")
}

pub(in crate::commands::bench) fn unwritable(folder: &Path, error: &io::Error) -> CommandError {
    not_written(folder, error, "")
}

fn not_written(folder: &Path, error: &io::Error, lost: &str) -> CommandError {
    let message = format!("The result cannot be written to {}: {error}.{lost}", folder.display());
    CommandError::file(message).hint("Name another folder with --out.")
}
