//! Requests with `Idempotency-Key`: one effect for each key, whatever is repeated, at once or later.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use duet_auth::{Operation, Privilege};
use duet_testkit::http::Response;
use duet_testkit::jwt::Issuer;
use duet_testkit::postgres::{Options, Server};
use serde_json::{Value, json};

use crate::access::issuer;
use crate::support::{App, Database, Setup, eventually, on_both_stores};

on_both_stores! {
    every_kind_of_write_takes_effect_once
    a_key_belongs_to_one_request
    keys_are_those_of_a_caller_and_a_resource
    a_token_says_whose_its_keys_are
    a_repeated_answer_shows_what_its_caller_may_read_now
    what_fails_or_is_undone_leaves_no_key
    without_its_table_a_key_is_refused
    malformed_keys
    an_answer_that_is_too_large_is_undone
    expired_keys_are_removed_a_few_at_a_time
    a_crowd_with_one_key_writes_once
    loads_take_no_key
}

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL,
  points integer NOT NULL DEFAULT 0 CHECK (points >= 0));
CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL,
  team_id integer REFERENCES team (team_id));
CREATE TABLE line (said varchar(20) NOT NULL);
INSERT INTO team VALUES (1, 'Red Bull', 0), (2, 'Ferrari', 0), (3, 'Lotus', 0), (4, 'Sauber', 0);
";

const VIEW: &str = "view team_dv as team @insert @update @delete { _id: team_id name points
  driver @insert @update @delete [ { driverId: driver_id name } ] }";

fn setup(database: &Database) -> Setup {
    database.exec(TABLES);
    Setup::new(database)
        .view("team_dv", VIEW)
        .with(|setup| setup.roles = vec!["duet.read", "duet.write"])
}

fn start(database: &Database) -> App {
    assert!(database.prepare_keys());
    setup(database).start()
}

fn keys(database: &Database) -> i64 {
    let table = if database.is_sqlite() { "duet_idempotency" } else { "duet.idempotency" };
    database.count(&format!("SELECT count(*) FROM {table}"))
}

fn send_as(
    app: &App,
    bearer: &str,
    (method, path): (&str, &str),
    key: &str,
    body: &Value,
) -> Response {
    let mut headers = vec![("Authorization", bearer)];
    let text = if body.is_null() { String::new() } else { body.to_string() };
    if !body.is_null() {
        headers.push(("Content-Type", "application/json"));
    }
    if !key.is_empty() {
        headers.push(("Idempotency-Key", key));
    }
    app.connect().request(method, &format!("/ords/hr/{path}"), &headers, text.as_bytes())
}

fn send(app: &App, request: (&str, &str), key: &str, body: &Value) -> Response {
    send_as(app, &app.bearer(), request, key, body)
}

fn code(response: &Response) -> String {
    response.json()["errors"][0]["code"].as_str().unwrap().to_owned()
}

fn is_replayed(response: &Response) -> bool {
    response.header("idempotent-replayed") == Some("true")
}

/// What of an answer is stored and must come back.
fn shown(response: &Response) -> (u16, String, [Option<String>; 3]) {
    let header = |name: &str| response.header(name).map(str::to_owned);
    let headers = ["etag", "location", "content-type"].map(header);
    (response.status, response.text().to_owned(), headers)
}

fn every_kind_of_write_takes_effect_once(database: Database) {
    let app = start(&database);
    let q = "?q=%7B%22team_id%22:4%7D";
    for (request, status, body) in [
        (("POST", "team/"), 201, json!({ "team_id": 10, "name": "A" })),
        (("POST", "line/"), 201, json!({ "said": "hello" })),
        (("POST", "team/"), 201, json!([{ "team_id": 11, "name": "B" }])),
        (("PUT", "team/2"), 200, json!({ "team_id": 2, "name": "C", "points": 1 })),
        (("PUT", "team/12"), 201, json!({ "team_id": 12, "name": "D", "points": 1 })),
        (("PATCH", "team/2"), 200, json!({ "points": 7 })),
        (("DELETE", "team/3"), 200, Value::Null),
        (("DELETE", &*format!("team/{q}")), 200, Value::Null),
        (
            ("POST", "team/_/batch"),
            200,
            json!([{ "team_id": 13, "name": "E" }, { "team_id": 1, "name": "F" }]),
        ),
        (
            ("POST", "_/transaction"),
            200,
            json!([{ "method": "POST", "path": "/team", "body": { "team_id": 14, "name": "G" } }]),
        ),
        (
            ("POST", "team_dv/"),
            201,
            json!({ "_id": 15, "name": "H", "points": 0, "driver": [{ "driverId": 1, "name": "I" }] }),
        ),
        (("PATCH", "team_dv/15"), 200, json!({ "points": 3 })),
    ] {
        let key = format!("\"{} {}\"", request.0, request.1.len() + body.to_string().len());
        let first = send(&app, request, &key, &body);
        assert_eq!(first.status, status, "{request:?} {first:?}");
        assert!(!is_replayed(&first), "{request:?}");
        let again = send(&app, request, &key, &body);
        assert!(is_replayed(&again), "{request:?} {again:?}");
        assert_eq!(shown(&again), shown(&first), "{request:?}");
    }
    assert_eq!(database.count("SELECT count(*) FROM line"), 1);
    assert_eq!(keys(&database), 12);
    let left = send(&app, ("GET", "team/?fields=team_id&limit=100"), "", &Value::Null).json();
    let left: BTreeSet<i64> = left["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["team_id"].as_i64().unwrap())
        .collect();
    assert_eq!(left, BTreeSet::from([1, 2, 10, 11, 12, 13, 14, 15]));
    // A replayed change does not undo what came behind it.
    let changed = send(&app, ("PATCH", "team/2"), "", &json!({ "points": 9 }));
    assert_eq!(changed.status, 200);
    let key = format!("\"PATCH {}\"", "team/2".len() + json!({ "points": 7 }).to_string().len());
    assert!(is_replayed(&send(&app, ("PATCH", "team/2"), &key, &json!({ "points": 7 }))));
    assert_eq!(send(&app, ("GET", "team/2"), "", &Value::Null).json()["points"], 9);
}

fn a_key_belongs_to_one_request(database: Database) {
    let app = start(&database);
    let body = json!({ "team_id": 10, "name": "A" });
    assert_eq!(send(&app, ("POST", "team/"), "k", &body).status, 201);
    // The key is the same with and without quotes.
    assert!(is_replayed(&send(&app, ("POST", "team/"), "\"k\"", &body)));
    for (request, body) in [
        (("POST", "team/"), json!({ "team_id": 11, "name": "A" })),
        (("POST", "team/_/batch"), json!([body.clone()])),
        (("PUT", "team/10"), body.clone()),
        (("DELETE", "team/10"), Value::Null),
    ] {
        let refused = send(&app, request, "k", &body);
        assert_eq!((refused.status, &*code(&refused)), (422, "DUET-7021"), "{request:?}");
    }
    assert_eq!(database.count("SELECT count(*) FROM team"), 5);
    // A read takes no notice of it.
    assert_eq!(send(&app, ("GET", "team/10"), "k", &Value::Null).status, 200);
}

fn keys_are_those_of_a_caller_and_a_resource(database: Database) {
    assert!(database.prepare_keys());
    let app = setup(&database).with(|setup| setup.clients = vec![("other", None)]).start();
    let body = json!({ "said": "once" });
    assert_eq!(send(&app, ("POST", "line/"), "k", &body).status, 201);
    let other = send_as(&app, &app.bearer_of("other"), ("POST", "line/"), "k", &body);
    assert_eq!((other.status, is_replayed(&other)), (201, false));
    let elsewhere = send(&app, ("POST", "team/"), "k", &json!({ "team_id": 9, "name": "A" }));
    assert_eq!((elsewhere.status, is_replayed(&elsewhere)), (201, false));
    assert_eq!(database.count("SELECT count(*) FROM line"), 2);
}

/// The text that names people of another issuer tells them apart, however long it is; others have no keys.
fn a_token_says_whose_its_keys_are(database: Database) {
    assert!(database.prepare_keys());
    let (issuer, folder) = (Issuer::new("a"), tempfile::tempdir().unwrap());
    let file = folder.path().join("keys.json");
    std::fs::write(&file, issuer.jwks().to_string()).unwrap();
    let places = (issuer::asked(), issuer::by_file(file));
    let app = setup(&database).with(|setup| setup.issuer = Some(places)).start();
    let post = |name: &str, value: Value| {
        let claims = issuer::with(&issuer::claims(&["duet.read", "duet.write"]), name, value);
        let bearer = format!("Bearer {}", issuer.token(&claims));
        send_as(&app, &bearer, ("POST", "line/"), "k", &json!({ "said": "once" }))
    };
    for nameless in [json!(5), json!(null)] {
        let refused = post("sub", nameless);
        assert_eq!((refused.status, code(&refused).as_str()), (400, "DUET-7025"), "{refused:?}");
    }
    assert_eq!(database.count("SELECT count(*) FROM line"), 0);
    let long = "p".repeat(300);
    for (sub, is_first) in [
        ("ann".to_owned(), true),
        ("bob".to_owned(), true),
        (format!("{long}1"), true),
        (format!("{long}2"), true),
        (format!("{long}1"), false),
        ("ann".to_owned(), false),
    ] {
        let answer = post("sub", json!(sub));
        assert_eq!((answer.status, is_replayed(&answer)), (201, !is_first), "{sub}");
    }
    assert_eq!(database.count("SELECT count(*) FROM line"), 4);
}

/// The right to read is taken away between the two requests: the second gets what a first one would.
fn a_repeated_answer_shows_what_its_caller_may_read_now(database: Database) {
    assert!(database.prepare_keys());
    let (issuer, folder) = (Issuer::new("a"), tempfile::tempdir().unwrap());
    let file = folder.path().join("keys.json");
    std::fs::write(&file, issuer.jwks().to_string()).unwrap();
    let places = (issuer::asked(), issuer::by_file(file));
    let app = setup(&database)
        .with(|setup| {
            setup.issuer = Some(places);
            let privilege = |role: &str, pattern: &str, operations: &[Operation]| Privilege {
                name: format!("{role} {pattern}"),
                roles: vec![role.to_owned()],
                patterns: vec![pattern.to_owned()],
                operations: operations.to_vec(),
            };
            let writes = [Operation::Insert, Operation::Update, Operation::Delete];
            setup.mount().privileges = vec![
                privilege("sees", "/team/*", &[Operation::Read]),
                privilege("sees_lines", "/line/*", &[Operation::Read]),
                privilege("changes", "/*", &writes),
            ];
        })
        .start();
    let send = |roles: &[&str], request: (&str, &str), key: &str, body: &Value| {
        let bearer = format!("Bearer {}", issuer.token(&issuer::claims(roles)));
        send_as(&app, &bearer, request, key, body)
    };
    let (all, few) = (["changes", "sees", "sees_lines"], ["changes", "sees_lines"]);
    let team = |id: u8| json!({ "team_id": id, "name": "Secret" });
    let post = |path: &str, body: Value| json!({ "method": "POST", "path": path, "body": body });
    let patch = json!({ "method": "PATCH", "path": "/team/1", "body": { "name": "Secret" } });
    let delete = json!({ "method": "DELETE", "path": "/team/4" });
    for (number, (request, body, expected)) in [
        (("POST", "team/"), team(10), (201, "".to_owned())),
        (("POST", "team/"), json!([team(11), team(12)]), (201, String::new())),
        (
            ("PUT", "team/2"),
            json!({ "team_id": 2, "name": "Secret", "points": 1 }),
            (204, "".into()),
        ),
        (
            ("PUT", "team/13"),
            json!({ "team_id": 13, "name": "Secret", "points": 1 }),
            (201, "".into()),
        ),
        (("PATCH", "team/2"), json!({ "name": "Secret" }), (204, "".into())),
        (("DELETE", "team/3"), Value::Null, (200, r#"{"rowsDeleted":1}"#.into())),
        (
            ("POST", "team/_/batch"),
            json!([team(14), team(15)]),
            (200, r#"[{"status":201},{"status":201}]"#.into()),
        ),
        (
            ("POST", "_/transaction"),
            json!([post("/team", team(16)), patch, delete]),
            (200, r#"[{"status":201},{"status":204},{"status":204}]"#.into()),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let key = format!("k{number}");
        let first = send(&all, request, &key, &body);
        assert!(first.status < 300, "{request:?} {first:?}");
        let again = send(&few, request, &key, &body);
        assert!(is_replayed(&again), "{request:?} {again:?}");
        assert_eq!((again.status, again.text().to_owned()), expected, "{request:?}");
        assert_eq!((again.header("etag"), again.header("location")), (None, None), "{request:?}");
        // It is as it was for a caller who may read.
        let seen = send(&all, request, &key, &body);
        assert_eq!(shown(&seen), shown(&first), "{request:?}");
    }
    // What each operation of a transaction shows depends on its own resource.
    let mixed = json!([post("/line", json!({ "said": "\\\"}],{[" })), post("/team", team(17))]);
    let first = send(&all, ("POST", "_/transaction"), "mixed", &mixed).json();
    let again = send(&few, ("POST", "_/transaction"), "mixed", &mixed).json();
    assert_eq!(again, json!([first[0], { "status": 201 }]));
    assert!(!first[0]["body"].is_null(), "{first}");
    // The refusal of an item stays, and it shows nothing that is stored.
    let batch = json!([team(18), team(1)]);
    let first = send(&all, ("POST", "team/_/batch"), "batch", &batch).json();
    let again = send(&few, ("POST", "team/_/batch"), "batch", &batch).json();
    assert_eq!(again, json!([{ "status": 201 }, first[1]]));
    assert_eq!(again[1]["status"], 409);
}

fn what_fails_or_is_undone_leaves_no_key(database: Database) {
    let app = start(&database);
    let body = json!({ "team_id": 1, "name": "A" });
    assert_eq!(send(&app, ("POST", "team/"), "k", &body).status, 409);
    let batch = json!([{ "team_id": 7, "name": "A" }, body.clone()]);
    assert_eq!(send(&app, ("POST", "team/_/batch?atomic=true"), "k", &batch).status, 409);
    assert_eq!(send(&app, ("PATCH", "team/77"), "k", &json!({ "points": 1 })).status, 404);
    assert_eq!(keys(&database), 0);
    let (bearer, text) = (app.bearer(), json!({ "said": "never" }).to_string());
    let headers = [
        ("Authorization", &*bearer),
        ("Content-Type", "application/json"),
        ("Idempotency-Key", "k"),
        ("Prefer", "tx=rollback"),
    ];
    let tried = app.connect().request("POST", "/ords/hr/line/", &headers, text.as_bytes());
    assert_eq!((tried.status, keys(&database)), (201, 0));
    assert_eq!(database.count("SELECT count(*) FROM line"), 0);
    database.exec("DELETE FROM team WHERE team_id = 1");
    let made = send(&app, ("POST", "team/"), "k", &body);
    assert_eq!((made.status, is_replayed(&made)), (201, false));
}

/// The table may be made while the server runs, and be dropped again.
fn without_its_table_a_key_is_refused(database: Database) {
    let app = setup(&database).start();
    let body = json!({ "said": "once" });
    let refused = send(&app, ("POST", "line/"), "k", &body);
    assert_eq!((refused.status, &*code(&refused)), (501, "DUET-7023"), "{refused:?}");
    assert!(refused.text().contains("duet service prepare"), "{refused:?}");
    assert_eq!(send(&app, ("POST", "line/"), "", &body).status, 201);
    assert!(database.prepare_keys());
    assert!(!database.prepare_keys(), "it is made once");
    assert_eq!(send(&app, ("POST", "line/"), "k", &body).status, 201);
    assert!(is_replayed(&send(&app, ("POST", "line/"), "k", &body)));
    assert_eq!(database.count("SELECT count(*) FROM line"), 2);
    let drop = if database.is_sqlite() {
        "DROP TABLE duet_idempotency"
    } else {
        "DROP SCHEMA duet CASCADE"
    };
    database.exec(drop);
    eventually("the server notices that its table is gone", || {
        let refused = send(&app, ("POST", "line/"), "l", &body);
        assert_ne!(refused.status, 201, "{refused:?}");
        refused.status == 501
    });
}

fn malformed_keys(database: Database) {
    let app = start(&database);
    let body = json!({ "said": "never" });
    for key in ["\"\"", "a b", "\"a", &"x".repeat(256)] {
        let refused = send(&app, ("POST", "line/"), key, &body);
        assert_eq!((refused.status, &*code(&refused)), (400, "DUET-7020"), "{key}");
    }
    assert_eq!(database.count("SELECT count(*) FROM line"), 0);
    assert_eq!(send(&app, ("POST", "line/"), &"x".repeat(255), &body).status, 201);
}

fn an_answer_that_is_too_large_is_undone(database: Database) {
    assert!(database.prepare_keys());
    let app = setup(&database).with(|setup| setup.write_limits.keys.answer_bytes = 600).start();
    let body = json!({ "team_id": 10, "name": "A".repeat(250), "points": 0 });
    let request = ("POST", "team/");
    let two = json!([body.clone(), { "team_id": 11, "name": "B".repeat(250) }]);
    let refused = send(&app, request, "k", &two);
    assert_eq!((refused.status, &*code(&refused)), (422, "DUET-7024"), "{refused:?}");
    assert_eq!(database.count("SELECT count(*) FROM team"), 4);
    let bearer = app.bearer();
    let headers = [
        ("Authorization", &*bearer),
        ("Content-Type", "application/json"),
        ("Idempotency-Key", "k"),
        ("Prefer", "return=minimal"),
    ];
    let made =
        app.connect().request("POST", "/ords/hr/team/", &headers, two.to_string().as_bytes());
    assert_eq!(made.status, 201, "{made:?}");
}

fn expired_keys_are_removed_a_few_at_a_time(database: Database) {
    assert!(database.prepare_keys());
    let app = setup(&database).with(|setup| setup.write_limits.keys.ttl = Duration::ZERO).start();
    let body = json!({ "said": "often" });
    for number in 0..30 {
        let made = send(&app, ("POST", "line/"), &format!("k{}", number % 20), &body);
        assert_eq!((made.status, is_replayed(&made)), (201, false));
        assert!(keys(&database) <= 8, "each write removes more than it adds");
    }
    assert_eq!(database.count("SELECT count(*) FROM line"), 30, "an expired key counts no more");
}

fn a_crowd_with_one_key_writes_once(database: Database) {
    assert!(database.prepare_keys());
    let app = setup(&database)
        .with(|setup| {
            // On a busy machine the last of a crowd may wait long.
            setup.limits.queue_timeout = Duration::from_secs(600);
            setup.limits.lock_timeout = Duration::from_secs(600);
        })
        .start();
    for round in 0..5 {
        let answers = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    let body = json!({ "said": format!("round {round}") });
                    let answer = send(&app, ("POST", "line/"), &format!("k{round}"), &body);
                    answers.lock().unwrap().push((answer.status, is_replayed(&answer)));
                });
            }
        });
        let answers = answers.into_inner().unwrap();
        assert!(answers.iter().all(|(status, _)| *status == 201), "{answers:?}");
        assert_eq!(answers.iter().filter(|(_, replayed)| !replayed).count(), 1, "{answers:?}");
        assert_eq!(database.count("SELECT count(*) FROM line"), round + 1);
    }
}

fn loads_take_no_key(database: Database) {
    let app = start(&database);
    let bearer = app.bearer();
    let headers =
        [("Authorization", &*bearer), ("Content-Type", "text/csv"), ("Idempotency-Key", "k")];
    let refused = app.connect().request("POST", "/ords/hr/line/batchload", &headers, b"said\na\n");
    assert_eq!((refused.status, &*code(&refused)), (400, "DUET-7025"), "{refused:?}");
    assert_eq!(database.count("SELECT count(*) FROM line"), 0);
}

/// Another server has taken the key, and its transaction is under way.
#[test]
fn a_key_that_another_server_has_taken_is_in_progress() {
    let database = Database::postgres("idempotency_in_progress");
    assert!(database.prepare_keys());
    let app = setup(&database)
        .with(|setup| setup.limits.lock_timeout = Duration::from_millis(200))
        .start();
    let Database::Postgres(postgres) = &database else { unreachable!() };
    let other = postgres.clone();
    let script = format!(
        "BEGIN; INSERT INTO duet.idempotency (caller, resource, idempotency_key, fingerprint, expires_at)
         VALUES ('{}', '/ords/hr/line', 'k', '', 9000000000000); SELECT pg_sleep(3599);",
        app.id.as_str()
    );
    let holder = std::thread::spawn(move || other.try_exec(&script));
    let sleeping = "FROM pg_stat_activity WHERE datname = current_database()
         AND query LIKE '%pg_sleep(3599)%' AND wait_event = 'PgSleep'";
    eventually("the key is taken", || database.count(&format!("SELECT count(*) {sleeping}")) == 1);
    let body = json!({ "said": "later" });
    let refused = send(&app, ("POST", "line/"), "k", &body);
    assert_eq!((refused.status, &*code(&refused)), (409, "DUET-7022"), "{refused:?}");
    assert_eq!(refused.header("retry-after"), Some("1"));
    postgres.query(&format!("SELECT count(pg_terminate_backend(pid)) {sleeping}"));
    assert!(holder.join().unwrap().is_err());
    eventually("its transaction is undone", || {
        let made = send(&app, ("POST", "line/"), "k", &body);
        assert!(matches!(made.status, 201 | 409), "{made:?}");
        made.status == 201
    });
    assert_eq!(database.count("SELECT count(*) FROM line"), 1);
}

/// The role of a client has no right to the table of keys, and needs none.
#[test]
fn clients_with_a_role_of_the_database_have_keys() {
    let database = Database::postgres("idempotency_roles");
    assert!(database.prepare_keys());
    let role = "idempotency_writer";
    let app = setup(&database);
    database.exec(&format!(
        "CREATE ROLE {role}; CREATE TABLE who (id integer PRIMARY KEY, name text NOT NULL DEFAULT current_user);
         GRANT SELECT, INSERT ON who TO {role}"
    ));
    let app = app.with(|setup| setup.clients = vec![("ann", Some(role.to_owned()))]).start();
    let (bearer, body) = (app.bearer_of("ann"), json!({ "id": 1 }));
    let made = send_as(&app, &bearer, ("POST", "who/"), "k", &body);
    assert_eq!((made.status, &made.json()["name"]), (201, &json!(role)), "{made:?}");
    let again = send_as(&app, &bearer, ("POST", "who/"), "k", &body);
    assert!(is_replayed(&again), "{again:?}");
    let denied = send_as(&app, &bearer, ("POST", "line/"), "k", &json!({ "said": "no" }));
    assert_eq!(denied.status, 403, "the write itself runs under the role: {denied:?}");
}

/// A key costs a new row two statements of its own, and one more in some of them; nothing is read.
#[test]
fn a_row_with_a_key_is_read_by_nothing() {
    let server = Server::start_with(Options::new().setting("log_statement", "all"));
    let database = Database::Postgres(server.database("counted"));
    let app = start(&database);
    let post = |number: u32| {
        let row = json!({ "team_id": 100 + number, "name": "Counted" });
        assert_eq!(send(&app, ("POST", "team/"), &format!("k{number}"), &row).status, 201);
    };
    // Prepares the statements.
    (0..4).for_each(post);
    let counts = || {
        let log = server.log();
        let executed = |sql: &str| log.matches(&format!(": {sql}")).count();
        [
            executed(r#"INSERT INTO "duet"."idempotency""#),
            executed(r#"INSERT INTO "public"."team""#),
            executed(r#"UPDATE "duet"."idempotency""#),
            executed(r#"DELETE FROM "duet"."idempotency""#),
            executed("SELECT"),
            executed("COMMIT"),
        ]
    };
    let before = counts();
    (4..12).for_each(post);
    let after = counts();
    let each: Vec<usize> = after.iter().zip(before).map(|(after, before)| after - before).collect();
    assert_eq!(each, [8, 8, 8, 2, 0, 8]);
}
