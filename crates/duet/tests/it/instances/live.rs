//! Subscriptions in several instances: each gets the commits of all of them.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use duet_testkit::command::{Running, wait_until};
use duet_testkit::http::Client;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use crate::duet_says;

const INSTANCES: usize = 3;
const TABLE: &str = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    INSERT INTO item VALUES (0, 'first');";

/// A connection on which events come.
struct Subscriber {
    lines: std::io::Lines<BufReader<TcpStream>>,
    /// The id of the last event that had one.
    last: String,
}

impl Subscriber {
    fn connect(url: &str) -> Self {
        let host = url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).expect("an instance listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
        let head = format!(
            "GET /t/item/ HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("the instance reads");
        Self { lines: BufReader::new(stream).lines(), last: String::new() }
    }

    /// The next event of one of these kinds: its kind and data.
    fn next(&mut self, kinds: &[&str]) -> (String, Value) {
        let mut kind = String::new();
        for line in self.lines.by_ref() {
            let line = line.expect("the instance goes on");
            match line.split_once(": ") {
                Some(("id", id)) => id.clone_into(&mut self.last),
                Some(("event", name)) => name.clone_into(&mut kind),
                Some(("data", data)) if kinds.contains(&kind.as_str()) => {
                    return (kind, serde_json::from_str(data).expect("JSON"));
                }
                _ => {}
            }
        }
        panic!("the end, and none of {kinds:?}");
    }

    /// Reads the state; the log that its changes are in, which each instance has of its own for a query.
    fn begin(&mut self) -> String {
        assert_eq!(self.next(&["begin"]).1["sees"], "database");
        self.next(&["complete"]);
        self.last.split_once('-').expect("a log and a number").0.to_owned()
    }

    /// Reads until rows with these ids have entered; each does once.
    fn enters(&mut self, ids: &[usize]) {
        let mut entered = Vec::new();
        while entered.len() < ids.len() {
            let (_, event) = self.next(&["entered"]);
            entered.push(event["document"]["id"].as_u64().expect("an id"));
        }
        entered.sort_unstable();
        let expected: Vec<u64> = ids.iter().map(|id| *id as u64).collect();
        assert_eq!(entered, expected);
    }
}

/// A subscriber at each instance.
fn subscribers(url: &str) -> Vec<Subscriber> {
    let mut found: HashMap<String, Subscriber> = HashMap::new();
    let found_all = std::cell::RefCell::new(&mut found);
    wait_until("each instance has a subscriber", || {
        let mut one = Subscriber::connect(url);
        let log = one.begin();
        let mut found = found_all.borrow_mut();
        found.entry(log).or_insert(one);
        found.len() == INSTANCES
    });
    found.into_values().collect()
}

/// Rows that instances add and change are events of the subscribers of all of them.
fn each_sees_the_commits_of_all(database: &str, folder: &Folder) {
    let text = format!(
        "name = 'own'\nmount = '/t'\ndatabase = '{database}'\n\
         [settings]\nlisten = '127.0.0.1:0'\nopen = 'all'\ninstances = '{INSTANCES}'\n"
    );
    fs::write(folder.path().join("app.toml"), text).expect("the folder is writable");
    let config = folder.path().join("app.toml").display().to_string();
    let server = Running::start(&["serve", "--config", &config]);
    let url = server.url();
    let mut subscribers = subscribers(&url);
    // Instances take connections in turn, so each of them writes some.
    let ids: Vec<usize> = (1..=4 * INSTANCES).collect();
    for id in &ids {
        let body = format!(r#"{{"id":{id},"name":"row {id}"}}"#);
        let headers = [("Content-Type", "application/json")];
        let answer = Client::connect(&url).request("POST", "/t/item/", &headers, body.as_bytes());
        assert_eq!(answer.status, 201, "{answer:?}");
    }
    for subscriber in &mut subscribers {
        subscriber.enters(&ids);
    }
    // A row that several instances change, one after the other, is at last the same to all.
    for number in 0..2 * INSTANCES {
        let body = format!(r#"{{"name":"change {number}"}}"#);
        let headers = [("Content-Type", "application/merge-patch+json")];
        let answer = Client::connect(&url).request("PATCH", "/t/item/0", &headers, body.as_bytes());
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let last = format!("change {}", 2 * INSTANCES - 1);
    for subscriber in &mut subscribers {
        while subscriber.next(&["changed"]).1["document"]["name"] != last.as_str() {}
    }
    let stopping = std::thread::spawn(move || server.stop());
    for subscriber in &mut subscribers {
        assert_eq!(subscriber.next(&["end", "entered", "left"]).1["reason"], "stopping");
    }
    assert!(stopping.join().expect("it stops").success());
}

#[test]
fn each_subscription_sees_the_commits_of_all_instances_on_sqlite() {
    let folder = Folder::new();
    folder.load("own.db", &[TABLE]);
    each_sees_the_commits_of_all("sqlite:own.db", &folder);
}

#[test]
fn each_subscription_sees_the_commits_of_all_instances_on_postgres() {
    let (server, folder) = (Server::shared(), Folder::new());
    let database = server.database("live_three");
    database.exec(TABLE);
    let url = database.url();
    duet_says(&["rowstore", "prepare", "--means", "table", "--database", &url]);
    each_sees_the_commits_of_all(&url, &folder);
}
