//! Virtual time, ordered events, seeded random numbers, and the fate of each request.

use std::cell::RefCell;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use duet_admission::{Client, Deadline, Request, RequestClass};

/// How long a batch may block, in microseconds.
pub(crate) const PATIENCE: u64 = 50_000;
/// The deadline of every request, in microseconds.
pub(crate) const DEADLINE: u64 = 5_000_000;

/// A random number generator (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }

    pub(crate) fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }
}

/// Events by time in microseconds, then by order of creation.
pub(crate) struct Clock<E> {
    base: Instant,
    pub(crate) micros: u64,
    made: u64,
    events: BinaryHeap<std::cmp::Reverse<(u64, u64)>>,
    kept: std::collections::HashMap<u64, E>,
}

impl<E> Clock<E> {
    pub(crate) fn new() -> Self {
        Self {
            base: Instant::now(),
            micros: 0,
            made: 0,
            events: BinaryHeap::new(),
            kept: std::collections::HashMap::new(),
        }
    }

    pub(crate) fn now(&self) -> Instant {
        self.base + Duration::from_micros(self.micros)
    }

    pub(crate) fn at(&mut self, micros: u64, event: E) {
        self.made += 1;
        self.events.push(std::cmp::Reverse((micros.max(self.micros), self.made)));
        self.kept.insert(self.made, event);
    }

    pub(crate) fn next(&mut self) -> Option<E> {
        let std::cmp::Reverse((micros, made)) = self.events.pop()?;
        self.micros = micros;
        self.kept.remove(&made)
    }
}

/// The behaviour of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    /// Its work is slow.
    Slow,
    Panics,
    /// Its caller cancels after this time.
    Cancelled(u64),
    /// One of very many concurrent requests of a client; only other clients' requests are checked.
    Flood,
}

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    Refused,
    /// Dropped by a panic; its caller gets an error.
    Lost,
    Cancelled,
}

/// The time and result of each finished request.
pub(crate) type Ends = Rc<RefCell<Vec<Option<(u64, End)>>>>;

/// A request of a schedule.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) arrives: u64,
    pub(crate) client: u64,
    pub(crate) row: u64,
    pub(crate) work: u64,
    pub(crate) kind: Kind,
}

/// A schedule: its requests, and when another session's lock on each row ends.
#[derive(Debug)]
pub(crate) struct Schedule {
    pub(crate) requests: Vec<Planned>,
    pub(crate) locked: Vec<u64>,
    pub(crate) ends: Ends,
}

const ROWS: u64 = 12;
/// Rows from this one on may be locked or slow.
const BAD: u64 = 9;

impl Schedule {
    /// A random schedule, sometimes with a flood: the number of requests and the work of each.
    pub(crate) fn random(random: &mut Random, flood: (u64, u64)) -> Self {
        let many = if random.one_in(10) { 400 } else { 60 };
        let span = 1 + random.below(2_000_000);
        let mut requests: Vec<_> =
            (0..10 + random.below(many)).map(|_| request(random, span)).collect();
        if random.one_in(50) {
            let (count, work) = flood;
            let flood = Planned { arrives: 0, client: 0, row: 0, work, kind: Kind::Flood };
            requests
                .extend((0..count).map(|number| Planned { row: number % BAD, ..flood.clone() }));
            requests.iter_mut().filter(|it| it.client == 0).for_each(|it| it.kind = Kind::Flood);
        }
        let locked = (0..ROWS).map(|row| match row >= BAD && random.one_in(2) {
            true => random.below(8_000_000),
            false => 0,
        });
        let ends = Rc::new(RefCell::new(vec![None; requests.len()]));
        Self { locked: locked.collect(), requests, ends }
    }

    pub(crate) fn request(&self, base: Instant, number: usize) -> Request {
        let planned = &self.requests[number];
        let arrived = base + Duration::from_micros(planned.arrives);
        let deadline = Deadline::after(arrived, Duration::from_micros(DEADLINE));
        Request { client: Client::new(planned.client), deadline, class: RequestClass::default() }
    }

    pub(crate) fn end(&self, number: usize, micros: u64, end: End) {
        self.ends.borrow_mut()[number].get_or_insert((micros, end));
    }

    pub(crate) fn is_over(&self, number: usize) -> bool {
        self.ends.borrow()[number].is_some()
    }

    /// Asserts that each request is answered by its deadline, and that requests for unblocked rows wait
    /// at most `most` besides their own work.
    pub(crate) fn check(&self, seed: u64, most: u64) {
        for (planned, end) in self.requests.iter().zip(&*self.ends.borrow()) {
            let (micros, end) =
                end.unwrap_or_else(|| panic!("seed {seed}: no answer for {planned:?}"));
            let took = micros - planned.arrives;
            assert!(took <= DEADLINE, "seed {seed}: {planned:?} {end:?} after {took}");
            if planned.row < BAD && planned.kind == Kind::Normal {
                let limit = planned.work + most;
                assert!(took <= limit, "seed {seed}: {planned:?} {end:?} after {took} > {limit}");
                assert!(end != End::Refused, "seed {seed}: {planned:?}");
            }
        }
    }
}

fn request(random: &mut Random, span: u64) -> Planned {
    let row = random.below(ROWS);
    let kind = match random.below(40) {
        0 => Kind::Panics,
        1 | 2 => Kind::Cancelled(random.below(300_000)),
        3 | 4 if row >= BAD => Kind::Slow,
        _ => Kind::Normal,
    };
    let work = match kind {
        Kind::Slow => 60_000 + random.below(10_000_000),
        _ => 20 + random.below(200),
    };
    // One client sends half of the requests.
    let client = if random.one_in(2) { 0 } else { 1 + random.below(4) };
    Planned { arrives: random.below(span), client, row, work, kind }
}
