//! A socket during a TLS handshake: of a client that is not known yet, so few bytes are taken.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Bytes that a client may send until its handshake is complete; browsers need about 2 KiB. The library collects a
/// message of up to 64 KiB, and a connection is counted with less.
const MOST: usize = 16 << 10;

/// A socket with a limit of bytes until the handshake is complete.
#[derive(Debug)]
pub(crate) struct HandshakeSocket {
    stream: TcpStream,
    left: Option<usize>,
}

impl HandshakeSocket {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self { stream, left: Some(MOST) }
    }

    /// The handshake is complete.
    pub(crate) fn complete(&mut self) {
        self.left = None;
    }
}

impl AsyncRead for HandshakeSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
        let Some(left) = &mut this.left else { return Poll::Ready(Ok(())) };
        let read = buffer.filled().len() - before;
        match left.checked_sub(read) {
            Some(rest) => *left = rest,
            None => {
                let error = Error::new(ErrorKind::InvalidData, "the handshake is too large");
                return Poll::Ready(Err(error));
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for HandshakeSocket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
