//! Where the tables are, and how they are reached.

use std::fmt;
use std::path::PathBuf;

use duet_db::postgres::connect::Settings;
use duet_db::raw::Target;
use duet_db::sqlite::Synchronous;
use serde::{Deserialize, Serialize};

use crate::record::Outcome;
use crate::target::http::Url;
use crate::workload::Failed;

/// A way to the tables, as data. It may hold a password or a token, so it goes to other processes through
/// pipes only, and its `Debug` form does not show it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// PostgreSQL, by a connection string of libpq's forms; the tables stand in the schema `lookup`.
    Postgres(String),
    /// A SQLite file.
    Sqlite(PathBuf),
    /// SQLite in the memory of the process that reads, which makes so many rows first.
    Memory(u64),
    /// A service, by the URL of the place that the tables stand below.
    Http {
        /// The URL.
        mount: String,
        /// The value of `Authorization`.
        authorization: Option<String>,
    },
}

impl Way {
    /// Whether a read holds the thread that asks.
    pub fn is_blocking(&self) -> bool {
        matches!(self, Self::Sqlite(_) | Self::Memory(_))
    }

    /// The database, where it is one.
    ///
    /// # Errors
    /// [`Outcome::Connection`] where the connection string is wrong.
    pub(crate) fn target(&self) -> Result<Option<Target>, Failed> {
        let sqlite = |path: PathBuf| Target::Sqlite { path, synchronous: Synchronous::Normal };
        Ok(Some(match self {
            Self::Postgres(url) => {
                let settings = Settings::from_url(url, &|name| std::env::var(name).ok());
                let connector = settings.and_then(|settings| settings.connector());
                Target::Postgres(
                    connector
                        .map_err(|error| Failed::new(Outcome::Connection, error.to_string()))?,
                )
            }
            Self::Sqlite(path) => sqlite(path.clone()),
            Self::Memory(_) => sqlite(":memory:".into()),
            Self::Http { .. } => return Ok(None),
        }))
    }

    /// Where it is, without user, password and token.
    pub fn address(&self) -> String {
        match self {
            Self::Postgres(url) => {
                let settings = Settings::from_url(url, &|name| std::env::var(name).ok());
                let described = settings.map(|settings| settings.describe()).unwrap_or_default();
                match described.split_once('@') {
                    Some((_, place)) => format!("postgres://{place}"),
                    None => described,
                }
            }
            Self::Sqlite(path) => format!("sqlite:{}", path.display()),
            Self::Memory(_) => "sqlite::memory:".into(),
            Self::Http { mount, .. } => mount.clone(),
        }
    }

    /// How it is reached, as results say it.
    pub fn transport(&self) -> &'static str {
        match self {
            Self::Postgres(url) if is_socket(url) => "unix",
            Self::Postgres(_) => "tcp",
            Self::Sqlite(_) | Self::Memory(_) => "in process",
            Self::Http { mount, .. } => match mount.parse::<Url>() {
                Ok(url) => url.transport(),
                Err(_) => "tcp",
            },
        }
    }
}

/// Whether PostgreSQL is reached by a socket of this machine: its folder stands where hosts do.
fn is_socket(url: &str) -> bool {
    let settings = Settings::from_url(url, &|name| std::env::var(name).ok());
    let described = settings.map(|settings| settings.describe()).unwrap_or_default();
    described.split_once('@').is_some_and(|(_, place)| place.starts_with('/'))
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address())
    }
}
