//! Counts and times of the transactions of one process.
//!
//! All its users share one recorder: a short lock per transaction costs less than histograms for
//! each user. The data of a second is taken out at its end, so that memory stays constant in long
//! runs.

use std::collections::BTreeMap;
use std::time::Duration;

use duet_verdict::dml::Dml;
use duet_verdict::outcome::Outcome;
use duet_verdict::result::FailureRow;
use duet_verdict::times::{SparseTimes, histogram, record};
use hdrhistogram::Histogram;

use super::Blame;
use super::window::{Begun, Measured, Unfinished};
use crate::secrets::without_secrets;

/// The most distinct failure messages; beyond them, failures of a type and kind share one row.
const FAILURES: usize = 100;
/// The longest stored failure message, in characters.
const WORDS: usize = 300;

/// The cost of a transaction besides its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransactionCost {
    /// Statements as the workload declares them.
    pub dml: Dml,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
    /// Round trips to the server.
    pub round_trips: u64,
    /// Single statements outside of transactions, which the database commits one by one.
    pub implicit: u64,
    /// Changed rows as the database reported them, including those rolled back.
    pub changed: u64,
    /// Committed transactions that changed at least one row.
    pub writes: u64,
    /// Reconnects.
    pub connects: u64,
    /// Attempts to connect that failed.
    pub connects_failed: u64,
    /// The time of both; it is part of the transaction's time.
    pub connecting: Duration,
    /// The user's wait before it, to reconnect; it is part of no time.
    pub backing_off: Duration,
    /// HTTP responses by the first digit of their status; 0 for any other status.
    pub statuses: [u64; 6],
    /// Items that the service looked for in its memory, and those of them that came from there.
    pub cached: [u64; 2],
    /// The status of the last HTTP response of one transaction, 0 without one; sums have none.
    pub last_status: u16,
}

impl TransactionCost {
    /// Counts an item by where the service says that it came from; `None` if it does not say.
    pub fn looked_up(&mut self, from_memory: Option<bool>) {
        if let Some(from_memory) = from_memory {
            self.cached[0] += 1;
            self.cached[1] += u64::from(from_memory);
        }
    }

    /// Counts an attempt to connect and its duration.
    pub fn connected(&mut self, is_made: bool, took: Duration) {
        self.connects += u64::from(is_made);
        self.connects_failed += u64::from(!is_made);
        self.connecting += took;
    }

    /// Adds another transaction's cost.
    pub fn add(&mut self, other: &Self) {
        self.dml.add(&other.dml);
        self.sent += other.sent;
        self.received += other.received;
        self.round_trips += other.round_trips;
        self.implicit += other.implicit;
        self.changed += other.changed;
        self.writes += other.writes;
        self.connects += other.connects;
        self.connects_failed += other.connects_failed;
        self.connecting += other.connecting;
        self.backing_off += other.backing_off;
        for (count, more) in self.statuses.iter_mut().zip(other.statuses) {
            *count += more;
        }
        for (count, more) in self.cached.iter_mut().zip(other.cached) {
            *count += more;
        }
    }
}

/// One ended transaction. Its moments count from the run's start.
#[derive(Debug)]
pub struct Sample {
    /// The state at its start.
    pub begun: Begun,
    /// Its outcome.
    pub outcome: Outcome,
    /// Its end.
    pub ended: Duration,
    /// Intended sleep within it, which neither clock includes.
    pub slept: Duration,
    /// Its cost.
    pub work: TransactionCost,
}

/// Counts and times of one type of transaction.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Counts by [`Outcome::index`].
    pub outcomes: [u64; Outcome::ALL.len()],
    /// Service times of successful transactions.
    pub service: SparseTimes,
    /// Response times of successful transactions.
    pub response: SparseTimes,
    /// Their total cost.
    pub work: TransactionCost,
}

impl Tally {
    fn add_sample(&mut self, sample: &Sample) {
        self.outcomes[sample.outcome.index()] += 1;
        self.work.add(&sample.work);
        if sample.outcome.is_success() {
            let awake = |from| sample.ended.saturating_sub(from).saturating_sub(sample.slept);
            self.service.record(awake(sample.begun.began));
            self.response.record(awake(sample.begun.intended));
        }
    }

    /// Adds another type's.
    pub fn add(&mut self, other: &Self) {
        for (count, more) in self.outcomes.iter_mut().zip(other.outcomes) {
            *count += more;
        }
        self.work.add(&other.work);
        self.service.add(&other.service);
        self.response.add(&other.response);
    }

    /// Successful transactions.
    pub fn completed(&self) -> u64 {
        Outcome::ALL
            .iter()
            .filter(|outcome| outcome.is_success())
            .map(|o| self.outcomes[o.index()])
            .sum()
    }

    /// Failed transactions.
    pub fn failed(&self) -> u64 {
        self.outcomes.iter().sum::<u64>() - self.completed()
    }
}

/// The tallies of those types of which a transaction ended, by the type's number. A second has few of many types.
pub type Tallies = BTreeMap<usize, Tally>;

/// Seconds that were taken out of a recorder.
#[derive(Debug)]
pub struct Rolled {
    seconds: BTreeMap<u64, Tallies>,
    /// Whether nothing ended later.
    pub is_last: bool,
}

impl Rolled {
    /// All of them together.
    pub fn by_type(self) -> Tallies {
        let mut seconds = self.seconds.into_values();
        let mut sums = seconds.next().unwrap_or_default();
        for (kind, tally) in seconds.flatten() {
            sums.entry(kind).or_default().add(&tally);
        }
        sums
    }
}

/// A kind of failure: type, outcome, message.
pub type FailureKey = (usize, Outcome, String);

/// The counts of one process in its measured window, and its totals.
#[derive(Clone, Debug)]
pub struct ProcessTotals {
    /// By type, transactions due in the window that ended in time.
    pub kinds: Vec<Tally>,
    /// By type, transactions due in the window that did not end in time, and the times of those that timed out.
    pub unfinished: Vec<Unfinished>,
    /// By type, the outcomes of transactions that ended in the window, whenever they began.
    pub ended: Vec<[u64; Outcome::ALL.len()]>,
    /// The time within the window that users spent in transactions.
    pub busy: Duration,
    /// The part of it in transactions that were not answered: they timed out, or had not ended when the run stopped
    /// following them.
    pub unanswered: Duration,
    /// Transactions due in the window: by the plan, or those that began if there is no plan.
    pub offered: u64,
    /// Those of them that were begun.
    pub begun: u64,
    /// Those of them that were begun after the window's end.
    pub begun_after: u64,
    /// Those of them that were never begun.
    pub unsent: u64,
    /// The wait of the latter, from the intended start until the run stopped following them.
    pub unsent_waits: Histogram<u64>,
    /// How late transactions due in the window began.
    pub lag: Histogram<u64>,
    /// Those of them that began late although a user was idle.
    pub late_by_client: u64,
    /// Those of them that began late because all users were busy.
    pub late_by_server: u64,
    /// Outcomes of the whole run, for the ledger.
    pub whole: [u64; Outcome::ALL.len()],
    /// The cost of the whole run.
    pub whole_work: TransactionCost,
    /// Failures of the transactions that were due in the window and ended in time, and of all others.
    pub failures: BTreeMap<FailureKey, [u64; 2]>,
    /// The start of the first measured transaction.
    pub first_begin: Option<Duration>,
    /// The end of the last transaction within the window.
    pub last_end: Duration,
    /// The window's end.
    pub until: Duration,
    /// From the start of each user's first measured transaction to the end of its last, if
    /// recorded.
    pub users: BTreeMap<u32, [Duration; 2]>,
}

impl ProcessTotals {
    /// Empty counts for this many types.
    pub fn new(kinds: usize) -> Self {
        Self {
            kinds: vec![Tally::default(); kinds],
            unfinished: vec![Unfinished::default(); kinds],
            ended: vec![[0; Outcome::ALL.len()]; kinds],
            busy: Duration::ZERO,
            unanswered: Duration::ZERO,
            offered: 0,
            begun: 0,
            begun_after: 0,
            unsent: 0,
            unsent_waits: histogram(),
            lag: histogram(),
            late_by_client: 0,
            late_by_server: 0,
            whole: [0; Outcome::ALL.len()],
            whole_work: TransactionCost::default(),
            failures: BTreeMap::new(),
            first_begin: None,
            last_end: Duration::ZERO,
            until: Duration::ZERO,
            users: BTreeMap::new(),
        }
    }

    /// Adds another process's counts.
    pub fn add(&mut self, other: &Self) {
        for (tally, more) in self.kinds.iter_mut().zip(&other.kinds) {
            tally.add(more);
        }
        for (unfinished, more) in self.unfinished.iter_mut().zip(&other.unfinished) {
            unfinished.add(more);
        }
        for (count, more) in self.ended.iter_mut().flatten().zip(other.ended.iter().flatten()) {
            *count += more;
        }
        self.busy += other.busy;
        self.unanswered += other.unanswered;
        self.offered += other.offered;
        self.begun += other.begun;
        self.begun_after += other.begun_after;
        self.unsent += other.unsent;
        let _ = self.unsent_waits.add(&other.unsent_waits);
        let _ = self.lag.add(&other.lag);
        self.late_by_client += other.late_by_client;
        self.late_by_server += other.late_by_server;
        for (count, more) in self.whole.iter_mut().zip(other.whole) {
            *count += more;
        }
        self.whole_work.add(&other.whole_work);
        for (key, [due, outside]) in &other.failures {
            let sum = self.failures.entry(key.clone()).or_default();
            sum[0] += due;
            sum[1] += outside;
        }
        self.first_begin = match (self.first_begin, other.first_begin) {
            (Some(one), Some(another)) => Some(one.min(another)),
            (one, another) => one.or(another),
        };
        self.last_end = self.last_end.max(other.last_end);
        self.until = self.until.max(other.until);
        // A user belongs to one process.
        self.users.extend(&other.users);
    }
}

/// A transaction that began before the window and had not ended at its end. In a closed run its user
/// had nothing else to do in the window, so it counts as due there: a user whose request hangs would
/// otherwise be missing from the result. In a planned run the arrivals of the window show it.
#[derive(Debug)]
enum Spanning {
    /// It ended while it was followed, with this failure.
    Ended(Box<Sample>, Option<FailureKey>),
    /// It was followed until this moment.
    GivenUp(Begun, Duration),
}

/// Counts and times of one process.
#[derive(Debug)]
pub struct Recorder {
    measured: Measured,
    /// The moment until which transactions are followed.
    limit: Option<Duration>,
    /// The latest moment seen.
    latest: Duration,
    totals: ProcessTotals,
    /// What lasted through the whole window, see [`Spanning`].
    spanning: Vec<Spanning>,
    /// Transactions that ended in each second and were not taken out yet.
    seconds: BTreeMap<u64, Tallies>,
}

impl Recorder {
    /// For this many types. Transactions due in the window are followed for `grace` after its end.
    pub fn new(kinds: usize, measured: Measured, grace: Duration) -> Self {
        Self {
            measured,
            limit: measured.to.map(|to| to + grace),
            latest: Duration::ZERO,
            totals: ProcessTotals::new(kinds),
            spanning: Vec::new(),
            seconds: BTreeMap::new(),
        }
    }

    /// The current window.
    pub fn measured(&self) -> Measured {
        self.measured
    }

    /// Stops the run: the window ends, and transactions in flight are followed for `grace`.
    pub fn stop(&mut self, at: Duration, grace: Duration) {
        // Nothing that was counted may be outside of the window afterwards.
        let at = at.max(self.latest + Duration::from_nanos(1));
        self.measured.to = Some(self.measured.to.map_or(at, |to| to.min(at)));
        self.limit = Some(self.limit.map_or(at + grace, |limit| limit.min(at + grace)));
    }

    /// Begins a transaction, and decides whether it was due in the window.
    pub fn begin(&mut self, mut begun: Begun) -> Begun {
        let due = begun.counts && self.measured.has(begun.intended);
        self.latest = self.latest.max(begun.began);
        if due {
            let totals = &mut self.totals;
            totals.begun += 1;
            totals.begun_after += u64::from(!self.measured.has(begun.began));
            let lag = begun.began.saturating_sub(begun.intended);
            if !lag.is_zero() {
                record(&mut totals.lag, lag);
            }
            totals.late_by_client += u64::from(begun.late == Some(Blame::Client));
            totals.late_by_server += u64::from(begun.late == Some(Blame::Server));
            let first = totals.first_begin.unwrap_or(begun.began);
            totals.first_begin = Some(first.min(begun.began));
        }
        begun.due = due;
        begun
    }

    /// Records a transaction, with its failure message. Whether it is one of those that were due in the window and
    /// ended in time, so that it is in the counts by type.
    pub fn take(&mut self, sample: &Sample, message: Option<&str>) -> bool {
        let Sample { begun, ended, .. } = sample;
        let totals = &mut self.totals;
        totals.whole[sample.outcome.index()] += 1;
        totals.whole_work.add(&sample.work);
        let limit = self.limit.filter(|limit| ended > limit);
        let counts = begun.due && limit.is_none();
        let failure = message.map(|message| failure_key(&totals.failures, sample, message));
        if let Some(key) = &failure {
            note(&mut totals.failures, key, counts);
        }
        self.latest = self.latest.max(*ended);
        let Some(tally) = totals.kinds.get_mut(begun.kind) else { return false };
        let second = self.seconds.entry(ended.as_secs()).or_default();
        second.entry(begun.kind).or_default().add_sample(sample);
        let timed_out = sample.outcome == Outcome::Timeout;
        if begun.counts {
            let within = self.measured.overlap(begun.began, *ended);
            totals.busy += within;
            if timed_out || limit.is_some() {
                totals.unanswered += within;
            }
            if self.measured.has(*ended) {
                totals.ended[begun.kind][sample.outcome.index()] += 1;
                totals.last_end = totals.last_end.max(*ended);
            }
        }
        if self.measured.is_spanned(begun, *ended) {
            let begun = begun.clone();
            self.spanning.push(match limit {
                Some(limit) => Spanning::GivenUp(begun, limit),
                None => Spanning::Ended(Box::new(Sample { begun, ..*sample }), failure),
            });
        }
        match limit {
            _ if !begun.due => {}
            Some(limit) => totals.unfinished[begun.kind].note(begun, limit),
            None => {
                tally.add_sample(sample);
                if timed_out {
                    totals.unfinished[begun.kind].timed_out(begun, *ended, sample.slept);
                }
                if let Some(user) = begun.user {
                    totals.users.entry(user).or_insert([begun.began; 2])[1] = *ended;
                }
            }
        }
        counts
    }

    /// Records a block of transactions that were recorded themselves: the time of its user is counted once. Whether it
    /// counts, as for [`Self::take`].
    pub fn take_block(&mut self, sample: &Sample, message: Option<&str>) -> bool {
        let busy = self.totals.busy;
        let unanswered = self.totals.unanswered;
        let counts = self.take(sample, message);
        (self.totals.busy, self.totals.unanswered) = (busy, unanswered);
        counts
    }

    /// Stops following a transaction that has not ended.
    pub fn give_up(&mut self, begun: &Begun, at: Duration) {
        let at = self.limit.map_or(at, |limit| limit.min(at));
        if begun.counts {
            let within = self.measured.overlap(begun.began, at);
            self.totals.busy += within;
            self.totals.unanswered += within;
        }
        if let Some(unfinished) = self.totals.unfinished.get_mut(begun.kind).filter(|_| begun.due) {
            unfinished.note(begun, at);
        }
        if self.measured.is_spanned(begun, at) {
            self.spanning.push(Spanning::GivenUp(begun.clone(), at));
        }
    }

    /// Ends the run at a moment. `planned` counts the arrivals that the plan placed in the window,
    /// if time ended the run; `unsent` are the moments of those that never began; `by_count`: a
    /// number of transactions ended the run, and the window ends with the last of them.
    pub fn conclude(
        &mut self,
        planned: Option<u64>,
        unsent: impl IntoIterator<Item = Duration>,
        by_count: bool,
        at: Duration,
    ) {
        let at = self.limit.map_or(at, |limit| limit.min(at));
        let totals = &mut self.totals;
        for spanning in self.spanning.drain(..).filter(|_| planned.is_none()) {
            totals.begun += 1;
            match spanning {
                Spanning::Ended(sample, failure) => {
                    let Sample { begun, ended, slept, .. } = &*sample;
                    if let Some(key) = &failure
                        && let Some([due, outside]) = totals.failures.get_mut(key)
                    {
                        (*due, *outside) = (*due + 1, *outside - 1);
                    }
                    if let Some(tally) = totals.kinds.get_mut(begun.kind) {
                        tally.add_sample(&sample);
                    }
                    if sample.outcome == Outcome::Timeout
                        && let Some(unfinished) = totals.unfinished.get_mut(begun.kind)
                    {
                        unfinished.timed_out(begun, *ended, *slept);
                    }
                }
                Spanning::GivenUp(begun, until) => {
                    if let Some(unfinished) = totals.unfinished.get_mut(begun.kind) {
                        unfinished.note(&begun, until);
                    }
                }
            }
        }
        totals.offered = planned.unwrap_or(totals.begun);
        for moment in unsent {
            totals.unsent += 1;
            record(&mut totals.unsent_waits, at.saturating_sub(moment));
        }
        let last = totals.last_end;
        totals.until = match self.measured.to {
            Some(to) if by_count => last.min(to),
            Some(to) => to,
            None => last,
        };
    }

    /// Takes out the counts up to and including a second. They are added up by the caller: users wait for the recorder.
    pub fn roll(&mut self, second: u64) -> Rolled {
        let later = self.seconds.split_off(&second.saturating_add(1));
        let is_last = later.is_empty();
        Rolled { seconds: std::mem::replace(&mut self.seconds, later), is_last }
    }

    /// The counts of the window so far.
    pub fn totals(&self) -> &ProcessTotals {
        &self.totals
    }
}

/// The row that a failure counts in.
fn failure_key(
    failures: &BTreeMap<FailureKey, [u64; 2]>,
    sample: &Sample,
    message: &str,
) -> FailureKey {
    let words: String = without_secrets(message).chars().take(WORDS).collect();
    let mut key = (sample.begun.kind, sample.outcome, words);
    if failures.len() >= FAILURES && !failures.contains_key(&key) {
        key.2 = FailureRow::OTHER.into();
    }
    key
}

/// Counts a failure of a transaction that is in the counts of the window, or of another one.
fn note(failures: &mut BTreeMap<FailureKey, [u64; 2]>, key: &FailureKey, counts: bool) {
    if let Some(sums) = failures.get_mut(key) {
        sums[usize::from(!counts)] += 1;
        return;
    }
    failures.insert(key.clone(), [u64::from(counts), u64::from(!counts)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn begun(intended: u64, began: u64) -> Begun {
        let (intended, began) = (ms(intended), ms(began));
        let late = Blame::of(intended, began, ms(0));
        Begun { kind: 0, intended, began, counts: true, due: false, late, user: Some(7) }
    }

    fn run(recorder: &mut Recorder, begun: Begun, ended: u64, outcome: Outcome) {
        let begun = recorder.begin(begun);
        let (slept, work) = (Duration::ZERO, TransactionCost::default());
        let sample = Sample { begun, outcome, ended: ms(ended), slept, work };
        recorder.take(&sample, (!outcome.is_success()).then_some("why"));
    }

    /// A duration from a histogram, which rounds to a thousandth.
    fn in_ms(micros: u64) -> u64 {
        (micros + 500) / 1000
    }

    fn whole() -> Recorder {
        Recorder::new(1, Measured { from: ms(0), to: None }, ms(0))
    }

    /// Completed, failed and unfinished transactions that were due.
    fn due(recorder: &Recorder) -> [u64; 3] {
        let totals = recorder.totals();
        [totals.kinds[0].completed(), totals.kinds[0].failed(), totals.unfinished[0].count]
    }

    /// The failures of the window are those that its counts have: due in it, or lasting through all of it, and ended in time.
    #[test]
    fn failures_are_of_the_window_or_outside_of_it() {
        let measured = Measured { from: ms(100), to: Some(ms(200)) };
        let mut recorder = Recorder::new(1, measured, ms(50));
        for (began, ended) in [(10, 90), (95, 150), (110, 150), (190, 240), (199, 260), (210, 220)]
        {
            run(&mut recorder, begun(began, began), ended, Outcome::Check);
        }
        run(&mut recorder, begun(50, 50), 210, Outcome::Timeout);
        let key = |outcome| (0, outcome, "why".to_owned());
        let failures = |recorder: &Recorder, outcome| recorder.totals().failures[&key(outcome)];
        assert_eq!(failures(&recorder, Outcome::Check), [2, 4]);
        assert_eq!(failures(&recorder, Outcome::Timeout), [0, 1]);
        recorder.conclude(None, [], false, ms(999));
        assert_eq!(failures(&recorder, Outcome::Timeout), [1, 0]);
        assert_eq!(due(&recorder)[1], 3);
    }

    #[test]
    fn latency_covers_due_and_throughput_covers_ended_transactions() {
        let measured = Measured { from: ms(100), to: Some(ms(200)) };
        let mut recorder = Recorder::new(1, measured, ms(50));
        // Before, into, within, out of, and behind the window; one with an unknown end.
        for (began, ended) in [(10, 99), (90, 110), (100, 199), (190, 201), (200, 240), (199, 260)]
        {
            run(&mut recorder, begun(began, began), ended, Outcome::Ok);
        }
        run(&mut recorder, begun(150, 150), 160, Outcome::Check);
        let given_up = recorder.begin(begun(120, 130));
        recorder.give_up(&given_up, ms(999));
        recorder.conclude(None, [], false, ms(999));
        assert_eq!(due(&recorder), [2, 1, 2]);
        let totals = recorder.totals();
        assert_eq!((totals.offered, totals.begun, totals.until), (5, 5, ms(200)));
        assert_eq!(totals.ended[0].iter().sum::<u64>(), 3, "110, 199 and the failed one");
        // 10 + 99 + 10 + 1 + 10 + 70.
        assert_eq!(totals.busy, ms(200));
        let unfinished = &totals.unfinished[0];
        let response = unfinished.response.histogram();
        assert_eq!([response.min(), response.max()].map(in_ms), [51, 130]);
        assert_eq!(in_ms(unfinished.service.histogram().max()), 120);
        assert_eq!(totals.users[&7], [ms(100), ms(160)]);
        assert_eq!(totals.whole.iter().sum::<u64>(), 7);
        run(&mut recorder, Begun { counts: false, ..begun(110, 110) }, 120, Outcome::Ok);
        assert_eq!(due(&recorder), [2, 1, 2]);
    }

    /// Of ten users nine hang from before the window on: they are in its result.
    #[test]
    fn what_lasts_through_the_window_of_a_closed_run_was_due() {
        for (planned, expected) in [(None, ([3, 0, 1], 4)), (Some(2), ([2, 0, 0], 2))] {
            let measured = Measured { from: ms(100), to: Some(ms(200)) };
            let mut recorder = Recorder::new(1, measured, ms(50));
            let hangs = recorder.begin(begun(40, 40));
            for (began, ended) in [(50, 210), (60, 190), (110, 120), (130, 140)] {
                run(&mut recorder, begun(began, began), ended, Outcome::Ok);
            }
            recorder.give_up(&hangs, ms(200));
            recorder.conclude(planned, [], false, ms(250));
            let totals = recorder.totals();
            assert_eq!((due(&recorder), totals.offered), expected);
            if planned.is_none() {
                assert_eq!(in_ms(totals.kinds[0].service.histogram().max()), 160);
                assert_eq!(in_ms(totals.unfinished[0].service.histogram().max()), 160);
            }
        }
    }

    #[test]
    fn a_run_that_is_stopped_before_its_window_measures_nothing() {
        let measured = Measured { from: ms(100), to: Some(ms(200)) };
        let mut recorder = Recorder::new(1, measured, ms(50));
        let hangs = recorder.begin(begun(40, 40));
        recorder.stop(ms(60), ms(100));
        run(&mut recorder, begun(50, 50), 70, Outcome::Ok);
        recorder.give_up(&hangs, ms(160));
        recorder.conclude(None, [], false, ms(160));
        assert_eq!((due(&recorder), recorder.totals().offered), ([0, 0, 0], 0));
    }

    #[test]
    fn seconds_count_ended_transactions() {
        let mut recorder = whole();
        for ended in [400, 999, 1000, 2500] {
            run(&mut recorder, begun(0, 0), ended, Outcome::Ok);
        }
        let mut rolled = |second| {
            let rolled = recorder.roll(second);
            let is_last = rolled.is_last;
            (rolled.by_type().get(&0).map_or(0, Tally::completed), is_last)
        };
        assert_eq!([rolled(0), rolled(1), rolled(1)], [(2, false), (1, false), (0, false)]);
        assert_eq!(rolled(2), (1, true));
    }

    #[test]
    fn a_stop_ends_the_window_after_the_last_counted_transaction() {
        let mut recorder = Recorder::new(1, Measured { from: ms(0), to: Some(ms(900)) }, ms(500));
        run(&mut recorder, begun(10, 10), 30, Outcome::Ok);
        let under_way = recorder.begin(begun(25, 25));
        // Another thread noticed the stop a little earlier than the last transaction ended.
        recorder.stop(ms(29), ms(100));
        let to = recorder.measured().to.unwrap();
        assert!(to > ms(30) && to < ms(31), "{to:?}");
        recorder.give_up(&under_way, ms(300));
        run(&mut recorder, begun(40, 40), 45, Outcome::Ok);
        recorder.conclude(Some(2), [], false, ms(300));
        assert_eq!((due(&recorder), recorder.totals().until), ([1, 0, 1], to));
        assert_eq!(in_ms(recorder.totals().unfinished[0].response.histogram().max()), 105);
    }

    #[test]
    fn arrivals_never_started_are_unsent() {
        let mut recorder = Recorder::new(1, Measured { from: ms(0), to: Some(ms(100)) }, ms(50));
        run(&mut recorder, begun(10, 10), 20, Outcome::Ok);
        run(&mut recorder, begun(50, 120), 130, Outcome::Ok);
        recorder.conclude(Some(4), [ms(60), ms(90)], false, ms(400));
        let totals = recorder.totals();
        assert_eq!((totals.offered, totals.begun, totals.begun_after, totals.unsent), (4, 2, 1, 2));
        assert_eq!([totals.unsent_waits.min(), totals.unsent_waits.max()].map(in_ms), [60, 90]);
    }

    #[test]
    fn a_count_ends_the_window_with_its_last_transaction() {
        for to in [None, Some(ms(900))] {
            let mut recorder = Recorder::new(1, Measured { from: ms(5), to }, ms(10));
            run(&mut recorder, begun(0, 0), 7, Outcome::Ok);
            run(&mut recorder, begun(10, 10), 40, Outcome::Ok);
            recorder.conclude(None, [], true, ms(50));
            assert_eq!((recorder.totals().until, due(&recorder)), (ms(40), [1, 0, 0]));
        }
    }

    #[test]
    fn two_clocks() {
        let mut recorder = whole();
        let begun = recorder.begin(begun(0, 30));
        let (outcome, work) = (Outcome::Ok, TransactionCost::default());
        recorder.take(&Sample { begun, outcome, ended: ms(40), slept: ms(4), work }, None);
        let tally = &recorder.totals().kinds[0];
        assert_eq!(tally.service.histogram().max() / 1000, 6);
        assert_eq!(tally.response.histogram().max() / 1000, 36);
        assert_eq!((recorder.totals().late_by_client, recorder.totals().late_by_server), (1, 0));
    }

    /// What a second costs depends on the transactions that ended in it, not on the number of types.
    #[test]
    fn types_that_do_not_run_cost_nothing() {
        let places = |kinds: usize| {
            let mut recorder = Recorder::new(kinds, Measured { from: ms(0), to: None }, ms(0));
            for kind in (0..kinds).step_by(kinds / 100) {
                run(&mut recorder, Begun { kind, ..begun(0, 0) }, 7, Outcome::Ok);
            }
            let of = |tally: &Tally| tally.service.places() + tally.response.places();
            let totals: usize = recorder.totals().kinds.iter().map(of).sum();
            let second = recorder.roll(0).by_type();
            (totals, second.len(), second.values().map(of).sum::<usize>())
        };
        let of_many = places(10_000);
        assert_eq!(places(20_000), of_many);
        assert!(of_many.1 == 100 && of_many.0.max(of_many.2) <= 1_000, "{of_many:?}");
    }

    #[test]
    fn failures_have_no_times_and_few_words() {
        let mut recorder = whole();
        for number in 0..300 {
            let begun = recorder.begin(begun(0, 0));
            let (outcome, slept, work) =
                (Outcome::Other, Duration::ZERO, TransactionCost::default());
            let failed = Sample { begun, outcome, ended: ms(1), slept, work };
            recorder.take(&failed, Some(&format!("failure {number}")));
        }
        assert_eq!(recorder.totals().kinds[0].failed(), 300);
        assert_eq!(recorder.totals().kinds[0].service.len(), 0);
        assert_eq!(recorder.totals().failures.len(), FAILURES + 1);
        assert_eq!(recorder.totals().failures.values().flatten().sum::<u64>(), 300);
    }
}
