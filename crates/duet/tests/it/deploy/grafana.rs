//! The dashboard of Grafana: each metric that it asks for is served.

use std::collections::BTreeSet;

use duet_testkit::command::Running;
use duet_testkit::{http, sqlite};

/// The names of metrics in the expressions of a dashboard.
pub(crate) fn asked_for(file: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(super::folder().join(file)).unwrap();
    let board: serde_json::Value = serde_json::from_str(&text).unwrap();
    let panels = board["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().into_iter().flatten());
    let expressions: Vec<&str> = targets.map(|target| target["expr"].as_str().unwrap()).collect();
    let words = expressions
        .iter()
        .flat_map(|text| text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_'));
    words.filter(|word| word.starts_with("duet_")).map(str::to_owned).collect()
}

#[test]
fn the_dashboard_asks_for_what_is_served() {
    let folder = sqlite::Folder::new();
    folder.load("a.db", &["CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);"]);
    let app = "name = 'kept'\nmount = '/t'\ndatabase = 'sqlite:a.db'\n\
               [settings]\nlisten = '127.0.0.1:0'\nopen = 'all'\n";
    let file = folder.path().join("app.toml");
    std::fs::write(&file, app).unwrap();
    let server = Running::start(&["serve", "--config", &file.display().to_string()]);
    let bearer = server.bearer();
    let headers = [("Authorization", bearer.as_str())];
    let ask = |method: &str, path: &str| {
        http::request(method, &format!("{}{path}", server.url()), &headers, b"")
    };
    // Metrics of a resource are there once it was asked for, and those of memory once it has some.
    assert_eq!(ask("POST", "/admin/rowstore?resource=/t/team&bytes=1000000").status, 200);
    assert_eq!(ask("GET", "/t/team/1").status, 404);
    let served = ask("GET", "/metrics");
    let served = served.text();
    let asked_for = asked_for("grafana/duet.json");
    assert!(asked_for.len() > 25, "{asked_for:?}");
    let is_served = |name: &&String| {
        served.lines().any(|line| {
            line.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(['{', ' ']))
        })
    };
    let missing: Vec<&String> = asked_for.iter().filter(|name| !is_served(name)).collect();
    assert!(missing.is_empty(), "{missing:?} are not in:\n{served}");
}
