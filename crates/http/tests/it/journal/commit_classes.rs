//! Commit classes by request (`Prefer: commit=…`) and by resource: which are allowed, which were followed, and
//! that each of them writes.

use duet_model::commit_class::{CommitClass, CommitPolicy};
use duet_service::definition::Resource;
use duet_service::journal::{JournalDisk, JournalOptions};
use duet_testkit::http::Response;
use duet_testkit::postgres::{Options, Server};
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, eventually, on_both_stores};

on_both_stores! {
    requests_name_a_class
    weaker_classes_are_locked_by_default
    a_resource_has_a_class
    a_transaction_of_several_resources_asks_each_of_them
    rows_in_memory_are_written_later
    descriptions_name_the_classes
}

const TABLES: &str = "
CREATE TABLE plain (id integer PRIMARY KEY, n integer NOT NULL);
CREATE TABLE free (id integer PRIMARY KEY, n integer NOT NULL);
CREATE TABLE strict (id integer PRIMARY KEY, n integer NOT NULL);
CREATE TABLE log (id integer PRIMARY KEY, n integer NOT NULL);
";

/// A server whose tables have different classes.
fn start(database: &Database, journal: Option<&std::path::Path>) -> App {
    setup(database, journal).start()
}

fn setup(database: &Database, journal: Option<&std::path::Path>) -> Setup {
    use CommitClass::{Async, Group, Ingest, Memory, Sync};
    database.exec(TABLES);
    if journal.is_some() {
        database.prepare_journal();
    }
    let resource = |name: &str, class, allowed: Option<Vec<CommitClass>>| Resource {
        name: name.to_owned(),
        table: name.to_owned(),
        commit: CommitPolicy { class, allowed },
        ..Resource::default()
    };
    Setup::new(database).with(|setup| {
        setup.roles = vec!["duet.read", "duet.write", "duet.admin"];
        setup.mount().resources = vec![
            resource("free", Group, Some(vec![Memory, Async, Ingest])),
            resource("strict", Sync, None),
            resource("log", Async, None),
        ];
        setup.journal = journal.map(|folder| JournalOptions {
            folder: folder.join("journal"),
            bytes: 1 << 20,
            tries: 3,
            host: "here".to_owned(),
            disk: JournalDisk::default(),
        });
    })
}

fn send(app: &App, (method, path): (&str, &str), prefer: &str, body: &Value) -> Response {
    let bearer = app.bearer();
    let mut headers =
        vec![("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    headers.extend((!prefer.is_empty()).then_some(("Prefer", prefer)));
    let path = format!("/ords/hr/{path}");
    app.connect().request(method, &path, &headers, body.to_string().as_bytes())
}

fn post(app: &App, table: &str, prefer: &str, id: i64) -> Response {
    send(app, ("POST", &format!("{table}/")), prefer, &json!({ "id": id, "n": id }))
}

fn applied(response: &Response) -> Option<&str> {
    response.header("preference-applied")
}

fn code(response: &Response) -> String {
    response.json()["errors"][0]["code"].as_str().unwrap_or_default().to_owned()
}

fn requests_name_a_class(database: Database) {
    let app = start(&database, None);
    for (id, class) in (1..).zip(["sync", "group", "async", "ASYNC", "\"sync\""]) {
        let made = post(&app, "free", &format!("commit={class}"), id);
        let named = format!("commit={}", class.to_lowercase().replace('"', ""));
        assert_eq!((made.status, applied(&made)), (201, Some(&*named)), "{made:?}");
        let at = format!("free/{id}");
        let changed = send(&app, ("PUT", &at), &format!("commit={class}"), &json!({ "n": -id }));
        assert_eq!((changed.status, applied(&changed)), (200, Some(&*named)), "{changed:?}");
        assert_eq!(app.get(&format!("/ords/hr/free/{id}")).json()["n"], -id);
        let array = json!([{ "id": 100 + id, "n": 0 }, { "id": 200 + id, "n": 0 }]);
        for (path, status) in [("free/", 201), ("free/_/batch", 200)] {
            let mut array = array.clone();
            if status == 200 {
                array[0]["id"] = json!(300 + id);
                array[1]["id"] = json!(400 + id);
            }
            let made = send(&app, ("POST", path), &format!("commit={class}"), &array);
            assert_eq!((made.status, applied(&made)), (status, Some(&*named)), "{made:?}");
        }
        let gone = send(&app, ("DELETE", &at), &format!("commit={class}"), &Value::Null);
        assert_eq!((gone.status, applied(&gone)), (200, Some(&*named)), "{gone:?}");
    }
    assert_eq!(database.count("SELECT count(*) FROM free"), 20);
    // Without a journal its classes are the usual one, and the answer names none.
    for (id, class) in (10..).zip(["ingest", "memory"]) {
        let made = post(&app, "free", &format!("commit={class}, return=minimal"), id);
        assert_eq!((made.status, applied(&made)), (201, Some("return=minimal")), "{made:?}");
    }
    let tried = post(&app, "free", "tx=rollback, commit=async", 9);
    assert_eq!((tried.status, applied(&tried)), (201, Some("tx=rollback")), "{tried:?}");
    for wrong in ["commit", "commit=", "commit=soon"] {
        let refused = post(&app, "free", wrong, 9);
        assert_eq!((refused.status, code(&refused).as_str()), (400, "DUET-1006"), "{refused:?}");
        assert!(refused.text().contains("`async`"), "{}", refused.text());
    }
    assert_eq!(database.count("SELECT count(*) FROM free"), 22);
}

fn weaker_classes_are_locked_by_default(database: Database) {
    let app = start(&database, None);
    for (table, class) in [
        ("plain", "async"),
        ("plain", "memory"),
        ("strict", "group"),
        ("strict", "async"),
        ("strict", "ingest"),
        ("strict", "memory"),
        ("log", "memory"),
    ] {
        let refused = post(&app, table, &format!("commit={class}"), 1);
        assert_eq!((refused.status, code(&refused).as_str()), (403, "DUET-7045"), "{refused:?}");
        assert!(refused.text().contains("commit_allowed"), "{}", refused.text());
        assert_eq!(database.count(&format!("SELECT count(*) FROM {table}")), 0);
    }
    let made = post(&app, "strict", "commit=sync", 1);
    assert_eq!((made.status, applied(&made)), (201, Some("commit=sync")));
}

fn a_resource_has_a_class(database: Database) {
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, Some(folder.path()));
    for table in ["plain", "strict", "log"] {
        let made = post(&app, table, "", 1);
        assert_eq!((made.status, applied(&made)), (201, None), "{made:?}");
    }
    // A preference that need not be followed is not where the resource asks for more.
    let made = post(&app, "strict", "respond-async", 2);
    assert_eq!((made.status, applied(&made)), (201, None), "{made:?}");
    for (id, prefer) in (10..).zip(["respond-async", "commit=ingest"]) {
        let accepted = post(&app, "plain", prefer, id);
        assert_eq!((accepted.status, applied(&accepted)), (202, Some(prefer)), "{accepted:?}");
    }
    // The class that is named counts.
    let made = post(&app, "plain", "respond-async, commit=sync", 3);
    assert_eq!((made.status, applied(&made)), (201, Some("commit=sync")), "{made:?}");
    eventually("all rows are applied", || database.count("SELECT count(*) FROM plain") == 4);
}

fn a_transaction_of_several_resources_asks_each_of_them(database: Database) {
    let app = start(&database, None);
    let operation = |table: &str, id: i64| json!({ "method": "POST", "path": table, "body": { "id": id, "n": id } });
    let both = |id| json!([operation("free", id), operation("log", id)]);
    let done = send(&app, ("POST", "_/transaction"), "commit=async", &both(1));
    assert_eq!((done.status, applied(&done)), (200, Some("commit=async")), "{done:?}");
    let all = json!([operation("free", 2), operation("strict", 2)]);
    let refused = send(&app, ("POST", "_/transaction"), "commit=async", &all);
    assert_eq!((refused.status, code(&refused).as_str()), (403, "DUET-7045"), "{refused:?}");
    assert!(refused.text().contains("strict"), "{}", refused.text());
    let done = send(&app, ("POST", "_/transaction"), "", &all);
    assert_eq!((done.status, applied(&done)), (200, None), "{done:?}");
    assert_eq!(database.count("SELECT count(*) FROM free"), 2);
}

fn rows_in_memory_are_written_later(database: Database) {
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, Some(folder.path()));
    let accepted = post(&app, "free", "commit=memory", 1);
    assert_eq!((accepted.status, applied(&accepted)), (202, Some("commit=memory")), "{accepted:?}");
    let array = json!([{ "id": 2, "n": 2 }, { "id": 3, "n": 3 }]);
    let accepted = send(&app, ("POST", "free/"), "commit=memory", &array);
    assert_eq!((accepted.status, &accepted.json()["rows"]), (202, &json!(2)), "{accepted:?}");
    let place = accepted.header("location").unwrap();
    let became = app.get(&format!("{}?wait=30", place.strip_prefix(app.url()).unwrap()));
    assert_eq!((became.status, &became.json()["status"]), (200, &json!("applied")), "{became:?}");
    assert_eq!(database.count("SELECT count(*) FROM free"), 3);
}

fn descriptions_name_the_classes(database: Database) {
    let app = start(&database, None);
    let expected = [
        ("plain", Value::Null),
        (
            "free",
            json!({ "class": "group", "choices": ["memory", "async", "ingest", "group", "sync"] }),
        ),
        ("strict", json!({ "class": "sync", "choices": ["sync"] })),
        ("log", json!({ "class": "async", "choices": ["async", "ingest", "group", "sync"] })),
    ];
    let openapi = app.get("/ords/hr/open-api-catalog/").json();
    for (name, commit) in expected {
        let entry = app.get(&format!("/ords/hr/metadata-catalog/{name}/")).json();
        assert_eq!(entry["commit"], commit, "{entry}");
        let document = app.get(&format!("/ords/hr/open-api-catalog/{name}/")).json();
        for (path, method) in [(format!("/{name}/"), "post"), (format!("/{name}/{{id}}"), "put")] {
            let operation = &document["paths"][&path][method];
            assert!(operation.is_object(), "{document}");
            assert_eq!(operation["x-duet-commit"], commit, "{operation}");
        }
    }
    assert!(openapi.is_object());
}

/// On PostgreSQL an insert of any class is one statement that commits itself, once a few of its class have come;
/// the session is set back for whatever comes next.
#[test]
fn inserts_of_every_class_commit_themselves() {
    let server = Server::start_with(Options::new().setting("log_statement", "all"));
    let database = Database::Postgres(server.database("alone"));
    let setup = setup(&database, None).with(|setup| setup.limits.connections = 1);
    for table in ["free", "strict", "log"] {
        let said = "said text DEFAULT current_setting('synchronous_commit')";
        database.exec(&format!("ALTER TABLE {table} ADD {said}"));
    }
    database.exec("ALTER DATABASE alone SET synchronous_commit = local");
    let app = setup.start();
    let mut id = 0;
    let mut insert = |table: &str, prefer: &str, count: usize| {
        for _ in 0..count {
            id += 1;
            let body = json!({ "id": id, "n": 1 });
            let path = format!("{table}/");
            let created = send(&app, ("POST", &path), prefer, &body);
            assert_eq!(created.status, 201, "{created:?}");
        }
    };
    for _ in 0..2 {
        insert("log", "return=minimal", 8);
        insert("free", "return=minimal", 3);
        insert("strict", "return=minimal", 8);
        insert("log", "return=minimal", 8);
        // A transaction behind a session that was set.
        let change = send(&app, ("PATCH", "free/9"), "return=minimal", &json!({ "n": 2 }));
        assert_eq!(change.status, 204, "{change:?}");
        insert("free", "return=minimal", 1);
    }
    let of = |table: &str, what: &str| {
        database.count(&format!("SELECT count(*) FROM {table} WHERE {what}"))
    };
    assert_eq!(of("log", "said <> 'off'"), 0, "all are asynchronous");
    assert_eq!(of("strict", "said <> 'local'") + of("free", "said <> 'local'"), 0, "and no other");
    let log = server.log();
    let count = |text: &str| log.matches(text).count();
    assert_eq!(of("log", "true"), 32);
    let (blocks, sessions) =
        (count("SET LOCAL synchronous_commit"), count("SET synchronous_commit TO off"));
    assert!(blocks <= 14 && sessions == 4, "{blocks} of 32 in a block, {sessions} sessions set");
    let (blocks, sessions) = (count("'on', true)"), count("'on', false)"));
    assert!(blocks <= 7 && sessions == 2, "{blocks} of 16 in a block, {sessions} sessions set");
}
