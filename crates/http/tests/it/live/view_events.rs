//! Events of views with NOTIFY: each write of a document through the view has one, in its transaction.

use serde_json::{Value, json};

use super::events::Events;
use super::{TABLES, write};
use crate::support::{App, Database, Setup, eventually, on_both_stores, percent_encode};

on_both_stores! {
    every_write_through_the_view_has_an_event
    a_transaction_has_one_event_for_each_document
    what_is_undone_has_no_event
    one_idempotent_write_has_one_event
    only_the_declared_writes_have_events
    pages_follow_each_other
    events_that_are_gone_are_said_to_be
    a_subscription_goes_on_where_it_was
    without_preparation_nothing_is_written
    other_resources_have_no_events
    readers_of_the_view_read_its_events
}

const EVENTS: &str = "/ords/hr/team_dv/_/events";

fn view(notify: &str) -> String {
    format!(
        "CREATE JSON RELATIONAL DUALITY VIEW team_dv AS
SELECT JSON {{'_id': t.team_id, 'name': t.name, 'points': t.points,
    'drivers': [SELECT JSON {{'driver_id': d.driver_id, 'name': d.name}}
        FROM driver d WITH INSERT UPDATE DELETE WHERE d.team_id = t.team_id]}}
FROM team t WITH INSERT UPDATE DELETE;
CREATE JSON RELATIONAL DUALITY VIEW driver_dv AS
SELECT JSON {{'_id': d.driver_id, 'name': d.name}} FROM driver d WITH INSERT UPDATE DELETE;
{notify}"
    )
}

fn setup(database: &Database, notify: &str) -> Setup {
    database.exec(TABLES);
    Setup::new(database)
        .with(|setup| setup.roles = vec!["duet.read", "duet.write", "duet.admin"])
        .view("teams", &view(notify))
}

const NOTIFY: &str = "CREATE DIRECTIVE teams FOR team_dv NOTIFY
    USING NOTIFICATION TABLE team_events NOTIFICATION VIEW team_events_v;";

/// An application whose view has events, in a database that is prepared for them.
fn started(database: &Database) -> App {
    let app = setup(database, NOTIFY).start();
    prepare(&app, database);
    app
}

fn prepare(app: &App, database: &Database) {
    database.exec(&app.service.webhook_script().unwrap());
}

/// A page, once no transaction of the server keeps events back.
fn page((database, app): (&Database, &App), query: &str) -> Value {
    settled(database);
    page_now(app, query)
}

fn settled(database: &Database) {
    if !database.is_sqlite() {
        let kept_back = "SELECT count(*) FROM duet.webhook_outbox \
             WHERE transaction_id >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint";
        eventually("all events are shown", || database.count(kept_back) == 0);
    }
}

fn page_now(app: &App, query: &str) -> Value {
    let response = app.get(&format!("{EVENTS}{query}"));
    assert_eq!(response.status, 200, "{response:?}");
    response.json()
}

/// The operation, key and name of each event behind one.
fn told(page: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let items = page["items"].as_array().unwrap().iter();
    items
        .map(|it| (text(&it["operation"]), text(&it["key"]), text(&it["document"]["name"])))
        .collect()
}

fn expected(events: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    let owned = |text: &str| text.to_owned();
    events.iter().map(|(a, b, c)| (owned(a), owned(b), owned(c))).collect()
}

fn team(id: u32, name: &str) -> String {
    format!(r#"{{"_id":{id},"name":"{name}","points":1,"drivers":[]}}"#)
}

fn every_write_through_the_view_has_an_event(database: Database) {
    let app = started(&database);
    assert_eq!(told(&page((&database, &app), "")), []);
    write(&app, "POST", "/ords/hr/team_dv/", &team(7, "Sevens"));
    write(&app, "PUT", "/ords/hr/team_dv/7", &team(7, "Seven"));
    let patched = write(
        &app,
        "PATCH",
        "/ords/hr/team_dv/7",
        r#"{"drivers":[{"driver_id":70,"name":"Zoe"}]}"#,
    );
    // What changes nothing is no event.
    write(&app, "PATCH", "/ords/hr/team_dv/7", r#"{"name":"Seven"}"#);
    write(&app, "PUT", "/ords/hr/team_dv/8", &team(8, "Eights"));
    write(&app, "DELETE", "/ords/hr/team_dv/8", "");
    let of_many =
        "[{\"_id\":20,\"name\":\"a\",\"drivers\":[]},{\"_id\":21,\"name\":\"b\",\"drivers\":[]}]";
    write(&app, "POST", "/ords/hr/team_dv/", of_many);
    write(
        &app,
        "POST",
        "/ords/hr/team_dv/_/batch",
        "[{\"_id\":22,\"name\":\"c\",\"drivers\":[]},{\"_id\":20,\"name\":\"again\",\"drivers\":[]}]",
    );
    write(
        &app,
        "POST",
        "/ords/hr/team_dv/batchload",
        "[{\"_id\":23,\"name\":\"d\",\"drivers\":[]}]",
    );
    let filter = percent_encode(r#"{"_id":{"$gte":22}}"#);
    write(&app, "PATCH", &format!("/ords/hr/team_dv/?q={filter}"), r#"{"points":5}"#);
    write(&app, "DELETE", &format!("/ords/hr/team_dv/?q={filter}"), "");
    // Writes of the tables are no writes of the view.
    write(&app, "PATCH", "/ords/hr/team/7", r#"{"points":9}"#);
    write(&app, "PATCH", "/ords/hr/driver_dv/70", r#"{"name":"Zed"}"#);
    let page = page((&database, &app), "");
    assert_eq!(
        told(&page),
        expected(&[
            ("created", "7", "Sevens"),
            ("updated", "7", "Seven"),
            ("updated", "7", "Seven"),
            ("created", "8", "Eights"),
            ("deleted", "8", "Eights"),
            ("created", "20", "a"),
            ("created", "21", "b"),
            ("created", "22", "c"),
            ("created", "23", "d"),
            ("updated", "22", "c"),
            ("updated", "23", "d"),
            ("deleted", "22", "c"),
            ("deleted", "23", "d"),
        ]),
        "{page}"
    );
    let third = &page["items"][2];
    assert_eq!(third["document"]["drivers"], json!([{ "driver_id": 70, "name": "Zoe" }]));
    assert_eq!(third["etag"], patched["_metadata"]["etag"], "{third}");
    assert_eq!((&page["hasMore"], &page["count"]), (&json!(false), &json!(13)));
    assert_eq!(page["after"], page["items"][12]["id"]);
    let catalog = app.get("/ords/hr/metadata-catalog/team_dv/").json();
    assert!(catalog["events"].as_str().unwrap().ends_with(EVENTS), "{catalog}");
    let described = app.get("/ords/hr/open-api-catalog/team_dv/").json();
    assert!(described["paths"]["/team_dv/_/events"]["get"].is_object(), "{described}");
}

fn a_transaction_has_one_event_for_each_document(database: Database) {
    let app = started(&database);
    let operations = json!([
        { "method": "POST", "path": "team_dv/", "body": { "_id": 7, "name": "first", "drivers": [] } },
        { "method": "PATCH", "path": "team_dv/7", "body": { "name": "second" } },
        { "method": "PATCH", "path": "team_dv/2", "body": { "name": "Blue" } },
        { "method": "PATCH", "path": "driver_dv/21", "body": { "name": "Cyd" } },
        { "method": "POST", "path": "team_dv/", "body": { "_id": 9, "name": "short", "drivers": [] } },
        { "method": "DELETE", "path": "team_dv/9" },
        { "method": "DELETE", "path": "driver_dv/12" },
    ]);
    write(&app, "POST", "/ords/hr/_/transaction", &operations.to_string());
    let page = page((&database, &app), "");
    let events = expected(&[("created", "7", "second"), ("updated", "2", "Blue")]);
    assert_eq!(told(&page), events, "{page}");
    // As it is at the end of the transaction.
    let drivers = &page["items"][1]["document"]["drivers"];
    assert_eq!(*drivers, json!([{ "driver_id": 21, "name": "Cyd" }]));
}

fn what_is_undone_has_no_event(database: Database) {
    let app = started(&database);
    let bearer = app.bearer();
    let send = |method: &str, path: &str, prefer: &str, body: &str| {
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Prefer", prefer),
        ];
        app.connect().request(method, path, &headers, body.as_bytes()).status
    };
    let operations = json!([
        { "method": "PATCH", "path": "team_dv/2", "body": { "name": "Blue" } },
        { "method": "PATCH", "path": "team_dv/404", "body": { "name": "nobody" } },
    ]);
    assert_eq!(send("POST", "/ords/hr/_/transaction", "", &operations.to_string()), 404);
    assert_eq!(send("PATCH", "/ords/hr/team_dv/2", "tx=rollback", r#"{"name":"Blue"}"#), 200);
    assert_eq!(send("PUT", "/ords/hr/team_dv/2?explain=1", "", &team(2, "Blue")), 200);
    // The second document is refused by the database, behind the first one.
    let batch = r#"[{"_id":30,"name":"a","drivers":[]},{"_id":1,"name":"taken","drivers":[]}]"#;
    assert_eq!(send("POST", "/ords/hr/team_dv/", "", batch), 409);
    assert_eq!(told(&page((&database, &app), "")), []);
    let outbox = outbox(&app);
    assert_eq!(database.count(&format!("SELECT count(*) FROM {outbox}")), 1, "the first event");
}

fn outbox(app: &App) -> String {
    app.service.store().dialect().webhook_tables().outbox.to_owned()
}

fn one_idempotent_write_has_one_event(database: Database) {
    assert!(database.prepare_keys());
    let app = started(&database);
    let bearer = app.bearer();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Idempotency-Key", "\"once\""),
    ];
    for _ in 0..3 {
        let body = team(7, "Sevens");
        let response =
            app.connect().request("POST", "/ords/hr/team_dv/", &headers, body.as_bytes());
        assert_eq!(response.status, 201, "{response:?}");
    }
    assert_eq!(told(&page((&database, &app), "")), expected(&[("created", "7", "Sevens")]));
}

fn only_the_declared_writes_have_events(database: Database) {
    let app = setup(&database, "CREATE DIRECTIVE gone FOR team_dv NOTIFY ON DELETE;").start();
    prepare(&app, &database);
    write(&app, "POST", "/ords/hr/team_dv/", &team(7, "Sevens"));
    write(&app, "PUT", "/ords/hr/team_dv/7", &team(7, "Seven"));
    write(&app, "DELETE", "/ords/hr/team_dv/7", "");
    assert_eq!(told(&page((&database, &app), "")), expected(&[("deleted", "7", "Seven")]));
}

fn pages_follow_each_other(database: Database) {
    let app = started(&database);
    let start = page((&database, &app), "?after=end");
    let start = start["after"].as_str().unwrap();
    for id in 10..17 {
        write(&app, "POST", "/ords/hr/team_dv/", &team(id, "x"));
    }
    let (mut next, mut keys) = (format!("?after={start}&limit=3"), Vec::new());
    loop {
        let page = page((&database, &app), &next);
        keys.extend(told(&page).into_iter().map(|(_, key, _)| key));
        let links = page["links"].as_array().unwrap();
        let link = links.iter().find(|link| link["rel"] == "next");
        assert_eq!(link.is_some(), page["hasMore"].as_bool().unwrap(), "{page}");
        let Some(link) = link else { break };
        let href = link["href"].as_str().unwrap();
        next = href[href.find('?').unwrap()..].to_owned();
    }
    let all: Vec<String> = (10..17).map(|id| id.to_string()).collect();
    assert_eq!(keys, all);
    let last = page((&database, &app), "?after=end");
    assert_eq!(
        told(&page((&database, &app), &format!("?after={}", last["after"].as_str().unwrap()))),
        []
    );
    for wrong in ["?after=x", "?after=1", "?limit=0", "?limit=x", "?offset=1", "?after=-1-2"] {
        assert_eq!(app.get(&format!("{EVENTS}{wrong}")).status, 400, "{wrong}");
    }
}

fn events_that_are_gone_are_said_to_be(database: Database) {
    let app = started(&database);
    let start = page((&database, &app), "?after=end")["after"].as_str().unwrap().to_owned();
    for id in 10..15 {
        write(&app, "POST", "/ords/hr/team_dv/", &team(id, "x"));
    }
    let second = page((&database, &app), "")["items"][1]["id"].as_str().unwrap().to_owned();
    // All but the last are old.
    let outbox = outbox(&app);
    database
        .exec(&format!("UPDATE {outbox} SET done_at = 1 WHERE key IN ('10', '11', '12', '13')"));
    let service = std::sync::Arc::clone(&app.service);
    let forget = async move {
        let handle = service.attach().unwrap();
        let day = std::time::Duration::from_secs(24 * 3600);
        handle.acting(None).forget_view_events(&service.snapshot(), day).await.unwrap();
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, forget);
    // The newest of the old ones stays, as the place of those who have read it.
    let kept: Vec<_> =
        told(&page((&database, &app), "")).into_iter().map(|(_, key, _)| key).collect();
    assert_eq!(kept, ["13", "14"]);
    for id in [&start, &second, &"1-999999".to_owned()] {
        let response = app.get(&format!("{EVENTS}?after={id}"));
        assert_eq!(
            (response.status, &response.json()["errors"][0]["code"]),
            (410, &json!("DUET-1025")),
            "{id}"
        );
        let events = Events::after(&app, EVENTS, id);
        assert_eq!(events.status, 410);
    }
}

fn a_subscription_goes_on_where_it_was(database: Database) {
    let app = started(&database);
    write(&app, "PATCH", "/ords/hr/team_dv/1", r#"{"name":"Red"}"#);
    let mut events = Events::of(&app, EVENTS);
    let first = events.next().unwrap();
    assert_eq!((first.name.as_str(), &first.data["key"]), ("updated", &json!("1")));
    assert_eq!(first.data["document"]["name"], "Red", "{first:?}");
    write(&app, "POST", "/ords/hr/team_dv/", &team(7, "Sevens"));
    let second = events.next().unwrap();
    assert_eq!((second.name.as_str(), &second.data["key"]), ("created", &json!("7")));
    drop(events);
    write(&app, "DELETE", "/ords/hr/team_dv/7", "");
    let mut again = Events::after(&app, EVENTS, second.id.as_deref().unwrap());
    let third = again.next().unwrap();
    assert_eq!((third.name.as_str(), &third.data["key"]), ("deleted", &json!("7")));
    let mut new = Events::of(&app, &format!("{EVENTS}?after=end"));
    assert_eq!(new.status, 200);
    write(&app, "PATCH", "/ords/hr/team_dv/1", r#"{"name":"Crimson"}"#);
    assert_eq!(new.next().unwrap().data["document"]["name"], "Crimson");
    assert_eq!(Events::of(&app, &format!("{EVENTS}?limit=3")).status, 400);
}

fn without_preparation_nothing_is_written(database: Database) {
    let app = setup(&database, NOTIFY).start();
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let body = team(7, "Sevens");
    let response = app.connect().request("POST", "/ords/hr/team_dv/", &headers, body.as_bytes());
    assert_eq!(
        (response.status, &response.json()["errors"][0]["code"]),
        (501, &json!("DUET-1026"))
    );
    assert_eq!(app.get("/ords/hr/team_dv/7").status, 404, "nothing was changed");
    assert_eq!(app.get(EVENTS).status, 501);
}

fn other_resources_have_no_events(database: Database) {
    let app = started(&database);
    for path in ["/ords/hr/driver_dv/_/events", "/ords/hr/team/_/events"] {
        assert_eq!(app.get(path).status, 404, "{path}");
    }
    let described = app.get("/ords/hr/open-api-catalog/driver_dv/").json();
    assert!(described["paths"]["/driver_dv/_/events"].is_null());
}

fn readers_of_the_view_read_its_events(database: Database) {
    let app = started(&database);
    assert_eq!(app.connect().get(EVENTS, &[]).status, 401);
    drop(app);
    let setup = Setup::new(&database).view("teams", &view(NOTIFY));
    let setup = setup.privilege(&["fan"], &["/team_dv/1"]);
    let app = setup.with(|setup| setup.roles = vec!["fan"]).start();
    assert_eq!(app.get("/ords/hr/team_dv/1").status, 200);
    assert_eq!(app.get(EVENTS).status, 403, "of the whole view");
}

/// A role gets events of what it sees now, and where row security decides, none of the documents as they were.
#[test]
fn row_security_holds_for_events() {
    let database = Database::postgres("view_events_row_security");
    database.exec(
        "CREATE ROLE event_ann; CREATE ROLE event_none;
        CREATE TABLE note (note_id int PRIMARY KEY, owner text NOT NULL, text text);
        ALTER TABLE note ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON note USING (owner = current_user);
        CREATE TABLE open_note (note_id int PRIMARY KEY, text text);
        GRANT SELECT, INSERT, UPDATE ON note, open_note TO event_ann;",
    );
    let views = "CREATE JSON DUALITY VIEW note_dv AS note @insert @update @delete @notify { _id: note_id owner text };
        CREATE JSON DUALITY VIEW open_dv AS open_note @insert @update @delete @notify { _id: note_id text };";
    let setup = Setup::new(&database).view("notes", views).with(|setup| {
        setup.roles = vec!["duet.read", "duet.write"];
        setup.clients =
            vec![("ann", Some("event_ann".to_owned())), ("none", Some("event_none".to_owned()))];
    });
    let app = setup.start();
    prepare(&app, &database);
    let note =
        |id: u32, owner: &str| format!(r#"{{"_id":{id},"owner":"{owner}","text":"secret"}}"#);
    write(&app, "POST", "/ords/hr/note_dv/", &note(1, "event_ann"));
    write(&app, "POST", "/ords/hr/note_dv/", &note(2, "event_bob"));
    write(&app, "PUT", "/ords/hr/note_dv/2", &note(2, "event_ann"));
    write(&app, "POST", "/ords/hr/note_dv/", &note(3, "event_ann"));
    write(&app, "DELETE", "/ords/hr/note_dv/3", "");
    for id in [1, 2] {
        write(&app, "POST", "/ords/hr/open_dv/", &format!(r#"{{"_id":{id},"text":"a"}}"#));
    }
    write(&app, "DELETE", "/ords/hr/open_dv/2", "");
    // A role writes as itself, and the events are the server's.
    let ann = app.bearer_of("ann");
    let headers = [("Authorization", ann.as_str()), ("Content-Type", "application/json")];
    let body = note(5, "event_ann");
    let response = app.connect().request("POST", "/ords/hr/note_dv/", &headers, body.as_bytes());
    assert_eq!(response.status, 201, "{response:?}");
    let of = |name: &str, path: &str| {
        app.connect().get(path, &[("Authorization", app.bearer_of(name).as_str())])
    };
    settled(&database);
    let notes = of("ann", "/ords/hr/note_dv/_/events").json();
    let seen: Vec<_> =
        told(&notes).into_iter().map(|(what, key, _)| format!("{what} {key}")).collect();
    assert_eq!(seen, ["created 1", "created 2", "updated 2", "created 5"], "{notes}");
    assert!(!notes.to_string().contains("secret"), "{notes}");
    let open = of("ann", "/ords/hr/open_dv/_/events").json();
    assert_eq!(open["items"].as_array().unwrap().len(), 3);
    assert_eq!(open["items"][2]["document"]["text"], "a");
    for path in ["/ords/hr/note_dv/_/events", "/ords/hr/open_dv/_/events"] {
        assert_eq!(of("none", path).status, 403, "{path}");
    }
}

/// An event is shown once every transaction has ended that began before, so that no reader misses one.
#[test]
fn events_wait_for_earlier_transactions() {
    let database = Database::postgres("view_events_order");
    let app = started(&database);
    let Database::Postgres(server) = &database else { unreachable!() };
    let url = server.url();
    let earlier = std::thread::spawn(move || {
        let script = "SET application_name = 'earlier'; BEGIN; CREATE TABLE earlier (id int); SELECT pg_sleep(600)";
        // Ended below.
        drop(std::process::Command::new("psql").args([&url, "-c", script]).output());
    });
    let of_earlier = "FROM pg_stat_activity WHERE application_name = 'earlier' \
                      AND datname = current_database() AND backend_xid IS NOT NULL";
    eventually("the earlier one writes", || {
        database.count(&format!("SELECT count(*) {of_earlier}")) == 1
    });
    write(&app, "PATCH", "/ords/hr/team_dv/1", r#"{"name":"Red"}"#);
    assert_eq!(told(&page_now(&app, "")), []);
    let mut events = Events::of(&app, EVENTS);
    database.count(&format!("SELECT count(pg_terminate_backend(pid)) {of_earlier}"));
    earlier.join().unwrap();
    assert_eq!(events.next().unwrap().data["document"]["name"], "Red");
    assert_eq!(told(&page((&database, &app), "")), expected(&[("updated", "1", "Red")]));
}
