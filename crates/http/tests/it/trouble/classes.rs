//! Interactive and batch requests: a flood of one class leaves the other unaffected.

use std::time::Duration;

use duet_service::definition::{RequestClass, Resource};
use duet_testkit::http::{Client, Response};

use crate::support::{App, Database, Setup, eventually, on_both_stores};

on_both_stores! {
    a_flood_of_batch_work_leaves_interactive_requests_unaffected
    a_flood_of_interactive_requests_leaves_batch_work_unaffected
    a_resource_may_be_batch_work
    large_writes_are_batch_work
}

const POSTGRES: &str = "
CREATE TABLE team (team_id int PRIMARY KEY, name text NOT NULL, points int NOT NULL DEFAULT 0);
INSERT INTO team SELECT n, 'team ' || n FROM generate_series(1, 40) n;
CREATE VIEW slow AS SELECT team_id AS id, pg_sleep(3600)::text AS long FROM team;
";

const SQLITE: &str = "
CREATE TABLE team (team_id integer PRIMARY KEY, name text NOT NULL, points integer NOT NULL DEFAULT 0);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
  INSERT INTO team (team_id, name) SELECT i, 'team ' || i FROM n;
CREATE VIEW slow AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
  SELECT team_id AS id, (SELECT count(*) FROM n WHERE i < 1000000000000 + team_id) AS long FROM team;
";

fn setup(database: &Database, class: RequestClass) -> Setup {
    database.exec(if database.is_sqlite() { SQLITE } else { POSTGRES });
    Setup::new(database).with(|setup| {
        setup.open = duet_auth::Open::All;
        setup.limits.statement_timeout = Duration::from_secs(3600);
        setup.limits.queue_timeout = Duration::from_secs(3600);
        setup.mount().resources.push(Resource {
            name: "slow".into(),
            table: "slow".into(),
            key: vec!["id".into()],
            class,
            ..Resource::default()
        });
    })
}

/// Sends a request for a slow page and reads no response; it ends when the client is dropped. Large
/// pages, which SQLite reads on threads of their own.
fn begun(app: &App, number: usize, headers: &str) -> Client {
    let mut client = app.connect();
    let request = format!(
        "GET /ords/hr/slow/?limit={} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n",
        200 + number
    );
    client.send(request.as_bytes()).unwrap();
    client
}

const BACKGROUND: &str = "Priority: u=7\r\n";

fn metric(app: &App, name: &str, labels: &str) -> u64 {
    let metrics = app.get("/metrics").text().to_owned();
    let start = format!("duet_queue_{name}{{application=\"test\",{labels}}} ");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_else(|| panic!("{start}")).parse().unwrap()
}

fn counted(app: &App, class: &str, kind: &str) -> u64 {
    metric(app, kind, &format!("queue=\"{class}\""))
}

fn ask(app: &App, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let mut all = headers.to_vec();
    if !body.is_empty() {
        all.push(("Content-Type", "application/json"));
    }
    app.connect().request(method, &format!("/ords/hr/{path}"), &all, body.as_bytes())
}

/// Reads and writes of each kind, all of which must work.
#[track_caller]
fn works(app: &App, headers: &[(&str, &str)]) {
    for (method, path, body) in [
        ("GET", "team/1", ""),
        ("GET", "team/?limit=5", ""),
        ("GET", "team/?limit=500&count=exact", ""),
        ("PATCH", "team/1", "{\"points\":1}"),
        ("PUT", "team/2", "{\"team_id\":2,\"name\":\"b\",\"points\":2}"),
        ("POST", "team/_/batch", "[{\"team_id\":1,\"name\":\"x\"}]"),
    ] {
        let response = ask(app, method, path, headers, body);
        assert_eq!(response.status, 200, "{method} {path} {response:?}");
    }
    let id = 1000
        + app.get("/ords/hr/team/?limit=1000&fields=team_id").json()["count"].as_u64().unwrap();
    let made =
        ask(app, "POST", "team/", headers, &format!("{{\"team_id\":{id},\"name\":\"new\"}}"));
    assert_eq!(made.status, 201, "{made:?}");
}

#[track_caller]
fn is_overloaded(response: &Response, setting: &str) {
    assert_eq!((response.status, response.header("retry-after")), (503, Some("1")), "{response:?}");
    assert_eq!(response.json()["errors"][0]["code"], "DUET-6002", "{response:?}");
    assert!(response.text().contains(setting), "{response:?}");
}

fn a_flood_of_batch_work_leaves_interactive_requests_unaffected(database: Database) {
    let app = setup(&database, RequestClass::Interactive)
        .with(|setup| {
            setup.limits.batch_requests = 2;
            setup.limits.batch_queue = 3;
        })
        .start();
    let mut flood: Vec<Client> = (0..5).map(|number| begun(&app, number, BACKGROUND)).collect();
    eventually("two run and three wait", || {
        (counted(&app, "batch", "running"), counted(&app, "batch", "waiting")) == (2, 3)
    });
    for number in 5..40 {
        flood.push(begun(&app, number, BACKGROUND));
        // Refused at once: the queue is full.
        is_overloaded(&flood.last_mut().unwrap().read_response(false).unwrap(), "--batch-queue");
    }
    let page = app.get("/metrics");
    assert!(page.text().contains("queue=\"batch\",cause=\"full\"} 35\n"), "{}", page.text());
    for _ in 0..10 {
        works(&app, &[]);
    }
    assert_eq!((counted(&app, "batch", "running"), counted(&app, "batch", "waiting")), (2, 3));
    drop(flood);
    eventually("all have gone", || counted(&app, "batch", "running") == 0);
    works(&app, &[("Priority", "u=7")]);
}

fn a_flood_of_interactive_requests_leaves_batch_work_unaffected(database: Database) {
    let app = setup(&database, RequestClass::Interactive)
        .with(|setup| setup.limits.interactive_requests = 4)
        .start();
    let flood: Vec<Client> = (0..4).map(|number| begun(&app, number, "")).collect();
    eventually("four run", || counted(&app, "interactive", "running") == 4);
    is_overloaded(&ask(&app, "GET", "team/1", &[], ""), "--interactive-requests");
    for _ in 0..10 {
        for path in ["team/1", "team/?limit=5", "team/?limit=500&count=exact"] {
            let response = ask(&app, "GET", path, &[("Priority", "u=7, i")], "");
            assert_eq!(response.status, 200, "{path} {response:?}");
        }
        let changed = ask(&app, "PATCH", "team/1", &[("Priority", "u=7")], "{\"points\":1}");
        assert_eq!(changed.status, 200, "{changed:?}");
    }
    drop(flood);
    eventually("all have gone", || counted(&app, "interactive", "running") == 0);
    works(&app, &[]);
}

fn a_resource_may_be_batch_work(database: Database) {
    let app = setup(&database, RequestClass::Batch)
        .with(|setup| {
            setup.limits.batch_requests = 1;
            setup.limits.batch_queue = 1;
        })
        .start();
    let flood: Vec<Client> = (0..2).map(|number| begun(&app, number, "")).collect();
    eventually("one runs and one waits", || {
        (counted(&app, "batch", "running"), counted(&app, "batch", "waiting")) == (1, 1)
    });
    // No header makes it interactive.
    for path in ["slow/?limit=300", "slow/1"] {
        is_overloaded(&ask(&app, "GET", path, &[("Priority", "u=0")], ""), "--batch-queue");
    }
    works(&app, &[]);
    drop(flood);
}

fn large_writes_are_batch_work(database: Database) {
    let app = setup(&database, RequestClass::Interactive)
        .with(|setup| {
            setup.limits.batch_requests = 1;
            setup.limits.batch_queue = 1;
        })
        .start();
    let flood: Vec<Client> = (0..2).map(|number| begun(&app, number, BACKGROUND)).collect();
    eventually("one runs and one waits", || {
        (counted(&app, "batch", "running"), counted(&app, "batch", "waiting")) == (1, 1)
    });
    let rows: Vec<String> =
        (100..130).map(|id| format!("{{\"team_id\":{id},\"name\":\"n\"}}")).collect();
    let many = format!("[{}]", rows.join(","));
    is_overloaded(&ask(&app, "POST", "team/_/batch", &[], &many), "--batch-queue");
    is_overloaded(&ask(&app, "PATCH", "team/?q=%7B%7D", &[], "{\"points\":1}"), "--batch-queue");
    assert_eq!(database.count("SELECT count(*) + sum(points) FROM team"), 40);
    drop(flood);
    eventually("all have gone", || counted(&app, "batch", "running") == 0);
    assert_eq!(ask(&app, "POST", "team/_/batch", &[], &many).status, 200);
}
