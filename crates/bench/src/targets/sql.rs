//! A target database, as data for the processes of a layout.

use std::fmt;
use std::path::PathBuf;

use duet_client::ConnectOptions;
use duet_client::Synchronous;
use duet_client::confinement;
use duet_client::connect::Settings;
use duet_verdict::result::TargetFacts;
use serde::{Deserialize, Serialize};

use crate::record::Failed;
use duet_verdict::outcome::Outcome;

/// The `application_name` of the users' sessions, by which the observer finds them.
pub const SESSION: &str = "duet bench";
/// That of the sessions that look at the data before and after a run.
pub const PROOF: &str = "duet bench proof";
/// That of the sessions that load and check data.
pub const LOADING: &str = "duet load";
/// That of the session that asks before a run whether there is room for its users.
pub(crate) const PROBE: &str = "duet bench probe";
/// All of these: whose sessions of before a run may still be counted by the database.
pub(crate) const SESSIONS: [&str; 4] = [SESSION, PROOF, LOADING, PROBE];

/// A database to connect to, as data. It may hold a password, so it is passed to processes through
/// pipes only, and its `Debug` form omits it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseAddress {
    /// PostgreSQL, by a connection string in libpq's forms.
    Postgres(String),
    /// A SQLite file.
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The value of `PRAGMA synchronous`, in small letters.
        synchronous: String,
    },
}

/// The durability of SQLite's writers in a run: the one recommended with write-ahead logging.
const SYNCHRONOUS: &str = "normal";

impl DatabaseAddress {
    /// A SQLite file.
    pub fn sqlite(path: impl Into<PathBuf>) -> Self {
        Self::Sqlite { path: path.into(), synchronous: SYNCHRONOUS.into() }
    }

    /// The configuration of its connections. Environment variables such as `PGPASSWORD` apply.
    ///
    /// # Errors
    /// [`Outcome::Connection`] if the connection string is invalid.
    pub fn target(&self) -> Result<ConnectOptions, Failed> {
        match self {
            Self::Postgres(url) => {
                confinement::allows_connection_string(url)
                    .map_err(|why| Failed::new(Outcome::Connection, why))?;
                let wrong =
                    |error: duet_model::Error| Failed::new(Outcome::Connection, error.to_string());
                let settings = Settings::from_url(url, &|name| std::env::var(name).ok());
                let connector = settings.and_then(|settings| settings.connector());
                Ok(ConnectOptions::Postgres(connector.map_err(wrong)?))
            }
            Self::Sqlite { path, synchronous } => Ok(ConnectOptions::Sqlite {
                path: path.clone(),
                synchronous: durability(synchronous)?,
            }),
        }
    }

    /// Whether a statement blocks its thread.
    pub fn is_blocking(&self) -> bool {
        matches!(self, Self::Sqlite { .. })
    }

    /// The transport, as it appears in results.
    pub fn transport(&self) -> &'static str {
        match self {
            Self::Postgres(url) => {
                let settings = Settings::from_url(url, &|name| std::env::var(name).ok());
                if settings.is_ok_and(|settings| settings.is_by_socket()) { "unix" } else { "tcp" }
            }
            Self::Sqlite { .. } => "in process",
        }
    }

    /// The target, as it appears in results.
    pub fn facts(&self) -> TargetFacts {
        let kind = match self {
            Self::Postgres(_) => "postgres",
            Self::Sqlite { .. } => "sqlite",
        };
        TargetFacts {
            kind: kind.into(),
            address: self.address(),
            transport: self.transport().into(),
            ..TargetFacts::default()
        }
    }

    /// The address, without user and password.
    pub fn address(&self) -> String {
        match self {
            Self::Postgres(url) => {
                let settings = Settings::from_url(url, &|name| std::env::var(name).ok());
                let described = settings.map(|settings| settings.describe()).unwrap_or_default();
                // A user's name has `%40` for an `@`.
                match described.split_once('@') {
                    Some((_, place)) => format!("postgres://{place}"),
                    None => described,
                }
            }
            Self::Sqlite { path, .. } => path.display().to_string(),
        }
    }
}

fn durability(word: &str) -> Result<Synchronous, Failed> {
    Ok(match word {
        "off" => Synchronous::Off,
        "normal" => Synchronous::Normal,
        "full" => Synchronous::Full,
        "extra" => Synchronous::Extra,
        _ => {
            let message = format!("synchronous is off, normal, full or extra, not {word:?}");
            return Err(Failed::new(Outcome::Other, message));
        }
    })
}

impl fmt::Debug for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let database = DatabaseAddress::Postgres("postgres://ada:secret@db.example/shop".into());
        assert!(!format!("{database:?}").contains("secret"));
        assert_eq!(format!("{database:?}"), "postgres://db.example:5432/shop");
        assert!(database.target().is_ok() && !database.is_blocking());
        let hidden = "host=h dbname=d password='two words' user=u";
        assert_eq!(DatabaseAddress::Postgres(hidden.into()).address(), "postgres://h:5432/d");
    }

    #[test]
    fn transports() {
        for (url, transport) in [
            ("postgres:///d?host=%2Frun&port=2", "unix"),
            ("host=/run dbname=d", "unix"),
            ("postgres://h/d", "tcp"),
            ("host=127.0.0.1 dbname=d", "tcp"),
        ] {
            assert_eq!(DatabaseAddress::Postgres(url.into()).transport(), transport, "{url}");
        }
    }

    #[test]
    fn words_of_durability() {
        let database =
            |word: &str| DatabaseAddress::Sqlite { path: "a".into(), synchronous: word.into() };
        assert!(database("normal").target().is_ok());
        assert!(database("never").target().unwrap_err().message.contains("never"));
    }
}
