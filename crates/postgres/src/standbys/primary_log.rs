//! Where the primary's log was at moments of the past, by which the age of what a standby shows is known without
//! comparing clocks.

use std::collections::VecDeque;
use std::time::Instant;

use duet_store::position::Position;

/// How many moments are kept, some minutes of them; where there are more, every second one goes.
const MOST: usize = 8_192;

/// The moments, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct PrimaryLog {
    moments: VecDeque<(Instant, Position)>,
}

impl PrimaryLog {
    /// Whatever was committed before this moment is before this position.
    pub(crate) fn note(&mut self, at: Instant, position: Position) {
        if let Some((_, last)) = self.moments.back()
            && last.timeline != position.timeline
        {
            // Places of another timeline are no measure.
            self.moments.clear();
        }
        if self.moments.len() >= MOST {
            let mut is_kept = false;
            self.moments.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
        }
        self.moments.push_back((at, position));
    }

    /// The last position.
    pub(crate) fn last(&self) -> Option<Position> {
        self.moments.back().map(|(_, position)| *position)
    }

    /// The last moment of which everything is replayed.
    pub(crate) fn age_of(&self, replayed: Position) -> Option<Instant> {
        let reached =
            self.moments.partition_point(|(_, position)| position.is_reached_by(replayed));
        let last = reached.checked_sub(1)?;
        self.moments.get(last).map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_standby_is_as_old_as_the_last_moment_it_has_passed() {
        let (mut log, begin) = (PrimaryLog::default(), Instant::now());
        let moment = |tick: u64| begin + Duration::from_millis(tick * 50);
        let at = |byte| Position { timeline: 1, byte };
        for tick in 0..10 {
            log.note(moment(tick), at(100 * tick));
        }
        assert_eq!(log.age_of(at(250)), Some(moment(2)));
        assert_eq!(log.age_of(at(5_000)), Some(moment(9)));
        log.note(moment(10), at(900));
        assert_eq!(log.age_of(at(900)), Some(moment(10)), "nothing was written since");
        assert_eq!(log.age_of(Position { timeline: 0, byte: 900 }), None);
        log.note(moment(11), Position { timeline: 2, byte: 950 });
        assert_eq!(log.age_of(at(2_000)), None, "it does not follow the promoted server");
        assert_eq!(log.last(), Some(Position { timeline: 2, byte: 950 }));
    }

    #[test]
    fn a_late_standby_is_known_by_fewer_moments() {
        let (mut log, begin) = (PrimaryLog::default(), Instant::now());
        for tick in 0..50_000 {
            log.note(begin + Duration::from_millis(tick), Position { timeline: 1, byte: tick });
            assert!(log.moments.len() <= MOST);
        }
        let age = log.age_of(Position { timeline: 1, byte: 40_000 }).unwrap();
        assert!(age <= begin + Duration::from_millis(40_000), "never younger than it is");
        assert!(age >= begin + Duration::from_millis(39_900));
    }
}
