//! Statements that PostgreSQL does not stop: a function that goes on when it is cancelled. Whatever runs it, the answer
//! leaves when its time is over, while the server is still at it, and it counts until it has ended.

use std::time::Duration;

use duet_service::definition::Resource;
use duet_testkit::http::Response;

use crate::support::{App, Database, Setup, eventually};

const SCHEMA: &str = "
CREATE FUNCTION stubborn() RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    BEGIN PERFORM pg_sleep(3600); EXCEPTION WHEN query_canceled THEN NULL; END;
  END LOOP;
END$$;
CREATE FUNCTION stubborn_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM stubborn(); RETURN NEW; END$$;
CREATE TABLE plain (id int PRIMARY KEY, n int);
INSERT INTO plain VALUES (1, 1);
CREATE VIEW busy AS SELECT id, stubborn() AS n FROM plain;
CREATE TABLE written (id int PRIMARY KEY, n int);
INSERT INTO written VALUES (1, 1), (2, 2), (3, 3);
CREATE TRIGGER stubborn BEFORE INSERT OR UPDATE ON written FOR EACH ROW WHEN (NEW.n < 0) EXECUTE FUNCTION stubborn_row();
CREATE TABLE checked (id int PRIMARY KEY, n int CHECK (n >= 0 OR stubborn() > 0));
INSERT INTO checked VALUES (1, 1);
CREATE TABLE late (id int PRIMARY KEY, n int);
INSERT INTO late VALUES (1, 1);
CREATE CONSTRAINT TRIGGER stubborn AFTER INSERT OR UPDATE ON late DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.n < 0) EXECUTE FUNCTION stubborn_row();
";

const STATEMENT_TIMEOUT: Duration = Duration::from_millis(400);

fn start(database: &Database) -> App {
    database.exec(SCHEMA);
    Setup::new(database)
        .with(|setup| {
            setup.roles = vec!["duet.read", "duet.write", "duet.execute", "duet.admin"];
            setup.limits.statement_timeout = STATEMENT_TIMEOUT;
            setup.limits.stream_timeout = STATEMENT_TIMEOUT;
            setup.limits.queue_timeout = Duration::from_secs(3600);
            setup.mount().resources.push(Resource {
                name: "busy".into(),
                table: "busy".into(),
                key: vec!["id".into()],
                ..Resource::default()
            });
        })
        .start()
}

/// What is sent, and the queue that it counts in.
struct Sent {
    method: &'static str,
    path: &'static str,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
    queue: &'static str,
    status: u16,
    code: &'static str,
}

const JSON: &[(&str, &str)] = &[("Content-Type", "application/json")];
const PATCH: &[(&str, &str)] = &[("Content-Type", "application/merge-patch+json")];
const LINES: &[(&str, &str)] = &[("Content-Type", "application/x-ndjson")];
const STREAM: &[(&str, &str)] = &[("Accept", "application/x-ndjson")];

const fn read(
    path: &'static str,
    headers: &'static [(&'static str, &'static str)],
    queue: &'static str,
) -> Sent {
    Sent { method: "GET", path, headers, body: "", queue, status: 504, code: "DUET-6003" }
}

/// A write whose `COMMIT` is not sent before its statements have ended.
const fn write(
    method: &'static str,
    path: &'static str,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
) -> Sent {
    Sent { method, path, headers, body, queue: "write", status: 504, code: "DUET-6003" }
}

/// A write whose `COMMIT` is on its way: whether it will be done is not known.
const fn unknown(sent: Sent) -> Sent {
    Sent { status: 500, code: "DUET-7109", ..sent }
}

const SENT: [Sent; 14] = [
    read("busy/1", &[], "read"),
    read("busy/", &[], "page"),
    read("busy/?fields=n&count=exact", &[], "page"),
    read("busy/", STREAM, "stream"),
    write("PATCH", "written/1", PATCH, r#"{"n":-1}"#),
    write("PUT", "written/2", JSON, r#"{"id":2,"n":-1}"#),
    unknown(write("PATCH", "checked/1", PATCH, r#"{"n":-1}"#)),
    unknown(write("POST", "checked/", JSON, r#"{"id":9,"n":-1}"#)),
    write("POST", "written/", JSON, r#"{"id":9,"n":-1}"#),
    write("PATCH", "written/?q=%7B%22id%22:3%7D", PATCH, r#"{"n":-1}"#),
    write("POST", "written/_/batch", JSON, r#"[{"id":10,"n":1},{"id":11,"n":-1}]"#),
    unknown(write("POST", "late/_/batch", JSON, r#"[{"id":10,"n":1},{"id":11,"n":-1}]"#)),
    write("POST", "stubborn", JSON, "{}"),
    Sent {
        queue: "load",
        ..write("POST", "written/batchload", LINES, "{\"id\":20,\"n\":1}\n{\"id\":21,\"n\":-1}\n")
    },
];

fn send(app: &App, sent: &Sent) -> Response {
    let bearer = app.bearer();
    let own = [("Authorization", bearer.as_str())];
    let headers = [&own, sent.headers].concat();
    let path = format!("/ords/hr/{}", sent.path);
    app.connect().request(sent.method, &path, &headers, sent.body.as_bytes())
}

fn running(app: &App, queue: &str) -> u64 {
    let start = format!("duet_queue_running{{application=\"test\",queue=\"{queue}\"}} ");
    let text = app.get("/metrics").text().to_owned();
    text.lines().find_map(|line| line.strip_prefix(&start)).unwrap().parse().unwrap()
}

/// The sessions that are busy with it.
const BUSY: &str = "FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' \
     AND pid <> pg_backend_pid() AND wait_event = 'PgSleep'";

#[test]
fn what_postgres_does_not_stop_is_answered_and_counts_until_it_ends() {
    let database = Database::postgres("stubborn");
    let app = start(&database);
    let busy = || database.count(&format!("SELECT count(*) {BUSY}"));
    for sent in &SENT {
        let name = format!("{} {}", sent.method, sent.path);
        let answer = send(&app, sent);
        assert_eq!(answer.status, sent.status, "{name} {answer:?}");
        assert!(answer.text().contains(sent.code), "{name} {answer:?}");
        // The server is still at it, and so is what counts it.
        assert_eq!((busy(), running(&app, sent.queue)), (1, 1), "{name}");
        // Others go on meanwhile.
        assert_eq!(app.get("/ords/hr/plain/1").status, 200, "{name}");
        assert_eq!(app.get("/ords/hr/plain/?limit=1").status, 200, "{name}");
        database.exec(&format!("SELECT pg_terminate_backend(pid) {BUSY}"));
        eventually("nothing runs", || busy() == 0 && running(&app, sent.queue) == 0);
    }
}

/// However often a client asks, no more of them run than there are connections.
#[test]
fn what_postgres_does_not_stop_takes_no_further_connections() {
    let database = Database::postgres("stubborn_many");
    database.exec("CREATE TABLE other (id int PRIMARY KEY)");
    let app = start(&database);
    for _ in 0..6 {
        let answer = send(&app, &SENT[0]);
        assert!(matches!(answer.status, 503 | 504), "{answer:?}");
    }
    let open = database.count(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'",
    );
    assert!(open <= 30, "{open}");
    let busy = database.count(&format!("SELECT count(*) {BUSY}"));
    assert_eq!(u64::try_from(busy).unwrap(), running(&app, "read") + running(&app, "page"));
    database.exec(&format!("SELECT pg_terminate_backend(pid) {BUSY}"));
    eventually("nothing runs", || running(&app, "read") + running(&app, "page") == 0);
}

/// A server whose sessions take nothing any more, as on a host that hangs: the answers leave on time all the same.
#[test]
fn sessions_that_hang_keep_no_answer() {
    let database = Database::postgres("stubborn_hangs");
    let app = start(&database);
    let calm = [
        read("plain/1", &[], "read"),
        read("plain/", &[], "page"),
        read("plain/", STREAM, "stream"),
        write("PATCH", "plain/1", PATCH, r#"{"n":2}"#),
        write("POST", "plain/", JSON, r#"{"id":7,"n":1}"#),
        write("POST", "plain/_/batch", JSON, r#"[{"id":8,"n":1}]"#),
        write("POST", "plain/batchload", LINES, "{\"id\":9,\"n\":1}\n"),
    ];
    // Each has its connection now.
    for sent in &calm[..3] {
        assert_eq!(send(&app, sent).status, 200, "{}", sent.path);
    }
    let sessions = "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle'";
    let Database::Postgres(queried) = &database else { unreachable!() };
    let sessions = queried.query(sessions);
    let signal = |signal: &str| {
        let sent =
            std::process::Command::new("kill").arg(signal).args(sessions.split(' ')).status();
        assert!(sent.unwrap().success());
    };
    signal("-STOP");
    for sent in &calm {
        let answer = send(&app, sent);
        let name = format!("{} {}: {answer:?}", sent.method, sent.path);
        // What got a new connection is done; whether a write that has begun to commit is done is not known.
        assert!(matches!(answer.status, 200 | 201 | 204 | 500 | 503 | 504), "{name}");
        assert!(answer.status != 500 || answer.text().contains("DUET-7109"), "{name}");
        assert_eq!(app.get("/health/live").status, 200, "{name}");
    }
    signal("-CONT");
    for sent in &calm[..3] {
        eventually("it is served again", || send(&app, sent).status == 200);
    }
}
