//! A client's socket of any kind. HTTP/2, TLS and Unix sockets share one copy of the protocols' code by it; plain
//! TCP with HTTP/1 has its own.

use tokio::io::{AsyncRead, AsyncWrite};

/// What a socket must do.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Unpin {}

impl<S: AsyncRead + AsyncWrite + Unpin> Socket for S {}

/// A socket of any kind.
pub(crate) type AnySocket = Box<dyn Socket>;
