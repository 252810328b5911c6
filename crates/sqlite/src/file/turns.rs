//! The order in which the connections of this process write.
//!
//! SQLite lets one connection write at a time and makes the others poll; a connection that has just
//! committed then mostly wins again. So the writing thread, bulk loads and checkpoints queue here before
//! they begin a transaction, and are served in the order in which they came.

use std::sync::Arc;
use std::time::Instant;

use duet_admission::{
    Class, Client, Deadline, Metrics, Permit, PermitLimits, Permits, Request, RequestClass,
};

use duet_store::queues::admit::granted_blocking;

/// The queue for the right to write.
#[derive(Debug)]
pub(crate) struct WriteTurns(Permits);

/// The right to write, until dropped.
pub(crate) type WriteTurn = Permit;

impl WriteTurns {
    pub(crate) fn new(metrics: &Arc<Metrics>) -> Self {
        // Each that waits is a thread, which something else has admitted.
        Self(Permits::new(PermitLimits::new(1, usize::MAX), Arc::clone(metrics)))
    }

    /// Waits for the right to write, at most until the deadline; `None` where it has passed.
    pub(crate) fn wait_until(&self, deadline: Deadline) -> Option<WriteTurn> {
        let request =
            Request { client: Client::default(), deadline, class: RequestClass::default() };
        let place = self.0.enter(Instant::now(), request, Class::Normal);
        granted_blocking(place, deadline).ok()
    }

    /// Whether others wait for the right to write.
    pub(crate) fn others_wait(&self) -> bool {
        self.0.waiting() > 0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn turns() -> (Arc<WriteTurns>, Arc<Metrics>) {
        let metrics = Arc::new(Metrics::default());
        (Arc::new(WriteTurns::new(&metrics)), metrics)
    }

    fn patience() -> Deadline {
        Deadline::after(Instant::now(), Duration::from_secs(600))
    }

    #[test]
    fn one_at_a_time_in_order() {
        let (turns, metrics) = turns();
        let (inside, order) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(Vec::new())));
        let first = turns.wait_until(patience()).unwrap();
        let threads: Vec<_> = (1..=5)
            .map(|number| {
                let (shared, inside) = (Arc::clone(&turns), Arc::clone(&inside));
                let order = Arc::clone(&order);
                let thread = thread::spawn(move || {
                    let _turn = shared.wait_until(patience()).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    order.lock().unwrap().push(number);
                    inside.fetch_sub(1, Ordering::SeqCst);
                });
                while metrics.counted().waiting < number {
                    thread::yield_now();
                }
                thread
            })
            .collect();
        assert!(turns.others_wait());
        drop(first);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(*order.lock().unwrap(), [1, 2, 3, 4, 5]);
        assert!(!turns.others_wait());
        let counted = metrics.counted();
        assert_eq!((counted.admitted, counted.running, counted.waiting), (6, 0, 0));
    }

    #[test]
    fn a_wait_ends_at_its_deadline_and_leaves_no_trace() {
        let (turns, metrics) = turns();
        let turn = turns.wait_until(patience()).unwrap();
        let soon = |millis| Deadline::after(Instant::now(), Duration::from_millis(millis));
        assert!(turns.wait_until(soon(0)).is_none());
        assert!(turns.wait_until(soon(5)).is_none());
        assert!(!turns.others_wait());
        assert_eq!(metrics.counted().expired, 2);
        drop(turn);
        assert!(turns.wait_until(patience()).is_some());
    }

    #[test]
    fn a_panic_releases_the_write_turn() {
        let (turns, _) = turns();
        let shared = Arc::clone(&turns);
        let panicked = thread::spawn(move || {
            let _turn = shared.wait_until(patience());
            panic!("on purpose");
        });
        assert!(panicked.join().is_err());
        assert!(turns.wait_until(patience()).is_some());
    }
}
