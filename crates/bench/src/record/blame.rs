//! The cause of a late transaction: the client, which had an idle user, or the server, which kept
//! all users busy.

use std::time::Duration;

/// A transaction that begins later than this after its time is late.
const LATE: Duration = Duration::from_millis(1);

/// The cause of a late start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// A user was idle at the due moment and did not begin.
    Client,
    /// All users were busy at the due moment.
    Server,
}

impl Blame {
    /// The cause for a transaction that was due at `due` and began at `began`; its user was free
    /// from `free` on. Arrivals go to users in order, so one that was due before its user was free
    /// found all users busy. `None` if it began in time.
    pub fn of(due: Duration, began: Duration, free: Duration) -> Option<Self> {
        let is_late = began.saturating_sub(due) > LATE;
        is_late.then_some(if free <= due { Self::Client } else { Self::Server })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_idle_user_blames_the_client() {
        let blame = |times: [u64; 3]| {
            let [due, began, free] = times.map(Duration::from_millis);
            Blame::of(due, began, free)
        };
        assert_eq!(blame([100, 101, 50]), None);
        assert_eq!(blame([100, 102, 50]), Some(Blame::Client));
        assert_eq!(blame([100, 102, 100]), Some(Blame::Client));
        assert_eq!(blame([100, 2_000, 1_999]), Some(Blame::Server));
        assert_eq!(blame([100, 99, 0]), None);
    }
}
