//! The sample `transactions`: its rows and its native routes, the same on both stores.

use duet_testkit::command::Running;
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::{duet, duet_says};

/// The sample on both stores, twice its usual size, each in a database of its own.
fn loaded(folder: &Folder, name: &str) -> [String; 2] {
    let file = folder.path().join("t.db").display().to_string();
    let databases = [file, Server::shared().database(name).url()];
    for database in &databases {
        let load = ["load", "transactions", "--database", database, "--scale", "2"];
        let said = duet_says(&load);
        assert!(said.contains("transactions") && said.contains("2,000"), "{said}");
    }
    databases
}

fn serve(database: &str) -> Running {
    let app = ["serve", database, "--app", "transactions", "--open", "all"];
    Running::start(&[&app[..], &["--listen", "127.0.0.1:0"]].concat())
}

fn get(server: &Running, path: &str, headers: &[(&str, &str)]) -> Response {
    http::get(&format!("{}{path}", server.url()), headers)
}

fn post(server: &Running, body: &Value) -> Response {
    let headers = [("Content-Type", "application/json")];
    let url = format!("{}/transactions", server.url());
    http::request("POST", &url, &headers, body.to_string().as_bytes())
}

/// A transaction that may be created.
fn sale(id: &str) -> Value {
    json!({ "id": id, "transaction_type": "Sale", "account": "ACC1", "amount": 1250, "currency": "EUR" })
}

#[test]
fn items_and_pages_are_the_same_on_both_stores() {
    let folder = Folder::new();
    let servers = loaded(&folder, "transactions_read").map(|database| serve(&database));
    let texts = servers.each_ref().map(|server| {
        let mut texts = Vec::new();
        for path in ["/transactions/TXN-00000001", "/transactions/TXN-00002000"] {
            let item = get(server, path, &[]);
            assert_eq!((item.status, &item.json()["status"]), (200, &json!("SUCCESS")));
            let etag = item.header("etag").unwrap();
            assert_eq!(get(server, path, &[("If-None-Match", etag)]).status, 304);
            texts.push(format!("{etag} {}", item.text().replace(&server.url(), "")));
        }
        // All rows are on pages that `next` links, each once.
        let mut path = "/transactions?limit=700&after=".to_owned();
        let mut ids = Vec::new();
        loop {
            let page = get(server, &path, &[]).json();
            let items = page["items"].as_array().unwrap();
            ids.extend(items.iter().map(|item| item["id"].as_str().unwrap().to_owned()));
            let next = page["links"].as_array().unwrap().iter().find(|link| link["rel"] == "next");
            let Some(next) = next else { break };
            path = next["href"].as_str().unwrap().strip_prefix(&server.url()).unwrap().to_owned();
        }
        ids.dedup();
        assert_eq!(ids.len(), 2000);
        let newest =
            "/transactions?limit=100&q=%7B%22%24orderby%22:%7B%22created_at%22:%22desc%22%7D%7D";
        let page = get(server, newest, &[]).json();
        assert_eq!((&page["count"], &page["hasMore"]), (&json!(100), &json!(true)));
        assert_eq!(page["items"][0]["id"], "TXN-00002000");
        texts.push(page["items"].to_string().replace(&server.url(), ""));
        texts
    });
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn statuses_say_what_happened() {
    let folder = Folder::new();
    for database in loaded(&folder, "transactions_write") {
        let server = serve(&database);
        let created = post(&server, &sale("A/1"));
        assert_eq!(created.status, 201, "{created:?}");
        let place = created.header("location").unwrap().to_owned();
        assert!(place.ends_with("/transactions/A%2F1"), "{place}");
        let stored = http::get(&place, &[]);
        assert_eq!(stored.header("etag"), created.header("etag"));
        let stored = stored.json();
        assert_eq!((&stored["status"], &stored["amount"]), (&json!("SUCCESS"), &json!(1250)));
        assert_eq!(stored["message"], "Transaction processed successfully");
        assert_eq!(get(&server, "/transactions/none", &[]).status, 404);
        let changed = |member: &str, value: Value| {
            let mut body = sale("B");
            match value {
                Value::Null => drop(body.as_object_mut().unwrap().remove(member)),
                value => body[member] = value,
            }
            body
        };
        for (body, status, code, pointer) in [
            (sale("A/1"), 409, "DUET-7101", "/id"),
            (changed("transaction_type", json!("refund")), 422, "DUET-7103", "/transaction_type"),
            (changed("amount", json!("much")), 400, "DUET-7005", "/amount"),
            (changed("amount", json!(1.5)), 400, "DUET-7005", "/amount"),
            (changed("account", Value::Null), 400, "DUET-7104", "/account"),
            (changed("color", json!("red")), 400, "DUET-7003", "/color"),
        ] {
            let refused = post(&server, &body);
            let error = refused.json()["errors"][0].clone();
            let found = (refused.status, &error["code"], &error["pointer"]);
            assert_eq!(found, (status, &json!(code), &json!(pointer)), "{body}");
        }
        assert_eq!(get(&server, "/transactions/B", &[]).status, 404);
    }
}

/// The newest are read by the index, on both stores, and a given moment is stored to the microsecond.
#[test]
fn the_newest_are_read_by_an_index() {
    let folder = Folder::new();
    let newest = "/transactions?limit=3&fields=id,created_at&q=%7B%22%24orderby%22:%7B%22created_at%22:%22desc%22%7D%7D";
    for database in loaded(&folder, "transactions_newest") {
        let said = duet_says(&["explain", "GET", newest, &database, "--app", "transactions"]);
        assert!(said.contains("created_at descending: index transactions_created_ix"), "{said}");
        let server = serve(&database);
        for (id, at) in [
            ("B", "2098-01-01 00:00:01.250000"),
            ("A", "2098-01-01T00:00:01.25Z"),
            ("C", "2098-01-01T00:00:01.250001"),
        ] {
            let mut body = sale(id);
            body["created_at"] = json!(at);
            assert_eq!(post(&server, &body).status, 201, "{at}");
        }
        let page = get(&server, newest, &[]).json();
        let item = |at: usize| (&page["items"][at]["id"], &page["items"][at]["created_at"]);
        let quarter = json!("2098-01-01T00:00:01.25");
        assert_eq!(item(0), (&json!("C"), &json!("2098-01-01T00:00:01.250001")));
        assert_eq!([item(1), item(2)], [(&json!("A"), &quarter), (&json!("B"), &quarter)]);
    }
}

/// The trigger of the schema dates a change; the row keeps the moment when it was created.
#[test]
fn a_change_is_dated() {
    let folder = Folder::new();
    for database in loaded(&folder, "transactions_dated") {
        let server = serve(&database);
        let url = format!("{}/transactions/TXN-00000007", server.url());
        let headers = [("Content-Type", "application/merge-patch+json")];
        let changed = http::request("PATCH", &url, &headers, br#"{"description":"corrected"}"#);
        assert_eq!(changed.status, 200, "{changed:?}");
        let (stored, first) = (changed.json(), "2025-11-01T00:00:07");
        assert_eq!(
            (&stored["description"], &stored["created_at"]),
            (&json!("corrected"), &json!(first))
        );
        assert!(stored["updated_at"].as_str().unwrap() > "2025-11-02", "{stored}");
    }
}

/// Clients with the sample's roles: a reader reads, a teller creates too, neither changes.
#[test]
fn roles_read_and_create() {
    let folder = Folder::new();
    let [database, _] = loaded(&folder, "transactions_roles");
    let state = folder.path().join("state.json").display().to_string();
    let client = |role: &str| -> Value {
        let add = ["client", "add", role, "--role", role, "--state", &state, "--json"];
        serde_json::from_str(&duet_says(&add)).unwrap()
    };
    let clients = ["transactions.reader", "transactions.teller"].map(client);
    let server = Running::start(&[
        "serve",
        &database,
        "--app",
        "transactions",
        "--state",
        &state,
        "--listen",
        "127.0.0.1:0",
    ]);
    for (client, may_create) in clients.iter().zip([403, 201]) {
        let bearer = crate::commands::client::bearer(&server, client);
        let send = |method: &str, path: &str, body: Value| {
            let headers =
                [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
            let url = format!("{}{path}", server.url());
            http::request(method, &url, &headers, body.to_string().as_bytes()).status
        };
        let item = "/transactions/TXN-00000001";
        assert_eq!(get(&server, item, &[("Authorization", &bearer)]).status, 200);
        assert_eq!(send("POST", "/transactions", sale("mine")), may_create);
        assert_eq!(send("PATCH", item, json!({ "amount": 1 })), 403);
    }
    assert_eq!(get(&server, "/transactions", &[]).status, 401);
}

/// A mount at the root serves everything but what the process itself answers.
#[test]
fn a_root_mount_hides_nothing() {
    let folder = Folder::new();
    let [database, _] = loaded(&folder, "transactions_root");
    let server = serve(&database);
    assert_eq!(get(&server, "/health/ready", &[]).status, 200);
    let index = get(&server, "/", &[("Accept", "application/json")]).json();
    assert_eq!(index["applications"][0]["mounts"][0]["path"], "/", "{index}");
    for link in index["applications"][0]["mounts"][0]["links"].as_array().unwrap() {
        assert_eq!(http::get(link["href"].as_str().unwrap(), &[]).status, 200, "{link}");
    }
    let application = folder.path().join("app.toml").display().to_string();
    std::fs::write(&application, "name = 'all'\nmount = '/'\n").unwrap();
    duet_testkit::sqlite::open(&folder.path().join("t.db"))
        .execute_batch("CREATE TABLE metrics (id INTEGER PRIMARY KEY)")
        .unwrap();
    let (code, _, errors) = duet(&["serve", &database, "--config", &application]);
    let expected = "The application \"all\" cannot serve \"metrics\" below `/`: Duet itself answers at `/metrics`.";
    assert!(code == 1 && errors.contains(expected), "{code}: {errors}");
}
