//! Permits: a limited number of connections or threads, shared between clients and granted round robin to those that
//! wait.

use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::time::{Duration, Instant};

use crate::deadline::{Client, Request};
use crate::fair::FairQueue;
use crate::metrics::{Gauge, Metrics};
use crate::place::{QueuePlace, Waiter, Woken};
use crate::share::{Share, Shares};
use crate::{Refusal, lock};

/// The class of work that a permit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Work that is expected to be short.
    Normal,
    /// Work that has blocked before: it gets at most [`PermitLimits::isolated`] permits at once, which
    /// leaves the rest to other requests.
    Isolated,
    /// Long or large work: it gets at most [`PermitLimits::large`] permits at once.
    Large,
}

/// The limits of a set of permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermitLimits {
    /// The number of permits, at least one.
    pub permits: usize,
    /// The maximum number held by isolated work.
    pub isolated: usize,
    /// The maximum number held by large work. If there are several permits, isolated and large work
    /// together leave one for normal work.
    pub large: usize,
    /// The maximum number of waiting requests.
    pub length: usize,
    /// Whether a client leaves permits to others: alone it gets three quarters.
    pub shared: bool,
}

impl PermitLimits {
    /// Half of the permits for isolated work and half for large work, but never all of several
    /// permits.
    pub fn new(permits: usize, length: usize) -> Self {
        let permits = permits.max(1);
        let half = (permits / 2).max(1);
        Self { permits, isolated: half, large: half, length, shared: false }
    }

    /// The same, shared between clients: for work that is slow of itself. Work that another client's lock may block is
    /// isolated instead, so that its own client's other work goes on.
    #[must_use]
    pub fn shared(self) -> Self {
        Self { shared: true, ..self }
    }
}

/// The classes, in round-robin order.
const CLASSES: [Class; 3] = [Class::Isolated, Class::Normal, Class::Large];

fn place_of(class: Class) -> usize {
    match class {
        Class::Isolated => 0,
        Class::Normal => 1,
        Class::Large => 2,
    }
}

/// A set of permits; clones share it.
#[derive(Clone, Debug)]
pub struct Permits(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limits: PermitLimits,
    metrics: Arc<Metrics>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: usize,
    isolated: usize,
    large: usize,
    next: u64,
    /// The queues by class, in the order of [`CLASSES`].
    queues: [FairQueue<Waiter<Permit>>; CLASSES.len()],
    /// The class that gets the next free permit first.
    first: usize,
    /// What each client holds, where permits are shared between clients.
    shares: Option<Shares>,
}

/// A permit, released on drop.
#[derive(Debug)]
pub struct Permit {
    shared: Arc<Shared>,
    class: Class,
    share: Option<Share>,
    _running: Gauge,
}

impl Permits {
    /// A set of permits, all free.
    pub fn new(limits: PermitLimits, metrics: Arc<Metrics>) -> Self {
        let state = State {
            free: limits.permits.max(1),
            isolated: 0,
            large: 0,
            next: 0,
            queues: Default::default(),
            first: 0,
            shares: limits.shared.then(Shares::default),
        };
        Self(Arc::new(Shared { limits, metrics, state: Mutex::new(state) }))
    }

    /// Whether isolated work leaves permits to other work. If not, isolated work must release its
    /// permit quickly.
    pub fn isolates(&self) -> bool {
        self.0.limits.isolated < self.0.limits.permits
    }

    /// The limits.
    pub fn limits(&self) -> PermitLimits {
        self.0.limits
    }

    /// The number of waiting requests.
    pub fn waiting(&self) -> usize {
        lock(&self.0.state).waiting()
    }

    /// Takes a permit, or queues for one.
    ///
    /// # Errors
    /// If the queue is full, or the deadline has passed.
    pub fn enter(
        &self,
        now: Instant,
        request: Request,
        class: Class,
    ) -> Result<QueuePlace<Permit>, Refusal> {
        let shared = &self.0;
        if request.deadline.is_over(now) {
            shared.metrics.expired();
            return Err(Refusal::Expired);
        }
        let mut state = lock(&shared.state);
        if state.may_run(class, &shared.limits) && state.may_have(request.client, class) {
            let permit = state.issue(shared, class, request.client);
            shared.metrics.admitted(Duration::ZERO);
            return Ok(QueuePlace::granted(permit));
        }
        if state.waiting() >= shared.limits.length {
            shared.metrics.full();
            return Err(Refusal::Full);
        }
        state.next += 1;
        let (id, owner) = (state.next, Arc::downgrade(shared));
        let leave = move || {
            if let Some(shared) = owner.upgrade() {
                let left = lock(&shared.state).queue(class).remove(request.client, id);
                drop(left);
            }
        };
        let (place, waiter) = QueuePlace::waiting(now, request, &shared.metrics, leave);
        state.queue(class).push(request.client, id, waiter);
        Ok(place)
    }
}

impl State {
    fn waiting(&self) -> usize {
        self.queues.iter().map(FairQueue::len).sum()
    }

    fn queue(&mut self, class: Class) -> &mut FairQueue<Waiter<Permit>> {
        &mut self.queues[place_of(class)]
    }

    fn may_run(&self, class: Class, limits: &PermitLimits) -> bool {
        let left = limits.permits > 1 && self.isolated + self.large + 1 >= limits.permits;
        self.free > 0
            && match class {
                Class::Normal => true,
                Class::Isolated => !left && self.isolated < limits.isolated,
                Class::Large => !left && self.large < limits.large,
            }
    }

    /// Whether a client may have one more of the free permits.
    fn may_have(&self, client: Client, class: Class) -> bool {
        self.permit_counts().allow(self.shares.as_ref(), client, class)
    }

    fn permit_counts(&self) -> PermitCounts {
        PermitCounts { free: self.free, large: self.large }
    }

    fn issue(&mut self, shared: &Arc<Shared>, class: Class, client: Client) -> Permit {
        self.free -= 1;
        self.isolated += usize::from(class == Class::Isolated);
        self.large += usize::from(class == Class::Large);
        let share = self.shares.as_ref().map(|shares| shares.take(client));
        let running = Gauge::running(&shared.metrics);
        Permit { shared: Arc::clone(shared), class, share, _running: running }
    }

    /// The next waiting request that may get a free permit.
    fn next(&mut self, limits: &PermitLimits) -> Option<(Waiter<Permit>, Class)> {
        let turns = (self.first..self.first + CLASSES.len()).map(|turn| turn % CLASSES.len());
        let turn = turns.into_iter().find(|&turn| {
            self.may_run(CLASSES[turn], limits)
                && self.queues[turn].has_any_of(|client| self.may_have(client, CLASSES[turn]))
        })?;
        let class = CLASSES[turn];
        self.first = turn + 1;
        let (may, shares) = (self.permit_counts(), self.shares.clone());
        let may = |client| may.allow(shares.as_ref(), client, class);
        Some((self.queue(class).pop_of(may)?, class))
    }
}

/// How many permits are free, and how many large work holds.
#[derive(Clone, Copy)]
struct PermitCounts {
    free: usize,
    large: usize,
}

impl PermitCounts {
    /// Whether a client may have one of the free permits. The first of large work is as good as any other; more of it
    /// leaves its client room.
    fn allow(self, shares: Option<&Shares>, client: Client, class: Class) -> bool {
        shares.is_none_or(|shares| match class {
            Class::Large if self.large > 0 => shares.may_take_batch(client, self.free),
            _ => shares.may_take(client, self.free),
        })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let shared = &self.shared;
        let mut woken = Woken::new();
        self.share = None;
        {
            let mut state = lock(&shared.state);
            state.free += 1;
            state.isolated -= usize::from(self.class == Class::Isolated);
            state.large -= usize::from(self.class == Class::Large);
            while let Some((waiter, class)) = state.next(&shared.limits) {
                let client = waiter.client();
                waiter.grant(|| state.issue(shared, class, client), &mut woken);
            }
        }
        woken.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use super::*;
    use crate::{Deadline, RequestClass};

    fn permits(number: usize, length: usize) -> Permits {
        Permits::new(PermitLimits::new(number, length), Arc::new(Metrics::default()))
    }

    fn request(now: Instant, client: u64) -> Request {
        let deadline = Deadline::after(now, Duration::from_secs(5));
        Request { client: Client::new(client), deadline, class: RequestClass::default() }
    }

    fn poll(place: &mut QueuePlace<Permit>, now: Instant) -> Option<Result<Permit, Refusal>> {
        match place.poll(now, Waker::noop()) {
            Poll::Ready(ready) => Some(ready),
            Poll::Pending => None,
        }
    }

    #[test]
    fn grants_round_robin_and_all_permits_return() {
        let now = Instant::now();
        let permits = permits(1, 10);
        let enter = |client| permits.enter(now, request(now, client), Class::Normal).unwrap();
        let mut first = enter(1);
        let held = poll(&mut first, now).unwrap().unwrap();
        let mut waiting = [enter(1), enter(1), enter(2)];
        assert!(waiting.iter_mut().all(|place| poll(place, now).is_none()));
        assert_eq!((permits.0.metrics.counted().waiting, permits.waiting()), (3, 3));
        drop(held);
        let held = poll(&mut waiting[0], now).unwrap().unwrap();
        drop(held);
        // The second client comes before the third request of the first.
        assert!(poll(&mut waiting[1], now).is_none());
        // A grant to a cancelled caller goes to the next one.
        let [_, mut last, granted] = waiting;
        drop(granted);
        assert!(poll(&mut last, now).unwrap().is_ok());
        let counted = permits.0.metrics.counted();
        assert_eq!((counted.waiting, counted.running, counted.cancelled), (0, 0, 1));
        assert_eq!(lock(&permits.0.state).free, 1);
    }

    /// One client asks for all permits of work that never ends; others come later and are granted theirs at once.
    #[test]
    fn a_client_leaves_permits_to_others() {
        let now = Instant::now();
        let limits = PermitLimits::new(8, 100).shared();
        let permits = Permits::new(limits, Arc::new(Metrics::default()));
        let enter = |client| permits.enter(now, request(now, client), Class::Normal).unwrap();
        let mut greedy: Vec<_> = (0..40).map(|_| enter(1)).collect();
        let held: Vec<_> = greedy.iter_mut().filter_map(|place| poll(place, now)).collect();
        assert_eq!((held.len(), permits.waiting()), (6, 34));
        let mut modest = [enter(2), enter(3)];
        let others = modest.each_mut().map(|place| poll(place, now).unwrap().unwrap());
        // What they give back is for a client that has less than the first one.
        let mut next = enter(4);
        assert!(poll(&mut next, now).is_none());
        drop(others);
        assert!(poll(&mut next, now).unwrap().is_ok());
        assert_eq!(permits.waiting(), 34);
        // What the first client gives back it gets again.
        drop(held);
        let granted = greedy.iter_mut().filter_map(|place| poll(place, now)).filter(Result::is_ok);
        let granted: Vec<_> = granted.collect();
        assert_eq!((granted.len(), permits.waiting()), (6, 28));
        drop((granted, greedy));
        assert_eq!(lock(&permits.0.state).free, 8);
    }

    #[test]
    fn bounds_the_number_and_time_of_waits() {
        let now = Instant::now();
        let permits = permits(1, 1);
        let enter = |now| permits.enter(now, request(now, 1), Class::Normal);
        let held = poll(&mut enter(now).unwrap(), now).unwrap().unwrap();
        let mut waiting = enter(now).unwrap();
        assert_eq!(enter(now).unwrap_err(), Refusal::Full);
        let late = now + Duration::from_secs(5);
        assert_eq!(poll(&mut waiting, late).unwrap().unwrap_err(), Refusal::Expired);
        assert_eq!(
            permits.enter(late, request(now, 1), Class::Normal).unwrap_err(),
            Refusal::Expired
        );
        drop(waiting);
        drop(held);
        let counted = permits.0.metrics.counted();
        assert_eq!((counted.waiting, counted.running), (0, 0));
        assert_eq!((counted.full, counted.expired, counted.cancelled), (1, 2, 0));
    }

    #[test]
    fn isolated_work_never_holds_all_permits() {
        let now = Instant::now();
        let permits = permits(3, 10);
        assert!(permits.isolates());
        let enter = |class| permits.enter(now, request(now, 1), class).unwrap();
        let alone = poll(&mut enter(Class::Isolated), now).unwrap().unwrap();
        let mut second = enter(Class::Isolated);
        assert!(poll(&mut second, now).is_none(), "half of three is one");
        let normal = [enter(Class::Normal), enter(Class::Normal)]
            .map(|mut place| poll(&mut place, now).unwrap().unwrap());
        let mut third = enter(Class::Normal);
        assert!(poll(&mut third, now).is_none());
        drop(alone);
        assert!(poll(&mut second, now).is_some(), "isolated work is first in the round robin");
        assert!(poll(&mut third, now).is_some(), "the isolated permit was returned");
        drop(normal);
        assert_eq!(lock(&permits.0.state).free, 3);
    }

    #[test]
    fn large_and_isolated_work_leave_a_permit_for_normal_work() {
        let now = Instant::now();
        for number in 1..=8 {
            let permits = permits(number, 10);
            let enter = |class| permits.enter(now, request(now, 1), class).unwrap();
            let classes = [Class::Large, Class::Isolated].into_iter().cycle().take(2 * number);
            let mut places: Vec<_> = classes.map(enter).collect();
            let held: Vec<_> = places
                .iter_mut()
                .filter_map(|place| poll(place, now))
                .map(Result::unwrap)
                .collect();
            let most = (number - 1).max(1);
            assert_eq!(held.len(), most.min(2 * (number / 2).max(1)), "{number} permits");
            let mut normal = enter(Class::Normal);
            assert_eq!(poll(&mut normal, now).is_some(), number > 1);
            drop((places, held, normal));
            let state = lock(&permits.0.state);
            assert_eq!((state.free, state.isolated, state.large), (number, 0, 0));
        }
    }
}
