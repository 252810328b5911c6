//! What one attempt to connect goes to, in which way, and what it gives.

use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

use super::Settings;
use super::hosts::{Endpoint, Host};
use super::session::Session;

/// The part of a connection that moves bytes. It must be spawned: without it the client's
/// requests never end. It ends when the client is dropped or the connection breaks.
pub type Running =
    Pin<Box<dyn Future<Output = Result<(), tokio_postgres::Error>> + Send + 'static>>;

/// Bytes in both directions: a socket, or what wraps one.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// Wraps the socket of a connection.
pub type Wrap<'a> = &'a (dyn Fn(Box<dyn Duplex>) -> Box<dyn Duplex> + Send + Sync);

/// An attempt.
pub(crate) struct Attempt<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) host: &'a Host,
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) wanted: Session,
    /// What wraps the socket.
    pub(crate) wrap: Option<Wrap<'a>>,
}

/// How to speak to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Plain,
    /// With TLS if the server offers it.
    TlsIfOffered,
    Tls,
}
