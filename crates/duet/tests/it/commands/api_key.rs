//! `duet client add --key`, in a file and in a database, and servers that take the keys.

use duet_testkit::command::{Running, wait_until};
use duet_testkit::postgres::Server;
use duet_testkit::{http, sqlite};
use serde_json::Value;

use crate::{duet, duet_says};

/// One place of clients, with a server of a table and what it is started with.
pub(super) struct Place<'a> {
    pub(super) arguments: [&'a str; 2],
    pub(super) serve: Vec<&'a str>,
    pub(super) table: &'a str,
}

impl Place<'_> {
    pub(super) fn client(&self, arguments: &[&str]) -> Value {
        let all = [&["client"], arguments, &self.arguments, &["--json"]].concat();
        let (code, out, errors) = duet(&all);
        assert_eq!(code, 0, "{arguments:?}: {errors}");
        serde_json::from_str(&out).expect("JSON")
    }

    pub(super) fn start(&self) -> Running {
        let log = ["--listen", "127.0.0.1:0", "--access-log", "json"];
        Running::start(&[&["serve"], &self.serve[..], &log].concat())
    }
}

pub(super) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} of {value}"))
}

/// What every place of clients does, and two servers that share it.
fn a_key_is_known_everywhere_until_it_is_removed(place: &Place<'_>) {
    let (code, _, errors) =
        duet(&[&["client", "add", "x", "--key", "--id", "y"], &place.arguments[..]].concat());
    assert_eq!(code, 2, "{errors}");
    let added = place.client(&["add", "etl", "--key", "--expires", "90d", "--role", "duet.read"]);
    let key = text(&added, "api_key");
    assert!(key.starts_with(&format!("{}_", text(&added, "client_id"))), "the prefix is visible");
    assert_eq!(added.get("client_secret"), None);
    let servers = [place.start(), place.start()];
    let status = |server: &Running, name: &str, value: &str| {
        http::get(&format!("{}{}", server.url(), place.table), &[(name, value)]).status
    };
    for server in &servers {
        // No shared cache keeps the answer for others.
        let answer = http::get(&format!("{}{}", server.url(), place.table), &[("X-API-Key", key)]);
        assert_eq!((answer.status, answer.header("cache-control")), (200, Some("private")));
        assert_eq!(status(server, "Authorization", &format!("Bearer {key}")), 200);
        assert_eq!(status(server, "X-API-Key", &key.replacen("duk_", "duk-", 1)), 401);
    }
    // The use is stored, once for both servers.
    let listed = || place.client(&["list"]).as_array().cloned().unwrap_or_default();
    wait_until("the use is stored", || listed()[0]["last_used"].is_string());
    assert!(text(&listed()[0], "expires").ends_with('Z'));
    assert!(!listed()[0].to_string().contains(key), "a list shows no key");
    let shown = duet_says(&[&["client", "list"], &place.arguments[..]].concat());
    assert!(shown.contains("  API key, until 2") && shown.contains(", last used 2"), "{shown}");

    let rotated = place.client(&["rotate", "etl"]);
    let second = text(&rotated, "api_key");
    wait_until("the first key has ended everywhere", || {
        servers.iter().all(|server| status(server, "X-API-Key", key) == 401)
    });
    assert!(servers.iter().all(|server| status(server, "X-API-Key", second) == 200));
    place.client(&["remove", "etl"]);
    place.client(&["add", "other", "--role", "duet.read"]);
    wait_until("the second has ended everywhere", || {
        servers.iter().all(|server| status(server, "X-API-Key", second) == 401)
    });
    for server in &servers {
        let logged = format!("{}{}", server.output(), server.errors());
        assert!(!logged.contains(key) && !logged.contains(second), "a key is logged: {logged}");
        assert!(logged.contains(text(&added, "client_id")), "the log has its id: {logged}");
    }
}

#[test]
fn keys_in_a_file_for_sqlite() {
    let folder = sqlite::Folder::new();
    let database = folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
    let file = folder.path().join("state.json").display().to_string();
    let database = database.display().to_string();
    a_key_is_known_everywhere_until_it_is_removed(&Place {
        arguments: ["--state", &file],
        serve: vec![&database, "--state", &file],
        table: "/api/main/t/",
    });
}

#[test]
fn keys_in_postgresql() {
    let database = Server::shared().database("api_keys");
    database.exec("CREATE TABLE t (id int PRIMARY KEY)");
    let url = database.url();
    a_key_is_known_everywhere_until_it_is_removed(&Place {
        arguments: ["--in-database", &url],
        serve: vec![&url],
        table: "/api/public/t/",
    });
}

/// A server that may not write the clients knows the uses of its own run, and says why no more.
#[test]
fn without_the_right_to_store_a_use_the_server_says_so() {
    let database = Server::shared().database("api_keys_read");
    database.exec("CREATE TABLE t (id int PRIMARY KEY); CREATE ROLE api_keys_reader LOGIN");
    database.exec("GRANT SELECT ON t TO api_keys_reader");
    let url = database.url();
    let add = ["client", "add", "k", "--key", "--role", "duet.admin", "--json"];
    let place = ["--in-database", &url, "--server-role", "api_keys_reader"];
    let (code, out, errors) = duet(&[&add[..], &place[..]].concat());
    assert_eq!(code, 0, "{errors}");
    let added: Value = serde_json::from_str(&out).unwrap();
    let reader = url.replacen("user=postgres", "user=api_keys_reader", 1);
    assert_ne!(reader, url);
    let server = Running::start(&["serve", &reader, "--listen", "127.0.0.1:0"]);
    let list = || {
        let key = [("X-API-Key", text(&added, "api_key"))];
        http::get(&format!("{}/admin/clients", server.url()), &key).json()
    };
    assert_eq!(list()["clients"][0]["id"], added["client_id"]);
    assert!(list()["clients"][0]["apiKey"]["lastUsed"].is_string());
    server.wait_for_output("the last uses of API keys cannot be stored");
}

#[test]
fn an_expired_key_is_refused_and_says_so() {
    let folder = sqlite::Folder::new();
    let database = folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
    let (file, database) = (folder.path().join("s").display().to_string(), database.display());
    let add = ["client", "add", "k", "--key", "--expires", "0s", "--role", "duet.read"];
    let shown = duet_says(&[&add[..], &["--state", &file]].concat());
    assert!(shown.contains("\n  api_key        duk_") && shown.contains("validity       expired "));
    let key = shown.split_whitespace().find(|word| word.len() == 49).expect("the key");
    let database = database.to_string();
    let more = ["--api-key-header", "X-Shop-Key", "--open", "read"];
    let serve = ["serve", &database, "--state", &file, "--listen", "127.0.0.1:0"];
    let server = Running::start(&[&serve[..], &more].concat());
    let get = |name: &str| http::get(&format!("{}/api/main/t/", server.url()), &[(name, key)]);
    let refused = get("X-Shop-Key");
    assert_eq!(refused.status, 401, "{refused:?}");
    assert!(refused.text().contains("The API key has expired: ask an administrator"));
    assert_eq!(get("X-API-Key").status, 200, "another header is not looked at");
    let (code, _, errors) = duet(&["serve", &database, "--api-key-header", "Cookie"]);
    assert!(code == 2 && errors.contains("use another header"), "{errors}");
}
