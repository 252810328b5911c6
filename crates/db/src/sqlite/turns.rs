//! The order in which the connections of this process write.
//!
//! SQLite lets one connection write at a time and makes the others poll; a connection that has just
//! committed then mostly wins again. So the writing thread and bulk loads queue here before they
//! begin a transaction, and are served in the order in which they came.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct WriteQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Whether a transaction is open, or about to be.
    busy: bool,
    /// The ticket that is given out next.
    next: u64,
    /// The tickets of those that wait, first come first.
    waiting: VecDeque<u64>,
}

/// The right to write, until dropped.
#[derive(Debug)]
pub(crate) struct WriteTurn<'a>(&'a WriteQueue);

impl WriteQueue {
    /// Waits for the right to write, at most until the deadline; `None` where it has passed.
    pub(crate) fn wait_until(&self, deadline: Instant) -> Option<WriteTurn<'_>> {
        let mut state = self.lock();
        let ticket = state.next;
        state.next += 1;
        state.waiting.push_back(ticket);
        loop {
            if !state.busy && state.waiting.front() == Some(&ticket) {
                state.waiting.pop_front();
                state.busy = true;
                return Some(WriteTurn(self));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.waiting.retain(|waiting| *waiting != ticket);
                drop(state);
                self.changed.notify_all();
                return None;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whether others wait for the right to write.
    pub(crate) fn others_wait(&self) -> bool {
        !self.lock().waiting.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for WriteTurn<'_> {
    fn drop(&mut self) {
        self.0.lock().busy = false;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn patience() -> Instant {
        Instant::now() + Duration::from_secs(600)
    }

    #[test]
    fn one_at_a_time_in_order() {
        let queue = Arc::new(WriteQueue::default());
        let (inside, order) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(Vec::new())));
        let first = queue.wait_until(patience()).unwrap();
        let threads: Vec<_> = (1..=5)
            .map(|number| {
                let (shared, inside) = (Arc::clone(&queue), Arc::clone(&inside));
                let order = Arc::clone(&order);
                let thread = thread::spawn(move || {
                    let _turn = shared.wait_until(patience()).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    order.lock().unwrap().push(number);
                    inside.fetch_sub(1, Ordering::SeqCst);
                });
                while queue.lock().next <= number {
                    thread::yield_now();
                }
                thread
            })
            .collect();
        assert!(queue.others_wait());
        drop(first);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(*order.lock().unwrap(), [1, 2, 3, 4, 5]);
        assert!(!queue.others_wait());
    }

    #[test]
    fn a_wait_ends_at_its_deadline_and_leaves_no_trace() {
        let queue = WriteQueue::default();
        let turn = queue.wait_until(patience()).unwrap();
        assert!(queue.wait_until(Instant::now()).is_none());
        assert!(queue.wait_until(Instant::now() + Duration::from_millis(5)).is_none());
        assert!(!queue.others_wait());
        drop(turn);
        assert!(queue.wait_until(Instant::now()).is_some(), "free: no need to wait");
    }

    #[test]
    fn a_panic_gives_the_turn_back() {
        let queue = Arc::new(WriteQueue::default());
        let shared = Arc::clone(&queue);
        let panicked = thread::spawn(move || {
            let _turn = shared.wait_until(patience());
            panic!("on purpose");
        });
        assert!(panicked.join().is_err());
        assert!(queue.wait_until(Instant::now()).is_some());
    }
}
