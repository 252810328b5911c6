//! Plain connections: the same statements on both stores.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::time::Duration;

use duet_db::postgres::connect::Settings;
use duet_db::raw::{Connection, FailureKind, Target};
use duet_db::sqlite::Synchronous;
use duet_model::Value;
use duet_testkit::postgres::Server;

const TABLE: &str = "CREATE TABLE fruit (id bigint PRIMARY KEY, name text, price numeric(9,2))";

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

async fn round(target: &Target) {
    let mut connection = Connection::open(target, "raw test").await.unwrap();
    connection.script(TABLE).await.unwrap();
    let mut copy = connection.copy_in("fruit", &["id", "name"]).await.unwrap();
    for id in 1..=3 {
        copy.row(&[Value::Int(id), text(&format!("tab\t{id}"))]).await.unwrap();
    }
    copy.row(&[Value::Int(4), Value::Null]).await.unwrap();
    assert_eq!(copy.finish().await.unwrap(), 4);

    // The parameters occur in another order than they are numbered.
    let named = "SELECT id, name FROM fruit WHERE name = $2 OR id = $1 ORDER BY id";
    let statement = connection.prepare(named).await.unwrap();
    let rows = connection.query(&statement, &[Value::Int(3), text("tab\t1")]).await.unwrap();
    assert_eq!(rows.columns, ["id", "name"]);
    let expected = [vec![Value::Int(1), text("tab\t1")], vec![Value::Int(3), text("tab\t3")]];
    assert_eq!(rows.rows, expected);

    let insert = connection.prepare("INSERT INTO fruit (id) VALUES ($1)").await.unwrap();
    let refused = connection.execute(&insert, &[Value::Int(1)]).await.unwrap_err();
    assert_eq!(refused.kind, FailureKind::Constraint);
    connection.begin().await.unwrap();
    assert_eq!(connection.execute(&insert, &[Value::Int(9)]).await.unwrap(), 1);
    connection.rollback().await.unwrap();
    let count = connection.ask("SELECT count(*) FROM fruit", &[]).await.unwrap();
    assert_eq!(count.first_int(0), Some(4));
    let wrong = connection.prepare("SELECT nothing FROM nowhere").await.unwrap_err();
    assert_eq!(wrong.kind, FailureKind::Other);

    connection.limit(Duration::from_millis(20)).await.unwrap();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i > 0) \
                   SELECT count(*) FROM (SELECT i % 7 FROM n) AS x";
    let ended = connection.ask(endless, &[]).await.unwrap_err();
    assert_eq!(ended.kind, FailureKind::Timeout, "{ended}");
    let after = connection.ask("SELECT count(*) FROM fruit", &[]).await.unwrap();
    assert_eq!(after.first_int(0), Some(4));
    connection.close().await;
}

#[tokio::test]
async fn on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("raw.sqlite");
    round(&Target::Sqlite { path, synchronous: Synchronous::Normal }).await;
}

#[tokio::test]
async fn on_postgres() {
    let database = Server::shared().database("raw");
    let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
    round(&Target::Postgres(settings.connector().unwrap())).await;
}
