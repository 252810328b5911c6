//! The interval log of a run, beside its result.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use duet_model::Result;
use duet_verdict::result::{self as pure, Log, MergedLog, RunResult, wrong};
use hdrhistogram::Histogram;

use super::{LOG, RESULT};

/// The log of a result: that of its folder, or one with the result's name.
pub fn path_beside(result: &Path) -> PathBuf {
    match result.file_name().is_some_and(|name| name == RESULT) {
        true => result.with_file_name(LOG),
        false => result.with_extension("hlog"),
    }
}

/// Writes a log.
#[derive(Debug)]
pub struct LogWriter {
    file: BufWriter<File>,
}

impl LogWriter {
    /// Begins a log of a run that began so many seconds after 1970.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(path: &Path, start_s: f64) -> io::Result<Self> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(pure::log_head(start_s).as_bytes())?;
        Ok(Self { file })
    }

    /// Adds a type's histograms of a second; an empty one is left out.
    ///
    /// # Errors
    /// Where the disk is full.
    pub fn add(
        &mut self,
        second: u64,
        kind: &str,
        service: &Histogram<u64>,
        response: &Histogram<u64>,
    ) -> io::Result<()> {
        self.file.write_all(pure::log_lines(second, kind, service, response).as_bytes())
    }

    /// Gives what was added to the disk.
    ///
    /// # Errors
    /// Where the disk is full.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Reads a log.
///
/// # Errors
/// Where there is none, or it is something else.
pub fn read_log(path: &Path) -> io::Result<Log> {
    let mut log = Log::default();
    for line in BufReader::new(File::open(path)?).lines() {
        log.add(&line?).map_err(io::Error::other)?;
    }
    Ok(log)
}

/// Writes the logs of all machines as one; `false` and nothing where one of them has none.
///
/// # Errors
/// `ResultFile`: it cannot be written, or a histogram is damaged.
pub fn merge_logs(results: &[RunResult], logs: &[Option<Log>], path: &Path) -> Result<bool> {
    let Some(merged) = pure::merge_logs(results, logs) else { return Ok(false) };
    write_merged(&merged, path).map_err(|error| {
        wrong(format!("The histograms cannot be written to {}: {error}.", path.display()))
    })?;
    Ok(true)
}

fn write_merged(merged: &MergedLog<'_>, path: &Path) -> io::Result<()> {
    let mut writer = LogWriter::begin(path, merged.start_s)?;
    for second in merged.seconds() {
        let lines = merged.lines(second).map_err(io::Error::other)?;
        writer.file.write_all(lines.as_bytes())?;
    }
    writer.flush()
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
        let log = read_log(&path).unwrap();
        assert_eq!(log.service(2).unwrap(), times);
        let mut results = [RunResult::default(), RunResult::default()];
        results[0].started = "2026-01-01T00:00:00Z".into();
        results[1].started = "2026-01-01T00:00:02Z".into();
        let all = folder.path().join("all.hlog");
        assert!(!merge_logs(&results, &[Some(log.clone()), None], &all).unwrap());
        assert!(!all.exists());
        assert!(merge_logs(&results, &[Some(log.clone()), Some(log)], &all).unwrap());
        let text = std::fs::read_to_string(&all).unwrap();
        assert!(text.contains("#[StartTime: 1767225600.000 (seconds since epoch)]\n"), "{text}");
        let merged = read_log(&all).unwrap();
        assert_eq!([2, 3, 4].map(|at| merged.service(at).unwrap().len()), [1, 0, 1]);
    }

    #[test]
    fn where_it_is() {
        assert_eq!(path_beside(Path::new("a/result.json")), Path::new("a/histograms.hlog"));
        assert_eq!(path_beside(Path::new("a/all.json")), Path::new("a/all.hlog"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOG);
        std::fs::write(&path, "x\n").unwrap();
        assert!(read_log(&path).is_err());
    }
}
