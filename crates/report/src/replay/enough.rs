//! How much must be measured before anything is said of a ratio.

use duet_verdict::judge::Change;
use duet_verdict::text::{self, counted};

/// Rounds without which nothing is known of the spread between them.
pub const ROUNDS: usize = 3;
/// Seconds that each side must be measured for, all rounds together.
pub const SECONDS: f64 = 5.0;

/// What is missing for a judgement of two sides that were measured for so long, in so many rounds; nothing
/// where it is enough.
pub(super) fn missing(rounds: usize, seconds: [f64; 2], least_s: f64) -> Option<String> {
    let shorter = seconds[0].min(seconds[1]);
    (rounds < ROUNDS || shorter < least_s).then(|| {
        format!(
            "{} measured in {}; {} in {ROUNDS} rounds are needed",
            text::seconds(shorter),
            counted(rounds as u64, "round"),
            text::seconds(least_s)
        )
    })
}

/// A change in percent with its interval: `+7.3 %, between +5.1 and +9.4 % (95 %, 3 rounds)`.
pub(super) fn found(change: &Change, rounds: usize) -> String {
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    let measured = percent(change.log_ratio.exp());
    let [low, high] = change.interval(0.95).map(percent);
    let rounds = counted(rounds as u64, "round");
    format!("{measured:+.1} % here, between {low:+.1} and {high:+.1} % (95 %, {rounds})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_milliseconds_decide_nothing() {
        let missing = |rounds, seconds| missing(rounds, seconds, SECONDS);
        let expected = "0.03 s measured in 1 round; 5 s in 3 rounds are needed";
        assert_eq!(missing(1, [0.03, 9.0]).as_deref(), Some(expected));
        assert!(missing(2, [60.0; 2]).is_some() && missing(3, [60.0, 4.9]).is_some());
        assert_eq!(missing(3, [5.0; 2]), None);
    }
}
