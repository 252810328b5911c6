//! A driver of single writes: it takes a gate by key and a connection, and retries on an isolated
//! connection if the first attempt blocks.

use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use duet_admission::{
    Class, Gates, Metrics, Permit, PermitLimits, Permits, QueuePlace, Refusal, Request, Turn,
};

use super::clock::{Clock, End, Kind, PATIENCE, Random, Schedule};

/// The stage of a write.
enum Stage {
    NotThere,
    AtGate(QueuePlace<Turn>),
    Queued(Turn, QueuePlace<Permit>, Class),
    Runs((Turn, Permit)),
    Over,
}

enum Event {
    Arrives(usize),
    Leaves(usize, End),
    /// The attempt ends; its write may have been cancelled.
    Blocked(usize),
    Done(usize),
    Panics(usize),
}

struct Driver {
    clock: Clock<Event>,
    schedule: Schedule,
    gates: Gates,
    permits: Permits,
    stages: Vec<Stage>,
    /// The arrived, unfinished writes.
    active: Vec<usize>,
}

pub(crate) fn run(seed: u64) {
    let mut random = Random(seed);
    let metrics = Arc::new(Metrics::default());
    let connections = 2 + usize::try_from(random.below(8)).unwrap();
    let limits = PermitLimits::new(connections, 10_000);
    let schedule = Schedule::random(&mut random, (300, 4_000));
    let count = schedule.requests.len();
    let mut driver = Driver {
        clock: Clock::new(),
        gates: Gates::new(10_000, Arc::clone(&metrics)),
        permits: Permits::new(limits, Arc::clone(&metrics)),
        stages: (0..count).map(|_| Stage::NotThere).collect(),
        active: Vec::new(),
        schedule,
    };
    for number in 0..count {
        driver.clock.at(driver.schedule.requests[number].arrives, Event::Arrives(number));
    }
    driver.play();
    // Each of the three blocked rows holds a connection for its patience, sequentially if there is only
    // one connection; then the row proceeds.
    driver.schedule.check(seed, 8 * PATIENCE + 60_000);
    assert_eq!(driver.gates.held(), 0, "seed {seed}");
    let counted = metrics.counted();
    assert_eq!((counted.waiting, counted.running), (0, 0), "seed {seed}");
}

impl Driver {
    fn play(&mut self) {
        while let Some(event) = self.clock.next() {
            match event {
                Event::Arrives(number) => self.arrives(number),
                Event::Leaves(number, end) => self.over(number, end),
                Event::Panics(number) => self.over(number, End::Lost),
                Event::Done(number) => self.over(number, End::Done),
                Event::Blocked(number) => self.blocked(number),
            }
            self.poll();
        }
    }

    fn arrives(&mut self, number: usize) {
        let now = self.clock.now();
        let request = self.request(number);
        let planned = &self.schedule.requests[number];
        self.active.push(number);
        self.stages[number] = Stage::AtGate(self.gates.enter(now, request, planned.row).unwrap());
        if let Kind::Cancelled(after) = planned.kind {
            self.clock.at(self.clock.micros + after, Event::Leaves(number, End::Cancelled));
        }
        let left = u64::try_from(request.deadline.left(now).as_micros()).unwrap();
        self.clock.at(self.clock.micros + left, Event::Leaves(number, End::Refused));
    }

    fn over(&mut self, number: usize, end: End) {
        self.schedule.end(number, self.clock.micros, end);
        self.stages[number] = Stage::Over;
    }

    /// Returns the connection and queues for an isolated one, but keeps the gate.
    fn blocked(&mut self, number: usize) {
        let now = self.clock.now();
        let request = self.request(number);
        let Stage::Runs((turn, permit)) = std::mem::replace(&mut self.stages[number], Stage::Over)
        else {
            return;
        };
        drop(permit);
        let place = self.permits.enter(now, request, Class::Isolated);
        self.proceed(number, place.map(|place| Stage::Queued(turn, place, Class::Isolated)));
    }

    /// Advances all writes that can proceed.
    fn poll(&mut self) {
        let mut moved = true;
        while moved {
            moved = false;
            for number in std::mem::take(&mut self.active) {
                moved |= self.step(number);
                if !matches!(self.stages[number], Stage::Over) {
                    self.active.push(number);
                }
            }
        }
    }

    fn step(&mut self, number: usize) -> bool {
        let now = self.clock.now();
        match std::mem::replace(&mut self.stages[number], Stage::Over) {
            Stage::AtGate(mut place) => match place.poll(now, Waker::noop()) {
                Poll::Ready(turn) => {
                    let request = self.request(number);
                    let place = turn.and_then(|turn| {
                        let place = self.permits.enter(now, request, Class::Normal)?;
                        Ok(Stage::Queued(turn, place, Class::Normal))
                    });
                    self.proceed(number, place)
                }
                Poll::Pending => self.stay(number, Stage::AtGate(place)),
            },
            Stage::Queued(turn, mut place, class) => match place.poll(now, Waker::noop()) {
                Poll::Ready(permit) => {
                    if permit.is_ok() {
                        self.begin(number, class);
                    }
                    self.proceed(number, permit.map(|permit| Stage::Runs((turn, permit))))
                }
                Poll::Pending => self.stay(number, Stage::Queued(turn, place, class)),
            },
            other => self.stay(number, other),
        }
    }

    fn proceed(&mut self, number: usize, stage: Result<Stage, Refusal>) -> bool {
        match stage {
            Ok(stage) => self.stages[number] = stage,
            Err(_) => self.over(number, End::Refused),
        }
        true
    }

    fn request(&self, number: usize) -> Request {
        self.schedule.request(self.clock.now() - Duration::from_micros(self.clock.micros), number)
    }

    fn stay(&mut self, number: usize, stage: Stage) -> bool {
        self.stages[number] = stage;
        false
    }

    fn begin(&mut self, number: usize, class: Class) {
        let (planned, now) = (&self.schedule.requests[number], self.clock.micros);
        let free = self.schedule.locked[planned.row as usize].max(now);
        let blocks = free - now > PATIENCE || planned.work > PATIENCE;
        let (at, event) = match class {
            _ if planned.kind == Kind::Panics => (now + 10, Event::Panics(number)),
            Class::Normal if blocks => (now + PATIENCE, Event::Blocked(number)),
            _ => (free + planned.work, Event::Done(number)),
        };
        if !self.schedule.is_over(number) {
            self.clock.at(at, event);
        }
    }
}
