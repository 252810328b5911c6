//! A user: draws a type, runs it, tells the recorder, thinks, and again.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::backoff::Backoff;
use super::plan::{Plan, Share};
use super::sleep::Sleeper;
use crate::load::Arrivals;
use crate::record::{Outcome, Recorder, Sample, Work};
use crate::workload::{Done, Failed, Mix, Session, Turn, Workload, between};

/// What the users of a process share.
pub(super) struct Shared {
    pub(super) plan: Plan,
    pub(super) share: Share,
    pub(super) workload: Arc<dyn Workload>,
    pub(super) mix: Mix,
    pub(super) recorder: Mutex<Recorder>,
    /// Asked to stop before the end.
    stop: Arc<AtomicBool>,
    /// When that was noticed first.
    stopped: OnceLock<Duration>,
    /// Transactions that have begun and not ended.
    pub(super) under_way: AtomicU32,
    /// Arrivals of the measured window that a user took and could not begin any more.
    passed_over: AtomicU64,
    /// Users that a panic ended.
    pub(super) panicked: AtomicU32,
    /// Transactions begun after the warm-up.
    pub(super) begun: AtomicU64,
    /// Users with a connection.
    pub(super) connected: AtomicU32,
    arrivals: Option<Mutex<Arrivals>>,
}

impl Shared {
    pub(super) fn new(
        plan: &Plan,
        share: Share,
        workload: Arc<dyn Workload>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let kinds = workload.kinds();
        Self {
            plan: plan.clone(),
            share,
            mix: Mix::new(kinds.iter().map(|kind| kind.weight)),
            recorder: Mutex::new(Recorder::new(kinds.len(), plan.phases.measured())),
            stop,
            stopped: OnceLock::new(),
            under_way: AtomicU32::new(0),
            passed_over: AtomicU64::new(0),
            panicked: AtomicU32::new(0),
            begun: AtomicU64::new(0),
            connected: AtomicU32::new(0),
            arrivals: plan.arrivals(share.process).map(Mutex::new),
            workload,
        }
    }

    pub(super) fn recorder(&self) -> MutexGuard<'_, Recorder> {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the run was stopped before its end, as noticed at this moment.
    pub(super) fn is_stopped(&self, at: Duration) -> bool {
        let is_stopped = self.stop.load(Ordering::Relaxed);
        if is_stopped {
            self.stopped.get_or_init(|| at);
        }
        is_stopped
    }

    /// Whether an arrival lies in the measured window. What comes after the run was stopped was
    /// never offered.
    fn is_offered(&self, arrival: Duration) -> bool {
        let measured = self.plan.phases.measured();
        let goes_on = self.stopped.get().is_none_or(|stopped| arrival < *stopped);
        goes_on && arrival >= measured.from && measured.to.is_some_and(|to| arrival < to)
    }

    /// The arrivals that were never begun and lie in the measured window, taken out.
    pub(super) fn unsent(&self) -> u64 {
        let (Some(arrivals), Some(to)) = (&self.arrivals, self.plan.phases.measured().to) else {
            return 0;
        };
        let to = self.stopped.get().map_or(to, |stopped| to.min(*stopped));
        let mut arrivals = arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = std::iter::from_fn(|| arrivals.next_moment());
        let rest = rest.take_while(|moment| *moment < to);
        let rest = rest.filter(|moment| self.is_offered(*moment)).count() as u64;
        rest + self.passed_over.load(Ordering::Relaxed)
    }

    fn next_arrival(&self) -> Option<Option<Duration>> {
        let arrivals = self.arrivals.as_ref()?;
        Some(arrivals.lock().unwrap_or_else(PoisonError::into_inner).next_moment())
    }

    /// Whether another transaction may begin at this moment; counts it.
    fn may_begin(&self, at: Duration) -> bool {
        if self.is_stopped(at) || self.plan.phases.end().is_some_and(|end| at >= end) {
            return false;
        }
        let Some(budget) = self.plan.budget(self.share.process) else { return true };
        at < self.plan.phases.measured().from || self.begun.fetch_add(1, Ordering::Relaxed) < budget
    }
}

/// A connected user, or one that will connect when it starts.
pub(super) struct User {
    pub(super) number: u32,
    pub(super) session: Option<Box<dyn Session>>,
    pub(super) sleeper: Arc<Sleeper>,
    backoff: Backoff,
    /// How long it waited to connect again since its last transaction.
    backed_off: Duration,
    /// Whether it ever had a connection.
    has_connected: bool,
}

impl User {
    pub(super) fn new(
        number: u32,
        session: Option<Box<dyn Session>>,
        sleeper: Arc<Sleeper>,
    ) -> Self {
        let (backoff, backed_off) = (Backoff::default(), Duration::ZERO);
        let has_connected = session.is_some();
        Self { number, session, sleeper, backoff, backed_off, has_connected }
    }

    /// Runs transactions until the run's end.
    pub(super) async fn run(mut self, shared: &Shared, origin: Instant) {
        let _watch = Watch(shared);
        let clock = Clock { origin, sleeper: self.sleeper.clone() };
        let mut turn = Turn {
            random: Rng::with_seed(shared.plan.seed ^ (u64::from(self.number) << 32)),
            work: Work::default(),
            slept: Duration::ZERO,
            think: shared.plan.think_inside,
        };
        // Decorrelates seeds that differ in a few bits.
        turn.random = turn.random.fork();
        clock.until(shared.plan.start_of(self.number)).await;
        let mut done = 0;
        let mut begin = clock.now();
        while shared.plan.iterations.is_none_or(|most| done < most) {
            let Some(taken) = self.intended(shared, &clock, begin, &mut turn, done).await else {
                break;
            };
            begin = clock.now();
            if !shared.may_begin(begin) {
                break;
            }
            let intended = taken.begun().unwrap_or(begin);
            self.transaction(shared, &clock, Begun { intended, began: begin, done }, &mut turn)
                .await;
            done += 1;
        }
        if self.session.is_some() {
            shared.connected.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Waits until the next transaction should begin; `None` where nothing comes any more.
    async fn intended<'a>(
        &mut self,
        shared: &'a Shared,
        clock: &Clock,
        last_begin: Duration,
        turn: &mut Turn,
        done: u64,
    ) -> Option<Taken<'a>> {
        if let Some(arrival) = shared.next_arrival() {
            let arrival = arrival?;
            let taken = Taken { shared, arrival: Some(arrival) };
            if shared.plan.phases.end().is_some_and(|end| arrival >= end) {
                return None;
            }
            clock.until(arrival).await;
            return Some(taken);
        }
        if done > 0 {
            let pause = match shared.plan.pacing {
                Some(pacing) => (last_begin + pacing).saturating_sub(clock.now()),
                None => between(&mut turn.random, shared.plan.think),
            };
            if !pause.is_zero() {
                let wake = clock.now() + pause;
                let end = shared.plan.phases.end().unwrap_or(Duration::MAX);
                clock.until(wake.min(end)).await;
            }
        }
        Some(Taken { shared, arrival: None })
    }

    async fn transaction(&mut self, shared: &Shared, clock: &Clock, begun: Begun, turn: &mut Turn) {
        let Begun { intended, began, done: before } = begun;
        let drawn = shared.workload.draw(self.number, before);
        let kind = drawn.unwrap_or_else(|| shared.mix.draw(&mut turn.random));
        let backing_off = std::mem::take(&mut self.backed_off);
        turn.work = Work { backing_off, ..Work::default() };
        turn.slept = Duration::ZERO;
        let under_way = UnderWay::of(shared);
        let done = self.perform(shared, kind, turn).await;
        drop(under_way);
        let ended = clock.now();
        let (outcome, said) = match done {
            Ok(success) => (success.into(), None),
            Err(failed) => (failed.outcome, Some(failed.said)),
        };
        let sample = Sample {
            kind,
            outcome,
            intended,
            began,
            ended,
            slept: turn.slept,
            work: turn.work,
            counts: before >= shared.plan.uncounted,
            user: shared.plan.iterations.map(|_| self.number),
        };
        shared.recorder().take(&sample, said.as_deref());
        if outcome == Outcome::Connection && self.session.take().is_some() {
            shared.connected.fetch_sub(1, Ordering::Relaxed);
        }
        if turn.work.connects_failed > 0 {
            clock.until(ended + self.backoff.failed()).await;
            self.backed_off = clock.now().saturating_sub(ended);
        }
    }

    async fn perform(&mut self, shared: &Shared, kind: usize, turn: &mut Turn) -> Done {
        if self.session.is_none() {
            let began = Instant::now();
            let opened = shared.workload.open(self.number).await;
            if self.has_connected || opened.is_err() {
                turn.work.connected(opened.is_ok(), began.elapsed());
            }
            self.session = Some(opened?);
            self.has_connected = true;
            shared.connected.fetch_add(1, Ordering::Relaxed);
        }
        let Some(session) = &mut self.session else {
            return Err(Failed::new(Outcome::Connection, "not connected"));
        };
        let before = session.moved();
        let done = session.run(kind, turn).await;
        let moved = session.moved().since(before);
        turn.work.sent += moved.sent;
        turn.work.received += moved.received;
        if turn.work.connects_failed == 0 {
            self.backoff.connected();
        }
        done
    }
}

/// What a user waits for. An arrival that it does not begin, whatever ends the user, is passed over.
struct Taken<'a> {
    shared: &'a Shared,
    /// None where nothing was planned.
    arrival: Option<Duration>,
}

impl Taken<'_> {
    /// It is begun; when it was to be.
    fn begun(mut self) -> Option<Duration> {
        self.arrival.take()
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if self.arrival.is_some_and(|arrival| self.shared.is_offered(arrival)) {
            self.shared.passed_over.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A transaction that has not ended; one that panics has.
struct UnderWay<'a>(&'a Shared);

impl<'a> UnderWay<'a> {
    fn of(shared: &'a Shared) -> Self {
        shared.under_way.fetch_add(1, Ordering::Relaxed);
        Self(shared)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counts a user that a panic ends.
struct Watch<'a>(&'a Shared);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.panicked.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A transaction that begins.
struct Begun {
    intended: Duration,
    began: Duration,
    /// Those of its user before it.
    done: u64,
}

/// Time from the run's beginning.
struct Clock {
    origin: Instant,
    sleeper: Arc<Sleeper>,
}

impl Clock {
    fn now(&self) -> Duration {
        Instant::now().saturating_duration_since(self.origin)
    }

    async fn until(&self, moment: Duration) {
        // A timer that the kernel refuses would show as transactions that begin early or late.
        let _ = self.sleeper.until(self.origin + moment).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::super::plan::{Model, Phases};
    use super::super::process::{Ended, Event, Process};
    use super::*;
    use crate::workload::{Kind, Local, Success};

    /// Its first user panics, the others do what they should.
    struct Panics(Vec<Kind>);

    struct User(u32);

    impl Workload for Panics {
        fn kinds(&self) -> &[Kind] {
            &self.0
        }

        fn is_blocking(&self) -> bool {
            false
        }

        fn open(&self, user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
            Box::pin(async move { Ok(Box::new(User(user)) as Box<dyn Session>) })
        }
    }

    impl Session for User {
        fn run<'a>(&'a mut self, _: usize, _: &'a mut Turn) -> Local<'a, Done> {
            Box::pin(async move {
                if self.0 == 0 {
                    // A panic without its report: printing one may take longer than the run.
                    std::panic::resume_unwind(Box::new("this one is to panic"));
                }
                Ok(Success::Ok)
            })
        }
    }

    fn workload() -> Arc<dyn Workload> {
        Arc::new(Panics(vec![Kind::new("It", "IT", 1.0)]))
    }

    fn ended(plan: &Plan) -> Ended {
        let (events, told) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let process = Process::prepare(plan, plan.share(0), workload(), stop).unwrap();
        process.run(Instant::now(), &events);
        drop(events);
        let ended = told.iter().find_map(|event| match event {
            Event::Ended(ended) => Some(*ended),
            _ => None,
        });
        ended.unwrap()
    }

    #[test]
    fn a_user_that_panics_is_told_and_not_waited_for() {
        let mut plan = Plan { pacing: Some(Duration::from_secs(60)), ..Plan::closed(1, 3) };
        plan.phases.measure = Some(Duration::from_millis(200));
        let began = Instant::now();
        let ended = ended(&plan);
        assert_eq!((ended.panicked, ended.totals.whole.iter().sum::<u64>()), (1, 2));
        // Long before those that are under way would be given up.
        assert!(began.elapsed() < Duration::from_secs(9));
    }

    #[test]
    fn an_arrival_that_is_taken_and_never_begun_is_unsent() {
        let measure = Some(Duration::from_secs(3600));
        let model = Model::Open { rate: 1.0, poisson: false, steps: Vec::new() };
        let phases = Phases { measure, ..Phases::default() };
        let plan = Plan { model, phases, ..Plan::closed(1, 1) };
        let stop = Arc::new(AtomicBool::new(false));
        let shared = Shared::new(&plan, plan.share(0), workload(), stop);
        let take = || Taken { shared: &shared, arrival: shared.next_arrival().flatten() };
        assert!(take().begun().is_some());
        let passed_over = || shared.passed_over.load(Ordering::Relaxed);
        assert_eq!(passed_over(), 0);
        drop(take());
        assert_eq!(passed_over(), 1);
        drop(Taken { shared: &shared, arrival: None });
        drop(Taken { shared: &shared, arrival: Some(Duration::from_secs(3600)) });
        assert_eq!((passed_over(), shared.unsent()), (1, 3599));
    }
}
