//! Requests that cost a server much, one after the other, with clients beside them: of the same tenant, and of another
//! one. Held by counts: how they are answered, how long the longest turn of a worker was, and that the others get
//! every answer.
//!
//! `bench/hostile_matrix.json` lists the requests; `bench/hostile.sh --matrix` measures what the others notice.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::collections::HashMap;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use duet_testkit::command::Running;
use duet_testkit::http::{Client, Response, bearer};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use crate::duet_says;
use crate::instances::processes::{children, is_running};

const MATRIX: &str = include_str!("../../../../../bench/hostile_matrix.json");

/// A turn as long as this, without the time in which the worker waited for a processor, is one in which it has done what
/// the statement timeout ends.
const LONGEST_TURN: f64 = 0.8;
const STATEMENT_TIMEOUT: &str = "800ms";
/// Requests wait as long for a connection: on a busy machine those of others end late, and who waits is answered all the same.
const QUEUE_TIMEOUT: &str = "60s";

/// Connections of the hostile client for each request.
const AT_ONCE: usize = 2;
/// How many answers the others get at least beside each of them.
const OTHERS: u64 = 12;

/// Between the rounds of the others: they ask for little, and leave the processors to what is tried.
const PAUSE: Duration = Duration::from_millis(10);

/// Replaces `<<X*N>>` by N times X, and `#` by a number: inside of such a part, that of the repetition.
fn expanded(template: &str, number: usize) -> String {
    let Some((before, rest)) = template.split_once("<<") else {
        return template.replace('#', &number.to_string());
    };
    let (part, after) = rest.split_once(">>").unwrap();
    let (part, count) = part.rsplit_once('*').unwrap();
    let parts = (0..count.parse().unwrap()).map(|at: usize| part.replace('#', &at.to_string()));
    format!("{}{}{}", expanded(before, number), parts.collect::<String>(), expanded(after, number))
}

fn percent_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// A request of the matrix.
struct Hostile<'m>(&'m Value);

impl Hostile<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.0[name].as_str()
    }

    fn number(&self, name: &str) -> usize {
        usize::try_from(self.0[name].as_u64().unwrap_or(1)).unwrap()
    }

    fn name(&self) -> &str {
        self.text("name").unwrap()
    }

    /// The filter, with all its repetitions.
    fn filter(&self, between: &str) -> String {
        match (self.text("whole"), self.text("each")) {
            (Some(whole), _) => expanded(whole, 0),
            (None, Some(each)) => {
                let each = (0..self.number("count")).map(|number| expanded(each, number));
                each.collect::<Vec<_>>().join(between)
            }
            (None, None) => String::new(),
        }
    }

    fn any(&self) -> String {
        match (self.text("whole"), self.number("count")) {
            (Some(_), _) | (_, 1) => self.filter(""),
            _ => format!("{{\"$or\":[{}]}}", self.filter(",")),
        }
    }

    /// Method, path below the mount, headers and body.
    fn request(&self) -> (&'static str, String, Vec<(&'static str, &'static str)>, Vec<u8>) {
        let json = ("Content-Type", "application/json");
        let path = || {
            let path = self.text("path").unwrap();
            let filter = if path.ends_with("q=") { self.any() } else { String::new() };
            format!("{path}{}", percent_encoded(&filter))
        };
        match self.text("kind").unwrap() {
            "q" => {
                let fields = if self.0["groups"] == true { "" } else { ",\"fields\":[\"id\"]" };
                let body = format!("{{\"q\":{},\"limit\":10{fields}}}", self.any());
                ("POST", "heavy/search".to_owned(), vec![json], body.into())
            }
            "cql" => {
                let query = percent_encoded(&self.filter(" or "));
                ("GET", format!("heavy/?fields=id&limit=10&query={query}"), vec![], vec![])
            }
            "get" => ("GET", path(), vec![], vec![]),
            "stream" => ("GET", path(), vec![("Accept", "application/x-ndjson")], vec![]),
            "delete" => ("DELETE", path(), vec![], vec![]),
            "post" => ("POST", path(), vec![json], expanded(self.text("body").unwrap(), 0).into()),
            "load" => {
                let text = "x".repeat(self.number("bytes"));
                let row = |id: usize| format!("{{\"id\":{id},\"name\":\"{text}\"}}\n");
                let rows: String = (0..self.number("rows")).map(row).collect();
                let headers = vec![("Content-Type", "application/x-ndjson")];
                ("POST", "loaded/batchload?upsert=true".to_owned(), headers, rows.into())
            }
            other => panic!("{other}"),
        }
    }
}

/// A server with two tenants, and the tokens of its clients.
struct Site {
    server: Running,
    hostile: String,
    /// Of the same tenant, and of another one.
    others: [String; 2],
    admin: String,
    _folder: Folder,
}

/// How long each worker of a server has waited for a processor, by its thread, in seconds.
struct Waits(HashMap<String, f64>);

impl Waits {
    fn of(server: &Running) -> Self {
        let mut waits = HashMap::new();
        for process in children(server.process()).into_iter().chain([server.process()]) {
            // One that ends meanwhile has no threads.
            for thread in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten() {
                let thread = thread.unwrap().path();
                let read = |name: &str| fs::read_to_string(thread.join(name)).unwrap_or_default();
                if read("comm").starts_with("worker-") {
                    // Processor time, time on the run queue, and turns on it (Linux's sched-stats).
                    let nanos = read("schedstat").split(' ').nth(1).and_then(|it| it.parse().ok());
                    let waited = Duration::from_nanos(nanos.unwrap_or_default());
                    waits.insert(thread.display().to_string(), waited.as_secs_f64());
                }
            }
        }
        assert!(!waits.is_empty(), "workers have names");
        Self(waits)
    }

    /// The longest that one of them has waited since then.
    fn most_since(&self, before: &Self) -> f64 {
        let since =
            |(thread, waited): (&String, &f64)| waited - before.0.get(thread).unwrap_or(&0.0);
        self.0.iter().map(since).fold(0.0, f64::max)
    }
}

impl Site {
    fn start(matrix: &Value, database: Option<&str>, instances: usize) -> Self {
        let folder = Folder::new();
        let app = folder.path().join("app");
        fs::create_dir_all(&app).unwrap();
        fs::write(app.join("app.toml"), matrix["application"].as_str().unwrap()).unwrap();
        fs::write(app.join("tables.prepare"), matrix["tables"].as_str().unwrap()).unwrap();
        let (app, state) =
            (app.display().to_string(), folder.path().join("state").display().to_string());
        let database = database.map(|name| Server::shared().database(name));
        let url = match &database {
            None => format!("sqlite:{}", folder.path().join("tenants").display()),
            Some(made) => made.url(),
        };
        for tenant in ["acme", "globex"] {
            duet_says(&["tenant", "create", &app, tenant, "--database", &url]);
        }
        let data = |store: &str| matrix["data"][store].as_str().unwrap();
        match &database {
            None => drop(folder.load("tenants/acme.db", &[data("sqlite")])),
            Some(made) => made.exec(&data("postgres").replace("{schema}", "acme_matrix.")),
        }
        let client = |name: &str, role: &str, more: &[&str]| -> (String, String) {
            let add = ["client", "add", name, "--state", &state, "--json", "--role", role];
            let added: Value = serde_json::from_str(&duet_says(&[&add, more].concat())).unwrap();
            let text = |name: &str| added[name].as_str().unwrap().to_owned();
            (text("client_id"), text("client_secret"))
        };
        let of = |name: &str, tenant| client(name, "duet.write", &["--tenant", tenant]);
        let clients = [of("hostile", "acme"), of("beside", "acme"), of("other", "globex")];
        let admin = client("admin", "duet.admin", &[]);
        let (file, instances) = (format!("{app}/app.toml"), instances.to_string());
        let mut arguments = vec!["serve", &url, "--config", &file, "--state", &state];
        arguments.extend(["--listen", "127.0.0.1:0", "--statement-timeout", STATEMENT_TIMEOUT]);
        arguments.extend(["--queue-timeout", QUEUE_TIMEOUT]);
        if instances != "1" {
            arguments.extend(["--instances", &instances]);
        }
        let server = Running::start(&arguments);
        let token = |(id, secret): &(String, String)| bearer(&server.url(), id, secret);
        let [hostile, beside, other] = clients.each_ref().map(token);
        let admin = token(&admin);
        Self { server, hostile, others: [beside, other], admin, _folder: folder }
    }

    fn send(&self, client: &mut Client, token: &str, hostile: &Hostile<'_>) -> Response {
        let (method, path, mut headers, body) = hostile.request();
        headers.push(("Authorization", token));
        let path = format!("/m/{path}");
        client.try_request(method, &path, &headers, &body).unwrap_or_else(|error| {
            panic!("{}: {error}", hostile.name());
        })
    }

    /// The longest turn of a worker of the last minute, in seconds.
    fn longest_turn(&self) -> f64 {
        let headers = [("Authorization", &*self.admin)];
        let answer = Client::connect(&self.server.url()).get("/metrics", &headers);
        assert_eq!(answer.status, 200, "{answer:?}");
        let turns =
            answer.text().lines().filter(|line| line.starts_with("duet_worker_longest_turn"));
        let turns = turns.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap());
        turns.fold(f64::NAN, f64::max)
    }

    /// Reads, pages and writes of a client that asks for little, until it is over; every one is answered.
    fn beside(&self, token: &str, of: &str, (answered, is_over): (&AtomicU64, &AtomicBool)) {
        let mut client = Client::connect(&self.server.url());
        let json = ("Content-Type", "application/merge-patch+json");
        let headers = [("Authorization", token), json];
        while !is_over.load(Ordering::Relaxed) || answered.load(Ordering::Relaxed) < OTHERS {
            for (method, path, body) in [
                ("GET", "calm/1", ""),
                ("GET", "calm/?limit=2", ""),
                ("PATCH", "calm/2", "{\"n\":1}"),
            ] {
                let path = format!("/m/{path}");
                let answer = client.request(method, &path, &headers, body.as_bytes());
                assert_eq!(answer.status, 200, "beside {of}: {method} {path} {answer:?}");
                answered.fetch_add(1, Ordering::Relaxed);
            }
            thread::sleep(PAUSE);
        }
    }

    /// One request of the matrix on several connections, with the others beside it. `judged` is the longest turn of before,
    /// in seconds.
    fn hold(&self, hostile: &Hostile<'_>, judged: &mut f64) {
        let (is_over, answered) = (AtomicBool::new(false), [const { AtomicU64::new(0) }; 2]);
        let before = Waits::of(&self.server);
        let allowed = &hostile.0["answers"];
        thread::scope(|scope| {
            let others = self.others.iter().zip(&answered);
            for (token, answered) in others {
                scope.spawn(|| self.beside(token, hostile.name(), (answered, &is_over)));
            }
            let clients: [_; AT_ONCE] = std::array::from_fn(|_| {
                scope.spawn(|| {
                    let mut client = Client::connect(&self.server.url());
                    self.send(&mut client, &self.hostile, hostile)
                })
            });
            let answers = clients.map(thread::ScopedJoinHandle::join);
            is_over.store(true, Ordering::Relaxed);
            for answer in answers.map(Result::unwrap) {
                let text: String = answer.text().chars().take(500).collect();
                let allowed = allowed.as_array().unwrap();
                // What it sends beyond its share waits for what the database does not end.
                let is_beyond = answer.status == 503 && text.contains("DUET-6002");
                let is_allowed = allowed.contains(&answer.status.into())
                    || is_beyond && allowed.contains(&504.into());
                assert!(is_allowed, "{}: {} {text}", hostile.name(), answer.status);
                assert!(answer.status != 504 || text.contains("DUET-6003"), "{text}");
            }
        });
        let longest = self.longest_turn();
        let waited = Waits::of(&self.server).most_since(&before);
        let is_judged = longest <= std::mem::replace(judged, longest);
        let said =
            format!("{}: a turn of {longest} s, {waited} s without a processor", hostile.name());
        assert!(is_judged || longest < LONGEST_TURN + waited, "{said}");
    }
}

/// Holds the requests of the matrix: a few of them unless the full counts are asked for, or `all` is.
fn hold(database: Option<&str>, instances: usize, all: bool) {
    let matrix: Value = serde_json::from_str(MATRIX).unwrap();
    let site = Site::start(&matrix, database, instances);
    let processes = children(site.server.process());
    let all = all || std::env::var_os("DUET_LONG").is_some();
    let store = if database.is_some() { "postgres" } else { "sqlite" };
    let rows = matrix["rows"].as_array().unwrap().iter();
    let rows = rows.filter(|row| row["only"].is_null() || row["only"] == store);
    let mut judged = 0.0;
    for row in rows.filter(|row| all || row["short"] == true) {
        site.hold(&Hostile(row), &mut judged);
    }
    // None was ended as hung.
    assert!(processes.iter().all(|process| is_running(*process)), "{}", site.server.errors());
    assert!(site.server.stop().success());
}

#[test]
fn the_matrix_holds_on_sqlite() {
    hold(None, 1, true);
}

#[test]
fn the_matrix_holds_on_postgres() {
    hold(Some("hostile_matrix"), 1, true);
}

#[test]
fn the_matrix_holds_in_three_instances_of_sqlite() {
    hold(None, 3, false);
}

#[test]
fn the_matrix_holds_in_three_instances_of_postgres() {
    hold(Some("hostile_matrix_three"), 3, false);
}
