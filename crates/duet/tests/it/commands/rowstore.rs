//! `duet rowstore`: a running server's items in memory, asked for and changed.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::process::Command;

use duet_testkit::command::Running;
use duet_testkit::sqlite;
use serde_json::Value;

/// What `duet rowstore` prints, and whether it succeeded.
fn rowstore(url: &str, arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_duet"))
        .arg("rowstore")
        .args(arguments)
        .args(["--url", url])
        .env_remove("DUET_TOKEN")
        .env_remove("DUET_CLIENT")
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

#[test]
fn items_are_listed_resized_populated_and_dropped() {
    let folder = sqlite::Folder::new();
    let rows = "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        INSERT INTO team VALUES (1, 'Red'), (2, 'Blue'), (3, 'Grey');";
    folder.load("a.db", &[rows]);
    let app = "name = 'kept'\nmount = '/t'\ndatabase = 'sqlite:a.db'\n\
               [settings]\nlisten = '127.0.0.1:0'\nopen = 'all'\n\
               [limits]\nrowstore_max_age = 'off'\n";
    let file = folder.path().join("app.toml");
    std::fs::write(&file, app).unwrap();
    let state = folder.path().join("state.json").display().to_string();
    let added = crate::duet_says(&[
        "client",
        "add",
        "op",
        "--role",
        "duet.admin",
        "--state",
        &state,
        "--json",
    ]);
    let client: Value = serde_json::from_str(&added).unwrap();
    let client = ["client_id", "client_secret"]
        .map(|part| client[part].as_str().unwrap().to_owned())
        .join(":");
    let file = file.display().to_string();
    let server = Running::start(&["serve", "--config", &file, "--state", &state]);
    let url = server.url();
    let (done, said) = rowstore(&url, &["list"]);
    assert!(!done && said.contains("--token or --client"), "{said}");
    let ask = |arguments: &[&str]| {
        let (done, said) = rowstore(&url, &[arguments, &["--client", &client]].concat());
        assert!(done, "{said}");
        said
    };
    assert_eq!(ask(&["list"]), "No resource keeps items in memory.\n");
    assert!(ask(&["resize", "/t/team", "1MB"]).contains("/t/team   ready "));
    ask(&["populate", "/t/team"]);
    let done = |said: &str| {
        let answer: Value = serde_json::from_str(said).unwrap();
        answer["rowstores"][0]["populate"]["state"] == "done"
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !done(&ask(&["list", "--json"])) {
        assert!(std::time::Instant::now() < deadline, "it is not populated");
    }
    let list = ask(&["list"]);
    let cells: Vec<&str> = list.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(cells[..3], ["/t/team", "ready", "3"], "{list}");
    assert_eq!(ask(&["drop", "/t/team"]), "No resource keeps items in memory.\n");
    let (done, said) = rowstore(&url, &["drop", "/t/none", "--client", &client]);
    assert!(!done && said.contains("There is no resource with items at this path."), "{said}");
    let (done, said) = rowstore(&url, &["list", "--client", "wrong"]);
    assert!(!done && said.contains("must be ID:SECRET"), "{said}");
}
