//! Writes on PostgreSQL: others in the way, connections that break, callers that go.

use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use duet_model::{Code, Result, Value};
use duet_store::{Action, Ending, Limits, LockedRead, RowsUpdate, Session, UpdatedRows, Write};

use crate::isolation::holding;
use crate::steps::{Step, Steps, key, run};
use crate::store::{Fixture, Kind, is_pending};

const SCHEMA: &str = "CREATE TABLE t (id integer PRIMARY KEY, n integer NOT NULL);
    INSERT INTO t VALUES (1, 0), (2, 0);";
const ADD: &str = "UPDATE t SET n = n + 1 WHERE id = $1";

fn fixture(name: &str) -> Fixture {
    let limits = Limits { lock_timeout: Duration::from_millis(100), ..Limits::default() };
    Fixture::with(Kind::Postgres, name, SCHEMA, limits)
}

/// Sessions of the test's database with this condition.
fn sessions(fixture: &Fixture, condition: &str) -> String {
    fixture.query(&format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
         AND pid <> pg_backend_pid() AND {condition}"
    ))
}

/// Waits until there is such a session, or none.
fn until(fixture: &Fixture, condition: &str, number: &str) {
    while sessions(fixture, condition) != number {
        std::thread::yield_now();
    }
}

#[test]
fn a_deadlock_is_tried_again() {
    let limits = Limits { lock_timeout: Duration::from_secs(60), ..Limits::default() };
    let fixture = Fixture::with(Kind::Postgres, "deadlock", SCHEMA, limits);
    let both_hold_one = Arc::new(Barrier::new(2));
    let work = |first: i64, second: i64| {
        let barrier = Arc::clone(&both_hold_one);
        let meet = Step::Do(Box::new(move |attempt| {
            if attempt == 1 {
                barrier.wait();
            }
        }));
        let steps = Steps::new(vec![run(ADD, &[first]), meet, run(ADD, &[second])]);
        let attempts = Arc::clone(&steps);
        fixture.run(async |handle| handle.write(steps).await).unwrap();
        attempts.attempts()
    };
    let attempts: usize = std::thread::scope(|scope| {
        let threads = [scope.spawn(|| work(1, 2)), scope.spawn(|| work(2, 1))];
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    // Each meets the other at its first attempt; then they take turns.
    assert!((3..=4).contains(&attempts), "{attempts}");
    assert_eq!(fixture.query("SELECT n FROM t ORDER BY id"), "2\n2");
    assert_eq!(fixture.store.counted().retries, attempts as u64 - 2);
}

/// A table whose rows conflict so often.
fn conflicting(times: usize, when: &str) -> String {
    format!(
        "{SCHEMA} CREATE SEQUENCE tries;
         CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF nextval('tries') <= {times} THEN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END IF;
           RETURN NULL; END $$;
         CREATE CONSTRAINT TRIGGER c AFTER UPDATE ON t DEFERRABLE INITIALLY {when}
           FOR EACH ROW EXECUTE FUNCTION conflict();"
    )
}

#[test]
fn conflicts_are_tried_five_times() {
    for when in ["IMMEDIATE", "DEFERRED"] {
        let name = format!("conflicts_{}", when.to_lowercase());
        let fixture = Fixture::new(Kind::Postgres, &name, &conflicting(4, when));
        let steps = Steps::new(vec![run(ADD, &[1])]);
        let attempts = Arc::clone(&steps);
        fixture.run(async |handle| handle.write(steps).await).unwrap();
        assert_eq!((attempts.attempts(), fixture.store.counted().retries), (5, 4), "{when}");
        fixture.exec("ALTER SEQUENCE tries RESTART; ALTER TABLE t DISABLE TRIGGER c");
        fixture.exec(
            &conflicting(5, when)
                .split_once("CREATE FUNCTION")
                .map(|(_, rest)| {
                    let (function, _) = rest.split_once("CREATE CONSTRAINT").unwrap();
                    format!("CREATE OR REPLACE FUNCTION{function} ALTER TABLE t ENABLE TRIGGER c")
                })
                .unwrap(),
        );
        let steps = Steps::new(vec![run(ADD, &[1])]);
        let error = fixture.run(async |handle| handle.write(steps).await).unwrap_err();
        assert_eq!((error.code, error.retry_after), (Code::WriteConflict, Some(1)), "{when}");
        assert_eq!(
            fixture.query("SELECT n, (SELECT last_value FROM tries) FROM t WHERE id = 1"),
            "1|5"
        );
    }
}

#[test]
fn a_conflict_cannot_be_undone_in_part() {
    let fixture = Fixture::new(Kind::Postgres, "part", &conflicting(1, "IMMEDIATE"));
    let steps = Steps::new(vec![
        Step::Savepoint,
        Step::Try(Box::new(run(ADD, &[1]))),
        Step::Try(Box::new(Step::RollbackTo)),
    ]);
    let attempts = Arc::clone(&steps);
    let notes = fixture.run(async |handle| handle.write(steps).await).unwrap();
    assert_eq!(
        (attempts.attempts(), &notes[..]),
        (2, &["1".to_owned(), "ok".to_owned(), "ok".to_owned()][..])
    );
}

#[test]
fn a_lock_is_not_waited_for_for_ever() {
    let fixture = fixture("locked");
    fixture.run(async |handle| {
        let other = holding_one(&fixture).await;
        let read = || Step::Read(fixture.rows("t"), key(1));
        let error = handle.write(Steps::new(vec![read()])).await.unwrap_err();
        assert_eq!((error.code, error.retry_after), (Code::DatabaseLocked, Some(1)));
        // The connection is as good as before.
        let free = Step::Read(fixture.rows("t"), key(2));
        assert_eq!(handle.write(Steps::new(vec![free])).await.unwrap(), ["2,0"]);
        other.batch_execute("ROLLBACK").await.unwrap();
        assert_eq!(handle.write(Steps::new(vec![read()])).await.unwrap(), ["1,0"]);
    });
    assert_eq!(sessions(&fixture, "state LIKE 'idle in transaction%'"), "0");
}

/// Another program's connection, whose transaction has changed the first row.
async fn holding_one(fixture: &Fixture) -> tokio_postgres::Client {
    let (other, connection) =
        tokio_postgres::connect(&fixture.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    other.batch_execute("BEGIN; UPDATE t SET n = 7 WHERE id = 1").await.unwrap();
    other
}

/// One lock after the other: what is left of the limit is all that the later ones are waited for, both
/// in one statement that locks several rows and in statements of their own.
#[test]
fn several_locks_have_one_limit() {
    let limits = Limits { lock_timeout: Duration::from_secs(2), ..Limits::default() };
    let fixture = Fixture::with(Kind::Postgres, "locked_in_turn", CHILDREN, limits);
    fixture.run(async |handle| {
        let document = || Step::Read(fixture.documents("parent", "child"), key(1));
        let alone = || Step::Read(fixture.documents("parent", "child"), key(2));
        let each = |id| run("UPDATE child SET n = n + 1 WHERE id = $1", &[id]);
        for steps in [vec![document()], vec![each(1), each(2)]] {
            let first = holding(&fixture, "SELECT FROM child WHERE id = 1 FOR UPDATE").await;
            let others = "SELECT FROM child WHERE id > 1 FOR UPDATE";
            let others = holding(&fixture, others).await;
            let begun = Instant::now();
            let mut waiting = Box::pin(handle.write(Steps::new(steps)));
            let turn = Duration::from_millis(1_300);
            // The later one would be refused first if each lock were waited for as long.
            let mut behind = None;
            while begun.elapsed() < turn {
                assert!(is_pending(&mut waiting).await);
                if begun.elapsed() > Duration::from_millis(600) {
                    let behind = behind
                        .get_or_insert_with(|| Box::pin(handle.write(Steps::new(vec![alone()]))));
                    assert!(is_pending(behind).await);
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            first.batch_execute("ROLLBACK").await.unwrap();
            let behind = behind.unwrap();
            let refused = match futures_util::future::select(waiting, behind).await {
                futures_util::future::Either::Left((ended, _)) => ended.unwrap_err(),
                futures_util::future::Either::Right(_) => panic!("its locks were waited for twice"),
            };
            assert_eq!((refused.code, refused.retry_after), (Code::DatabaseLocked, Some(1)));
            others.batch_execute("ROLLBACK").await.unwrap();
            assert!(handle.write(Steps::new(vec![document()])).await.is_ok());
        }
    });
    until(&fixture, "(state LIKE 'idle in transaction%' OR wait_event_type = 'Lock')", "0");
}

const CHILDREN: &str = "CREATE TABLE parent (id integer PRIMARY KEY);
    CREATE TABLE child (id integer PRIMARY KEY, parent integer REFERENCES parent, n integer DEFAULT 0);
    INSERT INTO parent VALUES (1), (2);
    INSERT INTO child VALUES (1, 1), (2, 1), (3, 2);";

/// The write that waits reads what was committed meanwhile.
#[test]
fn a_lock_is_waited_for() {
    let long = Duration::from_secs(600);
    let limits = Limits { lock_timeout: long, statement_timeout: long, ..Limits::default() };
    let fixture = Fixture::with(Kind::Postgres, "locked_long", SCHEMA, limits);
    fixture.run(async |handle| {
        let other = holding_one(&fixture).await;
        let read = Step::Read(fixture.rows("t"), key(1));
        let mut waiting = Box::pin(handle.write(Steps::new(vec![read])));
        while sessions(&fixture, "wait_event_type = 'Lock'") != "1" {
            assert!(is_pending(&mut waiting).await);
            tokio::task::yield_now().await;
        }
        other.batch_execute("COMMIT").await.unwrap();
        assert_eq!(waiting.await.unwrap(), ["1,7"]);
    });
    assert_eq!(sessions(&fixture, "state LIKE 'idle in transaction%'"), "0");
}

#[test]
fn rows_of_children_are_locked_and_new_ones_kept_out() {
    let schema = "CREATE TABLE t (id integer PRIMARY KEY, n integer);
        CREATE TABLE c (id integer PRIMARY KEY, parent integer REFERENCES t);
        INSERT INTO t VALUES (1, 0); INSERT INTO c VALUES (7, 1);";
    let fixture = Fixture::new(Kind::Postgres, "children", schema);
    let read = fixture.documents("t", "c");
    assert_eq!(read.locks.len(), 2);
    assert!(
        read.locks[1].sql.ends_with("ORDER BY t1.\"id\" FOR NO KEY UPDATE OF t1"),
        "{:?}",
        read.locks
    );
    let url = fixture.url();
    let impossible = Step::Do(Box::new(move |_| {
        for sql in [
            "UPDATE t SET n = 1",
            "UPDATE c SET parent = NULL WHERE id = 7",
            "INSERT INTO c VALUES (8, 1)",
        ] {
            let url = url.clone();
            let said = std::thread::spawn(move || {
                crate::store::runtime().block_on(async {
                    let (other, connection) =
                        tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
                    tokio::spawn(connection);
                    other.batch_execute(&format!("SET lock_timeout = 1; {sql}")).await
                })
            });
            let error = said.join().unwrap().unwrap_err();
            assert_eq!(error.code().unwrap().code(), "55P03", "{sql}");
        }
    }));
    let steps = vec![Step::Read(read, key(1)), impossible];
    fixture.run(async |handle| handle.write(Steps::new(steps)).await).unwrap();
}

#[test]
fn a_caller_that_goes_leaves_nothing_behind() {
    let limits = Limits { lock_timeout: Duration::from_secs(60), ..Limits::default() };
    let fixture = Fixture::with(Kind::Postgres, "gone", SCHEMA, limits);
    let url = fixture.url();
    fixture.run(async |handle| {
        let (other, connection) =
            tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        other.batch_execute("BEGIN; UPDATE t SET n = 7 WHERE id = 2").await.unwrap();
        let steps = Steps::new(vec![run(ADD, &[1]), run(ADD, &[2])]);
        let mut gone = Box::pin(handle.write(steps));
        while sessions(&fixture, "wait_event_type = 'Lock'") != "1" {
            assert!(is_pending(&mut gone).await);
            tokio::task::yield_now().await;
        }
        drop(gone);
        // Its statement is cancelled though the lock is still there.
        while sessions(&fixture, "wait_event_type = 'Lock'") != "0" {
            tokio::task::yield_now().await;
        }
        let next = handle.write(Steps::new(vec![run(ADD, &[1])])).await;
        assert_eq!(next.unwrap(), ["1"]);
        other.batch_execute("ROLLBACK").await.unwrap();
    });
    assert_eq!(fixture.query("SELECT n FROM t ORDER BY id"), "1\n0");
}

/// Locks all rows, gives some of them other values, and commits with that; the second time it does
/// nothing.
struct Finish {
    read: LockedRead,
    rows: Vec<[i64; 2]>,
}

#[async_trait(?Send)]
impl Write for Finish {
    type Output = Option<Vec<usize>>;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Self::Output>> {
        session.read(&self.read, &[key(1), key(2)]).await?;
        if !session.may_finish() {
            return Ok(Ending::Rollback(None));
        }
        let dialect = duet_sql::Postgres { icu: false };
        let update = RowsUpdate::new(&self.read.read.plan, 0, &[0], &[1], &dialect).unwrap();
        let rows = self.rows.iter().map(|row| row.map(Value::Int).to_vec()).collect();
        let (table, action) =
            (&self.read.read.plan.shape.root().table, Action::Update { follows: false });
        let table = Arc::clone(table);
        let update = Arc::new(update);
        let updates = [UpdatedRows { update, rows, table, action, changes: Vec::new() }];
        let returned = session.finish(&updates).await?;
        let given = |row| updates[0].update.given(&returned[0], row).unwrap();
        Ok(Ending::Commit(Some((0..returned[0].len()).map(given).collect())))
    }
}

#[test]
fn updates_leave_with_the_commit_or_not_at_all() {
    let fixture = fixture("finish");
    let finish = |rows: &[[i64; 2]]| {
        let write = Finish { read: fixture.rows("t"), rows: rows.to_vec() };
        fixture.run(async |handle| handle.write(Arc::new(write)).await)
    };
    let mut given = finish(&[[2, 6], [1, 5]]).unwrap().unwrap();
    given.sort_unstable();
    assert_eq!(given, [0, 1]);
    assert_eq!(fixture.query("SELECT n FROM t ORDER BY id"), "5\n6");
    let retries = fixture.store.counted().retries;
    // A row that is not there, one that is given twice, a value that does not fit its column.
    for wrong in [[[1, 7], [99, 7]], [[1, 7], [1, 8]], [[1, 7], [2, i64::MAX]]] {
        assert_eq!(finish(&wrong).unwrap(), None);
    }
    assert_eq!(fixture.store.counted().retries, retries + 3);
    assert_eq!(fixture.query("SELECT n FROM t ORDER BY id"), "5\n6");
    assert_eq!(sessions(&fixture, "state LIKE 'idle in transaction%'"), "0");
}

#[test]
fn a_connection_that_breaks_with_the_last_statements_leaves_it_open() {
    let schema = format!("{SCHEMA} {DIES_AT_COMMIT}");
    let fixture = Fixture::new(Kind::Postgres, "unfinished", &schema);
    fixture.run(async |handle| {
        let finish = |rows| Arc::new(Finish { read: fixture.rows("t"), rows });
        let error = handle.write(finish(vec![[2, 6]])).await.unwrap_err();
        assert_eq!(error.code, Code::OutcomeUnknown);
        assert_eq!(handle.write(finish(vec![[1, 5]])).await.unwrap(), Some(vec![0]));
    });
    assert_eq!(fixture.store.counted().retries, 0);
}

/// A change of row 2 ends the session while it is committed.
pub(crate) const DIES_AT_COMMIT: &str = "
    CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(60); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER d AFTER UPDATE ON t DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (new.id = 2) EXECUTE FUNCTION die();";

/// Ends the server's sessions that are in a transaction.
fn kill(fixture: &Fixture) -> Step {
    let url = fixture.url();
    Step::Do(Box::new(move |attempt| {
        if attempt > 1 {
            return;
        }
        let url = url.clone();
        let killed = std::thread::spawn(move || {
            crate::store::runtime().block_on(async {
                let (other, connection) =
                    tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
                tokio::spawn(connection);
                let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                    WHERE datname = current_database() AND state = 'idle in transaction'";
                other.batch_execute(kill).await.unwrap();
            });
        });
        killed.join().unwrap();
    }))
}

#[test]
fn a_connection_that_breaks_before_the_end_is_replaced() {
    let fixture = fixture("killed");
    let steps = Steps::new(vec![run(ADD, &[1]), kill(&fixture), run(ADD, &[2])]);
    let attempts = Arc::clone(&steps);
    fixture.run(async |handle| handle.write(steps).await).unwrap();
    assert_eq!((attempts.attempts(), fixture.store.counted().retries), (2, 1));
    assert_eq!(fixture.query("SELECT n FROM t ORDER BY id"), "1\n1");
}

#[test]
fn a_connection_that_breaks_at_the_end_leaves_it_open() {
    let schema = format!("{SCHEMA} {DIES_AT_COMMIT}");
    let fixture = Fixture::new(Kind::Postgres, "unknown", &schema);
    fixture.run(async |handle| {
        let steps = Steps::new(vec![run(ADD, &[2])]);
        let attempts = Arc::clone(&steps);
        let error = handle.write(steps).await.unwrap_err();
        assert_eq!((error.code, attempts.attempts()), (Code::OutcomeUnknown, 1));
        let next = handle.write(Steps::new(vec![run(ADD, &[1])])).await;
        assert_eq!(next.unwrap(), ["1"]);
    });
}

#[test]
fn deferred_constraints_are_checked_at_commit() {
    let schema = format!(
        "{SCHEMA} CREATE TABLE c (id integer PRIMARY KEY,
           parent integer REFERENCES t DEFERRABLE INITIALLY DEFERRED)"
    );
    let fixture = Fixture::new(Kind::Postgres, "deferred", &schema);
    fixture.run(async |handle| {
        let orphan = run("INSERT INTO c VALUES (1, $1)", &[99]);
        let error = handle.write(Steps::new(vec![orphan])).await.unwrap_err();
        assert_eq!(error.code, Code::ForeignKeyViolation);
        assert!(handle.write(Steps::new(vec![run(ADD, &[1])])).await.is_ok());
    });
    assert_eq!(fixture.query("SELECT count(*) FROM c"), "0");
}

#[test]
fn a_write_beyond_its_deadline_is_cancelled() {
    let limits = Limits { statement_timeout: Duration::from_millis(1_000), ..Limits::default() };
    let fixture = Fixture::with(Kind::Postgres, "slow", SCHEMA, limits);
    fixture.run(async |handle| {
        let slow = run("UPDATE t SET n = 1 FROM pg_sleep(60)", &[]);
        let error = handle.write(Steps::new(vec![slow])).await.unwrap_err();
        assert_eq!(error.code, Code::Timeout);
        assert!(handle.write(Steps::new(vec![run(ADD, &[1])])).await.is_ok());
    });
}

#[test]
fn a_statement_that_was_prepared_before_the_schema_changed() {
    let fixture = fixture("altered");
    /// Reads a row, without codecs of its own.
    struct Read(LockedRead);
    #[async_trait(?Send)]
    impl Write for Read {
        type Output = usize;

        async fn run(&self, session: &mut dyn Session) -> Result<Ending<usize>> {
            let answers = session.read(&self.0, &[key(1)]).await?;
            Ok(Ending::Commit(answers[0].fetched.roots().len()))
        }
    }
    fixture.run(async |handle| {
        let read = || Arc::new(Read(fixture.rows("t")));
        let read_once = read();
        assert_eq!(handle.write(Arc::clone(&read_once)).await.unwrap(), 1);
        fixture.exec("ALTER TABLE t ALTER n TYPE bigint");
        assert_eq!(handle.write(read_once).await.unwrap(), 1);
    });
    until(&fixture, "state LIKE 'idle in transaction%'", "0");
    assert_eq!(fixture.store.counted().retries, 1);
}

#[test]
fn too_many_wait() {
    let limits = Limits {
        connections: 3,
        queue_timeout: Duration::from_millis(500),
        lock_timeout: Duration::from_secs(60),
        ..Limits::default()
    };
    let fixture = Fixture::with(Kind::Postgres, "full", SCHEMA, limits);
    fixture.run(async |handle| {
        let slow = "UPDATE t SET n = n + 1 WHERE id = $1 AND pg_sleep(60) IS NULL";
        let mut first = Box::pin(handle.write(Steps::new(vec![run(slow, &[2])])));
        while sessions(&fixture, "wait_event = 'PgSleep'") != "1" {
            assert!(is_pending(&mut first).await);
            tokio::task::yield_now().await;
        }
        let error = handle.write(Steps::new(vec![run(ADD, &[1])])).await.unwrap_err();
        assert_eq!((error.code, error.retry_after), (Code::Overloaded, Some(1)));
        fixture.query(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND wait_event = 'PgSleep'",
        );
        assert_eq!(first.await.unwrap_err().code, Code::Timeout);
    });
}
