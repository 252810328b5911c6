//! Webhooks from outside, on both stores.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod delivery;
mod failures;
mod operator;
mod paths;

use std::path::{Path, PathBuf};

use duet_testkit::command::Running;
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::{Database, Server};
use duet_testkit::receiver::Receiver;
use duet_testkit::sqlite::{self, Folder};
use serde_json::Value;

use crate::duet_says;

/// The secret of the tests' endpoints, and another one.
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SECOND: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

const TABLES: &str = "CREATE TABLE orders (id integer PRIMARY KEY, customer varchar(40) NOT NULL);
    CREATE TABLE line (id integer PRIMARY KEY, order_id integer NOT NULL REFERENCES orders (id) ON DELETE CASCADE, n integer NOT NULL);
    CREATE INDEX line_order ON line (order_id);
    CREATE TABLE quiet (id integer PRIMARY KEY, n integer NOT NULL);";

/// A database of one of the stores.
enum Place {
    Sqlite(PathBuf),
    Postgres(Database),
}

impl Place {
    /// Both, with the tables.
    fn both(folder: &Folder, name: &str) -> [Self; 2] {
        let file = folder.load("a.db", &["PRAGMA journal_mode = wal", TABLES]);
        let database = Server::shared().database(&format!("webhooks_{name}"));
        database.exec(TABLES);
        [Self::Sqlite(file), Self::Postgres(database)]
    }

    fn url(&self) -> String {
        match self {
            Self::Sqlite(file) => format!("sqlite:{}", file.display()),
            Self::Postgres(database) => database.url(),
        }
    }

    /// As another program does.
    fn exec(&self, script: &str) {
        match self {
            Self::Sqlite(file) => {
                let connection = sqlite::open(file);
                connection.execute_batch("PRAGMA foreign_keys = on").unwrap();
                connection.execute_batch(script).unwrap();
            }
            Self::Postgres(database) => database.exec(script),
        }
    }

    /// A number.
    fn count(&self, query: &str) -> i64 {
        match self {
            Self::Sqlite(file) => {
                sqlite::open(file).query_row(query, [], |row| row.get(0)).unwrap()
            }
            Self::Postgres(database) => database.query(query).trim().parse().unwrap(),
        }
    }

    /// A table of webhooks.
    fn own(&self, name: &str) -> String {
        match self {
            Self::Sqlite(_) => format!("duet_webhook_{name}"),
            Self::Postgres(_) => format!("duet.webhook_{name}"),
        }
    }

    /// All events that wait are due: what time does by itself.
    fn all_due(&self) {
        self.exec(&format!("UPDATE {} SET next_at = 0 WHERE state = 0", self.own("outbox")));
        self.exec(&format!("UPDATE {} SET paused_until = 0", self.own("endpoints")));
    }
}

/// An application in a folder.
struct App {
    folder: Folder,
}

impl App {
    /// With these further lines, which declare webhooks.
    fn new(lines: &str) -> Self {
        Self::named("shop", lines)
    }

    fn named(name: &str, lines: &str) -> Self {
        let app = Self { folder: Folder::new() };
        app.write("secret", SECRET);
        app.declare(name, lines);
        app
    }

    fn declare(&self, name: &str, lines: &str) {
        let text = format!(
            "name = '{name}'\nmount = '/api'\n{lines}\n[settings]\nopen = 'all'\nwebhook_http = true\nwebhook_networks = ['127.0.0.0/8']\n\
             [limits]\nwebhook_poll = '100ms'\nwebhook_timeout = '2s'\n"
        );
        self.write("app.toml", &text);
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    fn source(&self) -> String {
        self.path().display().to_string()
    }

    /// Runs a command of `duet webhook`.
    fn webhook(&self, place: &Place, arguments: &[&str]) -> String {
        let (source, url) = (self.source(), place.url());
        duet_says(&[&["webhook"], arguments, &[&source, "--database", &url]].concat())
    }

    /// Makes what the webhooks need, and serves.
    fn serve(&self, place: &Place) -> Running {
        self.webhook(place, &["prepare"]);
        self.start(place)
    }

    fn start(&self, place: &Place) -> Running {
        Running::start(&["serve", &self.source(), "--database", &place.url()])
    }
}

/// The declaration of an endpoint.
fn webhook(name: &str, receiver: &Receiver, more: &str) -> String {
    format!(
        "[[webhook]]\nname = '{name}'\nurl = '{}/{name}'\nsecret_file = 'secret'\nresources = ['orders']\n{more}\n",
        receiver.url()
    )
}

/// A request that must succeed.
fn send(server: &Running, method: &str, path: &str, body: &Value) -> Response {
    let url = format!("{}/api/{path}", server.url());
    let json = [("Content-Type", "application/json")];
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let answer = http::request(method, &url, &json, &body);
    assert!(answer.status < 300, "{method} {path}: {} {}", answer.status, answer.text());
    answer
}
