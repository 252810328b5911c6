//! `duet changes`: over killed servers, and at refusals.

use std::path::Path;

use duet_testkit::command::{self, Running, Signal};
use duet_testkit::http::Client;
use duet_testkit::sqlite::{self, Folder};
use serde_json::Value;

use crate::duet;

const TABLE: &str = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    INSERT INTO item VALUES (1, 'one'), (2, 'two'), (3, 'three');";

fn put(socket: &Path, id: u32, name: &str) {
    let body = format!(r#"{{"id":{id},"name":"{name}"}}"#);
    let path = format!("/api/main/item/{id}");
    let headers = [("Content-Type", "application/json")];
    let answer = Client::connect_unix(socket).request("PUT", &path, &headers, body.as_bytes());
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// The lines of a follower: event, key and name.
fn lines(follower: &Running) -> Vec<String> {
    let of = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let name = text(&line["document"]["name"]);
        format!("{} {} {name}", text(&line["event"]), text(&line["key"]))
    };
    follower.output().lines().map(of).collect()
}

/// A server is killed while rows change, also behind its back: no change is lost, and none is told twice.
#[test]
fn a_follower_outlives_killed_servers() {
    let folder = Folder::new();
    let file = folder.load("a.db", &["PRAGMA journal_mode = wal", TABLE]);
    let socket = folder.path().join("socket");
    let listen = format!("unix:{}", socket.display());
    let start = || {
        let file = file.display().to_string();
        Running::start(&["serve", &file, "--open", "all", "--listen", &listen])
    };
    let server = start();
    let mut command = command::clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(["changes", "/api/main/item/", "--url", &format!("{listen}:/")]);
    let follower = Running::start_program(command);
    follower.wait_for_output("\"complete\"");
    put(&socket, 1, "first");
    follower.wait_for_output("\"first\"");
    server.signal(Signal::SIGKILL);
    drop(server);
    let behind = sqlite::open(&file);
    behind
        .execute_batch(
            "UPDATE item SET name = 'second' WHERE id = 2; DELETE FROM item WHERE id = 3;
            INSERT INTO item VALUES (4, 'four');",
        )
        .expect("the file is writable");
    drop(behind);
    let server = start();
    follower.wait_for_output("\"left\"");
    put(&socket, 4, "fourth");
    follower.wait_for_output("\"fourth\"");
    // A server that stops says so, and the next one goes on.
    assert!(server.stop().success());
    let server = start();
    put(&socket, 1, "last");
    follower.wait_for_output("\"last\"");
    assert_eq!(
        lines(&follower),
        [
            "document 1 one",
            "document 2 two",
            "document 3 three",
            "complete - -",
            "changed 1 first",
            "changed 2 second",
            "entered 4 four",
            "left 3 -",
            "changed 4 fourth",
            "changed 1 last",
        ]
    );
    drop(server);
}

#[test]
fn refusals_end_it_with_their_reason() {
    let folder = Folder::new();
    let file = folder.load("a.db", &[TABLE]).display().to_string();
    let server = Running::start(&["serve", &file]);
    let (url, token) = (server.url(), server.bearer());
    let token = token.trim_start_matches("Bearer ");
    for (arguments, says) in [
        (&["/api/main/item/", "--token", "wrong"][..], "not valid"),
        (&["/api/main/nothing/", "--token", token], "Nothing is served"),
        (&["/api/main/item/x", "--token", token], "key"),
        (&["/api/main/item/", "--q", "{", "--token", token], "The filter ends where"),
        (&["/api/main/item/?limit=1"], "RESOURCE is a path"),
        (&["item"], "RESOURCE is a path"),
        (&["/api/main/item/", "--after", "a b", "--token", token], "--after"),
    ] {
        let (code, out, errors) = duet(&[&["changes", "--url", &url], arguments].concat());
        assert!(code != 0 && out.is_empty(), "{arguments:?}: {code} {out}");
        assert!(errors.contains(says), "{arguments:?}: {errors}");
    }
    drop(server);
    let (code, _, errors) = duet(&["changes", "--url", &url, "/api/main/item/"]);
    assert!(code == 1 && errors.contains("unreachable"), "{errors}");
}
