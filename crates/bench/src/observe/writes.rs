//! Counts the writing transactions of a SQLite file. With a write-ahead log the index of the log
//! counts them (SQLite's manual, "WAL-mode File Format", §2.1, `iChange`), otherwise the file
//! itself does ("Database File Format", §1.3.8).

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// The offset of the file's journal mode: 2 means a write-ahead log.
const FORM: u64 = 18;
/// The offset of the file's change counter.
const COUNTER: u64 = 24;
/// The index begins with two copies of its header, each of this length.
const HEAD: usize = 48;
/// The supported version of the index.
const INDEX_FORM: u32 = 3_007_000;
/// Attempts to read the header, which may change during the read.
const TRIES: usize = 100;

/// The files with the counters. They stay open: closing one drops the locks that other connections
/// of this process hold on it (fcntl(2), POSIX locks), so they must be dropped last.
#[derive(Debug)]
pub(super) struct Writes {
    file: File,
    index: Option<File>,
}

impl Writes {
    /// Opens them. A connection must have read the database before: that creates the index.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let mut form = [0];
        file.read_exact_at(&mut form, FORM)?;
        let index = match form {
            [2] => {
                let mut index = path.as_os_str().to_owned();
                index.push("-shm");
                Some(File::open(index)?)
            }
            _ => None,
        };
        Ok(Self { file, index })
    }

    /// The count, which wraps at 2^32.
    pub(super) fn count(&self) -> io::Result<u32> {
        let Some(index) = &self.index else {
            let mut count = [0; 4];
            self.file.read_exact_at(&mut count, COUNTER)?;
            return Ok(u32::from_be_bytes(count));
        };
        for _ in 0..TRIES {
            let mut heads = [0; 2 * HEAD];
            index.read_exact_at(&mut heads, 0)?;
            let number = |at: usize| heads[at..at + 4].try_into().map_or(0, u32::from_ne_bytes);
            if heads[..HEAD] == heads[HEAD..] && number(0) == INDEX_FORM {
                return Ok(number(8));
            }
        }
        Err(io::Error::other("the head of its write-ahead log's index cannot be read"))
    }
}

#[cfg(test)]
mod tests {
    use duet_client::Synchronous;
    use duet_client::{ConnectOptions, Connection};

    use super::*;

    #[tokio::test]
    async fn both_forms_count_what_was_written() {
        for mode in ["wal", "delete"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.db");
            let target =
                ConnectOptions::Sqlite { path: path.clone(), synchronous: Synchronous::Off };
            let mut writer = Connection::open(&target, "").await.unwrap();
            let begin = format!("PRAGMA journal_mode = {mode}; CREATE TABLE a (b)");
            writer.script(&begin).await.unwrap();
            let writes = Writes::open(&path).unwrap();
            let before = writes.count().unwrap();
            // More than the thousand pages that trigger a checkpoint.
            for _ in 0..600 {
                writer.script("INSERT INTO a VALUES (zeroblob(9000))").await.unwrap();
            }
            for nothing in
                ["UPDATE a SET b = 0 WHERE b = 7", "BEGIN IMMEDIATE; DELETE FROM a; ROLLBACK"]
            {
                writer.script(nothing).await.unwrap();
            }
            writer.script("BEGIN; DELETE FROM a; INSERT INTO a VALUES (1); COMMIT").await.unwrap();
            assert_eq!(writes.count().unwrap().wrapping_sub(before), 601, "{mode}");
            drop(writer);
        }
    }
}
