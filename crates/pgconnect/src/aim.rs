//! The input and the output of one attempt to connect.

use std::pin::Pin;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::Client;

use super::Settings;
use super::canceller::Canceller;
use super::gate::Gate;
use super::handover::Handover;
use super::hosts::{Endpoint, Host};
use super::session::Session;

/// The part of a connection that moves bytes. It must be spawned: without it the client's requests
/// never complete. It ends when the client is dropped or the connection breaks.
pub type Running =
    Pin<Box<dyn Future<Output = Result<(), tokio_postgres::Error>> + Send + 'static>>;

/// An established connection.
pub struct Connected {
    /// Sends statements.
    pub client: Client,
    /// Must be spawned; see [`Running`].
    pub running: Running,
    /// Cancels the statement that runs on the connection.
    pub canceller: Canceller,
    /// The position of its host in the list.
    pub host: usize,
}

/// A bidirectional byte stream: a socket, or a wrapper of one.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// Wraps the socket of a connection.
pub type Wrap<'a> = &'a (dyn Fn(Box<dyn Duplex>) -> Box<dyn Duplex> + Send + Sync);

/// The layers between the socket of a connection and the driver.
#[derive(Clone, Default)]
pub(crate) struct Between<'a> {
    /// The wrapper of the socket, below TLS.
    pub(crate) wrap: Option<Wrap<'a>>,
    /// The gate for large rows, above TLS.
    pub(crate) gate: Option<Gate>,
    /// Takes the stream from the driver, above TLS, for a replication connection.
    pub(crate) handover: Option<Handover>,
}

/// An attempt.
pub(crate) struct Attempt<'a> {
    pub(crate) settings: &'a Arc<Settings>,
    pub(crate) host: &'a Host,
    /// Its position in the list.
    pub(crate) position: usize,
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) wanted: Session,
    pub(crate) between: &'a Between<'a>,
}

/// The protocol to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Plain,
    /// With TLS if the server offers it.
    TlsIfOffered,
    Tls,
}
