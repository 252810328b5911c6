//! Work that ignores cancellation: its caller is answered when its time is over, and it goes on and keeps what it runs
//! on. One client sends nothing else; others send short work.

use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use duet_admission::{
    BatchLimits, Batches, Class, Client, Deadline, Job, Metrics, Permit, PermitLimits, Permits,
    QueuePlace, Request, RequestClass, Run, Ticket, Work,
};

use super::clock::{Clock, Random};

/// How long a caller waits for its work, once that has begun.
const STATEMENT: u64 = 2_000_000;
/// How long it waits for the work to begin.
const QUEUE: u64 = 5_000_000;

enum Event {
    Arrives(usize),
    /// The caller's time is over.
    Over(usize),
    /// The work has ended, whoever waits.
    Ends(usize),
}

struct Planned {
    arrives: u64,
    client: u64,
    work: u64,
}

/// What keeps what work runs on: permits, or slots of a queue.
trait Room {
    fn submit(&mut self, clock: &Clock<Event>, number: usize, request: Request);
    /// The work that may begin now.
    fn begin(&mut self, clock: &Clock<Event>) -> Vec<usize>;
    /// The caller has gone; whether its work had not begun.
    fn leave(&mut self, number: usize) -> bool;
    fn end(&mut self, number: usize);
}

/// Permits, as connections of a pool are.
struct Connections {
    permits: Permits,
    places: Vec<(usize, QueuePlace<Permit>)>,
    held: Vec<(usize, Permit)>,
}

impl Room for Connections {
    fn submit(&mut self, clock: &Clock<Event>, number: usize, request: Request) {
        let place = self.permits.enter(clock.now(), request, Class::Normal).unwrap();
        self.places.push((number, place));
    }

    fn begin(&mut self, clock: &Clock<Event>) -> Vec<usize> {
        let mut begun = Vec::new();
        for (number, mut place) in std::mem::take(&mut self.places) {
            match place.poll(clock.now(), Waker::noop()) {
                Poll::Ready(Ok(permit)) => {
                    self.held.push((number, permit));
                    begun.push(number);
                }
                Poll::Ready(Err(_)) => {}
                Poll::Pending => self.places.push((number, place)),
            }
        }
        begun
    }

    fn leave(&mut self, number: usize) -> bool {
        let before = self.places.len();
        self.places.retain(|(other, _)| *other != number);
        self.places.len() < before
    }

    fn end(&mut self, number: usize) {
        self.held.retain(|(other, _)| *other != number);
    }
}

struct Item(usize);

impl Work for Item {}

/// Slots of a queue, as reader threads are.
struct Threads {
    queue: Batches<Item>,
    tickets: Vec<(usize, Ticket<Item>)>,
    runs: Vec<(usize, Run<Item>, Job<Item>)>,
}

impl Threads {
    /// What a thread does next.
    fn go_on(&mut self, clock: &Clock<Event>, mut run: Run<Item>) -> Option<usize> {
        let batch = run.take(clock.now())?;
        let job = run.done(clock.now(), batch).pop()?;
        let number = job.item.0;
        self.runs.push((number, run, job));
        Some(number)
    }
}

impl Room for Threads {
    fn submit(&mut self, clock: &Clock<Event>, number: usize, request: Request) {
        let ticket = self.queue.submit(clock.now(), Job::new(request, Item(number))).unwrap();
        self.tickets.push((number, ticket));
    }

    fn begin(&mut self, clock: &Clock<Event>) -> Vec<usize> {
        let mut begun = Vec::new();
        while let Some(run) = self.queue.begin() {
            begun.extend(self.go_on(clock, run));
        }
        begun
    }

    fn leave(&mut self, number: usize) -> bool {
        let at = self.tickets.iter().position(|(other, _)| *other == number);
        at.is_some_and(|at| self.tickets.swap_remove(at).1.expire())
    }

    fn end(&mut self, number: usize) {
        self.runs.retain(|(other, ..)| *other != number);
    }
}

pub(crate) fn run(seed: u64) {
    let metrics = || Arc::new(Metrics::default());
    let mut random = Random(seed);
    let count = 2 + usize::try_from(random.below(20)).unwrap();
    let permits = Permits::new(PermitLimits::new(count, 10_000).shared(), metrics());
    let held = permits.clone();
    let connections = Connections { permits, places: Vec::new(), held: Vec::new() };
    play(seed, count, connections);
    assert_eq!(held.waiting(), 0, "seed {seed}");
    let limits = BatchLimits { slots: count, shared: true, batch: 1, ..BatchLimits::default() };
    let queue = Batches::new(limits, metrics());
    let counted = queue.clone();
    play(seed, count, Threads { queue, tickets: Vec::new(), runs: Vec::new() });
    assert!(counted.is_idle(), "seed {seed}");
    let counted = counted.metrics().counted();
    assert_eq!((counted.waiting, counted.running), (0, 0), "seed {seed}");
}

/// One client with work of up to two minutes, and others with work of a millisecond.
fn schedule(random: &mut Random) -> Vec<Planned> {
    let hostile = 1 + random.below(200);
    let hostile = (0..hostile).map(|_| (random.below(10_000_000), 0, random.below(120_000_000)));
    let mut all: Vec<_> = hostile.collect();
    for client in 1..=1 + random.below(3) {
        let count = random.below(100);
        all.extend((0..count).map(|_| (random.below(30_000_000), client, 1_000)));
    }
    all.into_iter().map(|(arrives, client, work)| Planned { arrives, client, work }).collect()
}

fn play(seed: u64, count: usize, mut room: impl Room) {
    let planned = schedule(&mut Random(seed ^ 0x5eed));
    let mut clock = Clock::new();
    for (number, planned) in planned.iter().enumerate() {
        clock.at(planned.arrives, Event::Arrives(number));
    }
    let mut running = 0;
    let mut answered: Vec<Option<u64>> = vec![None; planned.len()];
    while let Some(event) = clock.next() {
        match event {
            Event::Arrives(number) => {
                let Planned { client, .. } = planned[number];
                let deadline = Deadline::after(clock.now(), Duration::from_micros(QUEUE));
                let class = RequestClass::default();
                let request = Request { client: Client::new(client), deadline, class };
                room.submit(&clock, number, request);
                clock.at(clock.micros + QUEUE, Event::Over(number));
            }
            Event::Over(number) if answered[number].is_none() => {
                // Where the work has begun, its own time decides.
                if room.leave(number) {
                    answered[number] = Some(clock.micros);
                }
            }
            Event::Over(_) => {}
            Event::Ends(number) => {
                room.end(number);
                running -= 1;
                let took = planned[number].work.min(STATEMENT);
                answered[number] = Some(clock.micros - planned[number].work + took);
            }
        }
        for number in room.begin(&clock) {
            running += 1;
            clock.at(clock.micros + planned[number].work, Event::Ends(number));
        }
        assert!(running <= count, "seed {seed}: {running} of {count} run");
    }
    for (planned, answered) in planned.iter().zip(answered) {
        let took = answered.unwrap_or_else(|| panic!("seed {seed}: no answer")) - planned.arrives;
        assert!(took <= QUEUE + STATEMENT, "seed {seed}: answered after {took}");
        // Those that came at once wait for each other, and never for the first client.
        assert!(planned.client == 0 || took <= 100_000, "seed {seed}: waited for {took}");
    }
}
