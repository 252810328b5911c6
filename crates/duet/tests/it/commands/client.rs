//! `duet client` with a state file and with a database, and a server that notices.

use std::time::{Duration, Instant};

use duet_testkit::command::{Running, wait_until};
use duet_testkit::postgres::Server;
use duet_testkit::{http, sqlite};
use serde_json::Value;

use crate::{duet, duet_says};

/// What is printed. The command that makes the table in a database also says which rights the server's role needs.
fn json(arguments: &[&str]) -> Value {
    let (code, out, errors) = duet(arguments);
    assert_eq!(code, 0, "{arguments:?}: {errors}");
    assert!(errors.is_empty() || errors.contains("GRANT SELECT ON duet.state TO"), "{errors}");
    serde_json::from_str(&out).expect("JSON")
}

#[test]
fn from_add_to_remove() {
    let folder = sqlite::Folder::new();
    let file = folder.path().join("state.json").display().to_string();
    let database = Server::shared().database("clients").url();
    for place in [["--state", &file], ["--in-database", &database]] {
        let run =
            |arguments: &[&str]| json(&[&["client"], arguments, &place, &["--json"]].concat());
        let (code, _, errors) = duet(&[&["client", "list"], &place[..]].concat());
        assert_eq!(code, 1, "{errors}");
        assert!(errors.contains("hint: `duet client add NAME --"), "{errors}");

        let added = run(&["add", "pit wall", "--role", "duet.read", "--role", "race.steward"]);
        assert_eq!(added["name"], "pit wall");
        assert_eq!(added["roles"], serde_json::json!(["duet.read", "race.steward"]));
        let (id, secret) = (added["client_id"].as_str().unwrap(), &added["client_secret"]);

        let listed = run(&["list"]);
        assert_eq!(listed.as_array().unwrap().len(), 1);
        assert_eq!(listed[0]["client_id"], id);
        assert_eq!(listed[0].get("client_secret"), None);

        let rotated = run(&["rotate", id]);
        assert_ne!(&rotated["client_secret"], secret);
        run(&["add", "second", "--role", "duet.read"]);
        let (code, _, errors) = duet(&[&["client", "remove", "pitt wall"], &place[..]].concat());
        assert_eq!(code, 1);
        assert!(errors.contains("hint: Did you mean `pit wall`?"), "{errors}");
        assert_eq!(run(&["remove", "pit wall"])["client_id"], id);
        assert_eq!(run(&["list"])[0]["name"], "second");
    }
}

#[test]
fn a_new_key_can_revoke_the_old_one() {
    let folder = sqlite::Folder::new();
    let file = folder.path().join("state.json").display().to_string();
    let database = Server::shared().database("keys");
    database.exec("CREATE TABLE t (id int PRIMARY KEY)");
    let url = database.url();
    for place in [["--state", &file], ["--in-database", &url]] {
        let run =
            |arguments: &[&str]| json(&[&["client"], arguments, &place, &["--json"]].concat());
        let client = run(&["add", "a", "--role", "duet.read"]);
        let state: &[&str] = if place[0] == "--state" { &place } else { &[] };
        let start =
            || Running::start(&[&["serve", &url, "--listen", "127.0.0.1:0"], state].concat());
        let old = bearer(&start(), &client);
        let rotated = run(&["rotate-key"]);
        assert_eq!(rotated["key"], 2, "{rotated}");
        assert!(rotated["old_key_until"].as_str().unwrap().ends_with('Z'), "{rotated}");
        // This one begins with both keys.
        let server = start();
        let status = |bearer: &str| {
            let header = [("Authorization", bearer)];
            http::get(&format!("{}/api/public/t/", server.url()), &header).status
        };
        assert_eq!(status(&old), 200, "the old key's tokens stay good during the overlap");
        let told = duet_says(&[&["client", "rotate-key", "--overlap", "0s"], &place[..]].concat());
        assert!(told.starts_with("New key 3\n"), "{told}");
        let deadline = Instant::now() + Duration::from_secs(60);
        while status(&old) != 401 {
            assert!(Instant::now() < deadline, "a key that has ended still opens tokens");
        }
        assert_eq!(status(&bearer(&server, &client)), 200);
        let (code, _, errors) =
            duet(&[&["client", "rotate-key", "--overlap", "1d"], &place[..]].concat());
        assert_eq!((code, errors.as_str()), (0, ""), "key 2 had ended before");
        let (_, _, errors) = duet(&[&["client", "rotate-key"], &place[..]].concat());
        assert!(errors.contains("the key of the previous rotation ends at once"), "{errors}");
    }
    let (code, _, errors) = duet(&["client", "rotate-key", "--state", "/nonexistent/s"]);
    assert_eq!(code, 1, "{errors}");
}

#[test]
fn clients_in_the_database_count_and_are_never_served() {
    let database = Server::shared().database("clients_served");
    database.exec("CREATE TABLE t (id int PRIMARY KEY)");
    let url = database.url();
    let client =
        json(&["client", "add", "a", "--role", "duet.read", "--in-database", &url, "--json"]);
    let server = Running::start(&["serve", &url, "--listen", "127.0.0.1:0"]);
    assert_eq!(server.ready().get("client_id"), None);
    let bearer = bearer(&server, &client);
    let status = |path: &str| {
        http::get(&format!("{}{path}", server.url()), &[("Authorization", &bearer)]).status
    };
    assert_eq!(status("/api/public/t/"), 200);
    assert_eq!(status("/api/duet/state/"), 404);
    assert!(!server.output().contains("/api/duet/"), "{}", server.output());
}

/// Whatever has changed the clients in the database, and without a new revision: damage is seen, stays seen, and
/// those before stay in force, as with a file.
#[test]
fn damaged_clients_in_the_database_are_noticed() {
    let database = Server::shared().database("clients_damaged");
    database.exec("CREATE TABLE t (id int PRIMARY KEY)");
    let url = database.url();
    let client =
        json(&["client", "add", "a", "--role", "duet.admin", "--in-database", &url, "--json"]);
    let server = Running::start(&["serve", &url, "--listen", "127.0.0.1:0"]);
    let bearer = bearer(&server, &client);
    let readable = || {
        let url = format!("{}/admin/status", server.url());
        let status = http::get(&url, &[("Authorization", &bearer)]);
        assert_eq!(status.status, 200, "the clients before stay in force");
        status.json()["applications"][0]["clients"]["readable"].as_bool().unwrap()
    };
    assert!(readable());
    database.exec("CREATE TABLE kept AS SELECT * FROM duet.state");
    let restore = "DELETE FROM duet.state; INSERT INTO duet.state SELECT * FROM kept";
    for damage in ["UPDATE duet.state SET state = '{}'", "DELETE FROM duet.state"] {
        database.exec(damage);
        wait_until("the damage is seen", || !readable());
        server.wait_for_output("clients");
        database.exec(restore);
        wait_until("they are read again", readable);
    }
}

#[test]
fn a_database_role_is_looked_at_where_the_database_is_known() {
    let database = Server::shared().database("clients_roles");
    let url = database.url();
    let add = ["client", "add", "a", "--db-role", "clients_roles_a", "--in-database", &url];
    let (code, _, errors) = duet(&add);
    assert_eq!(code, 1);
    assert!(errors.contains("The database has no role \"clients_roles_a\"."), "{errors}");
    database.exec("CREATE ROLE clients_roles_a");
    let (code, told, errors) = duet(&add);
    assert!(code == 0 && told.contains("database role  clients_roles_a"), "{told}{errors}");
    let (_, list, _) = duet(&["client", "list", "--in-database", &url]);
    assert!(list.trim_end().ends_with("as clients_roles_a"), "{list}");
    // A role that went away since, and settings that name one.
    database.exec(
        "CREATE TABLE t (id int PRIMARY KEY); ALTER ROLE clients_roles_a RENAME TO clients_roles_b",
    );
    let server = Running::start(&["serve", &url, "--listen", "127.0.0.1:0"]);
    let expected = "the client \"a\" cannot be served: DUET-5013: The database has no role";
    server.wait_for_output(expected);
    let arguments =
        ["serve", &url, "--listen", "127.0.0.1:0", "--anonymous-db-role", "nobody_here"];
    let (code, _, errors) = duet(&arguments);
    assert!(code == 1 && errors.contains("The database has no role \"nobody_here\"."), "{errors}");
    let (code, _, errors) =
        duet(&["client", "add", "b", "--db-role", "none", "--state", "/nonexistent/s"]);
    assert!(code != 0 && errors.contains("cannot be a database role"), "{errors}");
}

/// A token of a client that was added.
pub(crate) fn bearer(server: &Running, client: &Value) -> String {
    let text = |name: &str| client[name].as_str().expect("a text").to_owned();
    let form = format!(
        "grant_type=client_credentials&client_id={}&client_secret={}",
        text("client_id"),
        text("client_secret")
    );
    let headers = [("Content-Type", "application/x-www-form-urlencoded")];
    let url = format!("{}/oauth/token", server.url());
    let reply = http::request("POST", &url, &headers, form.as_bytes()).json();
    format!("Bearer {}", reply["access_token"].as_str().expect("a token"))
}

#[test]
fn texts_for_people() {
    let folder = sqlite::Folder::new();
    let file = folder.path().join("state.json").display().to_string();
    let added = duet_says(&["client", "add", "a", "--role", "duet.read", "--state", &file]);
    assert!(added.starts_with("Added a\n  client_id      "), "{added}");
    assert!(added.contains("  (shown only now)\n  roles          duet.read\n"), "{added}");
    let listed = duet_says(&["client", "list", "--state", &file]);
    assert!(listed.starts_with("a  ") && listed.ends_with("Z  duet.read\n"), "{listed}");
    duet_says(&["client", "remove", "a", "--state", &file]);
    assert_eq!(duet_says(&["client", "list", "--state", &file]), "There are no clients.\n");
    let (code, _, errors) = duet(&["client", "add", "b", "--role", "duet.rad", "--state", &file]);
    assert_eq!(code, 1);
    assert!(errors.contains("hint: Did you mean `duet.read`?"), "{errors}");
}

#[test]
fn a_running_server_notices_that_a_client_has_gone() {
    let folder = sqlite::Folder::new();
    let database = folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
    let (file, database) =
        (folder.path().join("s").display().to_string(), database.display().to_string());
    let client = json(&["client", "add", "a", "--role", "duet.read", "--state", &file, "--json"]);
    let server = Running::start(&["serve", &database, "--state", &file, "--listen", "127.0.0.1:0"]);
    assert_eq!(server.ready().get("client_id"), None);
    let bearer = bearer(&server, &client);
    let get = || {
        http::get(&format!("{}/api/main/t/", server.url()), &[("Authorization", &bearer)]).status
    };
    assert_eq!(get(), 200);
    duet_says(&["client", "remove", "a", "--state", &file]);
    let deadline = Instant::now() + Duration::from_secs(60);
    while get() != 401 {
        assert!(Instant::now() < deadline, "the token is still good");
    }
}
