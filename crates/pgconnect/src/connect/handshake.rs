//! A TLS connector that records the progress of the handshake.
//!
//! The driver's errors do not say whether TLS was in use when an attempt failed; a retry without
//! TLS, and the message to the operator, depend on it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::socket::Socket;
use crate::streams::gated::GatedStream;

/// Creates one session.
type Inner = <MakeRustlsConnect as MakeTlsConnect<Socket>>::TlsConnect;
/// A session over a socket.
pub(crate) type TlsSocket = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

/// The progress of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It did not begin: the server offers no TLS, or there was no connection.
    NotBegun,
    /// It began and failed.
    Begun,
    /// TLS was in use.
    Done,
}

/// A connector for one attempt; without TLS it only supports plain connections.
#[derive(Clone)]
pub(crate) struct WatchedConnector {
    inner: Option<MakeRustlsConnect>,
    stage: Arc<AtomicU8>,
}

impl WatchedConnector {
    pub(crate) fn new(inner: Option<MakeRustlsConnect>) -> Self {
        Self { inner, stage: Arc::new(AtomicU8::new(0)) }
    }

    /// The progress of the handshake.
    pub(crate) fn stage(&self) -> Stage {
        match self.stage.load(Ordering::Relaxed) {
            0 => Stage::NotBegun,
            1 => Stage::Begun,
            _ => Stage::Done,
        }
    }

    /// Creates a session with the host of this name.
    pub(crate) fn connect(&self, host: &str) -> WatchedConnect {
        let inner = self.inner.clone().map(|mut inner| {
            let Ok(inner) = MakeTlsConnect::<Socket>::make_tls_connect(&mut inner, host);
            inner
        });
        WatchedConnect { inner, stage: Arc::clone(&self.stage) }
    }
}

/// One handshake.
pub(crate) struct WatchedConnect {
    inner: Option<Inner>,
    stage: Arc<AtomicU8>,
}

impl TlsConnect<GatedStream<Socket>> for WatchedConnect {
    type Stream = GatedStream<TlsSocket>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<GatedStream<TlsSocket>>> + Send>>;

    fn connect(self, stream: GatedStream<Socket>) -> Self::Future {
        Box::pin(async move {
            let Some(inner) = self.inner else {
                return Err(io::Error::other("TLS is disabled"));
            };
            self.stage.store(1, Ordering::Relaxed);
            let (socket, to, gate) = stream.into_parts();
            let socket = socket.ok_or_else(|| io::Error::other("the socket is gone"))?;
            let stream = inner.connect(socket).await?;
            self.stage.store(2, Ordering::Relaxed);
            Ok(GatedStream::handed_over(stream, to, gate, 0))
        })
    }
}
