//! Values of bulk loads beside those of single writes.

use super::batchload::{ARRAY, CSV, LINES, report, setup};
use crate::support::{Database, on_both_stores};

on_both_stores! {
    values_are_those_of_single_writes
    values_without_room_name_their_column
}

/// CSV, NDJSON and a PUT of the same value leave rows that differ in their key alone.
fn values_are_those_of_single_writes(database: Database) {
    let table = "CREATE TABLE it (id integer NOT NULL PRIMARY KEY, d decimal(10,2), w numeric(5,0), n numeric, j json);";
    let app = setup(&database, table).start();
    let mut id = 0;
    for (name, value) in [
        ("d", "1.555"),
        ("d", "-0.001"),
        ("d", "7"),
        ("w", "1.5"),
        ("n", "1.50"),
        ("n", "-0.0"),
        ("j", "null"),
        ("j", "{ \"a\": [1.50, null] }"),
        ("j", "-0.0"),
    ] {
        id += 3;
        let (csv, line, single) = (id, id + 1, id + 2);
        let field = value.replace('"', "\"\"");
        let text = format!("id,{name}\n{csv},\"{field}\"\n");
        assert_eq!(report(&app, "it/batchload", CSV, &text).1["rowsInError"], 0, "{name} {value}");
        let text = format!("{{\"id\":{line},\"{name}\":{value}}}");
        assert_eq!(
            report(&app, "it/batchload", LINES, &text).1["rowsInError"],
            0,
            "{name} {value}"
        );
        let body = format!("{{\"id\":{single},\"{name}\":{value}}}");
        let bearer = app.bearer();
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", ARRAY)];
        let target = format!("/ords/hr/it/{single}");
        let written = app.connect().request("PUT", &target, &headers, body.as_bytes());
        assert_eq!(written.status, 201, "{}", written.text());
        let shown = |id: i32| {
            let text = app.get(&format!("/ords/hr/it/{id}?fields={name}")).text().to_owned();
            text.split("\"links\"").next().unwrap_or_default().to_owned()
        };
        assert_eq!([shown(csv), shown(line)], [shown(single), shown(single)], "{name} {value}");
    }
    // A `null` is NULL, however it comes.
    let nulls = app.get("/ords/hr/it/?q=%7B%22id%22:%7B%22$between%22:%5B21,23%5D%7D,%22j%22:%7B%22$null%22:null%7D%7D");
    assert_eq!(nulls.json()["items"].as_array().map(Vec::len), Some(3), "{}", nulls.text());
}

/// However rows are written, also where they replace others.
fn values_without_room_name_their_column(database: Database) {
    let table = "CREATE TABLE it (id integer NOT NULL PRIMARY KEY, n integer, d decimal(3,1), v varchar(3), c char(2));";
    let app = setup(&database, table).start();
    for query in ["", "?upsert=true"] {
        let target = format!("it/batchload{query}");
        let lines =
            "{\"id\":1,\"n\":1,\"d\":12345}\n{\"id\":2,\"v\":\"abcd\"}\n{\"id\":3,\"c\":\"abc\"}\n";
        let (_, report) = report(&app, &target, LINES, lines);
        let fields: Vec<&str> = report["errors"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|one| one["field"].as_str())
            .collect();
        // SQLite has no lengths.
        let expected: &[&str] = if database.is_sqlite() { &["d"] } else { &["d", "v", "c"] };
        assert_eq!(fields, expected, "{query}: {report}");
    }
}
