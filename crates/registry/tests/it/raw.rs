//! Plain connections: the same statements on both stores.

use std::time::Duration;

use duet_client::Moved;
use duet_client::connect::Settings;
use duet_client::{ConnectOptions, Connection, FailureKind};
use duet_model::Value;
use duet_store::files::Synchronous;
use duet_testkit::postgres::{Options, Server, Tls};
use duet_testkit::tls::Authority;

const TABLE: &str = "CREATE TABLE fruit (id bigint PRIMARY KEY, name text, price numeric(9,2))";

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

async fn round(target: &ConnectOptions) {
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

    connection.limit(Duration::from_millis(500)).await.unwrap();
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
    round(&ConnectOptions::Sqlite { path, synchronous: Synchronous::Normal }).await;
}

#[tokio::test]
async fn on_postgres() {
    let database = Server::shared().database("raw");
    let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
    round(&ConnectOptions::Postgres(settings.connector().unwrap())).await;
}

/// What one read costs on the wire, and what ten of the same do.
async fn costs(target: &ConnectOptions) -> (Moved, Moved) {
    let mut connection = Connection::open(target, "raw test").await.unwrap();
    let statement = connection.prepare("SELECT 'apple' || 'juice' WHERE 1 = $1").await.unwrap();
    let mut read = async |times: u32| {
        let before = connection.moved();
        for _ in 0..times {
            connection.query(&statement, &[Value::Int(1)]).await.unwrap();
        }
        connection.moved().since(before)
    };
    let costs = (read(1).await, read(10).await);
    connection.close().await;
    costs
}

#[tokio::test]
async fn bytes_of_the_wire_are_counted() {
    let options = Options::new().tls(Tls::Server, Authority::for_postgres());
    let server = Server::start_with(options);
    let target = |url: &str| {
        let settings = Settings::from_url(url, &|_| None).unwrap();
        ConnectOptions::Postgres(settings.connector().unwrap())
    };
    let (once, ten) = costs(&target(&server.url("postgres"))).await;
    // Bind, Execute, Sync; BindComplete, DataRow with ten letters, CommandComplete, ReadyForQuery
    // (PostgreSQL's manual, "Message Formats").
    assert_eq!((once.sent, ten.sent), (once.sent, 10 * once.sent));
    assert!((30..60).contains(&once.sent), "{once:?}");
    assert_eq!(once.received, 5 + 21 + 14 + 6);
    assert_eq!(ten.received, 10 * once.received);
    let tls = format!("{}?sslmode=require", server.tcp_url("postgres"));
    let (over_tls, _) = costs(&target(&tls)).await;
    // A record has a head of 5 bytes, a type and a tag of 16 (RFC 8446, sections 5.1 and 5.2).
    assert!(over_tls.sent >= once.sent + 22, "{over_tls:?}");
    assert!(over_tls.received >= once.received + 22, "{over_tls:?}");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("raw.sqlite");
    let sqlite = ConnectOptions::Sqlite { path, synchronous: Synchronous::Normal };
    assert_eq!(costs(&sqlite).await, (Moved::default(), Moved::default()));
}

#[tokio::test]
async fn a_socket_that_is_not_there() {
    for url in ["postgres:///d?host=/nowhere&user=u", "postgres://u@127.0.0.1:1/d"] {
        let settings = Settings::from_url(url, &|_| None).unwrap();
        let target = ConnectOptions::Postgres(settings.connector().unwrap());
        let failure = Connection::open(&target, "raw test").await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Connection, "{failure}");
        assert!(failure.message.contains("cannot be reached"), "{failure}");
    }
}
