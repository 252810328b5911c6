//! What holds on both stores.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use duet_document::Datum;
use duet_model::{Code, Expr, Page, ReadPlan, Result, Root};
use duet_store::{CountOf, Ending, LockedRead, PageRead, Session, SlowestStatement, Write};

use crate::steps::{Step, Steps, call, key, returning, run, table};
use crate::store::{Fixture, Kind};

const SCHEMA: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER NOT NULL);
    CREATE TABLE c (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES t, n INTEGER);
    INSERT INTO t VALUES (1, 10), (2, 20); INSERT INTO c VALUES (7, 1, 70), (8, 1, 80), (9, 2, 90);";

const INSERT: &str = "INSERT INTO t VALUES ($1, $2)";
const ALL: &str = "SELECT id, n FROM t ORDER BY id";

#[test]
fn endings() {
    for kind in Kind::BOTH {
        let fixture = Fixture::new(kind, "endings", SCHEMA);
        fixture.run(async |handle| {
            let insert = |id| run(INSERT, &[id, 0]);
            let kept = handle.write(Steps::new(vec![insert(3)])).await;
            assert_eq!(kept.unwrap(), ["1"]);
            let tried = handle.write(Steps::new(vec![insert(4), Step::Undo])).await;
            assert_eq!(tried.unwrap(), ["1"]);
            let failed = handle.write(Steps::new(vec![insert(5), Step::Fail])).await;
            assert_eq!(failed.unwrap_err().code, Code::PreconditionFailed);
            let nothing = handle.write(Steps::new(Vec::new())).await;
            assert!(nothing.unwrap().is_empty());
            // What has failed cannot be committed, whatever the write says.
            let again = Step::Try(Box::new(insert(1)));
            let swallowed = handle.write(Steps::new(vec![insert(6), again])).await;
            assert_eq!(swallowed.unwrap_err().code, Code::UniqueViolation);
        });
        assert_eq!(fixture.query(ALL), "1|10\n2|20\n3|0");
        let counted = fixture.store.counted();
        assert_eq!((counted.rows, counted.retries), (1, 0));
    }
}

#[test]
fn several_statements_return_their_rows() {
    for kind in Kind::BOTH {
        let fixture = Fixture::new(kind, "several", SCHEMA);
        fixture.run(async |handle| {
            let calls = vec![
                call("UPDATE t SET n = n + $1", &[1]),
                call("DELETE FROM c WHERE parent = $1", &[1]),
                call("UPDATE c SET n = $1 WHERE id = $2", &[0, 99]),
            ];
            let done = handle.write(Steps::new(vec![Step::Run(calls)])).await.unwrap();
            assert_eq!(done, ["2", "2", "0"]);
            let rows = handle.write(Arc::new(Returned)).await.unwrap();
            assert_eq!(rows, "21;11");
        });
    }
}

/// The statement that took longest is that of the write, whichever thread runs it; and of a write that
/// fails too.
#[test]
fn the_slowest_statement_is_reported() {
    for kind in Kind::BOTH {
        let fixture = Fixture::new(kind, "slowest", SCHEMA);
        fixture.run(async |handle| {
            let all = SlowestStatement::new(Duration::ZERO);
            handle.timed_by(&all).write(Steps::new(vec![run(INSERT, &[3, 0])])).await.unwrap();
            assert_eq!(all.get().unwrap().1, INSERT);
            let failed = SlowestStatement::new(Duration::ZERO);
            let steps = Steps::new(vec![run(INSERT, &[3, 0])]);
            handle.timed_by(&failed).write(steps).await.unwrap_err();
            assert_eq!(failed.get().unwrap().1, INSERT);
            let slow = SlowestStatement::new(Duration::from_secs(86_400));
            handle.timed_by(&slow).write(Steps::new(vec![run(INSERT, &[4, 0])])).await.unwrap();
            assert_eq!(slow.get(), None, "quick statements are not copied");
        });
    }
}

struct Returned;

#[async_trait(?Send)]
impl Write for Returned {
    type Output = String;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<String>> {
        let sql = "UPDATE t SET n = n WHERE id = $1 RETURNING n";
        let done = session.run(&[returning(sql, &[2]), returning(sql, &[1])]).await?;
        assert!(session.run(&[]).await?.is_empty());
        let tables: Vec<_> = done.iter().map(|done| table(&done.rows)).collect();
        Ok(Ending::Commit(tables.join(";")))
    }
}

#[test]
fn savepoints() {
    for kind in Kind::BOTH {
        let fixture = Fixture::new(kind, "savepoints", SCHEMA);
        fixture.run(async |handle| {
            let insert = |id| run(INSERT, &[id, 0]);
            let tried = |step| Step::Try(Box::new(step));
            let steps = vec![
                insert(3),
                Step::Savepoint,
                insert(4),
                Step::Savepoint,
                insert(5),
                tried(insert(5)),
                // Until it is undone, every answer is the error.
                tried(insert(6)),
                Step::RollbackTo,
                insert(7),
                Step::Release,
                Step::Savepoint,
                insert(8),
                Step::RollbackTo,
            ];
            let notes = handle.write(Steps::new(steps)).await.unwrap();
            let unique = Code::UniqueViolation.as_str();
            assert_eq!(notes, ["1", "1", "1", unique, unique, "1", "1"]);
            let none = handle.write(Steps::new(vec![insert(9), Step::RollbackTo])).await;
            assert_eq!(none.unwrap_err().code, Code::Internal);
        });
        assert_eq!(fixture.query("SELECT id FROM t WHERE id > 2 ORDER BY id"), "3\n4\n7");
    }
}

#[test]
fn documents_are_read_before_and_after() {
    for kind in Kind::BOTH {
        let fixture = Fixture::new(kind, "documents", SCHEMA);
        let read = || fixture.documents("t", "c");
        fixture.run(async |handle| {
            let calls = vec![
                call("UPDATE t SET n = $1 WHERE id = 1", &[11]),
                call("DELETE FROM c WHERE id = $1", &[8]),
                call("INSERT INTO c VALUES ($1, 1, 60)", &[6]),
            ];
            let steps = vec![
                Step::Read(read(), key(1)),
                Step::Read(read(), key(3)),
                Step::RunAndReread(calls, read(), key(1)),
                Step::RunAndReread(Vec::new(), read(), key(2)),
                Step::Undo,
            ];
            let notes = handle.write(Steps::new(steps)).await.unwrap();
            // The key of the root comes first.
            let expected =
                ["1,10 / 1,7,1,70;1,8,1,80", "-", "1,11 / 1,6,1,60;1,7,1,70", "2,20 / 2,9,2,90"];
            assert_eq!(notes, expected, "{kind:?}");
        });
        assert_eq!(fixture.query("SELECT count(*) FROM c"), "3");
    }
}

#[test]
fn pages_inside_a_write() {
    for kind in Kind::BOTH {
        let fixture = Fixture::new(kind, "pages", SCHEMA);
        let shape = Arc::clone(&fixture.documents("t", "c").read.plan.shape);
        let page = Page {
            filter: Expr::And(Vec::new()),
            order: Vec::new(),
            by_row_number: false,
            after: None,
            offset: 0,
            limit: 10,
            arguments: Default::default(),
        };
        let read =
            PageRead::new(ReadPlan::page(shape, page), fixture.store.dialect(), CountOf::Nothing);
        assert!(matches!(read.plan.root, Root::Page(_)));
        fixture.run(async |handle| {
            let steps =
                vec![run("DELETE FROM c WHERE parent = $1", &[1]), Step::Page(Box::new(read))];
            let notes = handle.write(Steps::new(steps)).await.unwrap();
            assert!(notes[1].contains('9') && !notes[1].contains('7'), "{notes:?}");
        });
    }
}

/// Adds one to a row's number, by reading and then writing.
struct Increment(LockedRead);

#[async_trait(?Send)]
impl Write for Increment {
    type Output = i64;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<i64>> {
        let answers = session.read(&self.0, &[key(1)]).await?;
        let Datum::Int(number) = answers[0].fetched.roots().get(0, 1) else { panic!("a number") };
        session.run(&[call("UPDATE t SET n = $1 WHERE id = 1", &[number + 1])]).await?;
        Ok(Ending::Commit(number + 1))
    }
}

#[test]
fn no_increment_is_lost() {
    const EACH: usize = 32;
    for kind in Kind::BOTH {
        let fixture = Fixture::new(kind, "increments", SCHEMA);
        let work = || {
            fixture.run(async |handle| {
                let all = (0..EACH).map(|_| handle.write(Arc::new(Increment(fixture.rows("t")))));
                let mut seen = futures_util::future::join_all(all).await;
                seen.drain(..).map(Result::unwrap).collect::<Vec<_>>()
            })
        };
        // Two workers at once.
        let mut seen: Vec<i64> = std::thread::scope(|scope| {
            let threads = [scope.spawn(work), scope.spawn(work)];
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        seen.sort_unstable();
        assert_eq!(seen, (11..11 + 2 * EACH as i64).collect::<Vec<_>>(), "{kind:?}");
        assert_eq!(fixture.query("SELECT n FROM t WHERE id = 1"), (10 + 2 * EACH).to_string());
        assert_eq!(fixture.store.counted().writes, 2 * EACH as u64);
    }
}
