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

/// A server whose view `slow` takes as long as it likes, with two clients.
fn slow_app(database: &Database) -> App {
    Setup::new(database)
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
        .start()
}

fn one_clients_slow_pages_leave_room_for_others(database: Database) {
    database.exec(if database.is_sqlite() { SQLITE } else { POSTGRES });
    let app = slow_app(&database);
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

/// A view whose rows take as long as a table says; a page of it is cheap for the planner.
const NAPS: &str = "
CREATE TABLE nap (seconds float NOT NULL);
INSERT INTO nap VALUES (3600);
CREATE TABLE one (id int PRIMARY KEY);
INSERT INTO one VALUES (1);
ANALYZE nap, one;
CREATE VIEW slow AS SELECT id, pg_sleep((SELECT seconds FROM nap))::text AS long FROM one;
";

/// Statements that were slow lately have half of the connections for pages, and get them all back once they are fast.
#[test]
fn pages_that_were_slow_have_half_of_the_connections() {
    let database = Database::postgres("slow_pages");
    database.exec(NAPS);
    let app = slow_app(&database);
    let bearer = app.bearer();
    let nap = |seconds: &str| database.exec(&format!("UPDATE nap SET seconds = {seconds}"));
    // How many of many run at once.
    let running = || {
        let path = "/ords/hr/slow/?count=exact";
        let sent: Vec<Client> = (0..40).map(|_| send(&app, path, &bearer)).collect();
        eventually("the others wait", || pages(&app, "running") + pages(&app, "waiting") == 40);
        let running = pages(&app, "running");
        drop(sent);
        eventually("nothing runs", || pages(&app, "running") + pages(&app, "waiting") == 0);
        running
    };
    let once = || assert_eq!(app.get("/ords/hr/slow/?count=exact").status, 200);
    let usual = running();
    nap("0.06");
    once();
    nap("3600");
    let slow = running();
    assert!(slow < usual && slow >= 1, "{slow} of {usual}");
    nap("0");
    once();
    nap("3600");
    assert_eq!(running(), usual);
}

/// Pages that the planner finds cheap share statements with each other and connections with reads by key, until one of
/// them takes long.
#[test]
fn pages_that_take_long_are_not_read_together() {
    let database = Database::postgres("long_pages");
    database.exec("CREATE TABLE one (id int PRIMARY KEY); INSERT INTO one VALUES (1); ANALYZE one");
    let app = Setup::new(&database).start();
    let bearer = app.bearer();
    let path = format!("/ords/hr/one/?q={}", percent_encode(r#"{"id":{"$gte":1}}"#));
    let together = || queued(&app, "read", "admitted_total");
    eventually("pages are read together", || {
        let before = together();
        assert_eq!(app.get(&path).status, 200);
        together() > before
    });
    // The queues in which a page is, while it waits for a lock.
    let queues = || (queued(&app, "read", "running"), pages(&app, "running"));
    let Database::Postgres(made) = &database else { unreachable!("it is PostgreSQL") };
    let mut locks = made.session();
    let mut of_one = || {
        locks.query("BEGIN; LOCK TABLE one");
        let mut client = send(&app, &path, &bearer);
        eventually("it runs", || queues() != (0, 0));
        let found = queues();
        locks.query("SELECT pg_sleep(0.05); COMMIT");
        assert_eq!(client.read_response(false).unwrap().status, 200);
        eventually("it is over", || queues() == (0, 0));
        found
    };
    assert_eq!(of_one(), (1, 0));
    assert_eq!(of_one(), (0, 1));
}

/// A pattern of thousands of characters over one text of 1 MB: PostgreSQL looks at its timeout when it is done.
#[test]
fn an_answer_leaves_on_time_and_the_statement_counts_until_it_ends() {
    let database = Database::postgres("answer_on_time");
    database.exec(
        "CREATE TABLE t (id int PRIMARY KEY, t text NOT NULL);
         ALTER TABLE t ALTER t SET STORAGE EXTERNAL;
         INSERT INTO t SELECT 1, repeat('a', 1000000)",
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
    let filter = format!(r#"{{"t":{{"$like":"%{}b%"}}}}"#, "a".repeat(2_500));
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
