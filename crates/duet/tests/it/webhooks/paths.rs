//! Every way to write is recorded, in the transaction of the write, and costs no statement of the server.

use std::collections::BTreeMap;

use duet_testkit::command::wait_until;
use duet_testkit::http;
use duet_testkit::postgres::{Options, Server};
use duet_testkit::receiver::Receiver;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use super::{App, Place, SECRET, TABLES, send, webhook};
use crate::duet_says;

const VIEW: &str = "view orders_dv as orders @insert @update @delete {
    _id: id  customer  line @insert @update @delete [ { id n } ] }";
const NOTES: &str = "schema = 'notes.json'\n";
const NOTE_SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
    "words": {"type": "string"}}}"#;
const RENAME: &str = "-- method = \"POST\"\n-- path = \"/rename\"\n-- result = \"count\"\n-- [parameters]\n\
    -- customer = { type = \"text\" }\nUPDATE orders SET customer = :customer WHERE id < 3\n";
const NOTE: &str = "0f0e0d0c-0b0a-4908-8706-050403020100";

/// An application with everything that writes.
fn app(receiver: &Receiver, folder: &Folder) -> App {
    let declared =
        webhook("erp", receiver, "").replace("['orders']", "['orders', 'line', 'notes']");
    let app = App::new(&format!(
        "views = ['*.graphql']\ncollections = ['notes.toml']\nservices = ['*.sql']\n{declared}"
    ));
    for (name, text) in [
        ("view.graphql", VIEW),
        ("notes.toml", NOTES),
        ("notes.json", NOTE_SCHEMA),
        ("rename.sql", RENAME),
    ] {
        app.write(name, text);
    }
    let text = std::fs::read_to_string(app.path().join("app.toml")).unwrap();
    let journal = folder.path().join("journal").display().to_string();
    app.write("app.toml", &format!("{text}journal = '{journal}'\n"));
    app
}

/// The events that were recorded since the last call, with how often.
struct Recorded<'p> {
    place: &'p Place,
    before: BTreeMap<&'static str, i64>,
}

const KINDS: [&str; 9] = [
    "orders.created",
    "orders.updated",
    "orders.deleted",
    "line.created",
    "line.updated",
    "line.deleted",
    "notes.created",
    "notes.updated",
    "notes.deleted",
];

impl Recorded<'_> {
    fn counts(&self) -> BTreeMap<&'static str, i64> {
        let outbox = self.place.own("outbox");
        let count = |kind: &str| {
            self.place.count(&format!("SELECT count(*) FROM {outbox} WHERE type = '{kind}'"))
        };
        KINDS.into_iter().map(|kind| (kind, count(kind))).collect()
    }

    fn expect(&mut self, what: &str, expected: &[(&str, i64)]) {
        let now = self.counts();
        let more: Vec<(&str, i64)> = (KINDS.iter())
            .map(|kind| (*kind, now[kind] - self.before.get(kind).copied().unwrap_or(0)))
            .filter(|(_, more)| *more != 0)
            .collect();
        assert_eq!(more, expected, "{what}");
        self.before = now;
    }
}

#[test]
fn every_way_to_write_is_recorded() {
    let folder = Folder::new();
    for place in Place::both(&folder, "paths") {
        let receiver = Receiver::start();
        let app = app(&receiver, &Folder::new());
        // Collections, keys, the journal and webhooks.
        let said = duet_says(&["prepare", &app.source(), "--database", &place.url()]);
        assert!(said.contains("tables of webhooks"), "{said}");
        let server = app.start(&place);
        let mut recorded = Recorded { place: &place, before: BTreeMap::new() };
        let order = |id: u32| json!({ "id": id, "customer": "ann" });

        send(&server, "POST", "orders/", &order(1));
        recorded.expect("a row", &[("orders.created", 1)]);
        send(&server, "PATCH", "orders/1", &json!({ "customer": "bob" }));
        recorded.expect("a part of a row", &[("orders.updated", 1)]);
        let lines = json!([{ "id": 1, "n": 1 }, { "id": 2, "n": 2 }]);
        send(&server, "POST", "orders_dv/", &json!({ "_id": 2, "customer": "ann", "line": lines }));
        recorded.expect("a document", &[("orders.created", 1), ("line.created", 2)]);
        let lines = json!([{ "id": 1, "n": 7 }]);
        let changed = json!({ "_id": 2, "customer": "ann", "line": lines });
        send(&server, "PUT", "orders_dv/2", &changed);
        recorded.expect("parts of a document", &[("line.updated", 1), ("line.deleted", 1)]);
        send(&server, "POST", "rename", &json!({ "customer": "eve" }));
        recorded.expect("a service", &[("orders.updated", 2)]);
        send(&server, "POST", "notes/", &json!({ "id": NOTE, "words": "one" }));
        send(&server, "PUT", &format!("notes/{NOTE}"), &json!({ "id": NOTE, "words": "two" }));
        send(&server, "DELETE", &format!("notes/{NOTE}"), &Value::Null);
        let each = [("notes.created", 1), ("notes.updated", 1), ("notes.deleted", 1)];
        recorded.expect("a collection", &each);

        let rows: String = (10..40).map(|id| format!("{}\n", order(id))).collect();
        let load = |path: &str, headers: &[(&str, &str)], body: &[u8]| {
            let url = format!("{}/api/{path}", server.url());
            let answer = http::request("POST", &url, headers, body);
            assert!(answer.status < 300, "{path}: {} {}", answer.status, answer.text());
        };
        let ndjson = ("Content-Type", "application/x-ndjson");
        load("orders/batchload", &[ndjson], rows.as_bytes());
        recorded.expect("a bulk load", &[("orders.created", 30)]);
        let json = ("Content-Type", "application/json");
        let once = [json, ("Idempotency-Key", "k-1")];
        for _ in 0..2 {
            load("orders/", &once, order(50).to_string().as_bytes());
        }
        recorded.expect("a repeated request", &[("orders.created", 1)]);
        let waits = [json, ("Prefer", "respond-async")];
        load("orders/", &waits, order(51).to_string().as_bytes());
        let found = "SELECT count(*) FROM orders WHERE id = 51";
        wait_until("the journal is written", || place.count(found) == 1);
        recorded.expect("the journal", &[("orders.created", 1)]);
        // Others, and what the database does by itself.
        place.exec("INSERT INTO orders SELECT id + 100, customer FROM orders WHERE id < 3");
        recorded.expect("another program", &[("orders.created", 2)]);
        place.exec("UPDATE orders SET id = 200 WHERE id = 101");
        recorded.expect("another key", &[("orders.created", 1), ("orders.deleted", 1)]);
        place.exec("DELETE FROM orders WHERE id = 2");
        recorded.expect("a cascade", &[("orders.deleted", 1), ("line.deleted", 1)]);
        let outbox = place.own("outbox");
        let waiting = format!("SELECT count(*) FROM {outbox} WHERE state <> 1");
        wait_until("all are delivered", || place.count(&waiting) == 0);
    }
}

/// All rows of a table are gone at once.
#[test]
fn a_truncated_table_is_one_event() {
    let database = Server::shared().database("webhooks_truncate");
    database.exec(TABLES);
    let place = Place::Postgres(database);
    let receiver = Receiver::start();
    let app = App::new(&webhook("erp", &receiver, ""));
    let _server = app.serve(&place);
    place.exec("INSERT INTO orders SELECT n, 'ann' FROM generate_series(1, 5) AS n");
    receiver.wait_for(5);
    place.exec("TRUNCATE orders, line");
    let received = receiver.wait_for(6);
    let last = received[5].json();
    assert_eq!(last["type"], "orders.truncated");
    assert_eq!(last["data"], json!({ "resource": "orders" }));
}

/// How many statements on the orders a server has run since a mark.
fn statements(log: &str, mark: &str) -> usize {
    let since = log.rsplit_once(mark).map_or(log, |(_, since)| since);
    let is_one = |line: &&str| line.contains("statement: ") || line.contains("execute ");
    since.lines().filter(is_one).filter(|line| line.contains("orders")).count()
}

/// Recording takes no statement of the server, and one call of a trigger for each statement on the table, whatever the
/// number of rows.
#[test]
fn recording_costs_no_statement_of_the_server() {
    let options = Options::new().setting("log_statement", "all").setting("track_functions", "all");
    let server = Server::start_with(options);
    let database = server.database("webhooks_costs");
    database.exec(TABLES);
    let receiver = Receiver::start();
    let app = App::new("");
    let place = Place::Postgres(database);
    let mut of_each = Vec::new();
    for declared in [String::new(), webhook("erp", &receiver, "")] {
        app.declare("shop", &declared);
        let running = if declared.is_empty() { app.start(&place) } else { app.serve(&place) };
        if !declared.is_empty() {
            // Events are recorded and not sent: to send one reads its row.
            place.exec("UPDATE duet.webhook_endpoints SET paused_until = 1000000000000000");
        }
        let mut counts = Vec::new();
        for (first, rows) in [(1_000, 10), (2_000, 20)] {
            // The statements are prepared, and the plan is known.
            send(&running, "POST", "orders/", &json!({ "id": first, "customer": "ann" }));
            let mark = format!("SELECT 'mark {first} {}'", declared.len());
            place.exec(&mark);
            let row = |n: u32| format!("{}\n", json!({ "id": first + n, "customer": "ann" }));
            let body: String = (1..=rows).map(row).collect();
            let url = format!("{}/api/orders/batchload", running.url());
            let ndjson = [("Content-Type", "application/x-ndjson")];
            let answer = http::request("POST", &url, &ndjson, body.as_bytes());
            assert_eq!(answer.status, 200, "{}", answer.text());
            counts.push(statements(&server.log(), &mark));
        }
        assert!(counts[0] > 0, "the log has statements");
        assert_eq!(counts[0], counts[1], "10 and 20 rows");
        of_each.push(counts[0]);
        drop(running);
        if declared.is_empty() {
            place.exec("DELETE FROM orders");
        }
    }
    assert_eq!(of_each[0], of_each[1], "with and without a webhook");
    assert_eq!(place.count("SELECT count(*) FROM duet.webhook_outbox"), 32);
    // A session tells of its calls when it ends: two single rows, and two loads.
    let calls =
        "SELECT coalesce(sum(calls), 0) FROM pg_stat_user_functions WHERE funcname LIKE 'webhook%'";
    wait_until("four calls of the trigger", || place.count(calls) == 4);
}

/// An update of many rows takes time that grows with them, and no faster.
#[test]
fn the_events_of_an_update_are_grouped_and_not_joined() {
    let database = Server::shared().database("webhooks_update");
    database.exec(TABLES);
    let place = Place::Postgres(database);
    let app = App::new(&webhook("erp", &Receiver::start(), ""));
    assert!(app.webhook(&place, &["prepare"]).contains("triggers on the table of orders"));
    place.exec("INSERT INTO orders SELECT n, 'ann' FROM generate_series(1, 2000) AS n");
    place.exec("UPDATE orders SET customer = 'bob'");
    let count = |kind: &str| {
        place.count(&format!(
            "SELECT count(*) FROM duet.webhook_outbox WHERE type = 'orders.{kind}'"
        ))
    };
    assert_eq!((count("created"), count("updated"), count("deleted")), (2000, 2000, 0));
    // Each key moves by one: all but the ends stay keys.
    place.exec("UPDATE orders SET id = id + 100000");
    assert_eq!((count("created"), count("updated"), count("deleted")), (4000, 2000, 2000));
    let Place::Postgres(database) = &place else { return };
    let source = "SELECT prosrc FROM pg_proc WHERE proname LIKE 'webhook%'";
    let source = database.query(source);
    assert!(source.contains("GROUP BY k.key") && !source.contains("EXISTS"), "{source}");
    assert!(!source.contains(SECRET));
}
