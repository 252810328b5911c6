//! How much of what runs one client may have.
//!
//! A client that runs something may take more as long as it has less than three times what is then free, and never the
//! last: alone it gets three quarters, two get three sevenths each, and the next client finds something free. This
//! is the dynamic threshold of switches with shared memory (A. Choudhury and E. Hahne, "Dynamic queue length
//! thresholds for shared-memory packet switches", 1998), with the factor 3.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use foldhash::fast::RandomState;

use crate::deadline::Client;
use crate::lock;

/// How many times what is free a client may have.
const FACTOR: usize = 3;

/// What each client runs; clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares(Arc<Mutex<HashMap<Client, usize, RandomState>>>);

impl Shares {
    /// Whether a client may take one more where so many are free.
    pub(crate) fn may_take(&self, client: Client, free: usize) -> bool {
        match lock(&self.0).get(&client) {
            None => free > 0,
            Some(held) => free > 1 && *held < FACTOR * free,
        }
    }

    /// The same for more batch work, which leaves its own client room for one more of its other work.
    pub(crate) fn may_take_batch(&self, client: Client, free: usize) -> bool {
        match lock(&self.0).get(&client) {
            None => free > 0,
            Some(held) => free > 2 && held + 1 < FACTOR * (free - 1),
        }
    }

    /// Counts one more, until the guard is dropped.
    pub(crate) fn take(&self, client: Client) -> Share {
        *lock(&self.0).entry(client).or_default() += 1;
        Share { shares: self.clone(), client }
    }
}

/// One of what a client runs.
#[derive(Debug)]
pub(crate) struct Share {
    shares: Shares,
    client: Client,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut held = lock(&self.shares.0);
        if let Some(count) = held.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many each of the clients gets that come one after the other and take all that they may.
    fn taken(slots: usize, clients: u64) -> Vec<usize> {
        let (shares, mut held) = (Shares::default(), Vec::new());
        let counts = (0..clients).map(|client| {
            let client = Client::new(client);
            let before = held.len();
            while shares.may_take(client, slots - held.len()) {
                held.push(shares.take(client));
            }
            held.len() - before
        });
        let counts = counts.collect();
        drop(held);
        assert!(lock(&shares.0).is_empty());
        counts
    }

    /// Two slow reads and a flood of batch work: the client's other reads go on.
    #[test]
    fn batch_work_leaves_its_client_room() {
        let (shares, client) = (Shares::default(), Client::new(1));
        let mut held = vec![shares.take(client), shares.take(client)];
        while shares.may_take_batch(client, 6 - held.len()) {
            held.push(shares.take(client));
        }
        assert_eq!(held.len(), 4);
        assert!(shares.may_take(client, 2));
        assert!(shares.may_take_batch(Client::new(2), 1));
    }

    #[test]
    fn whoever_comes_next_finds_something_free() {
        for (slots, expected) in [
            (1, vec![1, 0]),
            (2, vec![1, 1, 0]),
            (3, vec![2, 1, 0]),
            (4, vec![3, 1, 0]),
            (8, vec![6, 1, 1, 0]),
            (20, vec![15, 4, 1, 0]),
            (40, vec![30, 8, 1, 1, 0]),
        ] {
            assert_eq!(taken(slots, expected.len() as u64), expected, "{slots}");
        }
    }
}
