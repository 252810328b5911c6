//! Orders by timestamps of SQLite that a `CHECK` keeps in one form: by the text, so that an index serves
//! them, with the same pages as by the function.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use crate::application::{Application, MOUNT, of_mount};
use crate::served::{Data, Kind, Served};
use duet_service::definition::Mount;

/// Three tables of the same rows: with the condition that explain proposes, the same without an index,
/// and without a condition.
const TABLES: &str = "
    CREATE TABLE kept (id INTEGER PRIMARY KEY, at TIMESTAMP NOT NULL, other TIMESTAMP NOT NULL, CONSTRAINT kept_at CHECK ({}));
    CREATE INDEX kept_by_at ON kept (at);
    CREATE INDEX kept_by_other ON kept (other);
    CREATE TABLE bare (id INTEGER PRIMARY KEY, at TIMESTAMP NOT NULL CHECK ({}));
    CREATE TABLE loose (id INTEGER PRIMARY KEY, at TIMESTAMP NOT NULL);
    CREATE INDEX loose_by_at ON loose (at);
    CREATE VIEW shown AS SELECT id, at FROM kept;";

const CHECK: &str = "\"at\" IS strftime('%Y-%m-%dT%H:%M:%S', substr(\"at\", 1, 19)) || \
                     rtrim(rtrim(substr(printf('%.6f', '0' || substr(\"at\", 20)), 2), '0'), '.')";

fn data() -> Data {
    let data = Data::empty(Kind::Sqlite, "text-order");
    data.exec(&TABLES.replace("{}", CHECK));
    data
}

fn application() -> Application {
    of_mount(Mount { path: MOUNT.into(), all_tables: true, ..Mount::default() })
}

fn serve() -> Served {
    Served::over(data(), &application())
}

fn target(table: &str, q: &serde_json::Value) -> String {
    let q: String = q.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("/t/{table}/?q={q}&fields=id,at&after=&limit=3")
}

/// The rows of all pages.
fn pages(served: &Served, target: &str) -> Vec<(u64, String)> {
    let mut rows = Vec::new();
    let mut target = target.to_owned();
    loop {
        let page = served.get(&target).json();
        let items = page["items"].as_array().unwrap_or_else(|| panic!("{page}"));
        let row = |item: &serde_json::Value| {
            (item["id"].as_u64().unwrap(), item["at"].as_str().unwrap().to_owned())
        };
        rows.extend(items.iter().map(row));
        let next = page["links"].as_array().unwrap().iter().find(|link| link["rel"] == "next");
        let Some(next) = next else { return rows };
        target = next["href"].as_str().unwrap().replace("http://localhost", "");
    }
}

/// Moments with many equal ones, and with fractions that are the beginnings of others.
fn moment() -> impl Strategy<Value = String> {
    let second = select(vec!["09:59:59", "10:00:00", "10:00:01"]);
    let fraction = select(vec!["", "", ".000001", ".2", ".25", ".5", ".50001", ".999999"]);
    (second, fraction).prop_map(|(second, fraction)| format!("2022-03-20T{second}{fraction}"))
}

#[test]
fn pages_are_those_of_the_function() {
    let served = serve();
    let Data::Sqlite { connection, .. } = &served.data else { panic!("SQLite") };
    let config = Config { cases: 16, failure_persistence: None, ..Config::default() };
    let check = |moments: Vec<String>| {
        connection.execute_batch("DELETE FROM kept; DELETE FROM loose").unwrap();
        for (id, at) in moments.iter().enumerate() {
            let id = i64::try_from(id + 1).unwrap();
            connection.execute("INSERT INTO kept VALUES (?1, ?2, ?2)", (id, at)).unwrap();
            connection.execute("INSERT INTO loose VALUES (?1, ?2)", (id, at)).unwrap();
        }
        for order in [json!({ "at": 1 }), json!({ "at": -1 }), json!({ "at": -1, "id": -1 })] {
            let q = json!({ "$orderby": order });
            let [kept, loose] = ["kept", "loose"].map(|table| pages(&served, &target(table, &q)));
            let ids: BTreeSet<_> = kept.iter().map(|(id, _)| id).collect();
            prop_assert_eq!(ids.len(), moments.len(), "{}", q);
            prop_assert_eq!(kept, loose, "{}", q);
        }
        Ok(())
    };
    let outcome = TestRunner::new(config).run(&prop::collection::vec(moment(), 1..25), check);
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// What SQLite says of how it runs a page, and what Duet says of its indexes.
fn explained(served: &Served, target: &str) -> (String, String) {
    let Data::Sqlite { connection, .. } = &served.data else { panic!("SQLite") };
    let explanation = served.service.explanation("GET", target).unwrap();
    let sql = format!("EXPLAIN QUERY PLAN {}", explanation.statements[0].sql);
    let mut prepared = connection.prepare(&sql).unwrap();
    let mut rows = prepared.raw_query();
    let mut plan = String::new();
    while let Some(row) = rows.next().unwrap() {
        plan.push_str(&format!("{}\n", row.get::<_, String>(3).unwrap()));
    }
    (plan, explanation.indexes.join("\n"))
}

#[test]
fn an_index_serves_the_order() {
    let served = serve();
    served.data.exec(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
         INSERT INTO kept SELECT i, strftime('%Y-%m-%dT%H:%M:%S', 1e9 + i / 2, 'unixepoch'), '' FROM n",
    );
    for (order, reads) in [
        (json!({ "at": 1 }), "INDEX kept_by_at"),
        (json!({ "at": -1, "id": -1 }), "INDEX kept_by_at"),
    ] {
        let first = target("kept", &json!({ "$orderby": order }));
        let next = served.get(&first).json()["links"][3]["href"].as_str().unwrap().to_owned();
        for page in [&first, &next] {
            let (plan, indexes) = explained(&served, page);
            assert!(plan.contains(reads) && !plan.contains("TEMP B-TREE"), "{page}:\n{plan}");
            assert!(indexes.ends_with(": index kept_by_at"), "{indexes}");
        }
    }
    // Ids go the other way: equal points alone are sorted, and a page begins at its marker.
    let first = target("kept", &json!({ "$orderby": { "at": -1 } }));
    let (plan, indexes) = explained(&served, &first);
    assert!(plan.contains("SCAN t0 USING COVERING INDEX kept_by_at"), "{plan}");
    assert!(plan.contains("USE TEMP B-TREE FOR LAST TERM OF ORDER BY"), "{plan}");
    assert_eq!(indexes, "order by t0.at descending: index kept_by_at");
    let next = served.get(&first).json()["links"][3]["href"].as_str().unwrap().to_owned();
    let (plan, _) = explained(&served, &next);
    assert!(plan.contains("SEARCH t0 USING COVERING INDEX kept_by_at (at<?)"), "{plan}");
}

#[test]
fn explain_says_what_to_declare() {
    let served = serve();
    let Data::Sqlite { connection, .. } = &served.data else { panic!("SQLite") };
    let flags = rusqlite::functions::FunctionFlags::SQLITE_UTF8;
    connection.create_scalar_function("duet_timestamp", 1, flags, |_| Ok(0)).unwrap();
    let said = |table: &str, column: &str| {
        let q = json!({ "$orderby": { column: 1 } });
        explained(&served, &target(table, &q).replace("&after=", "")).1
    };
    let by_function = "no index: values of this type are ordered by a function";
    assert_eq!(
        said("loose", "at"),
        format!("order by t0.at: {by_function}, unless the column has CHECK ({CHECK})")
    );
    // The condition of one column says nothing of another, and no view has one.
    let other = CHECK.replace("\"at\"", "\"other\"");
    assert!(said("kept", "other").ends_with(&format!("CHECK ({other})")));
    assert_eq!(said("shown", "at"), format!("order by t0.at, t0.id: {by_function}"));
    let declare = "no index; declare CREATE INDEX \"main\".\"bare_at_idx\" ON \"bare\" (\"at\")";
    assert_eq!(said("bare", "at"), format!("order by t0.at: {declare}"));
}

#[test]
fn writes_store_the_form_that_the_condition_wants() {
    let served = Served::over_open(data(), &application());
    for (id, given, stored) in [
        (1, "2022-03-20 10:00", "2022-03-20T10:00:00"),
        (2, "2022-03-20T10:00:00.1230+01:00", "2022-03-20T09:00:00.123"),
        (3, "2022-03-20T10:00:00.000001Z", "2022-03-20T10:00:00.000001"),
    ] {
        let body = json!({ "id": id, "at": given }).to_string();
        let target = format!("/t/bare/{id}");
        let headers = [("Content-Type", "application/json")];
        let written = served.ask("PUT", &target, &headers, body.as_bytes());
        assert_eq!((written.status, &written.json()["at"]), (201, &json!(stored)), "{written:?}");
    }
}
