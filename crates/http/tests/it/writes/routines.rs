//! Functions and procedures of PostgreSQL run by POST: arguments by name, results of every form.

use duet_testkit::http::Response;
use serde_json::{Value, json};

use duet_model::ProfileRef;
use duet_service::definition::{Mounts, Resource};

use crate::support::{App, Database, Setup};

const SCHEMA: &str = "
CREATE TABLE team (team_id int PRIMARY KEY, name text NOT NULL, points int);
INSERT INTO team VALUES (2, 'Mercedes', 27), (302, 'Ferrari', 43);
CREATE FUNCTION add(a int, b numeric DEFAULT 0.50) RETURNS numeric LANGUAGE sql AS 'SELECT a + b';
CREATE FUNCTION nothing() RETURNS void LANGUAGE sql AS 'UPDATE team SET points = 0';
CREATE FUNCTION best(at_least int) RETURNS SETOF team LANGUAGE sql
  AS 'SELECT * FROM team WHERE points >= at_least ORDER BY team_id';
CREATE FUNCTION one_team(id int) RETURNS team LANGUAGE sql AS 'SELECT * FROM team WHERE team_id = id';
CREATE FUNCTION numbers(upto int) RETURNS SETOF int LANGUAGE sql AS 'SELECT generate_series(1, upto)';
CREATE FUNCTION two(OUT \"First\" int, OUT second text) LANGUAGE sql AS $$SELECT 1, 'x'$$;
CREATE FUNCTION only_out(a int, OUT double int) LANGUAGE sql AS 'SELECT a * 2';
CREATE FUNCTION pairs(a int) RETURNS TABLE (k int, v timestamp) LANGUAGE sql
  AS $$SELECT i, timestamp '2022-03-20' + i * interval '1 day' FROM generate_series(1, a) i$$;
CREATE FUNCTION joined(VARIADIC words text[]) RETURNS text LANGUAGE sql AS $$SELECT array_to_string(words, '-')$$;
CREATE FUNCTION unnamed(int, int) RETURNS int LANGUAGE sql AS 'SELECT $1 - $2';
CREATE FUNCTION echo(j jsonb) RETURNS jsonb LANGUAGE sql AS 'SELECT j';
CREATE FUNCTION refuses() RETURNS int LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'secret words'; END$$;
CREATE FUNCTION over(a int) RETURNS int LANGUAGE sql AS 'SELECT a';
CREATE FUNCTION over(a text) RETURNS text LANGUAGE sql AS 'SELECT a';
CREATE FUNCTION owners() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';
CREATE FUNCTION unknown_rows() RETURNS SETOF record LANGUAGE sql AS 'SELECT 1, 2';
CREATE PROCEDURE rename(id int, to_name text, INOUT old text DEFAULT NULL) LANGUAGE plpgsql
  AS $$BEGIN SELECT name INTO old FROM team WHERE team_id = id;
       UPDATE team SET name = to_name WHERE team_id = id; END$$;
CREATE PROCEDURE clear() LANGUAGE sql AS 'DELETE FROM team';
";

fn start(database: &Database) -> App {
    database.exec(SCHEMA);
    let mut setup = Setup::new(database);
    setup.roles = vec!["duet.read", "duet.write", "duet.execute", "duet.admin"];
    setup.start()
}

fn post(app: &App, name: &str, body: &str) -> Response {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    app.connect().request("POST", &format!("/ords/hr/{name}"), &headers, body.as_bytes())
}

#[track_caller]
fn answers(app: &App, name: &str, body: &str, expected: Value) {
    let response = post(app, name, body);
    assert_eq!(response.status, 200, "{name} {body} {response:?}");
    assert_eq!(response.json(), expected, "{name} {body}");
}

#[track_caller]
fn refuses(app: &App, name: &str, body: &str, status: u16, code: &str) -> Value {
    let response = post(app, name, body);
    assert_eq!(response.status, status, "{name} {body} {response:?}");
    let problem = response.json()["errors"][0].clone();
    assert_eq!(problem["code"], code, "{name} {body} {response:?}");
    problem
}

#[test]
fn results_of_every_form() {
    let database = Database::postgres("routines::results");
    let app = start(&database);
    assert_eq!(post(&app, "add", r#"{"a":1}"#).text(), r#"{"~ret":1.50}"#);
    assert_eq!(post(&app, "add", r#"{"b":"2.25","a":1}"#).text(), r#"{"~ret":3.25}"#);
    let ferrari = json!({"team_id": 302, "name": "Ferrari", "points": 43});
    answers(&app, "best", r#"{"at_least":30}"#, json!({"items": [ferrari], "count": 1}));
    answers(&app, "one_team", r#"{"id":302}"#, ferrari);
    answers(&app, "numbers", r#"{"upto":3}"#, json!({"items": [1, 2, 3], "count": 3}));
    answers(&app, "numbers", r#"{"upto":0}"#, json!({"items": [], "count": 0}));
    answers(&app, "two", "", json!({"first": 1, "second": "x"}));
    answers(&app, "only_out", r#"{"a":4}"#, json!({"double": 8}));
    answers(
        &app,
        "pairs",
        r#"{"a":1}"#,
        json!({"items": [{"k": 1, "v": "2022-03-21T00:00:00"}], "count": 1}),
    );
    answers(&app, "joined", r#"{"words":["a","b"]}"#, json!({"~ret": "a-b"}));
    answers(&app, "unnamed", r#"{"arg1":5,"arg2":3}"#, json!({"~ret": 2}));
    answers(&app, "echo", r#"{"j":{"a":[1]}}"#, json!({"~ret": {"a": [1]}}));
    answers(&app, "rename", r#"{"id":2,"to_name":"Silver"}"#, json!({"old": "Mercedes"}));
    assert_eq!(app.get("/ords/hr/team/2").json()["name"], "Silver");
    answers(&app, "nothing/", "{}", json!({}));
    assert_eq!(app.get("/ords/hr/team/2").json()["points"], 0);
    answers(&app, "clear", "", json!({}));
    assert_eq!(app.get("/ords/hr/team/").json()["count"], 0);
}

#[test]
fn composite_results_are_objects() {
    let database = Database::postgres("routines::composite");
    database.exec(
        "CREATE TYPE pair AS (x int, \"Y\" text, at timestamptz, n numeric(5,2), ip inet, bytes bytea);
         CREATE TYPE nest AS (p pair, ps pair[], moods int[]);
         CREATE DOMAIN pairs AS pair[];
         CREATE TABLE gone (a int, b int, p pair);
         ALTER TABLE gone DROP COLUMN b;
         CREATE FUNCTION one() RETURNS pair LANGUAGE sql AS
           $$SELECT 7, 'a', timestamptz '2022-03-20 01:00:00+01', 1.25, inet '10.0.0.1', '\\x00ff'::bytea$$;
         CREATE FUNCTION no_pair() RETURNS pair LANGUAGE sql AS 'SELECT NULL::pair';
         CREATE FUNCTION several() RETURNS SETOF pair LANGUAGE sql AS 'SELECT one() UNION ALL SELECT one()';
         CREATE FUNCTION nested() RETURNS nest LANGUAGE sql AS
           $$SELECT one(), ARRAY[one(), NULL, (NULL, NULL, NULL, NULL, NULL, NULL)::pair], ARRAY[1, 2]$$;
         CREATE FUNCTION empty() RETURNS nest LANGUAGE sql AS $$SELECT NULL::pair, '{}'::pair[], NULL::int[]$$;
         CREATE FUNCTION many() RETURNS pair[] LANGUAGE sql AS 'SELECT ARRAY[one()]';
         CREATE FUNCTION of_domain() RETURNS pairs LANGUAGE sql AS 'SELECT ARRAY[one()]::pairs';
         CREATE FUNCTION out_alone(OUT p pair) LANGUAGE sql AS 'SELECT one()';
         CREATE FUNCTION outs(OUT a int, OUT p pair, OUT ps pair[]) LANGUAGE sql AS
           'SELECT 1, one(), ARRAY[one()]';
         CREATE FUNCTION all_rows() RETURNS TABLE (k int, p pair) LANGUAGE sql AS
           'SELECT i, CASE WHEN i > 1 THEN one() END FROM generate_series(1, 2) i';
         CREATE FUNCTION of_table() RETURNS gone LANGUAGE sql AS 'SELECT 5, one()';
         CREATE TYPE plain AS (x int, y text);
         CREATE PROCEDURE gives(INOUT p plain DEFAULT NULL) LANGUAGE plpgsql AS
           $$BEGIN p.x := 3; END$$;",
    );
    let app = start(&database);
    let pair = json!({
        "x": 7, "y": "a", "at": "2022-03-20T00:00:00Z", "n": 1.25, "ip": "10.0.0.1", "bytes": "AP8=",
    });
    let nulls = json!({ "x": null, "y": null, "at": null, "n": null, "ip": null, "bytes": null });
    answers(&app, "one", "", pair.clone());
    assert!(post(&app, "one", "").text().contains("\"n\":1.25"));
    answers(&app, "no_pair", "", nulls.clone());
    answers(&app, "several", "", json!({ "items": [pair, pair], "count": 2 }));
    answers(&app, "nested", "", json!({ "p": pair, "ps": [pair, null, nulls], "moods": [1, 2] }));
    answers(&app, "empty", "", json!({ "p": null, "ps": [], "moods": null }));
    answers(&app, "many", "", json!({ "~ret": [pair] }));
    answers(&app, "of_domain", "", json!({ "~ret": [pair] }));
    answers(&app, "out_alone", "", json!({ "p": pair }));
    answers(&app, "outs", "", json!({ "a": 1, "p": pair, "ps": [pair] }));
    let items = json!([{ "k": 1, "p": null }, { "k": 2, "p": pair }]);
    answers(&app, "all_rows", "", json!({ "items": items, "count": 2 }));
    answers(&app, "of_table", "", json!({ "a": 5, "p": pair }));
    answers(&app, "gives", "", json!({ "p": { "x": 3, "y": null } }));
    // The catalogs describe them so.
    let entry = app.get("/ords/hr/metadata-catalog/nested/").json();
    assert_eq!(
        (&entry["members"][0]["type"], &entry["members"][1]["items"]),
        (&json!("OBJECT"), &json!("OBJECT"))
    );
    assert_eq!(entry["members"][0]["members"][1], json!({ "name": "y", "type": "VARCHAR" }));
    let document = app.get("/ords/hr/open-api-catalog/").json();
    let schema = &document["paths"]["/nested"]["post"]["responses"]["200"]["content"]["application/json"]
        ["schema"];
    let attributes = &schema["properties"]["ps"]["items"]["properties"];
    assert_eq!(attributes["x"]["type"], json!(["integer", "null"]), "{schema}");
}

#[test]
fn errors_that_routines_raise() {
    let database = Database::postgres("routines::raise");
    database.exec(
        "CREATE FUNCTION loud() RETURNS int LANGUAGE plpgsql AS
           $$BEGIN RAISE 'at most nine' USING HINT = 'Send less.', ERRCODE = 'U0001'; END$$;
         CREATE FUNCTION quiet() RETURNS int LANGUAGE plpgsql AS
           $$BEGIN RAISE 'at most nine' USING HINT = 'Send less.'; END$$;",
    );
    let app = Setup::new(&database)
        .with(|setup| {
            setup.roles = vec!["duet.execute"];
            let (name, table) = ("loud".to_owned(), "loud".to_owned());
            let loud = Resource { name, table, raised_messages: true, ..Resource::default() };
            setup.mount().resources.push(loud);
        })
        .start();
    let quiet = post(&app, "quiet", "");
    assert_eq!((quiet.status, &quiet.json()["errors"][0]["code"]), (400, &json!("DUET-7106")));
    assert!(!quiet.text().contains("nine") && !quiet.text().contains("Send less"), "{quiet:?}");
    let detail = quiet.json()["detail"].to_string();
    assert!(detail.contains("quiet") && !detail.contains("trigger"), "{detail}");
    let loud = post(&app, "loud", "").json();
    assert_eq!((&loud["detail"], &loud["status"]), (&json!("at most nine"), &json!(400)), "{loud}");
    assert_eq!(loud["errors"][0]["hint"], "Send less.");
}

/// What the server itself would mean by a state is not what a function means that raises it.
#[test]
fn raised_states_are_not_the_servers_own() {
    let database = Database::postgres("routines::states");
    database.exec(
        "CREATE TABLE t (id int PRIMARY KEY);
         CREATE FUNCTION raises(state text) RETURNS int LANGUAGE plpgsql AS
           $$BEGIN RAISE 'at most nine' USING ERRCODE = state; END$$;
         CREATE FUNCTION checks() RETURNS trigger LANGUAGE plpgsql AS
           $$BEGIN RAISE 'not this one' USING ERRCODE = '42501', HINT = 'Take another.'; END$$;
         CREATE TRIGGER checks BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION checks();
         CREATE FUNCTION writes() RETURNS int LANGUAGE sql STABLE AS
           $$INSERT INTO t VALUES (1) RETURNING id$$;",
    );
    let raised = |are_sent: bool| {
        Setup::new(&database)
            .with(|setup| {
                setup.roles = vec!["duet.execute", "duet.read", "duet.write"];
                setup.mount().raised_messages = are_sent;
            })
            .start()
    };
    let (silent, loud) = (raised(false), raised(true));
    let states = ["22003", "22023", "42501", "42P01", "44000", "53300", "57P01", "08006"];
    for (state, code, status) in states
        .map(|state| (state, "DUET-7106", 400))
        .into_iter()
        .chain([("23505", "DUET-7101", 409), ("23503", "DUET-7102", 409)])
    {
        let body = json!({ "state": state }).to_string();
        let answer = post(&silent, "raises", &body);
        assert_eq!(answer.json()["errors"][0]["code"], code, "{state} {answer:?}");
        assert_eq!(answer.status, status, "{state}");
        assert!(!answer.text().contains("at most nine"), "{answer:?}");
        let answer = post(&loud, "raises", &body);
        assert_eq!((answer.status, &answer.json()["detail"]), (status, &json!("at most nine")));
    }
    for (app, shown) in [(&silent, false), (&loud, true)] {
        let refused = post(app, "t/", r#"{"id":1}"#);
        assert_eq!((refused.status, refused.text().contains("Take another.")), (400, shown));
        assert_eq!(refused.json()["errors"][0]["code"], "DUET-7106", "{refused:?}");
    }
    refuses(&loud, "writes", "{}", 500, "DUET-6011");
}

/// PostgreSQL finds a function whose VARIADIC argument is left out by positions alone.
#[test]
fn variadic_arguments_may_have_defaults() {
    let database = Database::postgres("routines::variadic");
    database.exec(
        "CREATE FUNCTION joined(sep text, mark text DEFAULT '!', VARIADIC xs int[] DEFAULT '{7,8}') RETURNS text
           LANGUAGE sql AS $$SELECT array_to_string(xs, sep) || mark$$;",
    );
    let start = || Setup::new(&database).with(|setup| setup.roles = vec!["duet.execute"]).start();
    let app = start();
    answers(&app, "joined", r#"{"sep":"-"}"#, json!({ "~ret": "7-8!" }));
    answers(&app, "joined", r#"{"mark":"?","sep":"-"}"#, json!({ "~ret": "7-8?" }));
    let whole = r#"{"sep":"-","mark":"?","xs":[1,2]}"#;
    answers(&app, "joined", whole, json!({ "~ret": "1-2?" }));
    let gap = refuses(&app, "joined", r#"{"sep":"-","xs":[1,2]}"#, 400, "DUET-7004");
    assert_eq!(gap["pointer"], "/mark");
    database.exec("DROP FUNCTION joined; CREATE FUNCTION joined(sep text DEFAULT '-', mark text DEFAULT '!',
        VARIADIC xs int[] DEFAULT '{7,8}') RETURNS text LANGUAGE sql AS $$SELECT array_to_string(xs, sep) || mark$$");
    let app = start();
    answers(&app, "joined", "{}", json!({ "~ret": "7-8!" }));
    assert_eq!(refuses(&app, "joined", r#"{"mark":"?"}"#, 400, "DUET-7004")["pointer"], "/sep");
}

#[test]
fn what_no_request_can_call_is_left_out_with_a_note() {
    let database = Database::postgres("routines::uncallable");
    database.exec(
        "CREATE TABLE t (id int PRIMARY KEY);
         CREATE FUNCTION any_one(a anyelement) RETURNS anyelement LANGUAGE sql AS 'SELECT a';
         CREATE FUNCTION any_list(VARIADIC a anyarray) RETURNS int LANGUAGE sql AS 'SELECT 1';
         CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$BEGIN INSERT INTO t VALUES (1); COMMIT; END$$;
         CREATE PROCEDURE host(INOUT h inet DEFAULT NULL) LANGUAGE sql AS 'SELECT h';
         CREATE PROCEDURE calls() LANGUAGE plpgsql AS $$BEGIN CALL commits(); END$$;
         CREATE PROCEDURE fine() LANGUAGE plpgsql AS $$BEGIN -- COMMIT;
           INSERT INTO t VALUES (2); END$$;",
    );
    let app = start(&database);
    for name in ["any_one", "any_list", "commits", "host"] {
        refuses(&app, name, "{}", 404, "DUET-1001");
    }
    let notes = app.get("/admin/status").json().to_string();
    for why in ["anyelement", "anyarray", "COMMIT or ROLLBACK", "of the type inet"] {
        assert!(notes.contains(why), "{why}: {notes}");
    }
    refuses(&app, "calls", "{}", 501, "DUET-6016");
    answers(&app, "fine", "", json!({}));
    assert_eq!(database.count("SELECT count(*) FROM t"), 1);
}

#[test]
fn a_schema_with_functions_alone_is_served() {
    let database = Database::postgres("routines::alone");
    database.exec(
        "CREATE FUNCTION add(a int, b int) RETURNS int LANGUAGE sql AS 'SELECT a + b';
         CREATE SCHEMA \"Other\";
         CREATE FUNCTION \"Other\".twice(a int) RETURNS int LANGUAGE sql AS 'SELECT a * 2';",
    );
    let app = Setup::new(&database)
        .with(|setup| {
            setup.mounts = Mounts::AdHoc;
            setup.roles = vec!["duet.execute", "duet.read"];
        })
        .start();
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    for (path, body, expected) in
        [("/api/public/add", r#"{"a":1,"b":2}"#, 3), ("/api/other/twice", r#"{"a":4}"#, 8)]
    {
        let answer = app.connect().request("POST", path, &headers, body.as_bytes());
        assert_eq!((answer.status, &answer.json()["~ret"]), (200, &json!(expected)), "{answer:?}");
    }
    assert_eq!(app.get("/api/public/metadata-catalog/add/").json()["type"], "FUNCTION");
}

#[test]
fn clients_of_ords_call_as_tables_are_read() {
    let database = Database::postgres("routines::ords");
    database.exec(
        "CREATE FUNCTION add(a int, b int DEFAULT 1) RETURNS int LANGUAGE sql AS 'SELECT a + b';
         CREATE FUNCTION moment() RETURNS timestamp LANGUAGE sql AS $$SELECT timestamp '2022-03-20'$$;",
    );
    let app = Setup::new(&database)
        .with(|setup| {
            setup.roles = vec!["duet.execute"];
            setup.mount().profile = ProfileRef::named("ords").unwrap();
        })
        .start();
    answers(&app, "add", r#"{"A":1,"B":2}"#, json!({ "~ret": 3 }));
    answers(&app, "add", r#"{"a":1}"#, json!({ "~ret": 2 }));
    answers(&app, "moment", "", json!({ "~ret": "2022-03-20T00:00:00Z" }));
}

#[test]
fn wrong_calls_are_refused() {
    let database = Database::postgres("routines::wrong");
    let app = start(&database);
    assert_eq!(refuses(&app, "add", r#"{"a":"x"}"#, 400, "DUET-7005")["pointer"], "/a");
    assert_eq!(refuses(&app, "add", "{}", 400, "DUET-7004")["pointer"], "/a");
    let unknown = refuses(&app, "add", r#"{"a":1,"c":2}"#, 400, "DUET-7003");
    assert_eq!(unknown["pointer"], "/c");
    refuses(&app, "add", "[]", 400, "DUET-7005");
    refuses(&app, "add", "{", 400, "DUET-7001");
    let refused = refuses(&app, "refuses", "", 400, "DUET-7106");
    assert!(!refused.to_string().contains("secret"), "{refused}");
    for name in ["over", "owners", "unknown_rows"] {
        refuses(&app, name, "{}", 404, "DUET-1001");
    }
    let got = app.get("/ords/hr/add");
    assert_eq!((got.status, got.header("allow")), (405, Some("OPTIONS, POST")));
    refuses(&app, "add/1", "{}", 404, "DUET-1001");
    refuses(&app, "add?x=1", "{}", 400, "DUET-1005");
}

/// The catalogs list routines whatever their privileges.
#[test]
fn described() {
    let database = Database::postgres("routines::described");
    let app = start(&database);
    let document = app.get("/ords/hr/open-api-catalog/").json();
    let post = |name: &str| document["paths"][format!("/{name}")]["post"].clone();
    let body =
        |name: &str| post(name)["requestBody"]["content"]["application/json"]["schema"].clone();
    assert_eq!(body("add")["required"], json!(["a"]));
    let number = json!({"type": ["number", "string", "null"], "pattern": "^(NaN|-?Infinity)$"});
    assert_eq!(body("add")["properties"]["b"], number);
    assert_eq!(body("rename")["required"], json!(["id", "to_name"]));
    let answer = |name: &str| {
        post(name)["responses"]["200"]["content"]["application/json"]["schema"].clone()
    };
    let name = json!({"type": ["string", "null"]});
    assert_eq!(answer("best")["properties"]["items"]["items"]["properties"]["name"], name);
    assert_eq!(answer("add")["properties"]["~ret"], number);
    for name in ["over", "owners", "unknown_rows"] {
        assert_eq!(post(name), Value::Null);
    }
    assert!(post("team/batchload").is_object());
    let one = app.get("/ords/hr/open-api-catalog/best/").json();
    assert_eq!(one["paths"].as_object().unwrap().len(), 1);
    assert_eq!(one["paths"]["/best"], document["paths"]["/best"]);
    let entry = app.get("/ords/hr/metadata-catalog/best/").json();
    assert_eq!(entry["type"], "FUNCTION");
    assert_eq!(
        entry["arguments"],
        json!([{"name": "at_least", "type": "INTEGER", "required": true}])
    );
    assert_eq!(entry["members"][0]["members"][0], json!({"name": "team_id", "type": "INTEGER"}));
    let catalog = app.get("/ords/hr/metadata-catalog/").json();
    assert!(catalog.to_string().contains("/metadata-catalog/best/"), "{catalog}");
    // Not to clients that may only read.
    let reader = Setup::new(&database).start();
    let document = reader.get("/ords/hr/open-api-catalog/").json();
    assert_eq!(document["paths"].get("/best"), None);
    assert_eq!(document["paths"].get("/team/batchload"), None);
    assert_eq!(reader.get("/ords/hr/metadata-catalog/best/").status, 404);
}

#[test]
fn callers_without_the_privilege_are_refused() {
    let database = Database::postgres("routines::rights");
    database.exec(SCHEMA);
    let app = Setup::new(&database).start();
    refuses(&app, "nothing", "", 403, "DUET-4002");
    assert_eq!(app.get("/ords/hr/team/2").json()["points"], 27);
    assert_eq!(app.connect().request("POST", "/ords/hr/nothing", &[], b"").status, 401);
}

#[test]
fn a_dry_run_changes_nothing() {
    let database = Database::postgres("routines::dry");
    let app = start(&database);
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Prefer", "tx=rollback")];
    let response = app.connect().request("POST", "/ords/hr/clear", &headers, b"");
    assert_eq!(
        (response.status, response.header("preference-applied")),
        (200, Some("tx=rollback"))
    );
    assert_eq!(app.get("/ords/hr/team/").json()["count"], 2);
}
