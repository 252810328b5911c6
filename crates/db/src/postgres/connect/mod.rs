//! Connecting to PostgreSQL: a connection string as libpq takes it, and the connection it asks
//! for.
//!
//! A string goes through [`url`] (its two forms), [`values`] (string, [`service`] file,
//! environment) and [`settings`] (typed, checked). A [`Connector`] then tries [`hosts`] in order
//! over [`tls`] or without, and turns what fails into errors that name the setting to look at
//! ([`failure`]). There is no pool here and no statement.

mod aim;
mod attempt;
mod connector;
mod failure;
mod hosts;
mod parameters;
mod pgpass;
mod secret;
mod service;
mod session;
mod settings;
mod socket;
#[cfg(test)]
mod tests;
mod tls;
mod url;
mod values;

use std::path::PathBuf;

pub use aim::Running;
pub use connector::Connector;
pub use settings::Settings;
pub use tls::Unverified;

/// The environment: from a variable's name to its value.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The user's home folder.
fn home(environment: Environment<'_>) -> Option<PathBuf> {
    environment("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}
