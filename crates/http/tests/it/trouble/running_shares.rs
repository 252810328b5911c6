//! Running work is shared: one client's slow reads leave room for another client's, and what a database still does for
//! a caller that was answered counts until it has ended.

use std::time::Duration;

use duet_service::definition::Resource;
use duet_testkit::http::Client;

use crate::support::{App, Database, Setup, eventually, on_both_stores, percent_encode};

on_both_stores! {
    one_clients_slow_pages_leave_room_for_others
}

const POSTGRES: &str = "
CREATE TABLE team (team_id int PRIMARY KEY, name text NOT NULL);
INSERT INTO team VALUES (1, 'one'), (2, 'two');
CREATE VIEW slow AS SELECT team_id AS id, pg_sleep(3600)::text AS long FROM team;
";
const SQLITE: &str = "
CREATE TABLE team (team_id integer PRIMARY KEY, name text NOT NULL);
INSERT INTO team VALUES (1, 'one'), (2, 'two');
CREATE VIEW slow AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
  SELECT team_id AS id, (SELECT count(*) FROM n WHERE i < 1000000000000 + team_id) AS long FROM team;
";

/// Sends a request and reads no response.
fn send(app: &App, path: &str, bearer: &str) -> Client {
    let mut client = app.connect();
    let request = format!("GET {path} HTTP/1.1\r\nHost: h\r\nAuthorization: {bearer}\r\n\r\n");
    client.send(request.as_bytes()).unwrap();
    client
}

/// A number of the queue for pages.
fn pages(app: &App, of: &str) -> u64 {
    queued(app, "page", of)
}

/// A number of a queue.
fn queued(app: &App, queue: &str, of: &str) -> u64 {
    let start = format!("duet_queue_{of}{{application=\"test\",queue=\"{queue}\"}} ");
    let text = app.get("/metrics").text().to_owned();
    let line = text.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_else(|| panic!("{start}")).parse().unwrap()
}

fn one_clients_slow_pages_leave_room_for_others(database: Database) {
    database.exec(if database.is_sqlite() { SQLITE } else { POSTGRES });
    let app = Setup::new(&database)
        .with(|setup| {
            setup.clients = vec![("other", None)];
            setup.limits.connections = 16;
            for limit in [&mut setup.limits.statement_timeout, &mut setup.limits.queue_timeout] {
                *limit = Duration::from_secs(3600);
            }
            setup.mount().resources.push(Resource {
                name: "slow".into(),
                table: "slow".into(),
                key: vec!["id".into()],
                ..Resource::default()
            });
        })
        .start();
    let (greedy, other) = (app.bearer(), app.bearer_of("other"));
    let slow: Vec<Client> =
        (0..40).map(|_| send(&app, "/ords/hr/slow/?count=exact", &greedy)).collect();
    eventually("the others of them wait", || pages(&app, "running") + pages(&app, "waiting") == 40);
    for _ in 0..5 {
        for path in ["/ords/hr/team/?count=exact", "/ords/hr/team/1"] {
            let answer = app.connect().get(path, &[("Authorization", &other)]);
            assert_eq!(answer.status, 200, "{answer:?}");
        }
        assert_eq!(app.connect().get("/health/live", &[]).status, 200);
    }
    // A page counts until just after its answer.
    eventually("only the slow ones run and wait", || {
        pages(&app, "running") + pages(&app, "waiting") == 40
    });
    // What ran for clients that have gone ends, and what waited is forgotten.
    drop(slow);
    eventually("nothing runs", || pages(&app, "running") + pages(&app, "waiting") == 0);
}

/// A pattern of thousands of characters over one text of 2 MB: PostgreSQL looks at its timeout when it is done.
#[test]
fn an_answer_leaves_on_time_and_the_statement_counts_until_it_ends() {
    let database = Database::postgres("answer_on_time");
    database.exec(
        "CREATE TABLE t (id int PRIMARY KEY, t text NOT NULL);
         ALTER TABLE t ALTER t SET STORAGE EXTERNAL;
         INSERT INTO t SELECT 1, repeat('a', 2000000)",
    );
    let app = Setup::new(&database)
        .with(|setup| {
            setup.roles = vec!["duet.read", "duet.write", "duet.admin"];
            setup.limits.statement_timeout = Duration::from_millis(200);
            setup.read_limits.filter.pattern = usize::MAX;
        })
        .start();
    let under_way = || {
        database.count(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%LIKE%'",
        )
    };
    let filter = format!(r#"{{"t":{{"$like":"%{}b%"}}}}"#, "a".repeat(4_000));
    let path = format!("/ords/hr/t/?q={}", percent_encode(&filter));
    for (method, queue) in [("GET", "page"), ("DELETE", "write")] {
        let headers = [("Authorization", app.bearer())];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        let answer = app.connect().request(method, &path, &headers, b"");
        assert_eq!(answer.status, 504, "{method} {answer:?}");
        assert!(answer.text().contains("DUET-6003"), "{answer:?}");
        // The server is still at it, and so is the connection.
        assert_eq!((under_way(), queued(&app, queue, "running")), (1, 1), "{method}");
        eventually("the server has ended it", || under_way() == 0);
        eventually("the connection is free again", || queued(&app, queue, "running") == 0);
    }
    assert_eq!(app.get("/ords/hr/t/1?fields=id").status, 200);
}
