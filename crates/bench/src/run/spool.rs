//! Stores the seconds of a run on disk, so that memory stays constant in long runs.
//!
//! Three files: the facts known before the run, so that the result of a killed one can be
//! [recovered](super::recover()); the rows of the result, a line each, until the result is written;
//! and the [log](crate::result_files::LogWriter) of every second's histograms by type.

use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use duet_verdict::result::{RunResult, Second};
use serde::{Serialize, Serializer, ser::SerializeSeq};
use serde_json::value::RawValue;

use super::collect::Merged;
use crate::result_files::LogWriter;
pub use crate::result_files::{LOG, RESULT};
use crate::whole_file::WholeFile;

/// The files of a run in progress.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    rows: BufWriter<File>,
    log: LogWriter,
    tags: Vec<String>,
    /// The file of the facts, locked while the run is under way.
    _begun: File,
}

impl Spool {
    /// Creates the files in a folder, which is created if it is absent. `before` holds the facts
    /// known before the run. A run in the folder is never overwritten, not even one that another
    /// process begins now.
    ///
    /// # Errors
    /// If the folder [holds a run](holds_run()), or the files cannot be created.
    pub fn begin(folder: &Path, tags: &[String], before: &RunResult) -> io::Result<Self> {
        if holds_run(folder) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the folder holds a run"));
        }
        std::fs::create_dir_all(folder)?;
        let mut begun = File::create_new(folder.join(Self::BEGUN))?;
        // Where the file system has no locks, a run under way looks like a killed one.
        let _ = begun.try_lock();
        begun.write_all(before.to_json().as_bytes())?;
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let start = since_1970.unwrap_or_default().as_secs_f64();
        let log = LogWriter::begin(&folder.join(LOG), start)?;
        let rows = BufWriter::new(File::create(folder.join(Self::ROWS))?);
        Ok(Self { folder: folder.to_owned(), rows, log, tags: tags.to_vec(), _begun: begun })
    }

    /// The facts known before the run.
    pub(super) const BEGUN: &str = "run.json";
    /// The seconds.
    pub(super) const ROWS: &str = "seconds.ndjson";

    /// Adds a second.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn add(&mut self, merged: &Merged, row: &Second) -> io::Result<()> {
        serde_json::to_writer(&mut self.rows, row)?;
        self.rows.write_all(b"\n")?;
        for (kind, tally) in &merged.kinds {
            let Some(tag) = self.tags.get(*kind) else { continue };
            let [service, response] = [&tally.service, &tally.response].map(|it| it.histogram());
            self.log.add(merged.second, tag, &service, &response)?;
        }
        self.log.flush()?;
        self.rows.flush()
    }

    /// Writes the result with all seconds, and removes the temporary files.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn finish(mut self, result: &RunResult) -> io::Result<PathBuf> {
        self.rows.flush()?;
        self.log.flush()?;
        let rows = self.folder.join(Self::ROWS);
        let path = self.folder.join(RESULT);
        let mut file = WholeFile::begin(&path)?;
        let written = Written { result, seconds: Rows(&rows) };
        serde_json::to_writer_pretty(&mut file, &written)?;
        file.write_all(b"\n")?;
        file.finish()?;
        std::fs::remove_file(rows)?;
        std::fs::remove_file(self.folder.join(Self::BEGUN))?;
        Ok(path)
    }
}

/// Whether a folder holds files of a run, finished or killed.
pub fn holds_run(folder: &Path) -> bool {
    let files = [RESULT, LOG, Spool::BEGUN, Spool::ROWS];
    files.iter().any(|file| folder.join(file).is_file())
}

/// Whether a process writes a run into a folder now.
pub fn is_under_way(folder: &Path) -> bool {
    let begun = File::open(folder.join(Spool::BEGUN));
    begun.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// A result whose seconds are in a file.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    result: &'a RunResult,
    seconds: Rows<'a>,
}

struct Rows<'a>(&'a Path);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let wrong = |error: io::Error| serde::ser::Error::custom(error);
        let file = File::open(self.0).map_err(wrong)?;
        let mut list = serializer.serialize_seq(None)?;
        for line in BufReader::new(file).lines() {
            let row = RawValue::from_string(line.map_err(wrong)?);
            list.serialize_element(&row.map_err(serde::ser::Error::custom)?)?;
        }
        list.end()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::record::Tally;
    use std::time::Duration;

    #[test]
    fn a_run_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let begin = || Spool::begin(folder.path(), &["A".to_owned()], &RunResult::default());
        let killed = begin().unwrap();
        let refused = || begin().unwrap_err().kind();
        assert_eq!(refused(), io::ErrorKind::AlreadyExists, "it is under way");
        assert!(is_under_way(folder.path()));
        let first = RunResult { workload: "first".into(), ..RunResult::default() };
        let path = killed.finish(&first).unwrap();
        assert!(!is_under_way(folder.path()));
        let before = std::fs::read(&path).unwrap();
        assert_eq!(refused(), io::ErrorKind::AlreadyExists, "it is finished");
        assert_eq!(std::fs::read(&path).unwrap(), before);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(refused(), io::ErrorKind::AlreadyExists, "its log is there");
        std::fs::remove_file(folder.path().join(LOG)).unwrap();
        begin().unwrap();
    }

    #[test]
    fn seconds_pass_through_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool =
            Spool::begin(folder.path(), &["A b".to_owned()], &RunResult::default()).unwrap();
        let mut tally = Tally::default();
        tally.service.record(Duration::from_millis(2));
        for second in 0..3 {
            let merged = Merged {
                second,
                users: 1,
                types: 1,
                kinds: [(0, tally.clone())].into(),
                all: tally.clone(),
                cpu: Duration::ZERO,
                parts: BTreeMap::new(),
            };
            let row = Second { at_s: second, ..Second::default() };
            spool.add(&merged, &row).unwrap();
        }
        let result = RunResult { workload: "w".into(), ..RunResult::default() };
        let path = spool.finish(&result).unwrap();
        let back: RunResult = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!((back.workload.as_str(), back.seconds.len()), ("w", 3));
        assert_eq!(back.seconds[2].at_s, 2);
        assert!(!folder.path().join(Spool::ROWS).exists());
        assert!(!folder.path().join(Spool::BEGUN).exists());
        let log = std::fs::read_to_string(folder.path().join(LOG)).unwrap();
        assert_eq!(log.lines().filter(|line| line.starts_with("Tag=A_b,")).count(), 3);
    }
}
