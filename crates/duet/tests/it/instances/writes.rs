//! Own writes with several instances that keep items in memory: what one instance has acknowledged, every
//! other one gives, also while instances are killed.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use duet_testkit::command::{Running, Signal, signal, wait_until};
use duet_testkit::http::{Client, Response};
use duet_testkit::is_long;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite;

use super::Ends;
use super::processes::{children, is_running};

/// Clients that write, each a team of its own.
const WRITERS: u64 = 3;

const TABLES: &str = "CREATE TABLE team (id INTEGER PRIMARY KEY, points INTEGER NOT NULL);
    CREATE TABLE driver (id INTEGER PRIMARY KEY, team_id INTEGER NOT NULL REFERENCES team, name TEXT);
    INSERT INTO team VALUES (0, 0), (1, 0), (2, 0);
    INSERT INTO driver VALUES (10, 0, 'Ann'), (11, 1, 'Bob'), (12, 2, 'Cid');";

const VIEW: &str = "CREATE JSON DUALITY VIEW team_dv AS
team @insert @update @delete {
  _id: id
  points
  drivers: driver @insert @update @delete [ { id, name } ]
}
";

/// The same with a further view.
const MORE: &str = "CREATE JSON DUALITY VIEW driver_dv AS
driver @insert @update @delete {
  _id: id
  name
  team @unnest { teamId: id points }
}
";

/// The application in so many instances. Items are of use until they change: no other program writes.
fn serve(folder: &sqlite::Folder, database: &str, instances: usize) -> Running {
    let text = format!(
        "name = 'own'\nmount = '/t'\ndatabase = '{database}'\nviews = ['*.graphql']\n\
         [settings]\nlisten = '127.0.0.1:0'\nopen = 'all'\ninstances = '{instances}'\n\
         [limits]\nrowstore_max_age = 'off'\n\
         [resources.team]\nrowstore = '1MB'\n[resources.team_dv]\nrowstore = '1MB'\n"
    );
    fs::write(folder.path().join("app.toml"), text).unwrap();
    fs::write(folder.path().join("team_dv.graphql"), VIEW).unwrap();
    let config = folder.path().join("app.toml").display().to_string();
    Running::start(&["serve", "--config", &config])
}

/// A connection that is made anew after its instance was killed.
struct Patient<'u> {
    url: &'u str,
    client: Client,
}

impl<'u> Patient<'u> {
    fn connect(url: &'u str) -> Self {
        Self { url, client: Client::connect(url) }
    }

    fn ask(&mut self, method: &str, path: &str, body: &[u8]) -> io::Result<Response> {
        let headers = [("Content-Type", "application/merge-patch+json")];
        let headers = if body.is_empty() { &[][..] } else { &headers };
        let answer = self.client.try_request(method, path, headers, body);
        if answer.is_err() {
            wait_until("another instance accepts", || {
                Client::try_connect(self.url).is_ok_and(|mut client| {
                    client.try_request("GET", "/health/live", &[], b"").is_ok()
                })
            });
            self.client = Client::connect(self.url);
        }
        answer
    }

    /// Asks until there is an answer; a busy machine may need several tries.
    fn get(&mut self, path: &str) -> Response {
        loop {
            match self.ask("GET", path, b"") {
                Ok(answer) if answer.status == 503 => {}
                Ok(answer) => return answer,
                Err(_) => {}
            }
        }
    }
}

/// So often a client opens a connection anew: one that stays is at one instance, and after a kill all would be
/// at the same.
const CONNECTION_ROUNDS: u64 = 16;

/// The points that an answer shows. A parser of JSON would take most of the time of a long trial.
fn points_of(answer: &Response) -> u64 {
    let after = answer.text().split_once("\"points\":").map(|(_, after)| after).unwrap();
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    after[..end].parse().unwrap()
}

/// What the clients of a trial have seen.
#[derive(Debug, Default)]
struct Seen {
    written: AtomicU64,
    reads: AtomicU64,
    hits: AtomicU64,
    stale: AtomicU64,
}

/// Writes a team again and again until it is over, and after each acknowledgement reads it over every one
/// of its other connections, as a table and as a view.
fn write(url: &str, team: u64, connections: usize, seen: &Seen, done: &AtomicBool) {
    let mut writer = Patient::connect(url);
    let mut readers: Vec<_> = (0..connections).map(|_| Patient::connect(url)).collect();
    let (table, view) = (format!("/t/team/{team}"), format!("/t/team_dv/{team}"));
    let mut points = points_of(&writer.get(&table));
    while !done.load(Ordering::Relaxed) {
        points += 1;
        let body = format!(r#"{{"points": {points}}}"#);
        let Ok(answer) = writer.ask("PATCH", &table, body.as_bytes()) else { continue };
        if answer.status == 503 {
            continue;
        }
        assert_eq!(answer.status, 200, "{answer:?}");
        for (number, reader) in (0..).zip(&mut readers) {
            if (points + number).is_multiple_of(CONNECTION_ROUNDS) {
                *reader = Patient::connect(url);
            }
            for path in [&table, &view] {
                let answer = reader.get(path);
                assert_eq!(answer.status, 200, "{answer:?}");
                let is_stale = points_of(&answer) < points;
                seen.stale.fetch_add(u64::from(is_stale), Ordering::Relaxed);
                let is_hit = answer.header("X-Cache") == Some("hit");
                seen.hits.fetch_add(u64::from(is_hit), Ordering::Relaxed);
                seen.reads.fetch_add(1, Ordering::Relaxed);
            }
        }
        seen.written.fetch_add(1, Ordering::Relaxed);
    }
}

/// Reads what others write, so that items are in memory at every moment.
fn read(url: &str, seen: &Seen, done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        let mut client = Patient::connect(url);
        for team in 0..WRITERS {
            for resource in ["team", "team_dv"] {
                let answer = client.get(&format!("/t/{resource}/{team}"));
                let is_hit = answer.header("X-Cache") == Some("hit");
                seen.hits.fetch_add(u64::from(is_hit), Ordering::Relaxed);
            }
        }
    }
}

/// How often a trial is repeated, each time with a new server: a supervisor waits longer and longer before it starts
/// an instance that ends again and again. All long trials together have a million reads and two hundred kills.
fn repeats() -> u64 {
    if is_long() { 25 } else { 1 }
}

/// How many reads there are at least before each kill.
fn reads_before_a_kill() -> u64 {
    if is_long() { 5_000 } else { 0 }
}

/// Own writes in so many instances, of which some are killed meanwhile: none is read as it was before.
fn no_own_write_is_stale(database: &str, folder: &sqlite::Folder, instances: usize, kills: u64) {
    let server = serve(folder, database, instances);
    let url = server.url();
    let (seen, done) = (Seen::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let ends = Ends(&done);
        for team in 0..WRITERS {
            scope.spawn({
                let (url, seen, done) = (&url, &seen, &done);
                move || write(url, team, instances + 1, seen, done)
            });
        }
        for _ in 0..instances.min(3) {
            scope.spawn(|| read(&url, &seen, &done));
        }
        let written = || seen.written.load(Ordering::Relaxed);
        let reads = || seen.reads.load(Ordering::Relaxed);
        for _ in 0..kills {
            let (before, enough) = (written(), reads() + reads_before_a_kill());
            wait_until("some are written", || written() > before + 100);
            // However slow the machine is, some more of them are read in time.
            while reads() < enough {
                let some = enough.min(reads() + 500);
                wait_until("some more are read", || reads() >= some);
            }
            // All that were told to run do, so each kill is of another process.
            let running = || -> Vec<u32> {
                children(server.process()).into_iter().filter(|pid| is_running(*pid)).collect()
            };
            wait_until("all run", || running().len() == instances);
            signal(running()[0], Signal::SIGKILL);
        }
        let before = written();
        wait_until("some are written", || written() > before + 300);
        drop(ends);
    });
    assert!(seen.hits.load(Ordering::Relaxed) > 1_000, "{seen:?}");
    assert_eq!(seen.stale.load(Ordering::Relaxed), 0, "{seen:?}");
    assert!(server.stop().success());
}

/// A view that one of two instances serves already: the other one writes what it shows, and cannot know that.
fn no_write_of_older_definitions_is_missed(database: &str, folder: &sqlite::Folder) {
    let server = serve(folder, database, 2);
    let url = server.url();
    let file = folder.path().join("app.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(folder.path().join("driver_dv.graphql"), MORE).unwrap();
    fs::write(&file, text + "[resources.driver_dv]\nrowstore = '1MB'\n").unwrap();
    // The one that takes its place reads the files as they are now.
    let first = children(server.process());
    signal(first[0], Signal::SIGKILL);
    let find = |status: u16| -> Client {
        let found = std::cell::RefCell::new(None);
        wait_until("an instance answers so", || {
            let Ok(mut client) = Client::try_connect(&url) else { return false };
            let answer = client.try_request("GET", "/t/driver_dv/10", &[], b"");
            let is_it = answer.is_ok_and(|answer| answer.status == status);
            *found.borrow_mut() = is_it.then_some(client);
            is_it
        });
        found.into_inner().unwrap()
    };
    let (mut newer, mut older) = (find(200), find(404));
    let mut points = 0;
    let mut write = |client: &mut Client| {
        points += 1;
        let body = format!("{{\"points\": {points}}}");
        let headers = [("Content-Type", "application/merge-patch+json")];
        let answer = client.request("PATCH", "/t/team/0", &headers, body.as_bytes());
        assert_eq!(answer.status, 200, "{answer:?}");
        points
    };
    let read = |client: &mut Client| -> (u64, bool) {
        let answer = client.get("/t/driver_dv/10", &[]);
        assert_eq!(answer.status, 200, "{answer:?}");
        (answer.json()["points"].as_u64().unwrap(), answer.header("X-Cache") == Some("hit"))
    };
    for _ in 0..20 {
        read(&mut newer);
        let written = write(&mut older);
        assert_eq!(read(&mut newer), (written, false));
    }
    // Both serve the same again: items are in memory, and each knows of the other's writes.
    server.signal(Signal::SIGHUP);
    let both = std::cell::RefCell::new([older, newer]);
    wait_until("both serve the view", || {
        let log = server.errors();
        assert!(!log.contains("has not reloaded"), "{log}");
        both.borrow_mut().iter_mut().all(|it| it.get("/t/driver_dv/10", &[]).status == 200)
    });
    wait_until("items are in memory again", || both.borrow_mut().iter_mut().all(|it| read(it).1));
    let [mut older, mut newer] = both.into_inner();
    for _ in 0..20 {
        let written = write(&mut older);
        assert_eq!(read(&mut newer).0, written);
        read(&mut newer);
    }
    let newer = std::cell::RefCell::new(newer);
    wait_until("it is in memory", || read(&mut newer.borrow_mut()).1);
    assert!(server.stop().success());
}

#[test]
fn older_definitions_make_nothing_stale_on_sqlite() {
    let folder = sqlite::Folder::new();
    folder.load("own.db", &[TABLES]);
    no_write_of_older_definitions_is_missed("sqlite:own.db", &folder);
}

#[test]
fn older_definitions_make_nothing_stale_on_postgres() {
    let (server, folder) = (Server::shared(), sqlite::Folder::new());
    server.database("older_definitions").exec(TABLES);
    no_write_of_older_definitions_is_missed(&server.url("older_definitions"), &folder);
}

fn on_sqlite(instances: usize, kills: u64) {
    let folder = sqlite::Folder::new();
    folder.load("own.db", &[TABLES]);
    for _ in 0..repeats() {
        no_own_write_is_stale("sqlite:own.db", &folder, instances, kills);
    }
}

fn on_postgres(name: &str, instances: usize, kills: u64) {
    let (server, folder) = (Server::shared(), sqlite::Folder::new());
    server.database(name).exec(TABLES);
    for _ in 0..repeats() {
        no_own_write_is_stale(&server.url(name), &folder, instances, kills);
    }
}

#[test]
fn own_writes_are_read_in_three_instances_of_sqlite() {
    on_sqlite(3, 3);
}

#[test]
fn own_writes_are_read_in_three_instances_of_postgres() {
    on_postgres("own_writes_three", 3, 3);
}

#[test]
fn own_writes_are_read_in_one_instance_and_in_eight() {
    on_sqlite(1, 1);
    on_postgres("own_writes_eight", 8, 1);
}
