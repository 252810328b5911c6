//! Batches over HTTP: a result for each document, all or none on request, and nothing lost beside one
//! that is refused.

use duet_testkit::http::Response;
use duet_testkit::postgres::{Options, Server};
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, on_distributed_tables};

on_both_stores! {
    each_document_has_its_result
    an_atomic_batch_is_stored_whole_or_not_at_all
    refused_rows_leave_all_others
    many_rows_come_back_in_their_order
    one_refused_row_of_many_is_named
    documents_of_a_view
    rows_that_triggers_refuse
    preferences
    what_is_no_batch
    rights
}

on_distributed_tables! {
    each_document_has_its_result
    an_atomic_batch_is_stored_whole_or_not_at_all
    refused_rows_leave_all_others
    many_rows_come_back_in_their_order
    one_refused_row_of_many_is_named
    documents_of_a_view
    rows_that_triggers_refuse
    preferences
    what_is_no_batch
    rights
}

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL UNIQUE,
  points integer NOT NULL DEFAULT 0 CHECK (points >= 0));
INSERT INTO team VALUES (1, 'Red Bull', 0), (301, 'Ferrari', 0);
CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL,
  team_id integer REFERENCES team (team_id));
CREATE TABLE log (line varchar(20) NOT NULL);
";

const VIEW: &str = "view team_dv as team @insert @update @delete { _id: team_id name points
  driver @insert @update [ { driverId: driver_id name } ] }";

const TEAM: &str = "/ords/hr/team/_/batch";
const ATOMIC: &str = "/ords/hr/team/_/batch?atomic=true";

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
    all.push(("Content-Type", "application/json"));
    all.extend(headers);
    app.connect().request(method, path, &all, body.as_bytes())
}

fn batch(app: &App, path: &str, body: &Value) -> Response {
    send(app, "POST", path, &[], &body.to_string())
}

fn names(app: &App, path: &str, member: &str) -> Vec<Value> {
    let page = send(app, "GET", path, &[], "").json();
    page["items"].as_array().unwrap().iter().map(|one| one[member].clone()).collect()
}

fn statuses(answer: &Response) -> Vec<u64> {
    let answer = answer.json();
    answer.as_array().unwrap().iter().map(|one| one["status"].as_u64().unwrap()).collect()
}

/// The first mistake of an item.
fn pointer(item: &Value) -> &str {
    item["problem"]["errors"][0]["pointer"].as_str().unwrap()
}

fn each_document_has_its_result(database: Database) {
    let app = start(&database);
    let answer = batch(
        &app,
        TEAM,
        &json!([
            { "team_id": 2, "name": "Mercedes", "points": 5 },
            { "team_id": 301, "name": "McLaren" },
            { "team_id": 3, "name": 4, "colour": "red" },
            { "team_id": 4, "name": "Lotus", "points": -1 },
            { "team_id": 5, "name": "Mercedes" },
            { "team_id": 6, "name": "Williams" },
        ]),
    );
    assert_eq!(answer.status, 200, "{answer:?}");
    let (items, all) = (answer.json(), statuses(&answer));
    assert_eq!(all, [201, 409, 400, 422, 409, 201], "{items}");
    let pointers: Vec<&str> = items.as_array().unwrap()[1..5].iter().map(pointer).collect();
    assert_eq!(pointers, ["/1/team_id", "/2/name", "/3/points", "/4/name"]);
    assert_eq!(items[2]["problem"]["errors"][1]["pointer"], json!("/2/colour"));
    let made = items[0]["location"].as_str().unwrap();
    assert!(made.ends_with("/ords/hr/team/2"), "{made}");
    assert_eq!(items[0].get("body"), None);
    let etag = format!("\"{}\"", items[0]["etag"].as_str().unwrap());
    let stored = send(&app, "GET", "/ords/hr/team/2", &[], "");
    assert_eq!(stored.header("etag"), Some(&*etag));
    let left = names(&app, "/ords/hr/team/", "team_id");
    let given: Vec<i64> = left.iter().map(|id| id.as_i64().unwrap()).collect();
    assert!([1, 2, 6, 301].iter().all(|id| given.contains(id)), "{given:?}");
    assert!(![3, 4, 5].iter().any(|id| given.contains(id)), "{given:?}");
}

fn an_atomic_batch_is_stored_whole_or_not_at_all(database: Database) {
    let app = start(&database);
    for (body, status, place) in [
        (json!([{"team_id":2,"name":"A"},{"team_id":301,"name":"B"}]), 409, "/1/team_id"),
        (json!([{"team_id":2,"name":"A"},{"team_id":3,"name":"A"}]), 409, "/1/name"),
        (json!([{"team_id":2,"name":"A"},{"team_id":3,"name":7}]), 400, "/1/name"),
        (json!([{"team_id":2,"name":"A","points":-1},{"team_id":1,"name":"B"}]), 422, "/0/points"),
    ] {
        let answer = batch(&app, ATOMIC, &body);
        assert_eq!(answer.status, status, "{answer:?}");
        let problem = answer.json();
        assert_eq!(problem["errors"][0]["pointer"], json!(place), "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains("Nothing was changed"), "{problem}");
        assert_eq!(names(&app, "/ords/hr/team/", "team_id"), [json!(1), json!(301)]);
    }
    let answer = batch(&app, ATOMIC, &json!([{"team_id":2,"name":"A"},{"team_id":3,"name":"B"}]));
    assert_eq!((answer.status, statuses(&answer)), (200, vec![201, 201]), "{answer:?}");
    assert_eq!(names(&app, "/ords/hr/team/", "team_id").len(), 4);
}

/// Numbers that look random (Knuth's MMIX generator).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// The outcome is that of the same requests one after the other, whichever rows are refused.
fn refused_rows_leave_all_others(database: Database) {
    let app = start(&database);
    let mut random = Random(7);
    let mut taken: Vec<(i64, i64)> = Vec::new();
    for round in 0..12 {
        let span = if round % 3 == 0 { 400 } else { 30 + 40 * round };
        let rows: Vec<(i64, i64)> =
            (0..40).map(|_| (1000 + random.below(span), random.below(span))).collect();
        let items: Vec<Value> = rows
            .iter()
            .map(|(id, name)| json!({ "team_id": id, "name": format!("n{name}") }))
            .collect();
        let answer = batch(&app, TEAM, &json!(items));
        let expected: Vec<u64> = rows
            .iter()
            .map(|row| {
                let is_free = !taken.iter().any(|one| one.0 == row.0 || one.1 == row.1);
                if is_free {
                    taken.push(*row);
                }
                if is_free { 201 } else { 409 }
            })
            .collect();
        assert_eq!(statuses(&answer), expected, "round {round}: {rows:?}");
    }
    let stored = names(&app, "/ords/hr/team/?limit=1000", "team_id");
    assert_eq!(stored.len(), taken.len() + 2);
}

fn documents_of_a_view(database: Database) {
    let app = start(&database);
    let body = json!([
        { "_id": 2, "name": "A", "points": 0, "driver": [{ "driverId": 7, "name": "Kimi" }] },
        { "_id": 3, "name": "B", "points": -1, "driver": [{ "driverId": 8, "name": "Max" }] },
        { "_id": 1, "name": "C", "points": 0, "driver": [] },
        { "_id": 4, "name": "D", "points": 0, "driver": [] },
    ]);
    let refused = batch(&app, "/ords/hr/team_dv/_/batch?atomic=true", &body);
    assert_eq!(refused.status, 422, "{refused:?}");
    assert_eq!(names(&app, "/ords/hr/driver/", "driver_id"), [] as [Value; 0]);
    let answer = batch(&app, "/ords/hr/team_dv/_/batch", &body);
    assert_eq!(statuses(&answer), [201, 422, 409, 201], "{answer:?}");
    assert_eq!(pointer(&answer.json()[1]), "/1/points");
    assert_eq!(names(&app, "/ords/hr/driver/", "driver_id"), [json!(7)]);
    let lines = json!([{ "line": "a" }, { "line": null }, { "line": "b" }]);
    let answer = batch(&app, "/ords/hr/log/_/batch", &lines);
    assert_eq!(statuses(&answer)[0], 201, "{answer:?}");
    assert_eq!(names(&app, "/ords/hr/log/", "line"), [json!("a"), json!("b")]);
}

fn rows_that_triggers_refuse(database: Database) {
    let app = {
        database.exec(TABLES);
        database.exec(match &database {
            Database::Postgres(_) => {
                "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS
                 $$ BEGIN IF NEW.team_id = 5 THEN RAISE EXCEPTION 'no'; END IF;
                 IF NEW.team_id = 6 THEN RETURN NULL; END IF; RETURN NEW; END $$;
                 CREATE TRIGGER t BEFORE INSERT ON team FOR EACH ROW EXECUTE FUNCTION no();"
            }
            Database::Sqlite(_) => {
                "CREATE TRIGGER t BEFORE INSERT ON team WHEN NEW.team_id = 5
                 BEGIN SELECT RAISE(ABORT, 'no'); END;
                 CREATE TRIGGER u BEFORE INSERT ON team WHEN NEW.team_id = 6
                 BEGIN SELECT RAISE(IGNORE); END;"
            }
        });
        Setup::new(&database).with(|setup| setup.roles = vec!["duet.write"]).start()
    };
    let team = |id: i64| json!({ "team_id": id, "name": format!("n{id}") });
    let answer = batch(&app, TEAM, &json!([team(4), team(5), team(6), team(7)]));
    let all = statuses(&answer);
    assert_eq!((all[0], all[3]), (201, 201), "{answer:?}");
    assert!(all[1] >= 400 && all[2] >= 400, "{answer:?}");
    let stored = names(&app, "/ords/hr/team/", "team_id");
    assert_eq!(stored, [json!(1), json!(4), json!(7), json!(301)]);
    let answer = batch(&app, ATOMIC, &json!([team(8), team(6)]));
    assert!(answer.status >= 400, "{answer:?}");
    assert_eq!(names(&app, "/ords/hr/team/", "team_id").len(), 4);
}

fn preferences(database: Database) {
    let app = start(&database);
    let body = json!([{ "team_id": 2, "name": "A" }, { "team_id": 1, "name": "B" }]).to_string();
    let undone = send(&app, "POST", TEAM, &[("Prefer", "tx=rollback")], &body);
    assert_eq!(statuses(&undone), [201, 409]);
    assert_eq!(undone.header("preference-applied"), Some("tx=rollback"));
    assert_eq!(names(&app, "/ords/hr/team/", "team_id").len(), 2);
    let shown = send(&app, "POST", TEAM, &[("Prefer", "return=representation")], &body);
    assert_eq!(shown.header("preference-applied"), Some("return=representation"));
    assert_eq!(shown.json()[0]["body"]["points"], json!(0), "{shown:?}");
}

fn what_is_no_batch(database: Database) {
    let app = start(&database);
    for (path, body, status) in [
        (TEAM, "{}", 400),
        (TEAM, "[]", 400),
        (ATOMIC, "[]", 400),
        (ATOMIC, "{\"team_id\":9,\"name\":\"x\"}", 400),
        (TEAM, "[{]", 400),
        ("/ords/hr/team/_/batch?atomic=maybe", "[{}]", 400),
        ("/ords/hr/team/_/batch?limit=1", "[{}]", 400),
    ] {
        let answer = send(&app, "POST", path, &[], body);
        assert_eq!(answer.status, status, "{path} {body}: {answer:?}");
    }
    let many = vec!["{\"team_id\":9,\"name\":\"x\"}"; 1001].join(",");
    assert_eq!(send(&app, "POST", TEAM, &[], &format!("[{many}]")).status, 422);
    let elements = batch(&app, TEAM, &json!([1, null, { "team_id": 2, "name": "A" }]));
    assert_eq!(statuses(&elements), [400, 400, 201], "{elements:?}");
    let read = send(&app, "GET", TEAM, &[], "");
    assert_eq!((read.status, read.header("allow")), (405, Some("OPTIONS, POST")), "{read:?}");
    assert_eq!(names(&app, "/ords/hr/team/", "team_id").len(), 3);
}

fn rights(database: Database) {
    database.exec(TABLES);
    let app = Setup::new(&database)
        .with(|setup| {
            setup.roles = vec!["scribe"];
            let privilege = |pattern: &str, operation| duet_auth::Privilege {
                name: format!("{pattern} {operation}"),
                roles: vec!["scribe".into()],
                patterns: vec![pattern.into()],
                operations: vec![operation],
            };
            setup.mount().privileges = vec![
                privilege("/team/*", duet_auth::Operation::Insert),
                privilege("/driver/*", duet_auth::Operation::Read),
            ];
        })
        .start();
    let body = json!([{ "team_id": 2, "name": "A" }, { "team_id": 1, "name": "B" }]);
    let made = batch(&app, TEAM, &body);
    assert_eq!((made.status, made.json()[0].clone()), (200, json!({ "status": 201 })), "{made:?}");
    assert_eq!(statuses(&made), [201, 409]);
    let drivers = json!([{ "driver_id": 2, "name": "A" }]);
    assert_eq!(batch(&app, "/ords/hr/driver/_/batch", &drivers).status, 403);
    let anonymous = app.connect().request("POST", TEAM, &[], b"[{}]");
    assert_eq!(anonymous.status, 401, "{anonymous:?}");
}

/// So many that stores send them together, and some are left over.
const MANY: u64 = 57;

/// Keys in another order than that of their rows.
fn shuffled(at: u64) -> u64 {
    1000 + at * 31 % MANY
}

fn many_rows_come_back_in_their_order(database: Database) {
    let made = match &database {
        Database::Sqlite(_) => "integer PRIMARY KEY",
        Database::Postgres(_) => "integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
    };
    database.exec(&format!("CREATE TABLE made (id {made}, name varchar(20) NOT NULL UNIQUE)"));
    let app = start(&database);
    let given: Vec<Value> = (0..MANY)
        .map(|at| json!({ "team_id": shuffled(at), "name": format!("Team {at}"), "points": at }))
        .collect();
    let unkeyed: Vec<Value> =
        (0..MANY).map(|at| json!({ "name": format!("Row {}", shuffled(at)) })).collect();
    for (name, rows) in [("team", given), ("made", unkeyed)] {
        let answer = batch(&app, &format!("/ords/hr/{name}/"), &json!(rows));
        assert_eq!(answer.status, 201, "{answer:?}");
        let answered = answer.json();
        assert_eq!(answered.as_array().unwrap().len(), rows.len());
        for (row, answered) in rows.iter().zip(answered.as_array().unwrap()) {
            assert_eq!(row["name"], answered["name"], "{name}");
            for (member, value) in row.as_object().unwrap() {
                assert_eq!(value, &answered[member], "{name}");
            }
        }
    }
}

fn one_refused_row_of_many_is_named(database: Database) {
    let app = start(&database);
    let row = |at: u64| match at {
        33 => json!({ "team_id": shuffled(at), "name": "Ferrari" }),
        _ => json!({ "team_id": shuffled(at), "name": format!("Team {at}") }),
    };
    let rows: Vec<Value> = (0..MANY).map(row).collect();
    for path in ["/ords/hr/team/", ATOMIC] {
        let refused = batch(&app, path, &json!(rows));
        let problem = refused.json();
        assert_eq!(refused.status, 409, "{problem}");
        assert_eq!(problem["errors"][0]["pointer"], "/33/name", "{problem}");
        assert_eq!(names(&app, "/ords/hr/team/", "name").len(), 2);
    }
    let answer = batch(&app, TEAM, &json!(rows));
    let expected: Vec<u64> = (0..MANY).map(|at| if at == 33 { 409 } else { 201 }).collect();
    assert_eq!(statuses(&answer), expected);
}

/// Conflict clauses of a table mean what they mean for single rows.
#[test]
fn conflict_clauses_of_sqlite_are_followed() {
    for clause in ["IGNORE", "REPLACE", "FAIL", "ROLLBACK", "ABORT"] {
        let database = Database::sqlite();
        database.exec(&format!(
            "CREATE TABLE part (id integer PRIMARY KEY, name varchar(20) NOT NULL UNIQUE ON CONFLICT {clause})"
        ));
        let app = start(&database);
        let row = |at: u64| json!({ "id": at, "name": format!("Part {}", at % 40) });
        let rows: Vec<Value> = (0..MANY).map(row).collect();
        let answer = batch(&app, "/ords/hr/part/", &json!(rows));
        let stored = database.count("SELECT count(*) FROM part");
        let expected = if clause == "REPLACE" { (201, 40) } else { (answer.status, 0) };
        assert_eq!((answer.status, stored), expected, "{clause}: {answer:?}");
        assert!(clause == "REPLACE" || answer.status >= 400, "{clause}: {answer:?}");
    }
}

/// An array of rows is one statement, however many there are.
#[test]
fn an_array_of_rows_is_one_statement() {
    let server = Server::start_with(Options::new().setting("log_statement", "all"));
    let app = start(&Database::Postgres(server.database("counted")));
    let inserts = || server.log().matches(r#"INSERT INTO "public"."team""#).count();
    let mut made = 1000;
    let mut executed = |rows: u64| {
        let before = inserts();
        let row = |at: u64| json!({ "team_id": made + at, "name": format!("Team {}", made + at) });
        let body: Vec<Value> = (0..rows).map(row).collect();
        made += rows;
        assert_eq!(batch(&app, "/ords/hr/team/", &json!(body)).status, 201);
        inserts() - before
    };
    assert_eq!([executed(20), executed(40)], [1, 1]);
}
