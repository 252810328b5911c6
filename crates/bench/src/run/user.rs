//! A user: draws a type, runs it, records it, thinks, and repeats.
//!
//! All users of a process share one thread, unless their sessions block it (SQLite): then each has
//! its own.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::backoff::Backoff;
use super::event::Event;
use super::plan::{Plan, Share};
use super::sample_log::SampleLog;
use super::sleep::Sleeper;
use crate::load::{Arrivals, Planned};
use crate::record::{Begun, Blame, Measured, Recorder, Sample, TransactionCost, run_as_due};
use crate::workload::{Done, Failed, Mix, Session, Trace, TransactionContext, Workload, between};
use duet_verdict::outcome::Outcome;

/// The longest wait for transactions in flight when the load ends.
const GRACE: Duration = Duration::from_secs(10);

/// The shared state of a process's users.
pub(super) struct Shared {
    pub(super) plan: Plan,
    pub(super) share: Share,
    pub(super) workload: Arc<dyn Workload>,
    pub(super) mix: Mix,
    recorder: Mutex<Recorder>,
    /// The time that the users have waited for the recorder, in nanoseconds.
    recording: AtomicU64,
    /// Set to stop before the end.
    stop: Arc<AtomicBool>,
    /// Whether everything that was due in the windows of all processes has ended.
    pub(super) all_drained: Arc<AtomicBool>,
    /// The receiver of an event when this process has drained.
    listener: Mutex<Option<Sender<Event>>>,
    /// The moment at which the stop was first noticed.
    stopped: OnceLock<()>,
    /// Transactions in flight.
    pub(super) under_way: AtomicU32,
    /// Unfinished transactions due in the window: those in flight, and arrivals that a user has
    /// taken.
    due: AtomicU64,
    /// Arrivals that a user took and could not begin.
    passed_over: Mutex<Vec<Duration>>,
    /// Users that have done all their transactions.
    counted_out: AtomicU32,
    /// Users that panicked.
    pub(super) panicked: AtomicU32,
    /// Transactions begun after the warm-up.
    pub(super) begun: AtomicU64,
    /// Users with a connection.
    pub(super) connected: Connected,
    arrivals: Option<Mutex<Arrivals>>,
    /// A copy of the arrivals, to count those that the plan placed in the window.
    planned: Option<Mutex<Planned>>,
    /// Where counted transactions are written one by one, if they are.
    pub(super) samples: Option<Arc<SampleLog>>,
    /// Whether the users of groups decide themselves what they do next.
    pub(super) is_grouped: bool,
}

impl Shared {
    pub(super) fn new(
        plan: &Plan,
        share: Share,
        workload: Arc<dyn Workload>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let kinds = workload.kinds();
        let measured = plan.phases.measured();
        let arrivals = plan.arrivals(share.process);
        let planned = arrivals.clone().map(|arrivals| Planned::new(arrivals, measured.from));
        Self {
            plan: plan.clone(),
            share,
            mix: Mix::new(kinds.iter().map(|kind| kind.weight)),
            recorder: Mutex::new(Recorder::new(kinds.len(), measured, plan.grace())),
            recording: AtomicU64::new(0),
            stop,
            all_drained: Arc::new(AtomicBool::new(plan.processes == 1)),
            listener: Mutex::default(),
            stopped: OnceLock::new(),
            under_way: AtomicU32::new(0),
            due: AtomicU64::new(0),
            passed_over: Mutex::default(),
            counted_out: AtomicU32::new(0),
            panicked: AtomicU32::new(0),
            begun: AtomicU64::new(0),
            connected: Connected::default(),
            arrivals: arrivals.map(Mutex::new),
            planned: planned.map(Mutex::new),
            samples: SampleLog::of(&plan.samples, kinds, workload.groups()).map(Arc::new),
            is_grouped: !workload.groups().is_empty(),
            workload,
        }
    }

    pub(super) fn recorder(&self) -> MutexGuard<'_, Recorder> {
        if let Ok(recorder) = self.recorder.try_lock() {
            return recorder;
        }
        let began = Instant::now();
        let recorder = locked(&self.recorder);
        let waited = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.recording.fetch_add(waited, Ordering::Relaxed);
        recorder
    }

    /// The share of the run so far that its users waited for the recorder, on average.
    pub(super) fn recording_share(&self, so_far: Duration) -> f64 {
        let waited = Duration::from_nanos(self.recording.load(Ordering::Relaxed)).as_secs_f64();
        let all = so_far.as_secs_f64() * f64::from(self.share.users);
        if all > 0.0 { waited / all } else { 0.0 }
    }

    /// Whether the run was stopped before its end, as noticed at this moment.
    pub(super) fn is_stopped(&self, at: Duration) -> bool {
        let is_stopped = self.stop.load(Ordering::Relaxed);
        if is_stopped {
            self.stopped.get_or_init(|| self.recorder().stop(at, GRACE));
        }
        is_stopped
    }

    /// Whether the run was stopped before its end.
    pub(super) fn was_stopped(&self) -> bool {
        self.stopped.get().is_some()
    }

    /// How long at most to wait for transactions in flight once the load has ended. Those due in the window
    /// have ended or count as unfinished; the others are waited for so that the counts of client
    /// and server agree.
    pub(super) fn patience(&self) -> Duration {
        if self.was_stopped() { GRACE } else { GRACE.min(self.plan.timeout) }
    }

    /// Whether the load has ended, so that no transaction begins. It continues behind the last
    /// phase until everything due in the window has ended: otherwise the last of it would meet a
    /// less busy server.
    pub(super) fn is_over(&self, at: Duration) -> bool {
        let (Some(end), Some(last)) = (self.plan.phases.end(), self.plan.last_begin()) else {
            return self.is_stopped(at);
        };
        self.is_stopped(at) || at >= end && (at >= last || self.are_all_drained())
    }

    /// Whether as many transactions have begun as the run shall have: users that wait for their moment are not waited for.
    pub(super) fn is_spent(&self) -> bool {
        let budget = self.plan.budget(self.share.process);
        budget.is_some_and(|budget| self.begun.load(Ordering::Relaxed) >= budget)
    }

    /// Whether users of groups have steps to run after the load.
    pub(super) fn has_last_steps(&self) -> bool {
        self.is_grouped && self.workload.has_last_steps()
    }

    /// Counts a user that has done all its transactions.
    pub(super) fn count_out(&self) {
        self.counted_out.fetch_add(1, Ordering::Relaxed);
    }

    /// Sets the receiver of an event when everything due in this process's window has ended.
    pub(super) fn listen(&self, events: &Sender<Event>) {
        *locked(&self.listener) = Some(events.clone());
    }

    /// Whether everything due in the windows of all processes has ended: if one process ended
    /// earlier, the last requests of the others would meet a less busy server.
    fn are_all_drained(&self) -> bool {
        if !self.is_drained() {
            return false;
        }
        if let Some(events) = locked(&self.listener).take() {
            // The receiver is gone if the run was aborted.
            drop(events.send(Event::Drained { process: self.share.process }));
        }
        self.all_drained.load(Ordering::Relaxed)
    }

    /// Whether everything due in this process's window has ended.
    fn is_drained(&self) -> bool {
        let to = self.plan.phases.measured().to;
        let next = self.arrivals.as_ref().and_then(|arrivals| locked(arrivals).peek());
        let all_taken = next.is_none_or(|next| to.is_some_and(|to| next >= to));
        all_taken && self.due.load(Ordering::Relaxed) == 0
    }

    /// Whether the run follows a transaction to its end. In a closed run this is also one that began before the
    /// window: it is due there if it lasts through all of it.
    fn is_followed(&self, begun: &Begun) -> bool {
        let may_span = || self.plan.phases.measured().may_span(begun);
        begun.is_due() || self.arrivals.is_none() && may_span()
    }

    /// Counts the plan's arrivals in the window until shortly before a moment: a stop is noticed
    /// with a delay.
    pub(super) fn count_planned(&self, now: Duration) {
        let now = now.saturating_sub(Duration::from_secs(1));
        let to = self.plan.phases.measured().to.map_or(Duration::ZERO, |to| to.min(now));
        if let Some(planned) = &self.planned {
            locked(planned).until(to);
        }
    }

    /// Completes the counts when no user runs any more.
    pub(super) fn conclude(&self, now: Duration) {
        let all = self.counted_out.load(Ordering::Relaxed) + self.panicked.load(Ordering::Relaxed);
        let by_count = all >= self.share.users || self.is_spent();
        let Measured { from, to } = self.recorder().measured();
        match (&self.planned, &self.arrivals, to) {
            (Some(planned), Some(arrivals), Some(to)) if !by_count => {
                let passed_over = std::mem::take(&mut *locked(&self.passed_over));
                let mut arrivals = locked(arrivals);
                let rest = std::iter::from_fn(|| arrivals.next_moment());
                // There are as many as the rate says: they are counted, not kept.
                let unsent = passed_over.into_iter().chain(rest.take_while(|moment| *moment < to));
                let unsent = unsent.filter(|moment| (from..to).contains(moment));
                let planned = locked(planned).until(to);
                self.recorder().conclude(Some(planned), unsent, by_count, now);
            }
            _ => self.recorder().conclude(None, [], by_count, now),
        }
    }

    fn next_arrival(&self) -> Option<Option<Duration>> {
        let arrivals = self.arrivals.as_ref()?;
        Some(locked(arrivals).next_moment())
    }

    /// Counts another transaction, intended for a moment, if it may begin at this one.
    fn may_begin(&self, intended: Duration, at: Duration) -> bool {
        if self.is_over(at) {
            return false;
        }
        let Some(budget) = self.plan.budget(self.share.process) else { return true };
        // As the recorder decides: an arrival of the warm-up that begins late does not count.
        let may = intended < self.plan.phases.measured().from
            || self.begun.fetch_add(1, Ordering::Relaxed) < budget;
        if !may {
            self.counted_out.fetch_add(1, Ordering::Relaxed);
        }
        may
    }
}

/// How many users have a connection, and how many had one at most since it was read: at the end of a run's last
/// second they have closed it.
#[derive(Debug, Default)]
pub(super) struct Connected {
    now: AtomicU32,
    most: AtomicU32,
}

impl Connected {
    pub(super) fn add(&self) {
        let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
    }

    pub(super) fn remove(&self) {
        self.now.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn now(&self) -> u32 {
        self.now.load(Ordering::Relaxed)
    }

    /// The most since the last call.
    pub(super) fn most(&self) -> u32 {
        self.most.swap(self.now(), Ordering::Relaxed)
    }
}

fn locked<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A user that is connected, or connects when it starts.
pub(super) struct User {
    pub(super) number: u32,
    pub(super) session: Option<Box<dyn Session>>,
    pub(super) sleeper: Arc<Sleeper>,
    backoff: Backoff,
    /// The wait to reconnect since its last transaction.
    backed_off: Duration,
    /// Whether it ever had a connection.
    has_connected: bool,
    /// When it became idle.
    free: Duration,
    /// When its next transaction is due.
    due: Duration,
}

impl User {
    pub(super) fn new(
        number: u32,
        session: Option<Box<dyn Session>>,
        sleeper: Arc<Sleeper>,
    ) -> Self {
        Self {
            number,
            has_connected: session.is_some(),
            session,
            sleeper,
            backoff: Backoff::default(),
            backed_off: Duration::ZERO,
            free: Duration::ZERO,
            due: Duration::ZERO,
        }
    }

    /// Runs transactions until the end of the run.
    pub(super) async fn run(mut self, shared: &Shared, origin: Instant) {
        let _watch = Watch(shared);
        let clock = Clock { origin, sleeper: self.sleeper.clone() };
        let mut context = TransactionContext {
            random: Rng::with_seed(shared.plan.seed ^ (u64::from(self.number) << 32)),
            work: TransactionCost::default(),
            slept: Duration::ZERO,
            think: shared.plan.think_inside,
            trace: Trace::default(),
        };
        // Decorrelates similar seeds.
        context.random = context.random.fork();
        if shared.is_grouped {
            return self.follow(shared, &clock, origin, &mut context).await;
        }
        clock.until(shared.plan.start_of(self.number)).await;
        let _logged = LoggedUser::begin(shared, origin, self.number);
        let mut done = 0;
        let mut begin = clock.now();
        loop {
            if shared.plan.iterations.is_some_and(|most| done >= most) {
                shared.counted_out.fetch_add(1, Ordering::Relaxed);
                break;
            }
            let Some(taken) = self.intended(shared, &clock, begin, &mut context, done).await else {
                break;
            };
            begin = clock.now();
            if !shared.may_begin(taken.arrival.unwrap_or(begin), begin) {
                break;
            }
            let late = Blame::of(self.due, begin, self.free);
            let beginning = Beginning { taken, began: begin, done, late };
            self.transaction(shared, &clock, beginning, &mut context).await;
            done += 1;
        }
        if self.session.is_some() {
            shared.connected.remove();
        }
    }

    /// Waits until the next transaction should begin; `None` at the end.
    async fn intended<'a>(
        &mut self,
        shared: &'a Shared,
        clock: &Clock,
        last_begin: Duration,
        context: &mut TransactionContext,
        done: u64,
    ) -> Option<ClaimedArrival<'a>> {
        if let Some(arrival) = shared.next_arrival() {
            let arrival = arrival?;
            let taken = ClaimedArrival::of(shared, arrival);
            if shared.plan.last_begin().is_some_and(|last| arrival >= last) {
                return None;
            }
            self.due = arrival;
            clock.until(arrival).await;
            return Some(taken);
        }
        self.due = clock.now();
        if done > 0 {
            let pause = match shared.plan.pacing {
                Some(pacing) => (last_begin + pacing).saturating_sub(clock.now()),
                None => between(&mut context.random, shared.plan.think),
            };
            if !pause.is_zero() {
                let wake = clock.now() + pause;
                let end = shared.plan.last_begin().unwrap_or(Duration::MAX);
                self.due = wake.min(end);
                clock.until(self.due).await;
            }
        }
        Some(ClaimedArrival::unplanned(shared))
    }

    async fn transaction(
        &mut self,
        shared: &Shared,
        clock: &Clock,
        beginning: Beginning<'_>,
        context: &mut TransactionContext,
    ) {
        let drawn = shared.workload.draw(self.number, beginning.done);
        let kind = drawn.unwrap_or_else(|| shared.mix.draw(&mut context.random));
        let backing_off = std::mem::take(&mut self.backed_off);
        context.work = TransactionCost { backing_off, ..TransactionCost::default() };
        context.slept = Duration::ZERO;
        let user = shared.plan.iterations.map(|_| self.number);
        let mut under_way = beginning.begin(clock, kind, user);
        let is_due = under_way.begun.as_ref().is_some_and(Begun::is_due);
        let done = run_as_due(is_due, self.perform(shared, kind, context)).await;
        let ended = clock.now();
        let (outcome, message) = match done {
            Ok(success) => (success.into(), None),
            Err(failed) => (failed.outcome, Some(failed.message)),
        };
        if let Some(begun) = under_way.begun.take() {
            let sample = Sample { begun, outcome, ended, slept: context.slept, work: context.work };
            let counts = shared.recorder().take(&sample, message.as_deref());
            if let Some(log) = shared.samples.as_ref().filter(|_| counts) {
                let users = shared.connected.now();
                log.ended(&sample, message, self.number, users, Trace::default());
            }
        }
        drop(under_way);
        self.free = ended;
        if outcome == Outcome::Connection && self.session.take().is_some() {
            shared.connected.remove();
        }
        if context.work.connects_failed > 0 {
            self.free = ended + self.backoff.failed();
            clock.until(self.free).await;
            self.backed_off = clock.now().saturating_sub(ended);
        }
    }

    async fn perform(
        &mut self,
        shared: &Shared,
        kind: usize,
        context: &mut TransactionContext,
    ) -> Done {
        if self.session.is_none() {
            let began = Instant::now();
            let opened = shared.workload.open(self.number).await;
            if self.has_connected || opened.is_err() {
                context.work.connected(opened.is_ok(), began.elapsed());
            }
            self.session = Some(opened?);
            self.has_connected = true;
            shared.connected.add();
        }
        let Some(session) = &mut self.session else {
            return Err(Failed::new(Outcome::Connection, "not connected"));
        };
        let before = session.moved();
        let done = session.run(kind, context).await;
        let moved = session.moved().since(before);
        context.work.sent += moved.sent;
        context.work.received += moved.received;
        if context.work.connects_failed == 0 {
            self.backoff.connected();
        }
        done
    }
}

/// The start that a user waits for. If the user ends first, for any reason, the arrival counts as
/// passed over.
pub(super) struct ClaimedArrival<'a> {
    shared: &'a Shared,
    /// `None` in a closed workload.
    arrival: Option<Duration>,
    /// Set if the arrival is in the window.
    due: Option<DueGuard<'a>>,
}

impl<'a> ClaimedArrival<'a> {
    /// The start of a closed run, which no plan has.
    pub(super) fn unplanned(shared: &'a Shared) -> Self {
        Self { shared, arrival: None, due: None }
    }

    fn of(shared: &'a Shared, arrival: Duration) -> Self {
        let is_due = shared.plan.phases.measured().has(arrival);
        Self { shared, arrival: Some(arrival), due: is_due.then(|| DueGuard::of(shared)) }
    }
}

impl Drop for ClaimedArrival<'_> {
    fn drop(&mut self) {
        if let Some(arrival) = self.arrival {
            locked(&self.shared.passed_over).push(arrival);
        }
    }
}

/// Counts as due in the window while it lives.
struct DueGuard<'a>(&'a Shared);

impl<'a> DueGuard<'a> {
    fn of(shared: &'a Shared) -> Self {
        shared.due.fetch_add(1, Ordering::Relaxed);
        Self(shared)
    }
}

impl Drop for DueGuard<'_> {
    fn drop(&mut self) {
        self.0.due.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A transaction that is about to begin.
pub(super) struct Beginning<'a> {
    pub(super) taken: ClaimedArrival<'a>,
    pub(super) began: Duration,
    /// The number of its user's earlier transactions.
    pub(super) done: u64,
    pub(super) late: Option<Blame>,
}

impl<'a> Beginning<'a> {
    pub(super) fn begin(
        mut self,
        clock: &'a Clock,
        kind: usize,
        user: Option<u32>,
    ) -> UnderWay<'a> {
        let shared = self.taken.shared;
        let intended = self.taken.arrival.take().unwrap_or(self.began);
        let counts = self.done >= shared.plan.uncounted;
        let begun = Begun::new(kind, user, [intended, self.began], counts);
        let begun = shared.recorder().begin(begun.late(self.late));
        let due = self.taken.due.take();
        let due = due.or_else(|| shared.is_followed(&begun).then(|| DueGuard::of(shared)));
        shared.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay { shared, clock, begun: Some(begun), _due: due }
    }
}

/// A transaction in flight. One that panics, or is waited for no longer, never ends.
pub(super) struct UnderWay<'a> {
    shared: &'a Shared,
    clock: &'a Clock,
    pub(super) begun: Option<Begun>,
    _due: Option<DueGuard<'a>>,
}

impl<'a> UnderWay<'a> {
    /// A part of a transaction that is measured as a whole.
    pub(super) fn unmeasured(shared: &'a Shared, clock: &'a Clock) -> Self {
        shared.under_way.fetch_add(1, Ordering::Relaxed);
        Self { shared, clock, begun: None, _due: None }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.shared.under_way.fetch_sub(1, Ordering::Relaxed);
        if let Some(begun) = &self.begun {
            self.shared.recorder().give_up(begun, self.clock.now());
        }
    }
}

/// A user in the files of samples, from its begin to its end, however it ends.
pub(super) struct LoggedUser<'a>(&'a Shared, Instant, u32);

impl<'a> LoggedUser<'a> {
    pub(super) fn begin(shared: &'a Shared, origin: Instant, number: u32) -> Self {
        let user = Self(shared, origin, number);
        user.log(true);
        user
    }

    fn log(&self, begins: bool) {
        if let Some(log) = &self.0.samples {
            log.user(begins, Instant::now().saturating_duration_since(self.1), self.2);
        }
    }
}

impl Drop for LoggedUser<'_> {
    fn drop(&mut self) {
        self.log(false);
    }
}

/// Counts a user that panics.
struct Watch<'a>(&'a Shared);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.panicked.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Time from the run's beginning.
pub(super) struct Clock {
    origin: Instant,
    sleeper: Arc<Sleeper>,
}

impl Clock {
    pub(super) fn now(&self) -> Duration {
        Instant::now().saturating_duration_since(self.origin)
    }

    pub(super) async fn until(&self, moment: Duration) {
        // A kernel timer that fails would show as transactions that begin early or late.
        let _ = self.sleeper.until(self.origin + moment).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::super::event::{Ended, Event};
    use super::super::plan::{Model, Phases};
    use super::super::process::Process;
    use super::*;
    use crate::workload::{Local, Success, TransactionType};

    /// Its first user panics, the others work.
    struct Panics(Vec<TransactionType>);

    struct User(u32);

    impl Workload for Panics {
        fn kinds(&self) -> &[TransactionType] {
            &self.0
        }

        fn open(&self, user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
            Box::pin(async move { Ok(Box::new(User(user)) as Box<dyn Session>) })
        }
    }

    impl Session for User {
        fn run<'a>(&'a mut self, _: usize, _: &'a mut TransactionContext) -> Local<'a, Done> {
            Box::pin(async move {
                if self.0 == 0 {
                    // Panics without the report, which may take longer to print than the run.
                    std::panic::resume_unwind(Box::new("this one is to panic"));
                }
                Ok(Success::Ok)
            })
        }
    }

    fn workload() -> Arc<dyn Workload> {
        Arc::new(Panics(vec![TransactionType::new("It", "IT", 1.0)]))
    }

    fn ended(plan: &Plan) -> Ended {
        let (events, received) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let process = Process::prepare(plan, plan.share(0), workload(), stop).unwrap();
        process.run(Instant::now(), &events);
        drop(events);
        let ended = received.iter().find_map(|event| match event {
            Event::Ended(ended) => Some(*ended),
            _ => None,
        });
        ended.unwrap()
    }

    #[test]
    fn waits_for_the_recorder_are_counted() {
        let plan = Plan::closed(1, 4);
        let stop = Arc::new(AtomicBool::new(false));
        let shared = Shared::new(&plan, plan.share(0), workload(), stop);
        drop(shared.recorder());
        let share = || shared.recording_share(Duration::from_millis(1));
        assert_eq!(share(), 0.0);
        // A thread that begins late finds the recorder free.
        for _ in 0..1_000 {
            std::thread::scope(|scope| {
                let _recorder = shared.recorder();
                scope.spawn(|| drop(shared.recorder()));
                std::thread::sleep(Duration::from_millis(1));
            });
            if share() > 0.0 {
                return;
            }
        }
        panic!("no wait was counted");
    }

    #[test]
    fn the_last_second_has_its_users() {
        let connected = Connected::default();
        (0..3).for_each(|_| connected.add());
        connected.remove();
        assert_eq!((connected.now(), connected.most()), (2, 3));
        assert_eq!(connected.most(), 2);
        (0..2).for_each(|_| connected.remove());
        assert_eq!([connected.most(), connected.most()], [2, 0]);
    }

    #[test]
    fn a_user_that_panics_is_reported_and_not_waited_for() {
        // Only its users end this run: it would never end if it waited for the one that panicked.
        let plan = Plan { iterations: Some(1), ..Plan::closed(1, 3) };
        let all = ended(&plan);
        assert_eq!((all.panicked, all.totals.whole.iter().sum::<u64>()), (1, 2));
        // Nor are those that wait for their moment when the last transaction has ended: for a day, or a thousand seconds.
        let even = Model::Open { rate: 0.001, poisson: false, steps: Vec::new() };
        let day = Duration::from_secs(86_400);
        for (plan, counted) in [
            (Plan { model: even, transactions: Some(1), ..Plan::closed(1, 2) }, 0),
            (Plan { pacing: Some(day), transactions: Some(2), ..Plan::closed(1, 2) }, 1),
        ] {
            let all = ended(&plan);
            let totals = (all.panicked, all.totals.whole.iter().sum::<u64>());
            assert_eq!(totals, (1, counted), "{:?}", plan.model);
        }
        // Its transaction was due in the window and is not followed either: the drain has a limit
        // of a day and does not take it.
        let mut plan = Plan { pacing: Some(day), grace: Some(day), ..Plan::closed(1, 3) };
        plan.phases.measure = Some(Duration::from_secs(1));
        ended(&plan);
    }

    #[test]
    fn what_may_last_through_the_window_of_a_closed_run_is_followed() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _inside = runtime.enter();
        let clock = Clock { origin: Instant::now(), sleeper: Arc::new(Sleeper::new().unwrap()) };
        let second = Duration::from_secs(1);
        let phases = Phases { warm_up: second, measure: Some(second), ..Phases::default() };
        let even = Model::Open { rate: 1.0, poisson: false, steps: Vec::new() };
        // Arrivals of an open run are due when they were planned, whatever they last.
        for (model, followed) in [(Model::Closed, [1, 0]), (even, [0, 0])] {
            let plan = Plan { model, phases: phases.clone(), ..Plan::closed(1, 1) };
            let stop = Arc::new(AtomicBool::new(false));
            let shared = Shared::new(&plan, plan.share(0), workload(), stop);
            let taken = ClaimedArrival::unplanned(&shared);
            let beginning = Beginning { taken, began: second / 2, done: 0, late: None };
            let under_way = beginning.begin(&clock, 0, None);
            let due = || shared.due.load(Ordering::Relaxed);
            let before = due();
            drop(under_way);
            assert_eq!([before, due()], followed, "{:?}", plan.model);
        }
    }

    #[test]
    fn a_claimed_arrival_that_never_starts_is_unsent() {
        let measure = Some(Duration::from_secs(3600));
        let model = Model::Open { rate: 1.0, poisson: false, steps: Vec::new() };
        let phases = Phases { measure, ..Phases::default() };
        let plan = Plan { model, phases, ..Plan::closed(1, 1) };
        let stop = Arc::new(AtomicBool::new(false));
        let shared = Shared::new(&plan, plan.share(0), workload(), stop);
        let take = || ClaimedArrival::of(&shared, shared.next_arrival().flatten().unwrap());
        let begun = |taken: &mut ClaimedArrival<'_>| taken.arrival.take();
        assert_eq!(begun(&mut take()), Some(Duration::ZERO));
        drop(take());
        drop(ClaimedArrival { shared: &shared, arrival: None, due: None });
        drop(ClaimedArrival::of(&shared, Duration::from_secs(3600)));
        let waiting = take();
        assert_eq!(shared.due.load(Ordering::Relaxed), 1);
        drop(waiting);
        shared.conclude(Duration::from_secs(3601));
        let recorder = shared.recorder();
        let totals = recorder.totals();
        // The one that began here was not recorded: it is the only missing one.
        assert_eq!((totals.offered, totals.begun, totals.unsent), (3600, 0, 3599));
        assert_eq!(totals.unsent_waits.max() / 1_000_000, 3600);
    }
}
