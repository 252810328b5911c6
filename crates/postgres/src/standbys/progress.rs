//! What a standby has replayed, as its beat learns it and new connections check it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use duet_model::Result;
use duet_store::position::Position;

use crate::connection::stop::unavailable;

/// What every new connection to a standby asks.
pub(crate) const REPLAYED: &str = "SELECT coalesce((pg_catalog.pg_last_wal_replay_lsn() - \
     '0/0'::pg_catalog.pg_lsn)::int8, 9223372036854775807)";

/// The progress of a standby.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    is_used: AtomicBool,
    timeline: AtomicU32,
    byte: AtomicU64,
}

impl Progress {
    /// Whether reads go to it.
    pub(crate) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Acquire)
    }

    /// Whether reads go to it from now on.
    pub(crate) fn set_used(&self, is_used: bool) {
        self.is_used.store(is_used, Ordering::Release);
    }

    /// What it has replayed at least.
    pub(crate) fn replayed(&self) -> Position {
        // The byte first: a timeline that is read too new belongs to a byte that is too small.
        let byte = self.byte.load(Ordering::Acquire);
        Position { timeline: self.timeline.load(Ordering::Acquire), byte }
    }

    /// A beat has found this; whether it is less than before: the server was restarted, and replays again.
    pub(crate) fn note(&self, position: Position) -> bool {
        let is_less = position.byte < self.byte.load(Ordering::Acquire);
        if is_less {
            self.set_used(false);
        }
        self.timeline.store(position.timeline, Ordering::Release);
        self.byte.store(position.byte, Ordering::Release);
        is_less
    }

    /// A new connection has met a server that has replayed up to this byte.
    ///
    /// # Errors
    /// Where that is less than was known: the server was restarted, and whatever was asked is asked of the primary.
    pub(crate) fn check_connection(&self, byte: i64) -> Result<()> {
        if u64::try_from(byte).unwrap_or_default() >= self.byte.load(Ordering::Acquire) {
            return Ok(());
        }
        self.set_used(false);
        Err(unavailable("the standby was restarted and replays again what it had replayed"))
    }
}
