//! What the database refuses, as clients read it: which member, what to do, and what is not told.

use duet_service::definition::Resource;
use duet_testkit::http::Response;
use duet_testkit::postgres::Server;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, Source, eventually, on_both_stores};

on_both_stores! {
    triggers_speak_where_they_are_allowed_to
    constraints_are_named_to_readers_alone
    a_load_of_refused_rows_has_committed_none
    schemas_say_what_constraints_say
}

fn send(app: &App, method: &str, path: &str, body: &str) -> Response {
    let bearer = app.bearer();
    let kind = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", kind)];
    app.connect().request(method, path, &headers, body.as_bytes())
}

fn postgres(name: &str, tables: &str) -> (Database, App) {
    let database = Database::postgres(name);
    database.exec(tables);
    let app = Setup::new(&database).with(|setup| setup.roles = WRITER.to_vec()).start();
    (database, app)
}

const WRITER: [&str; 3] = ["duet.write", "duet.execute", "duet.admin"];

#[track_caller]
fn refused(response: &Response, status: u16, code: &str) -> Value {
    let body = response.json();
    assert_eq!((response.status, &body["errors"][0]["code"]), (status, &json!(code)), "{body}");
    body
}

fn triggers_speak_where_they_are_allowed_to(database: Database) {
    database.exec(
        "CREATE TABLE quiet (id integer NOT NULL PRIMARY KEY, n integer);
         CREATE TABLE loud (id integer NOT NULL PRIMARY KEY, n integer);",
    );
    for table in ["quiet", "loud"] {
        database.exec(&match database.is_sqlite() {
            true => format!(
                "CREATE TRIGGER {table}_t BEFORE INSERT ON {table} WHEN new.n > 9
                 BEGIN SELECT RAISE(ABORT, 'at most nine'); END"
            ),
            false => format!(
                "CREATE FUNCTION {table}_f() RETURNS trigger LANGUAGE plpgsql AS
                 $$BEGIN RAISE 'at most nine' USING HINT = 'Send less.'; END$$;
                 CREATE TRIGGER {table}_t BEFORE INSERT ON {table} FOR EACH ROW WHEN (new.n > 9)
                 EXECUTE FUNCTION {table}_f()"
            ),
        });
    }
    let app = Setup::new(&database)
        .with(|setup| {
            setup.roles = WRITER.to_vec();
            let loud =
                Resource { name: "loud".into(), table: "loud".into(), ..Resource::default() };
            setup.mount().resources.push(Resource { raised_messages: true, ..loud });
        })
        .start();
    let quiet = send(&app, "POST", "/ords/hr/quiet/", r#"{"id":1,"n":10}"#);
    let body = refused(&quiet, 400, "DUET-7106");
    assert!(!quiet.text().contains("nine") && !quiet.text().contains("Send less"), "{body}");
    let loud = send(&app, "POST", "/ords/hr/loud/", r#"{"id":1,"n":10}"#);
    let body = refused(&loud, 400, "DUET-7106");
    assert_eq!(body["detail"], "at most nine");
    if !database.is_sqlite() {
        assert_eq!(body["errors"][0]["hint"], "Send less.");
    }
    for (table, told) in [("quiet", false), ("loud", true)] {
        let bearer = app.bearer();
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "text/csv")];
        let path = format!("/ords/hr/{table}/batchload");
        let report = app.connect().request("POST", &path, &headers, b"id,n\n2,1\n3,10\n");
        assert_eq!(report.text().contains("at most nine"), told, "{report:?}");
    }
}

fn constraints_are_named_to_readers_alone(database: Database) {
    database.exec(
        "CREATE TABLE item (id integer NOT NULL PRIMARY KEY, n integer CONSTRAINT small CHECK (n < 10))",
    );
    let start = |roles: &[&'static str]| {
        Setup::new(&database)
            .with(|setup| {
                setup.roles = roles.to_vec();
                setup.mount().privileges.push(duet_auth::Privilege {
                    name: "write".into(),
                    roles: vec!["scribe".into()],
                    patterns: vec!["/*".into()],
                    operations: vec![duet_auth::Operation::Insert],
                });
            })
            .start()
    };
    for (role, hint) in
        [("duet.write", json!("It is the constraint `small` of `item`.")), ("scribe", Value::Null)]
    {
        let app = start(&[role]);
        let answer = send(&app, "POST", "/ords/hr/item/", r#"{"id":1,"n":10}"#);
        let error = refused(&answer, 422, "DUET-7103")["errors"][0].clone();
        assert_eq!((&error["pointer"], &error["hint"]), (&json!("/n"), &hint), "{role}");
        let message =
            "`n` breaks a rule of the table. Check the value against what the table allows.";
        assert_eq!(answer.json()["detail"], message);
    }
}

fn a_load_of_refused_rows_has_committed_none(database: Database) {
    database.exec("CREATE TABLE item (id integer NOT NULL PRIMARY KEY, n integer CHECK (n < 10))");
    let app = Setup::new(&database).with(|setup| setup.roles = WRITER.to_vec()).start();
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "text/csv")];
    let path = "/ords/hr/item/batchload";
    let answer = app.connect().request("POST", path, &headers, b"id,n\n1,10\n2,11\n");
    let report = answer.text();
    assert!(report.contains("#INFO No rows committed\n"), "{report}");
    assert!(report.contains("#INFO Number of rows in error: 2\n"), "{report}");
    let report = send(&app, "POST", &format!("{path}?responseFormat=json"), r#"[{"id":1,"n":10}]"#);
    let report = report.json();
    let (last, field) = (&report["lastCommittedRow"], &report["errors"][0]["field"]);
    assert_eq!((last, field), (&json!(0), &json!("n")), "{report}");
}

/// What PostgreSQL alone refuses: rules of domains, missing partitions and exclusions, in single
/// writes, in documents and in loads.
#[test]
fn domains_partitions_and_exclusions_name_what_broke() {
    let (_database, app) = postgres(
        "refusals_names",
        "CREATE SCHEMA types;
         CREATE DOMAIN types.rating AS int CONSTRAINT stars_known CHECK (VALUE BETWEEN 1 AND 5);
         CREATE DOMAIN title AS text CONSTRAINT title_given NOT NULL;
         CREATE TABLE film (id int PRIMARY KEY, stars types.rating, title title DEFAULT 'x');
         CREATE TABLE sale (id int, day date, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
         CREATE TABLE sale_2020 PARTITION OF sale FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
         CREATE TABLE booking (id int PRIMARY KEY, nights int4range NOT NULL,
           CONSTRAINT one_guest EXCLUDE USING gist (nights WITH &&));
         INSERT INTO booking VALUES (1, '[1,5)');",
    );
    for (table, row, status, code, pointer, hint) in [
        ("film", r#"{"id":1,"stars":9}"#, 422, "DUET-7103", "/stars", "stars_known"),
        ("film", r#"{"id":1,"title":null}"#, 400, "DUET-7104", "/title", ""),
        ("sale", r#"{"id":1,"day":"2022-01-01"}"#, 422, "DUET-7103", "/day", ""),
        ("booking", r#"{"id":2,"nights":"[4,7)"}"#, 409, "DUET-7105", "/nights", ""),
    ] {
        let answer = send(&app, "POST", &format!("/ords/hr/{table}/"), row);
        let error = refused(&answer, status, code)["errors"][0].clone();
        assert_eq!(error["pointer"], pointer, "{answer:?}");
        assert!(error["hint"].as_str().unwrap_or_default().contains(hint), "{answer:?}");
        let load = format!("/ords/hr/{table}/batchload?responseFormat=json");
        let report = send(&app, "POST", &load, &format!("[{row}]")).json();
        let field = report["errors"][0]["field"].as_str().unwrap_or_default();
        assert_eq!((&report["rowsInError"], field), (&json!(1), &pointer[1..]), "{report}");
    }
}

/// Ranges, lists of values and lengths of constraints are in the schema, as the database prints them.
fn schemas_say_what_constraints_say(database: Database) {
    database.exec(
        "CREATE TABLE item (id integer NOT NULL PRIMARY KEY,
           n integer CHECK (n BETWEEN 1 AND 9), price numeric(5,2) CHECK (price > -1.5 AND price <= 99),
           kind varchar(9) NOT NULL CHECK (kind IN ('a', 'it''s')), code text CHECK (length(code) <= 4),
           free integer CHECK (free > n OR free < 0))",
    );
    if !database.is_sqlite() {
        database.exec(
            "CREATE DOMAIN rating AS int CHECK (VALUE >= 1 AND VALUE <= 5);
             CREATE DOMAIN mail AS varchar(30) CHECK (VALUE ~ '^[^@]+@[^@]+$');
             ALTER TABLE item ADD stars rating, ADD mail mail NOT NULL;",
        );
    }
    let app = Setup::new(&database).start();
    let schema = app.get("/ords/hr/metadata-catalog/item/schema").json();
    let members = &schema["properties"];
    assert_eq!((&members["n"]["minimum"], &members["n"]["maximum"]), (&json!(1), &json!(9)));
    let price = (&members["price"]["exclusiveMinimum"], &members["price"]["maximum"]);
    assert_eq!(price, (&json!(-1.5), &json!(99)));
    assert_eq!(members["kind"]["enum"], json!(["a", "it's"]));
    assert_eq!(members["code"]["maxLength"], json!(4));
    assert_eq!(members["free"].get("minimum"), None);
    if !database.is_sqlite() {
        let stars = (&members["stars"]["minimum"], &members["stars"]["maximum"]);
        assert_eq!(stars, (&json!(1), &json!(5)));
        assert_eq!(members["mail"]["pattern"], "^[^@]+@[^@]+$");
    }
}

/// Texts that are none of their type: the member is named, never 500.
#[test]
fn malformed_texts_are_the_clients_mistake() {
    let (_database, app) = postgres(
        "refusals_malformed",
        "CREATE EXTENSION ltree; CREATE EXTENSION hstore;
         CREATE TABLE doc (id int PRIMARY KEY, search tsvector, query tsquery, path jsonpath, tree ltree,
           extra hstore, class regclass, kind regtype, code varchar(3), price numeric(5,2), span int4range);",
    );
    for (member, text) in [
        ("search", "'a"),
        ("query", "a &"),
        ("path", "$.("),
        ("tree", "a..b"),
        ("extra", "a=>"),
        ("class", "nowhere"),
        ("class", "a.b.c.d"),
        ("kind", "nothing"),
        ("code", "abcd"),
        ("price", "1000"),
        ("span", "[3,1]"),
    ] {
        let body = json!({ "id": 1, member: text }).to_string();
        let answer = send(&app, "POST", "/ords/hr/doc/", &body);
        let body = answer.json();
        assert_eq!(answer.status, 400, "{member}: {body}");
        assert_eq!(body["errors"][0]["pointer"], format!("/{member}"), "{member}: {body}");
        let bearer = app.bearer();
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "text/csv")];
        let csv = format!("id,{member}\n1,\"{text}\"\n2,\n");
        let path = "/ords/hr/doc/batchload?truncate=true";
        let report = app.connect().request("POST", path, &headers, csv.as_bytes());
        assert!(report.text().contains("rows in error: 1\n"), "{member}: {report:?}");
    }
    // Beside other members, the value tells which one it is.
    let body = r#"{"id":1,"search":"a","query":"x & & y","tree":"a.b"}"#;
    let answer = send(&app, "POST", "/ords/hr/doc/", body).json();
    assert_eq!(answer["errors"][0]["pointer"], "/query", "{answer}");
}

/// A function that names what is not there is broken for ever: no client is asked to try again, and the
/// schema is not read anew for each request.
#[test]
fn a_broken_function_is_no_changed_schema() {
    let (database, app) = postgres(
        "refusals_function",
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS
           $$BEGIN PERFORM nowhere(new.id); RETURN new; END$$;
         CREATE TABLE item (id int PRIMARY KEY);
         CREATE TRIGGER t BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION f();
         CREATE FUNCTION broken() RETURNS int LANGUAGE plpgsql AS $$BEGIN RETURN nowhere(1); END$$;",
    );
    for (path, body) in [("item/", r#"{"id":1}"#), ("broken", "{}")] {
        let answer = send(&app, "POST", &format!("/ords/hr/{path}"), body);
        let body = refused(&answer, 500, "DUET-6011");
        assert_eq!(answer.header("retry-after"), None);
        assert!(!answer.text().contains("nowhere"), "{body}");
    }
    assert_eq!(app.generation(), 1);
    database.exec("CREATE FUNCTION nowhere(int) RETURNS int LANGUAGE sql AS 'SELECT 1'");
    eventually("the function works", || {
        send(&app, "POST", "/ords/hr/item/", r#"{"id":1}"#).status == 201
    });
}

#[test]
fn an_unpopulated_view_says_what_to_run() {
    let (database, app) = postgres(
        "refusals_unpopulated",
        "CREATE MATERIALIZED VIEW sums AS SELECT 1 AS id WITH NO DATA;",
    );
    let notes = app.service.snapshot().notes.join("\n");
    assert!(notes.contains("REFRESH MATERIALIZED VIEW"), "{notes}");
    let body = refused(&app.get("/ords/hr/sums/"), 503, "DUET-6012");
    assert!(body["detail"].as_str().unwrap().contains("REFRESH MATERIALIZED VIEW"), "{body}");
    database.exec("REFRESH MATERIALIZED VIEW sums");
    assert_eq!(app.get("/ords/hr/sums/").status, 200);
}

/// A value that another row has is there each time: such a write runs once.
#[test]
fn a_real_unique_violation_runs_once() {
    let (database, app) = postgres(
        "refusals_once",
        "CREATE SEQUENCE runs; CREATE TABLE person (id int PRIMARY KEY, mail text UNIQUE);
         INSERT INTO person VALUES (1, 'a@b');
         CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS
           $$BEGIN PERFORM nextval('runs'); RETURN new; END$$;
         CREATE TRIGGER t BEFORE INSERT ON person FOR EACH ROW EXECUTE FUNCTION f();",
    );
    let taken = send(&app, "PUT", "/ords/hr/person/2", r#"{"id":2,"mail":"a@b"}"#);
    assert_eq!(refused(&taken, 409, "DUET-7101")["errors"][0]["pointer"], "/mail");
    let Database::Postgres(database) = &database else { panic!("not PostgreSQL") };
    assert_eq!(database.query("SELECT last_value FROM runs"), "1");
}

/// While a row is being written whose key stays, others may insert rows that refer to it.
#[test]
fn writes_do_not_stop_references() {
    let (database, app) = postgres(
        "refusals_references",
        "CREATE TABLE team (id int PRIMARY KEY, name text);
         INSERT INTO team VALUES (1, 'a');
         CREATE TABLE driver (id int PRIMARY KEY, team_id int REFERENCES team);
         CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS
           $$BEGIN PERFORM pg_advisory_xact_lock(7); RETURN new; END$$;
         CREATE TRIGGER t BEFORE UPDATE ON team FOR EACH ROW EXECUTE FUNCTION f();",
    );
    let Database::Postgres(database) = &database else { panic!("not PostgreSQL") };
    std::thread::scope(|scope| {
        // Held by another session until a child row is there: the PATCH waits in its trigger.
        let holder = scope.spawn(|| {
            database.exec(
                "SELECT pg_advisory_lock(7);
                 DO $$BEGIN FOR i IN 1..6000 LOOP
                   EXIT WHEN EXISTS (SELECT FROM driver); COMMIT; PERFORM pg_sleep(0.01);
                 END LOOP; END$$;",
            );
        });
        let waiting =
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND ";
        let locks = |granted: &str| database.query(&format!("{waiting}{granted}"));
        eventually("the lock is held", || locks("granted") == "1");
        let patch = scope.spawn(|| send(&app, "PATCH", "/ords/hr/team/1", r#"{"name":"b"}"#));
        eventually("the write waits", || locks("NOT granted") == "1");
        let child = send(&app, "POST", "/ords/hr/driver/", r#"{"id":1,"team_id":1}"#);
        assert_eq!(child.status, 201, "{child:?}");
        assert_eq!(patch.join().unwrap().status, 200);
        holder.join().unwrap();
    });
}

/// A URL that wants a session that only reads gets one, although the server would take writes of it.
#[test]
fn a_session_that_only_reads_takes_no_writes() {
    let server = Server::start();
    server
        .database("hr")
        .exec("CREATE TABLE item (id int PRIMARY KEY); INSERT INTO item VALUES (1);");
    server.existing("hr").exec("ALTER DATABASE hr SET default_transaction_read_only = on");
    let url = server.url("hr");
    let and = if url.contains('?') { '&' } else { '?' };
    let source = Source::Url(format!("{url}{and}target_session_attrs=read-only"));
    let app = Setup::of(source).with(|setup| setup.roles = WRITER.to_vec()).start();
    assert_eq!(app.get("/ords/hr/item/1").status, 200);
    refused(&send(&app, "POST", "/ords/hr/item/", r#"{"id":2}"#), 403, "DUET-7107");
    assert_eq!(server.existing("hr").query("SELECT count(*) FROM item"), "1");
}

/// On a standby a read that is in the way of a change that is replayed is ended, and repeated.
#[test]
fn a_read_that_a_standby_ends_is_repeated() {
    let primary = Server::start();
    primary.database("hr").exec(
        "CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL); INSERT INTO item SELECT n, 0 FROM generate_series(1, 100) n;
         CREATE VIEW slow AS SELECT id, n FROM item, LATERAL (SELECT pg_sleep(0.01 + 0 * n)) AS p;",
    );
    let standby = primary.standby();
    standby.existing("hr").exec("ALTER SYSTEM SET max_standby_streaming_delay = 0");
    standby.existing("hr").exec("SELECT pg_reload_conf()");
    let source = Source::Url(standby.url("hr"));
    let app = Setup::of(source).start();
    let asked = |sql: &str| standby.existing("hr").query(sql);
    let running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%slow%' AND pid <> pg_backend_pid()";
    std::thread::scope(|scope| {
        let read = scope.spawn(|| app.get("/ords/hr/slow/?limit=100"));
        eventually("the read runs", || asked(running) != "0");
        // Rows that it still sees are removed.
        primary.existing("hr").exec("UPDATE item SET n = n + 1; VACUUM item;");
        let answer = read.join().unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
    });
    let ended = "SELECT confl_snapshot FROM pg_stat_database_conflicts WHERE datname = 'hr'";
    eventually("it was ended", || asked(ended) != "0");
}

/// A hot standby offers reading alone, and says so; promoted, it offers writing again.
#[test]
fn a_standby_takes_no_writes_until_it_is_promoted() {
    let primary = Server::start();
    primary
        .database("hr")
        .exec("CREATE TABLE item (id int PRIMARY KEY); INSERT INTO item VALUES (1);");
    let standby = primary.standby();
    let source = Source::Url(standby.url("hr"));
    let app = Setup::of(source).with(|setup| setup.roles = WRITER.to_vec()).start();
    assert_eq!(app.get("/ords/hr/item/1").status, 200);
    let allow = || {
        let bearer = app.bearer();
        let headers = [("Authorization", bearer.as_str())];
        let options = app.connect().request("OPTIONS", "/ords/hr/item/", &headers, b"");
        options.header("allow").unwrap_or_default().to_owned()
    };
    let describes_writes = || {
        app.get("/ords/hr/open-api-catalog/item/")
            .text()
            .contains("\"post\":{\"operationId\":\"create")
    };
    assert!(!allow().contains("DELETE"), "{}", allow());
    let answer = send(&app, "POST", "/ords/hr/item/", r#"{"id":2}"#);
    let body = refused(&answer, 403, "DUET-7107");
    assert!(body["detail"].as_str().unwrap().contains("standby"), "{body}");
    let all = r#"[{"method":"POST","path":"item","body":{"id":3}}]"#;
    assert_eq!(send(&app, "POST", "/ords/hr/_/transaction", all).status, 403);
    let before = app.get("/ords/hr/open-api-catalog/item/").text().len();
    assert!(!describes_writes());
    standby.existing("hr").exec("SELECT pg_promote()");
    eventually("it offers writing", || allow().contains("DELETE"));
    assert_eq!(send(&app, "POST", "/ords/hr/item/", r#"{"id":2}"#).status, 201);
    assert!(app.get("/ords/hr/open-api-catalog/item/").text().len() > before);
}
