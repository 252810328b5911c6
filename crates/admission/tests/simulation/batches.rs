//! A driver of batches: runs them, and splits those that block or are slow.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use duet_admission::{
    Attempt, Batch, BatchLimits, Batches, Job, Metrics, Refusal, Run, Ticket, Work,
};

use super::clock::{Clock, End, Ends, Kind, PATIENCE, Random, Schedule};

struct Item {
    number: usize,
    row: u64,
    ends: Ends,
    micros: Rc<RefCell<u64>>,
    answered: bool,
}

impl Item {
    fn answer(mut self, end: End) {
        self.answered = true;
        self.ends.borrow_mut()[self.number].get_or_insert((*self.micros.borrow(), end));
    }
}

impl Work for Item {
    fn touches(&self, key: &mut dyn FnMut(u64)) {
        key(self.row);
    }

    fn is_abandoned(&self) -> bool {
        self.ends.borrow()[self.number].is_some()
    }

    fn refuse(self, _: Refusal) {
        self.answer(End::Refused);
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        if !self.answered {
            let end = (*self.micros.borrow(), End::Lost);
            self.ends.borrow_mut()[self.number].get_or_insert(end);
        }
    }
}

enum Event {
    Arrives(usize),
    /// The caller cancels, or its deadline has passed.
    Leaves(usize, End),
    Ends(usize, Fate),
}

#[derive(Clone, Copy)]
enum Fate {
    Done,
    Blocked,
    Panicked,
}

/// A run and its current batch.
type Under = (Run<Item>, Option<Batch<Item>>);

struct Driver {
    clock: Clock<Event>,
    schedule: Schedule,
    queue: Batches<Item>,
    tickets: Vec<Option<Ticket<Item>>>,
    runs: Vec<Option<Under>>,
    micros: Rc<RefCell<u64>>,
}

pub(crate) fn run(seed: u64) {
    let mut random = Random(seed);
    let limits = BatchLimits {
        slots: 1 + usize::try_from(random.below(4)).unwrap(),
        shared: false,
        isolated: 1 + usize::try_from(random.below(3)).unwrap(),
        length: 10_000,
        batch: 1 << random.below(6),
        weight: usize::MAX,
        patience: Duration::from_micros(PATIENCE),
        memory: Duration::from_secs(5),
    };
    let schedule = Schedule::random(&mut random, (2_000, 300));
    let count = schedule.requests.len();
    let mut driver = Driver {
        clock: Clock::new(),
        queue: Batches::new(limits, Arc::new(Metrics::default())),
        tickets: (0..count).map(|_| None).collect(),
        runs: Vec::new(),
        micros: Rc::default(),
        schedule,
    };
    for number in 0..count {
        driver.clock.at(driver.schedule.requests[number].arrives, Event::Arrives(number));
    }
    driver.play();
    // The time of one batch, and of finding its blocking members: for each at most six halvings
    // with a quarter of the patience.
    let finding = 3 * 7 * (PATIENCE / 4 + 2_000);
    driver.schedule.check(seed, 2 * (PATIENCE + 15_000) + finding);
    driver.tickets.clear();
    assert!(driver.queue.is_idle(), "seed {seed}");
    let counted = driver.queue.metrics().counted();
    assert_eq!((counted.waiting, counted.running), (0, 0), "seed {seed}");
}

impl Driver {
    fn play(&mut self) {
        while let Some(event) = self.clock.next() {
            *self.micros.borrow_mut() = self.clock.micros;
            match event {
                Event::Arrives(number) => self.arrives(number),
                Event::Leaves(number, end) => {
                    self.schedule.end(number, self.clock.micros, end);
                    self.tickets[number] = None;
                }
                Event::Ends(run, fate) => self.ends(run, fate),
            }
            self.pump();
        }
    }

    fn arrives(&mut self, number: usize) {
        let now = self.clock.now();
        let base = now - Duration::from_micros(self.clock.micros);
        let request = self.schedule.request(base, number);
        let planned = &self.schedule.requests[number];
        let item = Item {
            number,
            row: planned.row,
            ends: Rc::clone(&self.schedule.ends),
            micros: Rc::clone(&self.micros),
            answered: false,
        };
        self.tickets[number] = Some(self.queue.submit(now, Job::new(request, item)).unwrap());
        let end = request.deadline.left(now).as_micros();
        let deadline = self.clock.micros + u64::try_from(end).unwrap();
        if let Kind::Cancelled(after) = planned.kind {
            self.clock.at(self.clock.micros + after, Event::Leaves(number, End::Cancelled));
        }
        self.clock.at(deadline, Event::Leaves(number, End::Refused));
    }

    fn pump(&mut self) {
        while let Some(run) = self.queue.begin() {
            let at = self.runs.iter().position(Option::is_none).unwrap_or_else(|| {
                self.runs.push(None);
                self.runs.len() - 1
            });
            self.runs[at] = Some((run, None));
            self.proceed(at);
        }
    }

    /// Takes the next batch of a run and schedules its end.
    fn proceed(&mut self, at: usize) {
        let now = self.clock.now();
        let (run, kept) = self.runs[at].as_mut().unwrap();
        let Some(batch) = run.take(now) else {
            self.runs[at] = None;
            return;
        };
        let begun = self.clock.micros;
        let patience = u64::try_from(batch.patience(now).as_micros()).unwrap();
        let left = u64::try_from(batch.left(now).as_micros()).unwrap();
        let planned = |job: &Job<Item>| &self.schedule.requests[job.item.number];
        let work: u64 = batch.jobs().iter().map(|job| planned(job).work).sum();
        let locked = batch.jobs().iter().map(|job| self.schedule.locked[planned(job).row as usize]);
        let free = locked.max().unwrap().max(begun);
        let panics = batch.jobs().iter().any(|job| planned(job).kind == Kind::Panics);
        let (end, fate) = match batch.attempt() {
            _ if panics => (begun + 10, Fate::Panicked),
            Attempt::Alone => ((free + work).min(begun + left), Fate::Done),
            _ if free - begun > patience || work > patience => (begun + patience, Fate::Blocked),
            _ => (free + work, Fate::Done),
        };
        *kept = Some(batch);
        self.clock.at(end, Event::Ends(at, fate));
    }

    fn ends(&mut self, at: usize, fate: Fate) {
        let now = self.clock.now();
        let (run, batch) = self.runs[at].as_mut().unwrap();
        let batch = batch.take().unwrap();
        match fate {
            Fate::Done => {
                for job in run.done(now, batch) {
                    let is_over = job.request.deadline.is_over(now);
                    job.item.answer(if is_over { End::Refused } else { End::Done });
                }
            }
            Fate::Blocked => run.split(now, batch),
            // Every second panic also ends the task of the run.
            Fate::Panicked if at.is_multiple_of(2) => {
                drop(batch);
                self.runs[at] = None;
                return;
            }
            Fate::Panicked => drop(batch),
        }
        self.proceed(at);
    }
}
