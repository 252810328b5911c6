//! The interval log of a run, beside its result.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use duet_model::Result;
use duet_verdict::result::{self as pure, LogReader, MergedLog, RunResult, wrong};
use duet_verdict::times::Damaged;
use hdrhistogram::Histogram;

use super::{LOG, RESULT};
use crate::whole_file::WholeFile;

/// The path of a result's log: in its folder, or beside the file with the result's name.
pub fn path_beside(result: &Path) -> PathBuf {
    match result.file_name().is_some_and(|name| name == RESULT) {
        true => result.with_file_name(LOG),
        false => result.with_extension("hlog"),
    }
}

/// Writes the log.
#[derive(Debug)]
pub struct LogWriter {
    file: BufWriter<File>,
}

impl LogWriter {
    /// Starts the log of a run that began this many seconds after 1970.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(path: &Path, start_s: f64) -> io::Result<Self> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(pure::log_head(start_s).as_bytes())?;
        Ok(Self { file })
    }

    /// Adds a type's histogram of a second; empty ones are skipped.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn add(
        &mut self,
        second: u64,
        kind: &str,
        service: &Histogram<u64>,
        response: &Histogram<u64>,
    ) -> io::Result<()> {
        self.file.write_all(pure::log_lines(second, kind, service, response).as_bytes())
    }

    /// Flushes to disk.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Opens a log to read it second by second.
///
/// # Errors
/// If there is none.
pub fn open_log(path: &Path) -> io::Result<LogReader<'static>> {
    let lines = BufReader::new(File::open(path)?).lines();
    let lines = lines.map(|line| line.map_err(|error| Damaged::new(&error)));
    Ok(LogReader::new(path.display().to_string(), lines))
}

/// Merges the logs of all machines, second by second; returns `false` and writes nothing if a
/// machine has no log.
///
/// # Errors
/// `ResultFile`: it cannot be written, or a log cannot be read.
pub fn merge_logs(
    results: &[RunResult],
    logs: Vec<Option<LogReader<'_>>>,
    path: &Path,
) -> Result<bool> {
    let Some(merged) = pure::merge_logs(results, logs) else { return Ok(false) };
    write_merged(merged, path)?;
    Ok(true)
}

fn write_merged(mut merged: MergedLog<'_>, path: &Path) -> Result<()> {
    let unwritable = |error: io::Error| {
        wrong(format!("The histograms cannot be written to {}: {error}.", path.display()))
    };
    let mut file = WholeFile::begin(path).map_err(unwritable)?;
    file.write_all(pure::log_head(merged.start_s).as_bytes()).map_err(unwritable)?;
    loop {
        let lines = merged.next_lines();
        let lines =
            lines.map_err(|error| wrong(format!("The histograms cannot be read: {error}.")))?;
        let Some(lines) = lines else { return file.finish().map_err(unwritable) };
        file.write_all(lines.as_bytes()).map_err(unwritable)?;
    }
}

#[cfg(test)]
mod tests {
    use duet_verdict::times::histogram;

    use super::*;

    #[test]
    fn written_merged_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOG);
        let mut times = histogram();
        times.record(100).unwrap();
        let mut writer = LogWriter::begin(&path, 1.5).unwrap();
        writer.add(2, "A b", &times, &histogram()).unwrap();
        writer.flush().unwrap();
        let log = || Some(open_log(&path).unwrap());
        assert_eq!(log().unwrap().service(2).unwrap(), times);
        let mut results = [RunResult::default(), RunResult::default()];
        results[0].started = "2026-01-01T00:00:00Z".into();
        results[1].started = "2026-01-01T00:00:02Z".into();
        let all = folder.path().join("all.hlog");
        assert!(!merge_logs(&results, vec![log(), None], &all).unwrap());
        assert!(!all.exists());
        assert!(merge_logs(&results, vec![log(), log()], &all).unwrap());
        let text = std::fs::read_to_string(&all).unwrap();
        assert!(text.contains("#[StartTime: 1767225600.000 (seconds since epoch)]\n"), "{text}");
        let mut merged = open_log(&all).unwrap();
        assert_eq!([2, 3, 4].map(|at| merged.service(at).unwrap().len()), [1, 0, 1]);
    }

    #[test]
    fn finds_the_histograms_beside_a_result() {
        assert_eq!(path_beside(Path::new("a/result.json")), Path::new("a/histograms.hlog"));
        assert_eq!(path_beside(Path::new("a/all.json")), Path::new("a/all.hlog"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOG);
        std::fs::write(&path, "x\n").unwrap();
        assert!(open_log(&path).unwrap().service(0).is_err());
        let results = [RunResult::default(), RunResult::default()];
        let logs = vec![Some(open_log(&path).unwrap()), Some(open_log(&path).unwrap())];
        let error = merge_logs(&results, logs, &folder.path().join("all.hlog")).unwrap_err();
        let message =
            format!("The histograms cannot be read: {}: not a line of a log.", path.display());
        assert_eq!(error.message, message);
        assert!(open_log(&folder.path().join("none")).is_err());
    }
}
