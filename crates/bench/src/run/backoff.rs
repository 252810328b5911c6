//! The back-off before a user reconnects: none after a broken connection, and exponentially longer
//! after failed attempts.

use std::time::Duration;

/// The wait after the first failed attempt; it doubles with each further one.
const FIRST: Duration = Duration::from_millis(10);
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(1);

/// A user's consecutive failed attempts to connect.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Backoff {
    failed: u32,
}

impl Backoff {
    /// Counts a failed attempt; returns the wait before the next one.
    pub(super) fn failed(&mut self) -> Duration {
        let wait = FIRST.saturating_mul(2_u32.saturating_pow(self.failed)).min(LONGEST);
        self.failed = self.failed.saturating_add(1);
        wait
    }

    /// Resets the count after a connection.
    pub(super) fn connected(&mut self) {
        self.failed = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::sync::mpsc::channel;
    use std::time::Instant;

    use super::super::event::Event;
    use super::super::plan::Plan;
    use super::super::process::Process;
    use super::*;
    use crate::record::TransactionCost;
    use crate::workload::{
        Done, Failed, Local, Session, Success, TransactionContext, TransactionType, Workload,
    };
    use duet_verdict::outcome::Outcome;

    #[test]
    fn waits_double_up_to_a_second() {
        let mut backoff = Backoff::default();
        let waits: Vec<u128> = (0..9).map(|_| backoff.failed().as_millis()).collect();
        assert_eq!(waits, [10, 20, 40, 80, 160, 320, 640, 1000, 1000]);
        backoff.connected();
        assert_eq!(backoff.failed(), FIRST);
        backoff.failed = u32::MAX;
        assert_eq!(backoff.failed(), LONGEST);
    }

    /// A server that closes every fifth connection, and refuses a number of attempts after each.
    struct Breaks {
        kinds: Vec<TransactionType>,
        refusals: u32,
        attempts: AtomicU32,
    }

    struct User(u32);

    impl Workload for Breaks {
        fn kinds(&self) -> &[TransactionType] {
            &self.kinds
        }

        fn open(&self, _: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
            Box::pin(async {
                let attempt = self.attempts.fetch_add(1, Ordering::Relaxed);
                match attempt % (self.refusals + 1) {
                    0 => Ok(Box::new(User(0)) as Box<dyn Session>),
                    _ => Err(Failed::new(Outcome::Connection, "refused")),
                }
            })
        }
    }

    impl Session for User {
        fn run<'a>(&'a mut self, _: usize, _: &'a mut TransactionContext) -> Local<'a, Done> {
            Box::pin(async {
                self.0 += 1;
                match self.0 {
                    5 => Err(Failed::new(Outcome::Connection, "broken")),
                    _ => Ok(Success::Ok),
                }
            })
        }
    }

    /// The cost of a user's 101 transactions.
    fn cost(refusals: u32) -> TransactionCost {
        let attempts = AtomicU32::new(0);
        let workload =
            Breaks { kinds: vec![TransactionType::new("It", "IT", 1.0)], refusals, attempts };
        let plan = Plan { iterations: Some(101), ..Plan::closed(1, 1) };
        let stop = Arc::new(AtomicBool::new(false));
        let process = Process::prepare(&plan, plan.share(0), Arc::new(workload), stop).unwrap();
        let (events, received) = channel();
        process.run(Instant::now(), &events);
        drop(events);
        let ended = received.iter().find_map(|event| match event {
            Event::Ended(ended) => Some(*ended),
            _ => None,
        });
        ended.unwrap().totals.whole_work
    }

    #[test]
    fn a_broken_connection_is_opened_again_at_once() {
        let work = cost(0);
        assert_eq!((work.connects, work.connects_failed), (20, 0));
        assert_eq!(work.backing_off, Duration::ZERO);
    }

    #[test]
    fn only_failed_attempts_are_waited_for() {
        // Of six transactions one gets no connection, and one breaks its own; the first five get
        // one.
        let work = cost(1);
        assert_eq!((work.connects, work.connects_failed), (16, 16));
        assert!(work.backing_off >= FIRST * 16, "{work:?}");
    }
}
