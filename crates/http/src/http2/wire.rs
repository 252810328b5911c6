//! What passes between a client's socket and the HTTP/2 library: the bytes that were read before
//! the protocol was known come first, and a client that takes nothing is disconnected.

use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::any_socket::AnySocket;
use crate::remote::Remote;
use crate::write_timer::WriteTimer;

/// A socket as the HTTP/2 library sees it.
pub(crate) struct Http2Wire {
    stream: AnySocket,
    /// Bytes that were read already.
    first: Vec<u8>,
    remote: Rc<Remote>,
    timer: WriteTimer,
}

impl Http2Wire {
    pub(crate) fn new(
        (stream, first): (AnySocket, Vec<u8>),
        remote: &Rc<Remote>,
        patience: Duration,
    ) -> Self {
        Self { stream, first, remote: Rc::clone(remote), timer: WriteTimer::new(patience) }
    }
}

impl AsyncRead for Http2Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let this = self.get_mut();
        if this.first.is_empty() {
            return Pin::new(&mut this.stream).poll_read(context, buffer);
        }
        let fits = this.first.len().min(buffer.remaining());
        buffer.put_slice(&this.first[..fits]);
        this.first.drain(..fits);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Http2Wire {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.timer.check(context, polled)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.stream).poll_write_vectored(context, slices);
        this.timer.check(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let this = self.get_mut();
        // The library comes here when it has written all that it may send.
        let polled = Pin::new(&mut this.stream).poll_flush(context);
        if polled.is_ready() {
            this.remote.seat.written();
        }
        this.timer.check(context, polled)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.stream).poll_shutdown(context);
        this.timer.check(context, polled)
    }
}
