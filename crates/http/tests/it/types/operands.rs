//! Malformed operands for columns of every type of PostgreSQL: 400 with their place in `q`, whether
//! Duet knows the type or the database alone.

use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, percent_encode};

const TYPES: &str = include_str!("../../../../../golden/read/postgres-types/schema.sql");
const MORE: &str = "
    CREATE TABLE durations (id int PRIMARY KEY, span interval, uid uuid, free text, n int8range, days daterange,
        moments tstzrange, sets int4multirange);
    INSERT INTO durations (id, span, free) VALUES (1, '1 day', 'f');";

/// Texts that are no value of most types, or beyond the range of one.
const MALFORMED: [&str; 9] = [
    "???( bad",
    "",
    "[5,1)",
    "P99999999999999Y",
    "99999999999999999999999",
    "-1.5e99",
    "2022-02-30T25:61:00Z",
    "10.0.0.0.1/99",
    "{unclosed",
];

fn start(name: &str) -> (Database, App) {
    let database = Database::postgres(name);
    database.exec(TYPES);
    database.exec(MORE);
    let app = Setup::new(&database).with(|setup| setup.open = duet_auth::Open::All).start();
    (database, app)
}

/// The forms of a condition with an operand.
fn conditions(operand: &str) -> Vec<Value> {
    let mut all = vec![json!(operand)];
    for operator in ["$ne", "$lt", "$gte", "$overlaps", "$like", "$startsWith", "$text", "$regex"] {
        all.push(json!({ operator: operand }));
    }
    all.push(json!({ "$in": ["1", operand] }));
    all.push(json!({ "$between": [operand, operand] }));
    all.push(json!({ "$overlaps": { "from": operand, "to": 1 } }));
    all
}

/// An error has its place: in the condition, at an operand.
fn is_placed(response: &Response, q: &str, condition: &Value) {
    if response.status == 200 {
        return;
    }
    assert_eq!(response.status, 400, "{q}: {response:?}");
    let error = response.json()["errors"][0].clone();
    assert_eq!(error["parameter"], "q", "{q}: {error}");
    let at = usize::try_from(error["position"].as_u64().unwrap()).unwrap();
    let condition = q.find(&condition.to_string()).unwrap();
    assert!(at >= condition && at < q.len(), "{q}: {error}");
    assert!(q[at..].starts_with(['"', '[', '{']), "{q}: {error}");
}

#[test]
fn malformed_operands_have_their_place() {
    let (_database, app) = start("operands_of_types");
    let mut client = app.connect();
    let mut by_the_database = 0;
    for table in ["known", "passed_on", "hosts", "durations"] {
        let path = format!("/ords/hr/{table}/");
        let item = client.get(&path, &[]).json()["items"][0].clone();
        let columns = item.as_object().unwrap().keys().filter(|name| *name != "links");
        for column in columns {
            for condition in MALFORMED.iter().flat_map(|operand| conditions(operand)) {
                let q = format!("{{{}:{condition}}}", json!(column));
                let response = client.get(&format!("{path}?q={}", percent_encode(&q)), &[]);
                is_placed(&response, &q, &condition);
                by_the_database += usize::from(response.text().contains("DUET-6004"));
            }
        }
    }
    assert!(by_the_database >= 100, "{by_the_database} operands were left to the database");
}

/// Of several operands that the database reads, the malformed one; in every kind of request.
#[test]
fn the_operand_that_the_database_refuses_is_pointed_at() {
    let (_database, app) = start("operands_refused");
    let client = || app.connect();
    for (condition, wrong) in [
        (r#""n":{"$overlaps":"[1,5)"},"days":{"$overlaps":"[x,y)"}"#, r#""[x,y)"#),
        (r#""n":{"$overlaps":"[1,5)"},"days":{"$overlaps":{"from":"x"}}"#, r#"{"from"#),
        (r#""sets":{"$overlaps":"[5,1)"},"n":{"$overlaps":"[1,5)"}"#, r#""[5,1)"#),
        (r#""span":{"$in":["P1D","P99999999999999Y"]}"#, r#""P999"#),
    ] {
        let q = format!("{{\"id\":{{\"$gt\":0}},{condition}}}");
        let path = format!("/ords/hr/durations/?q={}", percent_encode(&q));
        let search = format!("{{\"q\":{q}}}");
        let json = [("Content-Type", "application/json")];
        let patch = [("Content-Type", "application/merge-patch+json")];
        for (kind, response) in [
            ("page", client().get(&path, &[])),
            ("total", client().get(&format!("{path}&count=exact"), &[])),
            ("stream", client().get(&path, &[("Accept", "application/x-ndjson")])),
            ("lines", client().get(&path, &[("Accept", "text/csv")])),
            (
                "search",
                client().request("POST", "/ords/hr/durations/search", &json, search.as_bytes()),
            ),
            ("patch", client().request("PATCH", &path, &patch, br#"{"free":"x"}"#)),
            ("delete", client().request("DELETE", &path, &[], b"")),
        ] {
            assert_eq!(response.status, 400, "{kind} {q}: {response:?}");
            let error = response.json()["errors"][0].clone();
            let position = q.find(wrong).unwrap();
            assert_eq!(
                (&error["parameter"], &error["position"]),
                (&json!("q"), &json!(position)),
                "{kind} {q}"
            );
        }
    }
    // What a body brings has no place in the filter.
    let path = format!("/ords/hr/durations/?q={}", percent_encode(r#"{"free":"f"}"#));
    let patch = [("Content-Type", "application/merge-patch+json")];
    let response = client().request("PATCH", &path, &patch, br#"{"n":"[5,1)"}"#);
    assert_eq!(response.status, 400, "{response:?}");
    assert_eq!(response.json()["errors"][0].get("parameter"), None, "{response:?}");
}
