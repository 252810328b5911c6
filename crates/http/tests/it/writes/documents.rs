//! Writes over HTTP: what answers say, and where errors point.

use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    a_wrong_patch_is_no_wrong_filter
    minimal_transactions
    explained_operations_see_each_other
    what_is_missing_below
    who_may_not_read
    statuses_of_ords
    values_change_together_or_not_at_all
}

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL);
INSERT INTO team VALUES (1, 'Red Bull'), (301, 'Ferrari');
CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL,
  team_id integer REFERENCES team (team_id));
INSERT INTO driver VALUES (7, 'Kimi', 301), (8, 'Max', 1);
";

const VIEW: &str = "view team_dv as team @insert @update @delete { _id: team_id name
  driver @update [ { driverId: driver_id name } ] }";

fn start(database: &Database) -> App {
    database.exec(TABLES);
    Setup::new(database)
        .view("team_dv", VIEW)
        .with(|setup| setup.roles = vec!["duet.write"])
        .start()
}

fn send(app: &App, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let bearer = app.bearer();
    let mut all = vec![("Authorization", bearer.as_str())];
    all.extend(headers);
    app.connect().request(method, path, &all, body.as_bytes())
}

const JSON: (&str, &str) = ("Content-Type", "application/json");
const PATCH: (&str, &str) = ("Content-Type", "application/merge-patch+json");

fn a_wrong_patch_is_no_wrong_filter(database: Database) {
    let app = start(&database);
    for q in ["%7B%7D", "%7B%22name%22:%22nobody%22%7D"] {
        let answer =
            send(&app, "PATCH", &format!("/ords/hr/team/?q={q}"), &[PATCH], "{\"name\"").json();
        let error = &answer["errors"][0];
        assert_eq!((&error["code"], &error["position"]), (&json!("DUET-7001"), &json!(7)));
        assert_eq!(error.get("parameter"), None, "{answer}");
    }
    let answer = send(&app, "PATCH", "/ords/hr/team/?q=%7B", &[PATCH], "{}").json();
    assert_eq!(answer["errors"][0]["parameter"], json!("q"));
}

fn minimal_transactions(database: Database) {
    let app = start(&database);
    let body = json!([
        { "method": "PATCH", "path": "team/1", "body": { "name": "A" } },
        { "method": "POST", "path": "team", "body": { "team_id": 9, "name": "B" } },
        { "method": "DELETE", "path": "team/9" },
    ]);
    let minimal = ("Prefer", "return=minimal");
    let answer = send(&app, "POST", "/ords/hr/_/transaction", &[JSON, minimal], &body.to_string());
    assert_eq!(answer.header("preference-applied"), Some("return=minimal"));
    let each = answer.json();
    let statuses: Vec<&Value> = each.as_array().unwrap().iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, [&json!(204), &json!(201), &json!(204)]);
    assert_eq!((each[0].get("body"), each[1].get("body")), (None, None));
    assert!(each[0]["etag"].is_string() && each[1]["location"].is_string());
    let gone = send(&app, "DELETE", "/ords/hr/driver/8", &[minimal], "");
    assert_eq!((gone.status, gone.header("preference-applied")), (204, Some("return=minimal")));
}

fn explained_operations_see_each_other(database: Database) {
    let app = start(&database);
    let team = |id: u16, name: &str, driver: u16, who: &str| {
        json!({
            "method": "PUT", "path": format!("team_dv/{id}"),
            "body": { "name": name, "driver": [{ "driverId": driver, "name": who }] },
        })
    };
    let body = json!([team(1, "Red Bull", 7, "Kimi"), team(301, "Ferrari", 8, "Max")]).to_string();
    let plans = send(&app, "POST", "/ords/hr/_/transaction?explain=1", &[JSON], &body).json();
    let operations = |plan: usize| -> Vec<Value> {
        let list = plans[plan]["operations"].as_array().unwrap();
        list.iter().map(|one| json!([one["operation"], one["key"]["driver_id"]])).collect()
    };
    assert_eq!(operations(0), [json!(["unlink", 8]), json!(["update", 7])]);
    // The first has taken driver 7 already.
    assert_eq!(operations(1), [json!(["update", 8])]);
    let after = app.get("/ords/hr/team_dv/1?fields=driver.driverId").json();
    assert_eq!(after["driver"], json!([{ "driverId": 8 }]));
}

fn what_is_missing_below(database: Database) {
    let app = start(&database);
    let answer =
        send(&app, "PATCH", "/ords/hr/team_dv/1", &[PATCH], r#"{"driver":[{"driverId":8}]}"#)
            .json();
    assert_eq!(answer["errors"][0]["code"], json!("DUET-7004"));
    let message = answer["detail"].as_str().unwrap();
    assert!(message.contains("replaced whole") && !message.contains("use PATCH"), "{message}");
}

/// A client that may write and not read gets no content back.
fn who_may_not_read(database: Database) {
    database.exec(TABLES);
    let app = Setup::new(&database)
        .with(|setup| {
            setup.roles = vec!["scribe"];
            setup.mount().privileges = vec![duet_auth::Privilege {
                name: "write".into(),
                roles: vec!["scribe".into()],
                patterns: vec!["/*".into()],
                operations: vec![duet_auth::Operation::Insert, duet_auth::Operation::Update],
            }];
        })
        .start();
    let made = send(&app, "POST", "/ords/hr/team/", &[JSON], r#"{"team_id":5,"name":"Five"}"#);
    assert_eq!((made.status, made.text().len()), (201, 0), "{made:?}");
    let changed = send(&app, "PATCH", "/ords/hr/team/5", &[PATCH], r#"{"name":"Six"}"#);
    assert_eq!((changed.status, changed.text().len()), (204, 0), "{changed:?}");
    let body = r#"[{"method":"PATCH","path":"team/5","body":{"name":"Seven"}}]"#;
    let all = send(&app, "POST", "/ords/hr/_/transaction", &[JSON], body);
    assert_eq!((all.status, all.json()[0].get("body")), (200, None), "{all:?}");
    let plan = send(&app, "PATCH", "/ords/hr/team/5?explain=1", &[PATCH], r#"{"name":"x"}"#);
    assert_eq!(plan.status, 403, "{plan:?}");
    assert_eq!(send(&app, "GET", "/ords/hr/team/5", &[], "").status, 403);
}

fn statuses_of_ords(database: Database) {
    database.exec(TABLES);
    let app = Setup::new(&database)
        .with(|setup| {
            setup.roles = vec!["duet.write"];
            setup.write_limits.ords_statuses = true;
        })
        .start();
    let taken = send(&app, "POST", "/ords/hr/team/", &[JSON], r#"{"team_id":1,"name":"One"}"#);
    let body = taken.json();
    assert_eq!((taken.status, &body["status"]), (400, &json!(400)), "{taken:?}");
    assert_eq!(
        (&body["code"], &body["errors"][0]["code"]),
        (&json!("BadRequest"), &json!("DUET-7101"))
    );
    assert!(body["message"].is_string() && body.get("detail").is_none(), "{body}");
    for header in ["If-Match", "If-None-Match"] {
        let matched = send(&app, "DELETE", "/ords/hr/team/?q=%7B%7D", &[(header, "*")], "");
        let code = &matched.json()["errors"][0]["code"];
        assert_eq!((matched.status, code), (400, &json!("DUET-1006")), "{header}");
    }
}

/// Values of several rows of a document: what is answered is what is then read, computed columns and
/// all; where one row is refused, by a rule or by a trigger that has come meanwhile, none has changed.
fn values_change_together_or_not_at_all(database: Database) {
    database.exec(
        "CREATE TABLE counter (id integer NOT NULL PRIMARY KEY, n integer NOT NULL);
         CREATE TABLE mark (id integer NOT NULL PRIMARY KEY, n integer CHECK (n < 100), word varchar(9),
           counter_id integer NOT NULL REFERENCES counter (id), twice integer GENERATED ALWAYS AS (n * 2) STORED);
         INSERT INTO counter VALUES (1, 0);
         INSERT INTO mark (id, n, word, counter_id) VALUES (1, 0, 'a', 1), (2, 0, NULL, 1), (3, 0, 'c', 1);",
    );
    let view =
        "view counter_dv as counter @update { _id: id n mark @update [ { id n word twice } ] }";
    let app = Setup::new(&database)
        .view("counter_dv", view)
        .with(|setup| setup.roles = vec!["duet.write"])
        .start();
    let path = "/ords/hr/counter_dv/1";
    let get = || send(&app, "GET", path, &[], "");
    let put = |change: &dyn Fn(&mut Value)| {
        let mut document = get().json();
        change(&mut document);
        send(&app, "PUT", path, &[JSON], &document.to_string())
    };
    for n in 1..4 {
        let written = put(&|document| {
            document["n"] = json!(n);
            document["mark"][0]["n"] = json!(n);
            document["mark"][1] = json!({"id": 2, "n": 2 * n, "word": "x"});
            document["mark"][2]["n"] = Value::Null;
        });
        let (written_json, mut read) = (written.json(), get().json());
        read["_metadata"]["asof"] = written_json["_metadata"]["asof"].clone();
        assert_eq!((written.status, &written_json), (200, &read));
        assert_eq!(written.header("etag"), get().header("etag"));
        let marks =
            [&read["mark"][0]["twice"], &read["mark"][1]["twice"], &read["mark"][2]["twice"]];
        assert_eq!(marks, [&json!(2 * n), &json!(4 * n), &Value::Null]);
    }
    let before = get().json();
    let unchanged = |read: &Value| (&read["n"], &read["mark"]) == (&before["n"], &before["mark"]);
    let more = |n: i64| {
        move |document: &mut Value| {
            document["n"] = json!(50);
            document["mark"][0]["n"] = json!(50);
            document["mark"][1]["n"] = json!(n);
        }
    };
    let refused = put(&more(100));
    assert_eq!(
        (refused.status, error_of(&refused)),
        (422, json!(["DUET-7103", "/mark/1/n"])),
        "{refused:?}"
    );
    assert!(unchanged(&get().json()));
    database.exec(if database.is_sqlite() {
        "CREATE TRIGGER no BEFORE UPDATE ON mark WHEN new.id = 2 BEGIN SELECT RAISE(IGNORE); END"
    } else {
        "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
         CREATE TRIGGER no BEFORE UPDATE ON mark FOR EACH ROW WHEN (new.id = 2) EXECUTE FUNCTION no()"
    });
    let refused = put(&more(7));
    assert_eq!(
        (refused.status, error_of(&refused)),
        (409, json!(["DUET-7015", "/mark/1"])),
        "{refused:?}"
    );
    assert!(unchanged(&get().json()));
}

/// The code of the only error, and the place in the body.
fn error_of(response: &Response) -> Value {
    let error = &response.json()["errors"][0];
    json!([error["code"], error["pointer"]])
}
