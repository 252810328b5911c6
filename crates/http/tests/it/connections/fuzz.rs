//! Bytes and queries at random: whatever comes, the server answers or hangs up, and lives.

use std::cell::RefCell;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::support::{App, Database, Setup, percent_encode};

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255), points numeric(8,2), founded timestamp);
INSERT INTO team VALUES (1, 'Red Bull', 7.5, '2005-03-06 00:00:00'), (301, 'Ferrari', NULL, NULL);
CREATE TABLE note (note_id varchar(40) NOT NULL PRIMARY KEY, done boolean);
INSERT INTO note VALUES ('a', NULL);
";

/// What makes a connection one of HTTP/2.
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n";

fn check<S: Strategy>(
    cases: u32,
    strategy: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    if let Err(error) = TestRunner::new(config).run(strategy, test) {
        panic!("{error}");
    }
}

fn alive(app: &App) -> Result<(), TestCaseError> {
    prop_assert_eq!(app.get("/ords/hr/team/301").status, 200);
    prop_assert_eq!(crate::support::server_panics(), 0);
    Ok(())
}

/// Pieces of which requests are made, whole and broken.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        2 => vec(any::<u8>(), 0..40),
        1 => Just(b"GET /ords/hr/team/301 HTTP/1.1\r\n".to_vec()),
        1 => Just(b"HEAD /ords/hr/team/?q={\"a\":1} HTTP/1.0\r\n".to_vec()),
        1 => Just(b"POST /oauth/token HTTP/1.1\r\n".to_vec()),
        2 => Just(b"\r\n".to_vec()),
        1 => Just(b"\r\n\r\n".to_vec()),
        1 => Just(b"Host: h\r\n".to_vec()),
        1 => Just(b"Content-Length: 5\r\n".to_vec()),
        1 => Just(b"Transfer-Encoding: chunked\r\n".to_vec()),
        1 => Just(b"Authorization: Bearer x\r\n".to_vec()),
        1 => Just(b"Expect: 100-continue\r\n".to_vec()),
        1 => Just(b"5\r\nabcde\r\n0\r\n\r\n".to_vec()),
        1 => Just([HTTP2, b"\r\nSM\r\n\r\n"].concat()),
    ]
}

#[test]
fn any_bytes() {
    let database = Database::sqlite();
    database.exec(TABLES);
    let app = Setup::new(&database).start();
    check(400, &vec(piece(), 0..12), |pieces| {
        let mut client = app.connect();
        let sent = pieces.concat();
        drop(client.send(&sent));
        drop(client.finish_sending());
        // Whatever is said begins like HTTP, with HTTP/2 by its frame SETTINGS (4); a connection may
        // also be reset.
        if let Ok(answer) = client.read_to_end() {
            let begins_well = match sent.starts_with(HTTP2) {
                true => answer.get(3) == Some(&4),
                false => answer.starts_with(b"HTTP/1."),
            };
            prop_assert!(answer.is_empty() || begins_well, "{answer:?}");
        }
        Ok(())
    });
    alive(&app).unwrap();
}

/// Filters that are nearly right, as text.
fn filter() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("team_id"),
        Just("name"),
        Just("points"),
        Just("founded"),
        Just("done"),
        Just("note_id"),
        Just("$and"),
        Just("$or"),
        Just("$not"),
        Just("$eq"),
        Just("$ne"),
        Just("$gt"),
        Just("$like"),
        Just("$ilike"),
        Just("$in"),
        Just("$nin"),
        Just("$between"),
        Just("$null"),
        Just("$notnull"),
        Just("$instr"),
        Just("$ninstr"),
        Just("$regex"),
        Just("$orderby"),
        Just("$asof"),
        Just("$date"),
        Just("$timestamp"),
    ];
    let value = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| if n.is_finite() { n.to_string() } else { "1e400".to_owned() }),
        ".{0,8}".prop_map(|text| serde_json::Value::from(text).to_string()),
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("\"2024-02-29T12:00:00Z\"".to_owned()),
        Just("\"desc\"".to_owned()),
        Just("\"%_\\\\\"".to_owned()),
        Just("{".to_owned()),
        Just("]".to_owned()),
    ];
    value.prop_recursive(6, 40, 5, move |inner| {
        prop_oneof![
            vec((word.clone(), inner.clone()), 0..4).prop_map(|members| {
                let members: Vec<_> =
                    members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
            vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
        ]
    })
}

fn query() -> impl Strategy<Value = String> {
    let pair = prop_oneof![
        4 => filter().prop_map(|q| format!("q={}", percent_encode(&q))),
        1 => any::<u64>().prop_map(|n| format!("limit={n}")),
        1 => any::<i64>().prop_map(|n| format!("offset={n}")),
        1 => "[a-z_,.]{0,20}".prop_map(|fields| format!("fields={fields}")),
        1 => prop_oneof![Just("name,points"), Just("name"), Just("founded,team_id")]
            .prop_map(|fields| format!("fields={fields}")),
        1 => "[A-Za-z0-9_%-]{0,20}".prop_map(|marker| format!("after={marker}")),
        1 => Just("after=".to_owned()),
        1 => Just("count=exact".to_owned()),
        1 => Just("count=estimated".to_owned()),
        1 => "[!$&-;=?-Z_a-z~%]{0,30}",
    ];
    vec(pair, 0..4).prop_map(|pairs| pairs.join("&"))
}

/// No query makes the server fail: it is answered, or refused as wrong.
fn any_query(database: Database) {
    database.exec(TABLES);
    let app = Setup::new(&database).start();
    let client = RefCell::new(app.connect());
    let bearer = app.bearer();
    let path = prop_oneof![
        Just("team/".to_owned()),
        Just("note/".to_owned()),
        Just("team/301".to_owned()),
        "[!$&-;=@-Z_a-z~%]{0,20}".prop_map(|key| format!("note/{key}")),
        "[!$&-;=@-Z_a-z~%]{0,20}".prop_map(|key| format!("team/{key}")),
        "[!$&-;=@-Z_a-z~%/]{0,20}",
        "[a-z/]{0,9}".prop_map(|rest| format!("metadata-catalog/{rest}")),
    ];
    check(600, &(path, query()), |(path, query)| {
        let target = format!("/ords/hr/{path}?{query}");
        let response = client.borrow_mut().get(&target, &[("Authorization", &bearer)]);
        prop_assert!([200, 400, 404].contains(&response.status), "{target} {response:?}");
        let body = response.json();
        if response.status == 200 {
            prop_assert!(body["links"].is_array(), "{target} {response:?}");
        } else {
            prop_assert!(body["errors"][0]["code"].is_string(), "{target} {response:?}");
        }
        Ok(())
    });
    alive(&app).unwrap();
}

crate::support::on_both_stores! { any_query }
