//! When an event that was not accepted is sent again.

use std::time::Duration;

/// The pauses behind the attempts; those of Svix.
const PAUSES: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 3600),
    Duration::from_secs(5 * 3600),
    Duration::from_secs(10 * 3600),
    Duration::from_secs(14 * 3600),
    Duration::from_secs(20 * 3600),
    Duration::from_secs(24 * 3600),
];

/// How often an event is sent at most, where the application says nothing else, and at most.
pub const ATTEMPTS: usize = PAUSES.len() + 1;

/// The longest pause that an endpoint may ask for.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// The pause behind an attempt, which counts from 1. `chance` from 0 to 255 moves it by a tenth either way, so that events
/// that failed together are not sent together again. An endpoint may ask for a longer one.
pub(super) fn pause(attempt: usize, chance: u8, asked: Option<Duration>) -> Duration {
    let pause = PAUSES[attempt.clamp(1, PAUSES.len()) - 1];
    let moved = pause.mul_f64(0.9 + 0.2 * f64::from(chance) / 255.0);
    asked.unwrap_or_default().min(LONGEST).max(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_vary() {
        let secs = Duration::from_secs_f64;
        assert_eq!(pause(1, 0, None), secs(4.5));
        assert_eq!(pause(1, 255, None), secs(5.5));
        assert_eq!(pause(9, 0, None), secs(21.6 * 3600.0));
        assert_eq!(pause(99, 0, None), pause(9, 0, None));
        let each: Vec<_> = (1..ATTEMPTS).map(|attempt| pause(attempt, 128, None)).collect();
        assert!(each.is_sorted());
    }

    #[test]
    fn an_endpoint_may_ask_for_more() {
        assert_eq!(pause(1, 0, Some(Duration::from_secs(60))), Duration::from_secs(60));
        assert_eq!(pause(2, 0, Some(Duration::from_secs(1))), pause(2, 0, None));
        assert_eq!(pause(1, 0, Some(Duration::MAX)), LONGEST);
    }
}
