//! Transactions that the change stream has brought, until readers can see what they changed.
//!
//! The server decodes a commit as soon as its record is on disk, and only then ends the transaction for
//! other sessions; with synchronous replication, seconds later. If its changes were delivered before
//! that, a reader could still read the old row afterwards and keep it. So changes are delivered once a
//! snapshot taken after their arrival does not list their transaction as running.

use std::time::Instant;

use super::beat::Beat;
use super::rows::Committed;

/// Transactions in the order of their commits, and how far the stream is.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    waiting: Vec<Committed>,
    /// Everything before this position of the log has arrived.
    position: u64,
    /// The moment of the last snapshot that arrivals were compared with, and the position at that time.
    compared: Option<(Instant, u64)>,
}

impl Arrivals {
    /// Everything before this position has arrived.
    pub(super) fn reach(&mut self, position: u64) {
        self.position = self.position.max(position);
    }

    /// A transaction has arrived that ends at this position.
    pub(super) fn add(&mut self, committed: Committed, position: u64) {
        // Without changes, there is nothing to deliver.
        if !committed.relations.is_empty() || committed.unknown {
            self.waiting.push(committed);
        }
        self.reach(position);
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Whether transactions wait for a snapshot.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes the transactions that have ended by this snapshot, which was taken later than `asked` and
    /// than the arrival of all.
    pub(super) fn settle(&mut self, asked: Instant, snapshot: &Snapshot) -> Vec<Committed> {
        self.compared = Some((asked, self.position));
        self.waiting.extract_if(.., |committed| !snapshot.is_running(committed.xid)).collect()
    }

    /// Whether everything that was committed before this beat is delivered. What was still running at a
    /// later moment was not.
    pub(super) fn have_passed(&self, beat: &Beat) -> bool {
        let is_compared =
            self.compared.is_some_and(|(at, position)| beat.at <= at && beat.position <= position);
        is_compared || (self.waiting.is_empty() && beat.position <= self.position)
    }
}

/// Which transactions were running at a moment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// All transactions from this number on were running or had not begun.
    next: u64,
    running: Vec<u64>,
}

impl Snapshot {
    /// Reads the text of a `pg_snapshot`: `oldest:next:running,…`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once(':')?;
        let (next, running) = rest.split_once(':')?;
        let running = running.split(',').filter(|xid| !xid.is_empty());
        let running = running.map(|xid| xid.parse().ok()).collect::<Option<Vec<_>>>()?;
        Some(Self { next: next.parse().ok()?, running })
    }

    /// `xid`: the low 32 bits of a transaction's number, which is less than 2^31 away from the next one.
    fn is_running(&self, xid: u32) -> bool {
        #[expect(clippy::cast_possible_truncation, reason = "numbers are compared modulo 2^32")]
        let low = self.next as u32;
        let distance = xid.wrapping_sub(low).cast_signed();
        let whole = self.next.saturating_add_signed(i64::from(distance));
        whole >= self.next || self.running.contains(&whole)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn snapshot(text: &str) -> Snapshot {
        Snapshot::parse(text).unwrap()
    }

    fn beat(at: Instant, position: u64) -> Beat {
        Beat { at, position, oldest: 0, next: 0 }
    }

    #[test]
    fn what_runs_is_read_from_a_snapshot() {
        let some = snapshot("10:20:10,12");
        let running = (8..22).filter(|xid| some.is_running(*xid)).collect::<Vec<_>>();
        assert_eq!(running, [10, 12, 20, 21]);
        assert!(!snapshot("7:7:").is_running(6));
        // The low bits begin anew after 2^32.
        let late = snapshot("4294967290:4294967300:4294967294,4294967298");
        for (xid, expected) in
            [(4_294_967_294, true), (4_294_967_295, false), (2, true), (3, false), (4, true)]
        {
            assert_eq!(late.is_running(xid), expected, "{xid}");
        }
        for wrong in ["", "1", "1:2", "1:x:", "1:2:3,x"] {
            assert_eq!(Snapshot::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn changes_wait_until_their_transaction_has_ended() {
        let changed = |xid| Committed { unknown: true, xid, ..Committed::default() };
        let now = Instant::now();
        let mut arrivals = Arrivals::default();
        arrivals.add(Committed::default(), 50);
        assert!(!arrivals.is_waiting() && arrivals.have_passed(&beat(now, 50)));
        arrivals.add(changed(6), 60);
        arrivals.add(changed(7), 70);
        assert!(!arrivals.have_passed(&beat(now, 50)), "it may have been committed before");
        assert_eq!(arrivals.settle(now, &snapshot("6:8:6")).len(), 1);
        // The other one had not ended when the snapshot was taken.
        assert!(arrivals.is_waiting() && arrivals.have_passed(&beat(now, 70)));
        assert!(!arrivals.have_passed(&beat(now, 71)));
        let later = now + Duration::from_millis(1);
        assert!(!arrivals.have_passed(&beat(later, 70)));
        assert_eq!(arrivals.settle(later, &snapshot("8:8:")).len(), 1);
        assert!(!arrivals.is_waiting() && arrivals.have_passed(&beat(later, 70)));
    }
}
