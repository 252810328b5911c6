//! The deadline and the client of a request.

use std::hash::{BuildHasher, Hash};
use std::time::{Duration, Instant};

use foldhash::fast::FixedState;

/// A year: used for limits that would overflow when added to a time.
const FAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// The time at which all waiting of a request ends, counted from its arrival.
///
/// A stage with its own limit shortens the deadline with [`Deadline::within`]; no stage can extend it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    arrived: Instant,
    end: Instant,
    /// The end that the caller has set for the whole request, its statements included.
    last: Option<Instant>,
}

impl Deadline {
    /// The deadline of a request that arrived at `arrived` and may take `limit`.
    pub fn after(arrived: Instant, limit: Duration) -> Self {
        let end = arrived.checked_add(limit).or_else(|| arrived.checked_add(FAR));
        Self { arrived, end: end.unwrap_or(arrived), last: None }
    }

    /// The same with a limit that the caller sets for the whole request. It shortens the deadline and
    /// never extends it.
    #[must_use]
    pub fn limited(self, limit: Duration) -> Self {
        let Self { end, .. } = self.within(limit);
        Self { end, last: Some(end), ..self }
    }

    /// The end that the caller has set, if any.
    pub fn last(self) -> Option<Instant> {
        self.last
    }

    /// Whether the end that the caller has set has passed.
    pub fn is_given_up(self, now: Instant) -> bool {
        self.last.is_some_and(|last| now >= last)
    }

    /// How long a statement that begins now may run: `most`, or the rest of the caller's limit.
    pub fn statement(self, now: Instant, most: Duration) -> Duration {
        self.last.map_or(most, |last| most.min(last.saturating_duration_since(now)))
    }

    /// How long after the deadline an answer is still waited for: not at all where the caller has set it.
    pub fn grace(self, usual: Duration) -> Duration {
        if self.last.is_some() { Duration::ZERO } else { usual }
    }

    /// When the request arrived.
    pub fn arrived(self) -> Instant {
        self.arrived
    }

    /// The time from which the request is refused.
    pub fn end(self) -> Instant {
        self.end
    }

    /// The earlier of this deadline and `limit` after the arrival.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        let end = Self::after(self.arrived, limit).end.min(self.end);
        Self { end, ..self }
    }

    /// The earlier of this deadline and `limit` after `from`.
    #[must_use]
    pub fn within_from(self, from: Instant, limit: Duration) -> Self {
        let end = Self::after(from, limit).end.min(self.end);
        Self { end, ..self }
    }

    /// The remaining time; zero after the deadline.
    pub fn left(self, now: Instant) -> Duration {
        self.end.saturating_duration_since(now)
    }

    /// Whether the deadline has passed.
    pub fn is_over(self, now: Instant) -> bool {
        now >= self.end
    }
}

/// The client of a request, for fairness: a hash of its id or address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Client(u64);

impl Client {
    /// The client with this number.
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// The client with this name or address.
    pub fn of(client: &(impl Hash + ?Sized)) -> Self {
        Self(FixedState::default().hash_one(client))
    }
}

/// The client and the deadline of a request, which every wait needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its client.
    pub client: Client,
    /// Its deadline.
    pub deadline: Deadline,
    /// Its class.
    pub class: RequestClass,
}

/// What a request is part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestClass {
    /// A caller waits for the answer.
    #[default]
    Interactive,
    /// Work that may take longer, and gives way to interactive requests.
    Batch,
}

impl Request {
    /// The same request with a shorter deadline.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { deadline: self.deadline.within(limit), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_shorten_but_never_extend_the_deadline() {
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        let deadline = Deadline::after(now, second * 10);
        assert_eq!(deadline.within(second * 5).left(now + second), second * 4);
        assert_eq!(deadline.within(second * 50), deadline);
        assert_eq!(deadline.within_from(now + second * 3, second).left(now + second * 3), second);
        assert_eq!(deadline.within_from(now + second * 3, second * 30), deadline);
        assert!(!deadline.is_over(now + second * 9));
        assert!(deadline.is_over(now + second * 10));
        assert_eq!(deadline.left(now + second * 11), Duration::ZERO);
        let limited = deadline.limited(second * 2);
        assert_eq!(limited.left(now), second * 2);
        assert_eq!(
            deadline.limited(second * 99).left(now),
            second * 10,
            "a caller extends nothing"
        );
        // What a stage shortens is its own time, and not that of statements.
        let stage = limited.within(second);
        assert_eq!((stage.left(now), stage.last()), (second, Some(now + second * 2)));
        assert_eq!(stage.statement(now + second, second * 30), second);
        assert_eq!(deadline.statement(now + second, second * 30), second * 30);
        assert!(!limited.is_given_up(now + second) && limited.is_given_up(now + second * 2));
        assert!(!deadline.is_given_up(now + second * 100));
        assert_eq!((limited.grace(second), deadline.grace(second)), (Duration::ZERO, second));
        assert!(!Deadline::after(now, Duration::MAX).is_over(now + second * 1000));
    }
}
