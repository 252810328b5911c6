//! Settings that limit several processes together, divided among them.
//!
//! Each process gets a part for the largest number of processes and one more: while one replaces
//! another, both hold connections and memory. A fixed share needs no agreement between processes.

use std::num::NonZeroUsize;

use super::origin::Origin;
use super::value::{ByteSize, Memory, PerAddress};
use super::{Settings, Sourced};

impl Settings {
    /// The shares of an instance's limits: as many as there may be instances, and one more, because
    /// a new one is ready before the old one ends. 1 without instances.
    pub(crate) fn shares(&self) -> usize {
        self.instances.value.map_or(1, |range| range.most + 1)
    }

    /// Raises the connections to the database to one for each worker of each process, where nothing says how many there
    /// are.
    pub(super) fn fit_connections(&mut self) {
        let least = self.workers.value.saturating_mul(processes(self.shares()));
        if self.db_connections.origin == Origin::Default {
            self.db_connections.value = self.db_connections.value.max(least);
        }
    }

    /// Takes one of so many shares of the connections to the database, the memory and the
    /// connections of clients.
    pub(crate) fn share(&mut self, shares: usize) {
        let shares = processes(shares);
        divide(&mut self.db_connections, shares);
        divide(&mut self.max_connections, shares);
        if let PerAddress::Most(most) = &mut self.max_connections_per_address.value {
            *most = share(*most, shares);
        }
        let whole = match self.memory.value {
            Memory::Auto => crate::memory::for_requests(),
            Memory::Bytes(bytes) => bytes.0,
        };
        self.memory.value = Memory::Bytes(ByteSize(whole / shares));
    }
}

fn processes(shares: usize) -> NonZeroUsize {
    NonZeroUsize::new(shares).unwrap_or(NonZeroUsize::MIN)
}

fn divide(setting: &mut Sourced<NonZeroUsize>, shares: NonZeroUsize) {
    setting.value = share(setting.value, shares);
}

/// A share of a whole, at least 1.
fn share(whole: NonZeroUsize, shares: NonZeroUsize) -> NonZeroUsize {
    NonZeroUsize::new(whole.get() / shares).unwrap_or(NonZeroUsize::MIN)
}
