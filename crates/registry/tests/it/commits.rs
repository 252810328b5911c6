//! Commit events: one for each commit, before its answer, whatever becomes of the caller.

use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::Duration;

use duet_model::Code;
use duet_model::commit::{Cause, CommitConsumer, CommitEvent, Extent};
use duet_model::{Relation, Value};
use duet_store::{Limits, SharedStore};
use futures_util::future::join_all;

use crate::inserts::insert_into;
use crate::steps::{Step, Steps, run};
use crate::store::{Fixture, Kind, is_pending};

/// How long an event is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// An event: its cause, whether everything may have changed, and the keys of each relation.
type Seen = (Cause, bool, Vec<(String, Option<Vec<Value>>)>);

/// Keeps all events.
#[derive(Default)]
struct Recorder {
    seen: Mutex<Vec<Seen>>,
    arrived: Condvar,
}

impl Recorder {
    fn of(fixture: &Fixture) -> Arc<Self> {
        let recorder = Arc::new(Self::default());
        fixture.store.commits().subscribe(Arc::clone(&recorder) as _);
        recorder
    }

    fn all(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    fn causes(&self) -> Vec<Cause> {
        self.all().iter().map(|(cause, ..)| *cause).collect()
    }

    /// Waits for so many events.
    fn wait_for(&self, count: usize) -> Vec<Seen> {
        let seen = self.seen.lock().unwrap();
        let few = |seen: &mut Vec<Seen>| seen.len() < count;
        let (seen, timeout) = self.arrived.wait_timeout_while(seen, PATIENCE, few).unwrap();
        assert!(!timeout.timed_out(), "{seen:?}");
        seen.clone()
    }
}

impl CommitConsumer for Recorder {
    fn committed(&self, event: &CommitEvent<'_>) {
        let relation = |change: &duet_model::commit::RelationChange| {
            let keys = match &change.extent {
                Extent::Any => None,
                Extent::Counted => panic!("rows were not gathered: {change:?}"),
                Extent::Rows(rows) => {
                    let table: &Relation = change.relation.table().unwrap();
                    Some(rows.iter().flat_map(|row| row.key(table).unwrap()).collect())
                }
            };
            (change.relation.name().to_owned(), keys)
        };
        let relations = event.relations.iter().map(relation).collect();
        self.seen.lock().unwrap().push((event.cause, event.everything, relations));
        self.arrived.notify_all();
    }
}

const SCHEMA: &str = "CREATE TABLE t (id integer PRIMARY KEY, n integer NOT NULL);
    INSERT INTO t VALUES (1, 0), (2, 0);";
const ADD: &str = "UPDATE t SET n = n + 1 WHERE id = $1";

/// Rows of many callers share transactions, by whatever way; each is in one event, and each transaction
/// is one.
#[test]
fn each_transaction_is_one_event() {
    for kind in Kind::BOTH {
        let fixture = Fixture::new(kind, "commits_shared", SCHEMA);
        let recorder = Recorder::of(&fixture);
        let insert = insert_into(&fixture, "t", &["id", "n"]).unwrap();
        fixture.run(async |handle| {
            let values = |id: i64| vec![Value::Int(id), Value::Int(0)];
            // One of them is refused.
            let each = (2..42).map(|id| handle.insert(&insert, values(id)));
            let answers = join_all(each).await;
            assert_eq!(answers.iter().filter(|answer| answer.is_err()).count(), 1, "{kind:?}");
        });
        let seen = recorder.all();
        assert_eq!(seen.len() as u64, fixture.store.counted().transactions, "{kind:?} {seen:?}");
        let mut keys = Vec::new();
        for (cause, everything, relations) in seen {
            assert_eq!((cause, everything, relations.len()), (Cause::Commit, false, 1));
            keys.extend(relations.into_iter().flat_map(|(_, keys)| keys.unwrap()));
        }
        keys.sort_by_key(|key| key.to_string().parse::<i64>().unwrap());
        assert_eq!(keys, (3..42).map(Value::Int).collect::<Vec<_>>(), "{kind:?}");
    }
}

/// On SQLite a write that has begun is finished though its caller has gone: so is its event.
#[test]
fn a_write_without_a_caller_gives_its_event() {
    let fixture = Fixture::new(Kind::Sqlite, "", SCHEMA);
    let recorder = Recorder::of(&fixture);
    let (begun, has_begun) = mpsc::channel();
    let (go, goes) = mpsc::channel::<()>();
    let goes = Mutex::new(goes);
    let wait = Step::Do(Box::new(move |_| {
        begun.send(()).unwrap();
        goes.lock().unwrap().recv().unwrap();
    }));
    fixture.run(async |handle| {
        let mut write = Box::pin(handle.write(Steps::new(vec![wait, run(ADD, &[1])])));
        assert!(is_pending(&mut write).await);
        has_begun.recv().unwrap();
        drop(write);
        assert!(recorder.all().is_empty());
        go.send(()).unwrap();
        assert_eq!(recorder.wait_for(1), [(Cause::Commit, true, Vec::new())]);
    });
    assert_eq!(fixture.query("SELECT n FROM t WHERE id = 1"), "1");
}

/// A change of row 2 waits at its commit for a lock of another session, and goes on waiting for another
/// when it is cancelled.
const WAITS_AT_COMMIT: &str = "
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS $$ BEGIN
      BEGIN PERFORM pg_advisory_lock(1);
      EXCEPTION WHEN query_canceled THEN
        LOOP
          BEGIN PERFORM pg_advisory_lock(2); EXIT; EXCEPTION WHEN query_canceled THEN NULL; END;
        END LOOP;
      END;
      RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER w AFTER INSERT OR UPDATE ON t DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (new.id > 1) EXECUTE FUNCTION wait();";

/// On PostgreSQL a request that is cancelled while its commit is under way may still be committed. Its
/// changes are delivered at once, and again when that is over.
#[test]
fn a_commit_that_is_cancelled_is_settled_by_the_end_of_its_connection() {
    let fixture =
        Fixture::new(Kind::Postgres, "commits_gone", &format!("{SCHEMA} {WAITS_AT_COMMIT}"));
    let recorder = Recorder::of(&fixture);
    let url = fixture.url();
    fixture.run(async |handle| {
        let (other, connection) =
            tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let locks = "SELECT pg_advisory_lock(1), pg_advisory_lock(2)";
        other.batch_execute(locks).await.unwrap();
        let waits_for = async |lock: &str| {
            // Other tests of the server take locks of the same numbers, each in its own database.
            let waiting = format!(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = {lock}
                   AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            );
            other.query_one(&waiting, &[]).await.unwrap().get::<_, i64>(0) == 1
        };
        let mut write = Box::pin(handle.write(Steps::new(vec![run(ADD, &[2])])));
        while !waits_for("1").await {
            assert!(is_pending(&mut write).await);
            tokio::task::yield_now().await;
        }
        drop(write);
        assert_eq!(recorder.causes(), [Cause::Unknown]);
        while !waits_for("2").await {
            tokio::task::yield_now().await;
        }
        assert_eq!(recorder.causes(), [Cause::Unknown]);
        other.batch_execute("SELECT pg_advisory_unlock(2)").await.unwrap();
        while recorder.causes().len() < 2 {
            tokio::task::yield_now().await;
        }
        let row = other.query_one("SELECT n FROM t WHERE id = 2", &[]).await.unwrap();
        assert_eq!(row.get::<_, i32>(0), 1, "it was committed");
    });
    let expected = [Cause::Unknown, Cause::Settled].map(|cause| (cause, true, Vec::new()));
    assert_eq!(recorder.all(), expected);
}

/// The same for rows that share a transaction: it is given up when the time of its requests is over.
#[test]
fn inserts_whose_time_is_over_at_their_commit_are_settled_later() {
    // The trigger is not there when the catalog is read, or rows would not share transactions.
    let limits = Limits { statement_timeout: Duration::from_millis(500), ..Limits::default() };
    let fixture = Fixture::with(Kind::Postgres, "commits_late", SCHEMA, limits);
    fixture.exec(WAITS_AT_COMMIT);
    let recorder = Recorder::of(&fixture);
    let url = fixture.url();
    let insert = insert_into(&fixture, "t", &["id", "n"]).unwrap();
    fixture.run(async |handle| {
        let (other, connection) =
            tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let locks = "SELECT pg_advisory_lock(1), pg_advisory_lock(2)";
        other.batch_execute(locks).await.unwrap();
        let error = handle.insert(&insert, vec![Value::Int(7), Value::Int(0)]).await.unwrap_err();
        assert_eq!(error.code, Code::OutcomeUnknown);
        while recorder.causes().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(recorder.causes(), [Cause::Unknown]);
        other.batch_execute("SELECT pg_advisory_unlock_all()").await.unwrap();
        while recorder.causes().len() < 2 {
            tokio::task::yield_now().await;
        }
    });
    let any = vec![("t".to_owned(), None)];
    let expected = [Cause::Unknown, Cause::Settled].map(|cause| (cause, false, any.clone()));
    assert_eq!(recorder.all(), expected);
}

/// A connection that is lost at the commit leaves open what became of it; a commit that is refused
/// changes nothing.
#[test]
fn a_lost_commit_is_unknown_and_a_refused_one_is_none() {
    let schema = format!("{SCHEMA} {}", crate::postgres::DIES_AT_COMMIT);
    let fixture = Fixture::new(Kind::Postgres, "commits_lost", &schema);
    fixture.exec("CREATE TABLE c (id integer PRIMARY KEY, t integer REFERENCES t DEFERRABLE INITIALLY DEFERRED)");
    let recorder = Recorder::of(&fixture);
    fixture.run(async |handle| {
        let error = handle.write(Steps::new(vec![run(ADD, &[2])])).await.unwrap_err();
        assert_eq!(error.code, Code::OutcomeUnknown);
        // Before its answer.
        assert_eq!(recorder.causes()[0], Cause::Unknown);
        while recorder.causes().len() < 2 {
            tokio::task::yield_now().await;
        }
        let orphan = run("INSERT INTO c VALUES (1, $1)", &[99]);
        let error = handle.write(Steps::new(vec![orphan])).await.unwrap_err();
        assert_eq!(error.code, Code::ForeignKeyViolation);
    });
    assert_eq!(recorder.causes(), [Cause::Unknown, Cause::Settled]);
}

/// On SQLite others' commits are one event each time they are seen, also where this process writes nothing;
/// own commits are none of others, be it with a write-ahead log or without.
#[test]
fn commits_of_others_are_seen_on_sqlite() {
    for fixture in [Fixture::new(Kind::Sqlite, "", SCHEMA), Fixture::one_file(SCHEMA)] {
        let recorder = Recorder::of(&fixture);
        let add = || Steps::new(vec![run(ADD, &[1])]);
        fixture.run(async |handle| {
            handle.write(add()).await.unwrap();
            fixture.exec("UPDATE t SET n = 7 WHERE id = 2");
            assert_eq!(recorder.causes(), [Cause::Commit], "no one watches for them");
            fixture.store.watch_commits(true).await.unwrap();
            assert_eq!(recorder.causes()[1..], [Cause::Foreign], "before it was watched for");
            for _ in 0..5 {
                handle.write(add()).await.unwrap();
            }
            assert_eq!(recorder.causes()[2..], [Cause::Commit; 5]);
            fixture.exec("UPDATE t SET n = 8 WHERE id = 2");
            let seen = recorder.wait_for(8);
            assert_eq!(seen[7], (Cause::Foreign, true, Vec::new()));
            // Before the next write is answered, however soon that is.
            fixture.exec("UPDATE t SET n = 9 WHERE id = 2");
            handle.write(add()).await.unwrap();
            assert_eq!(recorder.causes()[8..], [Cause::Foreign, Cause::Commit]);
            fixture.store.watch_commits(false).await.unwrap();
        });
    }
}

/// Two applications over one file are others to each other.
#[test]
fn stores_of_one_process_are_others_to_each_other() {
    let fixture = Fixture::new(Kind::Sqlite, "", SCHEMA);
    let path = fixture.folder().path().join("a.db");
    let other =
        duet_sqlite::Database::open(&path, &duet_sqlite::Options::default(), Limits::default());
    let other: SharedStore = Arc::new(other.unwrap());
    let recorder = Recorder::of(&fixture);
    fixture.run(async |_| {
        fixture.store.watch_commits(true).await.unwrap();
        assert_eq!(recorder.causes(), [Cause::Foreign]);
        let attached = other.attach().unwrap();
        attached.acting(None).write(Steps::new(vec![run(ADD, &[1])])).await.unwrap();
        assert_eq!(recorder.wait_for(2)[1].0, Cause::Foreign);
    });
}
