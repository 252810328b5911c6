//! Connections: too many, too slow, on a socket file, and at the end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use duet_http::Listen;
use duet_testkit::http::Client;

use crate::support::{App, Database, Load, Seen, Setup, Witness, eventually};

const TABLE: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name text NOT NULL);
INSERT INTO team VALUES (301, 'Ferrari');
CREATE TABLE wide (id integer NOT NULL PRIMARY KEY, filling text);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
  INSERT INTO wide SELECT i, printf('%0900d', i) FROM n;
";

const ITEM: &str = "/ords/hr/team/301";
const LARGE: &str = "/ords/hr/wide/?limit=10000";

fn setup() -> (Database, Setup) {
    let database = Database::sqlite();
    database.exec(TABLE);
    let setup = Setup::new(&database);
    (database, setup)
}

fn head(app: &App, path: &str) -> String {
    let (host, bearer) = (app.address(), app.bearer());
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {bearer}\r\n\r\n")
}

#[test]
fn beyond_the_limit_they_are_refused() {
    let (_database, setup) = setup();
    let app = setup.with(|setup| setup.options.limits.connections = 5).start();
    let mut inside: Vec<Client> = (0..5).map(|_| app.connect()).collect();
    for client in &mut inside {
        assert_eq!(client.get("/health/live", &[]).status, 200);
    }
    for _ in 0..20 {
        let mut outside = app.connect();
        // The refusal comes unasked.
        let response = outside.read_response(false).unwrap();
        assert_eq!(response.status, 503);
        assert_eq!(response.header("retry-after"), Some("1"));
        assert_eq!(response.header("connection"), Some("close"));
        assert_eq!(response.json()["errors"][0]["code"], "DUET-6002");
    }
    let mut asking = app.connect();
    assert_eq!(asking.get(ITEM, &[]).status, 503);
    for client in &mut inside {
        assert_eq!(client.get("/health/live", &[]).status, 200, "those inside are unharmed");
    }
    drop(inside.pop());
    eventually("a place is free", || {
        app.connect().try_request("GET", "/health/live", &[], b"").is_ok_and(|r| r.status == 200)
    });
}

#[test]
fn slow_heads_are_given_up() {
    let (_database, setup) = setup();
    let mut setup =
        setup.with(|setup| setup.options.limits.header_timeout = Duration::from_secs(2));
    let witness = Witness::of(&mut setup);
    let app = setup.start();
    let bearer = app.bearer();
    let mut waiting: Vec<TcpStream> = ["", "G", "GET /ords", "GET / HTTP/1.1\r\nHost: h\r\nX: "]
        .iter()
        .map(|start| {
            let mut stream = TcpStream::connect(app.address()).unwrap();
            stream.write_all(start.as_bytes()).unwrap();
            stream
        })
        .collect();
    // One that dribbles: each byte in time, the whole never.
    let mut dribble = TcpStream::connect(app.address()).unwrap();
    eventually("the dribble is given up", || dribble.write_all(b"G").is_err());
    for stream in &mut waiting {
        let mut rest = Vec::new();
        // Closed or reset, either way over.
        drop(stream.read_to_end(&mut rest));
    }
    // An idle connection ends as quietly.
    let mut idle = app.connect();
    assert_eq!(idle.get(ITEM, &[("Authorization", &bearer)]).status, 200);
    assert_eq!(idle.read_to_end().unwrap(), b"");
    assert_eq!(witness.others(6, "ConnectionClosed").len(), 6, "their places are free");
}

#[test]
fn slow_readers_block_no_one_and_are_disconnected() {
    let (_database, setup) = setup();
    let mut setup =
        setup.with(|setup| setup.options.limits.header_timeout = Duration::from_secs(3));
    let witness = Witness::of(&mut setup);
    let app = setup.start();
    // They ask for much, again and again, and take nothing.
    let lazy: Vec<TcpStream> = (0..10)
        .map(|_| {
            let mut stream = TcpStream::connect(app.address()).unwrap();
            stream.write_all(head(&app, LARGE).repeat(5).as_bytes()).unwrap();
            stream
        })
        .collect();
    for _ in 0..50 {
        assert_eq!(app.get(ITEM).status, 200);
    }
    // Clients that read nothing are dropped; those that read their item have gone by themselves.
    witness.others(60, "ConnectionClosed");
    drop(lazy);
    // A slow reader gets all of it.
    let mut slow = TcpStream::connect(app.address()).unwrap();
    slow.write_all(
        head(&app, LARGE).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").as_bytes(),
    )
    .unwrap();
    let (mut taken, mut piece) = (Vec::new(), vec![0; 200_000]);
    loop {
        let count = slow.read(&mut piece).unwrap();
        if count == 0 {
            break;
        }
        taken.extend_from_slice(&piece[..count]);
        std::thread::sleep(Duration::from_millis(2));
    }
    let start = taken.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    assert_eq!(taken[start..], app.get(LARGE).body);
}

/// The deadline of a request counts from its last byte.
#[test]
fn a_slow_body_takes_nothing_from_the_deadline() {
    const TIMEOUT: Duration = Duration::from_secs(1);
    let (_database, setup) = setup();
    let app = setup
        .with(|setup| {
            setup.limits.queue_timeout = TIMEOUT;
            setup.limits.statement_timeout = TIMEOUT;
            setup.roles = vec!["duet.read", "duet.write"];
        })
        .start();
    let body = r#"{"name":"Alpine"}"#;
    let (address, bearer, length) = (app.address(), app.bearer(), body.len());
    let head = format!(
        "PATCH {ITEM} HTTP/1.1\r\nHost: {address}\r\nAuthorization: {bearer}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    let mut client = app.connect();
    let begun = Instant::now();
    client.send(head.as_bytes()).unwrap();
    // Both timeouts together are the deadline.
    std::thread::sleep((TIMEOUT * 2).saturating_sub(begun.elapsed()));
    client.send(body.as_bytes()).unwrap();
    let response = client.read_response(false).unwrap();
    assert_eq!((response.status, &response.json()["name"]), (200, &"Alpine".into()));
}

#[test]
fn a_stop_answers_what_is_under_way() {
    let (database, setup) = setup();
    database.exec(
        "CREATE VIEW slow AS WITH RECURSIVE n (i) AS
           (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) AS n FROM n",
    );
    let mut setup = setup;
    let witness = Witness::of(&mut setup);
    let app = setup.start();
    let mut idle = app.connect();
    assert_eq!(idle.get("/health/live", &[]).status, 200);
    let half = &head(&app, ITEM)[..30];
    let mut started = TcpStream::connect(app.address()).unwrap();
    started.write_all(half.as_bytes()).unwrap();
    let mut busy = app.connect();
    busy.send(head(&app, "/ords/hr/slow/").as_bytes()).unwrap();
    witness.others(3, "ConnectionOpened");
    let address = app.address();
    std::thread::scope(|scope| {
        let stopping = scope.spawn(|| app.stop());
        let response = busy.read_response(false).unwrap();
        assert_eq!((response.status, &response.json()["items"][0]["n"]), (200, &3_000_000.into()));
        assert_eq!(busy.read_to_end().unwrap(), b"", "and then the connection ends");
        assert_eq!(idle.read_to_end().unwrap(), b"");
        drop(started);
        stopping.join().unwrap();
    });
    assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
}

#[test]
fn a_stop_does_not_wait_for_ever() {
    let (database, setup) = setup();
    // One response is larger than the socket's buffers on both sides.
    database.exec("UPDATE wide SET filling = printf('%03000d', id)");
    let mut setup =
        setup.with(|setup| setup.options.limits.drain_timeout = Duration::from_millis(300));
    let witness = Witness::of(&mut setup);
    let app = setup.start();
    let mut stuck = TcpStream::connect(app.address()).unwrap();
    stuck.write_all(head(&app, LARGE).repeat(5).as_bytes()).unwrap();
    witness.wait_for(1, |seen| matches!(seen, Seen::Answered(_)).then_some(()));
    app.stop();
    assert_eq!(witness.others(1, "Stopped"), ["Stopped { in_time: false }"]);
}

#[test]
fn a_socket_file() {
    let (_database, setup) = setup();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("duet.sock");
    // What a crashed server has left behind is in no other request's way.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let listen = path.clone();
    let app = setup
        .with(|setup| {
            setup.options.listen.push(Listen::Unix(listen));
            setup.options.workers = 2;
            setup.limits.workers = 2;
        })
        .start();
    assert_eq!(app.urls[1], format!("unix:{}", path.display()));
    let bearer = app.bearer();
    for _ in 0..10 {
        let mut client = Client::connect_unix(&path);
        let response = client.get(ITEM, &[("Authorization", &bearer)]);
        assert_eq!(response.json()["links"][0]["href"], format!("http://localhost{ITEM}"));
        assert_eq!(app.get(ITEM).status, 200);
    }
    // A second server does not take the socket of one that runs.
    let (_other, second) = self::setup();
    let taken = path.clone();
    let error = second.with(|setup| setup.options.listen = vec![Listen::Unix(taken)]).try_start();
    assert!(error.err().unwrap().message.contains("Cannot listen"));
    app.stop();
    assert!(!path.exists());
    // Nor is a file replaced that is no socket.
    std::fs::write(&path, "precious").unwrap();
    let (_other, third) = self::setup();
    let file = path.clone();
    assert!(
        third.with(|setup| setup.options.listen = vec![Listen::Unix(file)]).try_start().is_err()
    );
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
}

#[test]
fn several_workers_answer_alike() {
    let (_database, setup) = setup();
    let app = setup
        .with(|setup| {
            setup.options.workers = 3;
            setup.limits.workers = 3;
        })
        .start();
    let load = Load::start(
        &app,
        12,
        &[ITEM, "/ords/hr/wide/7", "/ords/hr/wide/?limit=3"],
        |_, response| {
            if response.status == 200 { Ok(()) } else { Err("not 200".into()) }
        },
    );
    load.more(600);
    load.stop();
    let metrics = app.get("/metrics");
    let counted = |name: &str| -> u64 {
        let line = metrics.text().lines().find(|line| line.starts_with(name)).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let all = counted(
        "duet_resource_requests_total{application=\"test\",resource=\"/ords/hr/team\",status=\"2xx\"}",
    ) + counted(
        "duet_resource_requests_total{application=\"test\",resource=\"/ords/hr/wide\",status=\"2xx\"}",
    );
    assert!(all >= 600, "{all}");
}

#[test]
fn an_address_that_is_taken() {
    let (_database, first) = setup();
    let app = first.start();
    let (_other, second) = setup();
    let address = app.address();
    let error = second.with(|setup| setup.options.listen = vec![Listen::Tcp(address)]).try_start();
    let error = error.err().unwrap();
    assert!(error.message.contains(&address.to_string()), "{error}");
}
