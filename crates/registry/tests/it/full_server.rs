//! A server that takes no more connections: requests wait for those that are open, as it is not gone.

use std::time::Duration;

use duet_model::Code;
use duet_store::Limits;
use duet_testkit::postgres::{Options, Server};
use futures_util::future::join_all;

use crate::steps::{Steps, key, run};
use crate::store::{Fixture, Kind};

const SCHEMA: &str = "CREATE TABLE t (id integer PRIMARY KEY, n integer NOT NULL);
    INSERT INTO t SELECT n, 0 FROM generate_series(1, 100) AS n;";
const ADD: &str = "UPDATE t SET n = n + 1 WHERE id = $1";
const MOST: usize = 24;

/// Takes every connection that the server still gives.
async fn take_all(url: &str) -> Vec<tokio_postgres::Client> {
    let mut taken = Vec::new();
    while let Ok((client, connection)) = tokio_postgres::connect(url, tokio_postgres::NoTls).await {
        tokio::spawn(connection);
        taken.push(client);
        assert!(taken.len() <= MOST);
    }
    taken
}

#[test]
fn requests_wait_for_open_connections() {
    let options = Options::new().setting("max_connections", &MOST.to_string());
    let (server, name) = (Server::start_with(options), "full_server");
    let fixture = Fixture::new(Kind::Postgres, name, SCHEMA);
    let name = format!("write_{name}");
    server.database(&name).exec(SCHEMA);
    let limits = Limits {
        connections: 12,
        streams: 1,
        loads: 1,
        queue_timeout: Duration::from_secs(20),
        ..Limits::default()
    };
    fixture.run(async |_| {
        let store = fixture.open_by(&server.url(&name), limits).await.unwrap();
        let handle = store.attach().unwrap();
        let handle = handle.acting(None);
        let read = fixture.rows("t").read;
        let add = |id: i64| handle.write(Steps::new(vec![run(ADD, &[id])]));
        handle.by_key(&read, key(1)).await.unwrap();
        add(1).await.unwrap();
        let taken = take_all(&server.url(&name)).await;
        assert!(taken.len() > 3, "{}", taken.len());
        for _ in 0..3 {
            let reads = join_all((1..=100).map(|id| handle.by_key(&read, key(id))));
            let writes = join_all((1..=50).map(add));
            let (reads, writes) = tokio::join!(reads, writes);
            assert!(reads.iter().all(|answer| answer.as_ref().unwrap().row.is_some()));
            assert!(writes.iter().all(|written| *written.as_ref().unwrap() == ["1"]));
        }
        drop(taken);
    });
}

/// Without an open connection, a request waits until the server takes one, and no longer than it may wait.
#[test]
fn requests_wait_until_the_server_takes_a_connection() {
    let options = Options::new().setting("max_connections", &MOST.to_string());
    let (server, name) = (Server::start_with(options), "full_later");
    let fixture = Fixture::new(Kind::Postgres, name, SCHEMA);
    let name = format!("write_{name}");
    server.database(&name).exec(SCHEMA);
    let with = |queue_timeout| Limits {
        connections: 12,
        streams: 1,
        loads: 1,
        queue_timeout,
        ..Limits::default()
    };
    fixture.run(async |_| {
        let url = server.url(&name);
        let (short, long) = (Duration::from_millis(300), Duration::from_secs(60));
        let hasty = fixture.open_by(&url, with(short)).await.unwrap();
        let patient = fixture.open_by(&url, with(long)).await.unwrap();
        let (hasty, patient) = (hasty.attach().unwrap(), patient.attach().unwrap());
        let taken = take_all(&url).await;
        let refused = hasty.acting(None).write(Steps::new(vec![run(ADD, &[1])])).await;
        assert_eq!(refused.unwrap_err().code, Code::Overloaded);
        let patient = patient.acting(None);
        let written = patient.write(Steps::new(vec![run(ADD, &[1])]));
        let freed = async {
            // The request has met the limit by then.
            tokio::task::yield_now().await;
            drop(taken);
        };
        let (written, ()) = tokio::join!(written, freed);
        assert_eq!(written.unwrap(), ["1"]);
    });
}
