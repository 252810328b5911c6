//! The one thread that writes to SQLite: batches, locks, time, and files that are replaced.

pub(crate) mod faults;
mod health;
mod wal;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use duet_model::{Code, Result};
use duet_store::{Call, Client, Ending, Limits, RoleHandle, Session, SharedStore, Write};
use duet_testkit::sqlite::{Folder, open};
use futures_util::future::join_all;

use crate::steps::{Step, Steps, call, run};
use crate::store::{Fixture, Kind, is_pending, runtime};

const SCHEMA: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER NOT NULL);
    CREATE TABLE c (id INTEGER PRIMARY KEY,
        parent INTEGER REFERENCES t DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER r BEFORE INSERT ON t WHEN new.n = 13 BEGIN SELECT RAISE(ROLLBACK, 'never'); END;";

const INSERT: &str = "INSERT INTO t VALUES ($1, $2)";
const ORPHAN: &str = "INSERT INTO c VALUES ($1, 99)";
/// Never ends by itself.
const ENDLESS: &str = "WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r)
    INSERT INTO t SELECT max(i), 0 FROM r";

fn fixture(limits: Limits) -> Fixture {
    Fixture::with(Kind::Sqlite, "", SCHEMA, limits)
}

/// Keeps the writing thread until it may go on. Its transaction is undone, so no other write joins it.
struct Gate {
    arrived: Sender<()>,
    open: Mutex<Receiver<()>>,
}

impl Gate {
    fn new() -> (Arc<Self>, Receiver<()>, Sender<()>) {
        let (arrived, has_arrived) = channel();
        let (opener, open) = channel();
        (Arc::new(Self { arrived, open: Mutex::new(open) }), has_arrived, opener)
    }
}

#[async_trait(?Send)]
impl Write for Gate {
    type Output = ();

    async fn run(&self, _session: &mut dyn Session) -> Result<Ending<()>> {
        self.arrived.send(()).unwrap();
        self.open.lock().unwrap().recv().unwrap();
        Ok(Ending::Rollback(()))
    }
}

/// Lets all these writes wait until they are taken together: their ends, in order.
async fn together(handle: &RoleHandle<'_>, writes: Vec<Arc<Steps>>) -> Vec<Result<Vec<String>>> {
    let (gate, arrived, opener) = Gate::new();
    let mut gate = Box::pin(handle.write(gate));
    assert!(is_pending(&mut gate).await);
    arrived.recv().unwrap();
    let mut writes = Box::pin(join_all(writes.into_iter().map(|write| handle.write(write))));
    assert!(is_pending(&mut writes).await);
    opener.send(()).unwrap();
    gate.await.unwrap();
    writes.await
}

fn insert(id: i64, n: i64) -> Arc<Steps> {
    Steps::new(vec![run(INSERT, &[id, n])])
}

fn codes(ended: &[Result<Vec<String>>]) -> Vec<&str> {
    let code = |end: &'_ Result<Vec<String>>| match end {
        Ok(_) => "ok",
        Err(error) => error.code.as_str(),
    };
    ended.iter().map(code).collect()
}

#[test]
fn waiting_writes_share_a_transaction() {
    let fixture = fixture(Limits::default());
    let connection = fixture.connection();
    let log = || std::fs::metadata(fixture.folder().path().join("a.db-wal")).unwrap().len();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    fixture.run(async |handle| {
        let ended = together(handle, (0..50).map(|id| insert(id, 0)).collect()).await;
        assert_eq!(codes(&ended), ["ok"; 50]);
    });
    let counted = fixture.store.counted();
    assert_eq!((counted.transactions, counted.writes, counted.rows), (1, 50, 50));
    assert_eq!(counted.retries, 0);
    // One header and one page of the table: fifty commits would have written fifty pages.
    assert_eq!(log(), 32 + 24 + 4096);
    assert_eq!(fixture.query("SELECT count(*) FROM t"), "50");
}

#[test]
fn an_error_reaches_only_its_own() {
    let fixture = fixture(Limits::default());
    fixture.run(async |handle| {
        let undone = Steps::new(vec![run(INSERT, &[3, 0]), Step::Undo]);
        let half = Steps::new(vec![run(INSERT, &[4, 0]), run(INSERT, &[1, 0])]);
        let ended = together(handle, vec![insert(1, 0), undone, half, insert(2, 0)]).await;
        assert_eq!(codes(&ended), ["ok", "ok", Code::UniqueViolation.as_str(), "ok"]);
    });
    assert_eq!(fixture.query("SELECT id FROM t ORDER BY id"), "1\n2");
    assert_eq!(fixture.store.counted().transactions, 1);
}

#[test]
fn a_failure_at_the_end_affects_one_write() {
    let fixture = fixture(Limits::default());
    fixture.run(async |handle| {
        let orphan = || Steps::new(vec![run(ORPHAN, &[1])]);
        // One that is refused because of a neighbour which is rolled back is not refused.
        let same = Steps::new(vec![run(ORPHAN, &[1]), run("DELETE FROM c WHERE id = $1", &[1])]);
        let ended = together(handle, vec![insert(1, 0), orphan(), same, insert(2, 0)]).await;
        let foreign = Code::ForeignKeyViolation.as_str();
        assert_eq!(codes(&ended), ["ok", foreign, "ok", "ok"]);
        assert_eq!(handle.write(orphan()).await.unwrap_err().code, Code::ForeignKeyViolation);
    });
    assert_eq!(fixture.query("SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM c)"), "2|0");
    // Each write of a shared transaction is judged as its commit would be: none is run again.
    assert_eq!(fixture.store.counted().retries, 0);
}

#[test]
fn a_lost_transaction_affects_only_its_write() {
    let fixture = fixture(Limits::default());
    fixture.run(async |handle| {
        let never = Code::TriggerRefused.as_str();
        let ended = together(handle, vec![insert(1, 0), insert(9, 13), insert(2, 0)]).await;
        assert_eq!(codes(&ended), ["ok", never, "ok"]);
        // It cannot be undone in part.
        let steps = vec![
            Step::Savepoint,
            Step::Try(Box::new(run(INSERT, &[9, 13]))),
            Step::Try(Box::new(Step::RollbackTo)),
        ];
        let error = handle.write(Steps::new(steps)).await.unwrap_err();
        assert_eq!(error.code, Code::TriggerRefused);
        assert!(handle.write(insert(3, 0)).await.is_ok());
    });
    assert_eq!(fixture.query("SELECT id FROM t ORDER BY id"), "1\n2\n3");
}

#[test]
fn a_slow_write_is_cancelled_and_others_continue() {
    let limits = Limits { statement_timeout: Duration::from_millis(500), ..Limits::default() };
    let fixture = fixture(limits);
    fixture.run(async |handle| {
        let endless = || Steps::new(vec![run(ENDLESS, &[])]);
        assert_eq!(handle.write(endless()).await.unwrap_err().code, Code::Timeout);
        let ended = together(handle, vec![insert(1, 0), endless(), insert(2, 0)]).await;
        assert_eq!(codes(&ended), ["ok", Code::Timeout.as_str(), "ok"]);
    });
    assert_eq!(fixture.query("SELECT id FROM t ORDER BY id"), "1\n2");
}

#[test]
fn the_queue_has_an_end() {
    let limits = Limits { queue_length: 2, ..Limits::default() };
    let fixture = fixture(limits);
    fixture.run(async |handle| {
        let ended = together(handle, (0..4).map(|id| insert(id, 0)).collect()).await;
        let full = Code::Overloaded.as_str();
        assert_eq!(codes(&ended), ["ok", "ok", full, full]);
        assert_eq!(ended[3].as_ref().unwrap_err().retry_after, Some(1));
    });
    assert!(fixture.store.counted().overloads == 2);
}

/// Its threads keep no database that nothing else uses.
#[test]
fn a_database_ends_with_its_last_user() {
    let folder = Folder::new();
    let path = folder.load("a.db", &[SCHEMA]);
    let opened =
        duet_sqlite::Database::open(&path, &duet_sqlite::Options::default(), Limits::default());
    let database = Arc::new(opened.unwrap());
    let ends = Arc::downgrade(&database);
    let local = tokio::task::LocalSet::new();
    runtime().block_on(local.run_until(async {
        let store: SharedStore = database;
        let handle = store.attach().unwrap();
        drop(store);
        assert!(handle.acting(None).write(insert(1, 0)).await.is_ok());
    }));
    drop(local);
    while ends.strong_count() > 0 {
        std::thread::yield_now();
    }
}

/// Two writes make a transaction: the second client's is in the first one.
#[test]
fn clients_take_turns_in_transactions() {
    let fixture = fixture(Limits { batch: 2, ..Limits::default() });
    let queue = || {
        let queues = fixture.store.queues();
        queues.into_iter().find(|(name, _)| *name == "write").unwrap().1
    };
    let order = Arc::new(Mutex::new(Vec::new()));
    fixture.run(async |handle| {
        let (gate, arrived, opener) = Gate::new();
        let mut gate = Box::pin(handle.write(gate));
        assert!(is_pending(&mut gate).await);
        arrived.recv().unwrap();
        let clients = [Client::new(0), Client::new(1)].map(|client| handle.for_client(client));
        let of = |client: usize, id: i64| {
            let order = Arc::clone(&order);
            let note = Step::Do(Box::new(move |_| order.lock().unwrap().push(id)));
            let steps = Steps::new(vec![run(INSERT, &[id, 0]), note]);
            clients[client].write(steps)
        };
        let writes = [of(0, 1), of(0, 2), of(0, 3), of(1, 4)];
        let mut writes = Box::pin(join_all(writes));
        assert!(is_pending(&mut writes).await);
        assert_eq!((queue().waiting, queue().running), (4, 1));
        opener.send(()).unwrap();
        gate.await.unwrap();
        assert!(writes.await.iter().all(Result::is_ok));
    });
    assert_eq!(*order.lock().unwrap(), [1, 4, 2, 3]);
    assert_eq!((queue().admitted, queue().waiting), (5, 0));
}

#[test]
fn a_write_beyond_the_queue_timeout_is_refused() {
    let limits = Limits { queue_timeout: Duration::from_millis(500), ..Limits::default() };
    let fixture = fixture(limits);
    fixture.run(async |handle| {
        let (gate, arrived, opener) = Gate::new();
        let mut gate = Box::pin(handle.write(gate));
        assert!(is_pending(&mut gate).await);
        arrived.recv().unwrap();
        let late = handle.write(insert(1, 0)).await;
        opener.send(()).unwrap();
        // Once begun, it is waited for.
        gate.await.unwrap();
        assert_eq!(late.unwrap_err().code, Code::Overloaded);
        assert!(handle.write(insert(2, 0)).await.is_ok());
    });
    assert_eq!(fixture.query("SELECT id FROM t"), "2");
}

#[test]
fn cancelled_writes_are_skipped() {
    let fixture = fixture(Limits::default());
    fixture.run(async |handle| {
        let (gate, arrived, opener) = Gate::new();
        let mut gate = Box::pin(handle.write(gate));
        let mut gone = Box::pin(handle.write(insert(1, 0)));
        assert!(is_pending(&mut gate).await);
        arrived.recv().unwrap();
        assert!(is_pending(&mut gone).await);
        drop(gone);
        opener.send(()).unwrap();
        gate.await.unwrap();
        assert!(handle.write(insert(2, 0)).await.is_ok());
    });
    assert_eq!(fixture.query("SELECT id FROM t"), "2");
}

/// A write that runs until the test lets it go on, and then inserts this row.
fn held(id: i64) -> (Arc<Steps>, Receiver<()>, Sender<()>) {
    let (arrived, has_arrived) = channel();
    let (opener, open) = channel::<()>();
    let (arrived, open) = (Mutex::new(arrived), Mutex::new(open));
    let wait = Step::Do(Box::new(move |_| {
        // Where its transaction is undone, it runs once more, and nothing waits for it.
        let _ = arrived.lock().unwrap().send(());
        let _ = open.lock().unwrap().recv();
    }));
    (Steps::new(vec![run(INSERT, &[id, 0]), wait]), has_arrived, opener)
}

/// Writes that arrive while one runs, and how all have ended.
async fn joining(handle: &RoleHandle<'_>, late: Vec<Arc<Steps>>) -> Vec<Result<Vec<String>>> {
    let (first, has_arrived, opener) = held(1);
    let mut first = Box::pin(handle.write(first));
    assert!(is_pending(&mut first).await);
    has_arrived.recv().unwrap();
    let mut late = Box::pin(join_all(late.into_iter().map(|write| handle.write(write))));
    assert!(is_pending(&mut late).await);
    drop(opener);
    let mut ended = vec![first.await];
    ended.extend(late.await);
    ended
}

#[test]
fn writes_that_arrive_while_one_runs_share_its_commit() {
    let fixture = fixture(Limits::default());
    fixture.run(async |handle| {
        let twice = insert(1, 0);
        let ended = joining(handle, vec![insert(2, 0), twice, insert(3, 0)]).await;
        assert_eq!(codes(&ended), ["ok", "ok", Code::UniqueViolation.as_str(), "ok"]);
    });
    assert_eq!(fixture.query("SELECT id FROM t ORDER BY id"), "1\n2\n3");
    assert_eq!(fixture.store.counted().transactions, 1);
}

#[test]
fn a_write_that_joins_and_ends_the_transaction_harms_only_itself() {
    let fixture = fixture(Limits::default());
    fixture.run(async |handle| {
        let ended = joining(handle, vec![insert(9, 13), insert(2, 0)]).await;
        assert_eq!(codes(&ended), ["ok", Code::TriggerRefused.as_str(), "ok"]);
    });
    assert_eq!(fixture.query("SELECT id FROM t ORDER BY id"), "1\n2");
}

#[test]
fn a_write_cancelled_while_running_is_finished() {
    let fixture = fixture(Limits::default());
    fixture.run(async |handle| {
        let (gone, has_arrived, opener) = held(1);
        let mut gone = Box::pin(handle.write(gone));
        assert!(is_pending(&mut gone).await);
        has_arrived.recv().unwrap();
        drop(gone);
        opener.send(()).unwrap();
        assert!(handle.write(insert(2, 0)).await.is_ok());
    });
    assert_eq!(fixture.query("SELECT id FROM t ORDER BY id"), "1\n2");
}

#[test]
fn another_programs_lock() {
    let limits = Limits { lock_timeout: Duration::from_millis(20), ..Limits::default() };
    let fixture = fixture(limits);
    let other = fixture.connection();
    fixture.run(async |handle| {
        assert!(handle.write(insert(1, 0)).await.is_ok());
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let ended = together_without_gate(handle, vec![insert(2, 0), insert(3, 0)]).await;
        for end in ended {
            let error = end.unwrap_err();
            assert_eq!((error.code, error.retry_after), (Code::DatabaseLocked, Some(5)));
        }
        other.execute_batch("COMMIT").unwrap();
        assert!(handle.write(insert(4, 0)).await.is_ok());
    });
    assert_eq!(fixture.query("SELECT id FROM t ORDER BY id"), "1\n4");
}

async fn together_without_gate(
    handle: &RoleHandle<'_>,
    writes: Vec<Arc<Steps>>,
) -> Vec<Result<Vec<String>>> {
    join_all(writes.into_iter().map(|write| handle.write(write))).await
}

/// A bug in a write.
struct Panics;

#[async_trait(?Send)]
impl Write for Panics {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<()>> {
        session.run(&[call(INSERT, &[1, 0])]).await?;
        panic!("this is a test's own panic");
    }
}

/// A bug of another kind.
struct Waits;

#[async_trait(?Send)]
impl Write for Waits {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<()>> {
        session.run(&[call(INSERT, &[1, 0])]).await?;
        std::future::pending().await
    }
}

#[test]
fn a_bug_in_one_write_does_not_stop_the_others() {
    let fixture = fixture(Limits::default());
    fixture.run(async |handle| {
        assert_eq!(handle.write(Arc::new(Panics)).await.unwrap_err().code, Code::Internal);
        assert_eq!(handle.write(Arc::new(Waits)).await.unwrap_err().code, Code::Internal);
        assert!(handle.write(insert(2, 0)).await.is_ok());
    });
    assert_eq!(fixture.query("SELECT id FROM t"), "2");
}

#[test]
fn the_file_may_be_replaced() {
    let fixture = Fixture::one_file(SCHEMA);
    let path = fixture.folder().path().join("a.db");
    fixture.run(async |handle| {
        assert!(handle.write(insert(1, 0)).await.is_ok());
        let aside = fixture.folder().path().join("old.db");
        std::fs::rename(&path, &aside).unwrap();
        let error = handle.write(insert(2, 0)).await.unwrap_err();
        assert_eq!(error.code, Code::DatabaseUnavailable);
        fixture.folder().load("a.db", &[SCHEMA]);
        assert!(handle.write(insert(3, 0)).await.is_ok());
        assert_eq!(fixture.query("SELECT id FROM t"), "3");
        let old: Vec<i64> = open(&aside)
            .prepare("SELECT id FROM t")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(|id| id.unwrap())
            .collect();
        assert_eq!(old, [1]);
    });
}

#[test]
fn a_write_during_replacement_of_the_file_has_an_unknown_outcome() {
    let fixture = fixture(Limits::default());
    let path = fixture.folder().path().join("a.db");
    let aside = fixture.folder().path().join("old.db");
    let replace = Step::Do(Box::new(move |_| std::fs::rename(&path, &aside).unwrap()));
    fixture.run(async |handle| {
        let write = Steps::new(vec![run(INSERT, &[1, 0]), replace]);
        assert_eq!(handle.write(write).await.unwrap_err().code, Code::OutcomeUnknown);
    });
}

#[test]
fn a_file_that_cannot_be_written() {
    let folder = Folder::new();
    let path = folder.load("a.db", &[SCHEMA]);
    let opened =
        duet_sqlite::Database::open(&path, &duet_sqlite::Options::default(), Limits::default());
    let store: SharedStore = Arc::new(opened.unwrap());
    // Not by the file's mode, which says nothing to root: by the header, which names a version of
    // the format that may be read and not written.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[18] = 3;
    std::fs::write(&path, bytes).unwrap();
    let local = tokio::task::LocalSet::new();
    runtime().block_on(local.run_until(async {
        let handle = store.attach().unwrap();
        let handle = handle.acting(None);
        let error = handle.write(insert(1, 0)).await.unwrap_err();
        assert_eq!((error.code, error.code.status()), (Code::DatabaseReadOnly, 403));
    }));
}

#[test]
fn foreign_keys_are_enforced_and_every_write_is_synced() {
    let fixture = fixture(Limits::default());
    struct Pragmas;
    #[async_trait(?Send)]
    impl Write for Pragmas {
        type Output = Vec<String>;

        async fn run(&self, session: &mut dyn Session) -> Result<Ending<Vec<String>>> {
            let one =
                |sql: &str| Call { codecs: vec![duet_document::Codec::Integer], ..call(sql, &[]) };
            let calls = ["PRAGMA foreign_keys", "PRAGMA synchronous", "PRAGMA query_only"].map(one);
            let done = session.run(&calls).await?;
            let values = done.iter().map(|done| crate::steps::table(&done.rows));
            Ok(Ending::Rollback(values.collect()))
        }
    }
    fixture.run(async |handle| {
        assert_eq!(handle.write(Arc::new(Pragmas)).await.unwrap(), ["1", "3", "0"]);
    });
}
