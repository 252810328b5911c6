//! The memory of a request body while it arrives.
//!
//! A body takes memory as its bytes come, not as they are announced: a client that announces many and sends none
//! takes nothing from others. But large bodies that arrive together would each take a part and find no room for
//! the rest, or for their answers. So one of known length reserves what it will need when its first bytes have
//! come, first come, first served, and the others are refused at once. The reservation lasts while the body is
//! on its way to be complete in time.

use std::time::Duration;

use duet_model::Result;
use duet_model::memory::{Budget, Lease};
use tokio::time::Instant;

use crate::clients::leased::hold;

/// Bodies of more bytes reserve their memory when so many have come.
pub(crate) const FIRST: usize = 64 << 10;
/// Bytes of the body of a request of HTTP/2 that its client may send before they are read.
pub(crate) const STREAM_WINDOW: u32 = 256 << 10;
/// A body is held as it came and as text.
pub(crate) const COPIES: usize = 2;
/// How often a body with a reservation is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// The lease of a body that is being read.
pub(crate) struct BodyLease<'m> {
    memory: &'m Budget,
    lease: Lease,
    announced: usize,
    begun: Instant,
    deadline: Duration,
    /// Bytes that are never refused.
    granted: usize,
    state: State,
}

/// The memory of a request's body: where it is counted, and how much of it is never refused.
#[derive(Clone, Copy)]
pub(crate) struct BodyMemory<'m> {
    pub(crate) budget: &'m Budget,
    pub(crate) granted: usize,
}

#[derive(Clone, Copy)]
enum State {
    /// Memory is taken as bytes arrive.
    ByArrival,
    /// So it is until the first bytes have come.
    Announced,
    /// All of it is reserved until it is too slow, which is looked at then.
    Reserved(Instant),
}

impl<'m> BodyLease<'m> {
    /// Nothing yet, for a body of so many announced bytes, 0 if that is not known.
    pub(crate) fn new(memory: BodyMemory<'m>, announced: usize, deadline: Duration) -> Self {
        let state = if announced > FIRST { State::Announced } else { State::ByArrival };
        let BodyMemory { budget: memory, granted } = memory;
        let (lease, begun) = (memory.open(), Instant::now());
        Self { memory, lease, announced, begun, deadline, granted, state }
    }

    /// When to call [`Self::look`], if no bytes come until then.
    pub(crate) fn next_look(&self) -> Option<Instant> {
        match self.state {
            State::Reserved(at) => Some(at),
            State::ByArrival | State::Announced => None,
        }
    }

    /// Covers a body of which so many bytes have come.
    ///
    /// # Errors
    /// `MemoryLimit` where there is too little.
    pub(crate) fn grow(&mut self, received: usize) -> Result<()> {
        match self.state {
            State::Announced if received >= FIRST => {
                self.lease.grow_to(needed(self.announced, self.memory.usage().limit))?;
                self.state = State::Reserved(Instant::now() + LOOK);
            }
            State::Reserved(at) if at <= Instant::now() => self.look(received),
            _ => {}
        }
        hold(&mut self.lease, received.saturating_mul(COPIES), self.granted)
    }

    /// Gives back what is reserved beyond the bytes that have come, if the rest would come too late.
    pub(crate) fn look(&mut self, received: usize) {
        let in_time = (self.deadline.as_micros()).saturating_mul(received as u128)
            >= self.begun.elapsed().as_micros().saturating_mul(self.announced as u128);
        if in_time {
            self.state = State::Reserved(Instant::now() + LOOK);
        } else {
            self.state = State::ByArrival;
            self.lease.shrink_to(received.saturating_mul(COPIES));
        }
    }

    /// The lease of the whole body.
    pub(crate) fn whole(mut self, bytes: usize) -> Lease {
        self.lease.shrink_to(bytes.saturating_mul(COPIES));
        self.lease
    }
}

/// The memory that a body needs with the rows that its answer reads again; without those where both take more
/// than half of what there is.
fn needed(bytes: usize, limit: usize) -> usize {
    let own = bytes.saturating_mul(COPIES);
    own.saturating_add(bytes).min(limit / 2).max(own)
}

#[cfg(test)]
mod tests {
    use duet_model::Code;

    use super::*;

    const LONG: Duration = Duration::from_secs(100);
    const SIZE: usize = 1 << 20;

    /// Of bodies whose parts arrive in turn, some are read to their end, and have room for their answers.
    #[test]
    fn bodies_that_arrive_together_are_admitted_first_come_first_served() {
        let memory = Budget::new(8 * SIZE);
        let mut bodies: Vec<_> = (0..60)
            .map(|_| Some(BodyLease::new(BodyMemory { budget: &memory, granted: 0 }, SIZE, LONG)))
            .collect();
        for received in (1..=SIZE / FIRST).map(|part| part * FIRST) {
            for body in &mut bodies {
                if body.as_mut().is_some_and(|body| body.grow(received).is_err()) {
                    *body = None;
                }
            }
        }
        let whole: Vec<_> = bodies.into_iter().flatten().map(|body| body.whole(SIZE)).collect();
        let answers: Vec<_> = whole.iter().map(|_| memory.lease(SIZE).unwrap()).collect();
        assert_eq!((whole.len(), answers.len()), (2, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_holds_what_has_come() {
        let memory = Budget::new(8 * SIZE);
        let mut body = BodyLease::new(BodyMemory { budget: &memory, granted: 0 }, SIZE, LONG);
        assert!(body.next_look().is_none());
        body.grow(FIRST - 1).unwrap();
        assert_eq!(memory.usage().used, (FIRST - 1) * COPIES, "nothing is reserved yet");
        body.grow(FIRST).unwrap();
        assert_eq!(memory.usage().used, 3 * SIZE);
        tokio::time::sleep_until(body.next_look().unwrap()).await;
        body.look(FIRST);
        assert_eq!(memory.usage().used, 3 * SIZE, "1 % of the time, 6 % of the body");
        tokio::time::advance(LONG / 10).await;
        body.grow(FIRST + 1).unwrap();
        assert_eq!(memory.usage().used, (FIRST + 1) * COPIES);
        assert!(body.next_look().is_none());
        let other = memory.lease(8 * SIZE - memory.usage().used).unwrap();
        assert_eq!(body.grow(2 * FIRST).unwrap_err().code, Code::MemoryLimit);
        drop(other);
        body.grow(SIZE).unwrap();
        assert_eq!(body.whole(SIZE).bytes(), 2 * SIZE);
        assert_eq!(memory.usage().used, 0);
    }

    #[test]
    fn what_a_body_needs() {
        assert_eq!(needed(SIZE, 64 * SIZE), 3 * SIZE);
        assert_eq!(needed(28 * SIZE, 64 * SIZE), 56 * SIZE);
        assert_eq!(needed(12 * SIZE, 64 * SIZE), 32 * SIZE);
    }
}
