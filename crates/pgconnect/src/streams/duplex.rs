//! Streams of bytes in both directions, and wrappers of them.

use tokio::io::{AsyncRead, AsyncWrite};

/// A bidirectional byte stream: a socket, or a wrapper of one.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// Wraps the socket of a connection.
pub type Wrap<'a> = &'a (dyn Fn(Box<dyn Duplex>) -> Box<dyn Duplex> + Send + Sync);
