//! Files of samples: begun before a run, and what is said of them behind it.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use duet_bench::run::{SampleCount, SampleFiles, join_samples};
use duet_bench::sample_files::{SimulationLog, TestLog};
use duet_verdict::result::{RunResult, TargetFacts};

use crate::command_error::CommandError;
use crate::report::Outcome;

/// The address of a target, as samples name it: without a query, which may hold a token, and without the database
/// behind a service.
pub(in crate::commands::bench) fn url(target: &TargetFacts) -> String {
    let address = target.address.split(", on ").next().unwrap_or_default();
    let place = match target.kind.as_str() {
        "http" => address.split('?').next().unwrap_or_default(),
        _ => address,
    };
    match target.kind.as_str() {
        "sqlite" if !place.contains(':') => format!("sqlite:{place}"),
        _ => place.to_owned(),
    }
}

/// Writes the beginnings of the files.
///
/// # Errors
/// If one exists already, or cannot be written.
pub(in crate::commands::bench) fn begin(files: &SampleFiles, name: &str) -> Outcome {
    if let Some(path) = &files.jtl {
        let mut file = new_file(path)?;
        let begun = TestLog::begin(&mut file).map(drop).and_then(|()| file.flush());
        begun.map_err(|error| CommandError::unwritable(path, error))?;
    }
    if let Some(path) = &files.gatling {
        let mut file = new_file(path)?;
        let begun =
            SimulationLog::begin(&mut file, name, now_ms()).map(drop).and_then(|()| file.flush());
        begun.map_err(|error| CommandError::unwritable(path, error))?;
    }
    Ok(())
}

/// A file of samples. It must be new, as results must.
///
/// # Errors
/// If it exists already, or cannot be written.
pub(in crate::commands::bench) fn new_file(path: &Path) -> Outcome<BufWriter<File>> {
    let file = File::create_new(path).map_err(|error| {
        CommandError::unwritable(path, error)
            .hint("Samples are written to a new file: remove it, or name another one.")
    })?;
    Ok(BufWriter::new(file))
}

/// Milliseconds since 1970.
pub(in crate::commands::bench) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or_default()
}

/// Completes the files of a run: adds what is missing in them to the result's warnings.
pub(in crate::commands::bench) fn complete(
    files: &SampleFiles,
    processes: u32,
    mut count: SampleCount,
    result: &mut RunResult,
) {
    if let Err(error) = join_samples(files, processes) {
        count.error.get_or_insert_with(|| error.to_string());
    }
    if count.left_out > 0 {
        result.warnings.push(format!(
            "{} of {} samples are not in the files of samples, which could not be written as fast.",
            count.left_out,
            count.left_out + count.written
        ));
    }
    if let Some(error) = count.error {
        result.warnings.push(format!("The files of samples are not whole: {error}."));
    }
}

/// The lines that say where the samples are.
pub(in crate::commands::bench) fn places(files: &SampleFiles) -> String {
    let each = files.jtl.iter().chain(&files.gatling);
    each.map(|path| format!("Saved samples to {}\n", path.display())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_targets() {
        for (kind, address, expected) in [
            ("http", "http://h:8080/season/team_dv?token=x", "http://h:8080/season/team_dv"),
            ("postgres", "http://h/soe, on postgres://h/soe", "http://h/soe"),
            ("postgres", "postgres:///d?host=/run&port=2", "postgres:///d?host=/run&port=2"),
            ("sqlite", "/tmp/a.db", "sqlite:/tmp/a.db"),
            ("sqlite", "sqlite:/a.db", "sqlite:/a.db"),
        ] {
            let target = TargetFacts {
                kind: kind.to_owned(),
                address: address.to_owned(),
                ..TargetFacts::default()
            };
            assert_eq!(url(&target), expected);
        }
    }
}
