//! Infinities and NaN in columns of numbers: stored, ordered, filtered and paged alike on both stores.

use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    infinities_are_numbers
}

fn get(app: &App, query: &str) -> Value {
    let response = app.get(&format!("/ords/hr/m/?{query}"));
    assert_eq!(response.status, 200, "{query}: {}", response.text());
    response.json()
}

fn ids(page: &Value) -> Vec<i64> {
    page["items"].as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()).collect()
}

fn infinities_are_numbers(database: Database) {
    database.exec("CREATE TABLE m (id integer PRIMARY KEY, r double precision, d numeric)");
    let app = Setup::new(&database).with(|setup| setup.roles = vec!["duet.write"]).start();
    let bearer = app.bearer();
    let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
    for (id, value) in [
        (1, json!(1)),
        (2, json!("Infinity")),
        (3, json!("-Infinity")),
        (4, json!(-1e300)),
        (5, json!("NaN")),
        (6, json!(null)),
    ] {
        let body = json!({ "id": id, "r": value, "d": value }).to_string();
        let made = app.connect().request("POST", "/ords/hr/m/", &headers, body.as_bytes());
        assert_eq!((made.status, &made.json()["r"]), (201, &value), "{}", made.text());
        assert_eq!(app.get(&format!("/ords/hr/m/{id}")).json()["r"], value);
    }
    for column in ["r", "d"] {
        for (order, expected) in [("ASC", [3, 4, 1, 2, 5, 6]), ("DESC", [5, 2, 1, 4, 3, 6])] {
            let q = json!({ "$orderby": { column: order } }).to_string();
            let q = format!("q={}", percent_encode(&q));
            assert_eq!(ids(&get(&app, &q)), expected, "{column} {order}");
            // Pages by markers meet every row once, and end.
            let mut page = get(&app, &format!("after=&limit=1&{q}"));
            let mut found = Vec::new();
            for _ in 0..10 {
                found.extend(ids(&page));
                let links = page["links"].as_array().unwrap();
                let next = links.iter().find(|link| link["rel"] == "next");
                let Some(next) = next.and_then(|link| link["href"].as_str()) else { break };
                page = get(&app, next.split_once('?').unwrap().1);
            }
            assert_eq!(found, expected, "{column} {order}");
        }
    }
    for (filter, expected) in [
        (json!({ "r": { "$gt": 2 } }), vec![2, 5]),
        (json!({ "r": { "$lt": 0 } }), vec![3, 4]),
        (json!({ "r": "Infinity" }), vec![2]),
        (json!({ "r": { "$gte": "Infinity" } }), vec![2, 5]),
        (json!({ "r": "NaN" }), vec![5]),
        (json!({ "r": { "$in": ["-Infinity", "NaN"] } }), vec![3, 5]),
    ] {
        let q = percent_encode(&filter.to_string());
        assert_eq!(ids(&get(&app, &format!("q={q}"))), expected, "{filter}");
    }
}
