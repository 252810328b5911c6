//! The output of an attempt to connect.

use std::pin::Pin;

use tokio_postgres::Client;

use super::canceller::Canceller;

/// The part of a connection that moves bytes. It must be spawned: without it the client's requests
/// never complete. It ends when the client is dropped or the connection breaks.
pub type Running =
    Pin<Box<dyn Future<Output = Result<(), tokio_postgres::Error>> + Send + 'static>>;

/// An established connection.
pub struct EstablishedConnection {
    /// Sends statements.
    pub client: Client,
    /// Must be spawned; see [`Running`].
    pub running: Running,
    /// Cancels the statement that runs on the connection.
    pub canceller: Canceller,
    /// The position of its host in the list.
    pub host: usize,
}
