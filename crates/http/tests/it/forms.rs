//! What clients send that is not in the book of forms: raw filters, arrays, whole numbers with a point,
//! members in capitals.

use std::fmt::Write as _;

use duet_testkit::http::{Client, Response};
use serde_json::json;

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    raw_filters_on_every_method
}

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL, points integer);
INSERT INTO team VALUES (1, 'Red Bull', 7), (2, 'A \"B\" <C>', 8), (301, 'Ferrari', 30);
";

fn start(database: &Database) -> App {
    database.exec(TABLES);
    Setup::new(database).with(|setup| setup.roles = vec!["duet.write", "duet.read"]).start()
}

/// A request line as it is, on a connection that may have had others.
fn raw(client: &mut Client, app: &App, line: &str, body: &str) -> Response {
    let mut text = format!("{line} HTTP/1.1\r\nHost: h\r\nAuthorization: {}\r\n", app.bearer());
    if !body.is_empty() {
        let length = body.len();
        let _ = write!(text, "Content-Type: application/json\r\nContent-Length: {length}\r\n");
    }
    let _ = write!(text, "\r\n{body}");
    client.send(text.as_bytes()).unwrap();
    client.read_response(line.starts_with("HEAD")).unwrap()
}

/// All on one connection, also behind bodies.
fn raw_filters_on_every_method(database: Database) {
    let app = start(&database);
    let mut client = app.connect();
    for _ in 0..2 {
        for (line, body, expected) in [
            ("PATCH /ords/hr/team/?q={\"name\": \"Red Bull\"}", r#"{"points":1}"#, "rowsUpdated"),
            (
                "PATCH /ords/hr/team/?q={\"name\":{\"$like\":\"Red%\"}}",
                r#"{"points":1}"#,
                "rowsUpdated",
            ),
            ("DELETE /ords/hr/team/?q={\"points\": {\"$gt\":9}}", "", "rowsDeleted"),
            ("POST /ords/hr/team/", r#"{"team_id":301,"name":"Ferrari","points":30}"#, "Ferrari"),
            ("GET /ords/hr/team/?q={\"name\":\"A%20\\\"B\\\" <C>\"}&limit=1", "", "\"points\":8"),
        ] {
            let answer = raw(&mut client, &app, line, body);
            assert!(answer.status < 300, "{line} {answer:?}");
            assert!(answer.text().contains(expected), "{line} {answer:?}");
            if expected.starts_with("rows") {
                assert_eq!(answer.json()[expected], json!(1), "{line}");
            }
        }
        let head = raw(&mut client, &app, "HEAD /ords/hr/team/?q={\"name\": \"Red Bull\"}", "");
        assert_eq!(head.status, 200);
    }
    // A blank in the path is no filter.
    assert_eq!(raw(&mut client, &app, "GET /ords/hr/team x", "").status, 400);
}
