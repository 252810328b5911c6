//! What a health check says of a SQLite file.

use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::PathBuf;
use std::sync::Arc;

use duet_model::{Code, Error, Value};
use duet_store::{Limits, SharedStore};
use duet_testkit::sqlite::{Folder, open};

use crate::store::{Fixture, runtime};

const SCHEMA: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER NOT NULL);
    CREATE TABLE u (id INTEGER PRIMARY KEY, filling TEXT);
    INSERT INTO t VALUES (1, 10), (2, 20);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO u SELECT i, printf('%0900d', i) FROM n";

struct Bench {
    _folder: Folder,
    path: PathBuf,
    store: SharedStore,
}

impl Bench {
    fn new(journal: &str, disk_reserve: u64) -> Self {
        let folder = Folder::new();
        let path = folder.load("a.db", &[&format!("PRAGMA journal_mode = {journal}"), SCHEMA]);
        let options = duet_sqlite::Options { disk_reserve, ..duet_sqlite::Options::default() };
        let opened = duet_sqlite::Database::open(&path, &options, Limits::default()).unwrap();
        Self { _folder: folder, path, store: Arc::new(opened) }
    }

    fn probe(&self) -> Result<(), Error> {
        runtime().block_on(self.store.probe())
    }

    /// Overwrites the file from a page on; what was there.
    fn damage(&self, page: u64) -> Vec<u8> {
        let whole = std::fs::read(&self.path).unwrap();
        let file = std::fs::File::options().write(true).open(&self.path).unwrap();
        let from = page * 4096;
        file.write_all_at(&vec![0xA5; whole.len() - usize::try_from(from).unwrap()], from).unwrap();
        whole
    }
}

#[test]
fn a_file_in_order_is_healthy_and_not_changed() {
    for journal in ["wal", "delete"] {
        let bench = Bench::new(journal, 0);
        let before = std::fs::read(&bench.path).unwrap();
        for _ in 0..3 {
            assert_eq!(bench.probe(), Ok(()));
        }
        assert_eq!(std::fs::read(&bench.path).unwrap(), before);
    }
}

/// The checks give up no lock of the file. Without it, an older SQLite of another program that closes its
/// connection takes itself for the last one and deletes the write-ahead log, with commits in it.
#[test]
#[cfg(target_os = "linux")]
fn checks_keep_the_files_locks() {
    let bench = Bench::new("wal", 0);
    assert!(is_locked(&bench.path));
    // A close look, and a cheap one.
    for _ in 0..2 {
        assert_eq!(bench.probe(), Ok(()));
        assert!(is_locked(&bench.path));
    }
}

/// Whether this process holds the lock that every connection to a file in WAL mode holds.
#[cfg(target_os = "linux")]
fn is_locked(path: &std::path::Path) -> bool {
    let inode = format!(":{}", std::fs::metadata(path).unwrap().ino());
    let own = std::process::id().to_string();
    // 1: POSIX  ADVISORY  READ  PID MAJOR:MINOR:INODE START END
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    locks.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).any(|words| {
        words.get(4) == Some(&&*own) && words.get(5).is_some_and(|file| file.ends_with(&inode))
    })
}

#[test]
fn another_programs_lock_is_reported_while_it_lasts() {
    for journal in ["wal", "delete"] {
        let bench = Bench::new(journal, 0);
        let other = open(&bench.path);
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        assert_eq!(bench.probe().unwrap_err().code, Code::DatabaseLocked, "{journal}");
        other.execute_batch("ROLLBACK").unwrap();
        assert_eq!(bench.probe(), Ok(()), "{journal}");
    }
}

#[test]
fn damage_is_reported_while_it_lasts() {
    for page in [0, 1] {
        let bench = Bench::new("delete", 0);
        let whole = bench.damage(page);
        let error = bench.probe().unwrap_err();
        assert!(error.message.contains("damaged"), "{page}: {error:?}");
        std::fs::write(&bench.path, whole).unwrap();
        assert_eq!(bench.probe(), Ok(()), "{page}");
    }
}

/// A page that no check looks at: a request meets it, and from then on the check knows.
#[test]
fn damage_that_a_request_has_met_is_reported() {
    let fixture = Fixture::one_file(SCHEMA);
    let path = fixture.folder().path().join("a.db");
    let whole = std::fs::read(&path).unwrap();
    let probe = || runtime().block_on(fixture.store.probe());
    assert_eq!(probe(), Ok(()));
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    // All leaves of the second table but the first.
    file.write_all_at(&vec![0xA5; whole.len() - 10 * 4096], 10 * 4096).unwrap();
    assert_eq!(probe(), Ok(()), "nobody has seen it");
    let read = fixture.rows("u").read;
    fixture.run(async |handle| {
        let error = handle.by_key(&read, vec![Value::Int(499)]).await.unwrap_err();
        assert!(error.message.contains("damaged"), "{error:?}");
    });
    assert!(probe().unwrap_err().message.contains("damaged"));
    std::fs::write(&path, whole).unwrap();
    assert_eq!(probe(), Ok(()));
}

#[test]
fn a_disk_with_too_little_room_is_reported() {
    let bench = Bench::new("wal", u64::MAX);
    let error = bench.probe().unwrap_err();
    assert_eq!(error.code, Code::DatabaseUnavailable);
    assert!(error.message.contains("sqlite_disk_reserve"), "{error:?}");
}
