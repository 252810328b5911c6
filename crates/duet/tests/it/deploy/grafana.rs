//! The dashboard of Grafana: each metric that it asks for is served, those of standbys by a server that has some.

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

/// The metrics that the dashboard of servers asks for and `/metrics` lacks; whether they are those of standbys.
pub(crate) fn missing(served: &str, of_standbys: bool) -> Vec<String> {
    let asked_for = asked_for("grafana/duet.json");
    let is_served = |name: &String| {
        served.lines().any(|line| {
            line.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(['{', ' ']))
        })
    };
    let (standbys, others): (Vec<String>, Vec<String>) =
        asked_for.into_iter().partition(|name| name.starts_with("duet_replica_"));
    assert!(standbys.len() >= 7 && others.len() > 25, "{standbys:?} {others:?}");
    let wanted = if of_standbys { standbys } else { others };
    wanted.into_iter().filter(|name| !is_served(name)).collect()
}

/// Panels have their own places and numbers.
#[test]
fn no_panel_hides_another() {
    for file in ["grafana/duet.json", "grafana/duet-bench.json"] {
        let text = std::fs::read_to_string(super::folder().join(file)).unwrap();
        let board: serde_json::Value = serde_json::from_str(&text).unwrap();
        let (mut ids, mut cells) = (BTreeSet::new(), BTreeSet::new());
        for panel in board["panels"].as_array().unwrap() {
            assert!(ids.insert(panel["id"].as_u64()), "{file}: {}", panel["title"]);
            let at = |side: &str| panel["gridPos"][side].as_u64().unwrap();
            for row in at("y")..at("y") + at("h") {
                for column in at("x")..at("x") + at("w") {
                    assert!(
                        column < 24 && cells.insert((row, column)),
                        "{file}: {}",
                        panel["title"]
                    );
                }
            }
        }
    }
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
    let missing = missing(served, false);
    assert!(missing.is_empty(), "{missing:?} are not in:\n{served}");
}
