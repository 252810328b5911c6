//! Workloads: types of transactions, their weights, and the sessions that run them.

mod checks;
mod configured;
pub mod file;
mod reads;
pub mod rest;
mod weights;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::time::Duration;

use duet_client::Moved;
use duet_verdict::outcome::Outcome;
use duet_verdict::result::{Answer, CheckRow, RunResult};
use fastrand::Rng;

use crate::record::TransactionCost;
pub use crate::record::{Failed, cannot, refused};
pub use checks::{CheckCounts, Checker};
pub use configured::{Configured, WorkloadFacts};
pub use weights::{MixOptions, Preset};

/// A future that stays on its thread.
pub type Local<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A type of transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct TransactionType {
    /// Its name.
    pub name: String,
    /// Its short name, as columns and `--mix` have it.
    pub short: String,
    /// How often it is drawn, relative to the others; 0 disables it.
    pub weight: f64,
}

impl TransactionType {
    /// A type by its names and weight.
    pub fn new(name: &str, short: &str, weight: f64) -> Self {
        Self { name: name.into(), short: short.into(), weight }
    }
}

/// The outcome of a transaction that did not fail.
pub type Done = Result<Success, Failed>;

/// A transaction that ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Success {
    /// It did its work.
    Ok,
    /// There was nothing to do.
    Empty,
    /// It did its work after a retry.
    Retried,
}

impl From<Success> for Outcome {
    fn from(success: Success) -> Self {
        match success {
            Success::Ok => Self::Ok,
            Success::Empty => Self::OkEmpty,
            Success::Retried => Self::Retried,
        }
    }
}

/// The context of a transaction: its input, and what it reports.
#[derive(Debug)]
pub struct TransactionContext {
    /// The user's random number generator.
    pub random: Rng,
    /// The transaction's cost; cleared before each.
    pub work: TransactionCost,
    /// The time of its think times; cleared before each.
    pub slept: Duration,
    /// Think time inside transactions, from and to.
    pub think: [Duration; 2],
    /// What the files of samples say of it beside its outcome; cleared before each.
    pub trace: Trace,
}

/// What a session says of a transaction, for the files of samples.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The address of the last request.
    pub address: String,
    /// The text in place of the status; that of the response where it is empty.
    pub code: String,
    /// The name of this transaction alone; that of its type where it is empty.
    pub label: String,
    /// What it consisted of.
    pub parts: Vec<PartSample>,
}

/// The code of what has none.
pub const NO_CODE: &str = "-";

impl Trace {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.address.is_empty()
            && self.code.is_empty()
            && self.label.is_empty()
            && self.parts.is_empty()
    }
}

/// A part of a transaction, such as one of the requests of a chain of redirects.
#[derive(Clone, Debug)]
pub struct PartSample {
    /// When it began, before the end of the whole.
    pub before_end: Duration,
    /// How long it took.
    pub took: Duration,
    /// Whether it passed.
    pub passed: bool,
    /// Its code, name, address and parts.
    pub trace: Trace,
}

impl TransactionContext {
    /// A turn with these random numbers and no think time.
    pub fn new(seed: u64) -> Self {
        Self {
            random: Rng::with_seed(seed),
            work: TransactionCost::default(),
            slept: Duration::ZERO,
            think: [Duration::ZERO; 2],
            trace: Trace::default(),
        }
    }

    /// Sleeps for a think time inside of a transaction; neither clock includes it.
    pub async fn think(&mut self) {
        self.sleep(self.think).await;
    }

    /// Sleeps for a time between these bounds; neither clock includes it.
    pub async fn sleep(&mut self, bounds: [Duration; 2]) {
        let length = between(&mut self.random, bounds);
        if !length.is_zero() {
            let began = tokio::time::Instant::now();
            tokio::time::sleep(length).await;
            self.slept += began.elapsed();
        }
    }
}

/// A random length between two bounds, inclusive.
pub(crate) fn between(random: &mut Rng, [from, to]: [Duration; 2]) -> Duration {
    if to <= from {
        return from;
    }
    from + (to - from).mul_f64(random.f64())
}

/// What users do.
pub trait Workload: Send + Sync {
    /// Its types. A session runs them by their index.
    fn kinds(&self) -> &[TransactionType];

    /// Whether a session blocks its thread, so that each needs its own.
    fn is_blocking(&self) -> bool {
        false
    }

    /// The index of the type that a user runs as its `n`th transaction, counted from 0; `None`
    /// draws one by weight.
    fn draw(&self, _user: u32, _n: u64) -> Option<usize> {
        None
    }

    /// The answers of this process by question. A run whose processes got different answers is
    /// reported as inconsistent.
    fn answers(&self) -> BTreeMap<String, Answer> {
        BTreeMap::new()
    }

    /// How often each check of responses passed and failed in this process; rows of all processes
    /// are added by name.
    fn checks(&self) -> Vec<CheckRow> {
        Vec::new()
    }

    /// Which counts it keeps of a database that it uses directly.
    fn counts(&self) -> Counts {
        Counts { commits: true, changes: false }
    }

    /// Adds the figures of this workload's method to the result.
    fn conclude(&self, _result: &mut RunResult) {}

    /// Groups of users that decide themselves what they do next ([`Session::next`]), each with its name and the number
    /// of its first user; none where the engine draws types.
    fn groups(&self) -> Vec<(String, u32)> {
        Vec::new()
    }

    /// Whether users of groups still have steps to run after the load, however it ended.
    fn has_last_steps(&self) -> bool {
        false
    }

    /// Connects a user.
    fn open(&self, user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>>;
}

/// Which counts a workload keeps exactly, to compare them with the database's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Its commits.
    pub commits: bool,
    /// Rows changed by its statements, and transactions that changed any.
    pub changes: bool,
}

/// What the user of a group does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It begins: it was not its turn before.
    Begin,
    /// A transaction of this type.
    Run(usize),
    /// Several that are measured together too, as this type.
    Enter(Block),
    /// The end of the last of these.
    Leave,
    /// It does nothing until it begins again.
    Rest,
    /// Nothing.
    End,
}

/// Transactions that are measured together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The type that they are together.
    pub kind: usize,
    /// Whether pauses count in its time.
    pub pauses: bool,
    /// Whether they are not measured themselves.
    pub whole: bool,
}

/// One user's connection and state.
pub trait Session: Send {
    /// Bytes of its connection so far, unless it adds them to [`TransactionContext::work`] itself.
    fn moved(&self) -> Moved {
        Moved::default()
    }

    /// What the user of a group does next; waits until it is time. `is_stopped` is asked while it waits.
    fn next<'a>(
        &'a mut self,
        _context: &'a mut TransactionContext,
        _is_stopped: &'a dyn Fn() -> bool,
    ) -> Local<'a, Next> {
        Box::pin(std::future::ready(Next::End))
    }

    /// Runs one transaction of the type with this index.
    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done>;
}

/// Draws types by their weights.
#[derive(Clone, Debug)]
pub struct Mix {
    /// Cumulative weights.
    sums: Vec<f64>,
}

impl Mix {
    /// From these weights; negative ones count as 0.
    pub fn new(weights: impl IntoIterator<Item = f64>) -> Self {
        let mut sum = 0.0;
        let add = |weight: f64| {
            sum += weight.max(0.0);
            sum
        };
        Self { sums: weights.into_iter().map(add).collect() }
    }

    /// Whether there is anything to draw.
    pub fn is_empty(&self) -> bool {
        self.sums.last().is_none_or(|sum| *sum <= 0.0)
    }

    /// The index of the next type.
    pub fn draw(&self, random: &mut Rng) -> usize {
        let Some(sum) = self.sums.last() else { return 0 };
        if self.sums.len() == 1 {
            return 0;
        }
        let point = random.f64() * sum;
        self.sums.partition_point(|up_to| *up_to <= point).min(self.sums.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_drawn_by_weight() {
        let mix = Mix::new([0.0, 3.0, 0.0, 1.0]);
        let mut random = Rng::with_seed(1);
        let mut drawn = [0_u32; 4];
        (0..40_000).for_each(|_| drawn[mix.draw(&mut random)] += 1);
        assert_eq!((drawn[0], drawn[2]), (0, 0));
        assert!((29_000..31_000).contains(&drawn[1]), "{drawn:?}");
        assert!(Mix::new([0.0]).is_empty() && !mix.is_empty());
    }
}
