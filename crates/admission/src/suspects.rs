//! Keys that blocked recently: requests that touch them are excluded from batches, or get a part of the permits.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;

/// The maximum number of keys; further ones are not added.
const KEPT: usize = 1_000;

/// The suspect keys with their expiry.
#[derive(Debug, Default)]
pub struct Suspects {
    until: HashMap<u64, Instant, RandomState>,
}

impl Suspects {
    /// Whether no key is suspect, as most of the time.
    pub fn is_empty(&self) -> bool {
        self.until.is_empty()
    }

    /// Makes a key suspect for the duration `memory`.
    pub fn add(&mut self, now: Instant, key: u64, memory: Duration) {
        if self.until.len() >= KEPT {
            self.until.retain(|_, until| *until > now);
        }
        if self.until.len() < KEPT {
            self.until.insert(key, now.checked_add(memory).unwrap_or(now));
        }
    }

    /// Removes a key from the suspects.
    pub fn clear(&mut self, key: u64) {
        self.until.remove(&key);
    }

    /// Whether a key is suspect now.
    pub fn contains(&mut self, now: Instant, key: u64) -> bool {
        match self.until.get(&key) {
            Some(until) if *until > now => true,
            Some(_) => {
                self.until.remove(&key);
                false
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspects_expire() {
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        let mut suspects = Suspects::default();
        suspects.add(now, 1, second);
        suspects.add(now, 2, second);
        suspects.clear(2);
        assert!(suspects.contains(now, 1) && !suspects.contains(now, 2));
        assert!(!suspects.contains(now + second, 1) && suspects.is_empty());
        for key in 0..2 * KEPT as u64 {
            suspects.add(now, key, second);
        }
        assert_eq!(suspects.until.len(), KEPT);
        suspects.add(now + second, 1, second);
        assert_eq!(suspects.until.len(), 1);
    }
}
