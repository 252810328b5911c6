//! `duet advise` over the log of a real server: what it proposes serves the requests once it is declared.

use std::fs;

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use crate::duet_says;

const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string"},
    "title": {"type": "string"}, "author": {"type": "string"}, "due": {"type": "string"},
    "size": {"type": "integer"}}}"#;

/// Lines that are no requests, or none that can be explained.
const HOSTILE: &str = concat!(
    "x \"GET /notes/notes?query=((((\" 200 1 1us\n",
    "x \"GET /notes/notes?query=%ff\" 200 1 1us\n",
    "x \"GET /notes/notes?query=a==b\" 200 1 99999999999999999999us\n",
    "{\"method\":\"GET\"\n",
    "x \"GET \\u{d800}\" 200 1 1us\n",
);

fn declare(folder: &Folder, indexes: &str) -> String {
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("the folder is writable");
    };
    write("app.toml", "name = 'notes'\nmount = '/notes'\ncollections = ['notes.toml']\n");
    write("notes.json", SCHEMA);
    write("notes.toml", &format!("schema = 'notes.json'\n[indexes]\n{indexes}"));
    folder.path().display().to_string()
}

/// The access log of a server that took documents and answered four searches.
fn access_log(config: &str, database: &str, form: &str) -> String {
    let mut server = Running::start(&[
        "serve",
        "--config",
        config,
        database,
        "--open",
        "all",
        "--listen",
        "127.0.0.1:0",
        "--access-log",
        form,
    ]);
    let url = format!("{}/notes/notes", server.url());
    let note = |number: usize| {
        format!(
            r#"{{"title":"A trip by kayak{number}","author":"author{}","due":"2024-{:02}","size":{number}}}"#,
            number % 300,
            number % 12 + 1
        )
    };
    let notes: Vec<String> = (0..3_000).map(note).collect();
    let headers = [("Content-Type", "application/json")];
    for some in notes.chunks(500) {
        let body = format!("[{}]", some.join(","));
        let answer = http::request("POST", &url, &headers, body.as_bytes());
        assert!(answer.status < 300, "{}", answer.text());
    }
    for query in SEARCHES {
        let answer = http::get(&format!("{url}?query={query}"), &[]);
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    server.signal(duet_testkit::command::Signal::SIGTERM);
    server.wait();
    server.output().to_string()
}

/// The searches of the log.
const SEARCHES: [&str; 5] = [
    "title==*kayak77*",
    "title=kayak5",
    "title=kayak6",
    "author==author7+sortBy+due",
    "author==author9",
];

#[test]
fn what_is_proposed_serves_the_requests() {
    let folder = Folder::new();
    let file = format!("sqlite:{}", folder.path().join("n.db").display());
    let postgres = Server::shared().database("advise").url();
    for (database, form) in [(file, "text"), (postgres, "json")] {
        let app = declare(&folder, "index = ['size']");
        duet_says(&["collection", "prepare", &app, "--database", &database]);
        let config = format!("{app}/app.toml");
        let served = access_log(&config, &database, form);
        let log = folder.path().join("access.log");
        fs::write(&log, format!("{served}{HOSTILE}")).expect("the folder is writable");
        let log = log.display().to_string();
        let said = duet_says(&[
            "advise",
            &app,
            "--database",
            &database,
            "--log",
            &log,
            "--gain",
            "1",
            "--json",
        ]);
        let advice: Value = serde_json::from_str(&said).expect("JSON");
        assert_eq!(advice["requests"], 5, "{advice:#}");
        assert!(advice["unreadable"].as_u64() >= Some(3), "{advice:#}");
        let add = advice["add"].as_array().expect("a list");
        let one = |declaration: &str| {
            let found = add.iter().find(|one| one["declaration"] == declaration);
            let one = found.unwrap_or_else(|| panic!("{declaration}: {advice:#}"));
            assert!(one["gain"].as_f64() > Some(1.0) && one["bytes"].as_u64() > Some(0), "{one:#}");
        };
        one("trigram = [\"title\"]");
        one("full-text = [\"title\"]");
        one("index = [{ paths = [\"author\", \"due\"] }]");
        let alone = add.iter().find(|one| one["declaration"] == "index = [\"author\"]");
        assert!(alone.is_none(), "the index of author and due serves it: {advice:#}");
        assert_eq!(advice["unused"][0]["name"], "notes_size_idx", "{advice:#}");
        declare(
            &folder,
            "trigram = ['title']\nfull-text = ['title']\nindex = [{ paths = ['author', 'due'] }]",
        );
        duet_says(&["migrate", &app, "--database", &database]);
        for (query, index) in [
            ("title==*kayak77*", "notes_title_idx_gin"),
            ("title=kayak5", "notes_title_idx_ft"),
            ("author==author7+sortBy+due", "notes_author_due_idx"),
            ("author==author9", "notes_author_due_idx"),
        ] {
            let path = format!("/notes/notes?query={query}");
            let said = duet_says(&["explain", "--config", &config, "GET", &path, &database]);
            assert!(said.contains(&format!("index {index}")), "{query}: {said}");
        }
    }
}
