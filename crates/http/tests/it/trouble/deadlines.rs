//! `Request-Timeout`: a client's own limit ends queues and statements, and says what is known of the effect.

use std::time::{Duration, Instant};

use duet_service::definition::Resource;
use duet_testkit::http::{Client, Response};

use crate::support::{App, Database, Setup, eventually, on_both_stores};

on_both_stores! {
    a_slow_read_ends_at_the_clients_limit
    a_slow_write_ends_at_the_clients_limit_and_changes_nothing
    a_request_in_a_full_queue_ends_at_its_limit
    a_write_that_waits_ends_at_its_limit
    the_servers_own_limits_hold
    invalid_timeouts_are_refused
}

const POSTGRES: &str = "
CREATE TABLE team (team_id int PRIMARY KEY, name text NOT NULL, points int NOT NULL DEFAULT 0);
INSERT INTO team SELECT n, 'team ' || n FROM generate_series(1, 20) n;
CREATE VIEW slow AS SELECT team_id AS id, pg_sleep(3600)::text AS long FROM team;
CREATE TABLE heavy (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);
INSERT INTO heavy VALUES (0);
CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(3600); RETURN NEW; END$$;
CREATE TRIGGER heavy_wait BEFORE INSERT OR UPDATE ON heavy FOR EACH ROW EXECUTE FUNCTION wait();
";

const SQLITE: &str = "
CREATE TABLE team (team_id integer PRIMARY KEY, name text NOT NULL, points integer NOT NULL DEFAULT 0);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
  INSERT INTO team (team_id, name) SELECT i, 'team ' || i FROM n;
CREATE VIEW slow AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
  SELECT team_id AS id, (SELECT count(*) FROM n WHERE i < 1000000000000 + team_id) AS long FROM team;
CREATE TABLE heavy (id integer PRIMARY KEY, n integer NOT NULL DEFAULT 0);
INSERT INTO heavy VALUES (0, 0);
CREATE TRIGGER heavy_insert AFTER INSERT ON heavy BEGIN
  UPDATE heavy SET n = (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
    SELECT count(*) FROM n) WHERE id = NEW.id; END;
CREATE TRIGGER heavy_update BEFORE UPDATE ON heavy BEGIN
  SELECT (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
    SELECT count(*) FROM n); END;
";

fn setup(database: &Database) -> Setup {
    database.exec(if database.is_sqlite() { SQLITE } else { POSTGRES });
    Setup::new(database).with(|setup| {
        setup.open = duet_auth::Open::All;
        // Nothing but the client's own limit ends anything here.
        setup.limits.statement_timeout = Duration::from_secs(3600);
        setup.limits.queue_timeout = Duration::from_secs(3600);
        setup.limits.lock_timeout = Duration::from_secs(3600);
        setup.mount().resources.push(Resource {
            name: "slow".into(),
            table: "slow".into(),
            key: vec!["id".into()],
            ..Resource::default()
        });
    })
}

fn send(app: &App, (method, path): (&str, &str), limit: &str, body: &str) -> Response {
    let mut headers = vec![("Request-Timeout", limit)];
    if !body.is_empty() {
        headers.push(("Content-Type", "application/json"));
    }
    app.connect().request(method, &format!("/ords/hr/{path}"), &headers, body.as_bytes())
}

#[track_caller]
fn refused(response: &Response, status: u16, code: &str) {
    assert_eq!(response.status, status, "{response:?}");
    assert_eq!(response.json()["errors"][0]["code"], code, "{response:?}");
}

/// Sends a request and reads no response; the request ends with what comes back.
fn begun(app: &App, request: &str) -> Client {
    let mut client = app.connect();
    client.send(format!("{request} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).unwrap();
    client
}

fn waiting(app: &App, queue: &str, kind: &str) -> u64 {
    let metrics = app.get("/metrics").text().to_owned();
    let start = format!("duet_queue_{kind}{{application=\"test\",queue=\"{queue}\"}} ");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&start));
    line.and_then(|number| number.parse().ok()).unwrap_or_default()
}

fn a_slow_read_ends_at_the_clients_limit(database: Database) {
    let app = setup(&database).start();
    for path in ["slow/", "slow/1", "slow/?limit=2&offset=1", "slow/?count=exact"] {
        let begun = Instant::now();
        let response = send(&app, ("GET", path), "300ms", "");
        refused(&response, 504, "DUET-6014");
        assert!(response.text().contains("Nothing was changed"), "{response:?}");
        assert!(begun.elapsed() >= Duration::from_millis(300), "{path}");
    }
    let stream = app
        .connect()
        .get("/ords/hr/slow/", &[("Request-Timeout", "300ms"), ("Accept", "application/x-ndjson")]);
    refused(&stream, 504, "DUET-6014");
    assert_eq!(send(&app, ("GET", "team/1"), "600", "").status, 200);
    if let Database::Postgres(postgres) = &database {
        eventually("the statements are cancelled", || {
            let running = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                 AND pid <> pg_backend_pid() AND state = 'active'";
            postgres.query(running) == "0"
        });
    }
}

fn a_slow_write_ends_at_the_clients_limit_and_changes_nothing(database: Database) {
    assert!(database.prepare_keys());
    let app = setup(&database).start();
    for (request, body) in [
        (("PATCH", "heavy/0"), "{\"n\":1}"),
        (("PUT", "heavy/0"), "{\"id\":0,\"n\":1}"),
        (("POST", "heavy/_/batch"), "[{\"id\":1,\"n\":1}]"),
        (("PATCH", "heavy/?q=%7B%7D"), "{\"n\":1}"),
    ] {
        let response = send(&app, request, "0.3", body);
        refused(&response, 504, "DUET-6014");
        // The thread that writes, and the connection, are free again.
        assert_eq!(
            send(&app, ("PATCH", "team/1"), "600", "{\"points\":1}").status,
            200,
            "{request:?}"
        );
    }
    // A write with a key, too; it leaves none.
    let headers = [
        ("Request-Timeout", "0.3"),
        ("Content-Type", "application/json"),
        ("Idempotency-Key", "k"),
    ];
    let response = app.connect().request("POST", "/ords/hr/heavy/", &headers, b"{\"id\":2}");
    refused(&response, 504, "DUET-6014");
    let keys = if database.is_sqlite() { "duet_idempotency" } else { "duet.idempotency" };
    eventually("all is rolled back", || {
        database.count(&format!("SELECT count(*) FROM {keys}")) == 0
            && database.count("SELECT count(*) + sum(n) FROM heavy") == 1
    });
}

/// All connections, or threads, for reads are taken.
fn a_request_in_a_full_queue_ends_at_its_limit(database: Database) {
    let app = setup(&database).with(|setup| setup.limits.connections = 4).start();
    let stuck: Vec<Client> = (0..8)
        .map(|number| begun(&app, &format!("GET /ords/hr/slow/?limit={}", 200 + number)))
        .collect();
    eventually("the queue is full", || waiting(&app, "page", "waiting") >= 4);
    let begun = Instant::now();
    let response = send(&app, ("GET", "team/?limit=500&count=exact"), "0.4", "");
    refused(&response, 504, "DUET-6014");
    assert!(begun.elapsed() >= Duration::from_millis(400));
    drop(stuck);
    eventually("the queue is empty", || {
        waiting(&app, "page", "waiting") + waiting(&app, "page", "running") == 0
    });
}

/// All connections for writes, or the thread that writes, are taken.
fn a_write_that_waits_ends_at_its_limit(database: Database) {
    let app = setup(&database).with(|setup| setup.limits.connections = 4).start();
    let body = "{\"n\":1}";
    let stuck: Vec<_> = (0..4)
        .map(|_| {
            let mut client = app.connect();
            let head = format!(
                "PATCH /ords/hr/heavy/0 HTTP/1.1\r\nHost: localhost\r\nRequest-Timeout: 5\r\n\
                 Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            client.send(head.as_bytes()).unwrap();
            client
        })
        .collect();
    eventually("one writes", || waiting(&app, "write", "running") >= 1);
    let response = send(&app, ("PATCH", "heavy/0"), "0.3", body);
    refused(&response, 504, "DUET-6014");
    for mut client in stuck {
        refused(&client.read_response(false).unwrap(), 504, "DUET-6014");
    }
    assert_eq!(database.count("SELECT sum(n) FROM heavy"), 0);
}

fn the_servers_own_limits_hold(database: Database) {
    let short = Duration::from_millis(200);
    let app = setup(&database).with(|setup| setup.limits.statement_timeout = short).start();
    refused(&send(&app, ("GET", "slow/?count=exact"), "600", ""), 504, "DUET-6003");
}

fn invalid_timeouts_are_refused(database: Database) {
    let app = setup(&database).start();
    for limit in ["0", "soon", "-1", "1h"] {
        refused(&send(&app, ("GET", "team/1"), limit, ""), 400, "DUET-1006");
    }
    let headers = [("Request-Timeout", "5"), ("Content-Type", "text/csv")];
    let load = app.connect().request("POST", "/ords/hr/team/batchload", &headers, b"team_id\n99\n");
    refused(&load, 400, "DUET-1006");
    assert_eq!(database.count("SELECT count(*) FROM team"), 20);
}

/// Rules that are checked at the commit keep it busy past the limit.
#[test]
fn a_commit_under_way_has_an_unknown_outcome() {
    let database = Database::postgres("deadline_commit");
    let app = setup(&database);
    database.exec(
        "CREATE TABLE late (id int PRIMARY KEY, n int NOT NULL DEFAULT 0); INSERT INTO late VALUES (0);
         CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS
           $$BEGIN PERFORM pg_sleep(3600); RETURN NULL; END$$;
         CREATE CONSTRAINT TRIGGER late_wait AFTER INSERT OR UPDATE ON late DEFERRABLE INITIALLY DEFERRED
           FOR EACH ROW EXECUTE FUNCTION late();",
    );
    let app = app.start();
    for (request, body) in [
        (("PATCH", "late/0"), "{\"n\":1}"),
        (("POST", "late/"), "{\"id\":1}"),
        (("POST", "late/_/batch"), "[{\"id\":2}]"),
    ] {
        let response = send(&app, request, "0.5", body);
        refused(&response, 504, "DUET-6015");
        assert!(response.text().contains("not known"), "{response:?}");
    }
}
