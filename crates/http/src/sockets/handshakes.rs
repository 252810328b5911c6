//! TLS handshakes that have begun: so many at a time. One more ends the one that has lasted longest, so that clients
//! that begin handshakes and stop keep none out, however many they are: a handshake takes milliseconds.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The handshakes of all workers.
#[derive(Debug)]
pub(crate) struct Handshakes {
    most: usize,
    begun: Mutex<Begun>,
}

#[derive(Debug, Default)]
struct Begun {
    next: u64,
    /// In their order; each gets a notice when its time is over.
    all: BTreeMap<u64, Arc<Notify>>,
    ended: u64,
}

/// A handshake under way, until dropped.
#[derive(Debug)]
pub(crate) struct Handshake<'h> {
    handshakes: &'h Handshakes,
    number: u64,
    end: Arc<Notify>,
}

impl Handshakes {
    /// So many at a time, at least one.
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), begun: Mutex::default() }
    }

    /// Begins one more; where that is too many, the one that began first has to end.
    pub(crate) fn begin(&self) -> Handshake<'_> {
        let end = Arc::<Notify>::default();
        let mut begun = self.lock();
        begun.next += 1;
        let number = begun.next;
        if begun.all.len() >= self.most
            && let Some((_, oldest)) = begun.all.pop_first()
        {
            oldest.notify_one();
            begun.ended += 1;
        }
        begun.all.insert(number, Arc::clone(&end));
        Handshake { handshakes: self, number, end }
    }

    /// How many are under way.
    pub(crate) fn under_way(&self) -> usize {
        self.lock().all.len()
    }

    /// How many were ended by others.
    pub(crate) fn ended(&self) -> u64 {
        self.lock().ended
    }

    fn lock(&self) -> MutexGuard<'_, Begun> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Handshake<'_> {
    /// Waits until others have taken its place.
    pub(crate) async fn is_over(&self) {
        self.end.notified().await;
    }
}

impl Drop for Handshake<'_> {
    fn drop(&mut self) {
        self.handshakes.lock().all.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn one_too_many_ends_the_oldest() {
        let handshakes = Handshakes::new(2);
        let [first, second] = [handshakes.begin(), handshakes.begin()];
        assert!(first.is_over().now_or_never().is_none());
        let third = handshakes.begin();
        assert!(first.is_over().now_or_never().is_some());
        assert!(second.is_over().now_or_never().is_none());
        assert_eq!((handshakes.under_way(), handshakes.ended()), (2, 1));
        drop(second);
        let fourth = handshakes.begin();
        assert!(third.is_over().now_or_never().is_none());
        drop((first, third, fourth));
        assert_eq!((handshakes.under_way(), handshakes.ended()), (0, 1));
    }
}
