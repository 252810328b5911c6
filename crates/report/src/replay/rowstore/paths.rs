//! The ways to the tables that are measured here, each with the published one that it stands for.

/// The responding system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The database itself.
    Database,
    /// Duet serves it.
    Service,
}

/// Whether a short measurement has a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quick {
    /// It has.
    Yes,
    /// Only where the path's store is measured alone.
    Alone,
    /// It has not.
    No,
}

/// A way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Its name.
    pub name: &'static str,
    /// `postgres` or `sqlite`.
    pub store: &'static str,
    /// `tcp`, `unix`, `in process`.
    pub transport: &'static str,
    /// The responding system.
    pub side: Side,
    /// The published path that it is compared with.
    pub like: &'static str,
    /// Whether a short measurement has it.
    pub quick: Quick,
}

const fn path(
    name: &'static str,
    [store, transport, like]: [&'static str; 3],
    side: Side,
    quick: Quick,
) -> Path {
    Path { name, store, transport, side, like, quick }
}

/// All of them.
pub const PATHS: [Path; 7] = [
    path("PostgreSQL, TCP", ["postgres", "tcp", "thin"], Side::Database, Quick::Yes),
    path("PostgreSQL, Unix socket", ["postgres", "unix", "oci-local"], Side::Database, Quick::Yes),
    path("SQLite, in process", ["sqlite", "in process", "oci-local"], Side::Database, Quick::Yes),
    path("Duet on PostgreSQL, TCP", ["postgres", "tcp", "oci-net"], Side::Service, Quick::Alone),
    path(
        "Duet on PostgreSQL, Unix socket",
        ["postgres", "unix", "oci-local"],
        Side::Service,
        Quick::No,
    ),
    path("Duet on SQLite, TCP", ["sqlite", "tcp", "oci-net"], Side::Service, Quick::Yes),
    path("Duet on SQLite, Unix socket", ["sqlite", "unix", "oci-local"], Side::Service, Quick::Yes),
];

impl Path {
    /// Whether a measurement has it, of one store alone where one is named.
    pub fn is_wanted(&self, store: Option<&str>, quick: bool) -> bool {
        let quick = match self.quick {
            _ if !quick => true,
            Quick::Yes => true,
            Quick::Alone => store.is_some(),
            Quick::No => false,
        };
        quick && store.is_none_or(|store| store == self.store)
    }

    /// Why a table cannot be read by this path, if so.
    pub fn misses(&self, table: &str) -> Option<&'static str> {
        match (table, self.side) {
            ("t4", Side::Service) => Some("not there yet"),
            ("t4", Side::Database) => Some("as t1"),
            ("t3", Side::Service) if self.store == "sqlite" => Some("not served"),
            _ => None,
        }
    }

    /// The paths that differ from each other by the network only: with it, and without.
    pub fn pairs() -> impl Iterator<Item = (&'static Self, &'static Self)> {
        let with = PATHS.iter().filter(|path| path.transport == "tcp");
        with.filter_map(|with| {
            let same = |other: &&Self| {
                (other.store, other.side, other.transport) == (with.store, with.side, "unix")
            };
            PATHS.iter().find(same).map(|without| (with, without))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_measurement() {
        let count = |store, quick| PATHS.iter().filter(|path| path.is_wanted(store, quick)).count();
        assert_eq!([count(None, false), count(None, true)], [7, 5]);
        assert_eq!([count(Some("postgres"), false), count(Some("postgres"), true)], [4, 3]);
        assert_eq!([count(Some("sqlite"), false), count(Some("sqlite"), true)], [3, 3]);
    }

    #[test]
    fn every_tcp_path_has_its_socket() {
        assert_eq!(Path::pairs().count(), 3);
        assert!(Path::pairs().all(|(with, without)| with.name != without.name));
        assert_eq!(PATHS[5].misses("t3"), Some("not served"));
        assert_eq!(PATHS[2].misses("t3"), None);
    }
}
