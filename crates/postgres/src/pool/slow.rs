//! Pages whose statement was slow lately have at most half of the connections for pages.
//!
//! Each statement of PostgreSQL takes a processor of the database's machine. With all connections of a pool busy with
//! slow ones, whatever else runs there waits for its turn of a processor at every step. Which statements are slow is
//! measured: what they cost depends on values and sizes that a plan does not say.

use std::cell::RefCell;
use std::hash::BuildHasher as _;
use std::time::{Duration, Instant};

use duet_admission::{Class, Request, RequestClass, Suspects};
use duet_store::read::PageRead;
use foldhash::fast::RandomState;

/// From this time on a statement is slow.
const SLOW: Duration = Duration::from_millis(50);
/// How long it is expected to be so again.
const MEMORY: Duration = Duration::from_secs(10);

/// The statements that were slow lately, of one pool.
#[derive(Debug, Default)]
pub(crate) struct SlowStatements {
    hasher: RandomState,
    suspects: RefCell<Suspects>,
}

impl SlowStatements {
    /// The class of a page. A statement is hashed only while there are slow ones. Batch work has a limit of its own.
    pub(crate) fn class(&self, request: Request, read: &PageRead) -> Class {
        let mut suspects = self.suspects.borrow_mut();
        let is_interactive = request.class == RequestClass::Interactive;
        match is_interactive
            && !suspects.is_empty()
            && suspects.contains(Instant::now(), self.key(read))
        {
            true => Class::Isolated,
            false => Class::Normal,
        }
    }

    /// Measures a page of this class from now until the guard is dropped, also where it fails or its caller leaves.
    pub(crate) fn measure<'a>(&'a self, read: &'a PageRead, class: Class) -> Timing<'a> {
        Timing { statements: self, read, class, began: Instant::now() }
    }

    fn note(&self, read: &PageRead, class: Class, took: Duration) {
        let mut suspects = self.suspects.borrow_mut();
        if took >= SLOW {
            suspects.add(Instant::now(), self.key(read), MEMORY);
        } else if class == Class::Isolated {
            suspects.clear(self.key(read));
        }
    }

    fn key(&self, read: &PageRead) -> u64 {
        self.hasher.hash_one(read.statements.first().map(|statement| &*statement.sql))
    }
}

/// A page that is being read.
#[must_use]
pub(crate) struct Timing<'a> {
    statements: &'a SlowStatements,
    read: &'a PageRead,
    class: Class,
    began: Instant,
}

impl Drop for Timing<'_> {
    fn drop(&mut self) {
        self.statements.note(self.read, self.class, self.began.elapsed());
    }
}
