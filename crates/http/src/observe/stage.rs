//! The stages of a request, and how long each took.

use std::time::Duration;

/// A stage of a request. Each is built from the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The head is checked, and the caller identified.
    Authenticate,
    /// The path leads to a resource of the snapshot in force.
    Route,
    /// The caller's rights and the request are checked, its body included.
    Plan,
    /// The store does it, and the response is written.
    Answer,
}

/// How long the stages of a request took; none for a stage that it did not reach. A request that is
/// restarted because the schema has changed passes some of them several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    took: [Nanoseconds; 4],
    store: Nanoseconds,
}

/// A duration that may be missing, small because each stage of each request copies five of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Nanoseconds(u64);

impl Nanoseconds {
    const NONE: Self = Self(u64::MAX);

    fn get(self) -> Option<Duration> {
        (self != Self::NONE).then(|| Duration::from_nanos(self.0))
    }

    fn add(&mut self, more: Duration) {
        let before = if *self == Self::NONE { 0 } else { self.0 };
        let more = u64::try_from(more.as_nanos()).unwrap_or(u64::MAX);
        self.0 = before.saturating_add(more).min(u64::MAX - 1);
    }
}

impl Default for Nanoseconds {
    fn default() -> Self {
        Self::NONE
    }
}

impl Stages {
    /// How long a stage took.
    pub fn get(&self, stage: Stage) -> Option<Duration> {
        self.took[stage as usize].get()
    }

    /// The part of [`Stage::Answer`] until the rows had arrived, with the wait in the store's
    /// queues; none where no rows arrived.
    pub fn store(&self) -> Option<Duration> {
        self.store.get()
    }

    /// The rest of [`Stage::Answer`] where rows arrived.
    pub fn write(&self) -> Option<Duration> {
        Some(self.get(Stage::Answer)?.saturating_sub(self.store()?))
    }

    /// All stages together.
    pub fn total(&self) -> Duration {
        let known = self.took.iter().filter(|took| **took != Nanoseconds::NONE);
        Duration::from_nanos(known.map(|took| took.0).sum())
    }

    /// Adds a duration of a stage.
    pub(crate) fn add(&mut self, stage: Stage, took: Duration) {
        self.took[stage as usize].add(took);
    }

    /// The rows arrived so long after [`Stage::Answer`] began.
    pub(crate) fn add_store(&mut self, took: Duration) {
        self.store.add(took);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_add_up() {
        let mut stages = Stages::default();
        assert_eq!((stages.total(), stages.write()), (Duration::ZERO, None));
        let seconds = Duration::from_secs;
        stages.add(Stage::Authenticate, seconds(1));
        stages.add(Stage::Route, seconds(2));
        stages.add(Stage::Route, seconds(3));
        assert_eq!(stages.get(Stage::Route), Some(seconds(5)));
        assert_eq!(stages.get(Stage::Plan), None);
        stages.add_store(seconds(4));
        stages.add(Stage::Answer, seconds(10));
        assert_eq!((stages.store(), stages.write()), (Some(seconds(4)), Some(seconds(6))));
        assert_eq!(stages.total(), seconds(16));
    }
}
