//! The stages of a request, and how long each took.

use std::time::Duration;

/// A stage of a request. Each is built from the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The head is checked, and the caller identified.
    Authenticate,
    /// The path leads to a resource of the snapshot in force.
    Route,
    /// The caller's rights and what it sends are checked, its body included.
    Plan,
    /// The store does it, and the response is written.
    Answer,
}

/// How long the stages of a request took; none for a stage that it did not reach. A request that is
/// begun anew because the schema has changed passes some of them several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    took: [Option<Duration>; 4],
    store: Option<Duration>,
}

impl Stages {
    /// How long a stage took.
    pub fn get(&self, stage: Stage) -> Option<Duration> {
        self.took[stage as usize]
    }

    /// The part of [`Stage::Answer`] until the rows had arrived, with the wait in the store's
    /// queues; none where no rows arrived.
    pub fn store(&self) -> Option<Duration> {
        self.store
    }

    /// The rest of [`Stage::Answer`] where rows arrived.
    pub fn write(&self) -> Option<Duration> {
        Some(self.get(Stage::Answer)?.saturating_sub(self.store?))
    }

    /// All stages together.
    pub fn total(&self) -> Duration {
        self.took.iter().flatten().sum()
    }

    /// A stage took so long, once more.
    pub(crate) fn add(&mut self, stage: Stage, took: Duration) {
        let before = self.get(stage).unwrap_or_default();
        self.took[stage as usize] = Some(before + took);
    }

    /// The rows arrived so long after [`Stage::Answer`] began.
    pub(crate) fn add_store(&mut self, took: Duration) {
        self.store = Some(self.store.unwrap_or_default() + took);
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
