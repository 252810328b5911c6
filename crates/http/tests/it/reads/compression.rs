//! Content codings: the same text for every client, with the etags and conditions that belong to it.

use std::io::Read;

use duet_testkit::http::Response;
use flate2::read::GzDecoder;

use crate::support::{App, Database, Setup, eventually, on_both_stores};

on_both_stores! {
    pages_are_the_same_text
    conditions_of_compressed_answers
    streams_are_the_same_lines
    what_stays_as_it_is
}

const ROWS: usize = 600;

fn start(database: &Database) -> App {
    started(database, |_| {})
}

fn started(database: &Database, change: impl FnOnce(&mut Setup)) -> App {
    database.exec(
        "CREATE TABLE note (note_id integer NOT NULL PRIMARY KEY, body varchar(9000) NOT NULL)",
    );
    let rows: Vec<String> =
        (1..=ROWS).map(|id| format!("({id}, 'a note of some length, number {id}')")).collect();
    database.exec(&format!("INSERT INTO note VALUES {}", rows.join(", ")));
    database.exec(&format!("INSERT INTO note VALUES (1000, '{}')", "long ".repeat(1_700)));
    let setup = Setup::new(database).with(|setup| setup.roles = vec!["duet.write", "duet.admin"]);
    setup.with(change).start()
}

fn decoded(response: &Response) -> Vec<u8> {
    let mut plain = Vec::new();
    match response.header("content-encoding") {
        Some("gzip") => drop(GzDecoder::new(&response.body[..]).read_to_end(&mut plain).unwrap()),
        Some("zstd") => plain = zstd::stream::decode_all(&response.body[..]).unwrap(),
        None => plain.clone_from(&response.body),
        other => panic!("{other:?}"),
    }
    plain
}

/// The coding that an answer has.
fn coding(app: &App, path: &str, accept: &str) -> Option<String> {
    let answer = app.get_with(path, &[("Accept-Encoding", accept)]);
    answer.header("content-encoding").map(str::to_owned)
}

const PAGE: &str = "/ords/hr/note/?limit=200";

fn pages_are_the_same_text(database: Database) {
    let app = start(&database);
    let paths = [
        PAGE,
        // Compressed beside the event loop.
        "/ords/hr/note/?limit=600",
        "/ords/hr/note/1000",
        "/ords/hr/open-api-catalog/",
        "/ords/hr/metadata-catalog/note/schema",
    ];
    for path in paths {
        let plain = app.get(path);
        assert_eq!((plain.status, plain.header("content-encoding")), (200, None), "{path}");
        let large = plain.body.len() > 4_096;
        let varies = plain.header("vary").unwrap().contains("Accept-Encoding");
        assert_eq!(varies, large, "{path}: {plain:?}");
        for coding in ["gzip", "zstd"] {
            let coded = app.get_with(path, &[("Accept-Encoding", coding)]);
            assert_eq!(coded.header("content-encoding"), large.then_some(coding), "{path}");
            assert_eq!(decoded(&coded), plain.body, "{path}");
            assert_eq!(coded.header("vary"), plain.header("vary"), "{path}");
            if large {
                assert!(coded.body.len() < plain.body.len(), "{path}");
                let length = coded.header("content-length").unwrap();
                assert_eq!(length, coded.body.len().to_string(), "{path}");
                let etag = plain.header("etag").unwrap().trim_end_matches('"');
                assert_eq!(coded.header("etag").unwrap(), format!("{etag}-{coding}\""), "{path}");
            }
            let bearer = app.bearer();
            let headers = [("Authorization", &*bearer), ("Accept-Encoding", coding)];
            let head = app.connect().request("HEAD", path, &headers, b"");
            for name in ["content-encoding", "etag", "vary", "content-type"] {
                assert_eq!(head.header(name), coded.header(name), "{name} of {path}");
            }
        }
    }
    for (accept, expected) in [
        ("gzip, deflate, br, zstd", Some("zstd")),
        ("gzip;q=1, zstd;q=0.5", Some("gzip")),
        ("gzip;q=0.5, identity", None),
        ("gzip;q=0", None),
        ("br", None),
        ("identity;q=0", None),
        ("gzip, identity;q=0", Some("gzip")),
        ("*", Some("zstd")),
    ] {
        assert_eq!(coding(&app, PAGE, accept).as_deref(), expected, "{accept}");
    }
    let metrics = app.get("/metrics").text().to_owned();
    let metric = |name: &str| -> u64 {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse().unwrap()
    };
    let read = metric("duet_compression_read_bytes_total ");
    let written = metric("duet_compression_written_bytes_total ");
    assert!(0 < written && written < read, "{read} {written}");
}

fn conditions_of_compressed_answers(database: Database) {
    let app = start(&database);
    let bearer = app.bearer();
    let path = "/ords/hr/note/1000";
    for of in [path, PAGE] {
        let coded = app.get_with(of, &[("Accept-Encoding", "zstd")]);
        let etag = coded.header("etag").unwrap();
        for tags in [etag.to_owned(), format!("\"x\", W/{etag}")] {
            let headers = [("Accept-Encoding", "zstd"), ("If-None-Match", &*tags)];
            let known = app.get_with(of, &headers);
            assert_eq!((known.status, known.header("etag")), (304, Some(etag)), "{known:?}");
            assert!(known.header("vary").unwrap().contains("Accept-Encoding"), "{known:?}");
            assert!(known.body.is_empty() && known.header("content-encoding").is_none());
        }
        // A client that has another form of the same state knows it too.
        let plain = app.get(of).header("etag").unwrap().to_owned();
        let known = app.get_with(of, &[("Accept-Encoding", "zstd"), ("If-None-Match", &plain)]);
        assert_eq!((known.status, known.header("etag")), (304, Some(&*plain)), "{known:?}");
    }
    let write = |etag: &str| {
        let headers =
            [("Authorization", &*bearer), ("Content-Type", "application/json"), ("If-Match", etag)];
        app.connect().request("PATCH", path, &headers, br#"{"body":"short"}"#)
    };
    let coded = app.get_with(path, &[("Accept-Encoding", "gzip")]);
    let etag = coded.header("etag").unwrap();
    assert!(etag.ends_with("-gzip\""), "{etag}");
    assert_eq!(write("\"00000000000000000000000000000000-gzip\"").status, 412);
    assert_eq!(write(etag).status, 200);
    assert_eq!(write(etag).status, 412, "it has changed");
}

fn streams_are_the_same_lines(database: Database) {
    let app = start(&database);
    for accept in ["application/x-ndjson", "text/csv"] {
        for (limit, path) in [(2, "/ords/hr/note/?limit=2"), (ROWS, "/ords/hr/note/")] {
            let plain = app.get_with(path, &[("Accept", accept)]);
            assert!(plain.header("vary").unwrap().contains("Accept-Encoding"), "{plain:?}");
            assert!(plain.text().lines().count() >= limit);
            for coding in ["gzip", "zstd"] {
                let headers = [("Accept", accept), ("Accept-Encoding", coding)];
                let coded = app.get_with(path, &headers);
                assert_eq!(coded.header("content-encoding"), Some(coding));
                assert_eq!(coded.header("content-length"), None);
                assert_eq!(decoded(&coded), plain.body, "{coding} of {path}");
            }
        }
    }
    eventually("the streams have ended", || {
        app.get("/metrics").text().contains("duet_streams_broken_total 0")
    });
}

fn what_stays_as_it_is(database: Database) {
    let app = start(&database);
    let all = "gzip, zstd";
    // Small answers, and errors.
    for path in ["/ords/hr/note/1", "/ords/hr/note/?limit=1", "/ords/hr/nothing"] {
        let answer = app.get_with(path, &[("Accept-Encoding", all)]);
        assert_eq!(answer.header("content-encoding"), None, "{answer:?}");
        let vary = answer.header("vary").unwrap_or_default();
        assert!(!vary.contains("Accept-Encoding"), "{answer:?}");
    }
    // A small one for a client that takes nothing else.
    let forced = "zstd, identity;q=0";
    let small = app.get_with("/ords/hr/note/?limit=1", &[("Accept-Encoding", forced)]);
    assert_eq!(small.header("content-encoding"), Some("zstd"));
    assert_eq!(decoded(&small), app.get("/ords/hr/note/?limit=1").body);
    // Tokens, whatever the client takes.
    let form =
        format!("grant_type=client_credentials&client_id={}&client_secret={}", app.id, app.secret);
    let kind = ("Content-Type", "application/x-www-form-urlencoded");
    let headers = [kind, ("Accept-Encoding", forced)];
    let token = app.connect().request("POST", "/oauth/token", &headers, form.as_bytes());
    assert_eq!((token.status, token.header("content-encoding")), (200, None), "{token:?}");
    assert!(token.json()["access_token"].is_string());
}

#[test]
fn off_compresses_nothing() {
    let database = Database::sqlite();
    let app = started(&database, |setup| setup.options.compress_above = None);
    assert_eq!(coding(&app, PAGE, "gzip, identity;q=0"), None);
    assert!(!app.get(PAGE).header("vary").unwrap().contains("Accept-Encoding"));
}
