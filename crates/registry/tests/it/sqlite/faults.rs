//! SQLite when something goes wrong: bugs that panic on each of its threads, and locks that last.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::Duration;

use async_trait::async_trait;
use duet_document::bulk::{Batch, Group, LoadTable, RowPosition};
use duet_document::{Datum, RowSet};
use duet_model::{Code, Expr, Page, ReadPlan, Shape, Value};
use duet_store::bulk::{BulkLoad, Clear, Plan};
use duet_store::{CountOf, Ending, KeyedRead, Limits, PageRead, RoleHandle, Session, Write};
use futures_util::future::join_all;

use crate::steps::{Step, Steps, run};
use crate::store::{Fixture, Kind, is_pending};

const SCHEMA: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER NOT NULL);
    INSERT INTO t VALUES (1, 10), (2, 20);";
const INSERT: &str = "INSERT INTO t VALUES ($1, $2)";

fn fixture(limits: Limits) -> Fixture {
    Fixture::with(Kind::Sqlite, "", SCHEMA, limits)
}

fn insert(id: i64) -> Arc<Steps> {
    Steps::new(vec![run(INSERT, &[id, 0])])
}

fn shape(fixture: &Fixture) -> Arc<Shape> {
    Arc::clone(&fixture.rows("t").read.plan.shape)
}

fn page(fixture: &Fixture) -> PageRead {
    let page = Page {
        filter: Expr::all(),
        order: Vec::new(),
        by_row_number: false,
        after: None,
        offset: 0,
        limit: 25,
        arguments: Default::default(),
    };
    PageRead::new(ReadPlan::page(shape(fixture), page), fixture.store.dialect(), CountOf::Nothing)
}

/// A page whose plan lacks what its statement reads.
fn broken_page(fixture: &Fixture) -> PageRead {
    let mut read = page(fixture);
    read.plan.levels = Arc::default();
    read
}

async fn rows_of_t(fixture: &Fixture, handle: &RoleHandle<'_>) -> usize {
    handle.page(&Arc::new(page(fixture))).await.unwrap().0.fetched.roots().len()
}

/// A load that has its connection, and whose transaction ends only on command.
pub(crate) async fn load(fixture: &Fixture) -> Box<dyn BulkLoad> {
    let shape = shape(fixture);
    let plan = Plan {
        table: Arc::clone(&shape.root().table),
        target: Arc::new(LoadTable::new(&shape, &[])),
        key: Vec::new(),
        clear: Clear::No,
        whole: true,
        raised_messages: false,
    };
    fixture.store.bulk_load(None, plan).await.unwrap()
}

fn batch(columns: &[usize], cells: &[i64]) -> Batch {
    let mut rows = RowSet::new(columns.len());
    cells.iter().for_each(|&cell| rows.push(Datum::Int(cell)));
    let last = RowPosition { row: 1, line: 1 };
    let group = Group { columns: columns.to_vec(), rows, places: vec![last] };
    Batch { rows: vec![group], refused: Vec::new(), read: 1, last }
}

#[test]
fn a_panic_of_a_read_by_key_ends_only_that_read() {
    let fixture = fixture(Limits::default());
    let good = fixture.rows("t").read;
    let mut plan = good.plan.clone();
    plan.levels = Arc::default();
    let broken = Arc::new(KeyedRead {
        id: u64::MAX,
        plan,
        statements: good.statements.clone(),
        combined: None,
        one: None,
        codecs: Vec::new(),
    });
    fixture.run(async |handle| {
        for _ in 0..3 {
            // Both are in one batch.
            let key = || vec![Value::Int(1)];
            let (ended, beside) =
                tokio::join!(handle.by_key(&broken, key()), handle.by_key(&good, key()));
            assert_eq!(ended.unwrap_err().code, Code::Internal);
            assert_eq!(beside.unwrap().row, Some(0));
        }
    });
}

#[test]
fn a_panic_on_a_reader_thread_ends_only_that_page() {
    let fixture = fixture(Limits { connections: 1, ..Limits::default() });
    fixture.run(async |handle| {
        for _ in 0..3 {
            let ended = handle.page(&Arc::new(broken_page(&fixture))).await;
            assert_eq!(ended.unwrap_err().code, Code::Internal);
        }
        assert_eq!(rows_of_t(&fixture, handle).await, 2);
    });
}

#[test]
fn a_panic_of_a_stream_ends_only_that_stream() {
    let fixture = fixture(Limits { streams: 1, ..Limits::default() });
    fixture.run(async |handle| {
        for _ in 0..3 {
            let mut stream = handle.stream(broken_page(&fixture)).await.unwrap();
            assert_eq!(stream.next().await.unwrap_err().code, Code::Internal);
        }
        let mut stream = handle.stream(page(&fixture)).await.unwrap();
        assert_eq!(stream.next().await.unwrap().unwrap().roots().len(), 2);
    });
}

/// Keeps the thread until it may go on, and leaves an answer that panics when it is not taken. Its transaction is
/// undone, so no other write joins it.
struct PanicsWhenUnwanted(Mutex<std::sync::mpsc::Sender<()>>, Mutex<std::sync::mpsc::Receiver<()>>);

struct Explosive;

impl Drop for Explosive {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "this is a test's own panic");
    }
}

#[async_trait(?Send)]
impl Write for PanicsWhenUnwanted {
    type Output = Explosive;

    async fn run(&self, _session: &mut dyn Session) -> duet_model::Result<Ending<Explosive>> {
        self.0.lock().unwrap().send(()).unwrap();
        self.1.lock().unwrap().recv().unwrap();
        Ok(Ending::Rollback(Explosive))
    }
}

#[test]
fn a_panic_of_the_writing_thread_ends_only_its_batch() {
    let fixture = fixture(Limits::default());
    fixture.run(async |handle| {
        let (arrived, has_arrived) = channel();
        let (opener, open) = channel();
        let explosive = PanicsWhenUnwanted(Mutex::new(arrived), Mutex::new(open));
        let mut gone = Box::pin(handle.write(Arc::new(explosive)));
        assert!(is_pending(&mut gone).await);
        has_arrived.recv().unwrap();
        drop(gone);
        opener.send(()).unwrap();
        assert!(handle.write(insert(3)).await.is_ok());
    });
    assert_eq!(fixture.query("SELECT id FROM t"), "1\n2\n3");
}

#[test]
fn a_panic_of_a_load_releases_the_write_turn() {
    let fixture = fixture(Limits::default());
    fixture.run(async |handle| {
        let mut broken = load(&fixture).await;
        assert!(broken.batch(batch(&[0, 1], &[3, 0]), 0).await.is_ok());
        let ended = broken.batch(batch(&[0, 9], &[4, 0]), 0).await;
        assert_eq!(ended.unwrap_err().code, Code::Internal);
        assert!(handle.write(insert(5)).await.is_ok());
        drop(broken);
    });
    assert_eq!(fixture.query("SELECT id FROM t"), "1\n2\n5");
}

/// A request behind another program's lock gets an error by its deadline, also those that
/// only wait in the queue; and reads go on.
#[test]
fn another_programs_lock_is_named() {
    let long = Duration::from_secs(600);
    let limits = Limits {
        queue_timeout: Duration::from_millis(500),
        lock_timeout: long,
        batch: 1,
        ..Limits::default()
    };
    let fixture = fixture(limits);
    let other = fixture.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    fixture.run(async |handle| {
        let ended =
            tokio::join!(handle.write(insert(3)), handle.write(insert(4)), handle.write(insert(5)));
        for end in [ended.0, ended.1, ended.2] {
            let error = end.unwrap_err();
            assert_eq!(error.code, Code::DatabaseLocked, "{error:?}");
            assert!(error.message.contains("Another program"), "{error:?}");
        }
        assert_eq!(rows_of_t(&fixture, handle).await, 2);
        let read = fixture.rows("t").read;
        assert_eq!(handle.by_key(&read, vec![Value::Int(1)]).await.unwrap().row, Some(0));
        other.execute_batch("ROLLBACK").unwrap();
    });
    assert_eq!(fixture.query("SELECT id FROM t"), "1\n2");
}

/// Writes that wait in the queue wait no longer for another program's lock than the one whose turn it is.
#[test]
fn another_programs_lock_has_one_limit_for_all() {
    let limits = Limits {
        queue_timeout: Duration::from_secs(600),
        lock_timeout: Duration::from_millis(50),
        batch: 1,
        ..Limits::default()
    };
    let fixture = fixture(limits);
    let other = fixture.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    fixture.run(async |handle| {
        let ended = join_all((3..23).map(|id| handle.write(insert(id)))).await;
        for error in ended.into_iter().map(Result::unwrap_err) {
            assert_eq!(error.code, Code::DatabaseLocked, "{error:?}");
        }
    });
    let queues = fixture.store.queues();
    let write = queues.iter().find(|(queue, _)| *queue == "write").unwrap().1;
    // The others, but for those that the thread has tried meanwhile.
    assert!(write.expired >= 10, "{write:?}");
    other.execute_batch("ROLLBACK").unwrap();
}

/// A load's transaction keeps others waiting no longer than to their deadline, and they hear why.
#[test]
fn a_load_that_holds_the_file_is_named() {
    let fixture =
        fixture(Limits { queue_timeout: Duration::from_millis(500), ..Limits::default() });
    fixture.run(async |handle| {
        let mut held = load(&fixture).await;
        assert!(held.batch(batch(&[0, 1], &[3, 0]), 0).await.is_ok());
        let error = handle.write(insert(4)).await.unwrap_err();
        assert_eq!(error.code, Code::Overloaded, "{error:?}");
        assert!(error.message.contains("bulk load"), "{error:?}");
        held.commit().await.unwrap();
        assert!(handle.write(Steps::new(vec![Step::Savepoint, Step::Release])).await.is_ok());
        assert!(handle.write(insert(5)).await.is_ok());
        held.end().await;
    });
    assert_eq!(fixture.query("SELECT id FROM t"), "1\n2\n3\n5");
}
