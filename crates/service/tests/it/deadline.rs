//! The deadline of a request counts from the moment at which it arrived.

use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_auth::Open;
use duet_model::Value;
use duet_service::definition::Mount;
use duet_service::write::{
    Conditions, DocumentOperation, DocumentWrite, OwnedLinks, WriteAnswer, WriteMode, WriteOutcome,
};
use duet_store::Limits;
use tokio::task::LocalSet;

use crate::application::of_mount;
use crate::served::{Data, Kind};

#[test]
fn a_request_that_arrived_too_long_ago_does_nothing() {
    for kind in Kind::BOTH {
        let data = Data::empty(kind, "deadline");
        data.exec("CREATE TABLE a (id integer NOT NULL PRIMARY KEY); INSERT INTO a VALUES (1)");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        LocalSet::new().block_on(&runtime, check(&data));
    }
}

async fn check(data: &Data) {
    let mount = Mount { path: "/t".into(), all_tables: true, ..Mount::default() };
    let service = data.service(Open::All, of_mount(mount).definition, Limits::default()).await;
    let worker = service.attach().unwrap();
    let snapshot = worker.snapshot();
    let (mount, _) = snapshot.route("/t/a/1").unwrap();
    let delete = DocumentWrite {
        resource: Arc::clone(mount.resource("a").unwrap()),
        operation: DocumentOperation::Delete { key: vec![Value::Int(1)] },
        conditions: Conditions::default(),
        mode: WriteMode::default(),
        may_read: true,
        links: OwnedLinks::default(),
    };
    let arrived = Instant::now();
    let long_ago = arrived.checked_sub(Duration::from_secs(600)).unwrap();
    let late = worker.acting(None).since(long_ago).write(delete.clone(), None).await.unwrap_err();
    assert_eq!((late.code.status(), late.retry_after), (503, Some(1)), "{late:?}");
    let in_time = worker.acting(None).since(arrived).write(delete, None).await.unwrap();
    assert!(matches!(in_time, WriteAnswer::Now(WriteOutcome::Deleted)), "{in_time:?}");
}
