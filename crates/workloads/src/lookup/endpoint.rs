//! The location of the tables, and the access path to them.

use std::fmt;
use std::path::PathBuf;

use duet_bench::secrets::without_secrets;
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::Failed;
use duet_client::ConnectOptions;
use serde::{Deserialize, Serialize};

/// An access path to the tables, as data. It may hold a password or a token, so it is passed to
/// other processes through pipes only, and its `Debug` form omits it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Endpoint {
    /// PostgreSQL, by a connection string in libpq's forms; the tables are in the schema `lookup`.
    Postgres(String),
    /// A SQLite file.
    Sqlite(PathBuf),
    /// SQLite in the memory of the reading process, which creates this many rows first.
    Memory(u64),
    /// A loop inside PostgreSQL, by a connection string: the client calls a function, which reads
    /// key after key.
    Loop(String),
    /// Duet in the reading process, on a database, without HTTP and tokens.
    Process(DatabaseAddress),
    /// A service, by the base URL of the tables.
    Http {
        /// The URL.
        mount: String,
        /// The value of `Authorization`.
        authorization: Option<String>,
    },
}

impl Endpoint {
    /// Whether a read blocks its thread.
    pub fn is_blocking(&self) -> bool {
        matches!(self, Self::Sqlite(_) | Self::Memory(_))
    }

    /// The database, if it is one.
    pub fn database(&self) -> Option<DatabaseAddress> {
        match self {
            Self::Postgres(url) | Self::Loop(url) => Some(DatabaseAddress::Postgres(url.clone())),
            Self::Process(database) => Some(database.clone()),
            Self::Sqlite(path) => Some(DatabaseAddress::sqlite(path)),
            Self::Memory(_) => Some(DatabaseAddress::sqlite(":memory:")),
            Self::Http { .. } => None,
        }
    }

    /// The connection options of the database, if it is one.
    ///
    /// # Errors
    /// [`Outcome::Connection`](duet_verdict::outcome::Outcome) if the connection string is invalid.
    pub fn target(&self) -> Result<Option<ConnectOptions>, Failed> {
        self.database().map(|database| database.target()).transpose()
    }

    /// The target, as it appears in results.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Postgres(_) | Self::Loop(_) | Self::Process(DatabaseAddress::Postgres(_)) => "postgres",
            Self::Sqlite(_) | Self::Memory(_) | Self::Process(DatabaseAddress::Sqlite { .. }) => "sqlite",
            Self::Http { .. } => "http",
        }
    }

    /// The address, without user, password and token.
    pub fn address(&self) -> String {
        match (self, self.database()) {
            (Self::Http { mount, .. }, _) => without_secrets(mount).into_owned(),
            (_, Some(database @ DatabaseAddress::Postgres(_))) => database.address(),
            (_, Some(database)) => format!("sqlite:{}", database.address()),
            (_, None) => String::new(),
        }
    }

    /// The transport, as it appears in results.
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
    fn endpoints_hide_credentials() {
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
            (Endpoint::Process(DatabaseAddress::sqlite("/a.db")), "sqlite:/a.db", "in process"),
            (mount("http://h/x"), "http://h/x", "tcp"),
            (mount("unix:/run/s:/x"), "unix:/run/s:/x", "unix"),
        ] {
            assert_eq!((&*format!("{endpoint:?}"), endpoint.transport()), (address, transport));
        }
        assert!(Endpoint::Memory(7).is_blocking() && !mount("http://h/x").is_blocking());
    }
}
