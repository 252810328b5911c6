//! Tests of batching, splitting and isolation, and that all counts return to zero.

use super::*;
use crate::{Client, Deadline, RequestClass};

#[derive(Debug)]
struct Row {
    number: u64,
    touches: Option<u64>,
}

impl Work for Row {
    fn touches(&self, key: &mut dyn FnMut(u64)) {
        self.touches.into_iter().for_each(key);
    }
}

fn queue(limits: BatchLimits) -> Batches<Row> {
    Batches::new(limits, Arc::new(Metrics::default()))
}

fn job(now: Instant, client: u64, number: u64, touches: Option<u64>) -> Job<Row> {
    let deadline = Deadline::after(now, Duration::from_secs(5));
    Job::new(
        Request { client: Client::new(client), deadline, class: RequestClass::default() },
        Row { number, touches },
    )
}

fn numbers(batch: &Batch<Row>) -> Vec<u64> {
    batch.jobs().iter().map(|job| job.item.number).collect()
}

#[test]
fn the_next_batch_takes_all_queued_requests() {
    let now = Instant::now();
    let queue = queue(BatchLimits { batch: 4, ..BatchLimits::default() });
    let mut tickets = vec![queue.submit(now, job(now, 1, 0, None)).unwrap()];
    let mut run = queue.begin().unwrap();
    let first = run.take(now).unwrap();
    tickets.extend((1..=6).map(|n| queue.submit(now, job(now, n % 2, n, None)).unwrap()));
    assert!(queue.begin().is_none(), "one slot");
    drop(tickets.remove(3));
    assert_eq!(run.done(now, first).len(), 1);
    let second = run.take(now).unwrap();
    // Round robin between clients, without the cancelled request, up to the batch limit.
    assert_eq!(numbers(&second), [1, 2, 5, 4]);
    drop(second);
    assert_eq!(numbers(&run.take(now).unwrap()), [6]);
    assert!(run.take(now).is_none() && queue.is_idle());
    let counted = queue.metrics().counted();
    assert_eq!((counted.waiting, counted.running, counted.cancelled), (0, 0, 1));
}

/// One member of eight blocks: after three splits it runs alone and the others are done. Requests with
/// the same key are then isolated, one at a time.
#[test]
fn a_blocking_member_is_isolated() {
    let now = Instant::now();
    let queue = queue(BatchLimits::default());
    let touched = |number| Some(if number == 5 { 99 } else { number });
    let submit = |number| queue.submit(now, job(now, 1, number, touched(number))).unwrap();
    let tickets: Vec<_> = (0..8).map(submit).collect();
    let mut run = queue.begin().unwrap();
    let (mut through, mut splits) = (Vec::new(), 0);
    while let Some(batch) = run.take(now) {
        assert_ne!(batch.attempt(), Attempt::Alone);
        if numbers(&batch).contains(&5) {
            splits += 1;
            run.split(now, batch);
        } else {
            through.extend(run.done(now, batch).into_iter().map(|job| job.item.number));
        }
    }
    through.sort_unstable();
    assert_eq!((through, splits), (vec![0, 1, 2, 3, 4, 6, 7], 4));
    let mut alone = queue.begin().unwrap();
    let blocked = alone.take(now).unwrap();
    assert_eq!((blocked.attempt(), numbers(&blocked)), (Attempt::Alone, vec![5]));
    assert_eq!(blocked.patience(now), Duration::from_secs(5));
    // Another request for the same key neither joins a batch nor runs concurrently with the first.
    let (same, other) = (submit(5), submit(6));
    let mut run = queue.begin().unwrap();
    let batch = run.take(now).unwrap();
    assert_eq!(numbers(&batch), [6]);
    drop((batch, run));
    assert!(queue.begin().is_none());
    let _ = alone.done(now, blocked);
    assert_eq!(numbers(&alone.take(now).unwrap()), [5]);
    drop((tickets, same, other));
    assert_eq!(queue.metrics().counted().isolated, 2);
}

/// A batch that panics or is dropped with its task releases its slot and counts.
#[test]
fn a_panic_releases_slot_and_counts() {
    let now = Instant::now();
    let queue = queue(BatchLimits::default());
    let ticket = queue.submit(now, job(now, 1, 0, Some(1))).unwrap();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut run = queue.begin().unwrap();
        let batch = run.take(now).unwrap();
        run.split(now, batch);
        let mut alone = queue.begin().unwrap();
        let _batch = alone.take(now).unwrap();
        std::panic::resume_unwind(Box::new(()));
    }));
    assert!(panicked.is_err());
    drop(ticket);
    assert!(queue.is_idle());
    let counted = queue.metrics().counted();
    assert_eq!((counted.waiting, counted.running), (0, 0));
    let _ticket = queue.submit(now, job(now, 1, 1, None)).unwrap();
    assert_eq!(numbers(&queue.begin().unwrap().take(now).unwrap()), [1]);
}

#[test]
fn refuses_requests_if_full_or_expired() {
    let now = Instant::now();
    let queue = queue(BatchLimits { length: 1, ..BatchLimits::default() });
    let late = now + Duration::from_secs(5);
    let ticket = queue.submit(now, job(now, 1, 0, None)).unwrap();
    assert_eq!(queue.submit(now, job(now, 1, 1, None)).unwrap_err(), Refusal::Full);
    assert_eq!(queue.submit(late, job(now, 1, 1, None)).unwrap_err(), Refusal::Expired);
    assert!(queue.begin().unwrap().take(late).is_none());
    drop(ticket);
    let counted = queue.metrics().counted();
    assert_eq!((counted.full, counted.expired, counted.cancelled, counted.waiting), (1, 2, 0, 0));
}

/// A suspect that ran alone without blocking is cleared.
#[test]
fn a_prompt_isolated_run_clears_the_suspect() {
    let now = Instant::now();
    let queue = queue(BatchLimits::default());
    let ticket = queue.submit(now, job(now, 1, 0, Some(7))).unwrap();
    let mut run = queue.begin().unwrap();
    let batch = run.take(now).unwrap();
    run.split(now, batch);
    let mut alone = queue.begin().unwrap();
    let batch = alone.take(now).unwrap();
    let _ = alone.done(now, batch);
    drop((alone, run, ticket));
    let _ticket = queue.submit(now, job(now, 1, 1, Some(7))).unwrap();
    let mut run = queue.begin().unwrap();
    assert_eq!(run.take(now).unwrap().attempt(), Attempt::Together);
}

/// If the blocking or failing member is known, the others are retried in one batch, not in halves.
#[test]
fn removing_a_known_member_keeps_the_others_together() {
    let now = Instant::now();
    let queue = queue(BatchLimits::default());
    let submit = |number| queue.submit(now, job(now, 1, number, Some(number))).unwrap();
    let tickets: Vec<_> = (0..5).map(submit).collect();
    let mut run = queue.begin().unwrap();
    let batch = run.take(now).unwrap();
    run.single_out(now, batch, 3);
    let part = run.take(now).unwrap();
    assert_eq!((part.attempt(), numbers(&part)), (Attempt::Part, vec![0, 1, 2, 4]));
    assert_eq!(run.without(now, part, 0).map(|job| job.item.number), Some(0));
    let part = run.take(now).unwrap();
    assert_eq!(numbers(&part), [1, 2, 4]);
    drop(part);
    let mut alone = queue.begin().unwrap();
    assert_eq!(numbers(&alone.take(now).unwrap()), [3]);
    drop((run, alone, tickets));
    assert!(queue.is_idle());
}

/// A long-running batch moves to an isolated slot and blocks no other request.
#[test]
fn a_long_batch_moves_to_an_isolated_slot() {
    let now = Instant::now();
    let queue = queue(BatchLimits::default());
    let submit = |number| queue.submit(now, job(now, 1, number, None)).unwrap();
    let first = submit(0);
    let mut long = queue.begin().unwrap();
    let kept = long.take(now).unwrap();
    let second = submit(1);
    assert!(queue.begin().is_none());
    assert!(long.step_aside() && !long.step_aside());
    let mut next = queue.begin().unwrap();
    assert_eq!(numbers(&next.take(now).unwrap()), [1]);
    assert!(!next.step_aside(), "all isolated slots are in use");
    drop((kept, next));
    assert!(long.take(now).is_none() && queue.is_idle());
    drop((first, second));
}

/// Reads of a key, by which they are alike.
struct Read(u64);

impl Work for Read {
    fn alike(&self) -> Option<u64> {
        Some(self.0)
    }
}

/// A batch that fails is halved between keys, so that each key fails once, however many read it.
#[test]
fn reads_of_one_key_stay_together() {
    let now = Instant::now();
    let queue: Batches<Read> = Batches::new(BatchLimits::default(), Arc::new(Metrics::default()));
    let request = Request {
        client: Client::new(1),
        deadline: Deadline::after(now, Duration::from_secs(5)),
        class: RequestClass::default(),
    };
    let submit = |key| queue.submit(now, Job::new(request, Read(key))).unwrap();
    let tickets: Vec<_> = [7, 1, 7, 7, 3, 7, 7, 1, 7, 7].map(submit).into();
    let mut run = queue.begin().unwrap();
    let mut batch = run.take(now).unwrap();
    assert!(!batch.is_uniform());
    let mut seen = Vec::new();
    loop {
        if batch.is_uniform() {
            let done = run.done(now, batch);
            seen.push((done[0].item.0, done.len()));
        } else {
            run.halve(now, batch);
        }
        match run.take(now) {
            Some(next) => batch = next,
            None => break,
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, [(1, 2), (3, 1), (7, 7)]);
    drop((run, tickets));
    assert!(queue.is_idle());
}
