//! Connects to PostgreSQL like libpq, for [`tokio_postgres`].
//!
//! The driver supports a part of libpq's connection strings and no TLS. This crate supports
//! everything that `psql` reads: URLs and `keyword=value` strings, `PG…` variables, service files
//! and password files; all modes of TLS, client certificates, revocation lists and channel binding;
//! lists of hosts, with `target_session_attrs` and `load_balance_hosts`. It never ignores a
//! parameter that would make a connection safer: an unsupported one is an error that names the
//! parameter. It reads certificates and password files again for each connection.
//!
//! # Example
//! ```
//! use duet_pgconnect::{ErrorKind, SettingPlace, ConnectionSettings};
//!
//! // A program passes its environment: `&|name| std::env::var(name).ok()`.
//! let environment = |name: &str| (name == "PGPASSWORD").then(|| "secret".to_owned());
//! let url = "postgres://app@db1,db2:5433/shop?target_session_attrs=read-write&sslmode=disable";
//! let settings = ConnectionSettings::from_url(url, &environment)?.or_application_name("shop");
//! assert_eq!(settings.describe(), "postgres://app@db1:5432,db2:5433/shop");
//!
//! // A wrong setting is named, with the nearest that exists.
//! let error = ConnectionSettings::from_url("host=db1 sslmod=require", &environment).unwrap_err();
//! assert_eq!(error.kind, ErrorKind::Setting);
//! assert_eq!(error.place, Some(SettingPlace::Parameter("sslmod".to_owned())));
//! assert_eq!(error.to_string(), "`sslmod` is not a connection parameter. Did you mean `sslmode`?");
//!
//! async fn count(settings: &ConnectionSettings) -> Result<i64, Box<dyn std::error::Error>> {
//!     let connected = settings.connector()?.connect().await?;
//!     // The connection moves its bytes in a task of its own, which ends with the client.
//!     tokio::spawn(connected.running);
//!     Ok(connected.client.query_one("SELECT count(*) FROM orders", &[]).await?.get(0))
//! }
//!
//! // Nothing listens at this port, so the error says what to check, and that waiting may help.
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let closed = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
//! let settings = ConnectionSettings::from_url(&format!("postgres://u@127.0.0.1:{closed}"), &environment)?;
//! let error = runtime.block_on(count(&settings)).unwrap_err();
//! let error = error.downcast::<duet_pgconnect::Error>()?;
//! assert!(error.kind == ErrorKind::Unreachable && error.kind.is_transient());
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! # Inside
//! `strings` has what a connection string, its files and the environment say, `settings` what follows, typed and
//! checked. In `connect` a [`Connector`] tries the `hosts` in order, with `tls` or without, and a failure becomes an
//! [`Error`]. The bytes of a connection pass `streams`, where its rows may pass a [`RowGate`]; a [`Canceller`] reaches
//! the endpoint that it was made to. A [`Replication`] takes its stream over from the driver, which has no replication
//! mode; [`pgoutput`] reads the messages that arrive there. There is no pool here and no statement.

mod chain;
mod connect;
mod error;
mod hosts;
mod replication;
mod session;
mod settings;
mod streams;
mod strings;
#[cfg(test)]
mod tests;
mod tls;

use std::path::PathBuf;

pub use chain::chain;
pub use connect::canceller::Canceller;
pub use connect::connected::{EstablishedConnection, Running};
pub use connect::connector::Connector;
pub use connect::hearer::Hearer;
pub use error::{Error, ErrorKind, Objection, Result, SettingPlace};
pub use hosts::ServerPlace;
pub use replication::connection::{Frame, Replication, ReplicationError, TextRow};
pub use replication::pgoutput;
pub use settings::ConnectionSettings;
pub use streams::duplex::{Duplex, Wrap};
pub use streams::gate::{Gate, LARGE_ROW, Refusal, RowGate};
pub use tls::Unverified;

/// The environment: from a variable's name to its value.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The user's home folder.
fn home(environment: Environment<'_>) -> Option<PathBuf> {
    environment("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}
