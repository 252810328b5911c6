//! Where the writes of this process are in the primary's log: all together, and of each client the last one.
//!
//! Positions only grow, so what is forgotten is not lost: the greatest of those that were forgotten counts for every
//! client from then on.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use duet_admission::Client;
use duet_store::position::Position;

/// The positions of writes.
#[derive(Debug)]
pub(crate) struct Written {
    /// How many clients are remembered; 0: none, and none has a position of its own.
    most: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// No commit of this process is later.
    last: Position,
    /// What every client needs.
    floor: Position,
    /// When a commit was last sent of which no position is known.
    doubt: Option<Instant>,
    clients: HashMap<Client, Position>,
}

impl Written {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, inner: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A commit of this process is not later than this.
    pub(crate) fn note(&self, position: Position) {
        let mut inner = self.lock();
        inner.last = inner.last.max(position);
    }

    /// Whatever was noted so far, every client needs from now on.
    pub(crate) fn note_for_all(&self) {
        let mut inner = self.lock();
        inner.floor = inner.floor.max(inner.last);
    }

    /// No commit is later than this.
    pub(crate) fn last(&self) -> Position {
        let inner = self.lock();
        if inner.doubt.is_some() { Position::BEYOND } else { inner.last }
    }

    /// A commit may have been made now at a place that is not known.
    pub(crate) fn doubt(&self) {
        self.lock().doubt = Some(Instant::now());
    }

    /// The primary was at this position, asked at this moment or later: whatever was in doubt then is not later.
    pub(crate) fn settle(&self, asked: Instant, position: Position) {
        let mut inner = self.lock();
        if inner.doubt.take_if(|since| *since < asked).is_some() {
            inner.last = inner.last.max(position);
            if self.most > 0 {
                inner.floor = inner.floor.max(position);
            }
        }
    }

    /// A write of a client has been committed; a place from which on everybody sees it. `passed` is one that all
    /// standbys have passed.
    pub(crate) fn wrote(&self, client: Client, passed: Position) -> Position {
        let mut inner = self.lock();
        let last = if inner.doubt.is_some() { Position::BEYOND } else { inner.last };
        if self.most > 0 && inner.doubt.is_none() {
            if inner.clients.len() >= self.most && !inner.clients.contains_key(&client) {
                inner.forget(passed, self.most);
            }
            inner.clients.insert(client, last);
        }
        last
    }

    /// How new what a client reads must be after its own writes.
    pub(crate) fn needed_by(&self, client: Client) -> Position {
        if self.most == 0 {
            return Position::default();
        }
        let inner = self.lock();
        match inner.doubt {
            Some(_) => Position::BEYOND,
            None => inner.clients.get(&client).copied().unwrap_or_default().max(inner.floor),
        }
    }
}

impl Inner {
    /// Makes room: for free where all standbys have passed a position, otherwise by half, the oldest positions first.
    fn forget(&mut self, passed: Position, most: usize) {
        let mut floor = self.floor;
        let mut keep = |limit: Position, clients: &mut HashMap<Client, Position>| {
            clients.retain(|_, position| {
                let is_kept = *position > limit;
                if !is_kept {
                    floor = floor.max(*position);
                }
                is_kept
            });
        };
        keep(passed, &mut self.clients);
        if self.clients.len() > most / 2 {
            let mut positions: Vec<Position> = self.clients.values().copied().collect();
            let middle = positions.len() / 2;
            let limit = *positions.select_nth_unstable(middle).1;
            keep(limit, &mut self.clients);
        }
        self.floor = floor;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(byte: u64) -> Position {
        Position { timeline: 1, byte }
    }

    fn write(written: &Written, client: u64, byte: u64, passed: u64) -> Position {
        written.note(at(byte));
        written.wrote(Client::new(client), at(passed))
    }

    #[test]
    fn each_client_needs_its_own_writes() {
        let written = Written::new(10);
        assert_eq!(write(&written, 1, 100, 0), at(100));
        assert_eq!(write(&written, 2, 200, 0), at(200));
        assert_eq!(written.needed_by(Client::new(1)), at(100));
        assert_eq!(written.needed_by(Client::new(2)), at(200));
        assert_eq!(written.needed_by(Client::new(3)), Position::default());
    }

    #[test]
    fn a_client_that_is_forgotten_needs_no_less() {
        for most in [1, 2, 3, 8, 100] {
            let written = Written::new(most);
            for client in 0..500 {
                write(&written, client, 1_000 + client, 0);
                assert!(written.lock().clients.len() <= most);
                for known in 0..=client {
                    assert!(written.needed_by(Client::new(known)) >= at(1_000 + known), "{most}");
                }
            }
        }
    }

    #[test]
    fn what_all_standbys_have_passed_is_forgotten_first() {
        let written = Written::new(4);
        for client in 0..4 {
            write(&written, client, 10 + client, 0);
        }
        write(&written, 9, 50, 12);
        assert_eq!(written.needed_by(Client::new(3)), at(13), "not passed yet");
        assert_eq!(written.needed_by(Client::new(77)), at(12));
    }

    #[test]
    fn in_doubt_all_read_at_the_primary_until_it_was_asked() {
        let written = Written::new(4);
        write(&written, 1, 100, 0);
        let before = Instant::now();
        written.doubt();
        assert_eq!(written.needed_by(Client::new(1)), Position::BEYOND);
        assert_eq!(written.wrote(Client::new(2), at(0)), Position::BEYOND);
        written.settle(before, at(300));
        assert_eq!(written.needed_by(Client::new(1)), Position::BEYOND, "asked too early");
        written.settle(Instant::now() + Duration::from_secs(1), at(300));
        assert_eq!(written.needed_by(Client::new(2)), at(300));
        assert_eq!(written.needed_by(Client::new(1)), at(300), "its own may be among them");
    }
}
