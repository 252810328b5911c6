//! Commit classes: what their transactions wait for, and which writes share one.

use std::sync::Mutex;
use std::sync::mpsc::channel;

use duet_model::Value;
use duet_model::commit_class::CommitClass::{self, Async, Group, Sync};
use duet_store::RoleHandle;
use futures_util::future::{join, join_all};

use crate::inserts::insert_into;
use crate::steps::{Step, Steps, run};
use crate::store::{Fixture, Kind, is_pending};

const SCHEMA: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, setting TEXT);";

/// Inserts a row with the setting that its transaction has.
fn setting(fixture: &Fixture, id: i64) -> Step {
    let sql = match fixture.store.has_one_writer() {
        true => "INSERT INTO t SELECT $1, synchronous FROM pragma_synchronous",
        false => "INSERT INTO t SELECT $1::integer, current_setting('synchronous_commit')",
    };
    run(sql, &[id])
}

async fn write(handle: &RoleHandle<'_>, fixture: &Fixture, (id, class): (i64, CommitClass)) {
    let written = handle.committing(class).write(Steps::new(vec![setting(fixture, id)])).await;
    assert_eq!(written.unwrap(), ["1"]);
}

const CLASSES: [(i64, CommitClass); 5] =
    [(1, Group), (2, Async), (3, Sync), (4, Async), (5, Group)];

#[test]
fn postgres_sets_it_for_one_transaction() {
    for (usual, expected) in [
        ("on", "1|on\n2|off\n3|on\n4|off\n5|on"),
        ("off", "1|off\n2|off\n3|on\n4|off\n5|off"),
        ("local", "1|local\n2|off\n3|local\n4|off\n5|local"),
    ] {
        let fixture = Fixture::new(Kind::Postgres, &format!("class_{usual}"), SCHEMA);
        let set = format!("ALTER DATABASE write_class_{usual} SET synchronous_commit = {usual}");
        fixture.exec(&set);
        fixture.run(async |handle| {
            for one in CLASSES {
                write(handle, &fixture, one).await;
            }
        });
        assert_eq!(fixture.query("SELECT id, setting FROM t ORDER BY id"), expected);
    }
}

#[test]
fn sqlite_sets_it_between_transactions() {
    let fixture = Fixture::new(Kind::Sqlite, "", SCHEMA);
    fixture.run(async |handle| {
        for one in CLASSES {
            write(handle, &fixture, one).await;
        }
    });
    let settings = "SELECT group_concat(setting, '') FROM (SELECT setting FROM t ORDER BY id)";
    assert_eq!(fixture.query(settings), "31313");
    // With a rollback journal a commit that waits for nothing may damage the file.
    let fixture = Fixture::one_file(SCHEMA);
    fixture.run(async |handle| {
        for one in CLASSES {
            write(handle, &fixture, one).await;
        }
    });
    assert_eq!(fixture.query(settings), "33333");
}

/// While a write runs, others of all classes come to wait.
#[test]
fn a_shared_transaction_has_the_strongest_class_in_it() {
    let fixture = Fixture::new(Kind::Sqlite, "", SCHEMA);
    fixture.run(async |handle| {
        let ((begun, has_begun), (go_on, goes_on)) = (channel(), channel::<()>());
        let goes_on = Mutex::new(goes_on);
        let wait = Step::Do(Box::new(move |_| {
            begun.send(()).unwrap();
            goes_on.lock().unwrap().recv().unwrap();
        }));
        let handle_of_first = handle.committing(Async);
        let first = handle_of_first.write(Steps::new(vec![setting(&fixture, 1), wait]));
        let mut first = std::pin::pin!(first);
        assert!(is_pending(&mut first).await);
        has_begun.recv().unwrap();
        let waiting = [(2, Async), (3, Group), (4, Sync), (5, Sync), (6, Async), (7, Async)];
        let mut rest = std::pin::pin!(join_all(waiting.map(|one| write(handle, &fixture, one))));
        assert!(is_pending(&mut rest).await);
        go_on.send(()).unwrap();
        let (first, _) = join(first, rest).await;
        assert_eq!(first.unwrap(), ["1"]);
    });
    // The first waits for no sync and takes no others. 2 and 3 share a transaction, 4 and 5 have their own.
    let settings = "SELECT group_concat(setting, '') FROM (SELECT setting FROM t ORDER BY id)";
    assert_eq!(fixture.query(settings), "1333311");
    let counted = fixture.store.counted();
    assert_eq!((counted.writes, counted.transactions), (7, 5));
}

/// Rows that are inserted by one statement, where their class lets them.
#[test]
fn inserts_of_the_class_sync_share_nothing() {
    for kind in Kind::BOTH {
        let fixture = Fixture::new(kind, "class_inserts", SCHEMA);
        let insert = insert_into(&fixture, "t", &["id"]).unwrap();
        fixture.run(async |handle| {
            for (class, first) in [(Sync, 0), (Group, 100), (Async, 200)] {
                let before = fixture.store.counted().transactions;
                let handle = handle.committing(class);
                let rows = (0..20).map(|id| handle.insert(&insert, vec![Value::Int(first + id)]));
                for answer in join_all(rows).await {
                    assert!(answer.unwrap().row.is_some());
                }
                let transactions = fixture.store.counted().transactions - before;
                match class {
                    Sync => assert_eq!(transactions, 20),
                    _ => assert!(transactions < 20, "{class:?}: {transactions}"),
                }
            }
        });
        assert_eq!(fixture.query("SELECT count(*) FROM t"), "60");
    }
}
