//! Collections line by line: the same documents as in pages, with bounded memory however slow the
//! client, and nothing left running when it goes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use duet_service::definition::Resource;
use duet_testkit::http::Response;
use serde_json::Value;
use socket2::{Domain, Socket, Type};

use crate::support::{
    App, Database, Seen, Setup, Witness, eventually, on_both_stores, percent_encode,
};

on_both_stores! {
    lines_are_the_items_of_pages
    documents_of_several_levels
    comma_separated
    forms
    by_body
    refused
    more_rows_than_allowed
    what_breaks_is_broken_off
    a_slow_client_fills_nothing
    whoever_goes_stops_the_database
    only_so_many_at_once
}

const NDJSON: (&str, &str) = ("Accept", "application/x-ndjson");
const CSV: (&str, &str) = ("Accept", "text/csv");

const TABLES: &str = "
CREATE TABLE maker (maker_id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE part (part_id integer NOT NULL PRIMARY KEY, maker_id integer REFERENCES maker (maker_id),
    label varchar(40), weight numeric(8,2), made timestamp);
CREATE TABLE stock (stock_id integer NOT NULL PRIMARY KEY, part_id integer NOT NULL REFERENCES part (part_id),
    place varchar(40));
CREATE TABLE bare (id integer NOT NULL PRIMARY KEY, name varchar(10));
";

const VIEW: &str = "
CREATE JSON RELATIONAL DUALITY VIEW part_dv AS
SELECT JSON {'_id': p.part_id, 'label': p.label,
    'maker': (SELECT JSON {'maker_id': m.maker_id, 'name': m.name} FROM maker m WHERE m.maker_id = p.maker_id),
    'stock': [SELECT JSON {'stock_id': s.stock_id, 'place': s.place} FROM stock s WHERE s.part_id = p.part_id]}
FROM part p;
";

const PARTS: usize = 12_000;

fn fill(database: &Database) {
    database.exec(TABLES);
    database.exec("INSERT INTO maker VALUES (1, 'One, Ltd'), (2, 'Zwei \"GmbH\"'), (3, 'Ünö')");
    let part = |id: usize| {
        let label = ["NULL", "''", "'a,b'", "'say \"x\"'", "'ü'", "'plain'"][id % 6];
        let maker = ["NULL", "1", "2", "3"][id % 4];
        format!("({id}, {maker}, {label}, {}.{:02}, '2024-02-29 12:00:00')", id % 70, id % 100)
    };
    let stock = |id: usize| format!("({id}, {}, 'shelf {}')", 1 + id * 7 % (PARTS / 2), id % 9);
    for (table, rows) in [
        ("part", (1..=PARTS).map(part).collect::<Vec<_>>()),
        ("stock", (1..=PARTS).map(stock).collect()),
    ] {
        database.exec(&format!("INSERT INTO {table} VALUES {};", rows.join(", ")));
    }
}

fn setup(database: &Database) -> Setup {
    fill(database);
    Setup::new(database).view("parts", VIEW)
}

/// The lines of a stream as documents.
#[track_caller]
fn lines(response: &Response) -> Vec<Value> {
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(response.header("transfer-encoding"), Some("chunked"));
    assert_eq!(response.header("etag"), None);
    let text = response.text();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The items of all pages from this one on, without their links.
fn items(app: &App, path: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut path = path.to_owned();
    loop {
        let page = app.get(&path).json();
        for item in page["items"].as_array().unwrap() {
            let mut item = item.clone();
            item.as_object_mut().unwrap().remove("links");
            all.push(item);
        }
        let next = page["links"].as_array().unwrap().iter().find(|link| link["rel"] == "next");
        match next {
            Some(link) => path = link["href"].as_str().unwrap()[app.url().len()..].to_owned(),
            None => return all,
        }
    }
}

fn lines_are_the_items_of_pages(database: Database) {
    let app = setup(&database).start();
    let q = percent_encode(
        r#"{"label":{"$ne":"plain"},"$orderby":[{"weight":"DESC"},{"label":"ASC"}]}"#,
    );
    for query in ["", &format!("q={q}"), "fields=label,made", "fields=part_id&offset=11990"] {
        let streamed = lines(&app.get_with(&format!("/ords/hr/part/?{query}"), &[NDJSON]));
        let paged = items(&app, &format!("/ords/hr/part/?{query}&limit=5000"));
        assert_eq!(streamed.len(), paged.len(), "{query}");
        assert!(streamed == paged, "{query}");
    }
    let text = app.get_with("/ords/hr/part/?limit=1&offset=1", &[NDJSON]);
    assert_eq!(
        text.text(),
        "{\"part_id\":2,\"maker_id\":2,\"label\":\"a,b\",\"weight\":2.02,\"made\":\"2024-02-29T12:00:00\"}\n"
    );
    assert_eq!(lines(&app.get_with("/ords/hr/part/?limit=7000", &[NDJSON])).len(), 7000);
    let marker = app.get("/ords/hr/part/?after=&limit=11999").json();
    let next = marker["links"].as_array().unwrap().iter().find(|link| link["rel"] == "next");
    let next = next.unwrap()["href"].as_str().unwrap()[app.url().len()..].to_owned();
    assert_eq!(lines(&app.get_with(&next.replace("limit=10000", ""), &[NDJSON])).len(), 2000);
    assert_eq!(lines(&app.get_with("/ords/hr/bare/", &[NDJSON])), [] as [Value; 0]);
}

fn documents_of_several_levels(database: Database) {
    let app = setup(&database).start();
    let q = percent_encode(r#"{"stock.place":"shelf 3","$orderby":{"maker.name":"DESC"}}"#);
    for query in ["fields=_id,label,maker,stock", &format!("fields=stock.place,maker.name&q={q}")] {
        let streamed = lines(&app.get_with(&format!("/ords/hr/part_dv/?{query}"), &[NDJSON]));
        let paged = items(&app, &format!("/ords/hr/part_dv/?{query}&limit=3000"));
        assert_eq!(streamed.len(), paged.len());
        assert!(streamed == paged, "{query}");
    }
    // The whole document carries its etag.
    let streamed = lines(&app.get_with("/ords/hr/part_dv/?limit=300", &[NDJSON]));
    let paged = items(&app, "/ords/hr/part_dv/?limit=300");
    for (line, item) in streamed.iter().zip(&paged) {
        assert_eq!(line["_metadata"]["etag"], item["_metadata"]["etag"]);
        assert_eq!(line["stock"], item["stock"]);
    }
    assert_eq!(streamed.len(), 300);
}

fn comma_separated(database: Database) {
    let app = setup(&database).start();
    let csv = |path: &str| {
        let response = app.get_with(path, &[CSV]);
        assert_eq!(response.status, 200, "{response:?}");
        let content_type = response.header("content-type");
        assert_eq!(content_type, Some("text/csv; charset=utf-8; header=present"));
        response.text().to_owned()
    };
    assert_eq!(
        csv("/ords/hr/part/?limit=4"),
        "part_id,maker_id,label,weight,made\r\n\
         1,1,\"\",1.01,2024-02-29T12:00:00\r\n\
         2,2,\"a,b\",2.02,2024-02-29T12:00:00\r\n\
         3,3,\"say \"\"x\"\"\",3.03,2024-02-29T12:00:00\r\n\
         4,,ü,4.04,2024-02-29T12:00:00\r\n"
    );
    assert_eq!(csv("/ords/hr/bare/"), "id,name\r\n");
    assert_eq!(
        csv("/ords/hr/part_dv/?limit=4"),
        "_id,label,maker.maker_id,maker.name,stock\r\n\
         1,\"\",1,\"One, Ltd\",\"[{\"\"stock_id\"\":6000,\"\"place\"\":\"\"shelf 6\"\"},{\"\"stock_id\"\":12000,\"\"place\"\":\"\"shelf 3\"\"}]\"\r\n\
         2,\"a,b\",2,\"Zwei \"\"GmbH\"\"\",\"[{\"\"stock_id\"\":5143,\"\"place\"\":\"\"shelf 4\"\"},{\"\"stock_id\"\":11143,\"\"place\"\":\"\"shelf 1\"\"}]\"\r\n\
         3,\"say \"\"x\"\"\",3,Ünö,\"[{\"\"stock_id\"\":4286,\"\"place\"\":\"\"shelf 2\"\"},{\"\"stock_id\"\":10286,\"\"place\"\":\"\"shelf 8\"\"}]\"\r\n\
         4,ü,,,\"[{\"\"stock_id\"\":3429,\"\"place\"\":\"\"shelf 0\"\"},{\"\"stock_id\"\":9429,\"\"place\"\":\"\"shelf 6\"\"}]\"\r\n"
    );
    assert_eq!(csv("/ords/hr/part/").lines().count(), PARTS + 1);
    assert_eq!(csv("/ords/hr/part_dv/?fields=stock.place,label").lines().count(), PARTS + 1);
}

fn forms(database: Database) {
    let app = setup(&database).start();
    for (accept, content_type) in [
        ("application/json", "application/json"),
        ("application/json, text/csv", "application/json"),
        ("text/csv, application/json;q=0.9", "text/csv; charset=utf-8; header=present"),
        ("application/x-ndjson, */*;q=0.1", "application/x-ndjson"),
        ("application/ndjson", "application/ndjson"),
        ("application/jsonl", "application/jsonl"),
        ("text/*", "text/csv; charset=utf-8; header=present"),
    ] {
        let response = app.get_with("/ords/hr/part/?limit=1", &[("Accept", accept)]);
        assert_eq!(response.status, 200, "{accept}");
        assert_eq!(response.header("content-type"), Some(content_type), "{accept}");
        // Streams of any length are compressed where the client takes it.
        let vary = match content_type {
            "application/json" => "Accept, Authorization",
            _ => "Accept, Authorization, Accept-Encoding",
        };
        assert_eq!(response.header("vary"), Some(vary), "{accept}");
    }
    for accept in ["text/csv;q=0", "text/html", "application/xml"] {
        assert_eq!(app.get_with("/ords/hr/part/", &[("Accept", accept)]).status, 406, "{accept}");
    }
    for path in ["/ords/hr/part/1", "/ords/hr/metadata-catalog/"] {
        assert_eq!(app.get_with(path, &[CSV]).status, 406, "{path}");
    }
    let headers = [("Authorization", app.bearer()), ("Accept", "text/csv".to_owned())];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let mut client = app.connect();
    let head = client.request("HEAD", "/ords/hr/part/", &headers, b"");
    assert_eq!((head.status, head.header("content-length")), (200, None));
    assert_eq!(head.header("content-type"), Some("text/csv; charset=utf-8; header=present"));
    // The connection goes on.
    assert_eq!(client.request("HEAD", "/ords/hr/part/?q=[]", &headers, b"").status, 400);
    assert_eq!(client.get("/ords/hr/part/?limit=1", &headers).text().lines().count(), 2);
    assert_eq!(client.get("/ords/hr/part/?limit=2", &headers).text().lines().count(), 3);
}

fn by_body(database: Database) {
    let app = setup(&database).start();
    let ids: Vec<usize> = (0..3000).map(|n| n * 3).collect();
    let body = serde_json::json!({ "q": { "part_id": { "$in": ids } }, "fields": ["part_id"] });
    for (method, path) in [("POST", "/ords/hr/part/search"), ("QUERY", "/ords/hr/part/")] {
        let bearer = app.bearer();
        let json = ("Content-Type", "application/json");
        let headers = [("Authorization", bearer.as_str()), json, NDJSON];
        let response = app.connect().request(method, path, &headers, body.to_string().as_bytes());
        assert_eq!(lines(&response).len(), 2999, "{method}");
        let wrong = app.connect().request(method, path, &headers, br#"{"count":"exact"}"#);
        assert_eq!(wrong.json()["errors"][0]["pointer"], "/count", "{method}");
        let query = br#"{"query":"part_id within \"3 30\" sortBy part_id/descending"}"#;
        let response = app.connect().request(method, path, &headers, query);
        assert_eq!(lines(&response)[0]["part_id"], 30, "{method}");
        assert_eq!(lines(&response).len(), 28, "{method}");
    }
}

fn refused(database: Database) {
    let app = setup(&database).with(|setup| setup.read_limits.stream_rows = 100).start();
    for (query, code) in [
        ("count=exact", "DUET-1005"),
        ("limit=0", "DUET-1005"),
        ("limit=101", "DUET-1005"),
        ("q={}x", "DUET-2001"),
        ("q={\"nam\":1}", "DUET-2004"),
        ("query=nam=1", "DUET-2004"),
        ("query=part_id=", "DUET-2010"),
        ("fields=nam", "DUET-1005"),
    ] {
        let response = app.get_with(&format!("/ords/hr/part/?{query}"), &[CSV]);
        assert_eq!(response.status, 400, "{query}");
        assert_eq!(response.json()["errors"][0]["code"], code, "{query}");
    }
    assert_eq!(app.connect().get("/ords/hr/part/", &[CSV]).status, 401);
    assert_eq!(lines(&app.get_with("/ords/hr/part/?limit=100", &[NDJSON])).len(), 100);
}

/// What a client gets of an answer that ends in the middle: the bytes, and whether it ended well.
fn cut(app: &App, path: &str) -> (String, bool) {
    let mut stream = raw(app, path);
    let mut bytes = Vec::new();
    // An error is one way to be broken off.
    drop(stream.read_to_end(&mut bytes));
    let text = String::from_utf8(bytes).unwrap();
    let whole = text.ends_with("\r\n0\r\n\r\n");
    (text, whole)
}

/// A connection on which a stream has been asked for.
fn raw(app: &App, path: &str) -> BufReader<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    // Set before it connects, so that the system does not make it larger.
    socket.set_recv_buffer_size(256 << 10).unwrap();
    socket.connect(&app.address().into()).unwrap();
    let mut stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(crate::support::PATIENCE)).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: h\r\nAuthorization: {}\r\nAccept: application/x-ndjson\r\nConnection: close\r\n\r\n",
        app.bearer()
    );
    stream.write_all(request.as_bytes()).unwrap();
    BufReader::new(stream)
}

fn metric(app: &App, name: &str) -> u64 {
    let text = app.get("/metrics").text().to_owned();
    let line = text.lines().find(|line| line.split(' ').next() == Some(name));
    line.unwrap().rsplit(' ').next().unwrap().parse().unwrap()
}

fn more_rows_than_allowed(database: Database) {
    let app = setup(&database).with(|setup| setup.read_limits.stream_rows = 11_999).start();
    let (text, whole) = cut(&app, "/ords/hr/part/");
    assert!(text.starts_with("HTTP/1.1 200") && !whole);
    assert_eq!(metric(&app, "duet_streams_broken_total"), 1);
    let (_, whole) = cut(&app, "/ords/hr/part/?offset=1");
    assert!(whole);
}

/// A row in the middle that cannot be computed: what came before has long been sent.
fn what_breaks_is_broken_off(database: Database) {
    fill(&database);
    let value = if database.is_sqlite() {
        "CASE WHEN part_id = 9000 THEN abs(-9223372036854775807 - 1) ELSE 1 END"
    } else {
        let unsorted = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database()); END $$;";
        database.exec(unsorted);
        "1 / (9000 - part_id)"
    };
    database
        .exec(&format!("CREATE VIEW weak AS SELECT part_id, label, {value} AS value FROM part"));
    let resource = Resource {
        name: "weak".into(),
        table: "weak".into(),
        key: vec!["part_id".into()],
        ..Resource::default()
    };
    let mut setup = Setup::new(&database).with(|setup| setup.mount().resources.push(resource));
    let witness = Witness::of(&mut setup);
    let app = setup.start();
    let (text, whole) = cut(&app, "/ords/hr/weak/");
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    assert!(text.contains("{\"part_id\":1000,") && !whole, "{}", text.len());
    assert!(!text.contains("9000"));
    assert_eq!(metric(&app, "duet_streams_broken_total"), 1);
    let broken = witness.wait_for(1, |seen| match seen {
        Seen::StreamBroken(exchange) => Some(exchange.clone()),
        _ => None,
    });
    assert_eq!((&*broken[0].request, broken.len()), ("GET /ords/hr/weak/", 1));
    assert!(broken[0].code.is_some() && broken[0].bytes > 0, "{broken:?}");
    // What fails at once is an answer.
    let first = app.get_with("/ords/hr/weak/?offset=8999", &[NDJSON]);
    assert!(first.status >= 400, "{first:?}");
    assert_eq!(first.header("content-type"), Some("application/problem+json"));
    let (_, whole) = cut(&app, "/ords/hr/weak/?limit=8999");
    assert!(whole);
}

/// Rows of ten thousand bytes, 200 MB of them.
fn large(database: &Database) {
    let numbers = if database.is_sqlite() {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         SELECT i, hex(zeroblob(5000)) FROM n"
    } else {
        "SELECT i, repeat('0', 10000) FROM generate_series(1, 20000) AS n(i)"
    };
    database.exec(&format!(
        "CREATE TABLE large (id integer NOT NULL PRIMARY KEY, filler text); INSERT INTO large {numbers};"
    ));
}

/// What the kernel keeps in a connection's buffers (up to 4 MiB to send and 32 MiB received), and what Duet has on its
/// way, at most: far less than the stream.
const ON_THE_WAY: u64 = 48 << 20;

fn a_slow_client_fills_nothing(database: Database) {
    large(&database);
    let app = Setup::new(&database).start();
    let before = metric(&app, "duet_sent_bytes_total");
    let mut stream = raw(&app, "/ords/hr/large/");
    let (mut taken, mut piece) = (0_u64, vec![0; 1 << 20]);
    while let Ok(read @ 1..) = stream.read(&mut piece) {
        taken += read as u64;
        if taken % (16 << 20) < read as u64 {
            // Nothing is taken while these are answered: a server without back-pressure goes on.
            let sent =
                (0..20).map(|_| metric(&app, "duet_sent_bytes_total")).max().unwrap() - before;
            assert!(sent < taken + ON_THE_WAY, "{sent} are sent, {taken} are taken");
        }
    }
    assert!(taken > 200_000_000, "{taken}");
    assert!(metric(&app, "duet_sent_bytes_total") > 200_000_000);
}

/// One stream at a time is allowed: the next one begins only when the one before is no more.
fn whoever_goes_stops_the_database(database: Database) {
    large(&database);
    let app = Setup::new(&database).with(|setup| setup.limits.streams = 1).start();
    for _ in 0..3 {
        let mut stream = raw(&app, "/ords/hr/large/");
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        assert_eq!(line, "HTTP/1.1 200 OK\r\n");
    }
    assert_eq!(lines(&app.get_with("/ords/hr/large/?limit=1", &[NDJSON])).len(), 1);
    if let Database::Postgres(postgres) = &database {
        eventually("no statement runs any more", || {
            let active = "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() \
                 AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%large%'";
            postgres.query(active) == "0"
        });
    }
}

fn only_so_many_at_once(database: Database) {
    large(&database);
    let setup = Setup::new(&database).with(|setup| {
        setup.limits.streams = 1;
        setup.limits.queue_timeout = std::time::Duration::from_millis(50);
    });
    let app = setup.start();
    let mut held = raw(&app, "/ords/hr/large/");
    let mut line = String::new();
    held.read_line(&mut line).unwrap();
    let second = app.get_with("/ords/hr/large/?limit=1", &[NDJSON]);
    assert_eq!((second.status, second.header("retry-after")), (503, Some("1")));
    // Pages have connections of their own.
    assert_eq!(app.get("/ords/hr/large/?limit=1").status, 200);
    drop(held);
    eventually("there is room again", || {
        app.get_with("/ords/hr/large/?limit=1", &[NDJSON]).status == 200
    });
}
