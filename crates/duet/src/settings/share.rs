//! Settings that limit several processes or servers together, divided among them.
//!
//! Each process gets a part for the largest number of processes and one more: while one replaces
//! another, both hold connections and memory. A fixed share needs no agreement between processes.

use std::num::NonZeroUsize;

use super::origin::Origin;
use super::value::{ByteSize, Memory, PerAddress};
use super::{Settings, Sourced, TABLE};

impl Settings {
    /// Takes one server's part of what limits clients at all servers together, rounded up.
    pub(crate) fn take_part_of_server(&mut self) {
        let servers = self.servers.value;
        let few = u32::try_from(servers.get()).unwrap_or(u32::MAX);
        let rates = [
            &mut self.bad_token_burst,
            &mut self.bad_token_rate,
            &mut self.token_burst,
            &mut self.token_rate,
        ];
        rates.into_iter().for_each(|limit| limit.value = limit.value.div_ceil(few));
        self.tenant_requests.value = self.tenant_requests.value.div_ceil(servers);
        self.tenant_rate.value = self.tenant_rate.value.map(|whole| whole.div_ceil(servers));
    }

    /// The shares of an instance's limits: as many as there may be instances, and one more, because
    /// a new one is ready before the old one ends. 1 without instances.
    pub(crate) fn shares(&self) -> usize {
        self.instances.value.map_or(1, |range| range.most + 1)
    }

    /// Takes another number of workers than the one that was set.
    pub(crate) fn take_workers(&mut self, workers: NonZeroUsize) {
        self.workers.value = workers;
        self.fit_connections();
    }

    /// Raises the connections to the database from the default to one for each worker of each process, where nothing
    /// says how many there are.
    pub(super) fn fit_connections(&mut self) {
        let least = self.workers.value.saturating_mul(processes(self.shares()));
        if self.db_connections.origin == Origin::Default {
            self.db_connections.value = least.max(usual_connections());
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

/// The default of `db_connections`.
fn usual_connections() -> NonZeroUsize {
    let row = TABLE.iter().find(|row| row.name == "db_connections");
    row.and_then(|row| row.default.parse().ok()).unwrap_or(NonZeroUsize::MIN)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{GivenTexts, Origin, Sources};
    use super::*;

    const SCALING: &str = include_str!("../../../../docs/scaling.md");

    fn settings(pairs: &[(&'static str, &str)]) -> Settings {
        let given = |text: &str| GivenTexts {
            value: vec![text.to_owned()],
            origin: Origin::Flag("--x".to_owned()),
        };
        let flags: BTreeMap<_, _> = pairs.iter().map(|(name, text)| (*name, given(text))).collect();
        let sources = Sources { flags: &flags, environment: &|_| None, file: &BTreeMap::default() };
        Settings::resolve(&sources).unwrap()
    }

    #[test]
    fn what_servers_divide_is_in_the_manual() {
        let whole = settings(&[("servers", "3"), ("tenant_rate", "10"), ("token_burst", "2")]);
        let mut part = whole.clone();
        part.take_part_of_server();
        let changed: Vec<&str> = part.changed_since(&whole).map(|(name, _)| name).collect();
        assert_eq!(part.tenant_rate.value, NonZeroUsize::new(4));
        assert_eq!(part.token_burst.value, 1, "nothing becomes 0");
        let row =
            SCALING.lines().find(|line| line.contains("`--servers`") && line.starts_with('|'));
        let row = row.unwrap_or_default();
        let limits = row.split('|').nth(1).unwrap_or_default();
        let named: Vec<String> =
            changed.iter().map(|name| format!("`--{}`", name.replace('_', "-"))).collect();
        assert_eq!(limits.trim(), named.join(", "), "docs/scaling.md");
    }
}
