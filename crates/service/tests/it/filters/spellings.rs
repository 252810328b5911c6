//! Filters on SQLite's columns whose values have several spellings: against their meaning by brute
//! force, whatever is stored, and by the plan that SQLite makes of them.

use std::collections::BTreeSet;

use duet_document::parse_timestamp;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;
use serde_json::json;

use crate::application::{Application, MOUNT, of_mount};
use crate::served::{Data, Kind, Served};
use duet_service::definition::Mount;

const TABLES: &str = "
    CREATE TABLE event (id INTEGER PRIMARY KEY, at TIMESTAMP, moment TIMESTAMP WITH TIME ZONE, uid UUID);
    CREATE INDEX by_at ON event (at);
    CREATE INDEX by_moment ON event (moment);
    CREATE INDEX by_uid ON event (uid);
    CREATE TABLE by_time (at TIMESTAMP NOT NULL PRIMARY KEY, n INTEGER);
    CREATE TABLE by_moment_key (moment TIMESTAMPTZ NOT NULL PRIMARY KEY, n INTEGER);";

fn serve() -> Served {
    let data = Data::empty(Kind::Sqlite, "spellings");
    data.exec(TABLES);
    let mount = Mount { path: MOUNT.into(), all_tables: true, ..Mount::default() };
    let application: Application = of_mount(mount);
    Served::over(data, &application)
}

/// Moments that lie so close that spellings with offsets sort among each other's, and the ends of the
/// years that can be spelled.
fn moment() -> impl Strategy<Value = String> {
    let near =
        (0..4_u32, select(vec![0, 1, 9, 12, 23]), select(vec![0, 30, 59]), select(vec![0, 59]))
            .prop_map(|(day, h, m, s)| format!("2022-03-{:02}T{h:02}:{m:02}:{s:02}", 19 + day));
    let far = select(vec!["0001-01-01T00:00:00", "9999-12-31T23:59:59", "2024-02-29T12:00:00"]);
    prop_oneof![8 => near, 1 => far.prop_map(str::to_owned)]
}

/// A text that means some moment.
fn spelled() -> impl Strategy<Value = String> {
    let clock = select(vec!["T", " ", "t"]);
    let fraction = select(vec!["", "", "", ".5", ".500", ".000001", ".1234567"]);
    let offset = select(vec![
        "", "", "Z", "z", "+00:00", "+02:00", "-15:59", "+15:59", "-0330", " +01:00", "+05",
    ]);
    (moment(), clock, fraction, offset, 0..8_u8).prop_map(
        |(moment, clock, fraction, offset, form)| {
            match form {
                0 => moment[..10].to_owned(),
                1 => format!("{}{clock}{}{offset}", &moment[..10], &moment[11..16]),
                // More seconds than a minute has.
                2 => format!("{}{clock}{}:99{offset}", &moment[..10], &moment[11..16]),
                _ => format!("{}{clock}{}{fraction}{offset}", &moment[..10], &moment[11..]),
            }
        },
    )
}

/// What a column of moments may hold.
fn stored_moment() -> impl Strategy<Value = Value> {
    let other = vec![
        Value::Null,
        Value::Integer(1_647_734_400),
        Value::Integer(701_049_600_000_000),
        Value::Real(2_459_658.5),
        Value::Blob(vec![0, 255]),
        Value::Text(String::new()),
        Value::Text("soon".into()),
        Value::Text("12/31/2020".into()),
        Value::Text("2022-02-30".into()),
        Value::Text("2022-03-20T00:00:00+20:00".into()),
        Value::Text("~".into()),
    ];
    prop_oneof![5 => spelled().prop_map(Value::Text), 1 => select(other)]
}

const UUIDS: [&str; 5] = [
    "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab",
    "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ac",
    "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    "00000000-0000-4000-8000-000000000001",
    "00000000-0000-4000-8000-00000000000f",
];

fn stored_uuid() -> impl Strategy<Value = Value> {
    let bytes = |uuid: &str| {
        let digits = uuid.replace('-', "");
        let pair = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
        Value::Blob((0..32).step_by(2).map(pair).collect())
    };
    let mixed = |(uuid, upper): (&str, u64)| {
        let case = |(at, char): (usize, char)| match upper >> at & 1 {
            1 => char.to_ascii_uppercase(),
            _ => char,
        };
        Value::Text(uuid.char_indices().map(case).collect())
    };
    let other =
        vec![Value::Null, Value::Integer(6), Value::Text("6F".into()), Value::Text("é".into())];
    prop_oneof![
        2 => select(&UUIDS[..]).prop_map(|uuid| Value::Text(uuid.into())),
        1 => select(&UUIDS[..]).prop_map(|uuid| Value::Text(uuid.to_uppercase())),
        3 => (select(&UUIDS[..]), any::<u64>()).prop_map(mixed),
        1 => select(&UUIDS[..]).prop_map(|uuid| Value::Text(uuid.replace('-', ""))),
        2 => select(&UUIDS[..]).prop_map(bytes),
        1 => select(other),
    ]
}

/// The microsecond that a text means, in UTC.
fn meaning(text: &str) -> Option<i64> {
    let (micros, east) = parse_timestamp(text)?;
    Some(micros - i64::from(east.unwrap_or(0)) * 1_000_000)
}

/// The UUID that a value means.
fn uuid_of(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.to_lowercase()),
        Value::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| digits.get(part));
            let parts: Option<Vec<&str>> = parts.into_iter().collect();
            parts.map(|parts| parts.join("-"))
        }
        _ => None,
    }
}

/// A filter on one field, and whether a stored value satisfies it.
#[derive(Clone, Debug)]
struct Asked {
    q: serde_json::Value,
    ids: BTreeSet<usize>,
}

const OPERATORS: [&str; 6] = ["$eq", "$ne", "$lt", "$lte", "$gt", "$gte"];

fn holds(operator: &str, value: Option<i64>, operand: i64) -> bool {
    // What is no moment is not equal to one, and neither before nor after it.
    let Some(value) = value else { return operator == "$ne" };
    match operator {
        "$eq" => value == operand,
        "$ne" => value != operand,
        "$lt" => value < operand,
        "$lte" => value <= operand,
        "$gt" => value > operand,
        _ => value >= operand,
    }
}

/// The filters of a field with these operands, each with the ids that it selects.
fn questions(field: &str, column: &[Value], operands: &[String]) -> Vec<Asked> {
    let micros: Vec<i64> = operands.iter().map(|text| meaning(text).unwrap()).collect();
    let stored: Vec<Option<i64>> = column
        .iter()
        .map(|value| if let Value::Text(text) = value { meaning(text) } else { None })
        .collect();
    let ids = |test: &dyn Fn(Option<i64>) -> bool| {
        let rows = column.iter().enumerate().filter(|(_, value)| **value != Value::Null);
        rows.filter(|(row, _)| test(stored[*row])).map(|(row, _)| row + 1).collect()
    };
    let mut asked = Vec::new();
    for (text, &operand) in operands.iter().zip(&micros) {
        for operator in OPERATORS {
            let test = json!({ operator: text });
            let holds = |value| holds(operator, value, operand);
            asked.push(Asked { q: json!({ field: test }), ids: ids(&holds) });
            asked.push(Asked { q: json!({ field: { "$not": test } }), ids: ids(&|it| !holds(it)) });
        }
        let up_to = |value: Option<i64>| value.is_some_and(|value| value <= operand);
        asked.push(Asked { q: json!({ field: { "$between": [null, text] } }), ids: ids(&up_to) });
    }
    let [first, second, ..] = micros[..] else { return asked };
    let within = |value: Option<i64>| value.is_some_and(|it| (first..=second).contains(&it));
    let pair = json!([operands[0], operands[1]]);
    asked.push(Asked { q: json!({ field: { "$between": pair } }), ids: ids(&within) });
    let one_of = |value: Option<i64>| value.is_some_and(|it| micros.contains(&it));
    asked.push(Asked { q: json!({ field: { "$in": operands } }), ids: ids(&one_of) });
    asked.push(Asked { q: json!({ field: { "$nin": operands } }), ids: ids(&|it| !one_of(it)) });
    asked
}

fn uuid_questions(column: &[Value]) -> Vec<Asked> {
    let ids = |test: &dyn Fn(&Value) -> bool| {
        let rows = column.iter().enumerate().filter(|(_, value)| **value != Value::Null);
        rows.filter(|(_, value)| test(value)).map(|(row, _)| row + 1).collect()
    };
    let one = |uuid: &&str| {
        let same = |value: &Value| uuid_of(value).as_deref() == Some(*uuid);
        [
            Asked { q: json!({ "uid": uuid.to_uppercase() }), ids: ids(&same) },
            Asked { q: json!({ "uid": { "$ne": uuid } }), ids: ids(&|value| !same(value)) },
            Asked {
                q: json!({ "uid": { "$not": { "$eq": uuid } } }),
                ids: ids(&|value| !same(value)),
            },
        ]
    };
    let any = |value: &Value| uuid_of(value).is_some_and(|it| UUIDS[..3].contains(&it.as_str()));
    let list = json!({ "uid": { "$in": &UUIDS[..3] } });
    UUIDS.iter().flat_map(one).chain([Asked { q: list, ids: ids(&any) }]).collect()
}

fn selected(served: &Served, q: &serde_json::Value) -> BTreeSet<usize> {
    let q: String = q.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect();
    let page = served.get(&format!("/t/event/?fields=id&limit=1000&q={q}")).json();
    let items = page["items"].as_array().unwrap_or_else(|| panic!("{page}"));
    items.iter().map(|item| item["id"].as_u64().unwrap() as usize).collect()
}

#[test]
fn filters_select_what_values_mean_however_they_are_stored() {
    let served = serve();
    let Data::Sqlite { connection, .. } = &served.data else { panic!("SQLite") };
    let row = (stored_moment(), stored_moment(), stored_uuid());
    let rows = prop::collection::vec(row, 1..40);
    let operands = prop::collection::vec(moment(), 3);
    let config = Config { cases: 24, failure_persistence: None, ..Config::default() };
    let check = |(rows, operands): (Vec<(Value, Value, Value)>, Vec<String>)| {
        connection.execute("DELETE FROM event", []).unwrap();
        for (at, (local, utc, uuid)) in rows.iter().enumerate() {
            let values = rusqlite::params![i64::try_from(at + 1).unwrap(), local, utc, uuid];
            connection.execute("INSERT INTO event VALUES (?1, ?2, ?3, ?4)", values).unwrap();
        }
        // As stored: a column of numbers turns a text that looks like one into one.
        let column = |name: &str| -> Vec<Value> {
            let mut statement =
                connection.prepare(&format!("SELECT {name} FROM event ORDER BY id")).unwrap();
            statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        let asked = questions("at", &column("at"), &operands)
            .into_iter()
            .chain(questions("moment", &column("moment"), &operands))
            .chain(uuid_questions(&column("uid")));
        for Asked { q, ids } in asked {
            let found = selected(&served, &q);
            prop_assert_eq!(&found, &ids, "{}", q);
        }
        Ok(())
    };
    // A number that is what the function gives for the second operand.
    let number = Value::Integer(meaning("2022-03-20T00:00:00").unwrap());
    let operands_of = ["2022-03-19T09:59:00", "2022-03-20T00:00:00", "2022-03-22T23:59:00"];
    check((vec![(number, Value::Null, Value::Null)], operands_of.map(str::to_owned).to_vec()))
        .unwrap();
    let outcome = TestRunner::new(config).run(&(rows, operands), check);
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// What SQLite says of how it runs the statements of a request.
fn plans(served: &Served, target: &str) -> String {
    let Data::Sqlite { connection, .. } = &served.data else { panic!("SQLite") };
    for name in ["duet_timestamp", "duet_earliest", "duet_latest", "duet_uuid"] {
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
        connection
            .create_scalar_function(name, 1, flags, |context| context.get::<Value>(0))
            .unwrap();
    }
    let explanation = served.service.explanation("GET", target).unwrap();
    let mut plan = String::new();
    for statement in &explanation.statements {
        let sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
        let mut prepared = connection.prepare(&sql).unwrap();
        // Unbound, all parameters are NULL: plans do not depend on them.
        let mut rows = prepared.raw_query();
        while let Some(row) = rows.next().unwrap() {
            plan.push_str(&format!("{}\n", row.get::<_, String>(3).unwrap()));
        }
    }
    plan
}

#[test]
fn an_index_narrows_what_is_looked_at() {
    let served = serve();
    let by = |q: serde_json::Value| {
        let q: String = q.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect();
        plans(&served, &format!("/t/event/?q={q}&count=exact"))
    };
    let day = "2022-03-20T00:00:00";
    for (test, expected) in [
        (json!(day), "by_at (at>? AND at<?)"),
        (json!({ "$gt": day }), "by_at (at>?)"),
        (json!({ "$lte": day }), "by_at (at>? AND at<?)"),
        (json!({ "$between": [day, day] }), "by_at (at>? AND at<?)"),
        (json!({ "$in": [day, "2024-02-29"] }), "by_at (at>? AND at<?)"),
    ] {
        let plan = by(json!({ "at": test }));
        assert!(plan.contains(expected), "{test}:\n{plan}");
        // Of half of the table, a page is read in its order sooner.
        assert!(expected == "by_at (at>?)" || !plan.contains("SCAN"), "{test}:\n{plan}");
    }
    for uuid in &UUIDS[..] {
        let plan = by(json!({ "uid": uuid }));
        assert!(plan.contains("by_uid (uid=?)") && !plan.contains("SCAN"), "{uuid}:\n{plan}");
    }
    let plan = plans(&served, "/t/by_time/2022-03-20T00:00:00");
    assert!(plan.contains("(at>? AND at<?)") && !plan.contains("SCAN"), "{plan}");
}

#[test]
fn a_key_of_moments_finds_every_spelling() {
    let served = serve();
    served.data.exec(
        "INSERT INTO by_moment_key VALUES ('2022-03-20 02:00+02:00', 1), ('2022-03-20T00:00:01Z', 2), ('9999-12-31', 3), ('soon', 4)",
    );
    for (key, n) in [
        ("2022-03-20T00:00:00Z", 1),
        ("2022-03-20T00:00:01Z", 2),
        ("2022-03-19T20:30:01-03:30", 2),
        ("9999-12-31T00:00:00Z", 3),
    ] {
        let item = served.get(&format!("/t/by_moment_key/{key}"));
        assert_eq!(item.json()["n"], n, "{key} {item:?}");
    }
    assert_eq!(served.get("/t/by_moment_key/2022-03-20T00:00:02Z").status, 404);
}
