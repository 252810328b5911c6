//! Cancels the statement of a connection, over a separate connection to the same endpoint.

use std::fmt;
use std::sync::Arc;

use tokio_postgres::CancelToken;

use super::failure::unreachable;
use super::handshake::WatchedConnector;
use super::socket::{self, Socket};
use super::transport::Transport;
use crate::chain::chain;
use crate::hosts::Endpoint;
use crate::streams::gated::GatedStream;
use crate::{ConnectionSettings, Result};

/// Requests cancellation from the server of a connection; cheap to clone.
#[derive(Clone)]
pub struct Canceller {
    settings: Arc<ConnectionSettings>,
    endpoint: Endpoint,
    transport: Transport,
    token: CancelToken,
}

impl Canceller {
    pub(crate) fn new(
        settings: &Arc<ConnectionSettings>,
        endpoint: &Endpoint,
        transport: Transport,
        token: CancelToken,
    ) -> Self {
        Self { settings: Arc::clone(settings), endpoint: endpoint.clone(), transport, token }
    }

    /// Requests the cancellation of the connection's current statement, over a separate connection
    /// with the same TLS settings. The server does not respond: the statement fails, unless it had
    /// ended before.
    ///
    /// # Errors
    /// [`Unreachable`](crate::ErrorKind::Unreachable) if the server cannot be reached within `connect_timeout`,
    /// [`Setting`](crate::ErrorKind::Setting) if a file of certificates cannot be used.
    pub async fn cancel(&self) -> Result<()> {
        match self.settings.connect_timeout {
            None => self.send().await,
            Some(limit) => match tokio::time::timeout(limit, self.send()).await {
                Ok(sent) => sent,
                Err(_) => {
                    let (endpoint, limit) = (&self.endpoint, limit.as_secs());
                    Err(unreachable().cause(format!("{endpoint}: no answer within {limit} s")))
                }
            },
        }
    }

    async fn send(&self) -> Result<()> {
        let tls =
            (self.transport != Transport::Plain).then(|| self.settings.tls.load()).transpose()?;
        let failed = |error: &(dyn std::error::Error + 'static)| {
            unreachable().cause(format!("{}: {}", self.endpoint, chain(error)))
        };
        let socket = socket::open(&self.settings, &self.endpoint).await;
        let socket = Socket(socket.map_err(|error| failed(&error))?);
        let socket = GatedStream::new(socket, None, 0);
        let tls = WatchedConnector::new(tls).connect(self.endpoint.name());
        self.token.cancel_query_raw(socket, tls).await.map_err(|error| failed(&error))
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canceller").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}
