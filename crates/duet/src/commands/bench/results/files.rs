//! Results: files, or folders of runs.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use duet_bench::result_files::{notes, open_log, path_beside};
use duet_bench::run::{RESULT, is_under_way, is_unfinished, recover, unreadable};
use duet_text::printable::printable;
use duet_verdict::result::{LogReader, RunResult};
use duet_verdict::stored_result::refuse_contradictions;

use super::series_folder;
use crate::command_error::CommandError;
use crate::report::Outcome;

/// Reads results to judge them: files, or folders of runs, including killed ones.
///
/// # Errors
/// If one is not a result, or contradicts itself.
pub(in crate::commands::bench) fn read(paths: &[PathBuf]) -> Outcome<Vec<RunResult>> {
    let results = read_unchecked(paths)?;
    // Of a killed run there is what is left of it.
    for (result, path) in results.iter().zip(paths).filter(|(_, path)| !is_unfinished(path)) {
        refuse_contradictions(result, &path.display().to_string())?;
    }
    Ok(results)
}

/// Reads results whose contradictions are said by other means. A result without a name gets that of its file or folder.
///
/// # Errors
/// If one is not a result.
pub(in crate::commands::bench) fn read_unchecked(paths: &[PathBuf]) -> Outcome<Vec<RunResult>> {
    let read = |path: &PathBuf| {
        let file = if path.is_dir() { path.join(RESULT) } else { path.clone() };
        if is_under_way(path) {
            let message = format!("{} holds a run that is under way.", path.display());
            let hint = "Its result is written at its end; --live shows a run meanwhile.";
            return Err(CommandError::result_file(message).hint(hint));
        }
        if path.is_dir()
            && !file.exists()
            && !is_unfinished(path)
            && let Some(error) = series_folder::of_series(path)
        {
            return Err(error);
        }
        let recovered = is_unfinished(path).then(|| recover(path));
        let mut result = match recovered {
            // It may have ended meanwhile, and the spool is gone.
            Some(result) if is_unfinished(path) => {
                result.map_err(|error| unreadable(path, &error))?
            }
            _ => duet_bench::result_files::read(&file)?,
        };
        if path.is_dir() {
            result.notes.extend(notes(path));
        }
        if result.name.is_empty() {
            let whole = if file.ends_with(RESULT) { file.parent() } else { Some(&*file) };
            let stem = whole.and_then(Path::file_stem);
            result.name = stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        }
        make_printable(&mut result);
        Ok(result)
    };
    paths.iter().map(read).collect()
}

/// The path of the log of a result: a file, or the folder of a run.
pub(in crate::commands::bench) fn path_of_log(result: &Path) -> PathBuf {
    path_beside(&if result.is_dir() { result.join(RESULT) } else { result.to_owned() })
}

/// The log of a result, if there is one.
///
/// # Errors
/// If it cannot be opened.
pub(in crate::commands::bench) fn log(result: &Path) -> Outcome<Option<LogReader<'static>>> {
    let path = path_of_log(result);
    match open_log(&path) {
        Ok(log) => Ok(Some(log)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let message = format!("The histograms {} cannot be read: {error}.", path.display());
            Err(CommandError::result_file(message))
        }
    }
}

/// Escapes control characters of names: they go to terminals, and XML has none.
fn make_printable(result: &mut RunResult) {
    let types = result.types.iter_mut().flat_map(|kind| [&mut kind.name, &mut kind.short]);
    for name in [&mut result.workload, &mut result.name].into_iter().chain(types) {
        if let Cow::Owned(escaped) = printable(name) {
            *name = escaped;
        }
    }
}
