//! One budget for the bytes of requests and responses that are held at a time.
//!
//! A holder of bytes has a [`Lease`] on them and gives them back by dropping it, however a
//! request ends. Counting is exact about what is leased and knows nothing of the rest of the
//! process: its code, its caches of statements, its stacks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::error::{Code, Error, Result};

/// A limit on bytes, shared by all who hold some.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limit: usize,
    used: AtomicUsize,
    peak: AtomicUsize,
    refused: AtomicU64,
}

/// What a budget has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Bytes that may be held.
    pub limit: usize,
    /// Bytes held now.
    pub used: usize,
    /// The most that were held at a time.
    pub peak: usize,
    /// Leases that were refused.
    pub refused: u64,
}

impl Budget {
    /// A budget of so many bytes.
    pub fn new(limit: usize) -> Self {
        let (used, peak, refused) = Default::default();
        Self(Arc::new(Inner { limit, used, peak, refused }))
    }

    /// A budget that counts and refuses nothing.
    pub fn unlimited() -> Self {
        Self::new(usize::MAX)
    }

    /// An empty lease, to be grown.
    pub fn open(&self) -> Lease {
        Lease { budget: self.clone(), bytes: 0 }
    }

    /// A lease on so many bytes.
    ///
    /// # Errors
    /// [`Code::MemoryLimit`] where they are not free.
    pub fn lease(&self, bytes: usize) -> Result<Lease> {
        let mut lease = self.open();
        lease.grow_to(bytes)?;
        Ok(lease)
    }

    /// A lease on bytes that are there already and must be kept, such as the answer to a change
    /// that was committed: it is counted, and never refused.
    pub fn claim(&self, bytes: usize) -> Lease {
        let mut lease = self.open();
        lease.claim_to(bytes);
        lease
    }

    /// What it has counted.
    pub fn usage(&self) -> Usage {
        let Inner { limit, used, peak, refused } = &*self.0;
        Usage {
            limit: *limit,
            used: used.load(Ordering::Relaxed),
            peak: peak.load(Ordering::Relaxed),
            refused: refused.load(Ordering::Relaxed),
        }
    }

    fn take(&self, bytes: usize) -> Result<()> {
        let Inner { limit, used, peak, refused } = &*self.0;
        let fits = |now: usize| now.checked_add(bytes).filter(|next| next <= limit);
        match used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
            Ok(before) => {
                peak.fetch_max(before + bytes, Ordering::Relaxed);
                Ok(())
            }
            Err(_) => {
                refused.fetch_add(1, Ordering::Relaxed);
                Err(self.exhausted())
            }
        }
    }

    fn exhausted(&self) -> Error {
        let message = format!(
            "Requests and responses under way hold all of the {} MiB that `memory` allows. Try again in a moment.",
            self.0.limit >> 20
        );
        Error::new(Code::MemoryLimit, message).retry_after(1)
    }
}

/// Bytes of a budget that are held; dropping it gives them back.
#[derive(Debug)]
pub struct Lease {
    budget: Budget,
    bytes: usize,
}

impl Lease {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Holds at least so many bytes from now on.
    ///
    /// # Errors
    /// [`Code::MemoryLimit`] where they are not free; what was held stays held.
    pub fn grow_to(&mut self, bytes: usize) -> Result<()> {
        if let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) {
            self.budget.take(more)?;
            self.bytes = bytes;
        }
        Ok(())
    }

    /// Holds at least so many bytes from now on, also beyond the limit; see [`Budget::claim`].
    pub fn claim_to(&mut self, bytes: usize) {
        let more = bytes.saturating_sub(self.bytes);
        let Inner { used, peak, .. } = &*self.budget.0;
        peak.fetch_max(used.fetch_add(more, Ordering::Relaxed) + more, Ordering::Relaxed);
        self.bytes += more;
    }

    /// Holds so many bytes more.
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

    /// The same beyond the limit too; see [`Budget::claim`].
    pub fn claim_beside(&self, bytes: usize) -> Lease {
        self.budget.claim(bytes)
    }

    /// Gives back all bytes but so many.
    pub fn shrink_to(&mut self, bytes: usize) {
        let less = self.bytes.saturating_sub(bytes);
        self.budget.0.used.fetch_sub(less, Ordering::Relaxed);
        self.bytes -= less;
    }
}

impl Clone for Lease {
    /// A lease on as many bytes for a copy of what this one is for, also beyond the limit; see
    /// [`Budget::claim`].
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
    fn what_is_held_is_counted_and_given_back() {
        let budget = Budget::new(100);
        let mut first = budget.lease(60).unwrap();
        let error = budget.lease(50).unwrap_err();
        assert_eq!((error.code, error.retry_after), (Code::MemoryLimit, Some(1)));
        assert_eq!(error.code.status(), 503);
        first.grow_by(40).unwrap();
        assert!(first.grow_by(1).is_err());
        assert_eq!(first.bytes(), 100);
        first.shrink_to(10);
        first.grow_to(5).unwrap();
        assert_eq!((first.bytes(), budget.usage().used), (10, 10));
        drop(first);
        let usage = Usage { limit: 100, used: 0, peak: 100, refused: 2 };
        assert_eq!(budget.usage(), usage);
    }

    #[test]
    fn what_must_be_kept_is_counted_beyond_the_limit() {
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
    fn a_huge_wish_is_refused_and_not_wrapped_around() {
        let budget = Budget::new(100);
        let _held = budget.lease(1).unwrap();
        assert!(budget.lease(usize::MAX).is_err());
        assert_eq!(budget.usage().used, 1);
    }
}
