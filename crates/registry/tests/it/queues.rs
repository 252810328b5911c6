//! The queues in front of both stores: clients take turns, and one deadline covers all waiting.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_model::{Code, Error, Expr, Page, ReadPlan, Value};
use duet_store::{Client, CountOf, Limits, PageRead, QueueCounts};
use futures_util::future::join_all;

use crate::steps::{Steps, key, run};
use crate::store::{Fixture, Kind, is_pending};

/// Rows that fill more than the chunks of a stream that are read before they are taken.
const SCHEMA: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, filling VARCHAR(9000) NOT NULL);
    INSERT INTO t WITH RECURSIVE n (i, f) AS
        (SELECT 1, CAST('0123456789abcdef' AS VARCHAR(9000)) UNION ALL SELECT i + 1, f FROM n WHERE i < 3000)
      SELECT i, f || f || f || f || f || f || f || f || f || f || f || f || f || f || f || f FROM n;";
const INSERT: &str = "INSERT INTO t VALUES ($1, 'new')";

/// No wait ends by itself.
fn patient() -> Limits {
    let long = Duration::from_secs(600);
    Limits { queue_timeout: long, lock_timeout: long, statement_timeout: long, ..Limits::default() }
}

fn page(fixture: &Fixture, limit: u64) -> PageRead {
    let page = Page {
        filter: Expr::all(),
        order: Vec::new(),
        by_row_number: false,
        after: None,
        offset: 0,
        limit,
        arguments: Default::default(),
    };
    let shape = Arc::clone(&fixture.rows("t").read.plan.shape);
    PageRead::new(ReadPlan::page(shape, page), fixture.store.dialect(), CountOf::Nothing)
}

fn queue(fixture: &Fixture, name: &str) -> QueueCounts {
    let queues = fixture.store.queues();
    queues.into_iter().find(|(queue, _)| *queue == name).unwrap().1
}

type Turn<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Puts these into the queue one after the other, releases what holds it, and runs them to their end.
async fn in_turn<T>(mut waiting: Vec<Turn<'_>>, held: T) {
    for turn in &mut waiting {
        assert!(is_pending(turn).await);
    }
    drop(held);
    join_all(waiting).await;
}

/// One stream at a time: the second client's comes before the third one of the first.
#[test]
fn clients_take_turns_for_streams() {
    for kind in Kind::BOTH {
        let fixture =
            Fixture::with(kind, "stream_turns", SCHEMA, Limits { streams: 1, ..patient() });
        fixture.run(async |handle| {
            let open = |client| {
                let read = page(&fixture, 100_000);
                async move { handle.for_client(Client::new(client)).stream(read).await.unwrap() }
            };
            let order = RefCell::new(Vec::new());
            let turn = |client, name: &'static str| -> Turn<'_> {
                let (open, order) = (open(client), &order);
                Box::pin(async move {
                    let mut stream = open.await;
                    order.borrow_mut().push(name);
                    assert!(stream.next().await.unwrap().is_some());
                })
            };
            let mut held = open(1).await;
            assert!(held.next().await.unwrap().is_some());
            let waiting = vec![turn(1, "a2"), turn(1, "a3"), turn(2, "b1")];
            in_turn(waiting, held).await;
            assert_eq!(*order.borrow(), ["a2", "b1", "a3"], "{kind:?}");
        });
        assert_eq!(queue(&fixture, "stream").admitted, 4, "{kind:?}");
    }
}

/// A worker that reads one document after the other: the second client's comes before the second one
/// of the first.
#[test]
fn clients_take_turns_for_reads_by_key() {
    let fixture =
        Fixture::with(Kind::Sqlite, "read_turns", SCHEMA, Limits { batch: 1, ..patient() });
    fixture.run(async |handle| {
        let read = fixture.rows("t").read;
        let order = RefCell::new(Vec::new());
        let turn = |client, name: &'static str| {
            let (read, order) = (&read, &order);
            async move {
                let one = handle.for_client(Client::new(client));
                one.by_key(read, key(1)).await.unwrap();
                order.borrow_mut().push(name);
            }
        };
        join_all([turn(1, "a1"), turn(1, "a2"), turn(1, "a3"), turn(2, "b1")]).await;
        assert_eq!(*order.borrow(), ["a1", "b1", "a2", "a3"]);
    });
    assert_eq!(queue(&fixture, "read").admitted, 4);
}

fn is_refused<T>(ended: Result<T, Error>) {
    let error = ended.map(drop).unwrap_err();
    assert_eq!((error.code, error.retry_after), (Code::Overloaded, Some(1)), "{error:?}");
}

/// A request whose time is over begins nothing, whatever it wants.
#[test]
fn a_request_whose_time_is_over_is_refused() {
    let limits = Limits::default();
    let over = limits.queue_timeout + limits.statement_timeout;
    let arrived = Instant::now().checked_sub(over).unwrap();
    for kind in Kind::BOTH {
        let fixture = Fixture::with(kind, "late", SCHEMA, limits.clone());
        fixture.run(async |handle| {
            let late = handle.since(arrived);
            is_refused(late.write(Steps::new(vec![run(INSERT, &[9_999])])).await);
            is_refused(late.stream(page(&fixture, 100_000)).await);
            is_refused(late.page(&Arc::new(page(&fixture, 1_000))).await);
            is_refused(late.by_key(&fixture.rows("t").read, key(1)).await);
            // Their class refuses all four, before they come to the queues behind it.
            assert_eq!(queue(&fixture, "interactive").expired, 4, "{kind:?}");
        });
        assert_eq!(fixture.query("SELECT count(*) FROM t"), "3000");
    }
}

/// What a worker's thread has begun goes on with the time that is left: no queue starts it anew.
#[test]
fn a_read_keeps_its_deadline_on_its_way_to_another_thread() {
    let arrived = Instant::now().checked_sub(Limits::default().queue_timeout).unwrap();
    let fixture = Fixture::one_file(SCHEMA);
    fixture.run(async |handle| {
        let other = fixture.connection();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let late = handle.since(arrived);
        let read = fixture.rows("t").read;
        is_refused(late.by_key(&read, key(1)).await);
        is_refused(late.page(&Arc::new(page(&fixture, 10))).await);
        other.execute_batch("ROLLBACK").unwrap();
        assert_eq!(handle.by_key(&read, vec![Value::Int(1)]).await.unwrap().row, Some(0));
    });
}

/// On SQLite, a read that shares its turn with a slow one is not begun behind its own deadline.
#[test]
fn a_read_behind_a_slow_one_ends_by_its_deadline() {
    const SLOW: &str = "CREATE TABLE parent (id INTEGER PRIMARY KEY);
        CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL);
        INSERT INTO parent VALUES (1);
        INSERT INTO child WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
          SELECT i, i + 1 FROM n;";
    let half = Duration::from_secs(5);
    let limits = Limits { queue_timeout: half, statement_timeout: half, ..Limits::default() };
    let fixture = Fixture::with(Kind::Sqlite, "", SLOW, limits);
    let fast = fixture.rows("parent").read;
    // Compiled before its time counts.
    fixture.run(async |handle| {
        assert!(handle.by_key(&fast, key(1)).await.is_ok());
        // It reads all children, which takes several times as long as the other one has.
        let slow = fixture.documents("parent", "child").read;
        let arrived = Instant::now().checked_sub(2 * half - Duration::from_millis(2)).unwrap();
        let (late, acting) = (Instant::now(), handle.since(arrived));
        let (slow, refused) =
            tokio::join!(handle.by_key(&slow, key(1)), acting.by_key(&fast, key(1)));
        assert!(slow.is_ok(), "{slow:?}");
        assert!(late.elapsed() > Duration::from_millis(2), "the first read was not slow");
        assert_eq!(refused.unwrap_err().code, Code::Overloaded);
        assert!(handle.by_key(&fast, key(1)).await.is_ok());
    });
}
