//! A shared memory budget for the bytes of requests and responses in progress.
//!
//! Buffers are covered by a [`Lease`], which returns its bytes when dropped, however a request ends.
//! The budget only counts leased bytes, not other memory of the process, such as its code, statement
//! caches and stacks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use duet_text::error::{Code, Error, Result};

/// A limit on leased bytes, shared by clones.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The budget that this one is a part of.
    whole: Option<Budget>,
    limit: usize,
    used: AtomicUsize,
    peak: AtomicUsize,
    refused: AtomicU64,
}

/// The counters of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUsage {
    /// The limit in bytes.
    pub limit: usize,
    /// The bytes currently leased.
    pub used: usize,
    /// The peak of leased bytes.
    pub peak: usize,
    /// The number of refused leases.
    pub refused: u64,
}

impl Budget {
    /// A budget of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self::within(limit, None)
    }

    /// A part of this budget with a limit of its own: what it leases is leased from both.
    #[must_use]
    pub fn part(&self, limit: usize) -> Self {
        Self::within(limit.min(self.0.limit), Some(self.clone()))
    }

    fn within(limit: usize, whole: Option<Self>) -> Self {
        let (used, peak, refused) = Default::default();
        Self(Arc::new(Inner { whole, limit, used, peak, refused }))
    }

    /// A budget that counts but never refuses.
    pub fn unlimited() -> Self {
        Self::new(usize::MAX)
    }

    /// An empty lease that can grow.
    pub fn open(&self) -> Lease {
        Lease { budget: self.clone(), bytes: 0 }
    }

    /// A lease on this many bytes.
    ///
    /// # Errors
    /// [`Code::MemoryLimit`] if they are not available.
    pub fn lease(&self, bytes: usize) -> Result<Lease> {
        let mut lease = self.open();
        lease.grow_to(bytes)?;
        Ok(lease)
    }

    /// A lease on bytes that already exist and must be kept, such as the response to a committed
    /// change: counted, but never refused.
    pub fn claim(&self, bytes: usize) -> Lease {
        let mut lease = self.open();
        lease.claim_to(bytes);
        lease
    }

    /// The current counters.
    pub fn usage(&self) -> MemoryUsage {
        let Inner { limit, used, peak, refused, .. } = &*self.0;
        MemoryUsage {
            limit: *limit,
            used: used.load(Ordering::Relaxed),
            peak: peak.load(Ordering::Relaxed),
            refused: refused.load(Ordering::Relaxed),
        }
    }

    fn take(&self, bytes: usize) -> Result<()> {
        if self.take_free(bytes) {
            return Ok(());
        }
        self.0.refused.fetch_add(1, Ordering::Relaxed);
        Err(self.exhausted())
    }

    /// Leases this many bytes, if they are free.
    fn take_free(&self, bytes: usize) -> bool {
        let Inner { limit, used, peak, .. } = &*self.0;
        let fits = |now: usize| now.checked_add(bytes).filter(|next| next <= limit);
        let before = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
        let Ok(before) = before else { return false };
        if self.0.whole.as_ref().is_some_and(|whole| !whole.take_free(bytes)) {
            used.fetch_sub(bytes, Ordering::Relaxed);
            return false;
        }
        peak.fetch_max(before + bytes, Ordering::Relaxed);
        true
    }

    /// Leases this many bytes whatever the limits are.
    fn claim_more(&self, bytes: usize) {
        let Inner { whole, used, peak, .. } = &*self.0;
        peak.fetch_max(used.fetch_add(bytes, Ordering::Relaxed) + bytes, Ordering::Relaxed);
        if let Some(whole) = whole {
            whole.claim_more(bytes);
        }
    }

    fn give_back(&self, bytes: usize) {
        self.0.used.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(whole) = &self.0.whole {
            whole.give_back(bytes);
        }
    }

    fn exhausted(&self) -> Error {
        let limit = self.0.limit >> 20;
        let message = match &self.0.whole {
            Some(whole) if whole.0.limit.saturating_sub(whole.usage().used) > 0 => format!(
                "Clients that have not authenticated hold all of the {limit} MiB that `memory_unauthenticated` allows. Send an access token, or try again in a moment."
            ),
            Some(whole) => return whole.exhausted(),
            None => format!(
                "Requests and responses under way hold all of the {limit} MiB that `memory` allows. Try again in a moment."
            ),
        };
        Error::new(Code::MemoryLimit, message).retry_after(1)
    }
}

/// Leased bytes of a budget; dropping it returns them.
#[derive(Debug)]
pub struct Lease {
    budget: Budget,
    bytes: usize,
}

impl Lease {
    /// The leased bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Grows to at least this many bytes.
    ///
    /// # Errors
    /// [`Code::MemoryLimit`] if they are not available; the lease then keeps its size.
    pub fn grow_to(&mut self, bytes: usize) -> Result<()> {
        if let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) {
            self.budget.take(more)?;
            self.bytes = bytes;
        }
        Ok(())
    }

    /// Grows to at least this many bytes, even beyond the limit; see [`Budget::claim`].
    pub fn claim_to(&mut self, bytes: usize) {
        let more = bytes.saturating_sub(self.bytes);
        self.budget.claim_more(more);
        self.bytes += more;
    }

    /// Grows to at least this many bytes if they are free, and returns whether they were. Counts no refusal.
    pub fn grow_if_free(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let free = self.budget.take_free(more);
        self.bytes += if free { more } else { 0 };
        free
    }

    /// Grows by this many bytes.
    ///
    /// # Errors
    /// As [`Lease::grow_to`].
    pub fn grow_by(&mut self, more: usize) -> Result<()> {
        self.grow_to(self.bytes.saturating_add(more))
    }

    /// Another lease of the same budget.
    ///
    /// # Errors
    /// As [`Budget::lease`].
    pub fn beside(&self, bytes: usize) -> Result<Lease> {
        self.budget.lease(bytes)
    }

    /// Another lease of the same budget, even beyond the limit; see [`Budget::claim`].
    pub fn claim_beside(&self, bytes: usize) -> Lease {
        self.budget.claim(bytes)
    }

    /// Splits off a lease of this many bytes, or of all of them if there are fewer.
    #[must_use]
    pub fn split_off(&mut self, bytes: usize) -> Self {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        Self { budget: self.budget.clone(), bytes }
    }

    /// Takes over the bytes of another lease.
    pub fn absorb(&mut self, mut other: Self) {
        if Arc::ptr_eq(&self.budget.0, &other.budget.0) {
            self.bytes += std::mem::take(&mut other.bytes);
        } else {
            self.claim_to(self.bytes + other.bytes);
        }
    }

    /// Shrinks to at most this many bytes.
    pub fn shrink_to(&mut self, bytes: usize) {
        let less = self.bytes.saturating_sub(bytes);
        self.budget.give_back(less);
        self.bytes -= less;
    }
}

impl Clone for Lease {
    /// A lease of the same size for a copy of the data, even beyond the limit; see [`Budget::claim`].
    fn clone(&self) -> Self {
        self.budget.claim(self.bytes)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_are_counted_and_returned() {
        let budget = Budget::new(100);
        let mut first = budget.lease(60).unwrap();
        let error = budget.lease(50).unwrap_err();
        assert_eq!((error.code, error.retry_after), (Code::MemoryLimit, Some(1)));
        assert_eq!(error.code.status(), 503);
        first.grow_by(40).unwrap();
        assert!(first.grow_by(1).is_err() && !first.grow_if_free(101) && first.grow_if_free(100));
        assert_eq!(first.bytes(), 100);
        first.shrink_to(10);
        first.grow_to(5).unwrap();
        assert_eq!((first.bytes(), budget.usage().used), (10, 10));
        drop(first);
        let usage = MemoryUsage { limit: 100, used: 0, peak: 100, refused: 2 };
        assert_eq!(budget.usage(), usage);
    }

    #[test]
    fn claims_are_counted_beyond_the_limit() {
        let budget = Budget::new(100);
        let claimed = budget.claim(150);
        assert!(budget.lease(1).is_err());
        assert_eq!(budget.usage().used, 150);
        drop(claimed);
        let mut lease = budget.lease(100).unwrap();
        lease.claim_to(120);
        lease.claim_to(10);
        assert_eq!((lease.bytes(), budget.usage().used, budget.usage().peak), (120, 120, 150));
        drop(lease);
        assert!(budget.lease(100).is_ok());
    }

    #[test]
    fn bytes_move_between_leases_and_are_counted_once() {
        let budget = Budget::new(100);
        let mut whole = budget.lease(100).unwrap();
        let mut part = whole.split_off(30);
        assert_eq!((whole.bytes(), part.bytes(), budget.usage().used), (70, 30, 100));
        part.absorb(whole.split_off(1_000));
        assert_eq!((whole.bytes(), part.bytes(), budget.usage().used), (0, 100, 100));
        drop(whole);
        let other = Budget::new(1);
        let mut stranger = other.open();
        stranger.absorb(part);
        assert_eq!((budget.usage().used, other.usage().used), (0, 100));
        assert_eq!((budget.usage().peak, budget.usage().refused), (100, 0));
    }

    #[test]
    fn a_part_is_leased_from_its_whole() {
        let whole = Budget::new(100);
        let part = whole.part(40);
        let used = || (part.usage().used, whole.usage().used);
        let mut lease = part.lease(30).unwrap();
        assert_eq!(used(), (30, 30));
        assert!(part.lease(11).is_err(), "the part is smaller");
        let other = whole.lease(65).unwrap();
        assert!(!lease.grow_if_free(36), "the whole is full");
        assert_eq!(used(), (30, 95));
        lease.claim_to(50);
        assert_eq!(used(), (50, 115));
        drop((lease, other));
        assert_eq!(used(), (0, 0));
        assert_eq!((part.usage().peak, whole.usage().peak), (50, 115));
    }

    #[test]
    fn a_huge_lease_is_refused_without_overflow() {
        let budget = Budget::new(100);
        let _held = budget.lease(1).unwrap();
        assert!(budget.lease(usize::MAX).is_err());
        assert_eq!(budget.usage().used, 1);
    }
}
