//! Who accepts the next connection.
//!
//! All instances accept from one socket. Each worker of each instance has a row in a table: how
//! many connections it holds, and how many it has taken. A worker does not accept while another one
//! holds fewer, or as few and has taken fewer. The table is a file in memory that is read and
//! written like any file: one read for each connection, and no shared memory.
//!
//! A worker that should accept and does not, because it hangs, is passed over once [`PATIENCE`] is
//! up, until its row changes.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};

/// How long others wait for a worker whose turn it is.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many connections one may be ahead of another that holds as many, so that workers seldom
/// wait for each other.
const AHEAD: u64 = 4;
/// How many connections a worker may catch up that took none for a while, such as a new one.
const BEHIND: u64 = 256;
/// Bytes of a row.
const ROW: usize = 24;

/// What the table has of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Row {
    /// Whether it accepts at all.
    accepts: bool,
    /// The connections that it holds.
    open: u64,
    /// The connections that it has taken, advanced where it took none for a while.
    taken: u64,
}

impl Row {
    fn bytes(self) -> [u8; ROW] {
        let mut bytes = [0; ROW];
        bytes[..8].copy_from_slice(&u64::from(self.accepts).to_ne_bytes());
        bytes[8..16].copy_from_slice(&self.open.to_ne_bytes());
        bytes[16..].copy_from_slice(&self.taken.to_ne_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Self {
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[at..at + 8]);
            u64::from_ne_bytes(number)
        };
        Self { accepts: number(0) == 1, open: number(8), taken: number(16) }
    }

    /// Whether this one goes first, and `other` waits.
    fn is_before(self, other: Self) -> bool {
        self.accepts
            && (self.open < other.open
                || self.open == other.open && self.taken + AHEAD < other.taken)
    }
}

/// The table of turns, as one instance or the supervisor holds it.
#[derive(Debug)]
pub struct Turns {
    file: File,
    rows: usize,
    /// The first row of this instance.
    first: usize,
    own: Vec<Mutex<Own>>,
}

/// What a worker knows of itself and of those it waits for.
#[derive(Debug, Default)]
struct Own {
    row: Row,
    /// Those that it has been waiting for, as their rows were, and since when.
    waiting: Option<(Instant, Vec<(usize, Row)>)>,
    /// Those that it waits for no longer, until their rows change.
    passed: Vec<(usize, Row)>,
}

impl Turns {
    /// A table for so many rows.
    ///
    /// # Errors
    /// If the system has no room for the file.
    pub(crate) fn create(rows: usize) -> io::Result<Self> {
        let file = memfd_create("duet-turns", MemfdFlags::CLOEXEC)?;
        ftruncate(&file, (rows * ROW) as u64)?;
        Ok(Self { file: file.into(), rows, first: 0, own: Vec::new() })
    }

    /// The table of the supervisor, as the instance with the rows from `first` on uses it.
    pub(crate) fn shared(file: OwnedFd, rows: usize, first: usize, workers: usize) -> Self {
        let own = (0..workers).map(|_| Mutex::default()).collect();
        Self { file: file.into(), rows, first, own }
    }

    /// The file, to hand it on.
    pub(crate) fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Empties rows, because the process that they belong to is gone.
    pub(crate) fn clear(&self, first: usize, count: usize) -> io::Result<()> {
        (first..first + count).try_for_each(|row| self.write(row, Row::default()))
    }

    /// The connections that the table counts in these rows.
    pub(crate) fn open(&self, first: usize, count: usize) -> u64 {
        let rows = self.read().unwrap_or_default();
        rows.iter().skip(first).take(count).map(|row| row.open).sum()
    }

    /// Says that a worker of this instance accepts from now on, or does not.
    pub fn accepts(&self, worker: usize, accepts: bool) {
        self.change(worker, |row| row.accepts = accepts);
    }

    /// Whether a worker of this instance may accept the next connection now. Where it may not, it
    /// asks again while a connection waits.
    pub fn may_accept(&self, worker: usize, now: Instant) -> bool {
        let Ok(rows) = self.read() else { return true };
        self.with_own(worker, |own| own.may_accept(self.first + worker, &rows, now)).unwrap_or(true)
    }

    /// Counts a connection that a worker has taken.
    pub fn opened(&self, worker: usize) {
        let most = self.read().unwrap_or_default();
        let most = most.iter().map(|row| row.taken).max().unwrap_or(0);
        self.change(worker, |row| {
            row.open += 1;
            row.taken = row.taken.max(most.saturating_sub(BEHIND)) + 1;
        });
    }

    /// Counts one that has ended.
    pub fn closed(&self, worker: usize) {
        self.change(worker, |row| row.open = row.open.saturating_sub(1));
    }

    fn change(&self, worker: usize, change: impl FnOnce(&mut Row)) {
        let row = self.with_own(worker, |own| {
            change(&mut own.row);
            own.row
        });
        // A row that cannot be written is an old one; it steers where connections go, no more.
        let _ = row.map(|row| self.write(self.first + worker, row));
    }

    fn with_own<T>(&self, worker: usize, act: impl FnOnce(&mut Own) -> T) -> Option<T> {
        let own = self.own.get(worker)?;
        Some(act(&mut own.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn write(&self, row: usize, value: Row) -> io::Result<()> {
        self.file.write_all_at(&value.bytes(), (row * ROW) as u64)
    }

    fn read(&self) -> io::Result<Vec<Row>> {
        let mut bytes = vec![0; self.rows * ROW];
        self.file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes.chunks_exact(ROW).map(Row::read).collect())
    }
}

impl Own {
    fn may_accept(&mut self, at: usize, rows: &[Row], now: Instant) -> bool {
        self.passed.retain(|(number, row)| rows.get(*number) == Some(row));
        let before: Vec<(usize, Row)> = rows
            .iter()
            .copied()
            .enumerate()
            .filter(|(number, row)| *number != at && row.is_before(self.row))
            .filter(|one| !self.passed.contains(one))
            .collect();
        if before.is_empty() {
            self.waiting = None;
            return true;
        }
        match &self.waiting {
            Some((since, known)) if *known == before => {
                if now.duration_since(*since) < PATIENCE {
                    return false;
                }
                self.passed.extend(before);
                self.waiting = None;
                true
            }
            _ => {
                self.waiting = Some((now, before));
                false
            }
        }
    }

    /// Nobody waits for a connection any more.
    fn rest(&mut self) {
        self.waiting = None;
    }
}

impl Turns {
    /// Says that no connection waits any more, so that a later one is waited for anew.
    pub fn rest(&self, worker: usize) {
        self.with_own(worker, Own::rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table and the views of instances with one worker each.
    fn instances(count: usize) -> Vec<Turns> {
        let table = Turns::create(count).unwrap();
        let view = |first| {
            let file = table.file().try_clone_to_owned().unwrap();
            let view = Turns::shared(file, count, first, 1);
            view.accepts(0, true);
            view
        };
        (0..count).map(view).collect()
    }

    /// Which of them may accept now.
    fn may(all: &[Turns], now: Instant) -> Vec<usize> {
        (0..all.len()).filter(|number| all[*number].may_accept(0, now)).collect()
    }

    #[test]
    fn the_one_with_the_fewest_connections_accepts() {
        let (all, now) = (instances(3), Instant::now());
        assert_eq!(may(&all, now), [0, 1, 2]);
        all[0].opened(0);
        assert_eq!(may(&all, now), [1, 2]);
        all[1].opened(0);
        all[2].opened(0);
        assert_eq!(may(&all, now), [0, 1, 2]);
        all[2].closed(0);
        assert_eq!(may(&all, now), [2]);
    }

    #[test]
    fn a_connection_for_each_request_is_spread_too() {
        let (all, now) = (instances(5), Instant::now());
        let mut taken = [0_u64; 5];
        for _ in 0..1_000 {
            // The first always wakes first.
            let next = may(&all, now)[0];
            all[next].opened(0);
            all[next].closed(0);
            taken[next] += 1;
        }
        let (most, least) = (taken.iter().max().unwrap(), taken.iter().min().unwrap());
        assert!(most - least <= AHEAD + 1, "{taken:?}");
    }

    #[test]
    fn a_new_one_catches_up_a_little() {
        let (all, now) = (instances(2), Instant::now());
        all[1].accepts(0, false);
        let request = |number: usize| {
            all[number].opened(0);
            all[number].closed(0);
        };
        (0..5_000).for_each(|_| request(0));
        all[1].accepts(0, true);
        let mut alone = 0;
        while may(&all, now) == [1] {
            request(1);
            alone += 1;
        }
        assert!(alone <= BEHIND, "{alone}");
    }

    #[test]
    fn one_that_hangs_is_passed_over_until_it_moves() {
        let (all, now) = (instances(2), Instant::now());
        all[0].opened(0);
        let later = now + PATIENCE;
        assert!(!all[0].may_accept(0, now));
        assert!(!all[0].may_accept(0, now + PATIENCE / 2));
        assert!(all[0].may_accept(0, later));
        all[0].opened(0);
        assert!(all[0].may_accept(0, later), "it waits for it once");
        all[1].opened(0);
        all[1].closed(0);
        assert!(!all[0].may_accept(0, later));
        // Where none waited meanwhile, the time begins anew.
        all[0].rest(0);
        assert!(!all[0].may_accept(0, later + PATIENCE));
    }

    #[test]
    fn one_that_stopped_or_is_gone_is_not_waited_for() {
        let (all, now) = (instances(2), Instant::now());
        all[0].opened(0);
        assert!(!all[0].may_accept(0, now));
        all[1].accepts(0, false);
        assert!(all[0].may_accept(0, now));
        all[1].accepts(0, true);
        assert!(!all[0].may_accept(0, now));
        all[0].clear(1, 1).unwrap();
        assert!(all[0].may_accept(0, now));
        assert_eq!((all[0].open(0, 2), all[0].open(1, 1)), (1, 0));
    }
}
