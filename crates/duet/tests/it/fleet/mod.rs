//! Several servers of one database.

mod limits;
mod news;
mod rolling;

use duet_testkit::command::{Running, wait_until};
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Database;
use serde_json::Value;

use crate::duet_says;

/// The roles of the first client.
const OPERATOR: [&str; 3] = ["duet.admin", "duet.read", "duet.write"];

/// Servers of one PostgreSQL database, which also has their clients, of which the first is `operator`.
struct Fleet {
    url: String,
    operator: Value,
    servers: Vec<Running>,
}

impl Fleet {
    /// So many servers, with further arguments.
    fn start(database: &Database, servers: usize, arguments: &[&str]) -> Self {
        let operator = add_client(&database.url(), "operator", &OPERATOR);
        Self::with_clients(&database.url(), operator, servers, arguments)
    }

    /// The same of servers that reach the database at this address.
    fn with_clients(url: &str, operator: Value, servers: usize, arguments: &[&str]) -> Self {
        let all = [&["serve", url, "--listen", "127.0.0.1:0"], arguments].concat();
        let servers = (0..servers).map(|_| Running::start(&all)).collect();
        Self { url: url.to_owned(), operator, servers }
    }

    fn get(&self, server: &Running, path: &str) -> Response {
        let bearer = bearer(server, &self.operator).unwrap_or_else(|| panic!("no token"));
        http::get(&format!("{}{path}", server.url()), &[("Authorization", &bearer)])
    }

    fn status(&self, server: &Running) -> Value {
        self.get(server, "/admin/status").json()["applications"][0].clone()
    }

    /// Whether each server hears of changes of the schema and of clients.
    fn wait_for_listening(&self) {
        for server in &self.servers {
            wait_until("the database tells of changes", || {
                let status = self.status(server);
                status["listening"] == true && status["clients"]["listening"] == true
            });
        }
    }

    /// The same resource of every server has this status.
    fn wait_for(&self, path: &str, status: u16) {
        for server in &self.servers {
            wait_until(path, || self.get(server, path).status == status);
        }
    }

    /// How often each server has looked at the schema.
    fn looks(&self) -> Vec<u64> {
        let looks = |server: &Running| {
            let metrics = self.get(server, "/metrics");
            let text = metrics.text();
            let line = text.lines().find(|it| it.starts_with("duet_store_schema_looks_total{"));
            line.and_then(|line| line.rsplit_once(' ')?.1.parse().ok()).unwrap_or_default()
        };
        self.servers.iter().map(looks).collect()
    }
}

/// Adds a client to the state in a database.
fn add_client(url: &str, name: &str, roles: &[&str]) -> Value {
    let mut arguments = vec!["client", "add", name, "--in-database", url, "--json"];
    roles.iter().for_each(|role| arguments.extend(["--role", role]));
    let (_, out, _) = crate::duet(&arguments);
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("no client: {out}"))
}

fn remove_client(url: &str, name: &str) {
    duet_says(&["client", "remove", name, "--in-database", url]);
}

/// The header of a client at a server; `None` where it gets no token.
fn bearer(server: &Running, client: &Value) -> Option<String> {
    let body = format!(
        "grant_type=client_credentials&client_id={}&client_secret={}",
        client["client_id"].as_str().unwrap_or_default(),
        client["client_secret"].as_str().unwrap_or_default()
    );
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let url = format!("{}/oauth/token", server.url());
    let answer = http::request("POST", &url, &form, body.as_bytes());
    let token = answer.json().get("access_token").and_then(Value::as_str).map(str::to_owned);
    assert!(token.is_some() || answer.status == 401, "{}", answer.text());
    token.map(|token| format!("Bearer {token}"))
}
