//! Requests whose end others on the way may see elsewhere: on raw sockets.

use crate::support::{App, Database, Setup};
use duet_testkit::http::Client;

fn app() -> (Database, App) {
    let database = Database::sqlite();
    database.exec("CREATE TABLE t (id integer NOT NULL PRIMARY KEY); INSERT INTO t VALUES (1);");
    let app = Setup::new(&database).with(|setup| setup.open = duet_auth::Open::All).start();
    (database, app)
}

/// The first answer to these bytes, and whether the connection ends behind it.
fn answer(app: &App, bytes: &str) -> (u16, String) {
    let mut client = Client::connect(app.url());
    client.send(bytes.as_bytes()).unwrap();
    let response = client.read_response(false).unwrap();
    let code = String::from_utf8_lossy(&response.body).into_owned();
    let code = code.split("/problems/").nth(1).map_or(String::new(), |rest| rest[..9].to_owned());
    (response.status, code)
}

#[test]
fn ambiguous_requests_are_refused() {
    let (_database, app) = app();
    let post = "POST /ords/hr/t/ HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n";
    let chunked = "8\r\n{\"id\":7}\r\n0\r\n\r\n";
    for (head, body, expected) in [
        ("Transfer-Encoding: gzip\r\n", chunked, (501, "DUET-1019")),
        ("Transfer-Encoding: gzip, chunked\r\n", chunked, (501, "DUET-1019")),
        ("Transfer-Encoding: identity\r\n", chunked, (501, "DUET-1019")),
        ("Transfer-Encoding: chunked, chunked\r\n", chunked, (501, "DUET-1019")),
        ("Transfer-Encoding: chunked\r\nContent-Length: 8\r\n", chunked, (400, "DUET-1006")),
        ("Content-Length: 8\r\nTransfer-Encoding: chunked\r\n", chunked, (400, "DUET-1006")),
        ("Content-Length: 8\r\nContent-Length: 9\r\n", "{\"id\":7}", (400, "DUET-1006")),
        ("Content-Length: 8, 8\r\n", "{\"id\":7}", (400, "DUET-1006")),
        ("Content-Length: +8\r\n", "{\"id\":7}", (400, "DUET-1006")),
        ("Content-Length: 0x8\r\n", "{\"id\":7}", (400, "DUET-1006")),
        ("Content-Length: 8\n", "{\"id\":7}", (400, "DUET-1006")),
        ("X: a\r\n b\r\nContent-Length: 8\r\n", "{\"id\":7}", (400, "DUET-1006")),
        ("X : a\r\nContent-Length: 8\r\n", "{\"id\":7}", (400, "DUET-1006")),
        ("Transfer-Encoding : chunked\r\n", chunked, (400, "DUET-1006")),
        ("Content-Length: 8\r\n\n", "{\"id\":7}", (400, "DUET-1006")),
        ("X: a\rContent-Length: 8\r\n", "{\"id\":7}", (400, "DUET-1006")),
        ("X: a\r\n\tb\r\nTransfer-Encoding: chunked\r\n", chunked, (400, "DUET-1006")),
        ("Transfer-Encoding: chunked\r\n ,gzip\r\n", chunked, (400, "DUET-1006")),
        (
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            chunked,
            (400, "DUET-1006"),
        ),
        (
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
            chunked,
            (400, "DUET-1006"),
        ),
        ("Transfer-Encoding: chunked\rX: a\r\n", chunked, (400, "DUET-1006")),
    ] {
        let found = answer(&app, &format!("{post}{head}\r\n{body}"));
        assert_eq!((found.0, found.1.as_str()), expected, "{head:?}");
    }
    for raw in [
        "GET /ords/hr/t/1 HTTP/1.1\nHost: h\r\n\r\n",
        "GET /ords/hr/t/1 HTTP/1.1\r\nHost: h\n\r\n",
        "GET /ords/hr/t/1 HTTP/1.1\r\nHost: h\r\n\n",
        "GET /ords/hr/t/1 HTTP/1.1\n\n",
    ] {
        assert_eq!(answer(&app, raw).0, 400, "{raw:?}");
    }
    let count = app.connect().get("/ords/hr/t/", &[]).json()["count"].clone();
    assert_eq!(count, 1, "a refused request has written");
    assert_eq!(answer(&app, &format!("{post}Transfer-Encoding: Chunked\r\n\r\n{chunked}")).0, 201);
}

/// Requests behind a chunked body, or behind one that was announced with `Expect`, are found: their raw
/// filters are understood, on the same connection.
#[test]
fn raw_filters_are_understood_behind_any_body() {
    let (_database, app) = app();
    let mut client = Client::connect(app.url());
    let post = "POST /ords/hr/t/ HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n";
    let raw = "GET /ords/hr/t/?q={\"id\": 1} HTTP/1.1\r\nHost: h\r\n\r\n";
    for (head, body) in [
        ("Transfer-Encoding: chunked", "3\r\n{\"i\r\n5\r\nd\":2}\r\n0\r\n\r\n"),
        ("Content-Length: 8\r\nExpect: 100-continue", "{\"id\":3}"),
        ("Transfer-Encoding: chunked\r\nExpect: 100-continue", "8\r\n{\"id\":4}\r\n0\r\n\r\n"),
    ] {
        client.send(format!("{post}{head}\r\n\r\n{body}{raw}").as_bytes()).unwrap();
        let made = client.read_response(false).unwrap();
        let made = if made.status == 100 { client.read_response(false).unwrap() } else { made };
        assert_eq!(made.status, 201, "{head}: {made:?}");
        let page = client.read_response(false).unwrap();
        assert_eq!((page.status, &page.json()["count"]), (200, &1.into()), "{head}: {page:?}");
    }
}

/// Chunked bodies whose end others on the way may see elsewhere, each with a request hidden behind it.
#[test]
fn ambiguous_chunks_are_refused() {
    let (_database, app) = app();
    let post = "POST /ords/hr/t/ HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    let hidden = "DELETE /ords/hr/t/1 HTTP/1.1\r\nHost: h\r\n\r\n";
    let long = "x".repeat(17 << 10);
    for chunks in [
        "8\n{\"id\":7}\r\n0\r\n\r\n",
        "8;a\n{\"id\":7}\r\n0\r\n\r\n",
        "8;a\r;b\r\n{\"id\":7}\r\n0\r\n\r\n",
        "8 \r\n{\"id\":7}\r\n0\r\n\r\n",
        "0x8\r\n{\"id\":7}\r\n0\r\n\r\n",
        "8\r\n{\"id\":7}0\r\n\r\n",
        "8\r\n{\"id\":7}\n0\r\n\r\n",
        "8\r\n{\"id\":7}\r\n0\r\n\n",
        "8\r\n{\"id\":7}\r\n0\r\nA: b\n\r\n",
        "8\r\n{\"id\":7}\r\n0\r\nA: b\r\n c\r\n\r\n",
        "8\r\n{\"id\":7}\r\n0\r\nA: b\rc\r\n\r\n",
        "8\r\n{\"id\":7}\r\n0\r\nA b\r\n\r\n",
        "10000000000000008\r\n{\"id\":7}\r\n0\r\n\r\n",
        &format!("8;{long}\r\n{{\"id\":7}}\r\n0\r\n\r\n"),
        &format!("8\r\n{{\"id\":7}}\r\n0\r\nA: {long}\r\n\r\n"),
    ] {
        let mut client = Client::connect(app.url());
        client.send(format!("{post}{chunks}{hidden}").as_bytes()).unwrap();
        let refused = client.read_response(false).unwrap();
        let shown = &chunks[..chunks.len().min(60)];
        assert_eq!(refused.status, 400, "{shown:?}: {refused:?}");
        assert!(refused.text().contains("DUET-1006"), "{shown:?}: {refused:?}");
        assert!(client.read_response(false).is_err(), "the connection goes on behind {shown:?}");
    }
    let page = app.connect().get("/ords/hr/t/", &[]).json();
    assert_eq!(page["items"][0]["id"], 1, "a hidden request was carried out");
    assert_eq!(page["count"], 1, "a refused request has written");
}

/// Extensions of chunks and trailers have no meaning, and the request behind them is checked as any
/// other.
#[test]
fn extensions_of_chunks_and_trailers_are_ignored() {
    let (_database, app) = app();
    let mut client = Client::connect(app.url());
    let post = "POST /ords/hr/t/ HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n\
                Transfer-Encoding: chunked\r\nTrailer: If-Match\r\n\r\n";
    for (id, chunks) in [
        (2, "3;a=b;c=\"d\"\r\n{\"i\r\n5 ;x\r\nd\":2}\r\n0;last\r\n\r\n"),
        (3, "8\r\n{\"id\":3}\r\n0\r\nIf-Match: \"x\"\r\nContent-Length: 9\r\n\r\n"),
    ] {
        let raw = format!("GET /ords/hr/t/?q={{\"id\": {id}}} HTTP/1.1\r\nHost: h\r\n\r\n");
        client.send(format!("{post}{chunks}{raw}").as_bytes()).unwrap();
        let made = client.read_response(false).unwrap();
        assert_eq!(made.status, 201, "{chunks:?}: {made:?}");
        let page = client.read_response(false).unwrap();
        assert_eq!((page.status, &page.json()["count"]), (200, &1.into()), "{chunks:?}: {page:?}");
    }
    let bare = "GET /ords/hr/t/1 HTTP/1.1\r\nHost: h\n\r\n";
    let chunks = "8;a\r\n{\"id\":4}\r\n0\r\nA: b\r\n\r\n";
    client.send(format!("{post}{chunks}{bare}").as_bytes()).unwrap();
    assert_eq!(client.read_response(false).unwrap().status, 201);
    assert_eq!(client.read_response(false).unwrap().status, 400, "a bare line feed is taken");
}
