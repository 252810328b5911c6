//! What requests may cost: work beside the event loop, memory and connections, by counters and by
//! the order of answers.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpStream;

use duet_model::memory::Budget;
use duet_testkit::http::Response;

use crate::support::{App, Database, Held, Setup, eventually, on_both_stores};

on_both_stores! {
    descriptions_are_written_once
    answers_that_nobody_takes_stay_within_the_memory
    rows_are_counted_while_they_are_fetched
    text_is_counted_before_it_is_written
    large_items_are_written_piece_by_piece
    large_rows_of_a_stream_are_counted
    bodies_that_do_not_end_stay_within_the_memory
    bodies_that_arrive_together_are_not_all_refused
    heads_that_do_not_end_stay_within_the_memory
    full_memory_refuses_neither_health_checks_nor_tokens
    mistakes_of_a_body_are_told_together
    bodies_with_too_many_values_are_refused
    others_are_served_while_large_bodies_are_read
    large_records_of_a_load_are_parsed_beside_the_loop
}

/// The value of a metric.
pub(crate) fn metric(app: &App, name: &str) -> u64 {
    let text = String::from_utf8(app.get("/metrics").body).unwrap();
    let line = text.lines().find(|line| line.split(' ').next() == Some(name)).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

/// A description is written once for a snapshot and the roles of its client, whatever address the
/// client sees; a change of the schema makes another one.
fn descriptions_are_written_once(database: Database) {
    database.exec("CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name text)");
    let app = Setup::new(&database).without_poll().start();
    let written = || metric(&app, "duet_descriptions_written_total");
    let path = "/ords/hr/open-api-catalog/";
    let from = |host: &str| -> Response {
        let authorization = app.bearer();
        let headers = [("Authorization", authorization.as_str()), ("Host", host)];
        app.connect().get(path, &headers)
    };
    let (first, second) = (from("a.example"), from("b.example:8080"));
    assert_eq!(first.json()["servers"][0]["url"], "http://a.example/ords/hr");
    assert_eq!(second.json()["servers"][0]["url"], "http://b.example:8080/ords/hr");
    assert_ne!(first.header("etag"), second.header("etag"));
    assert_eq!(written(), 1);
    let etag = app.get(path).header("etag").unwrap().to_owned();
    assert_eq!(app.get_with(path, &[("If-None-Match", &etag)]).status, 304);
    assert_eq!(written(), 1);
    assert!(metric(&app, "duet_descriptions_bytes") > 0);
    assert_eq!(app.get("/ords/hr/open-api-catalog/team/").status, 200);
    assert_eq!(app.get("/ords/hr/open-api-catalog/teams/").status, 404, "none is written");
    assert_eq!(app.get("/ords/hr/metadata-catalog/?limit=1").status, 200);
    assert_eq!(app.get("/ords/hr/metadata-catalog/?limit=1").status, 200);
    assert_eq!(written(), 4, "pages of the catalog with a query are not kept");
    database.exec("CREATE TABLE circuit (code text NOT NULL PRIMARY KEY)");
    assert_eq!(app.reload().status, 200);
    assert!(app.get(path).json()["paths"]["/circuit/"].is_object());
    assert_eq!(written(), 5);
}

/// A request on a connection of its own, of which nothing is read.
fn send(app: &App, head: &str, body: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(app.address()).unwrap();
    let head = format!("{head} HTTP/1.1\r\nHost: h\r\nAuthorization: {}\r\n", app.bearer());
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(b"Content-Type: application/json\r\n").unwrap();
    stream.write_all(body).unwrap();
    stream
}

/// What comes first of an answer.
fn beginning(stream: &mut TcpStream) -> String {
    let mut bytes = [0; 600];
    let read = stream.read(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes[..read]).into_owned()
}

const ROW: usize = 16 << 20;

/// Many clients ask for a large row and take nothing of it: as many as fit into the memory get
/// their answer, the others are refused, and all of it comes back when they go away.
fn answers_that_nobody_takes_stay_within_the_memory(database: Database) {
    database.exec("CREATE TABLE large (id integer NOT NULL PRIMARY KEY, body text)");
    database.exec(&format!("INSERT INTO large VALUES (1, {})", repeated(&database, "x", ROW)));
    let memory = Budget::new(3 * ROW);
    let app = Setup::new(&database).with(|setup| setup.options.memory = memory.clone()).start();
    let mut clients: Vec<TcpStream> = Vec::new();
    let mut answers: Vec<String> = Vec::new();
    for _ in 0..8 {
        let mut client = send(&app, "GET /ords/hr/large/1", b"\r\n");
        answers.push(beginning(&mut client));
        clients.push(client);
    }
    let served = answers.iter().filter(|answer| answer.starts_with("HTTP/1.1 200")).count();
    assert!((1..=2).contains(&served), "{served}");
    let refused: Vec<_> =
        answers.iter().filter(|answer| answer.starts_with("HTTP/1.1 503")).collect();
    assert_eq!(refused.len(), 8 - served);
    for answer in refused {
        assert!(answer.contains("retry-after: 1"), "{answer}");
        assert!(answer.contains("DUET-6010") && answer.contains("`memory`"), "{answer}");
    }
    let usage = memory.usage();
    // PostgreSQL's driver holds a row while it is copied, one at a time.
    let copy = if database.is_sqlite() { 0 } else { ROW + ROW / 16 };
    assert!(usage.peak <= usage.limit + copy && usage.used > ROW, "{usage:?}");
    assert_eq!(metric(&app, "duet_memory_refused_total"), usage.refused);
    drop(clients);
    eventually("all memory comes back", || memory.usage().used < ROW / 16);
}

/// A text of so many characters, an even number, as SQL.
fn repeated(database: &Database, character: &str, length: usize) -> String {
    match database.is_sqlite() {
        false => format!("repeat('{character}', {length})"),
        true => format!("replace(hex(zeroblob({})), '0', '{character}')", length / 2),
    }
}

/// While the page of a large row is written, the rows and the whole text are held: both are counted
/// by then, with the escapes of the text; and the text is what remains. Of an item the rows alone are
/// held.
fn text_is_counted_before_it_is_written(database: Database) {
    database.exec("CREATE TABLE large (id integer NOT NULL PRIMARY KEY, body text)");
    let row = 2 << 20;
    database.exec(&format!("INSERT INTO large VALUES (1, {})", repeated(&database, "\"", row)));
    let served_within = |bytes: usize| {
        let memory = Budget::new(bytes);
        let app = Setup::new(&database).with(|setup| setup.options.memory = memory.clone()).start();
        let answers = ["/ords/hr/large/1", "/ords/hr/large/"].map(|path| app.get(path));
        let statuses = answers.each_ref().map(|answer| answer.status);
        assert!(answers.iter().all(|answer| answer.status != 200 || answer.body.len() > 2 * row));
        eventually("all memory comes back", || memory.usage().used < row / 4);
        (statuses, memory.usage().peak)
    };
    let (served, peak) = served_within(4 * row);
    assert_eq!(served, [200, 200]);
    assert!(peak >= 3 * row, "{peak}");
    // Rows and text fit by themselves.
    assert_eq!(served_within(5 * row / 2).0, [200, 503]);
}

/// A large item is the same text with the same etag as where it is written as a whole, for a stream;
/// it takes the memory of its rows and of a few pieces.
fn large_items_are_written_piece_by_piece(database: Database) {
    let bytes = if database.is_sqlite() { "BLOB" } else { "bytea" };
    let blob = if database.is_sqlite() { "x'00ff10'" } else { "'\\x00ff10'" };
    database.exec(&format!(
        "CREATE TABLE batch (id integer NOT NULL PRIMARY KEY, note text, extra json, data {bytes})"
    ));
    database.exec(
        "CREATE TABLE line (id integer NOT NULL PRIMARY KEY, batch_id integer NOT NULL REFERENCES batch,
                            name text, seen text)",
    );
    let text = repeated(&database, "\"ü", 700_000);
    database.exec(&format!("INSERT INTO batch VALUES (1, {text}, NULL, {blob})"));
    database.exec(&format!("UPDATE batch SET extra = {}", json_of(&database, &text)));
    let lines = (1..=3_000).map(|id| format!("({id}, 1, 'line {id}', '{}')", "x".repeat(id % 400)));
    let lines: Vec<String> = lines.collect();
    database.exec(&format!("INSERT INTO line VALUES {}", lines.join(",")));
    let view = "view batch_dv as batch { _id: id note extra data
        line [ { lineId: id name seen @nocheck } ] }";
    let memory = Budget::new(64 << 20);
    let start = Setup::new(&database).view("batch_dv", view);
    let app = start.with(|setup| setup.options.memory = memory.clone()).start();
    let item = app.get("/ords/hr/batch_dv/1");
    assert_eq!(item.status, 200, "{}", item.text());
    let size = item.body.len();
    // PostgreSQL's driver holds the row beside the rows while it is copied.
    let most = if database.is_sqlite() { size * 3 / 2 } else { size * 2 };
    let peak = memory.usage().peak;
    assert!(size > 4 << 20 && peak < most, "{peak} for {size}");
    // While a client takes nothing of it, the rows and a few pieces are held.
    let mut client = send(&app, "GET /ords/hr/batch_dv/1", b"\r\n");
    assert!(beginning(&mut client).starts_with("HTTP/1.1 200"));
    eventually("the copy is gone", || (size / 2..size * 3 / 2).contains(&memory.usage().used));
    drop(client);
    let streamed = app.get_with("/ords/hr/batch_dv/", &[("Accept", "application/x-ndjson")]);
    // `asof` is when the rows were read.
    let upto = |text: &str| text.split_once("\"asof\":\"").unwrap().0.to_owned();
    let document: serde_json::Value = serde_json::from_str(streamed.text()).unwrap();
    assert!(upto(item.text()) == upto(streamed.text()) && item.text().ends_with("}]}"));
    assert_eq!(item.json()["_metadata"]["etag"], document["_metadata"]["etag"]);
    let etag = item.header("etag").unwrap().to_owned();
    let checked = document["_metadata"]["etag"].as_str().unwrap();
    assert!(etag.starts_with(&format!("\"{checked}-")), "{etag} {checked}");
    assert_eq!(item.header("content-length").unwrap(), size.to_string());
    let bearer = app.bearer();
    let head = ("HEAD", "/ords/hr/batch_dv/1", [("Authorization", bearer.as_str())]);
    let head = app.connect().request(head.0, head.1, &head.2, b"");
    assert_eq!(
        (head.header("content-length"), head.header("etag")),
        (item.header("content-length"), item.header("etag"))
    );
    assert_eq!(app.get_with("/ords/hr/batch_dv/1", &[("If-None-Match", &etag)]).status, 304);
    eventually("all memory comes back", || memory.usage().used < 1 << 20);
}

/// A JSON object with a text, as SQL.
fn json_of(database: &Database, text: &str) -> String {
    match database.is_sqlite() {
        true => format!("json_object('a b', 1, 'text', {text})"),
        false => format!("json_build_object('a b', 1, 'text', {text})"),
    }
}

/// Rows of any size are streamed once each and in order; their text is counted beside them.
fn large_rows_of_a_stream_are_counted(database: Database) {
    database.exec("CREATE TABLE large (id integer NOT NULL PRIMARY KEY, body text)");
    let sizes = |id: usize| match id {
        150 => 2 << 20,
        151 | 220 => 6 << 20,
        _ => 2_000,
    };
    for id in 1..=300 {
        let text = repeated(&database, "x", sizes(id));
        database.exec(&format!("INSERT INTO large VALUES ({id}, {text})"));
    }
    let memory = Budget::new(64 << 20);
    let app = Setup::new(&database).with(|setup| setup.options.memory = memory.clone()).start();
    let streamed = app.get_with("/ords/hr/large/", &[("Accept", "application/x-ndjson")]);
    let lines = streamed.text().lines().map(|line| serde_json::from_str(line).unwrap());
    let seen = lines.map(|line: serde_json::Value| {
        (line["id"].as_u64().unwrap() as usize, line["body"].as_str().unwrap().len())
    });
    assert!(seen.eq((1..=300).map(|id| (id, sizes(id)))));
    assert!(memory.usage().peak >= 2 * sizes(220), "{:?}", memory.usage());
    eventually("all memory comes back", || memory.usage().used < sizes(220) / 4);
}

/// The rows of a page that is far larger than the memory are fetched only until that is full: the
/// page is refused, what is small is served, and all of it comes back.
fn rows_are_counted_while_they_are_fetched(database: Database) {
    database.exec("CREATE TABLE large (id integer NOT NULL PRIMARY KEY, body text)");
    let text = match database.is_sqlite() {
        false => "repeat('x', 100000)",
        true => "replace(hex(zeroblob(50000)), '0', 'x')",
    };
    let rows: Vec<String> = (1..=200).map(|id| format!("({id}, {text})")).collect();
    database.exec(&format!("INSERT INTO large VALUES {}", rows.join(", ")));
    let memory = Budget::new(4 << 20);
    let app = Setup::new(&database).with(|setup| setup.options.memory = memory.clone()).start();
    let before = memory.usage();
    for path in ["/ords/hr/large/?limit=200", "/ords/hr/large/?limit=200&count=exact"] {
        let refused = app.get(path);
        assert_eq!(refused.status, 503, "{path} {refused:?}");
        assert_eq!(refused.json()["errors"][0]["code"], "DUET-6010", "{path}");
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert_eq!(app.get("/ords/hr/large/?fields=id&limit=200").json()["count"], 200);
    }
    let usage = memory.usage();
    assert_eq!(usage.refused, before.refused + 2, "{usage:?}");
    assert!(usage.peak > 3 << 20, "counted as they came: {usage:?}");
    assert_eq!(app.get("/ords/hr/large/7").status, 200);
    eventually("all memory comes back", || memory.usage().used <= before.used);
}

/// Bodies of which the end does not come take memory as they arrive, and no more than there is.
fn bodies_that_do_not_end_stay_within_the_memory(database: Database) {
    database.exec("CREATE TABLE small (id integer NOT NULL PRIMARY KEY, body text)");
    let memory = Budget::new(4 << 20);
    let app = Setup::new(&database)
        .with(|setup| {
            setup.options.memory = memory.clone();
            setup.roles = vec!["duet.read", "duet.write", "duet.admin"];
        })
        .start();
    let half = format!("Content-Length: 2000000\r\n\r\n{{\"body\":\"{}", "x".repeat(1 << 20));
    let _first = send(&app, "POST /ords/hr/small/", half.as_bytes());
    eventually("half of it has come", || memory.usage().used >= 2 << 20);
    let mut second = send(&app, "POST /ords/hr/small/", half.as_bytes());
    let mut third = send(&app, "POST /ords/hr/small/", half.as_bytes());
    // Which of them is refused depends on whose bytes came first: one of them must be.
    eventually("one is refused", || memory.usage().refused > 0);
    let usage = memory.usage();
    assert!(usage.peak <= usage.limit, "{usage:?}");
    for stream in [&mut second, &mut third] {
        stream.set_nonblocking(true).unwrap();
    }
    let said = |stream: &mut TcpStream| {
        let mut bytes = [0; 12];
        stream.read(&mut bytes).is_ok() && bytes.ends_with(b" 503")
    };
    eventually("it gets a response", || said(&mut second) || said(&mut third));
    assert_eq!(app.get("/ords/hr/small/").status, 200, "what is small is served");
}

/// Bodies that have all come before the first one can be written leave room for its answer.
fn bodies_that_arrive_together_are_not_all_refused(database: Database) {
    const BODIES: usize = 8;
    database.exec("CREATE TABLE small (id integer NOT NULL PRIMARY KEY, body text)");
    // Four of them, and no answer, fit.
    let memory = Budget::new(4 << 20);
    let app = Setup::new(&database)
        .with(|setup| {
            setup.options.memory = memory.clone();
            setup.roles = vec!["duet.read", "duet.write", "duet.admin"];
        })
        .start();
    let held = Held::new(&database, "small");
    let body = |id| format!("{{\"id\":{id},\"body\":\"{}\"}}", "x".repeat(500_000));
    let post = |id| {
        let mut stream = TcpStream::connect(app.address()).unwrap();
        let (bearer, body) = (app.bearer(), body(id));
        std::thread::spawn(move || {
            let head = format!(
                "POST /ords/hr/small/ HTTP/1.1\r\nHost: h\r\nAuthorization: {bearer}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            // A refused client may be cut off before it has sent all of it.
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
            let _ = stream.read(&mut [0; 12]);
        })
    };
    let clients: Vec<_> = (0..BODIES).map(post).collect();
    eventually("what does not fit is refused", || memory.usage().refused >= BODIES as u64 / 2);
    held.release(&database);
    clients.into_iter().for_each(|client| client.join().unwrap());
    assert!(database.count("SELECT count(*) FROM small") > 0, "{:?}", memory.usage());
}

/// Heads of which the end does not come take memory as they arrive; where there is too little, the
/// next one is refused, and small requests are served.
fn heads_that_do_not_end_stay_within_the_memory(database: Database) {
    database.exec("CREATE TABLE small (id integer NOT NULL PRIMARY KEY, body text)");
    // Four heads fit into the half that clients without a token may have, a fifth does not.
    let memory = Budget::new(1_050 << 10);
    let app = Setup::new(&database).with(|setup| setup.options.memory = memory.clone()).start();
    let before = memory.usage().used;
    let head = format!("GET / HTTP/1.1\r\nHost: h\r\nX: {}", "x".repeat(120 << 10));
    let mut clients: Vec<TcpStream> = Vec::new();
    for held in 1..=4 {
        let mut client = TcpStream::connect(app.address()).unwrap();
        client.write_all(head.as_bytes()).unwrap();
        clients.push(client);
        eventually("it has arrived", || memory.usage().used >= before + held * (120 << 10));
    }
    let mut another = TcpStream::connect(app.address()).unwrap();
    another.write_all(head.as_bytes()).unwrap();
    let answer = beginning(&mut another);
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("DUET-6010"), "{answer}");
    assert!(answer.contains("retry-after: 1"), "{answer}");
    assert_eq!(app.get("/ords/hr/small/").status, 200, "what is small is served");
    let mut first = clients.remove(0);
    first.write_all(b"\r\nConnection: close\r\n\r\n").unwrap();
    assert!(beginning(&mut first).starts_with("HTTP/1.1 200"), "a whole head is answered");
    drop((clients, first));
    eventually("all memory comes back", || memory.usage().used <= before);
}

/// What is small is answered however much memory the large requests hold.
fn full_memory_refuses_neither_health_checks_nor_tokens(database: Database) {
    let memory = Budget::new(1 << 20);
    let app = Setup::new(&database).with(|setup| setup.options.memory = memory.clone()).start();
    let _held = memory.claim(1 << 20);
    assert_eq!(app.get("/health/live").status, 200);
    let form = b"grant_type=client_credentials&client_id=x&client_secret=y";
    let headers = [("Content-Type", "application/x-www-form-urlencoded")];
    let response = app.connect().request("POST", "/ords/hr/oauth/token", &headers, form);
    assert_eq!(response.status, 401, "its secret is looked at: {response:?}");
}

/// A server that takes writes, with one thread for large bodies.
fn writer(database: &Database) -> App {
    database.exec("CREATE TABLE small (id integer NOT NULL PRIMARY KEY, body text)");
    let setup = Setup::new(database).with(|setup| {
        setup.options.limits.parse_threads = 1;
        setup.roles = vec!["duet.read", "duet.write", "duet.admin"];
    });
    setup.start()
}

fn write(app: &App, method: &str, path: &str, body: &str) -> Response {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    app.connect().request(method, path, &headers, body.as_bytes())
}

/// Mistakes are collected, 20 of them at most, and all forms of a body tell them alike.
fn mistakes_of_a_body_are_told_together(database: Database) {
    let app = writer(&database);
    let pointers = |method: &str, path: &str, body: &str| -> Vec<String> {
        let response = write(&app, method, path, body);
        assert_eq!(response.status, 400, "{method} {path} {response:?}");
        let json = response.json();
        let errors = json["errors"].as_array().unwrap();
        errors.iter().map(|error| error["pointer"].as_str().unwrap_or("-").to_owned()).collect()
    };
    let all = "/ords/hr/small/";
    let body = r#"{"id":"many","bdy":1,"body":[[1]],"x":{}}"#;
    assert_eq!(pointers("POST", all, body), ["/id", "/bdy", "/body", "/x"]);
    assert_eq!(pointers("PUT", "/ords/hr/small/1", body), ["/bdy", "/body", "/x"]);
    assert_eq!(pointers("PATCH", "/ords/hr/small/1", body), ["/bdy", "/body", "/x"]);
    assert_eq!(pointers("PATCH", &format!("{all}?q=%7B%7D"), body), ["/bdy", "/body", "/x"]);
    let array = r#"[{"id":1},{"bdy":1},{"id":"x","body":[]},2]"#;
    assert_eq!(pointers("POST", all, array), ["/1/bdy", "/2/id", "/2/body", "/3"]);
    let steps = r#"[{"method":"POST","path":"/small/","body":{"id":1,"bdy":1}},
        {"body":{"x":1,"body":{}},"method":"PUT","path":"/small/1"},
        {"method":"DELETE","path":"/small/2"},
        {"method":"PATCH","path":"/small/1","body":{"y":1}}]"#;
    let found = ["/0/body/bdy", "/1/body/x", "/1/body/body", "/3/body/y"];
    assert_eq!(pointers("POST", "/ords/hr/_/transaction", steps), found);
    // What is wrong around the documents is in the same answer: names, places, and what is missing.
    let steps = r#"[{"method":"POST","path":"/small/","body":{"id":1},"when":1,"how":2},
        {"method":"POST","path":"/nowhere/","body":{}},
        {"method":"PATCH","path":"/small/x","body":{"y":1}},
        {"method":"GET","path":"/small/1"},
        {"method":"POST","path":"/small/","body":{"y":1}},
        {"path":5,"ifMatch":[]},
        {"method":"PUT","path":"/small/1/2"},
        {"method":"PUT","path":"/small/1"},
        7]"#;
    let around = "/0 /0 /1/path /2/path /3/method /5 /5/path /5/ifMatch /6/path /7 /8 /4/body/y";
    let response = write(&app, "POST", "/ords/hr/_/transaction", steps);
    let found = response.json()["errors"].clone();
    let found =
        found.as_array().into_iter().flatten().map(|one| one["pointer"].as_str().unwrap_or("-"));
    assert_eq!(found.collect::<Vec<_>>().join(" "), around, "{response:?}");
    let step = r#"{"method":"POST","path":"/small/","body":{"a":1,"b":1,"c":1}}"#;
    let steps = format!("[{}]", [step; 9].join(","));
    assert_eq!(pointers("POST", "/ords/hr/_/transaction", &steps).len(), 20);
    assert_eq!(app.get("/ords/hr/small/").json()["count"], 0, "nothing was changed");
    let mut many = String::from("{");
    for number in 0..100 {
        let _ = write!(many, "\"x{number}\":1,");
    }
    many.push_str("\"id\":1}");
    assert_eq!(pointers("POST", all, &many).len(), 20);
    assert_eq!(pointers("POST", all, r#"{"x":1,"id":tru}"#), ["/x", "-"]);
    assert_eq!(pointers("POST", all, r#"{"id":1,"id":2}"#), ["-"], "given twice");
}

/// A body of few bytes and many values is refused, with the place where it was one too many.
fn bodies_with_too_many_values_are_refused(database: Database) {
    let app = writer(&database);
    let ones = "1,".repeat(250_000);
    for (method, path, body, pointer) in [
        ("POST", "/ords/hr/small/search", format!("{{\"q\":[{ones}1]}}"), None),
        ("POST", "/ords/hr/_/transaction", format!("[{ones}1]"), None),
        ("POST", "/ords/hr/small/", format!("[{ones}1]"), Some("/0")),
        ("POST", "/ords/hr/small/", format!("[{}{{}}]", "{},".repeat(250_000)), None),
        ("POST", "/ords/hr/small/", format!("{{\"body\":[{ones}1]}}"), Some("/body")),
    ] {
        let response = write(&app, method, path, &body);
        assert_eq!(response.status, 400, "{method} {path}");
        let error = &response.json()["errors"][0];
        match pointer {
            // The first token that does not fit its column ends it sooner.
            Some(pointer) => assert_eq!(error["pointer"], pointer),
            None => assert_eq!(error["code"], "DUET-7018", "{error}"),
        }
    }
}

const LARGE: usize = 4;

/// While large bodies are read, small requests are answered: they do not wait for their turn behind
/// them.
fn others_are_served_while_large_bodies_are_read(database: Database) {
    let app = writer(&database);
    let text = "\\u00e9".repeat(1 << 19);
    let done = || metric(&app, "duet_offloaded_total");
    let (sent, has_sent) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for id in 0..LARGE {
            let (app, text, sent) = (&app, &text, sent.clone());
            scope.spawn(move || {
                let body = format!("{{\"id\":{id},\"body\":\"{text}\"}}");
                let response = write(app, "POST", "/ords/hr/small/", &body);
                assert_eq!(response.status, 201);
                sent.send("large").unwrap();
            });
        }
        eventually("some of them are being read", || {
            metric(&app, "duet_memory_bytes") > (LARGE * text.len()) as u64 || done() > 0
        });
        assert_eq!(app.connect().get("/health/live", &[]).status, 200);
        write(&app, "POST", "/ords/hr/small/", r#"{"id":100,"body":"small"}"#);
        sent.send("small").unwrap();
    });
    drop(sent);
    let order: Vec<&str> = has_sent.iter().collect();
    assert_ne!(order.last(), Some(&"small"), "{order:?}");
    assert_eq!(done(), 2 * LARGE as u64, "as text and as a document; small ones on the loop");
}

/// A load parses small records on the event loop and large ones beside it, in their order: lines and
/// rows are those of the body.
fn large_records_of_a_load_are_parsed_beside_the_loop(database: Database) {
    let app = writer(&database);
    let done = || metric(&app, "duet_offloaded_total");
    let load = |media: &str, body: &str| -> Response {
        let bearer = app.bearer();
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", media)];
        let path = "/ords/hr/small/batchload?errors=1&truncate=true";
        let answer = app.connect().request("POST", path, &headers, body.as_bytes());
        assert_eq!(answer.status, 200, "{media} {}", answer.text());
        let ids = app.get("/ords/hr/small/?fields=id").json();
        let ids: Vec<u64> = ids["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].as_u64().unwrap())
            .collect();
        assert_eq!(ids, [1, 2, 3, 5], "{media}");
        answer
    };
    let long = "x".repeat(2 << 20);
    for (media, body) in [
        (
            "application/x-ndjson",
            format!(
                "{{\"id\":1}}\n{{\"id\":2,\"body\":\"{long}\"}}\n{{\"id\":3}}\n{{\"id\":\"x\"}}\n{{\"id\":5}}"
            ),
        ),
        ("text/csv", format!("id,body\n1,a\n2,\"{long}\"\n3,c\nx,d\n5,e\n")),
    ] {
        let before = done();
        let text = load(media, &body).text().to_owned();
        let line = if media == "text/csv" { 5 } else { 4 };
        assert!(text.contains(&format!("Line {line}:")), "{media} {text}");
        assert!(done() > before, "{media}");
        let small: String = body.replace(&long, "b");
        let before = done();
        load(media, &small);
        assert_eq!(done(), before, "{media}: small records are parsed on the loop");
    }
}
