//! Whose turn it is to write.
//!
//! SQLite lets one connection write at a time and makes the others ask again and again; who has just
//! committed then mostly comes first again. So those in this process who write through connections
//! of their own queue here before they begin, and are served in the order in which they came.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    tickets: Mutex<Tickets>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Tickets {
    /// The next to be given out.
    next: u64,
    /// Whose turn it is.
    serving: u64,
}

/// A turn, until dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a>(&'a Turns);

impl Turns {
    /// Waits for a turn.
    pub(crate) fn take(&self) -> Turn<'_> {
        let mut tickets = self.lock();
        let mine = tickets.next;
        tickets.next += 1;
        while tickets.serving != mine {
            tickets = self.ended.wait(tickets).unwrap_or_else(PoisonError::into_inner);
        }
        Turn(self)
    }

    fn lock(&self) -> MutexGuard<'_, Tickets> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.lock().serving += 1;
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn one_at_a_time_in_order() {
        let turns = Arc::new(Turns::default());
        let (inside, order) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(Vec::new())));
        let first = turns.take();
        let threads: Vec<_> = (1..=5)
            .map(|number| {
                let (turns, inside) = (Arc::clone(&turns), Arc::clone(&inside));
                let queued = Arc::clone(&turns);
                let order = Arc::clone(&order);
                let thread = thread::spawn(move || {
                    let _turn = turns.take();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    order.lock().unwrap().push(number);
                    inside.fetch_sub(1, Ordering::SeqCst);
                });
                while queued.lock().next <= number {
                    thread::yield_now();
                }
                thread
            })
            .collect();
        drop(first);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(*order.lock().unwrap(), [1, 2, 3, 4, 5]);
    }
}
