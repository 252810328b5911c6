//! How many instances there are between the least and the most: as many as the queues need.
//!
//! Requests wait in an instance when it has as many at the database as it may. While some wait, one
//! instance after another is added; when none has waited for a while, one after another is taken
//! away. The time before one is taken away is long, because a start costs more than an idle process.

use std::time::{Duration, Instant};

use crate::message::Load;
use crate::range::Range;

/// How long requests must have been waiting, at every look, before an instance is added.
const WAITED: Duration = Duration::from_secs(1);

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Add,
    Remove,
}

/// What has been seen since the last change.
#[derive(Debug)]
pub(crate) struct Scaling {
    range: Range,
    /// How long none may have waited before an instance is removed.
    idle: Duration,
    /// Since when some wait, or none.
    since: Option<(bool, Instant)>,
}

impl Scaling {
    pub(crate) fn new(range: Range, idle: Duration) -> Self {
        Self { range, idle, since: None }
    }

    /// What is to be done now, where instances are as busy as this. It is asked where none is starting
    /// or ending: what the last change brings is seen before the next.
    pub(crate) fn look(&mut self, now: Instant, loads: &[Load]) -> Option<Change> {
        let waits = loads.iter().any(|load| load.waiting > 0);
        let since = match self.since {
            Some((same, since)) if same == waits => since,
            _ => {
                self.since = Some((waits, now));
                now
            }
        };
        let lasted = now.duration_since(since);
        let change = match waits {
            true if lasted >= WAITED && loads.len() < self.range.most => Change::Add,
            false if lasted >= self.idle && loads.len() > self.range.least => Change::Remove,
            _ => return None,
        };
        self.since = None;
        Some(change)
    }

    /// Forgets what was seen, because instances start or end.
    pub(crate) fn restart(&mut self) {
        self.since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Duration = Duration::from_secs(60);

    /// The loads of instances by how many wait there.
    fn loads(waiting: &[u64]) -> Vec<Load> {
        waiting.iter().map(|&waiting| Load { waiting, running: 1 }).collect()
    }

    #[test]
    fn instances_are_added_while_requests_wait() {
        let mut scaling = Scaling::new("1..3".parse().unwrap(), IDLE);
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        assert_eq!(scaling.look(at(0), &loads(&[4])), None);
        assert_eq!(scaling.look(at(900), &loads(&[1])), None);
        // A moment without one: it was no lasting queue.
        assert_eq!(scaling.look(at(950), &loads(&[0])), None);
        assert_eq!(scaling.look(at(1_000), &loads(&[1])), None);
        assert_eq!(scaling.look(at(2_000), &loads(&[1])), Some(Change::Add));
        assert_eq!(scaling.look(at(2_100), &loads(&[0, 3])), None);
        assert_eq!(scaling.look(at(3_100), &loads(&[1, 0])), Some(Change::Add));
        assert_eq!(scaling.look(at(3_200), &loads(&[9, 9, 9])), None);
        assert_eq!(scaling.look(at(9_000), &loads(&[9, 9, 9])), None, "there are the most");
    }

    #[test]
    fn instances_are_removed_when_none_waited_for_a_while() {
        let mut scaling = Scaling::new("1..3".parse().unwrap(), IDLE);
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(scaling.look(at(0), &loads(&[0, 0])), None);
        assert_eq!(scaling.look(at(59), &loads(&[0, 0])), None);
        assert_eq!(scaling.look(at(60), &loads(&[0, 0])), Some(Change::Remove));
        assert_eq!(scaling.look(at(61), &loads(&[0])), None);
        assert_eq!(scaling.look(at(200), &loads(&[0])), None, "there are the fewest");
    }

    #[test]
    fn a_change_is_seen_before_the_next() {
        let mut scaling = Scaling::new("1..3".parse().unwrap(), IDLE);
        let start = Instant::now();
        assert_eq!(scaling.look(start, &loads(&[1])), None);
        scaling.restart();
        assert_eq!(scaling.look(start + WAITED, &loads(&[1])), None);
    }
}
