//! What one attempt to connect goes to, in which way, and what it gives.

use std::pin::Pin;

use super::Settings;
use super::hosts::{Endpoint, Host};
use super::session::Session;
use crate::wire::Meter;

/// The part of a connection that moves bytes. It must be spawned: without it the client's
/// requests never end. It ends when the client is dropped or the connection breaks.
pub type Running =
    Pin<Box<dyn Future<Output = Result<(), tokio_postgres::Error>> + Send + 'static>>;

/// An attempt.
pub(super) struct Attempt<'a> {
    pub(super) settings: &'a Settings,
    pub(super) host: &'a Host,
    pub(super) endpoint: &'a Endpoint,
    pub(super) wanted: Session,
    /// What counts the bytes of the connection, where somebody wants to know.
    pub(super) meter: Option<&'a Meter>,
}

/// How to speak to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Plain,
    /// With TLS if the server offers it.
    TlsIfOffered,
    Tls,
}
