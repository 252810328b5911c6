//! The write-ahead log stays short, and no write pays for that alone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_store::{Limits, RoleHandle, SharedStore};
use duet_testkit::sqlite::{Folder, open};

use crate::steps::{Steps, run};

/// From here on the log is emptied; from twice that on, writes wait. The rest is for one transaction.
const LIMIT: u64 = 256 << 10;
const MOST: u64 = 3 * LIMIT;

struct Bench {
    folder: Folder,
    store: SharedStore,
}

impl Bench {
    fn new() -> Self {
        let folder = Folder::new();
        let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, filling BLOB)";
        let path = folder.load("a.db", &["PRAGMA journal_mode = wal", schema]);
        let options = duet_sqlite::Options {
            synchronous: duet_sqlite::Synchronous::Normal,
            wal_bytes: LIMIT,
            ..duet_sqlite::Options::default()
        };
        let opened = duet_sqlite::Database::open(&path, &options, Limits::default()).unwrap();
        Self { folder, store: Arc::new(opened) }
    }

    fn log(&self) -> u64 {
        std::fs::metadata(self.folder.path().join("a.db-wal")).unwrap().len()
    }

    /// A row fills a page.
    async fn write(&self, handle: &RoleHandle<'_>, id: i64) {
        const INSERT: &str = "INSERT INTO t VALUES ($1, zeroblob($2))";
        handle.write(Steps::new(vec![run(INSERT, &[id, 4_000])])).await.unwrap();
    }
}

#[test]
fn the_log_stays_short_under_writes_without_a_pause() {
    let bench = Bench::new();
    let local = tokio::task::LocalSet::new();
    crate::store::runtime().block_on(local.run_until(async {
        let handle = bench.store.attach().unwrap();
        let handle = handle.acting(None);
        let (mut longest, mut shortest) = (0, u64::MAX);
        for id in 0..4_000 {
            bench.write(&handle, id).await;
            longest = longest.max(bench.log());
            // Its file keeps its length: to make it longer again would cost each commit time.
            if longest > LIMIT / 4 {
                shortest = shortest.min(bench.log());
            }
        }
        assert!(longest < MOST, "{longest}");
        assert!(shortest > LIMIT / 4, "{shortest}");
        assert!(bench.store.counted().checkpoints > 0);
        // A reader that lasts keeps the log, and writes go on.
        let reader = open(&bench.folder.path().join("a.db"));
        reader.execute_batch("BEGIN; SELECT count(*) FROM t").unwrap();
        for id in 4_000..5_000 {
            bench.write(&handle, id).await;
        }
        assert!(bench.log() > 1_000 * 4_096, "it is needed still");
        reader.execute_batch("COMMIT").unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut id = 5_000;
        while bench.log() > LIMIT {
            assert!(Instant::now() < deadline, "the log is {} bytes long", bench.log());
            bench.write(&handle, id).await;
            id += 1;
        }
        let rows: i64 = reader.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, id);
    }));
}
