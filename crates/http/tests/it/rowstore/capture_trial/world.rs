//! What the trial knows: the numbers that were written, and the server that is asked.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use duet_store::Capture;
use duet_testkit::http::{Client, Response};
use duet_testkit::postgres::Server;

use super::disturb::KINDS;
use crate::support::{Child, Database};

pub(super) const TEAMS: usize = 9;
/// The longest lag, and the longest age where nothing is captured.
pub(super) const BOUND: Duration = Duration::from_millis(400);
/// Servers over the same database: each is another program to the others.
pub(super) const MOST_SERVERS: usize = 2;
/// Ages are compared in whole milliseconds.
const ROUNDING: Duration = Duration::from_millis(2);

/// Teams 1 to 9; team N has the drivers N1 and N2, whose numbers change with its points. Guests have
/// numbers of their own, and change teams with each.
pub(super) const TABLES: &str = "
CREATE TABLE team (id integer NOT NULL PRIMARY KEY, points bigint NOT NULL);
CREATE TABLE driver (id integer NOT NULL PRIMARY KEY, points bigint NOT NULL,
                     team_id integer NOT NULL REFERENCES team (id));
INSERT INTO team SELECT n, 0 FROM generate_series(1, 9) AS n;
INSERT INTO driver SELECT n * 10 + m, 0, n FROM generate_series(1, 9) AS n, generate_series(1, 2) AS m;
INSERT INTO driver VALUES (1001, 0, 1), (1002, 0, 3);
";

/// A driver that changes its team with each of its numbers.
pub(super) struct Guest {
    pub(super) number: usize,
    pub(super) id: i64,
    pub(super) teams: [usize; 2],
}

pub(super) const GUESTS: [Guest; 2] =
    [Guest { number: 0, id: 1001, teams: [1, 2] }, Guest { number: 1, id: 1002, teams: [3, 4] }];

impl Guest {
    /// The team that it has with this number.
    pub(super) fn team_at(&self, number: i64) -> usize {
        self.teams[usize::from(number % 2 == 1)]
    }
}

/// The numbers of a team or a guest.
#[derive(Default)]
pub(super) struct Record {
    /// One writes at a time.
    pub(super) writing: Mutex<()>,
    /// The last number that was sent.
    pub(super) sent: AtomicI64,
    /// The last number that each server has answered to a writer.
    pub(super) answered: [AtomicI64; MOST_SERVERS],
    /// When the commits of others were answered, with their numbers.
    committed: Mutex<Vec<(Instant, i64)>>,
}

impl Record {
    /// Notes a commit: by another program, or by a server, which is one to the others.
    pub(super) fn commit(&self, number: i64) {
        let mut committed = self.committed.lock().unwrap_or_else(PoisonError::into_inner);
        if committed.len() > 200 {
            committed.drain(..100);
        }
        committed.push((Instant::now(), number));
    }

    /// The number that a read of a server must show at least that begins at this moment; `late`: from memory,
    /// which may be late by the bound, but not for what that server itself has answered.
    pub(super) fn least(&self, server: usize, begun: Instant, late: bool) -> i64 {
        let answered = self.answered[server].load(Ordering::SeqCst);
        let allowed = if late { BOUND + ROUNDING } else { Duration::ZERO };
        let committed = self.committed.lock().unwrap_or_else(PoisonError::into_inner);
        let known = committed.iter().rev().find(|(at, _)| *at + allowed <= begun);
        // What was forgotten is older.
        answered.max(known.map_or(0, |(_, number)| *number))
    }
}

/// A random order (xorshift64*, Vigna 2016).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

pub(super) fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// A server that runs, or is about to.
struct Serving {
    /// How many there were before.
    round: usize,
    url: String,
    child: Child,
}

pub(super) struct World {
    pub(super) server: Server,
    pub(super) database: Database,
    pub(super) means: Capture,
    serving: Vec<RwLock<Serving>>,
    pub(super) teams: [Record; TEAMS],
    pub(super) guests: [Record; GUESTS.len()],
    pub(super) operations: usize,
    pub(super) done: AtomicUsize,
    /// Whether something has failed, so that everybody stops.
    failed: AtomicBool,
    pub(super) reads: AtomicUsize,
    pub(super) hits: AtomicUsize,
    pub(super) writes: AtomicUsize,
    pub(super) disturbances: AtomicUsize,
}

fn serve(database: &Database, means: Capture, round: usize) -> Serving {
    let Database::Postgres(postgres) = database else { panic!("PostgreSQL") };
    let role = format!("{means:?} {}", postgres.url());
    let mut child = Child::start("rowstore::capture_trial::child", &role, |_| ());
    let url = child.wait_for("serving");
    Serving { round, url, child }
}

impl World {
    pub(super) fn new(
        server: Server,
        database: Database,
        means: Capture,
        (operations, servers): (usize, usize),
    ) -> Self {
        let serving = (0..servers).map(|_| RwLock::new(serve(&database, means, 0)));
        Self {
            serving: serving.collect(),
            server,
            database,
            means,
            teams: Default::default(),
            guests: Default::default(),
            operations,
            done: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            reads: AtomicUsize::new(0),
            hits: AtomicUsize::new(0),
            writes: AtomicUsize::new(0),
            disturbances: AtomicUsize::new(0),
        }
    }

    /// Runs a part; where it panics, the others stop.
    pub(super) fn guarded(&self, part: impl FnOnce()) {
        if let Err(panicked) = panic::catch_unwind(AssertUnwindSafe(part)) {
            self.failed.store(true, Ordering::SeqCst);
            panic::resume_unwind(panicked);
        }
    }

    /// Counts an operation; whether it is to be done.
    pub(super) fn takes(&self) -> bool {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.goes_on()
    }

    /// Whether operations are left, or a kind of disturbance has not occurred yet.
    pub(super) fn goes_on(&self) -> bool {
        let is_left = self.done.load(Ordering::Relaxed) < self.operations
            || self.disturbances.load(Ordering::Relaxed) < KINDS;
        is_left && !self.failed.load(Ordering::SeqCst)
    }

    /// How many servers there are.
    pub(super) fn servers(&self) -> usize {
        self.serving.len()
    }

    /// Kills a server, and starts it anew.
    pub(super) fn replace_server(&self, server: usize) {
        let mut serving = self.serving[server].write().unwrap_or_else(PoisonError::into_inner);
        serving.child.kill();
        *serving = serve(&self.database, self.means, serving.round + 1);
    }

    /// Sends a request to a server; `None` where it breaks off.
    pub(super) fn request(
        &self,
        server: usize,
        connection: &mut Option<(usize, Client)>,
        method: &str,
        path: &str,
        body: &str,
    ) -> Option<Response> {
        let (round, url) = {
            let serving = self.serving[server].read().unwrap_or_else(PoisonError::into_inner);
            (serving.round, serving.url.clone())
        };
        if connection.as_ref().is_none_or(|(known, _)| *known != round) {
            *connection = Client::try_connect(&url).ok().map(|client| (round, client));
        }
        let (_, client) = connection.as_mut()?;
        let headers = [("Content-Type", "application/json")];
        let path = format!("/ords/hr/{path}");
        let response = client.try_request(method, &path, &headers, body.as_bytes()).ok();
        if response.is_none() {
            *connection = None;
        }
        response
    }
}
