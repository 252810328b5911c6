//! A bounded queue with natural batching: while a batch runs, requests wait; the next batch takes
//! them all. A batch that blocks or fails is split, and the members that cause it run alone.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;

use crate::deadline::Request;
use crate::fair::FairQueue;
use crate::metrics::{Gauge, Metrics};
use crate::suspects::Suspects;
use crate::{Refusal, lock};

/// What waits in a queue.
pub trait Work {
    /// Names what the work may have to wait for, as hashes: the rows that it locks or refers to.
    /// Work that touches what blocked lately runs alone.
    fn touches(&self, key: &mut dyn FnMut(u64)) {
        let _ = key;
    }

    /// How much of a batch it fills; see [`BatchLimits::weight`].
    fn weight(&self) -> usize {
        1
    }

    /// What it has in common with work that fails whenever it fails, as a hash: the key of what both read. The parts
    /// of a batch keep such work together.
    fn alike(&self) -> Option<u64> {
        None
    }

    /// Whether its caller has gone away.
    fn is_abandoned(&self) -> bool {
        false
    }

    /// Tells the caller that its deadline has passed.
    fn refuse(self, refusal: Refusal)
    where
        Self: Sized,
    {
        let _ = refusal;
    }
}

/// The bounds of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Batches that run at once.
    pub slots: usize,
    /// Members that run alone at once, beside the batches.
    pub isolated: usize,
    /// Requests that may wait.
    pub length: usize,
    /// Members of a batch.
    pub batch: usize,
    /// The weight from which on a batch takes no further member.
    pub weight: usize,
    /// How long a batch may block before it is split.
    pub patience: Duration,
    /// How long what blocked is kept apart from batches.
    pub memory: Duration,
}

impl Default for BatchLimits {
    fn default() -> Self {
        Self {
            slots: 1,
            isolated: 1,
            length: 20_000,
            batch: 256,
            weight: usize::MAX,
            patience: Duration::from_millis(50),
            memory: Duration::from_secs(5),
        }
    }
}

/// How often a batch has been tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// For the first time, with everybody who waited.
    Together,
    /// As a part of a batch that blocked or failed.
    Part,
    /// A single member, which may block until its deadline.
    Alone,
}

/// Why a batch is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// It waited too long for something that another transaction holds. What its members touch is
    /// suspected once they are known.
    Blocked,
    /// One of its members made it fail.
    Failed,
}

/// A request in a queue or a batch.
#[derive(Debug)]
pub struct Job<T> {
    /// Whose it is, and its deadline.
    pub request: Request,
    /// What is to be done, and who waits for it.
    pub item: T,
    since: Instant,
    gauge: Option<Gauge>,
}

impl<T> Job<T> {
    /// A request for some work, which has just arrived at the queue.
    pub fn new(request: Request, item: T) -> Self {
        Self { request, item, since: request.deadline.arrived(), gauge: None }
    }
}

/// A queue; clones share it.
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
    suspects: Suspects,
    /// What those touch that run alone now.
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
            suspects: Suspects::default(),
            held: HashSet::default(),
        };
        Self(Arc::new(Shared { limits, metrics, state: Mutex::new(state) }))
    }

    /// The counters of this queue.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.0.metrics
    }

    /// Whether nothing waits and nothing runs.
    pub fn is_idle(&self) -> bool {
        let state = lock(&self.0.state);
        state.running + state.isolated + state.queued() == 0
    }

    /// Puts a request into the queue. Dropping the ticket takes it out again, where it has not
    /// begun to run.
    ///
    /// # Errors
    /// Where the queue is full or the deadline has passed.
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
        // The id that it gets in one of the two queues.
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

    /// Takes a slot where something waits and one is free. The driver calls this after each
    /// [`submit`](Self::submit), [`take`](Run::take) and [`split`](Run::split) until it gives none,
    /// and runs each.
    pub fn begin(&self) -> Option<Run<T>> {
        let shared = &self.0;
        let mut state = lock(&shared.state);
        let has_more = !state.waiting.is_empty() || !state.parts.is_empty();
        let slot = if has_more && state.running < shared.limits.slots {
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

    /// The next part of a batch that was split, or all who wait as far as they fit; those under
    /// suspicion are isolated. Members whose time is over go to `expired`.
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
            let Some(job) = self.waiting.pop() else { break };
            let more = job.item.weight();
            let before = jobs.len();
            self.sort(now, job, metrics, &mut jobs, expired);
            weight = weight.saturating_add(if jobs.len() > before { more } else { 0 });
        }
        (!jobs.is_empty()).then_some((Attempt::Together, jobs))
    }

    /// Puts a member into the batch, or where it belongs instead.
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

    /// The next to run alone: what it touches is not what another one waits for alone.
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

/// A request's hold on its place in the queue: dropped, it leaves the queue.
#[derive(Debug)]
#[must_use]
pub struct Ticket<T: Work> {
    shared: Arc<Shared<T>>,
    request: Request,
    id: u64,
    /// Whether it may still be in the queue.
    may_wait: bool,
}

impl<T: Work> Ticket<T> {
    /// Takes the request out of the queue, because its deadline has passed; false where it runs.
    pub fn expire(&self) -> bool {
        let expired = self.leave();
        if expired {
            self.shared.metrics.expired();
        }
        expired
    }

    /// The request has its answer, so it is in no queue: spares the look for it.
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

/// A slot in which batches run one after the other, until dropped.
#[derive(Debug)]
#[must_use]
pub struct Run<T: Work> {
    shared: Arc<Shared<T>>,
    slot: Option<Slot>,
}

impl<T: Work> Run<T> {
    /// Whether something waits that it could take.
    pub fn has_more(&self) -> bool {
        let state = lock(&self.shared.state);
        match self.slot {
            Some(Slot::Shared) => !state.waiting.is_empty() || !state.parts.is_empty(),
            Some(Slot::Alone) => !state.alone.is_empty(),
            None => false,
        }
    }

    /// Whether it runs single members, beside the batches.
    pub fn is_alone(&self) -> bool {
        self.slot == Some(Slot::Alone)
    }

    /// The next batch; none where nothing is left to do, and the slot is free again.
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

    /// The batch takes long: it gives its slot to the next batch, where it can run beside the
    /// batches. True where it does, and [`Batches::begin`] is to be called.
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

    /// The batch has ended: gives its members, to be answered.
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

    /// The batch has blocked: its halves are tried apart from each other, and a single member alone,
    /// beside the batches.
    pub fn split(&self, now: Instant, batch: Batch<T>) {
        self.apart(now, batch, Cause::Blocked);
    }

    /// The batch has failed because of one of its members: its halves are tried apart from each
    /// other. Members that are [alike](Work::alike) stay together, unless all are.
    pub fn halve(&self, now: Instant, batch: Batch<T>) {
        self.apart(now, batch, Cause::Failed);
    }

    /// One member, at this position, has blocked the batch: it runs alone, beside the batches, and
    /// the others are tried again together.
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

    /// One member, at this position, has made the batch fail: gives it to be answered; the others
    /// are tried again together.
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

/// Requests that run together.
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
    /// How often it has been tried.
    pub fn attempt(&self) -> Attempt {
        self.attempt
    }

    /// When it was taken.
    pub fn begun(&self) -> Instant {
        self.begun
    }

    /// Its members; at least one.
    pub fn jobs(&self) -> &[Job<T>] {
        &self.jobs
    }

    /// Whether all members are [alike](Work::alike), so that they fail together.
    pub fn is_uniform(&self) -> bool {
        let mut kinds = self.jobs.iter().map(|job| job.item.alike());
        let first = kinds.next().flatten();
        first.is_some() && kinds.all(|kind| kind == first)
    }

    /// Its members, waiting again; what they hold is free.
    fn into_waiting(self, now: Instant, metrics: &Arc<Metrics>) -> Vec<Job<T>> {
        let mut jobs = self.jobs;
        for job in &mut jobs {
            job.since = now;
            job.gauge = Some(Gauge::waiting(metrics));
        }
        jobs
    }

    /// How long it may block from now on, before it is to be split.
    pub fn patience(&self, now: Instant) -> Duration {
        match self.attempt {
            Attempt::Together => self.patience,
            Attempt::Part => self.patience / 4,
            Attempt::Alone => self.left(now),
        }
    }

    /// The time until the last deadline of its members.
    pub fn left(&self, now: Instant) -> Duration {
        let left = self.jobs.iter().map(|job| job.request.deadline.left(now));
        left.max().unwrap_or_default()
    }
}

/// What a member that runs alone touches, until dropped.
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
