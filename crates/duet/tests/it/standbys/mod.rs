//! A server whose reads are answered by streaming standbys, with servers of PostgreSQL of its own.

mod failover;
mod freshness;
mod members;
mod starts;

use duet_testkit::command::{Running, wait_until};
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::{Database, Options, Server};
use serde_json::{Value, json};

/// What is served.
const SCHEMA: &str = "
CREATE TABLE item (id integer PRIMARY KEY, note text NOT NULL);
INSERT INTO item SELECT n, 'old' FROM generate_series(1, 100) AS n;
CREATE VIEW slow AS SELECT id, pg_sleep(0.5)::text AS slept FROM item WHERE id <= 20;
";

/// A primary with standbys, which end reads at once that are in the way of what they replay.
struct Cluster {
    primary: Server,
    standbys: Vec<Server>,
}

impl Cluster {
    fn start(standbys: usize) -> Self {
        let options = Options::new().setting("max_standby_streaming_delay", "0");
        let primary = Server::start_with(options.setting("synchronous_commit", "on"));
        primary.database("shop").exec(SCHEMA);
        let standbys = (0..standbys).map(|_| primary.standby()).collect();
        Self { primary, standbys }
    }

    fn url(&self) -> String {
        self.primary.url("shop")
    }

    /// The value of `--read-database`.
    fn read_urls(&self) -> String {
        let urls: Vec<String> = self.standbys.iter().map(|standby| standby.url("shop")).collect();
        urls.join(",")
    }

    /// Serves, with further arguments, and waits until reads go to all standbys.
    fn serve(&self, arguments: &[&str]) -> Running {
        let (url, standbys) = (self.url(), self.read_urls());
        let mut all =
            vec!["serve", &url, "--read-database", &standbys, "--server-timing", "--open", "read"];
        all.extend(arguments);
        let server = Running::start(&all);
        for place in 0..self.standbys.len() {
            wait_until("reads go to the standbys", || is_up(&server, place));
        }
        server
    }

    fn standby(&self, place: usize) -> Database {
        self.standbys[place].existing("shop")
    }
}

/// Whether reads go to a standby.
fn is_up(server: &Running, place: usize) -> bool {
    ready(server)["standbys"][place]["status"] == "up"
}

fn ready(server: &Running) -> Value {
    http::get(&format!("{}/health/ready", server.url()), &[]).json()
}

/// A standby stops to replay, until it is let go on.
fn pause(standby: &Database) {
    standby.query("SELECT pg_wal_replay_pause()");
    wait_until("the standby pauses", || {
        standby.query("SELECT pg_get_wal_replay_pause_state()") == "paused"
    });
}

fn resume(standby: &Database) {
    standby.query("SELECT pg_wal_replay_resume()");
}

/// A client of the service.
struct Client {
    base: String,
    bearer: Option<String>,
}

impl Client {
    fn of(server: &Running) -> Self {
        Self { base: server.url(), bearer: Some(server.bearer()) }
    }

    /// One that is known by its address alone.
    fn anonymous(server: &Running) -> Self {
        Self { base: server.url(), bearer: None }
    }

    fn send(&self, (method, path): (&str, &str), headers: &[(&str, &str)], body: &str) -> Response {
        let mut all = headers.to_vec();
        if let Some(bearer) = &self.bearer {
            all.push(("Authorization", bearer));
        }
        if !body.is_empty() {
            all.push(("Content-Type", "application/json"));
        }
        http::request(method, &format!("{}{path}", self.base), &all, body.as_bytes())
    }

    fn get(&self, path: &str) -> Response {
        self.send(("GET", path), &[], "")
    }

    /// Writes an item; the position of that.
    fn put(&self, id: u32, note: &str) -> String {
        let body = json!({ "id": id, "note": note }).to_string();
        let path = format!("/api/public/item/{id}");
        let answer = self.send(("PUT", &path), &[], &body);
        assert!(matches!(answer.status, 200 | 201), "{}", answer.text());
        answer.header("duet-position").unwrap_or_else(|| panic!("no position")).to_owned()
    }

    fn note(&self, id: u32) -> String {
        let item = self.get(&format!("/api/public/item/{id}"));
        item.json()["note"].as_str().unwrap_or_default().to_owned()
    }

    /// The metrics of this name, all labels together.
    fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics");
        let values = text.text().lines().filter(|line| line.starts_with(&format!("{name}{{")));
        values.filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok()).sum()
    }
}

/// The server that answered, as `Server-Timing` says.
fn node(answer: &Response) -> &str {
    let timing = answer.header("server-timing").unwrap_or_default();
    let node = timing.split_once("node;desc=\"").and_then(|(_, node)| node.split_once('"'));
    node.map_or("", |(node, _)| node)
}
