//! PostgreSQL that dies, hangs, throws connections out, or fails one row of many.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use duet_model::memory::Budget;
use duet_service::definition::Resource;
use duet_testkit::http::{Client, Response};
use duet_testkit::postgres::{Database as Postgres, Server};

use crate::support::{App, Database, Load, Setup, eventually};

const TABLES: &str = "
CREATE TABLE team (team_id int NOT NULL PRIMARY KEY, name text NOT NULL, points int);
INSERT INTO team SELECT n, 'team ' || n, n * 7 FROM generate_series(1, 500) AS n;
CREATE TABLE driver (driver_id int NOT NULL PRIMARY KEY, name text NOT NULL, team_id int REFERENCES team);
INSERT INTO driver SELECT n, 'driver ' || n, (n + 1) / 2 FROM generate_series(1, 1000) AS n;
CREATE INDEX ON driver (team_id);
CREATE VIEW slow AS SELECT team_id AS id, pg_sleep(3600)::text AS nothing FROM team;
CREATE VIEW ratio AS SELECT team_id AS id, 1000 / (team_id - 7) AS ratio FROM team;
";

const VIEW: &str = "CREATE JSON RELATIONAL DUALITY VIEW team_dv AS
  SELECT JSON { '_id' : t.team_id, 'name' : t.name,
                'driver' : [ SELECT JSON { 'driverId' : d.driver_id, 'name' : d.name }
                               FROM driver d WHERE d.team_id = t.team_id ] } FROM team t;";

fn setup(database: &Database) -> Setup {
    database.exec(TABLES);
    Setup::new(database).view("team_dv", VIEW).with(|setup| {
        for view in ["slow", "ratio"] {
            setup.mount().resources.push(Resource {
                name: view.into(),
                table: view.into(),
                key: vec!["id".into()],
                ..Resource::default()
            });
        }
    })
}

fn start(name: &str) -> (Database, App) {
    let database = Database::postgres(name);
    let app = setup(&database).start();
    (database, app)
}

fn ask(app: &App, path: &str) -> thread::JoinHandle<Response> {
    let (url, bearer, path) = (app.url().to_owned(), app.bearer(), path.to_owned());
    thread::spawn(move || Client::connect(&url).get(&path, &[("Authorization", &bearer)]))
}

fn postgres(database: &Database) -> &Postgres {
    match database {
        Database::Postgres(database) => database,
        Database::Sqlite(_) => panic!("not PostgreSQL"),
    }
}

/// How many statements with this text are under way in a database.
fn under_way(database: &Database, text: &str) -> usize {
    let sql = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
           AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%{text}%';"
    );
    postgres(database).query(&sql).parse().unwrap()
}

#[track_caller]
fn refused(response: &Response, status: u16, code: &str) {
    assert_eq!(response.status, status, "{response:?}");
    assert_eq!(response.json()["errors"][0]["code"], code, "{response:?}");
    assert_eq!(response.header("retry-after").is_some(), status == 503, "{response:?}");
}

const PATHS: [&str; 6] = [
    "/ords/hr/team/301",
    "/ords/hr/team/7",
    "/ords/hr/team_dv/42",
    "/ords/hr/team_dv/250",
    "/ords/hr/team/?limit=3&offset=99",
    "/ords/hr/team_dv/?limit=2&offset=9",
];

/// Whether an answer is exactly what is stored.
fn right(path: &str, body: &serde_json::Value) -> bool {
    let team = |body: &serde_json::Value, id: i64| {
        body["team_id"] == id && body["name"] == format!("team {id}") && body["points"] == id * 7
    };
    let document = |body: &serde_json::Value, id: i64| {
        let driver = |place: usize, id: i64| {
            let driver = &body["driver"][place];
            driver["driverId"] == id && driver["name"] == format!("driver {id}")
        };
        body["_id"] == id
            && body["name"] == format!("team {id}")
            && body["driver"].as_array().is_some_and(|drivers| drivers.len() == 2)
            && driver(0, id * 2 - 1)
            && driver(1, id * 2)
    };
    let number = || path.rsplit('/').next().unwrap().parse::<i64>().unwrap();
    match (path.contains("team_dv"), path.contains('?')) {
        (false, false) => team(body, number()),
        (true, false) => document(body, number()),
        (false, true) => (0..3).all(|n| team(&body["items"][n], 100 + n as i64)),
        (true, true) => (0..2).all(|n| document(&body["items"][n], 10 + n as i64)),
    }
}

#[test]
fn killed_and_restarted_under_load() {
    let server = Server::start();
    let database = Database::Postgres(server.database("killed"));
    let app = setup(&database).start();
    let unavailable = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&unavailable);
    let load = Load::start(&app, 8, &PATHS, move |path, response| match response.status {
        200 if right(path, &response.json()) => Ok(()),
        200 => Err("a wrong answer".into()),
        503 if response.header("retry-after").is_some() => {
            counted.fetch_add(1, Ordering::SeqCst);
            let code = response.json()["errors"][0]["code"].as_str().unwrap().to_owned();
            if ["DUET-6001", "DUET-6002"].contains(&code.as_str()) { Ok(()) } else { Err(code) }
        }
        _ => Err("neither right nor a refusal".into()),
    });
    for round in 0..3 {
        load.more(200);
        if round == 1 {
            server.stop();
        } else {
            server.kill();
        }
        let before = unavailable.load(Ordering::SeqCst);
        eventually("requests are refused", || unavailable.load(Ordering::SeqCst) > before + 50);
        eventually("the server says so", || app.connect().get("/health/ready", &[]).status == 503);
        // What needs no database goes on, and a wrong token never needs one.
        assert_eq!(app.connect().get("/health/live", &[]).status, 200);
        assert_eq!(app.get("/ords/hr/metadata-catalog/").status, 200);
        let wrong = [("Authorization", "Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")];
        assert_eq!(app.connect().get(PATHS[0], &wrong).status, 401);
        assert_eq!(app.connect().get(PATHS[0], &[]).status, 401);
        refused(&app.reload(), 503, "DUET-6001");
        server.restart();
        load.more(200);
        eventually("the server is ready", || app.connect().get("/health/ready", &[]).status == 200);
    }
    load.stop();
}

/// Connections that the server throws out cost no request: reading again is harmless.
#[test]
fn connections_thrown_out_are_made_again() {
    let (database, app) = start("thrown_out");
    let load = Load::start(&app, 4, &PATHS, |path, response| {
        match response.status == 200 && right(path, &response.json()) {
            true => Ok(()),
            false => Err("not right".into()),
        }
    });
    for _ in 0..10 {
        load.more(100);
        postgres(&database).query(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
              WHERE datname = current_database() AND pid <> pg_backend_pid();",
        );
    }
    load.more(100);
    load.stop();
}

/// The driver keeps a buffer as large as the largest row for as long as a connection is open, which no
/// limit counts. So a connection that has carried one is closed, whatever carried it.
#[test]
fn connections_that_carried_a_large_row_are_closed() {
    let database = Database::postgres("large_row");
    let table = "CREATE TABLE large (id int NOT NULL PRIMARY KEY, body text);
      INSERT INTO large SELECT n, repeat('x', n * 1000000) FROM unnest(ARRAY[1, 6]) AS n;";
    database.exec(table);
    let app = Setup::new(&database).with(|setup| setup.roles = vec!["duet.write", "duet.read"]);
    let app = app.start();
    let last = || {
        postgres(&database).query(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database()
                AND pid <> pg_backend_pid() AND query LIKE '%large%'
              ORDER BY query_start DESC LIMIT 1;",
        )
    };
    let is_open = |pid: &str| {
        let found = format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {pid};");
        postgres(&database).query(&found) == "1"
    };
    for path in ["/ords/hr/large/1", "/ords/hr/large/?q={\"id\":1}"] {
        assert_eq!(app.get(path).status, 200);
        let pid = last();
        assert_eq!(app.get(path).status, 200);
        assert_eq!(last(), pid, "small rows leave it open");
        let large = path.replace('1', "6");
        let answer = app.get(&large);
        assert!(answer.status == 200 && answer.body.len() > 6_000_000, "{large}");
        eventually("it is closed", || !is_open(&pid));
        assert_eq!(app.get(path).status, 200);
    }
}

#[test]
fn slow_statements_end_in_time() {
    let database = Database::postgres("slow_end");
    let timeout = Duration::from_secs(2);
    let app = setup(&database).with(|setup| setup.limits.statement_timeout = timeout).start();
    let slow: Vec<_> = ["/ords/hr/slow/1", "/ords/hr/slow/", "/ords/hr/slow/?count=exact"]
        .map(|path| ask(&app, path))
        .into();
    for asked in slow {
        refused(&asked.join().unwrap(), 504, "DUET-6003");
    }
    // The connections are as good as before.
    for path in PATHS {
        assert!(right(path, &app.get(path).json()), "{path}");
    }
}

/// However slow one kind of document is, the others are read.
#[test]
fn a_slow_view_blocks_no_other_request() {
    let (database, app) = start("slow_others");
    let slow: Vec<_> = (1..=20).map(|id| ask(&app, &format!("/ords/hr/slow/{id}"))).collect();
    eventually("slow statements are under way", || {
        under_way(&database, "pg_sleep") + under_way(&database, "slow") > 0
    });
    for _ in 0..20 {
        for path in PATHS {
            assert!(right(path, &app.get(path).json()), "{path}");
        }
    }
    assert!(slow.iter().all(|asked| !asked.is_finished()), "those are still at it");
    // A hanging session can be cancelled by an operator.
    let answered = |slow: &[thread::JoinHandle<Response>]| {
        slow.iter().filter(|asked| asked.is_finished()).count()
    };
    eventually("all are cancelled", || {
        postgres(&database).query(
            "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
              WHERE datname = current_database() AND state = 'active' AND query LIKE '%slow%'
                AND pid <> pg_backend_pid();",
        );
        answered(&slow) == slow.len()
    });
    for asked in slow {
        refused(&asked.join().unwrap(), 504, "DUET-6003");
    }
}

#[test]
fn a_disconnect_cancels_the_statement() {
    let (database, app) = start("cancelled");
    let mut client = app.connect();
    let request = format!(
        "GET /ords/hr/slow/ HTTP/1.1\r\nHost: h\r\nAuthorization: {}\r\n\r\n",
        app.bearer()
    );
    client.send(request.as_bytes()).unwrap();
    eventually("the statement is under way", || under_way(&database, "\"slow\"") == 1);
    drop(client);
    eventually("the statement is cancelled", || under_way(&database, "\"slow\"") == 0);
    assert!(right(PATHS[4], &app.get(PATHS[4]).json()));
}

#[test]
fn a_full_queue_refuses_at_once() {
    let database = Database::postgres("full_queue");
    let app = setup(&database)
        .with(|setup| {
            setup.limits.connections = 2;
            setup.limits.queue_length = 1;
            setup.limits.queue_timeout = Duration::from_secs(2);
        })
        .start();
    let mut slow = app.connect();
    let request = format!(
        "GET /ords/hr/slow/ HTTP/1.1\r\nHost: h\r\nAuthorization: {}\r\n\r\n",
        app.bearer()
    );
    slow.send(request.as_bytes()).unwrap();
    eventually("the only connection is busy", || under_way(&database, "\"slow\"") == 1);
    // One waits until it may wait no longer, the others not at all.
    let waiting: Vec<_> = (0..5).map(|_| ask(&app, PATHS[4])).collect();
    for asked in waiting {
        refused(&asked.join().unwrap(), 503, "DUET-6002");
    }
    assert!(
        right(PATHS[0], &app.get(PATHS[0]).json()),
        "reads by key have a connection of their own"
    );
    drop(slow);
    eventually("the connection is free", || app.get(PATHS[4]).status == 200);
}

#[test]
fn one_failing_key_fails_alone() {
    let (database, app) = start("failing_key");
    let paths: Vec<String> = (1..=40).map(|id| format!("/ords/hr/ratio/{id}")).collect();
    // All of them wait for a lock, so that most are read by one statement when it goes.
    let lock = postgres(&database).clone();
    let holder = thread::spawn(move || {
        lock.try_exec(
            "BEGIN; LOCK TABLE team IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(1); COMMIT;",
        )
    });
    eventually("the lock is held", || under_way(&database, "pg_sleep(1)") == 1);
    let asked: Vec<_> = paths.iter().map(|path| ask(&app, path)).collect();
    for (id, asked) in (1_i64..).zip(asked) {
        let response = asked.join().unwrap();
        if id == 7 {
            refused(&response, 500, "DUET-6018");
        } else {
            assert_eq!(response.json()["ratio"], 1000 / (id - 7), "{response:?}");
        }
    }
    holder.join().unwrap().unwrap();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let load = Load::start(&app, 8, &paths, |path, response| {
        let id: i64 = path.rsplit('/').next().unwrap().parse().unwrap();
        match (id, response.status) {
            (7, 500) => Ok(()),
            (7, _) | (_, 400..) => Err("the wrong one failed".into()),
            _ if response.json()["ratio"] == 1000 / (id - 7) => Ok(()),
            _ => Err("another row".into()),
        }
    });
    load.more(1_000);
    load.stop();
}

/// A cancelled or refused page leaves no transaction open behind it.
#[test]
fn no_transaction_is_left_open() {
    let (database, app) = start("left_open");
    for path in [
        "/ords/hr/team_dv/?limit=2",
        "/ords/hr/ratio/?count=exact",
        "/ords/hr/ratio/",
        "/ords/hr/team/?q=%7B%22points%22:%7B%22$gt%22:99999999999999999999%7D%7D",
        "/ords/hr/team_dv/1",
        "/ords/hr/ratio/7",
    ] {
        app.get(path);
    }
    let idle = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                  AND state LIKE 'idle in transaction%';";
    assert_eq!(postgres(&database).query(idle), "0");
}

/// No request reads more than the limit, and asking leaves nothing behind.
#[test]
fn answers_that_are_too_large_are_refused() {
    let database = Database::postgres("too_large");
    let app = setup(&database).with(|setup| setup.limits.answer_bytes = 1 << 20).start();
    database.exec(
        "CREATE TABLE blob (id int PRIMARY KEY, content text);
         INSERT INTO blob SELECT n, repeat('x', 300000) FROM generate_series(1, 20) AS n;",
    );
    assert_eq!(app.reload().status, 200);
    for _ in 0..12 {
        refused(&app.get("/ords/hr/blob/"), 422, "DUET-6008");
    }
    assert_eq!(app.get("/ords/hr/blob/?limit=2").status, 200);
    assert_eq!(app.get("/ords/hr/blob/3").status, 200);
    assert_eq!(app.get("/ords/hr/blob/?fields=id").json()["count"], 20);
}

const HELD: &str = "
CREATE TABLE blob (id int PRIMARY KEY, content text);
INSERT INTO blob SELECT n, repeat('x', 300000) FROM generate_series(1, 20) AS n;
CREATE VIEW held AS SELECT id, content, CASE WHEN id > 12 THEN pg_sleep(3599)::text END AS wait
  FROM blob ORDER BY id;
";

/// A server of a view that gives 12 rows of 300,000 bytes at once, and the next after an hour.
fn held(database: &Database, change: impl FnOnce(&mut Setup)) -> App {
    database.exec(HELD);
    let setup = Setup::new(database).with(|setup| {
        setup.mount().resources.push(Resource {
            name: "held".into(),
            table: "held".into(),
            key: vec!["id".into()],
            ..Resource::default()
        });
        setup.limits.statement_timeout = Duration::from_secs(600);
    });
    setup.with(change).start()
}

/// A page above its limit stops at the row that is too much: no request waits for the rows behind it,
/// nor for a total that would come after them, and the statement is cancelled.
#[test]
fn a_page_above_its_limit_stops_while_it_is_fetched() {
    let database = Database::postgres("stopped_page");
    let app = held(&database, |setup| setup.limits.answer_bytes = 1 << 20);
    for path in ["/ords/hr/held/", "/ords/hr/held/?count=exact"] {
        refused(&app.get(path), 422, "DUET-6008");
    }
    eventually("nothing runs any more", || under_way(&database, "held") == 0);
    assert_eq!(app.get("/ords/hr/blob/3").status, 200);
}

/// Rows take their part of the memory while the rest of their page is still to come, so that
/// another one is refused then; they give it back when their client goes away.
#[test]
fn rows_hold_memory_while_others_are_awaited() {
    let database = Database::postgres("held_rows");
    let memory = Budget::new(4 << 20);
    let app = held(&database, |setup| setup.options.memory = memory.clone());
    let bearer = app.bearer();
    let mut waiting = TcpStream::connect(app.address()).unwrap();
    let head = format!("GET /ords/hr/held/ HTTP/1.1\r\nHost: h\r\nAuthorization: {bearer}\r\n\r\n");
    waiting.write_all(head.as_bytes()).unwrap();
    // The last of the twelve may still be in the buffers of the server.
    eventually("rows are there", || memory.usage().used >= 3_000_000);
    refused(&app.get("/ords/hr/blob/"), 503, "DUET-6010");
    assert_eq!(app.get("/ords/hr/blob/?fields=id").json()["count"], 20);
    assert_eq!(under_way(&database, "held"), 1, "the first still waits");
    drop(waiting);
    eventually("all memory comes back", || memory.usage().used == 0);
    eventually("nothing runs any more", || under_way(&database, "held") == 0);
    assert!(memory.usage().peak <= memory.usage().limit);
}

/// Large rows are counted before they arrive. Those that find no room are refused, each by itself: small rows of the
/// same batches, and batches on the same connections, are answered.
#[test]
fn rows_are_counted_before_they_arrive() {
    const ROW: usize = 8 << 20;
    let database = Database::postgres("large_rows");
    database.exec(&format!(
        "CREATE TABLE blob (id int NOT NULL PRIMARY KEY, data text);
         INSERT INTO blob SELECT n, repeat('x', CASE WHEN n % 2 = 0 THEN {ROW} ELSE 10 END)
           FROM generate_series(1, 24) AS n;
         CREATE TABLE other (id int NOT NULL PRIMARY KEY);
         INSERT INTO other SELECT generate_series(1, 24);"
    ));
    // Room for two answers, and for a third row or its answer, but not both.
    let memory = Budget::new(4 * ROW);
    let app = Setup::new(&database).with(|setup| setup.options.memory = memory.clone()).start();
    // Two of them hold half of the memory for as long as their clients take nothing. The second is asked for when the
    // answer with the first is on its way.
    let bearer = app.bearer();
    let holding = [2, 4].map(|id| {
        let mut client = TcpStream::connect(app.address()).unwrap();
        let head = format!(
            "GET /ords/hr/blob/{id} HTTP/1.1\r\nHost: h\r\nAuthorization: {bearer}\r\n\r\n"
        );
        client.write_all(head.as_bytes()).unwrap();
        let mut status = [0; 12];
        assert_eq!(client.peek(&mut status).unwrap(), status.len());
        assert_eq!(status.escape_ascii().to_string(), "HTTP/1.1 200");
        let held = id / 2 * ROW;
        eventually("only the answers are held", || {
            let used = memory.usage().used;
            (held..held + ROW / 4).contains(&used) && under_way(&database, "blob") == 0
        });
        client
    });
    let asked: Vec<_> = (1..=24)
        .flat_map(|id| ["blob", "other"].map(|table| (table, id)))
        .map(|(table, id)| (table, id, ask(&app, &format!("/ords/hr/{table}/{id}"))))
        .collect();
    for (table, id, answer) in asked {
        let answer = answer.join().unwrap();
        match (table, id % 2) {
            ("blob", 0) if answer.status == 503 => refused(&answer, 503, "DUET-6010"),
            ("blob", 0) => assert!(answer.status == 200 && answer.body.len() > ROW, "{id}"),
            _ => assert_eq!(answer.status, 200, "{table} {id}: {}", answer.text()),
        }
    }
    let usage = memory.usage();
    assert!(usage.refused > 0 && usage.peak <= usage.limit + ROW + ROW / 8, "{usage:?}");
    drop(holding);
    eventually("all memory comes back", || memory.usage().used < ROW / 16);
    eventually("nothing runs any more", || under_way(&database, "blob") == 0);
    assert_eq!(app.get("/ords/hr/blob/6").body.len() / ROW, 1);
}

/// A row above the limit of an answer is refused by its length.
#[test]
fn a_row_that_no_answer_may_hold_is_not_fetched() {
    let database = Database::postgres("too_large_row");
    database.exec(
        "CREATE TABLE blob (id int NOT NULL PRIMARY KEY, data text);
         INSERT INTO blob SELECT n, repeat('x', n << 20) FROM generate_series(1, 8, 7) AS n;",
    );
    let memory = Budget::unlimited();
    let app = Setup::new(&database)
        .with(|setup| {
            setup.options.memory = memory.clone();
            setup.limits.answer_bytes = 4 << 20;
        })
        .start();
    for path in ["/ords/hr/blob/8", "/ords/hr/blob/"] {
        refused(&app.get(path), 422, "DUET-6008");
    }
    assert!(memory.usage().peak < 4 << 20, "{:?}", memory.usage());
    assert_eq!(app.get("/ords/hr/blob/1").status, 200);
}

/// Writes of one locked row take turns, of which one waits at the database: everybody else goes on,
/// and the metrics say who waits where.
#[test]
fn a_locked_row_delays_only_its_own_writes() {
    let database = Database::postgres("locked_row");
    let app = setup(&database)
        .with(|setup| {
            setup.open = duet_auth::Open::All;
            setup.limits.connections = 6;
            setup.limits.lock_timeout = Duration::from_secs(600);
        })
        .start();
    let other = postgres(&database).clone();
    let holder = thread::spawn(move || {
        other.try_exec(
            "BEGIN; UPDATE team SET name = name WHERE team_id = 1; SELECT pg_sleep(3599);",
        )
    });
    eventually("the lock is held", || under_way(&database, "pg_sleep(3599)") == 1);
    let patch = |id: usize| {
        let url = format!("{}/ords/hr/team/{id}", app.url());
        let headers = [("Content-Type", "application/merge-patch+json")];
        move || duet_testkit::http::request("PATCH", &url, &headers, b"{\"points\":1}")
    };
    let stalled: Vec<_> = (0..5).map(|_| thread::spawn(patch(1))).collect();
    let metric = |line: &str| app.get("/metrics").text().contains(&format!("{line}\n"));
    eventually("four wait for their turn", || {
        metric("duet_queue_waiting{application=\"test\",queue=\"row\"} 4")
    });
    for id in 2..40 {
        assert_eq!(patch(id)().status, 200);
    }
    assert!(stalled.iter().all(|asked| !asked.is_finished()), "those still wait");
    postgres(&database).query(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE '%pg_sleep(3599)%'
            AND pid <> pg_backend_pid();",
    );
    assert!(holder.join().unwrap().is_err());
    for asked in stalled {
        assert_eq!(asked.join().unwrap().status, 200);
    }
    for queue in ["row", "write"] {
        for kind in ["waiting", "running"] {
            let line = format!("duet_queue_{kind}{{application=\"test\",queue=\"{queue}\"}} 0");
            eventually("nothing is left", || metric(&line));
        }
    }
}
