//! Counts and times of the transactions of one process.
//!
//! All its users share one recorder: a short lock a transaction costs less than histograms for each of
//! them. Once a second what the second brought is taken out, so that memory stays as it is however long
//! a run is.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::{Dml, Outcome};

/// Times over an hour count as an hour.
const LONGEST_US: u64 = 3_600_000_000;
/// Significant decimal digits that a histogram keeps.
const DIGITS: u8 = 3;
/// Words of failures that are told apart; beyond them, failures of a type and kind are one row.
const FAILURES: usize = 100;
/// So many characters of a failure's words are kept.
const WORDS: usize = 200;
/// A transaction that begins so much after its time is late.
const LATE: Duration = Duration::from_millis(1);

/// An empty histogram of microseconds, 1 µs to 1 h, three digits.
pub fn histogram() -> Histogram<u64> {
    let mut histogram =
        Histogram::new(DIGITS).unwrap_or_else(|_| unreachable!("3 digits are allowed"));
    histogram.auto(true);
    histogram
}

/// Records a duration, in whole microseconds, at least one.
pub fn record(histogram: &mut Histogram<u64>, duration: Duration) {
    let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    // It grows as it must, and an hour is within what it can hold.
    let _ = histogram.record(micros.clamp(1, LONGEST_US));
}

/// What a transaction cost beside its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Statements as the workload declares them.
    pub dml: Dml,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
    /// Round trips to the server.
    pub round_trips: u64,
    /// Single statements outside of transactions, each of which the database commits by itself.
    pub implicit: u64,
    /// Rows that statements changed, as the database answered, what was undone included.
    pub changed: u64,
    /// Committed transactions that changed any.
    pub writes: u64,
    /// Connections that were opened anew.
    pub connects: u64,
    /// Attempts to connect that failed.
    pub connects_failed: u64,
    /// How long both took; it is part of the transaction's time.
    pub connecting: Duration,
    /// How long the user waited before it, to connect again; it is part of no time.
    pub backing_off: Duration,
    /// Answers of HTTP by the first digit of their status; 0 where there is no such class.
    pub statuses: [u64; 6],
}

impl Work {
    /// Counts an attempt to connect, which took so long.
    pub fn connected(&mut self, is_made: bool, took: Duration) {
        self.connects += u64::from(is_made);
        self.connects_failed += u64::from(!is_made);
        self.connecting += took;
    }

    /// Adds another's.
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
    }
}

/// One transaction. Its moments count from the run's beginning.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its type's number.
    pub kind: usize,
    /// How it ended.
    pub outcome: Outcome,
    /// When it should have begun.
    pub intended: Duration,
    /// When it began.
    pub began: Duration,
    /// When it ended.
    pub ended: Duration,
    /// What of that it slept on purpose; it is no part of either clock.
    pub slept: Duration,
    /// What it cost.
    pub work: Work,
    /// Whether it may count at all.
    pub counts: bool,
    /// Its user, where times are kept of each.
    pub user: Option<u32>,
}

/// The part of a run whose transactions count: those that begin and end in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Its beginning.
    pub from: Duration,
    /// Its end; without one it ends with the run.
    pub to: Option<Duration>,
}

impl Measured {
    fn has(&self, sample: &Sample) -> bool {
        sample.counts && sample.intended >= self.from && self.to.is_none_or(|to| sample.ended <= to)
    }
}

/// Counts and times of one type of transaction.
#[derive(Clone, Debug)]
pub struct Tally {
    /// How many ended how, by [`Outcome::index`].
    pub outcomes: [u64; Outcome::ALL.len()],
    /// Service times of those that ended well.
    pub service: Histogram<u64>,
    /// Response times of those that ended well.
    pub response: Histogram<u64>,
    /// What they cost, all of them.
    pub work: Work,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            outcomes: [0; Outcome::ALL.len()],
            service: histogram(),
            response: histogram(),
            work: Work::default(),
        }
    }
}

impl Tally {
    fn add_sample(&mut self, sample: &Sample) {
        self.outcomes[sample.outcome.index()] += 1;
        self.work.add(&sample.work);
        if sample.outcome.is_success() {
            let awake = |from| sample.ended.saturating_sub(from).saturating_sub(sample.slept);
            record(&mut self.service, awake(sample.began));
            record(&mut self.response, awake(sample.intended));
        }
    }

    /// Adds another's.
    pub fn add(&mut self, other: &Self) {
        for (count, more) in self.outcomes.iter_mut().zip(other.outcomes) {
            *count += more;
        }
        self.work.add(&other.work);
        // Both are of the same digits and resize: adding cannot fail.
        let _ = self.service.add(&other.service);
        let _ = self.response.add(&other.response);
    }

    /// Those that ended well.
    pub fn completed(&self) -> u64 {
        Outcome::ALL
            .iter()
            .filter(|outcome| outcome.is_success())
            .map(|o| self.outcomes[o.index()])
            .sum()
    }

    /// Those that did not.
    pub fn failed(&self) -> u64 {
        self.outcomes.iter().sum::<u64>() - self.completed()
    }
}

/// A kind of failure: type, outcome, words.
pub type FailureKey = (usize, Outcome, String);

/// What one process counted in its measured window, and what it did in all.
#[derive(Clone, Debug)]
pub struct Totals {
    /// By type, in the measured window.
    pub kinds: Vec<Tally>,
    /// How late transactions began, in the measured window.
    pub lag: Histogram<u64>,
    /// Those of them that began more than a millisecond late.
    pub late: u64,
    /// How many ended how in the whole run, for the ledger.
    pub whole: [u64; Outcome::ALL.len()],
    /// What the whole run cost.
    pub whole_work: Work,
    /// What failed in the whole run.
    pub failures: BTreeMap<FailureKey, u64>,
    /// When the first measured transaction began.
    pub first_begin: Option<Duration>,
    /// When the last measured transaction ended.
    pub last_end: Duration,
    /// From the begin of each user's first measured transaction to the end of the last, where that is
    /// kept.
    pub users: BTreeMap<u32, [Duration; 2]>,
}

impl Totals {
    /// Nothing yet, of so many types.
    pub fn new(kinds: usize) -> Self {
        Self {
            kinds: vec![Tally::default(); kinds],
            lag: histogram(),
            late: 0,
            whole: [0; Outcome::ALL.len()],
            whole_work: Work::default(),
            failures: BTreeMap::new(),
            first_begin: None,
            last_end: Duration::ZERO,
            users: BTreeMap::new(),
        }
    }

    /// Adds another process's.
    pub fn add(&mut self, other: &Self) {
        for (tally, more) in self.kinds.iter_mut().zip(&other.kinds) {
            tally.add(more);
        }
        let _ = self.lag.add(&other.lag);
        self.late += other.late;
        for (count, more) in self.whole.iter_mut().zip(other.whole) {
            *count += more;
        }
        self.whole_work.add(&other.whole_work);
        for (key, count) in &other.failures {
            *self.failures.entry(key.clone()).or_default() += count;
        }
        self.first_begin = match (self.first_begin, other.first_begin) {
            (Some(one), Some(another)) => Some(one.min(another)),
            (one, another) => one.or(another),
        };
        self.last_end = self.last_end.max(other.last_end);
        // A user is in one process.
        self.users.extend(&other.users);
    }
}

/// Counts and times of one process.
#[derive(Debug)]
pub struct Recorder {
    measured: Measured,
    totals: Totals,
    second: Vec<Tally>,
}

impl Recorder {
    /// Of so many types.
    pub fn new(kinds: usize, measured: Measured) -> Self {
        Self { measured, totals: Totals::new(kinds), second: vec![Tally::default(); kinds] }
    }

    /// Takes a transaction, with the words of its failure.
    pub fn take(&mut self, sample: &Sample, said: Option<&str>) {
        let totals = &mut self.totals;
        totals.whole[sample.outcome.index()] += 1;
        totals.whole_work.add(&sample.work);
        if let Some(said) = said {
            note(&mut totals.failures, sample, said);
        }
        let Some(second) = self.second.get_mut(sample.kind) else { return };
        second.add_sample(sample);
        if self.measured.has(sample) {
            totals.kinds[sample.kind].add_sample(sample);
            let lag = sample.began.saturating_sub(sample.intended);
            if !lag.is_zero() {
                record(&mut totals.lag, lag);
            }
            totals.late += u64::from(lag > LATE);
            totals.first_begin = Some(totals.first_begin.unwrap_or(sample.began).min(sample.began));
            totals.last_end = totals.last_end.max(sample.ended);
            if let Some(user) = sample.user {
                totals.users.entry(user).or_insert([sample.began; 2])[1] = sample.ended;
            }
        }
    }

    /// What came since this was last asked.
    pub fn roll(&mut self) -> Vec<Tally> {
        let kinds = self.second.len();
        std::mem::replace(&mut self.second, vec![Tally::default(); kinds])
    }

    /// What was measured so far.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }
}

fn note(failures: &mut BTreeMap<FailureKey, u64>, sample: &Sample, said: &str) {
    let words: String = said.chars().take(WORDS).collect();
    let mut key = (sample.kind, sample.outcome, words);
    if failures.len() >= FAILURES && !failures.contains_key(&key) {
        key.2 = "(other words)".into();
    }
    *failures.entry(key).or_default() += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn sample(intended: u64, began: u64, ended: u64) -> Sample {
        Sample {
            kind: 0,
            outcome: Outcome::Ok,
            intended: ms(intended),
            began: ms(began),
            ended: ms(ended),
            slept: Duration::ZERO,
            work: Work::default(),
            counts: true,
            user: Some(7),
        }
    }

    #[test]
    fn only_what_begins_and_ends_inside_counts() {
        let measured = Measured { from: ms(100), to: Some(ms(200)) };
        let mut recorder = Recorder::new(1, measured);
        for (began, ended) in [(90, 110), (100, 110), (150, 200), (190, 201)] {
            recorder.take(&sample(began, began, ended), None);
        }
        assert_eq!(recorder.totals().users[&7], [ms(100), ms(200)]);
        assert_eq!(recorder.totals().first_begin, Some(ms(100)));
        assert_eq!(recorder.totals().kinds[0].completed(), 2);
        assert_eq!(recorder.totals().whole.iter().sum::<u64>(), 4);
        assert_eq!(recorder.roll()[0].completed(), 4);
        assert_eq!(recorder.roll()[0].completed(), 0);
        recorder.take(&Sample { counts: false, ..sample(110, 110, 120) }, None);
        assert_eq!(recorder.totals().kinds[0].completed(), 2);
    }

    #[test]
    fn two_clocks() {
        let mut recorder = Recorder::new(1, Measured { from: ms(0), to: None });
        let mut late = sample(0, 30, 40);
        late.slept = ms(4);
        recorder.take(&late, None);
        let tally = &recorder.totals().kinds[0];
        assert_eq!(tally.service.max() / 1000, 6);
        assert_eq!(tally.response.max() / 1000, 36);
        assert_eq!(recorder.totals().late, 1);
    }

    #[test]
    fn failures_have_no_times_and_few_words() {
        let mut recorder = Recorder::new(1, Measured { from: ms(0), to: None });
        for number in 0..300 {
            let failed = Sample { outcome: Outcome::Other, ..sample(0, 0, 1) };
            recorder.take(&failed, Some(&format!("failure {number}")));
        }
        assert_eq!(recorder.totals().kinds[0].failed(), 300);
        assert_eq!(recorder.totals().kinds[0].service.len(), 0);
        assert_eq!(recorder.totals().failures.len(), FAILURES + 1);
        assert_eq!(recorder.totals().failures.values().sum::<u64>(), 300);
    }
}
