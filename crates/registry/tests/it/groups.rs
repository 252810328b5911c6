//! Concurrent writes of documents, which share transactions on PostgreSQL: none loses a change, and none
//! notices that another one waits, fails or wants more.

use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use duet_document::{Datum, RowSet};
use duet_model::{Code, ColumnRef, LevelColumn, Result, Value};
use duet_store::{
    Action, Ending, GroupRead, LockedRead, Records, RowsUpdate, Session, UpdatedRows, Write,
    document_key,
};
use futures_util::future::join_all;

use crate::isolation::{holding, is_calm};
use crate::postgres::DIES_AT_COMMIT;
use crate::steps::{call, key};
use crate::store::{Fixture, Kind, is_pending};

const DOCUMENTS: i64 = 60;
const SCHEMA: &str = "CREATE TABLE t (id integer PRIMARY KEY, n integer NOT NULL CHECK (n < 1000));
    WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 60)
    INSERT INTO t SELECT n, 0 FROM s;
    CREATE TABLE c (id integer PRIMARY KEY, n integer NOT NULL, parent integer NOT NULL REFERENCES t);
    CREATE INDEX c_parent ON c (parent);
    WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 120)
    INSERT INTO c SELECT n, 0, (n + 1) / 2 FROM s;";

/// A read of documents, and the updates of the column `n` of each level, where the store has them.
struct Kept {
    read: LockedRead,
    updates: Vec<Arc<RowsUpdate>>,
}

impl Kept {
    fn new(fixture: &Fixture, read: LockedRead) -> Arc<Self> {
        let plan = &read.read.plan;
        let update =
            |level| RowsUpdate::new(plan, level, &[0], &[1], fixture.store.dialect()).map(Arc::new);
        let updates = (0..plan.levels.len()).filter_map(update).collect();
        Arc::new(Self { read, updates })
    }

    fn updated(&self, level: usize, rows: Vec<Vec<Value>>) -> UpdatedRows {
        let table = Arc::clone(&self.read.read.plan.shape.nodes[level].table);
        let (update, action) =
            (Arc::clone(&self.updates[level]), Action::Update { follows: false });
        UpdatedRows { update, rows, table, action, changes: Vec::new() }
    }

    /// The keys and the numbers of the rows of a level.
    fn rows(&self, rows: &RowSet, level: usize) -> Vec<(i64, i64)> {
        let at = |column| {
            let wanted = LevelColumn::Column(ColumnRef { node: level, column });
            self.read.read.plan.levels[level].position(&wanted).unwrap()
        };
        let number = |row, column| match rows.get(row, at(column)) {
            Datum::Int(number) => number,
            other => panic!("{other:?}"),
        };
        (0..rows.len()).map(|row| (number(row, 0), number(row, 1))).collect()
    }
}

/// Adds to the number of a document and of all rows below it; gives the sum that it was before, checked
/// with what the updates return.
struct Add {
    kept: Arc<Kept>,
    key: Vec<Value>,
    by: i64,
    /// Whether it wants something else than updates.
    more: bool,
}

impl Add {
    fn new(kept: &Arc<Kept>, id: i64, by: i64) -> Self {
        Self { kept: Arc::clone(kept), key: key(id), by, more: false }
    }

    /// Whether it changes a whole document, not only a row.
    fn is_document(&self) -> bool {
        self.kept.read.read.plan.levels.len() == 2
    }
}

#[async_trait(?Send)]
impl Write for Add {
    type Output = i64;

    fn touches(&self) -> Option<u64> {
        let table = &self.kept.read.read.plan.shape.root().table;
        Some(document_key(&table.schema, &table.name, &self.key))
    }

    fn shares(&self) -> Option<(&Arc<GroupRead>, &Vec<Value>)> {
        self.kept.read.group.as_ref().map(|group| (group, &self.key))
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<i64>> {
        let kept = &self.kept;
        let answers = session.read(&kept.read, std::slice::from_ref(&self.key)).await?;
        assert_eq!(session.records(), Records::Nothing);
        assert_eq!(answers[0].row, Some(0));
        let levels = answers[0].fetched.levels.iter().enumerate();
        let before: Vec<Vec<(i64, i64)>> =
            levels.map(|(level, read)| kept.rows(&read.rows, level)).collect();
        let sum = before.iter().flatten().map(|(_, n)| n).sum();
        if self.by == 0 {
            return Ok(Ending::Commit(sum));
        }
        let row = |&(id, n): &(i64, i64)| vec![Value::Int(id), Value::Int(n + self.by)];
        if self.more || !session.may_finish() {
            for (level, rows) in before.iter().enumerate() {
                let sql =
                    ["UPDATE t SET n = $1 WHERE id = $2", "UPDATE c SET n = $1 WHERE id = $2"];
                let root = kept.read.read.plan.shape.root().table.name == "c";
                let sql = sql[if root { 1 } else { level }];
                let calls = rows.iter().map(|(id, n)| call(sql, &[n + self.by, *id]));
                session.run(&calls.collect::<Vec<_>>()).await?;
            }
            return Ok(Ending::Commit(sum));
        }
        let updates = before.iter().enumerate();
        let updates: Vec<UpdatedRows> = updates
            .map(|(level, rows)| kept.updated(level, rows.iter().map(row).collect()))
            .collect();
        let returned = session.finish(&updates).await?;
        for ((level, before), returned) in before.iter().enumerate().zip(&returned) {
            let given = |at| kept.updates[level].given(returned, at).unwrap();
            let after = kept.rows(returned, level).into_iter().enumerate();
            let mut seen: Vec<_> = after.map(|(at, (id, n))| (given(at), id, n)).collect();
            seen.sort_unstable();
            let wanted = before.iter().enumerate();
            let wanted: Vec<_> = wanted.map(|(at, (id, n))| (at, *id, n + self.by)).collect();
            assert_eq!(seen, wanted);
        }
        Ok(Ending::Commit(sum))
    }
}

/// A number below another one (xorshift).
fn drawn(state: &mut u64, below: u64) -> i64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    i64::try_from((*state >> 11) % below).unwrap()
}

type Pending<'a> = Pin<Box<dyn Future<Output = Vec<Result<i64>>> + 'a>>;

/// Documents of three rows, their rows by themselves, updates and other writes, from several workers: at
/// the end every change that was acknowledged is there, and no other one.
#[test]
fn overlapping_documents_lose_no_change() {
    for kind in Kind::BOTH {
        no_change_is_lost(kind);
    }
}

fn no_change_is_lost(kind: Kind) {
    const WORKERS: u64 = 3;
    const EACH: u64 = 300;
    let fixture = Fixture::new(kind, "groups", SCHEMA);
    let work = |worker: u64| {
        let documents = Kept::new(&fixture, fixture.documents("t", "c"));
        let rows = Kept::new(&fixture, fixture.rows("c"));
        let mut state = (worker + 1) * 0x9E37_79B9;
        let mut random = |below: u64| drawn(&mut state, below);
        let writes: Vec<Add> = (0..EACH)
            .map(|_| {
                let (kept, most) = if random(4) == 0 { (&rows, 24) } else { (&documents, 12) };
                let mut add = Add::new(kept, random(most) + 1, random(3));
                add.more = random(10) == 0;
                add
            })
            .collect();
        let known: Vec<_> =
            writes.iter().map(|it| (it.is_document(), it.key.clone(), it.by)).collect();
        let done = fixture.run(async |handle| {
            join_all(writes.into_iter().map(|write| handle.write(Arc::new(write)))).await
        });
        assert!(done.iter().all(Result::is_ok), "{done:?}");
        known
    };
    let known: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..WORKERS).map(|worker| scope.spawn(move || work(worker))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let sum = |document: bool, id: i64| -> i64 {
        let of = known.iter().filter(|(is, key, _)| *is == document && *key == self::key(id));
        of.map(|(_, _, by)| by).sum()
    };
    for id in 1..=12 {
        let stored = fixture.query(&format!("SELECT n FROM t WHERE id = {id}"));
        assert_eq!(stored, sum(true, id).to_string(), "document {id}");
    }
    for id in 1..=24 {
        let stored = fixture.query(&format!("SELECT n FROM c WHERE id = {id}"));
        assert_eq!(stored, (sum(true, (id + 1) / 2) + sum(false, id)).to_string(), "row {id}");
    }
}

#[test]
fn writes_that_wait_share_a_transaction() {
    let fixture = Fixture::new(Kind::Postgres, "shared", SCHEMA);
    let kept = Kept::new(&fixture, fixture.documents("t", "c"));
    fixture.run(async |handle| {
        let add = |id| handle.write(Arc::new(Add::new(&kept, id, 1)));
        for done in join_all((1..=DOCUMENTS).map(add)).await {
            assert_eq!(done.unwrap(), 0);
        }
        is_calm(&fixture).await;
    });
    let counted = fixture.store.counted();
    assert_eq!((counted.writes, counted.rows, counted.retries), (60, 180, 0));
    assert!(counted.transactions < 20, "{counted:?}");
    assert_eq!(fixture.query("SELECT min(n), max(n) FROM t"), "1|1");
    assert_eq!(fixture.query("SELECT min(n), max(n) FROM c"), "1|1");
}

/// A document and a row of another one are locked by another program: their writes wait, and no other.
#[test]
fn a_locked_document_leaves_its_group() {
    let limits = duet_store::Limits {
        connections: 8,
        lock_timeout: std::time::Duration::from_secs(600),
        queue_timeout: std::time::Duration::from_secs(600),
        statement_timeout: std::time::Duration::from_secs(600),
        ..duet_store::Limits::default()
    };
    let fixture = Fixture::with(Kind::Postgres, "left", SCHEMA, limits);
    let kept = Kept::new(&fixture, fixture.documents("t", "c"));
    fixture.run(async |handle| {
        let hold = "UPDATE t SET n = 7 WHERE id = 5; UPDATE c SET n = 7 WHERE id = 41";
        let other = holding(&fixture, hold).await;
        let add = |id| handle.write(Arc::new(Add::new(&kept, id, 1)));
        let is_held = |id: &i64| [5, 21].contains(id);
        let mut held: Pending<'_> = Box::pin(join_all((1..=DOCUMENTS).filter(is_held).map(add)));
        let free = (1..=DOCUMENTS).filter(|id| !is_held(id)).map(add);
        let mut free: Pending<'_> = Box::pin(join_all(free));
        let mut done = Vec::new();
        while done.is_empty() {
            assert!(is_pending(&mut held).await);
            tokio::select! {
                biased;
                all = &mut free => done = all,
                () = tokio::time::sleep(std::time::Duration::from_millis(1)) => {}
            }
        }
        assert!(done.into_iter().all(|done| done.unwrap() == 0));
        assert!(is_pending(&mut held).await);
        other.batch_execute("COMMIT").await.unwrap();
        let held: Vec<i64> = held.await.into_iter().map(Result::unwrap).collect();
        assert_eq!(held, [7, 7]);
        is_calm(&fixture).await;
    });
    assert_eq!(fixture.query("SELECT count(*) FROM t WHERE n = 1"), "59");
    assert_eq!(fixture.query("SELECT count(*) FROM c WHERE n = 1"), "119");
}

/// What one write breaks is its own error; one that wants more, or a document that is not there, gets it.
#[test]
fn one_failure_is_one_writes_own() {
    let fixture = Fixture::new(Kind::Postgres, "own_error", SCHEMA);
    let kept = Kept::new(&fixture, fixture.documents("t", "c"));
    fixture.run(async |handle| {
        let add = |id: i64| {
            let mut add = Add::new(&kept, id, if id % 20 == 3 { 1_000 } else { 1 });
            add.more = id % 7 == 0;
            handle.write(Arc::new(add))
        };
        for (done, id) in join_all((1..=DOCUMENTS).map(add)).await.into_iter().zip(1..) {
            match id % 20 {
                3 => assert_eq!(done.unwrap_err().code, Code::CheckViolation, "{id}"),
                _ => assert_eq!(done.unwrap(), 0, "{id}"),
            }
        }
        is_calm(&fixture).await;
    });
    assert_eq!(fixture.query("SELECT count(*) FROM t WHERE n = 1"), "57");
    assert_eq!(fixture.query("SELECT count(*) FROM c WHERE n = 1"), "114");
}

/// A connection that is lost with the commit leaves its whole group open: no write of it is repeated.
#[test]
fn a_group_whose_commit_is_not_answered_is_open() {
    let fixture = Fixture::new(Kind::Postgres, "open_group", &format!("{SCHEMA} {DIES_AT_COMMIT}"));
    let kept = Kept::new(&fixture, fixture.documents("t", "c"));
    fixture.run(async |handle| {
        let add = |id| handle.write(Arc::new(Add::new(&kept, id, 1)));
        // The first two are alone; document 2 is in a group.
        let ids = [10, 11, 2, 12, 13, 14];
        let done = join_all(ids.map(add)).await;
        let unknown: Vec<i64> = ids
            .into_iter()
            .zip(&done)
            .filter(|(_, done)| {
                done.as_ref().is_err_and(|error| error.code == Code::OutcomeUnknown)
            })
            .map(|(id, _)| id)
            .collect();
        assert!(unknown.contains(&2), "{done:?}");
        for (id, done) in ids.into_iter().zip(&done) {
            let stored = fixture.query(&format!("SELECT n FROM t WHERE id = {id}"));
            let wanted = if unknown.contains(&id) { "0" } else { "1" };
            assert_eq!(stored, wanted, "{id}: {done:?}");
        }
        assert!(handle.write(Arc::new(Add::new(&kept, 12, 1))).await.is_ok());
        is_calm(&fixture).await;
    });
}

/// Shapes of which two documents may have a row in common are not for groups.
#[test]
fn documents_with_common_rows_have_no_group() {
    let schema = "CREATE TABLE p (id integer PRIMARY KEY, parent integer REFERENCES p);
        CREATE TABLE t (id text PRIMARY KEY, n integer);";
    let fixture = Fixture::new(Kind::Postgres, "common_rows", schema);
    assert!(fixture.rows("p").group.is_some());
    assert!(fixture.documents("p", "p").group.is_none());
    let sqlite = Fixture::new(Kind::Sqlite, "common_rows", schema);
    assert!(sqlite.rows("p").group.is_none());
}
