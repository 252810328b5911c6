//! The methods that paths take.

use std::fmt;

use duet_model::key::parse_key;
use duet_service::Resource;

use super::subpath::{is_batch, is_batchload, is_search};

/// A set of methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Methods(u16);

/// All methods that any path takes, in the order of `Allow`.
const NAMES: [&str; 8] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "QUERY"];

impl Methods {
    pub(crate) const POST: Self = Self(1 << 3);
    const PUT: Self = Self(1 << 4);
    const PATCH: Self = Self(1 << 5);
    const DELETE: Self = Self(1 << 6);
    const QUERY: Self = Self(1 << 7);
    /// What writes a list.
    pub(crate) const POST_AND_PUT: Self = Self(1 << 3 | 1 << 4);
    /// What is run.
    pub(crate) const RUN: Self = Self(1 << 2 | 1 << 3);
    /// What is only looked at.
    pub(crate) const LOOK: Self = Self(0b11);
    /// What is looked at and set.
    pub(crate) const LOOK_AND_POST: Self = Self(0b1011);
    /// What is looked at and removed.
    pub(crate) const GET_AND_DELETE: Self = Self(1 | 1 << 6);
    /// What is served, for reading.
    pub(crate) const READ: Self = Self(0b111);

    /// This set and another one, if that is wanted.
    const fn and(self, others: Self, wanted: bool) -> Self {
        if wanted { Self(self.0 | others.0) } else { self }
    }

    /// Those that a path below a resource takes, for every caller.
    pub(crate) fn below(resource: &Resource, tail: &str) -> Self {
        let (changes, removes) = (resource.takes_updates(), resource.takes_deletes());
        if tail.is_empty() {
            return Self::READ
                .and(Self::QUERY, true)
                .and(Self::POST, resource.takes_inserts())
                .and(Self::PATCH, changes)
                .and(Self::DELETE, removes);
        }
        let takes_load = resource.takes_loads() && is_batchload(tail);
        let is_run = takes_load || is_search(tail);
        if is_batch(tail) && resource.takes_inserts() || is_run && !may_be_item(resource, tail) {
            return Self::RUN;
        }
        Self::READ
            .and(Self::POST, is_run)
            .and(Self::PUT, changes)
            .and(Self::PATCH, changes)
            .and(Self::DELETE, removes)
    }

    /// Those of the services of a path.
    pub(crate) fn of_services<'m>(methods: impl Iterator<Item = &'m str>) -> Self {
        methods.fold(Self(1 << 2), |all, method| match method {
            "GET" => all.and(Self::READ, true),
            other => {
                let at = NAMES.iter().position(|name| *name == other);
                Self(all.0 | at.map_or(0, |at| 1 << at))
            }
        })
    }

    /// Those of this set and of another one.
    pub(crate) fn or(self, others: Option<Self>) -> Self {
        Self(self.0 | others.map_or(0, |others| others.0))
    }

    /// Whether a method is among them.
    pub(crate) fn contains(self, method: &str) -> bool {
        let at = NAMES.iter().position(|name| *name == method);
        at.is_some_and(|at| self.0 & (1 << at) != 0)
    }
}

/// Whether a path below a resource may be that of an item: whether it has the form of a key.
fn may_be_item(resource: &Resource, tail: &str) -> bool {
    let segment = tail.strip_suffix('/').unwrap_or(tail);
    resource.has_items() && parse_key(&resource.shape, segment).is_ok()
}

impl fmt::Display for Methods {
    /// The value of `Allow`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (at, name) in NAMES.iter().enumerate() {
            if self.0 & (1 << at) != 0 {
                f.write_str(if first { "" } else { ", " })?;
                f.write_str(name)?;
                first = false;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets() {
        assert_eq!(Methods::READ.to_string(), "GET, HEAD, OPTIONS");
        let more = Methods::READ.and(Methods::QUERY, true).and(Methods::PUT, false);
        assert_eq!(more.to_string(), "GET, HEAD, OPTIONS, QUERY");
        assert!(more.contains("QUERY") && !more.contains("PUT") && !more.contains("BREW"));
    }
}
