//! Mutual exclusion by key: requests for the same key run one at a time; other keys are independent.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;

use crate::deadline::Request;
use crate::fair::FairQueue;
use crate::metrics::{Gauge, Metrics};
use crate::place::{QueuePlace, Waiter, Woken};
use crate::{Refusal, lock};

/// Fair locks by key, a hash of the row that a request touches; clones share them. A hash collision
/// only delays requests.
#[derive(Clone, Debug)]
pub struct Gates(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    length: usize,
    metrics: Arc<Metrics>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The held keys and the requests that wait for each.
    held: HashMap<u64, FairQueue<Waiter<Turn>>, RandomState>,
    next: u64,
    waiting: usize,
}

/// The lock on a key, released on drop.
#[derive(Debug)]
pub struct Turn {
    shared: Arc<Shared>,
    key: u64,
    _running: Gauge,
}

impl Gates {
    /// Gates with at most this many waiting requests for all keys together.
    pub fn new(length: usize, metrics: Arc<Metrics>) -> Self {
        Self(Arc::new(Shared { length, metrics, state: Mutex::default() }))
    }

    /// Locks a key, or queues for it.
    ///
    /// # Errors
    /// If the queue is full, or the deadline has passed.
    pub fn enter(
        &self,
        now: Instant,
        request: Request,
        key: u64,
    ) -> Result<QueuePlace<Turn>, Refusal> {
        let shared = &self.0;
        if request.deadline.is_over(now) {
            shared.metrics.expired();
            return Err(Refusal::Expired);
        }
        let mut state = lock(&shared.state);
        let State { held, next, waiting } = &mut *state;
        let Some(queue) = held.get_mut(&key) else {
            held.insert(key, FairQueue::default());
            shared.metrics.admitted(Duration::ZERO);
            return Ok(QueuePlace::granted(shared.turn(key)));
        };
        if *waiting >= shared.length {
            shared.metrics.full();
            return Err(Refusal::Full);
        }
        *next += 1;
        *waiting += 1;
        let (id, owner) = (*next, Arc::downgrade(shared));
        let leave = move || {
            if let Some(shared) = owner.upgrade() {
                let mut state = lock(&shared.state);
                let queue = state.held.get_mut(&key);
                if queue.and_then(|queue| queue.remove(request.client, id)).is_some() {
                    state.waiting -= 1;
                }
            }
        };
        let (place, waiter) = QueuePlace::waiting(now, request, &shared.metrics, leave);
        queue.push(request.client, id, waiter);
        Ok(place)
    }

    /// The number of held keys.
    pub fn held(&self) -> usize {
        lock(&self.0.state).held.len()
    }
}

impl Shared {
    fn turn(self: &Arc<Self>, key: u64) -> Turn {
        Turn { shared: Arc::clone(self), key, _running: Gauge::running(&self.metrics) }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut woken = Woken::new();
        {
            let mut state = lock(&self.shared.state);
            let mut granted = false;
            while !granted {
                let next = state.held.get_mut(&self.key).and_then(FairQueue::pop);
                let Some(waiter) = next else {
                    state.held.remove(&self.key);
                    break;
                };
                state.waiting -= 1;
                let make = || {
                    granted = true;
                    self.shared.turn(self.key)
                };
                waiter.grant(make, &mut woken);
            }
        }
        woken.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use super::*;
    use crate::{Client, Deadline, RequestClass};

    fn request(now: Instant) -> Request {
        let deadline = Deadline::after(now, Duration::from_secs(5));
        Request { client: Client::new(1), deadline, class: RequestClass::default() }
    }

    fn poll(place: &mut QueuePlace<Turn>, now: Instant) -> Option<Result<Turn, Refusal>> {
        match place.poll(now, Waker::noop()) {
            Poll::Ready(ready) => Some(ready),
            Poll::Pending => None,
        }
    }

    #[test]
    fn serializes_equal_keys_and_not_others() {
        let now = Instant::now();
        let gates = Gates::new(10, Arc::new(Metrics::default()));
        let enter = |key| gates.enter(now, request(now), key).unwrap();
        let first = poll(&mut enter(7), now).unwrap().unwrap();
        let mut waiting = [enter(7), enter(7), enter(7)];
        assert!(poll(&mut waiting[0], now).is_none());
        let other = poll(&mut enter(8), now).unwrap().unwrap();
        assert_eq!(gates.held(), 2);
        drop(other);
        drop(first);
        // A grant to a cancelled request goes to the next one.
        let [gone, mut next, last] = waiting;
        drop(gone);
        let turn = poll(&mut next, now).unwrap().unwrap();
        drop(last);
        drop(turn);
        assert_eq!((gates.held(), lock(&gates.0.state).waiting), (0, 0));
        let counted = gates.0.metrics.counted();
        assert_eq!((counted.waiting, counted.running, counted.cancelled), (0, 0, 2));
    }

    #[test]
    fn bounds_the_number_and_time_of_waits() {
        let now = Instant::now();
        let gates = Gates::new(1, Arc::new(Metrics::default()));
        let first = poll(&mut gates.enter(now, request(now), 7).unwrap(), now).unwrap().unwrap();
        let mut second = gates.enter(now, request(now), 7).unwrap();
        assert_eq!(gates.enter(now, request(now), 7).unwrap_err(), Refusal::Full);
        let late = now + Duration::from_secs(5);
        assert_eq!(poll(&mut second, late).unwrap().unwrap_err(), Refusal::Expired);
        drop((first, second));
        assert_eq!((gates.held(), lock(&gates.0.state).waiting), (0, 0));
    }
}
