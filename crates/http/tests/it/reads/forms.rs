//! What clients send that is not in the book of forms: raw filters, arrays, whole numbers with a point,
//! members in capitals.

use std::fmt::Write as _;

use duet_testkit::http::{Client, Response};
use serde_json::json;

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    raw_filters_on_every_method
    an_array_is_made_all_or_nothing
    arrays_of_views_and_plans
    rows_without_a_key
    whole_numbers_with_a_point
    spelled_otherwise
    a_view_is_read_only
    what_a_transaction_has_made
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

const JSON: (&str, &str) = ("Content-Type", "application/json");

fn send(app: &App, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let bearer = app.bearer();
    let mut all = vec![("Authorization", bearer.as_str()), JSON];
    all.extend(headers);
    app.connect().request(method, path, &all, body.as_bytes())
}

fn total(app: &App, resource: &str) -> u64 {
    let page = app.get(&format!("/ords/hr/{resource}/?count=exact&limit=1")).json();
    page["total"].as_u64().unwrap()
}

fn an_array_is_made_all_or_nothing(database: Database) {
    let app = start(&database);
    let rows = json!([
        { "team_id": 9, "name": "Haas", "points": 1 },
        { "team_id": 8, "name": "Alpine" },
    ]);
    let made = send(&app, "POST", "/ords/hr/team/", &[], &rows.to_string());
    assert_eq!((made.status, made.header("location"), made.header("etag")), (201, None, None));
    let made = made.json();
    assert_eq!(made[0], app.get("/ords/hr/team/9").json());
    assert_eq!(made[1], app.get("/ords/hr/team/8").json());
    assert_eq!(made.as_array().unwrap().len(), 2);
    let before = total(&app, "team");
    for (rows, code, pointer) in [
        (json!([{ "team_id": 20, "name": "A" }, { "team_id": 21 }]), "DUET-7104", "/1/name"),
        (
            json!([{ "team_id": 20, "name": "A" }, { "team_id": 21, "name": 7 }]),
            "DUET-7005",
            "/1/name",
        ),
        (
            json!([{ "team_id": 20, "name": "A" }, { "team_id": 21, "nme": "B" }]),
            "DUET-7003",
            "/1/nme",
        ),
        (
            json!([{ "team_id": 20, "name": "A" }, { "team_id": 9, "name": "B" }]),
            "DUET-7101",
            "/1/team_id",
        ),
        (
            json!([{ "team_id": 20, "name": "A" }, { "team_id": 20, "name": "B" }]),
            "DUET-7101",
            "/1/team_id",
        ),
        (json!([{ "team_id": 20, "name": "A" }, 7]), "DUET-7005", "/1"),
        (json!([[]]), "DUET-7005", "/0"),
    ] {
        let refused = send(&app, "POST", "/ords/hr/team/", &[], &rows.to_string()).json();
        let error = &refused["errors"][0];
        assert_eq!(
            (&error["code"], &error["pointer"]),
            (&json!(code), &json!(pointer)),
            "{rows} {refused}"
        );
        assert!(refused["detail"].as_str().unwrap().contains("Nothing was changed"), "{refused}");
        assert_eq!(total(&app, "team"), before, "{rows}");
    }
    let broken = send(&app, "POST", "/ords/hr/team/", &[], "[{\"team_id\":20,}]").json();
    assert_eq!(broken["errors"][0]["position"], json!(15), "{broken}");
    assert_eq!(send(&app, "POST", "/ords/hr/team/", &[], " [ ] ").json(), json!([]));
    let many = vec![json!({ "team_id": 1 }); 1001];
    let refused = send(&app, "POST", "/ords/hr/team/", &[], &json!(many).to_string());
    assert_eq!(refused.status, 422);
    assert!(refused.text().contains("--max-operations"), "{refused:?}");
    // Only a collection takes an array, and only a POST.
    assert_eq!(send(&app, "PUT", "/ords/hr/team/9", &[], "[]").status, 400);
}

const VIEW: &str = "view team_dv as team @insert @update @delete { _id: team_id name }";

fn arrays_of_views_and_plans(database: Database) {
    database.exec(TABLES);
    let setup = Setup::new(&database).view("team_dv", VIEW);
    let app = setup.with(|setup| setup.roles = vec!["duet.write", "duet.read"]).start();
    let rows = json!([{ "_id": 9, "name": "Haas" }, { "_id": 8, "name": "Alpine" }]).to_string();
    let plan = send(&app, "POST", "/ords/hr/team_dv/?explain=1", &[], &rows);
    assert_eq!(
        (plan.status, &plan.json()[1]["operations"][0]["operation"]),
        (200, &json!("insert"))
    );
    let tried = send(&app, "POST", "/ords/hr/team_dv/", &[("Prefer", "tx=rollback")], &rows);
    assert_eq!((tried.status, &tried.json()[0]["name"]), (201, &json!("Haas")));
    assert_eq!(total(&app, "team"), 3);
    let minimal = send(&app, "POST", "/ords/hr/team_dv/", &[("Prefer", "return=minimal")], &rows);
    assert_eq!((minimal.status, minimal.body.len(), total(&app, "team")), (201, 0, 5));
}

/// A row that no address leads to is made all the same.
fn rows_without_a_key(database: Database) {
    database.exec(
        "CREATE TABLE note (at timestamp, text varchar(20) NOT NULL, size integer DEFAULT 7)",
    );
    let app = start(&database);
    let options = send(&app, "OPTIONS", "/ords/hr/note/", &[], "");
    assert_eq!(options.header("allow"), Some("GET, HEAD, OPTIONS, POST, QUERY"));
    let made = send(&app, "POST", "/ords/hr/note/", &[], r#"{"text":"a"}"#);
    assert_eq!(
        (made.status, made.header("location"), made.header("content-location")),
        (201, None, None)
    );
    assert_eq!(made.json(), json!({ "at": null, "text": "a", "size": 7 }));
    let many = send(&app, "POST", "/ords/hr/note/", &[], r#"[{"text":"b","size":1},{"text":"c"}]"#);
    assert_eq!(many.json()[0], json!({ "at": null, "text": "b", "size": 1 }));
    let refused = send(&app, "POST", "/ords/hr/note/", &[], r#"[{"text":"d"},{"size":1}]"#).json();
    assert_eq!(refused["errors"][0]["pointer"], json!("/1/text"), "{refused}");
    let tried =
        send(&app, "POST", "/ords/hr/note/", &[("Prefer", "tx=rollback")], r#"{"text":"e"}"#);
    assert_eq!(tried.status, 201);
    let both = r#"[{"method":"POST","path":"note","body":{"text":"f"}}]"#;
    let both = send(&app, "POST", "/ords/hr/_/transaction", &[], both).json();
    assert_eq!(both[0], json!({ "status": 201, "body": { "at": null, "text": "f", "size": 7 } }));
    let plan = send(&app, "POST", "/ords/hr/note/?explain=1", &[], r#"{"text":"g"}"#).json();
    assert_eq!(plan["operations"][0]["set"]["text"], json!("g"));
    assert_eq!(total(&app, "note"), 4);
    assert_eq!(send(&app, "PATCH", "/ords/hr/note/?q=%7B%7D", &[], "{}").status, 405);
    let catalog = app.get("/ords/hr/metadata-catalog/note/").json();
    assert_eq!(catalog["operations"], json!(["insert"]));
}

fn whole_numbers_with_a_point(database: Database) {
    let app = start(&database);
    for number in ["1500", "1500.0", "1.5e3", "15E+2", "\"1500.00\""] {
        for (method, path, body) in [
            ("PATCH", "/ords/hr/team/1", format!(r#"{{"points":{number}}}"#)),
            (
                "PATCH",
                "/ords/hr/team/?q=%7B%22team_id%22:1.0%7D",
                format!(r#"{{"points":{number}}}"#),
            ),
            (
                "PUT",
                "/ords/hr/team/1",
                format!(r#"{{"team_id":1.0,"name":"a","points":{number}}}"#),
            ),
        ] {
            let answer = send(&app, method, path, &[], &body);
            assert_eq!(answer.status, 200, "{method} {body} {answer:?}");
        }
        send(&app, "DELETE", "/ords/hr/team/77", &[], "");
        let body = format!(r#"[{{"team_id":77.0,"name":"x","points":{number}}}]"#);
        let loaded = send(&app, "POST", "/ords/hr/team/batchload", &[], &body);
        assert!(loaded.text().contains("SUCCESS"), "{number} {loaded:?}");
        let asked = format!(r#"{{"q":{{"points":{number}}},"fields":"team_id"}}"#);
        let found = send(&app, "POST", "/ords/hr/team/search", &[], &asked).json();
        assert_eq!(found["count"], json!(2), "{number} {found}");
        assert_eq!(app.get("/ords/hr/team/77").json()["points"], json!(1500), "{number}");
    }
    for number in ["1500.5", "1e-1", "1e40"] {
        let body = format!(r#"{{"points":{number}}}"#);
        let refused = send(&app, "PATCH", "/ords/hr/team/1", &[], &body).json();
        assert_eq!(refused["errors"][0]["code"], json!("DUET-7005"), "{refused}");
        assert!(refused["detail"].as_str().unwrap().contains("a whole number"), "{refused}");
    }
}

fn spelled_otherwise(database: Database) {
    let app = start(&database);
    // Members are spelled exactly, or a stored JSON member could be taken for a column.
    let refused = send(&app, "PATCH", "/ords/hr/team/1", &[], r#"{"POINTS":1}"#).json();
    let error = &refused["errors"][0];
    assert_eq!((&error["code"], &error["pointer"]), (&json!("DUET-7003"), &json!("/POINTS")));
    assert_eq!(error["hint"], json!("Did you mean `points`?"), "{refused}");
    for (method, body) in [("GET", ""), ("HEAD", ""), ("PATCH", r#"{"points":2}"#), ("DELETE", "")]
    {
        let path = "/ords/hr/team/2/";
        let answer = match body {
            "" => app.connect().request(method, path, &[("Authorization", &app.bearer())], b""),
            body => send(&app, method, path, &[], body),
        };
        assert_eq!(answer.status, 200, "{method} {answer:?}");
    }
    assert_eq!(app.get("/ords/hr/team/301/").body, app.get("/ords/hr/team/301").body);
    for nothing in ["/ords/hr/team//", "/ords/hr/team/301//", "/ords/hr/team/301/x"] {
        assert_eq!(app.get(nothing).status, 404, "{nothing}");
    }
}

fn what_a_transaction_has_made(database: Database) {
    let app = start(&database);
    let all = |operations: serde_json::Value| {
        send(&app, "POST", "/ords/hr/_/transaction", &[], &operations.to_string())
    };
    let make = json!({ "method": "POST", "path": "team", "body": { "team_id": 9, "name": "A" } });
    let change =
        json!({ "method": "PATCH", "path": "team/9", "ifMatch": "*", "body": { "name": "B" } });
    let made = all(json!([make, change]));
    assert_eq!((made.status, &made.json()[1]["body"]["name"]), (200, &json!("B")), "{made:?}");
    let remove = json!({ "method": "DELETE", "path": "team/9" });
    for operations in [
        json!([remove, change]),
        json!([{ "method": "DELETE", "path": "team/99", "ifMatch": "*" }]),
    ] {
        let refused = all(operations.clone());
        assert_eq!(refused.status, 412, "{operations} {refused:?}");
    }
    // An etag is that of the state before.
    let tagged = json!({ "method": "PATCH", "path": "team/10", "ifMatch": "\"0\"", "body": { "name": "B" } });
    let make = json!({ "method": "POST", "path": "team", "body": { "team_id": 10, "name": "A" } });
    assert_eq!(all(json!([make, tagged])).status, 412);
    assert_eq!(app.get("/ords/hr/team/9").json()["name"], json!("B"));
}

fn a_view_is_read_only(database: Database) {
    database.exec(TABLES);
    database.exec("CREATE VIEW leader AS SELECT team_id, name FROM team");
    let view = "view team_dv as team { _id: team_id name }";
    let setup = Setup::new(&database).view("team_dv", view);
    let app = setup.with(|setup| setup.roles = vec!["duet.write", "duet.read"]).start();
    for (path, why) in [
        ("/ords/hr/leader/", "`leader` is a view of the database, and views are read-only."),
        ("/ords/hr/team_dv/", "`team_dv` is read-only: nothing in its definition allows a write."),
    ] {
        let refused = send(&app, "POST", path, &[], "{}");
        assert_eq!(refused.status, 405);
        let message = refused.json()["detail"].as_str().unwrap().to_owned();
        assert!(message.starts_with(why) && message.contains("GET"), "{message}");
        assert_eq!(refused.header("allow"), Some("GET, HEAD, OPTIONS, QUERY"));
    }
}
