//! Readers and writers at random over items in memory: no read gives less than what was answered before
//! it began, and no document mixes two states.
//!
//! `DUET_TRIAL_OPERATIONS` sets the number of operations for each store, `DUET_TRIAL_SEED` their order.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use duet_service::definition::Resource;
use duet_testkit::http::{Client, Response};
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    no_read_is_older_than_an_answered_write
}

const TEAMS: usize = 4;
const CLIENTS: usize = 4;

/// Teams 1 to 4; team N has the drivers N1 and N2, whose numbers change with its points.
const TABLES: &str = "
CREATE TABLE team (id integer NOT NULL PRIMARY KEY, points integer NOT NULL);
CREATE TABLE driver (id integer NOT NULL PRIMARY KEY, points integer NOT NULL,
                     team_id integer NOT NULL REFERENCES team (id));
INSERT INTO team VALUES (1, 0), (2, 0), (3, 0), (4, 0);
INSERT INTO driver VALUES (11, 0, 1), (12, 0, 1), (21, 0, 2), (22, 0, 2), (31, 0, 3), (32, 0, 3), (41, 0, 4), (42, 0, 4);
";

const VIEW: &str = "view team_dv as team @insert @update { _id: id  points  driver @insert @update [ { id points } ] }";

/// What is known of a team: the number that was last answered to a writer, and the last that was sent.
#[derive(Default)]
struct Team {
    writing: Mutex<()>,
    answered: AtomicI64,
    sent: AtomicI64,
}

struct World {
    app: App,
    teams: [Team; TEAMS],
    left: AtomicUsize,
    hits: AtomicUsize,
}

/// A random order (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn no_read_is_older_than_an_answered_write(database: Database) {
    database.exec(TABLES);
    let setup = Setup::new(&database).view("team_dv", VIEW).with(|setup| {
        setup.roles = vec!["duet.write", "duet.read"];
        setup.read_limits.rowstore_max_age = None;
        setup.limits.queue_timeout = Duration::from_secs(60);
        for name in ["team", "driver", "team_dv"] {
            let (name, table) = (name.to_owned(), name.to_owned());
            let resource = Resource { name, table, rowstore: 1 << 20, ..Resource::default() };
            setup.mount().resources.push(resource);
        }
    });
    let left = AtomicUsize::new(number("DUET_TRIAL_OPERATIONS", 10_000));
    let world =
        World { app: setup.start(), teams: Default::default(), left, hits: AtomicUsize::new(0) };
    let seed = number("DUET_TRIAL_SEED", 7) as u64;
    thread::scope(|scope| {
        for client in 0..CLIENTS as u64 {
            let world = &world;
            scope.spawn(move || Caller::new(world).run(Random(seed * 31 + client + 1)));
        }
    });
    assert!(world.hits.load(Ordering::Relaxed) > 100, "memory was used");
}

/// One client.
struct Caller<'w> {
    world: &'w World,
    connection: Client,
    bearer: String,
}

impl<'w> Caller<'w> {
    fn new(world: &'w World) -> Self {
        Self { world, connection: world.app.connect(), bearer: world.app.bearer() }
    }

    fn run(mut self, mut random: Random) {
        let take = |left: usize| left.checked_sub(1);
        while self.world.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
            let team = 1 + random.below(TEAMS);
            match random.below(10) {
                0..=2 => self.read(team, &format!("team/{team}"), |item| vec![&item["points"]]),
                3..=4 => {
                    let driver = team * 10 + 1 + random.below(2);
                    self.read(team, &format!("driver/{driver}"), |item| vec![&item["points"]]);
                }
                5..=7 => self.read(team, &format!("team_dv/{team}"), document),
                _ => self.write(team, random.below(4)),
            }
        }
    }

    /// Every number that an item shows is one that was written; they are all of one state.
    fn read(&mut self, team: usize, path: &str, shown: fn(&Value) -> Vec<&Value>) {
        let known = &self.world.teams[team - 1];
        let least = known.answered.load(Ordering::SeqCst);
        let response = self.send("GET", path, "application/json", "");
        let most = known.sent.load(Ordering::SeqCst);
        assert_eq!(response.status, 200, "{}", response.text());
        let item = response.json();
        let numbers: Vec<i64> = shown(&item).iter().filter_map(|value| value.as_i64()).collect();
        let source = response.header("x-cache").unwrap();
        self.world.hits.fetch_add(usize::from(source == "hit"), Ordering::Relaxed);
        for number in &numbers {
            assert!((least..=most).contains(number), "{source} {path}: {item}, {least} to {most}");
            assert_eq!(*number, numbers[0], "{source} {path}: {item}");
        }
    }

    /// Gives a team and its drivers their next number, in one of four ways.
    fn write(&mut self, team: usize, way: usize) {
        let known = &self.world.teams[team - 1];
        let _alone = known.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let next = known.sent.fetch_add(1, Ordering::SeqCst) + 1;
        let drivers = [team * 10 + 1, team * 10 + 2];
        let patch =
            |path: String| json!({ "method": "PATCH", "path": path, "body": { "points": next } });
        let both = drivers.map(|id| json!({ "id": id, "points": next }));
        let whole = json!({ "_id": team, "points": next, "driver": both });
        let response = match way {
            0 => {
                let [one, other] = drivers.map(|id| patch(format!("driver/{id}")));
                let all = json!([patch(format!("team/{team}")), one, other]).to_string();
                self.send("POST", "_/transaction", "application/json", &all)
            }
            1 => {
                let put =
                    json!({ "method": "PUT", "path": format!("team_dv/{team}"), "body": whole });
                self.send("POST", "_/transaction", "application/json", &json!([put]).to_string())
            }
            2 => {
                let (path, form) = (format!("team_dv/{team}"), "application/merge-patch+json");
                self.send("PATCH", &path, form, &whole.to_string())
            }
            _ => {
                self.send("PUT", &format!("team_dv/{team}"), "application/json", &whole.to_string())
            }
        };
        assert!(response.status < 300, "{way}: {}", response.text());
        known.answered.store(next, Ordering::SeqCst);
    }

    fn send(&mut self, method: &str, path: &str, form: &str, body: &str) -> Response {
        let headers = [("Authorization", &*self.bearer), ("Content-Type", form)];
        self.connection.request(method, &format!("/ords/hr/{path}"), &headers, body.as_bytes())
    }
}

/// The numbers in a document.
fn document(item: &Value) -> Vec<&Value> {
    let drivers = item["driver"].as_array().unwrap().iter().map(|driver| &driver["points"]);
    drivers.chain([&item["points"]]).collect()
}
