//! Bulk loads: what comes in, what is refused and why, what stays when a load is stopped.

use duet_testkit::http::{Client, Response};
use serde_json::{Value, json};

use crate::support::{
    App, Database, Setup, Source, eventually, on_both_stores, on_distributed_tables,
};

on_both_stores! {
    csv
    json_forms
    every_type
    refused_rows
    a_few_among_many
    as_if_one_by_one
    where_rows_cannot_be_looked_up
    stopped
    all_or_nothing
    upsert
    cleared_first
    self_references
    generated_and_defaults
    wrong_requests
    rights
    a_client_that_goes_away
    others_write_meanwhile
    others_write_while_one_transaction_arrives
    loads_are_shared_between_clients
    a_load_waits_no_longer_than_a_request
    limits
    rules_at_the_end
    dry_runs
    documents
    documents_that_are_refused
}

on_distributed_tables! {
    csv
    json_forms
    every_type
    refused_rows
    a_few_among_many
    as_if_one_by_one
    where_rows_cannot_be_looked_up
    stopped
    all_or_nothing
    upsert
    cleared_first
    self_references
    generated_and_defaults
    wrong_requests
    rights
    a_client_that_goes_away
    others_write_meanwhile
    others_write_while_one_transaction_arrives
    loads_are_shared_between_clients
    a_load_waits_no_longer_than_a_request
    limits
    rules_at_the_end
    dry_runs
    documents
    documents_that_are_refused
}

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL UNIQUE);
INSERT INTO team VALUES (1, 'Red Bull'), (2, 'Ferrari');
CREATE TABLE driver (
  driver_id integer NOT NULL PRIMARY KEY,
  name varchar(20) NOT NULL,
  points integer DEFAULT 7 CHECK (points >= 0),
  born date,
  team_id integer,
  FOREIGN KEY (team_id) REFERENCES team (team_id)
);
";

pub(super) fn setup(database: &Database, more: &str) -> Setup {
    database.exec(TABLES);
    database.exec(more);
    Setup::new(database).with(|setup| setup.roles = vec!["duet.write"])
}

fn start(database: &Database) -> App {
    setup(database, "").start()
}

pub(super) const CSV: &str = "text/csv";
pub(super) const ARRAY: &str = "application/json";
pub(super) const LINES: &str = "application/x-ndjson";

fn load(app: &App, target: &str, media: &str, body: &str) -> Response {
    load_with(app, target, &[("Content-Type", media)], body)
}

fn load_with(app: &App, target: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let bearer = app.bearer();
    let mut all = vec![("Authorization", bearer.as_str())];
    all.extend_from_slice(headers);
    app.connect().request("POST", &format!("/ords/hr/{target}"), &all, body.as_bytes())
}

/// The report as JSON, and the status.
pub(super) fn report(app: &App, target: &str, media: &str, body: &str) -> (u16, Value) {
    let headers = [("Content-Type", media), ("Accept", "application/json")];
    let response = load_with(app, target, &headers, body);
    (response.status, response.json())
}

/// Rows of a table without their links, ordered by key.
fn rows(app: &App, table: &str) -> Vec<Value> {
    let page = app.get(&format!("/ords/hr/{table}/?limit=10000")).json();
    let strip = |mut row: Value| {
        row.as_object_mut().unwrap().remove("links");
        row
    };
    page["items"].as_array().unwrap().iter().cloned().map(strip).collect()
}

fn count(app: &App, table: &str) -> u64 {
    app.get(&format!("/ords/hr/{table}/?limit=1&count=exact")).json()["total"].as_u64().unwrap()
}

fn csv(database: Database) {
    let app = start(&database);
    let body = "\u{feff}Driver_Id,name,BORN,team_id\r\n\
                1,\"Verstappen, Max\",1997-09-30,1\r\n\
                2,\"two\r\nlines \"\"quoted\"\"\",,2\r\n\
                3,Ü,1990-01-26,\r\n";
    let response = load(&app, "driver/batchload", CSV, body);
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(response.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(
        response.text(),
        "#INFO Number of rows processed: 3\n\
         #INFO Number of rows in error: 0\n\
         #INFO Last row processed in final committed batch: 3\n\
         SUCCESS: Processed without errors\n"
    );
    let expected = [
        json!({"driver_id": 1, "name": "Verstappen, Max", "points": 7, "born": "1997-09-30", "team_id": 1}),
        json!({"driver_id": 2, "name": "two\r\nlines \"quoted\"", "points": 7, "born": null, "team_id": 2}),
        json!({"driver_id": 3, "name": "Ü", "points": 7, "born": "1990-01-26", "team_id": null}),
    ];
    assert_eq!(rows(&app, "driver"), expected);
    let query = "delimiter=%3B&enclosures=%27&dateFormat=DD.MM.YYYY&lineEnd=lf";
    let body = "driver_id;name;born\n4;'a;b';20.3.2022\n";
    let response = load(&app, &format!("driver/batchload?{query}"), CSV, body);
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(rows(&app, "driver")[3]["born"], "2022-03-20");
    // Nothing but the first line.
    let response = load(&app, "driver/batchload", CSV, "driver_id,name");
    assert!(response.text().contains("#INFO No rows committed\nSUCCESS"), "{response:?}");
}

fn json_forms(database: Database) {
    let app = start(&database);
    let objects = |first: u64| {
        [
            json!({"driver_id": first, "name": "a", "points": 1}),
            json!({"name": "b", "driver_id": first + 1}),
            json!({"driver_id": first + 2, "name": "c", "points": null, "born": "2022-03-20T00:00:00Z"}),
        ]
    };
    let array = Value::from(objects(1).to_vec()).to_string();
    assert_eq!(load(&app, "driver/batchload/", ARRAY, &array).status, 200);
    let lines: Vec<String> = objects(4).iter().map(Value::to_string).collect();
    assert_eq!(load(&app, "driver/batchload", LINES, &lines.join("\n")).status, 200);
    let found: Vec<(u64, Value, Value)> = rows(&app, "driver")
        .into_iter()
        .map(|row| (row["driver_id"].as_u64().unwrap(), row["points"].clone(), row["born"].clone()))
        .collect();
    let day = json!("2022-03-20");
    let expected = |first: u64| {
        [
            (first, json!(1), json!(null)),
            (first + 1, json!(7), json!(null)),
            (first + 2, json!(null), day.clone()),
        ]
    };
    assert_eq!(found, [expected(1), expected(4)].concat());
    let response = load(&app, "driver/batchload", ARRAY, " [ ] ");
    assert_eq!((response.status, response.text().lines().count()), (200, 4));
}

/// What is loaded is read as it would be had it been written by SQL.
fn every_type(database: Database) {
    let binary = if database.is_sqlite() { "blob" } else { "bytea" };
    let table = format!(
        "CREATE TABLE it (id integer NOT NULL PRIMARY KEY, b boolean, i bigint, d numeric(20,2),
         f double precision, t text, y date, h time, s timestamp, z timestamp with time zone,
         u uuid, j json, x {binary});"
    );
    let app = setup(&database, &table).start();
    let csv = "id,b,i,d,f,t,y,h,s,z,u,j,x\n\
        1,true,9007199254740993,12.5,0.1,\"a\\tb\\\\\",2022-03-20,01:37:33.584,2022-03-20 10:00:00+02:00,\
        2022-03-20T10:00:00+02:00,6F2C1D1E-5A0B-4C3D-9E8F-0123456789AB,\"{\"\"a\"\": [1.50, null]}\",AP8=\n\
        2,,,,,,,,,,,,\n\
        3,f,-1,-9007199254740993.0,NaN,\"\",0001-01-01,00:00:00,9999-12-31T23:59:59.999999,1970-01-01,\
        6f2c1d1e5a0b4c3d9e8f0123456789ab,null,\n";
    let (status, said) = report(&app, "it/batchload", CSV, csv);
    assert_eq!((status, &said["rowsInError"]), (200, &json!(0)), "{said}");
    let loaded = rows(&app, "it");
    let expected = r#"{"id":1,"b":true,"i":9007199254740993,"d":12.50,"f":0.1,"t":"a\\tb\\\\",
        "y":"2022-03-20","h":"01:37:33.584","s":"2022-03-20T08:00:00","z":"2022-03-20T08:00:00Z",
        "u":"6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab","j":{"a":[1.50,null]},"x":"AP8="}"#;
    assert_eq!(loaded[0], serde_json::from_str::<Value>(expected).unwrap());
    assert!(
        loaded[1].as_object().unwrap().iter().all(|(name, value)| name == "id" || value.is_null())
    );
    assert_eq!(loaded[2]["f"], "NaN");
    assert!(app.get("/ords/hr/it/3").text().contains("\"d\":-9007199254740993.00,"));
    assert_eq!(loaded[2]["t"], "");
    // The same again as JSON, replacing: by arrays on PostgreSQL.
    let body = Value::from(loaded.clone()).to_string();
    let (status, said) = report(&app, "it/batchload?upsert=true", ARRAY, &body);
    assert_eq!((status, &said["rowsInError"]), (200, &json!(0)), "{said}");
    assert_eq!(rows(&app, "it"), loaded);
}

const BAD: &str = "driver_id,name,points,born,team_id
1,a,x,,1
2,b,1,,1
2,c,1,,1
3,,1,,1
4,d,-1,,1
5,e,1,,99
6,f,1,2022-13-01,1
7,g,1,,1,1
8,h,1,,2
9,i,99999999999,,
x,j,1,,
";

/// The same report from both stores: by whichever side finds the mistake.
fn refused_rows(database: Database) {
    let app = start(&database);
    let (status, said) = report(&app, "driver/batchload", CSV, BAD);
    let errors: Vec<String> = said["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| {
            let text = |name: &str| error[name].as_str().unwrap_or("-").to_owned();
            let place = format!("{}@{}", error["row"], error["line"]);
            format!("{place} {} {} {}", text("field"), text("code"), text("message"))
        })
        .collect();
    let mut expected = vec![
        "1@2 points DUET-7005 `points` is INTEGER and must be a whole number, not `x`.",
        "3@4 driver_id DUET-7101 A row with this `driver_id` exists already. Change the value, leave the row out, or let rows replace others by their key with upsert=true.",
        "4@5 name DUET-7004 `name` is required. Give it a value.",
        "5@6 points DUET-7103 `points` breaks a rule of the table. Correct the value.",
        "6@7 team_id DUET-7102 `team_id` refers to a row that does not exist. Load that row first, or correct it.",
        "7@8 born DUET-7005 `born` is DATE and must be a date such as 2022-03-20, without a time other than midnight UTC, not `2022-13-01`.",
        "8@9 - DUET-7204 The line has 6 fields, the first line names 5 columns. Enclose fields that contain a delimiter or a line end.",
        "10@11 points DUET-7005 `points` is INTEGER and must be a whole number of 32 bits, not `99999999999`.",
        "11@12 driver_id DUET-7005 `driver_id` is INTEGER and must be a whole number, not `x`.",
    ];
    if database.is_sqlite() {
        // SQLite does not say which reference broke, and its integers have 64 bits.
        expected[4] = "6@7 - DUET-7102 The row refers to one that does not exist. Load that one first, or correct the value.";
        expected.remove(7);
    }
    assert_eq!(errors, expected);
    assert_eq!(status, 200);
    assert_eq!(said["outcome"], "warning");
    assert_eq!(said["rowsProcessed"], 11);
    assert_eq!(said["lastCommittedRow"], 11);
    let kept: Vec<u64> =
        rows(&app, "driver").iter().map(|row| row["driver_id"].as_u64().unwrap()).collect();
    assert_eq!(kept.len() + errors.len(), 11);
    let text =
        load(&app, "driver/batchload", CSV, "driver_id,name\n2,again\n20,new\n").text().to_owned();
    assert_eq!(
        text,
        "#ERROR Line 2: driver_id: DUET-7101 A row with this `driver_id` exists already. Change \
         the value, leave the row out, or let rows replace others by their key with upsert=true.\n\
         #INFO Number of rows processed: 2\n\
         #INFO Number of rows in error: 1\n\
         #INFO Last row processed in final committed batch: 2\n\
         WARNING: Processed with errors\n"
    );
}

fn a_few_among_many(database: Database) {
    let app = start(&database);
    let mut body = String::from("driver_id,name,points,team_id\n");
    let (mut bad, rows) = (Vec::new(), 20_000_u64);
    for row in 1..=rows {
        let line = match row % 400 {
            100 => format!("{row},a,x,1\n"),
            200 => format!("{},a,1,1\n", row - 1),
            300 => format!("{row},a,-1,1\n"),
            0 => format!("{row},a,1,99\n"),
            _ => format!("{row},name {row},{},{}\n", row % 50, row % 2 + 1),
        };
        if row % 100 == 0 {
            bad.push(row);
        }
        body.push_str(&line);
    }
    let target = "driver/batchload?errors=UNLIMITED&batchRows=1000";
    let (status, said) = report(&app, target, CSV, &body);
    assert_eq!((status, said["rowsProcessed"].as_u64()), (200, Some(rows)), "{said}");
    let found: Vec<u64> = said["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["row"].as_u64().unwrap())
        .collect();
    assert_eq!(found, bad);
    assert_eq!(count(&app, "driver"), rows - bad.len() as u64);
}

/// What a load of these rows must refuse: one after the other, the first of two wins.
fn one_by_one(rows: &[(u64, u64, i64, u64)]) -> Vec<(u64, &'static str)> {
    let (mut ids, mut marks) = (vec![7], vec![7]);
    let mut refused = Vec::new();
    for (row, &(id, mark, size, team)) in (1..).zip(rows) {
        let code = match (size >= 0, ids.contains(&id) || marks.contains(&mark), team <= 2) {
            (false, _, _) => "DUET-7103",
            (true, true, _) => "DUET-7101",
            (true, false, false) => "DUET-7102",
            (true, false, true) => {
                ids.push(id);
                marks.push(mark);
                continue;
            }
        };
        refused.push((row, code));
    }
    refused
}

/// Rows that depend on each other in every way, in batches of all sizes: the report and the table are
/// those of rows written one after the other.
fn as_if_one_by_one(database: Database) {
    let marks = [("of_numbers", "integer"), ("of_texts", "text"), ("of_short", "varchar(9)")];
    let tables: String = marks
        .iter()
        .map(|(name, mark)| {
            format!(
                "CREATE TABLE {name} (id integer NOT NULL PRIMARY KEY, mark {mark} NOT NULL UNIQUE,
                 size integer CHECK (size >= 0), team_id integer REFERENCES team (team_id));"
            )
        })
        .collect();
    let app = setup(&database, &tables).start();
    for (name, _) in marks {
        rows_that_depend(&database, &app, name);
    }
}

fn rows_that_depend(database: &Database, app: &App, table: &str) {
    let empty = format!("DELETE FROM {table}; INSERT INTO {table} VALUES (7, 7, 1, 1);");
    let mut random = 7_u64;
    let mut below = |limit: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % limit
    };
    for (batch, values, bad) in [(400, 2_000, 30), (400, 150, 4), (50, 100, 9), (150, 300, 6)] {
        database.exec(&empty);
        let rows: Vec<(u64, u64, i64, u64)> = (0..400)
            .map(|_| {
                let size = if below(bad) == 0 { -1 } else { 1 };
                (below(values), below(values), size, if below(bad) == 0 { 99 } else { 1 })
            })
            .collect();
        let mut body = String::from("id,mark,size,team_id\n");
        for (id, mark, size, team) in &rows {
            body.push_str(&format!("{id},{mark},{size},{team}\n"));
        }
        let expected = one_by_one(&rows);
        let few = expected.len() as u64 / 2;
        let target = |errors: &str| format!("{table}/batchload?batchRows={batch}&errors={errors}");
        let (status, said) = report(app, &target(&few.to_string()), CSV, &body);
        assert_eq!((status, &said["rowsInError"]), (422, &json!(few + 1)), "{said}");
        let line = expected[few as usize].0 + 1;
        assert_eq!(said["stopped"]["line"], line, "{said}");
        database.exec(&empty);
        let (status, said) = report(app, &target("-1"), CSV, &body);
        let found: Vec<(u64, &str)> = said["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| (error["row"].as_u64().unwrap(), error["code"].as_str().unwrap()))
            .collect();
        assert_eq!((status, found), (200, expected.clone()), "{said}");
        assert_eq!(count(app, table), 1 + (rows.len() - expected.len()) as u64);
    }
}

/// Rules that the catalog does not tell, and rows that a trigger changes.
fn where_rows_cannot_be_looked_up(database: Database) {
    let index = "CREATE TABLE it (id integer NOT NULL PRIMARY KEY, name varchar(20));
         CREATE UNIQUE INDEX it_name ON it (lower(name));";
    let trigger = if database.is_sqlite() {
        ""
    } else {
        "CREATE TABLE watched (id integer NOT NULL PRIMARY KEY, name varchar(20));
         CREATE FUNCTION moved() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN NEW.id := NEW.id % 50; RETURN NEW; END $$;
         CREATE TRIGGER moved BEFORE INSERT ON watched FOR EACH ROW EXECUTE FUNCTION moved();"
    };
    let app = setup(&database, &format!("{index}{trigger}")).start();
    let mut body = String::from("id,name\n");
    for row in 0..100 {
        let name = if row % 10 == 9 { format!("N{}", row - 1) } else { format!("n{row}") };
        body.push_str(&format!("{},{name}\n", if row % 10 == 4 { 0 } else { row }));
    }
    let (status, said) = report(&app, "it/batchload?errors=-1", CSV, &body);
    assert_eq!((status, &said["rowsInError"]), (200, &json!(20)), "{said}");
    assert_eq!(count(&app, "it"), 80);
    if !database.is_sqlite() {
        let (status, said) = report(&app, "watched/batchload?errors=-1", CSV, &body);
        // 45 of 50 numbers are given twice or more, and those of 4, 14, … not at all.
        assert_eq!((status, &said["rowsInError"]), (200, &json!(55)), "{said}");
        assert_eq!(count(&app, "watched"), 45);
    }
}

fn stopped(database: Database) {
    let app = start(&database);
    let body = "driver_id,name\n1,a\n2,b\n3,c\n4,d\n5,e\n1,again\n6,f\n1,again\n7,g\n";
    let target = "driver/batchload?batchRows=2&batchesPerCommit=2&errors=0";
    let response = load(&app, target, CSV, body);
    assert_eq!(response.status, 422, "{response:?}");
    assert_eq!(
        response.text(),
        "#ERROR Line 7: driver_id: DUET-7101 A row with this `driver_id` exists already. Change \
         the value, leave the row out, or let rows replace others by their key with upsert=true.\n\
         #ERROR Stopped at line 7: DUET-7205: A row was refused. Correct it, or allow some with errors=.\n\
         #INFO Number of rows processed: 6\n\
         #INFO Number of rows in error: 1\n\
         #INFO Last row processed in final committed batch: 4\n\
         ERROR: Stopped, committed up to line 5\n"
    );
    assert_eq!(count(&app, "driver"), 4);
    // One is allowed, the second is not.
    let target = "driver/batchload?batchRows=3&batchesPerCommit=1&errors=1";
    let (status, said) =
        report(&app, target, CSV, "driver_id,name\n10,a\n11,\n12,b\n13,c\n14,\n15,d\n");
    assert_eq!(status, 422);
    assert_eq!(
        said["stopped"],
        json!({"line": 6, "code": "DUET-7205", "message": "More than 1 row was refused. Correct them, or allow more with errors=."})
    );
    assert_eq!((&said["lastCommittedRow"], &said["lastCommittedLine"]), (&json!(3), &json!(4)));
    assert_eq!(count(&app, "driver"), 6);
    // What cannot be read any further.
    let (status, said) = report(
        &app,
        "driver/batchload?batchRows=1&batchesPerCommit=1",
        ARRAY,
        "[{\"driver_id\":20,\"name\":\"a\"},\n{\"driver_id\":21,\"name\":\"b\"},\n oops",
    );
    assert_eq!((status, &said["stopped"]["line"]), (422, &json!(3)), "{said}");
    assert_eq!(said["stopped"]["code"], "DUET-7201");
    assert_eq!(count(&app, "driver"), 8);
}

fn all_or_nothing(database: Database) {
    let app = start(&database);
    let body = "driver_id,name\n1,a\n2,b\n3,c\n4,\n5,e\n";
    let target = "driver/batchload?batchRows=1&batchesPerCommit=0";
    let response = load(&app, target, CSV, body);
    assert_eq!(response.status, 422, "{response:?}");
    assert!(
        response
            .text()
            .ends_with("#INFO No rows committed\nERROR: Stopped, nothing was committed\n"),
        "{response:?}"
    );
    assert_eq!(count(&app, "driver"), 0);
    let response = load(&app, &format!("{target}&errors=1"), CSV, body);
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(count(&app, "driver"), 4);
}

fn upsert(database: Database) {
    let app = start(&database);
    assert_eq!(
        load(&app, "driver/batchload", CSV, "driver_id,name,points\n1,a,1\n2,b,2\n").status,
        200
    );
    let body = "{\"driver_id\":1,\"name\":\"A\"}\n{\"driver_id\":3,\"name\":\"c\",\"points\":3}\n\
                {\"driver_id\":3,\"name\":\"C\"}\n{\"driver_id\":2,\"name\":\"b\",\"points\":9}\n\
                {\"driver_id\":3,\"name\":\"C\",\"points\":5}\n{\"driver_id\":4,\"name\":\"d\",\"team_id\":99}\n";
    let (status, said) = report(&app, "driver/batchload?upsert=true", LINES, body);
    assert_eq!((status, &said["rowsInError"]), (200, &json!(1)), "{said}");
    let found: Vec<Value> = rows(&app, "driver")
        .iter()
        .map(|row| json!([row["driver_id"], row["name"], row["points"]]))
        .collect();
    assert_eq!(found, [json!([1, "A", 1]), json!([2, "b", 9]), json!([3, "C", 5])]);
    // A row with the key alone changes nothing; another unique column may still be in the way.
    let (_, said) =
        report(&app, "team/batchload?upsert=true", CSV, "team_id,name\n1,Red Bull\n3,Ferrari\n");
    assert_eq!(said["rowsInError"], 1, "{said}");
    assert_eq!(said["errors"][0]["field"], "name");
}

fn cleared_first(database: Database) {
    let app = start(&database);
    let body = "driver_id,name\n1,a\n2,b\n";
    for target in ["", "?truncate=true", "?truncate=truncate"] {
        assert_eq!(
            load(&app, &format!("driver/batchload{target}"), CSV, body).status,
            200,
            "{target}"
        );
        assert_eq!(count(&app, "driver"), 2, "{target}");
    }
    assert_eq!(load(&app, "driver/batchload?truncate=true", CSV, "driver_id,name\n").status, 200);
    assert_eq!(count(&app, "driver"), 0);
    // A load that is stopped before its first commit has removed nothing.
    load(&app, "driver/batchload", CSV, body);
    let response =
        load(&app, "driver/batchload?truncate=true&errors=0", CSV, "driver_id,name\n7,\n");
    assert_eq!((response.status, count(&app, "driver")), (422, 2));
    // Others refer to them.
    load(&app, "driver/batchload?upsert=true", CSV, "driver_id,name,team_id\n1,a,1\n");
    let response = load(&app, "team/batchload?truncate=true", CSV, "team_id,name\n1,x\n");
    assert_eq!(response.status, 409, "{response:?}");
    assert_eq!(response.json()["errors"][0]["code"], "DUET-7102");
    assert_eq!(count(&app, "team"), 2);
}

fn self_references(database: Database) {
    let table =
        "CREATE TABLE node (id integer NOT NULL PRIMARY KEY, up integer REFERENCES node (id));";
    let app = setup(&database, table).start();
    let body = "id,up\n1,\n2,1\n3,2\n4,9\n5,4\n";
    let (status, said) = report(&app, "node/batchload", CSV, body);
    let bad: Vec<&Value> = said["errors"].as_array().unwrap().iter().map(|it| &it["row"]).collect();
    assert_eq!((status, bad), (200, vec![&json!(4), &json!(5)]), "{said}");
    assert_eq!(count(&app, "node"), 3);
}

fn generated_and_defaults(database: Database) {
    let table = if database.is_sqlite() {
        "CREATE TABLE it (id integer PRIMARY KEY, name text DEFAULT 'none',
         twice text GENERATED ALWAYS AS (name || name) STORED);"
    } else {
        "CREATE TABLE it (id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text DEFAULT 'none',
         twice text GENERATED ALWAYS AS (name || name) STORED);"
    };
    let app = setup(&database, table).start();
    let (status, said) = report(
        &app,
        "it/batchload",
        LINES,
        "{}\n{\"name\":\"a\"}\n{\"id\":null}\n{\"id\":9,\"name\":null}\n{\"twice\":\"x\"}\n",
    );
    assert_eq!((status, &said["rowsInError"]), (200, &json!(1)), "{said}");
    assert_eq!(said["errors"][0]["code"], "DUET-7111");
    let mut found: Vec<String> =
        rows(&app, "it").iter().map(|row| row["twice"].to_string()).collect();
    found.sort();
    assert_eq!(found, ["\"aa\"", "\"nonenone\"", "\"nonenone\"", "null"]);
    let (status, said) = report(&app, "it/batchload?upsert=true", CSV, "id,name\n9,b\n,c\n");
    assert_eq!((status, &said["rowsInError"]), (200, &json!(0)), "{said}");
    assert_eq!(count(&app, "it"), 5);
}

fn wrong_requests(database: Database) {
    let view = "CREATE VIEW teams AS SELECT * FROM team;";
    let app = setup(&database, view).start();
    for (target, media, body, status, code) in [
        ("driver/batchload?batchRow=1", CSV, "driver_id\n", 400, "DUET-1005"),
        ("driver/batchload?delimiter=;", LINES, "{}", 400, "DUET-1005"),
        ("driver/batchload", CSV, "driver_id,nme\n1,a\n", 400, "DUET-7202"),
        ("driver/batchload", CSV, "driver_id\n1\n", 400, "DUET-7202"),
        ("driver/batchload", CSV, "driver_id,name\n1,\"a\n", 400, "DUET-7201"),
        ("driver/batchload", ARRAY, "{}", 400, "DUET-7201"),
        ("driver/batchload", "application/x-www-form-urlencoded", "a=b", 415, "DUET-1011"),
        ("teams/batchload", CSV, "team_id\n", 405, "DUET-1003"),
        ("nowhere/batchload", CSV, "a\n", 404, "DUET-1001"),
    ] {
        let response = load(&app, target, media, body);
        let text = response.text().to_owned();
        assert!(response.status == status && text.contains(code), "{target}: {response:?}");
    }
    let response =
        load_with(&app, "driver/batchload", &[("Content-Type", CSV), ("Accept", "image/png")], "x");
    assert_eq!(response.status, 406);
    let response = load_with(
        &app,
        "driver/batchload",
        &[("Content-Type", CSV), ("Content-Encoding", "gzip")],
        "x",
    );
    assert_eq!(response.status, 415);
    let bearer = app.bearer();
    let options = app.connect().request(
        "OPTIONS",
        "/ords/hr/driver/batchload",
        &[("Authorization", &bearer)],
        b"",
    );
    assert!(options.header("allow").unwrap().contains("POST"), "{options:?}");
    assert_eq!(count(&app, "driver"), 0);
}

fn rights(database: Database) {
    use duet_auth::Operation::{Delete, Insert, Read, Update};
    let body = "driver_id,name\n1,a\n";
    let targets =
        ["driver/batchload", "driver/batchload?upsert=true", "driver/batchload?truncate=true"];
    database.exec(TABLES);
    for (operations, expected) in [
        (vec![Read], [403, 403, 403]),
        (vec![Insert], [200, 403, 403]),
        (vec![Insert, Update], [200, 200, 403]),
        (vec![Insert, Update, Delete], [200, 200, 200]),
    ] {
        database.exec("DELETE FROM driver");
        let app = Setup::new(&database)
            .with(|setup| setup.roles = vec!["loader"])
            .privilege(&["loader"], &["/driver/*"])
            .with(|setup| setup.mount().privileges[0].operations = operations.clone())
            .start();
        let found = targets.map(|target| load(&app, target, CSV, body).status);
        assert_eq!(found, expected, "{operations:?}");
        let stranger = app.connect().request(
            "POST",
            "/ords/hr/driver/batchload",
            &[("Content-Type", CSV)],
            body.as_bytes(),
        );
        assert_eq!(stranger.status, 401);
    }
}

/// The head of a load and the beginning of its body, sent on a connection of its own.
fn begin(app: &App, target: &str, length: usize, body: &str) -> Client {
    let mut client = app.connect();
    let head = format!(
        "POST /ords/hr/{target} HTTP/1.1\r\nHost: h\r\nAuthorization: {}\r\nContent-Type: text/csv\r\nContent-Length: {length}\r\n\r\n",
        app.bearer()
    );
    client.send(head.as_bytes()).unwrap();
    client.send(body.as_bytes()).unwrap();
    client
}

fn numbered(first: u64, last: u64) -> String {
    (first..=last).map(|id| format!("{id},name\n")).collect()
}

fn a_client_that_goes_away(database: Database) {
    let app = start(&database);
    let target = "driver/batchload?batchRows=10&batchesPerCommit=5";
    // 107 whole rows and a part of one: two transactions of 50.
    let body = format!("driver_id,name\n{}108,na", numbered(1, 107));
    let client = begin(&app, target, 1_000_000, &body);
    eventually("the committed batches are there", || count(&app, "driver") >= 100);
    drop(client);
    // Only when the load has ended can others begin: it leaves nothing half done and no lock.
    eventually("another load", || {
        load(&app, "driver/batchload?upsert=true", CSV, "driver_id,name\n1,new\n").status == 200
    });
    let found = count(&app, "driver");
    let whole = if database.is_sqlite() { found.is_multiple_of(10) } else { found == 100 };
    assert!(whole && (100..=107).contains(&found), "{found}");
    let body = format!("driver_id,name\n{}", numbered(201, 230));
    let client = begin(&app, "driver/batchload?batchesPerCommit=0&batchRows=10", 1_000_000, &body);
    drop(client);
    eventually("another load", || {
        load(&app, "driver/batchload?upsert=true", CSV, "driver_id,name\n1,new\n").status == 200
    });
    assert_eq!(count(&app, "driver"), found);
}

/// A load whose client pauses lets other writers through, and goes on.
fn others_write_meanwhile(database: Database) {
    let app = start(&database);
    let rest = numbered(101, 200);
    let body = format!("driver_id,name\n{}", numbered(1, 100));
    let length = body.len() + rest.len();
    let target = "driver/batchload?batchRows=10&batchesPerCommit=1000";
    let mut client = begin(&app, target, length, &body);
    let written = load(&app, "team/batchload", CSV, "team_id,name\n7,Alpine\n");
    assert_eq!(written.status, 200, "{written:?}");
    let bearer = app.bearer();
    let posted = app.connect().request(
        "POST",
        "/ords/hr/team/",
        &[("Authorization", &bearer), ("Content-Type", ARRAY)],
        b"{\"team_id\":8,\"name\":\"Haas\"}",
    );
    assert_eq!(posted.status, 201, "{posted:?}");
    client.send(rest.as_bytes()).unwrap();
    let response = client.read_response(false).unwrap();
    assert!(response.text().contains("rows processed: 200\n"), "{response:?}");
    assert_eq!((count(&app, "driver"), count(&app, "team")), (200, 4));
}

/// A load in one transaction whose client pauses lets other writers through before it begins, and
/// stays all or nothing. What has arrived is partly on the disk.
fn others_write_while_one_transaction_arrives(database: Database) {
    let app = setup(&database, "").with(|setup| setup.write_limits.load_memory = 500).start();
    let target = "driver/batchload?batchRows=10&batchesPerCommit=0";
    for (rest, status, found) in
        [(format!("{}100,again\n", numbered(101, 200)), 422, 0), (numbered(101, 200), 200, 200)]
    {
        let body = format!("driver_id,name\n{}", numbered(1, 100));
        let mut client = begin(&app, target, body.len() + rest.len(), &body);
        // However often, while the load is open.
        for name in ["Alpine", "Haas", "Sauber"] {
            let bearer = app.bearer();
            let patched = app.connect().request(
                "PATCH",
                "/ords/hr/team/1",
                &[("Authorization", &bearer), ("Content-Type", "application/merge-patch+json")],
                format!("{{\"name\":{name:?}}}").as_bytes(),
            );
            assert_eq!(patched.status, 200, "{patched:?}");
        }
        assert_eq!(count(&app, "driver"), 0);
        client.send(rest.as_bytes()).unwrap();
        let response = client.read_response(false).unwrap();
        assert_eq!((response.status, count(&app, "driver")), (status, found), "{response:?}");
    }
}

/// A number of the queue of loads.
fn loads(app: &App, of: &str) -> u64 {
    let start = format!("duet_queue_{of}{{application=\"test\",queue=\"load\"}} ");
    let text = app.get("/metrics").text().to_owned();
    text.lines().find_map(|line| line.strip_prefix(&start)).unwrap().parse().unwrap()
}

/// One client's loads, whose bodies do not come, leave room for another client's, and are waited for.
fn loads_are_shared_between_clients(database: Database) {
    let app = setup(&database, "")
        .with(|setup| {
            setup.roles = vec!["duet.write", "duet.admin"];
            setup.clients = vec![("other", None)];
            setup.limits.queue_timeout = std::time::Duration::from_secs(3600);
        })
        .start();
    let target = "driver/batchload?batchRows=10";
    let greedy: Vec<Client> =
        (0..6).map(|_| begin(&app, target, 10_000, "driver_id,name\n")).collect();
    // Three run at a time, of which a client alone has two.
    eventually("the others of them wait", || {
        (loads(&app, "running"), loads(&app, "waiting")) == (2, 4)
    });
    for _ in 0..3 {
        let other = app.bearer_of("other");
        let headers = [("Authorization", &*other), ("Content-Type", CSV)];
        let body = format!("driver_id,name\n{}", numbered(1, 20));
        let path = "/ords/hr/driver/batchload?upsert=true";
        let answer = app.connect().request("POST", path, &headers, body.as_bytes());
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    assert_eq!((loads(&app, "running"), loads(&app, "waiting")), (2, 4));
    drop(greedy);
    eventually("none runs", || (loads(&app, "running"), loads(&app, "waiting")) == (0, 0));
}

fn a_load_waits_no_longer_than_a_request(database: Database) {
    let app = setup(&database, "")
        .with(|setup| {
            setup.roles = vec!["duet.write", "duet.admin"];
            setup.limits.queue_timeout = std::time::Duration::from_millis(100);
        })
        .start();
    let body = format!("driver_id,name\n{}", numbered(1, 20));
    let target = "driver/batchload?batchRows=10";
    let clients: Vec<Client> =
        (0..2).map(|_| begin(&app, target, 10_000, "driver_id,name\n")).collect();
    eventually("two loads are under way", || loads(&app, "running") == 2);
    let refused = load(&app, target, CSV, &body);
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.header("retry-after").is_some() && refused.text().contains("--loads"));
    drop(clients);
    eventually("a load may begin", || {
        load(&app, "driver/batchload?upsert=true", CSV, &body).status == 200
    });
}

fn limits(database: Database) {
    let app = setup(&database, "").with(|setup| setup.options.limits.load_bytes = 1_000).start();
    let body = format!("driver_id,name\n{}", numbered(1, 200));
    let response = load(&app, "driver/batchload?batchRows=1&batchesPerCommit=1", CSV, &body);
    assert_eq!(
        (response.status, response.json()["errors"][0]["code"].clone()),
        (413, json!("DUET-1010"))
    );
    assert_eq!(count(&app, "driver"), 0);
    // Where the length is not announced, what is committed by then stays, and is reported.
    let pieces = body.as_bytes().chunks(300).map(|piece| String::from_utf8_lossy(piece));
    let chunks = pieces.map(|piece| format!("{:x}\r\n{piece}\r\n", piece.len()));
    let chunked = chunks.collect::<String>() + "0\r\n\r\n";
    let target = "driver/batchload?batchRows=1&batchesPerCommit=1";
    let headers = [("Content-Type", CSV), ("Transfer-Encoding", "chunked"), ("Accept", ARRAY)];
    let response = load_with(&app, target, &headers, &chunked);
    let said = response.json();
    assert_eq!((response.status, &said["stopped"]["code"]), (422, &json!("DUET-1010")), "{said}");
    assert_eq!(said["lastCommittedRow"], count(&app, "driver"));
    let body = "driver_id,name\n1,a\n2,bbbbbbbbbbbbbbbbbbbb\n";
    let (status, said) = report(&app, "driver/batchload?lineMax=15", CSV, body);
    assert_eq!((status, &said["stopped"]["code"]), (422, &json!("DUET-7203")), "{said}");
}

fn rules_at_the_end(database: Database) {
    let table = "CREATE TABLE node (id integer NOT NULL PRIMARY KEY,
        up integer REFERENCES node (id) DEFERRABLE INITIALLY DEFERRED);";
    let app = setup(&database, table).start();
    // In one transaction rows may refer to later ones.
    let target = "node/batchload?batchRows=1&batchesPerCommit=0";
    assert_eq!(load(&app, target, CSV, "id,up\n1,2\n2,1\n").status, 200);
    let (status, said) = report(&app, target, CSV, "id,up\n3,1\n4,9\n");
    assert_eq!((status, &said["stopped"]["code"]), (422, &json!("DUET-7208")), "{said}");
    assert_eq!((count(&app, "node"), &said["lastCommittedRow"]), (2, &json!(0)));
}

/// A dry run says what the load says, and leaves nothing.
fn dry_runs(database: Database) {
    let table = "CREATE TABLE node (id integer NOT NULL PRIMARY KEY,
        up integer REFERENCES node (id) DEFERRABLE INITIALLY DEFERRED);";
    let app = setup(&database, table).view("team_dv", VIEW).start();
    let said = |target: &str, media: &str, prefer: &str, body: &str| {
        let headers = [("Content-Type", media), ("Accept", "application/json"), ("Prefer", prefer)];
        load_with(&app, target, &headers, body)
    };
    let refused = said("driver/batchload", CSV, "tx=rollback", "driver_id,name\n1,a\n");
    assert!(refused.status == 400 && refused.text().contains("batchesPerCommit=0"), "{refused:?}");
    let whole = "batchesPerCommit=0&errors=UNLIMITED";
    let documents = [team(301, &[101]), team(1, &[]), team(302, &[102])];
    let documents = documents.map(|it| it.to_string()).join("\n");
    for (table, target, media, body) in [
        (
            "driver",
            format!("driver/batchload?{whole}"),
            CSV,
            "driver_id,name\n1,a\n1,b\nx,c\n2,d\n",
        ),
        ("node", "node/batchload?batchesPerCommit=0".to_owned(), CSV, "id,up\n3,3\n4,9\n"),
        ("node", "node/batchload?batchesPerCommit=0".to_owned(), CSV, "id,up\n1,2\n2,1\n"),
        ("node", format!("node/batchload?{whole}&truncate=true"), CSV, "id,up\n5,\n"),
        ("team", format!("team_dv/batchload?{whole}"), LINES, &*documents),
    ] {
        let before = count(&app, table);
        let tried = said(&target, media, "tx=rollback", body);
        assert_eq!(count(&app, table), before, "{target}");
        assert_eq!(tried.header("preference-applied"), Some("tx=rollback"), "{target}");
        let loaded = said(&target, media, "tx=commit", body);
        let (tried, loaded) = ((tried.status, tried.json()), (loaded.status, loaded.json()));
        assert_eq!(tried.1["dryRun"], true, "{target}");
        for member in ["outcome", "rowsProcessed", "rowsInError", "errors", "stopped"] {
            assert_eq!((tried.0, &tried.1[member]), (loaded.0, &loaded.1[member]), "{target}");
        }
    }
    let headers = [("Content-Type", CSV), ("Prefer", "tx=rollback")];
    let text =
        load_with(&app, "driver/batchload?batchesPerCommit=0", &headers, "driver_id,name\n7,g\n");
    assert_eq!(
        text.text(),
        "#INFO Number of rows processed: 1\n\
         #INFO Number of rows in error: 0\n\
         #INFO Dry run: no rows committed\n\
         SUCCESS: Processed without errors\n"
    );
}

const VIEW: &str = "CREATE JSON RELATIONAL DUALITY VIEW team_dv AS
  SELECT JSON { '_id' : t.team_id, 'name' : t.name,
                'driver' : [ SELECT JSON { 'driverId' : d.driver_id, 'name' : d.name, 'points' : d.points }
                             FROM driver d WITH INSERT UPDATE WHERE d.team_id = t.team_id ] }
  FROM team t WITH INSERT UPDATE DELETE;";

fn team(id: u64, drivers: &[u64]) -> Value {
    let driver = |id: &u64| json!({"driverId": id, "name": format!("driver {id}"), "points": 0});
    let drivers: Vec<Value> = drivers.iter().map(driver).collect();
    json!({"_id": id, "name": format!("team {id}"), "driver": drivers})
}

fn documents(database: Database) {
    let app = setup(&database, "").view("team_dv", VIEW).start();
    let body = Value::from(vec![team(301, &[101, 102]), team(302, &[103])]).to_string();
    let response = load(&app, "team_dv/batchload", ARRAY, &body);
    assert_eq!(
        response.text(),
        "#INFO Number of rows processed: 2\n\
         #INFO Number of rows in error: 0\n\
         #INFO Last row processed in final committed batch: 2\n\
         SUCCESS: Processed without errors\n"
    );
    let found = app.get("/ords/hr/team_dv/301").json();
    assert_eq!(found["driver"], team(301, &[101, 102])["driver"]);
    // Several transactions.
    let lines: Vec<String> = (400..520).map(|id| team(id, &[id]).to_string()).collect();
    let target = "team_dv/batchload?batchRows=10&batchesPerCommit=2";
    let (status, said) = report(&app, target, LINES, &lines.join("\n"));
    assert_eq!(
        (status, &said["rowsProcessed"], &said["lastCommittedRow"]),
        (200, &json!(120), &json!(120))
    );
    assert_eq!((count(&app, "team"), count(&app, "driver")), (124, 123));
    for (target, media) in [
        ("team_dv/batchload", CSV),
        ("team_dv/batchload?upsert=true", LINES),
        ("team_dv/batchload?truncate=true", LINES),
    ] {
        let response = load(&app, target, media, "{}");
        assert!(matches!(response.status, 400 | 415), "{response:?}");
    }
}

fn documents_that_are_refused(database: Database) {
    let app = setup(&database, "").view("team_dv", VIEW).start();
    let lines = [
        team(1, &[]).to_string(),
        team(301, &[101]).to_string(),
        "{\"_id\": 302, \"nme\": \"x\"}".to_owned(),
        "oops".to_owned(),
        "{\"_id\": 303, \"name\": \"c\", \"driver\": [{\"driverId\": 1, \"name\": \"d\", \"points\": -1}]}".to_owned(),
        team(304, &[104]).to_string(),
    ];
    let (status, said) = report(&app, "team_dv/batchload", LINES, &lines.join("\n"));
    let found: Vec<Value> = said["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| json!([error["line"], error["code"]]))
        .collect();
    let expected = [
        json!([1, "DUET-7101"]),
        json!([3, "DUET-7003"]),
        json!([4, "DUET-7001"]),
        json!([5, "DUET-7103"]),
    ];
    assert_eq!((status, &found[..]), (200, &expected[..]), "{said}");
    assert_eq!(said["errors"][1]["field"], "/nme");
    assert_eq!((count(&app, "team"), count(&app, "driver")), (4, 2));
    // All or nothing.
    let lines = [team(501, &[]).to_string(), team(1, &[]).to_string()].join("\n");
    let response = load(&app, "team_dv/batchload?batchesPerCommit=0", LINES, &lines);
    assert_eq!((response.status, count(&app, "team")), (422, 4), "{response:?}");
    let (_, said) =
        report(&app, "team_dv/batchload?batchRows=1&batchesPerCommit=1&errors=0", LINES, &lines);
    assert_eq!((&said["lastCommittedRow"], count(&app, "team")), (&json!(1), 5));
}

/// COPY cannot write a table with row security; a load can, and names the rows that it keeps out.
#[test]
fn row_security() {
    let database = Database::postgres("batchload::row_security");
    database.exec(TABLES);
    database.exec(
        "ALTER TABLE driver ENABLE ROW LEVEL SECURITY;
         CREATE POLICY seen ON driver USING (true) WITH CHECK (driver_id < 100);
         DO $$ BEGIN CREATE ROLE batchload_user LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
         GRANT SELECT, INSERT, UPDATE ON driver TO batchload_user;
         GRANT SELECT ON team TO batchload_user;",
    );
    let Source::Url(url) = database.source() else { panic!("not a URL") };
    let app = Setup::of(Source::Url(url.replace("user=postgres", "user=batchload_user")))
        .with(|setup| setup.roles = vec!["duet.write"])
        .start();
    let body = "driver_id,name\n1,a\n100,b\n2,c\n1,d\n";
    let (status, said) = report(&app, "driver/batchload", CSV, body);
    let codes: Vec<&Value> =
        said["errors"].as_array().unwrap().iter().map(|error| &error["code"]).collect();
    assert_eq!((status, codes), (200, vec![&json!("DUET-7110"), &json!("DUET-7101")]), "{said}");
    assert_eq!(count(&app, "driver"), 2);
    // No right to insert is no row's fault.
    let response = load(&app, "team/batchload", CSV, "team_id,name\n9,x\n");
    let code = response.json()["errors"][0]["code"].clone();
    assert_eq!((response.status, code), (403, json!("DUET-4012")));
}
