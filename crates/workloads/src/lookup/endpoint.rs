//! Where the tables are, and how they are reached.

use std::fmt;
use std::path::PathBuf;

use duet_bench::targets::http::Url;
use duet_bench::targets::sql::Database;
use duet_bench::workload::Failed;
use duet_db::raw::Target;
use serde::{Deserialize, Serialize};

/// A way to the tables, as data. It may hold a password or a token, so it goes to other processes through
/// pipes only, and its `Debug` form does not show it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Endpoint {
    /// PostgreSQL, by a connection string of libpq's forms; the tables stand in the schema `lookup`.
    Postgres(String),
    /// A SQLite file.
    Sqlite(PathBuf),
    /// SQLite in the memory of the process that reads, which makes so many rows first.
    Memory(u64),
    /// A loop inside PostgreSQL, by a connection string: the client calls a function, which reads key after key.
    Loop(String),
    /// Duet in the process that reads, without HTTP and tokens, on a database.
    Process(Database),
    /// A service, by the URL of the place that the tables stand below.
    Http {
        /// The URL.
        mount: String,
        /// The value of `Authorization`.
        authorization: Option<String>,
    },
}

impl Endpoint {
    /// Whether a read holds the thread that asks.
    pub fn is_blocking(&self) -> bool {
        matches!(self, Self::Sqlite(_) | Self::Memory(_))
    }

    /// The database, where it is one.
    pub fn database(&self) -> Option<Database> {
        match self {
            Self::Postgres(url) | Self::Loop(url) => Some(Database::Postgres(url.clone())),
            Self::Process(database) => Some(database.clone()),
            Self::Sqlite(path) => Some(Database::sqlite(path)),
            Self::Memory(_) => Some(Database::sqlite(":memory:")),
            Self::Http { .. } => None,
        }
    }

    /// What connects to the database, where it is one.
    ///
    /// # Errors
    /// [`Outcome::Connection`](duet_verdict::outcome::Outcome) where the connection string is wrong.
    pub fn target(&self) -> Result<Option<Target>, Failed> {
        self.database().map(|database| database.target()).transpose()
    }

    /// What it is, as results say it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Postgres(_) | Self::Loop(_) | Self::Process(Database::Postgres(_)) => "postgres",
            Self::Sqlite(_) | Self::Memory(_) | Self::Process(Database::Sqlite { .. }) => "sqlite",
            Self::Http { .. } => "http",
        }
    }

    /// Where it is, without user, password and token.
    pub fn address(&self) -> String {
        match (self, self.database()) {
            (Self::Http { mount, .. }, _) => mount.clone(),
            (_, Some(database @ Database::Postgres(_))) => database.address(),
            (_, Some(database)) => format!("sqlite:{}", database.address()),
            (_, None) => String::new(),
        }
    }

    /// How it is reached, as results say it.
    pub fn transport(&self) -> &'static str {
        match self {
            Self::Http { mount, .. } => match mount.parse::<Url>() {
                Ok(url) => url.transport(),
                Err(_) => "tcp",
            },
            Self::Loop(_) => "in the database",
            Self::Process(_) => "in process",
            _ => self.database().map_or("", |database| database.transport()),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_say_where_they_lead_and_nothing_else() {
        let mount = |mount: &str| Endpoint::Http {
            mount: mount.into(),
            authorization: Some("Bearer secret".into()),
        };
        for (endpoint, address, transport) in [
            (Endpoint::Postgres("postgres://a:secret@h:1/d".into()), "postgres://h:1/d", "tcp"),
            (
                Endpoint::Postgres("postgres:///d?host=/run&port=2&user=a&password=secret".into()),
                "postgres:///d?host=/run&port=2",
                "unix",
            ),
            (Endpoint::Sqlite("/a.db".into()), "sqlite:/a.db", "in process"),
            (Endpoint::Memory(7), "sqlite::memory:", "in process"),
            (
                Endpoint::Loop("postgres://a:secret@h:1/d".into()),
                "postgres://h:1/d",
                "in the database",
            ),
            (Endpoint::Process(Database::sqlite("/a.db")), "sqlite:/a.db", "in process"),
            (mount("http://h/x"), "http://h/x", "tcp"),
            (mount("unix:/run/s:/x"), "unix:/run/s:/x", "unix"),
        ] {
            assert_eq!((&*format!("{endpoint:?}"), endpoint.transport()), (address, transport));
        }
        assert!(Endpoint::Memory(7).is_blocking() && !mount("http://h/x").is_blocking());
    }
}
