//! Readers at random over items in memory, beside programs that write to the database directly and
//! through the server, while the capture is cut, the server and the database are killed, and tables are
//! altered: no item from memory is older than the longest lag allows, and no change is missed.
//!
//! `DUET_TRIAL_OPERATIONS` sets the number of operations for each means, `DUET_TRIAL_SEED` their order.

mod disturb;
mod world;
mod writer;

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Instant;

use duet_auth::Open;
use duet_service::definition::Resource;
use duet_store::Capture;
use duet_testkit::http::Client;
use duet_testkit::postgres::{Options, Server};
use serde_json::Value;

use super::capture::prepared;
use crate::support::{PATIENCE, Setup, Source, child_role, eventually};
use disturb::Disturber;
use world::{BOUND, GUESTS, Random, Record, TABLES, TEAMS, World, number};
use writer::Writer;

const VIEW: &str =
    "view team_dv as team @update { _id: id  points  driver @update [ { id points } ] }";
const READERS: u64 = 2;
const WRITERS: u64 = 4;

#[test]
fn no_item_is_older_than_the_lag_allows_by_the_stream() {
    println!("{}", trial("trial_stream", Capture::Stream, 1, 1));
}

#[test]
fn no_item_is_older_than_the_lag_allows_by_the_change_table() {
    println!("{}", trial("trial_table", Capture::Table, 2, 1));
}

/// Two servers, each of which is another program to the other, beside programs that write directly.
#[test]
fn no_item_of_two_processes_is_older_than_the_lag_allows_by_the_stream() {
    println!("{}", trial("trial_stream_of_two", Capture::Stream, 3, 2));
}

#[test]
fn no_item_of_two_processes_is_older_than_the_lag_allows_by_the_change_table() {
    println!("{}", trial("trial_table_of_two", Capture::Table, 4, 2));
}

/// Runs it; what was done.
fn trial(name: &str, means: Capture, salt: u64, servers: usize) -> String {
    // What was answered must outlast the server's process.
    let options =
        Options::new().setting("wal_level", "logical").setting("synchronous_commit", "on");
    let server = Server::start_with(options);
    let database = prepared(&server, name, TABLES, means);
    let operations = number("DUET_TRIAL_OPERATIONS", 6_000);
    let begun = Instant::now();
    let seed = number("DUET_TRIAL_SEED", 7) as u64 * 1_000 + salt * 100;
    let world = World::new(server, database, means, (operations, servers));
    thread::scope(|scope| {
        let world = &world;
        for at in 0..READERS {
            let server = at as usize % world.servers();
            let run = move || Reader::new(world, server).run(Random::new(seed + at));
            scope.spawn(move || world.guarded(run));
        }
        for at in 0..WRITERS {
            let random = Random::new(seed + 50 + at);
            scope.spawn(move || world.guarded(|| Writer::new(world).run(random)));
        }
        let random = Random::new(seed + 99);
        scope.spawn(move || world.guarded(|| Disturber::new(world).run(random)));
    });
    everything_is_seen(&world);
    let count = |counter: &std::sync::atomic::AtomicUsize| counter.load(Ordering::Relaxed);
    let (hits, reads) = (count(&world.hits), count(&world.reads));
    assert!(hits > reads / 20, "memory was used");
    format!(
        "{name}: {} operations in {} s: {reads} reads, {hits} from memory, {} writes, {} disturbances; no stale read, no lost change",
        count(&world.done).min(operations),
        begun.elapsed().as_secs(),
        count(&world.writes),
        count(&world.disturbances)
    )
}

/// Once nobody writes and the longest lag has passed, every item is as the last write left it.
fn everything_is_seen(world: &World) {
    let end = Instant::now();
    eventually("the lag has passed", || end.elapsed() > 2 * BOUND);
    for mut reader in (0..world.servers()).map(|server| Reader::new(world, server)) {
        for team in 1..=TEAMS {
            for path in
                [format!("team/{team}"), format!("driver/{team}1"), format!("team_dv/{team}")]
            {
                let begun = Instant::now();
                while reader.read(team, &path).as_deref() != Some("hit") {
                    assert!(begun.elapsed() < PATIENCE, "{path} is not kept");
                }
            }
        }
    }
}

/// Serves a database until its input ends.
#[test]
#[ignore = "runs as a child of another test"]
fn child() {
    let Some(role) = child_role() else { return };
    let (means, url) = role.split_once(' ').unwrap();
    let setup = Setup::of(Source::Url(url.to_owned())).view("team_dv", VIEW).with(|setup| {
        setup.open = Open::All;
        setup.limits.capture = if means == "Stream" { Capture::Stream } else { Capture::Table };
        setup.read_limits.rowstore_max_age = Some(BOUND);
        setup.read_limits.rowstore_max_lag = BOUND;
        for name in ["team", "driver", "team_dv"] {
            let (name, table) = (name.to_owned(), name.to_owned());
            let resource = Resource { name, table, rowstore: 1 << 20, ..Resource::default() };
            setup.mount().resources.push(resource);
        }
    });
    let app = setup.start();
    println!("\nserving {}", app.url());
    let mut end = String::new();
    std::io::stdin().read_line(&mut end).unwrap();
}

/// One client that reads from one server.
struct Reader<'w> {
    world: &'w World,
    server: usize,
    connection: Option<(usize, Client)>,
}

impl<'w> Reader<'w> {
    fn new(world: &'w World, server: usize) -> Self {
        Self { world, server, connection: None }
    }

    fn run(mut self, mut random: Random) {
        while self.world.takes() {
            let team = 1 + random.below(TEAMS);
            let path = match random.below(3) {
                0 => format!("team/{team}"),
                1 => format!("driver/{team}{}", 1 + random.below(2)),
                _ => format!("team_dv/{team}"),
            };
            self.read(team, &path);
        }
    }

    /// Reads an item, and checks what it shows; where it came from, or `None` where it failed.
    fn read(&mut self, team: usize, path: &str) -> Option<String> {
        let known = &self.world.teams[team - 1];
        let guests: Vec<_> = GUESTS.iter().filter(|guest| guest.teams.contains(&team)).collect();
        let server = self.server;
        let since = |record: &Record, begun| {
            [record.least(server, begun, true), record.least(server, begun, false)]
        };
        let begun = Instant::now();
        let least = since(known, begun);
        let guests_least: Vec<_> =
            guests.iter().map(|guest| since(&self.world.guests[guest.number], begun)).collect();
        let response = self.world.request(server, &mut self.connection, "GET", path, "")?;
        let most = known.sent.load(Ordering::SeqCst);
        if response.status != 200 {
            assert!(response.status >= 500, "{path}: {} {}", response.status, response.text());
            return None;
        }
        let source = response.header("x-cache").unwrap_or_default().to_owned();
        let is_hit = source == "hit";
        self.world.reads.fetch_add(1, Ordering::Relaxed);
        self.world.hits.fetch_add(usize::from(is_hit), Ordering::Relaxed);
        let item = response.json();
        let least = least[usize::from(!is_hit)];
        for shown in own_numbers(&item, team) {
            assert!((least..=most).contains(&shown), "{source} {path}: {item}, {least} to {most}");
            let first = own_numbers(&item, team)[0];
            assert_eq!(shown, first, "{source} {path}: {item} is of two states");
        }
        if path.starts_with("team_dv/") {
            for (guest, least) in guests.iter().zip(guests_least) {
                let least = least[usize::from(!is_hit)];
                let most = self.world.guests[guest.number].sent.load(Ordering::SeqCst);
                let shown = guest_number(&item, guest.id);
                let context = || format!("{source} {path}: {item}, guest {least} to {most}");
                match shown {
                    Some(shown) => {
                        assert!((least..=most).contains(&shown), "{}", context());
                        assert_eq!(guest.team_at(shown), team, "{}", context());
                    }
                    // It has left, or was elsewhere all the time.
                    None => assert!(least < most || guest.team_at(least) != team, "{}", context()),
                }
            }
        }
        Some(source)
    }
}

/// The numbers of a team and its own drivers.
fn own_numbers(item: &Value, team: usize) -> Vec<i64> {
    let drivers = item["driver"].as_array().into_iter().flatten();
    let own = drivers.filter(|driver| driver["id"].as_i64().unwrap() / 10 == team as i64);
    own.chain([item]).map(|it| it["points"].as_i64().unwrap()).collect()
}

/// The number of a guest driver in a document that shows it.
fn guest_number(item: &Value, id: i64) -> Option<i64> {
    let drivers = item["driver"].as_array().unwrap();
    let guest = drivers.iter().find(|driver| driver["id"] == id)?;
    guest["points"].as_i64()
}
