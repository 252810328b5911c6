//! A bounded queue with natural batching: requests queue while a batch runs, and the next batch takes
//! them all. A batch that blocks or fails is split, and the members that cause it run alone.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;

use crate::deadline::Request;
use crate::fair::FairQueue;
use crate::metrics::{Gauge, Metrics};
use crate::share::{Share, Shares};
use crate::suspects::Suspects;
use crate::{Refusal, lock};

/// The work of a queued request.
pub trait Work {
    /// Passes the hashes of the keys that the work may wait for: the rows that it locks or references.
    /// Work that touches a key that blocked recently runs alone.
    fn touches(&self, key: &mut dyn FnMut(u64)) {
        let _ = key;
    }

    /// Its share of a batch's weight; see [`BatchLimits::weight`].
    fn weight(&self) -> usize {
        1
    }

    /// A hash of what makes work fail together, such as the key that both read. The parts of a split batch keep
    /// such work together.
    fn alike(&self) -> Option<u64> {
        None
    }

    /// Whether its caller has cancelled.
    fn is_abandoned(&self) -> bool {
        false
    }

    /// Refuses the request, for example because its deadline has passed.
    fn refuse(self, refusal: Refusal)
    where
        Self: Sized,
    {
        let _ = refusal;
    }
}

/// The limits of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// The maximum number of concurrent batches.
    pub slots: usize,
    /// Whether a client leaves slots to others: alone it gets three quarters. For batches of one member.
    pub shared: bool,
    /// The maximum number of isolated members that run concurrently with the batches.
    pub isolated: usize,
    /// The maximum number of queued requests.
    pub length: usize,
    /// The maximum number of members of a batch.
    pub batch: usize,
    /// The weight at which a batch takes no further members.
    pub weight: usize,
    /// How long a batch may block before it is split.
    pub patience: Duration,
    /// How long keys that blocked stay suspects, excluded from batches.
    pub memory: Duration,
}

impl Default for BatchLimits {
    fn default() -> Self {
        Self {
            slots: 1,
            shared: false,
            isolated: 1,
            length: 20_000,
            batch: 256,
            weight: usize::MAX,
            patience: Duration::from_millis(50),
            memory: Duration::from_secs(5),
        }
    }
}

/// The stage of execution of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// The first attempt, with all queued requests.
    Together,
    /// A part of a batch that blocked or failed.
    Part,
    /// A single isolated member, which may block until its deadline.
    Alone,
}

/// Why a batch is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// It waited too long for a lock of another transaction. The keys of its blocking members become
    /// suspects once those members are known.
    Blocked,
    /// One of its members failed.
    Failed,
}

/// A request in a queue or a batch.
#[derive(Debug)]
pub struct Job<T> {
    /// Its client and its deadline.
    pub request: Request,
    /// The work, with the channel to its caller.
    pub item: T,
    since: Instant,
    gauge: Option<Gauge>,
    /// While it runs, where slots are shared between clients.
    share: Option<Share>,
}

impl<T> Job<T> {
    /// A newly arrived request.
    pub fn new(request: Request, item: T) -> Self {
        Self { request, item, since: request.deadline.arrived(), gauge: None, share: None }
    }
}

/// A batching queue; clones share it.
#[derive(Debug)]
pub struct Batches<T: Work>(Arc<Shared<T>>);

impl<T: Work> Clone for Batches<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

#[derive(Debug)]
struct Shared<T: Work> {
    limits: BatchLimits,
    metrics: Arc<Metrics>,
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    next: u64,
    waiting: FairQueue<Job<T>>,
    parts: VecDeque<Vec<Job<T>>>,
    alone: FairQueue<Job<T>>,
    running: usize,
    isolated: usize,
    /// What each client runs, where slots are shared between clients.
    shares: Option<Shares>,
    suspects: Suspects,
    /// The keys touched by members that run alone now.
    held: HashSet<u64, RandomState>,
}

impl<T: Work> Batches<T> {
    /// An empty queue.
    pub fn new(limits: BatchLimits, metrics: Arc<Metrics>) -> Self {
        let state = State {
            next: 0,
            waiting: FairQueue::default(),
            parts: VecDeque::new(),
            alone: FairQueue::default(),
            running: 0,
            isolated: 0,
            shares: limits.shared.then(Shares::default),
            suspects: Suspects::default(),
            held: HashSet::default(),
        };
        Self(Arc::new(Shared { limits, metrics, state: Mutex::new(state) }))
    }

    /// The metrics of this queue.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.0.metrics
    }

    /// Whether no request is queued or running.
    pub fn is_idle(&self) -> bool {
        let state = lock(&self.0.state);
        state.running + state.isolated + state.queued() == 0
    }

    /// Queues a request. Dropping the ticket removes it from the queue, unless it runs already.
    ///
    /// # Errors
    /// If the queue is full or the deadline has passed.
    pub fn submit(&self, now: Instant, mut job: Job<T>) -> Result<Ticket<T>, Refusal> {
        let shared = &self.0;
        if job.request.deadline.is_over(now) {
            shared.metrics.expired();
            return Err(Refusal::Expired);
        }
        let mut state = lock(&shared.state);
        if state.queued() >= shared.limits.length {
            shared.metrics.full();
            return Err(Refusal::Full);
        }
        job.since = now;
        job.gauge = Some(Gauge::waiting(&shared.metrics));
        // The id that the request gets in either queue.
        let ticket = Ticket {
            shared: Arc::clone(shared),
            request: job.request,
            id: state.next + 1,
            may_wait: true,
        };
        if state.is_suspect(now, &job) {
            state.isolate(job, &shared.metrics);
        } else {
            state.enqueue(job);
        }
        Ok(ticket)
    }

    /// Takes a free slot if a request is queued. The driver calls this after each
    /// [`submit`](Self::submit), [`take`](Run::take) and [`split`](Run::split) until it returns `None`,
    /// and drives each run.
    pub fn begin(&self) -> Option<Run<T>> {
        let shared = &self.0;
        let mut state = lock(&shared.state);
        let free = shared.limits.slots.saturating_sub(state.running);
        let has_more = state.has_waiting(free) || !state.parts.is_empty();
        let slot = if has_more && free > 0 {
            state.running += 1;
            Slot::Shared
        } else if state.isolated < shared.limits.isolated && state.has_eligible() {
            state.isolated += 1;
            Slot::Alone
        } else {
            return None;
        };
        Some(Run { shared: Arc::clone(shared), slot: Some(slot) })
    }
}

impl<T: Work> State<T> {
    fn queued(&self) -> usize {
        self.waiting.len() + self.alone.len() + self.parts.iter().map(Vec::len).sum::<usize>()
    }

    /// Whether a request waits that may run where so many slots are free.
    fn has_waiting(&self, free: usize) -> bool {
        match &self.shares {
            Some(shares) => self.waiting.has_any_of(|client| shares.may_take(client, free)),
            None => !self.waiting.is_empty(),
        }
    }

    /// The next request that may run, in a slot that is counted as running.
    fn next_waiting(&mut self, limits: &BatchLimits) -> Option<Job<T>> {
        let free = limits.slots.saturating_sub(self.running) + 1;
        match &self.shares {
            Some(shares) => self.waiting.pop_of(|client| shares.may_take(client, free)),
            None => self.waiting.pop(),
        }
    }

    fn enqueue(&mut self, job: Job<T>) {
        self.next += 1;
        self.waiting.push(job.request.client, self.next, job);
    }

    fn isolate(&mut self, job: Job<T>, metrics: &Metrics) {
        metrics.isolated();
        self.next += 1;
        self.alone.push(job.request.client, self.next, job);
    }

    fn is_suspect(&mut self, now: Instant, job: &Job<T>) -> bool {
        if self.suspects.is_empty() {
            return false;
        }
        let mut suspect = false;
        job.item.touches(&mut |key| suspect |= self.suspects.contains(now, key));
        suspect
    }

    fn has_eligible(&self) -> bool {
        self.alone.any(|job| is_eligible(&self.held, job))
    }

    /// The next part of a split batch, or all queued requests up to the limits; suspects are isolated.
    /// Members whose deadline has passed go to `expired`.
    fn gather(
        &mut self,
        now: Instant,
        limits: &BatchLimits,
        metrics: &Metrics,
        expired: &mut Vec<T>,
    ) -> Option<(Attempt, Vec<Job<T>>)> {
        while let Some(part) = self.parts.pop_front() {
            let mut jobs = Vec::with_capacity(part.len());
            part.into_iter().for_each(|job| self.sort(now, job, metrics, &mut jobs, expired));
            if !jobs.is_empty() {
                return Some((Attempt::Part, jobs));
            }
        }
        let mut jobs = Vec::with_capacity(self.waiting.len().min(limits.batch));
        let mut weight = 0;
        while jobs.len() < limits.batch.max(1) && weight < limits.weight {
            let Some(job) = self.next_waiting(limits) else { break };
            let more = job.item.weight();
            let before = jobs.len();
            self.sort(now, job, metrics, &mut jobs, expired);
            weight = weight.saturating_add(if jobs.len() > before { more } else { 0 });
        }
        (!jobs.is_empty()).then_some((Attempt::Together, jobs))
    }

    /// Adds a member to the batch, or isolates, expires or drops it.
    fn sort(
        &mut self,
        now: Instant,
        job: Job<T>,
        metrics: &Metrics,
        jobs: &mut Vec<Job<T>>,
        expired: &mut Vec<T>,
    ) {
        if job.item.is_abandoned() {
            metrics.cancelled();
        } else if job.request.deadline.is_over(now) {
            metrics.expired();
            expired.push(job.item);
        } else if self.is_suspect(now, &job) {
            self.isolate(job, metrics);
        } else {
            jobs.push(job);
        }
    }

    /// The next member to run alone; it shares no key with another member that runs alone.
    fn gather_alone(
        &mut self,
        now: Instant,
        metrics: &Metrics,
        expired: &mut Vec<T>,
    ) -> Option<Job<T>> {
        loop {
            let held = &self.held;
            let job = self.alone.pop_where(|job| is_eligible(held, job))?;
            if job.item.is_abandoned() {
                metrics.cancelled();
            } else if job.request.deadline.is_over(now) {
                metrics.expired();
                expired.push(job.item);
            } else {
                return Some(job);
            }
        }
    }
}

fn is_eligible<T: Work>(held: &HashSet<u64, RandomState>, job: &Job<T>) -> bool {
    let mut free = true;
    job.item.touches(&mut |key| free &= !held.contains(&key));
    free
}

/// A request's entry in the queue; dropping it removes the request.
#[derive(Debug)]
#[must_use]
pub struct Ticket<T: Work> {
    shared: Arc<Shared<T>>,
    request: Request,
    id: u64,
    /// Whether the request may still be queued.
    may_wait: bool,
}

impl<T: Work> Ticket<T> {
    /// Removes the request from the queue because its deadline has passed; false if it runs already.
    pub fn expire(&self) -> bool {
        let expired = self.leave();
        if expired {
            self.shared.metrics.expired();
        }
        expired
    }

    /// Marks the request as answered, so that drop need not search the queues.
    pub fn answered(mut self) {
        self.may_wait = false;
    }

    fn leave(&self) -> bool {
        let mut state = lock(&self.shared.state);
        let removed = state.waiting.remove(self.request.client, self.id);
        let removed = removed.or_else(|| state.alone.remove(self.request.client, self.id));
        drop(state);
        removed.is_some()
    }
}

impl<T: Work> Drop for Ticket<T> {
    fn drop(&mut self) {
        if self.may_wait && self.leave() {
            self.shared.metrics.cancelled();
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Shared,
    Alone,
}

/// A slot that runs batches one after the other; dropping it frees the slot.
#[derive(Debug)]
#[must_use]
pub struct Run<T: Work> {
    shared: Arc<Shared<T>>,
    slot: Option<Slot>,
}

impl<T: Work> Run<T> {
    /// Whether a queued request could run in this slot.
    pub fn has_more(&self) -> bool {
        let state = lock(&self.shared.state);
        match self.slot {
            Some(Slot::Shared) => {
                let free = self.shared.limits.slots.saturating_sub(state.running) + 1;
                state.has_waiting(free) || !state.parts.is_empty()
            }
            Some(Slot::Alone) => !state.alone.is_empty(),
            None => false,
        }
    }

    /// Whether this slot runs isolated members.
    pub fn is_alone(&self) -> bool {
        self.slot == Some(Slot::Alone)
    }

    /// The next batch; `None` if the queue is empty, and the slot is then free.
    pub fn take(&mut self, now: Instant) -> Option<Batch<T>> {
        let slot = self.slot?;
        let Shared { limits, metrics, state } = &*self.shared;
        let mut expired = Vec::new();
        let mut state = lock(state);
        let taken = match slot {
            Slot::Shared => state.gather(now, limits, metrics, &mut expired),
            Slot::Alone => state
                .gather_alone(now, metrics, &mut expired)
                .map(|job| (Attempt::Alone, vec![job])),
        };
        let batch = taken.map(|(attempt, jobs)| self.batch(now, &mut state, attempt, jobs));
        if batch.is_none() {
            self.slot = None;
            state.free(slot);
        }
        drop(state);
        expired.into_iter().for_each(|item| item.refuse(Refusal::Expired));
        batch
    }

    fn batch(
        &self,
        now: Instant,
        state: &mut State<T>,
        attempt: Attempt,
        mut jobs: Vec<Job<T>>,
    ) -> Batch<T> {
        let waits = jobs.iter().map(|job| now.saturating_duration_since(job.since));
        self.shared.metrics.admitted_all(waits);
        jobs.iter_mut().filter_map(|job| job.gauge.as_mut()).for_each(Gauge::run);
        if let Some(shares) = &state.shares {
            jobs.iter_mut().for_each(|job| job.share = Some(shares.take(job.request.client)));
        }
        let mut held = Vec::new();
        if let (Attempt::Alone, [job]) = (attempt, &jobs[..]) {
            job.item.touches(&mut |key| {
                if state.held.insert(key) {
                    held.push(key);
                }
            });
        }
        let held = Held { shared: Arc::clone(&self.shared), keys: held };
        Batch { attempt, jobs, begun: now, patience: self.shared.limits.patience, held }
    }

    /// Moves a long-running batch to an isolated slot, if one is free, and frees its slot for the next
    /// batch. If it returns true, the driver must call [`Batches::begin`].
    pub fn step_aside(&mut self) -> bool {
        let mut state = lock(&self.shared.state);
        if self.slot != Some(Slot::Shared) || state.isolated >= self.shared.limits.isolated {
            return false;
        }
        state.running -= 1;
        state.isolated += 1;
        self.slot = Some(Slot::Alone);
        true
    }

    /// Ends the batch and returns its members, to be answered.
    pub fn done(&self, now: Instant, batch: Batch<T>) -> Vec<Job<T>> {
        let Shared { limits, state, .. } = &*self.shared;
        let Batch { attempt, jobs, begun, held, .. } = batch;
        if attempt == Attempt::Alone {
            let mut state = lock(state);
            let prompt = now.saturating_duration_since(begun) < limits.patience;
            for job in &jobs {
                job.item.touches(&mut |key| match prompt {
                    true => state.suspects.clear(key),
                    false => state.suspects.add(now, key, limits.memory),
                });
            }
        }
        drop(held);
        jobs
    }

    /// Handles a blocked batch: its halves are retried separately; a single member is isolated.
    pub fn split(&self, now: Instant, batch: Batch<T>) {
        self.apart(now, batch, Cause::Blocked);
    }

    /// Handles a batch that failed because of an unknown member: its halves are retried separately. Members that are
    /// [alike](Work::alike) stay together, unless all are.
    pub fn halve(&self, now: Instant, batch: Batch<T>) {
        self.apart(now, batch, Cause::Failed);
    }

    /// Handles a batch that the member at this position blocked: the member is isolated, and the others
    /// are retried together.
    pub fn single_out(&self, now: Instant, batch: Batch<T>, position: usize) {
        if batch.jobs.len() < 2 || position >= batch.jobs.len() {
            return self.split(now, batch);
        }
        let Shared { limits, metrics, state } = &*self.shared;
        let mut jobs = batch.into_waiting(now, metrics);
        let job = jobs.remove(position);
        let mut state = lock(state);
        metrics.split();
        job.item.touches(&mut |key| state.suspects.add(now, key, limits.memory));
        state.isolate(job, metrics);
        state.parts.push_back(jobs);
    }

    /// Handles a batch that failed because of the member at this position: returns the member, to be
    /// answered; the others are retried together.
    pub fn without(&self, now: Instant, batch: Batch<T>, position: usize) -> Option<Job<T>> {
        let Shared { metrics, state, .. } = &*self.shared;
        let mut jobs = batch.into_waiting(now, metrics);
        let failed = (position < jobs.len()).then(|| jobs.remove(position));
        if !jobs.is_empty() {
            metrics.split();
            lock(state).parts.push_back(jobs);
        }
        failed
    }

    fn apart(&self, now: Instant, batch: Batch<T>, cause: Cause) {
        let Shared { limits, metrics, state } = &*self.shared;
        let mut jobs = batch.into_waiting(now, metrics);
        let mut state = lock(state);
        if jobs.len() > 1 {
            metrics.split();
            let half = if cause == Cause::Failed { half(&mut jobs) } else { jobs.len() / 2 };
            let second = jobs.split_off(half);
            state.parts.push_back(jobs);
            state.parts.push_back(second);
            return;
        }
        for job in jobs {
            if cause == Cause::Blocked {
                job.item.touches(&mut |key| state.suspects.add(now, key, limits.memory));
            }
            state.isolate(job, metrics);
        }
    }
}

/// Puts jobs that are alike side by side; where the second half begins, which parts none that are alike.
fn half<T: Work>(jobs: &mut [Job<T>]) -> usize {
    let middle = jobs.len() / 2;
    jobs.sort_by_cached_key(|job| job.item.alike());
    let parts = |at: &usize| match (jobs[*at - 1].item.alike(), jobs[*at].item.alike()) {
        (Some(one), Some(next)) => one != next,
        _ => true,
    };
    let near = (1..jobs.len()).filter(parts).min_by_key(|at| at.abs_diff(middle));
    near.unwrap_or(middle)
}

impl<T> State<T> {
    fn free(&mut self, slot: Slot) {
        match slot {
            Slot::Shared => self.running -= 1,
            Slot::Alone => self.isolated -= 1,
        }
    }
}

impl<T: Work> Drop for Run<T> {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            lock(&self.shared.state).free(slot);
        }
    }
}

/// Requests that run in one statement or transaction.
#[derive(Debug)]
#[must_use]
pub struct Batch<T: Work> {
    attempt: Attempt,
    jobs: Vec<Job<T>>,
    begun: Instant,
    patience: Duration,
    held: Held<T>,
}

impl<T: Work> Batch<T> {
    /// Its stage of execution.
    pub fn attempt(&self) -> Attempt {
        self.attempt
    }

    /// When it was started.
    pub fn begun(&self) -> Instant {
        self.begun
    }

    /// Its members, at least one.
    pub fn jobs(&self) -> &[Job<T>] {
        &self.jobs
    }

    /// Whether all members are [alike](Work::alike), so that they fail together.
    pub fn is_uniform(&self) -> bool {
        let mut kinds = self.jobs.iter().map(|job| job.item.alike());
        let first = kinds.next().flatten();
        first.is_some() && kinds.all(|kind| kind == first)
    }

    /// Returns its members to waiting and releases their keys.
    fn into_waiting(self, now: Instant, metrics: &Arc<Metrics>) -> Vec<Job<T>> {
        let mut jobs = self.jobs;
        for job in &mut jobs {
            job.since = now;
            job.gauge = Some(Gauge::waiting(metrics));
            job.share = None;
        }
        jobs
    }

    /// The remaining time that it may block before it must be split.
    pub fn patience(&self, now: Instant) -> Duration {
        match self.attempt {
            Attempt::Together => self.patience,
            Attempt::Part => self.patience / 4,
            Attempt::Alone => self.left(now),
        }
    }

    /// The time until the latest deadline of its members.
    pub fn left(&self, now: Instant) -> Duration {
        let left = self.jobs.iter().map(|job| job.request.deadline.left(now));
        left.max().unwrap_or_default()
    }
}

/// The keys of a member that runs alone, released on drop.
#[derive(Debug)]
struct Held<T: Work> {
    shared: Arc<Shared<T>>,
    keys: Vec<u64>,
}

impl<T: Work> Drop for Held<T> {
    fn drop(&mut self) {
        if !self.keys.is_empty() {
            let mut state = lock(&self.shared.state);
            for key in &self.keys {
                state.held.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests;
