//! What passes between a client's socket and the HTTP/2 library: the bytes that were read before
//! the protocol was known come first, frames wait for their room (`gate.rs`), and a client that takes nothing is
//! disconnected.

use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::gate::{FRAME_HEADER, Gate};
use crate::clients::remote::Remote;
use crate::connection::write_timer::WriteTimer;
use crate::sockets::any_socket::AnySocket;

/// Bytes behind a frame that is held back which are read, so that the end of the connection is seen.
const HELD: usize = 16 << 10;
/// Bytes that are read of them at once.
const PIECE: usize = 2 << 10;

/// A socket as the HTTP/2 library sees it.
pub(crate) struct Http2Wire {
    stream: AnySocket,
    /// Bytes that were read already, and how many of them may pass.
    held: Vec<u8>,
    passing: usize,
    gate: Gate,
    remote: Rc<Remote>,
    timer: WriteTimer,
}

impl Http2Wire {
    pub(crate) fn new(
        stream: AnySocket,
        held: Vec<u8>,
        remote: &Rc<Remote>,
        gate: Gate,
        patience: Duration,
    ) -> Self {
        let (remote, timer) = (Rc::clone(remote), WriteTimer::new(patience));
        Self { stream, held, passing: 0, gate, remote, timer }
    }

    /// Passes held bytes on, and says whether there were some.
    fn pass_held(&mut self, buffer: &mut ReadBuf<'_>, context: &Context<'_>) -> Result<bool> {
        if self.passing == 0 && !self.held.is_empty() {
            self.passing = self.gate.pass(&self.held, context)?;
        }
        let passed = self.passing.min(buffer.remaining());
        buffer.put_slice(&self.held[..passed]);
        self.held.drain(..passed);
        self.passing -= passed;
        Ok(passed > 0)
    }

    /// Waits for the end of the connection while a frame is held back: reads on, but not much.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        let mut more = [0; PIECE];
        while self.held.len() < HELD {
            let mut more = ReadBuf::new(&mut more);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut more))?;
            if more.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            self.held.extend_from_slice(more.filled());
        }
        Poll::Pending
    }

    /// Reads the rest of a frame's header of which some bytes are held.
    fn poll_header(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        let mut rest = [0; FRAME_HEADER];
        let mut rest = ReadBuf::new(&mut rest[self.held.len().min(FRAME_HEADER - 1)..]);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut rest))?;
        if rest.filled().is_empty() {
            // The end of the connection, in the middle of a header.
            self.passing = self.held.len();
        }
        self.held.extend_from_slice(rest.filled());
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Http2Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let this = self.get_mut();
        loop {
            if this.pass_held(buffer, context)? {
                return Poll::Ready(Ok(()));
            }
            if this.gate.is_closed() {
                return this.poll_end(context);
            }
            if !this.held.is_empty() {
                ready!(this.poll_header(context))?;
                continue;
            }
            let before = buffer.filled().len();
            ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
            let new = &buffer.filled()[before..];
            let (read, passed) = (new.len(), this.gate.pass(new, context)?);
            this.held.extend_from_slice(&new[passed..]);
            buffer.set_filled(before + passed);
            if passed > 0 || read == 0 {
                return Poll::Ready(Ok(()));
            }
        }
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
