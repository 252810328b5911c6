//! A place in a queue for a grant: a permit or a gate.
//!
//! Lock order: first the queue's lock, then the place's.

use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Instant;

use crate::deadline::{Client, Request};
use crate::metrics::{Gauge, Metrics};
use crate::{Refusal, lock};

/// The state of a wait.
enum State<G> {
    Waiting(Option<Waker>),
    Granted(G),
    /// The grant was taken, or the caller has cancelled.
    Over,
}

/// The queue's side of a wait.
pub(crate) struct Waiter<G> {
    state: Arc<Mutex<State<G>>>,
    client: Client,
    _waiting: Gauge,
}

/// Removes the waiter from its queue.
type Leave = Box<dyn FnOnce() + Send>;

/// The wakers to wake after all locks are released.
pub(crate) type Woken = Vec<Waker>;

impl<G> std::fmt::Debug for Waiter<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiter").finish_non_exhaustive()
    }
}

impl<G> Waiter<G> {
    /// Who waits.
    pub(crate) fn client(&self) -> Client {
        self.client
    }

    /// Creates the grant and passes it to the request, if that still waits.
    pub(crate) fn grant(self, make: impl FnOnce() -> G, woken: &mut Woken) {
        let mut state = lock(&self.state);
        if let State::Waiting(waker) = &mut *state {
            woken.extend(waker.take());
            *state = State::Granted(make());
        }
    }
}

/// A place in a queue. Dropping it leaves the queue, or returns the grant.
#[must_use]
pub struct QueuePlace<G> {
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

impl<G> std::fmt::Debug for QueuePlace<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").finish_non_exhaustive()
    }
}

impl<G> QueuePlace<G> {
    pub(crate) fn granted(grant: G) -> Self {
        Self { inner: Inner::Granted(Some(grant)) }
    }

    /// A place and its waiter; `leave` removes the waiter from the queue.
    pub(crate) fn waiting(
        now: Instant,
        request: Request,
        metrics: &Arc<Metrics>,
        leave: impl FnOnce() + Send + 'static,
    ) -> (Self, Waiter<G>) {
        let state = Arc::new(Mutex::new(State::Waiting(None)));
        let (client, _waiting) = (request.client, Gauge::waiting(metrics));
        let waiter = Waiter { state: Arc::clone(&state), client, _waiting };
        let metrics = Arc::clone(metrics);
        let leave: Option<Leave> = Some(Box::new(leave));
        let inner = Inner::Waiting { state, since: now, request, metrics, leave };
        (Self { inner }, waiter)
    }

    /// Returns the grant, or registers the waker for it. The caller polls again when woken and at its
    /// deadline.
    ///
    /// # Errors
    /// [`Refusal::Expired`] from the deadline on, and if polled after completion.
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

impl<G> Drop for QueuePlace<G> {
    fn drop(&mut self) {
        let Inner::Waiting { state, metrics, leave, .. } = &mut self.inner else { return };
        let Some(leave) = leave.take() else { return };
        let was = std::mem::replace(&mut *lock(state), State::Over);
        if !matches!(was, State::Over) {
            metrics.cancelled();
        }
        leave();
        // Dropping an untaken grant passes it to the next waiter, so this comes after `leave` and
        // without the lock.
        drop(was);
    }
}
