//! A place in the queue for something that is granted: a permit, or a turn at a gate.
//!
//! Locks are taken in one order: that of the queue, then that of the place.

use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Instant;

use crate::deadline::Request;
use crate::metrics::{Gauge, Metrics};
use crate::{Refusal, lock};

/// How a wait ends.
enum State<G> {
    Waiting(Option<Waker>),
    Granted(G),
    /// The grant was taken, or the caller has gone.
    Over,
}

/// The side of a wait that is in the queue.
pub(crate) struct Waiter<G> {
    state: Arc<Mutex<State<G>>>,
    _waiting: Gauge,
}

/// Takes the waiter out of its queue.
type Leave = Box<dyn FnOnce() + Send>;

/// What is to be woken, once no lock is held.
pub(crate) type Woken = Vec<Waker>;

impl<G> std::fmt::Debug for Waiter<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiter").finish_non_exhaustive()
    }
}

impl<G> Waiter<G> {
    /// Makes the grant and hands it over, where its request still waits.
    pub(crate) fn grant(self, make: impl FnOnce() -> G, woken: &mut Woken) {
        let mut state = lock(&self.state);
        if let State::Waiting(waker) = &mut *state {
            woken.extend(waker.take());
            *state = State::Granted(make());
        }
    }
}

/// A place in a queue, until dropped. Dropped, it leaves the queue, or returns what was granted.
#[must_use]
pub struct Place<G> {
    inner: Inner<G>,
}

enum Inner<G> {
    Granted(Option<G>),
    Waiting {
        state: Arc<Mutex<State<G>>>,
        since: Instant,
        request: Request,
        metrics: Arc<Metrics>,
        leave: Option<Leave>,
    },
}

impl<G> std::fmt::Debug for Place<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").finish_non_exhaustive()
    }
}

impl<G> Place<G> {
    pub(crate) fn granted(grant: G) -> Self {
        Self { inner: Inner::Granted(Some(grant)) }
    }

    /// A place and its side in the queue; `leave` takes that side out.
    pub(crate) fn waiting(
        now: Instant,
        request: Request,
        metrics: &Arc<Metrics>,
        leave: impl FnOnce() + Send + 'static,
    ) -> (Self, Waiter<G>) {
        let state = Arc::new(Mutex::new(State::Waiting(None)));
        let waiter = Waiter { state: Arc::clone(&state), _waiting: Gauge::waiting(metrics) };
        let metrics = Arc::clone(metrics);
        let leave: Option<Leave> = Some(Box::new(leave));
        let inner = Inner::Waiting { state, since: now, request, metrics, leave };
        (Self { inner }, waiter)
    }

    /// What was granted; otherwise remembers whom to wake when it is. The caller polls again when
    /// woken, and at the end of its deadline.
    ///
    /// # Errors
    /// [`Refusal::Expired`] from the deadline on, and where it is polled after its end.
    pub fn poll(&mut self, now: Instant, waker: &Waker) -> Poll<Result<G, Refusal>> {
        let (state, since, request, metrics, leave) = match &mut self.inner {
            Inner::Granted(grant) => return Poll::Ready(grant.take().ok_or(Refusal::Expired)),
            Inner::Waiting { state, since, request, metrics, leave } => {
                (state, since, request, metrics, leave)
            }
        };
        {
            let mut state = lock(state);
            match std::mem::replace(&mut *state, State::Over) {
                State::Granted(grant) => {
                    *leave = None;
                    metrics.admitted(now.saturating_duration_since(*since));
                    return Poll::Ready(Ok(grant));
                }
                State::Waiting(_) if !request.deadline.is_over(now) => {
                    *state = State::Waiting(Some(waker.clone()));
                    return Poll::Pending;
                }
                State::Waiting(_) => metrics.expired(),
                State::Over => {}
            }
        }
        if let Some(leave) = leave.take() {
            leave();
        }
        Poll::Ready(Err(Refusal::Expired))
    }
}

impl<G> Drop for Place<G> {
    fn drop(&mut self) {
        let Inner::Waiting { state, metrics, leave, .. } = &mut self.inner else { return };
        let Some(leave) = leave.take() else { return };
        let was = std::mem::replace(&mut *lock(state), State::Over);
        if !matches!(was, State::Over) {
            metrics.cancelled();
        }
        leave();
        // A grant that was not taken goes to the next in the queue: after `leave`, and without
        // the lock.
        drop(was);
    }
}
