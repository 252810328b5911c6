//! What passes between a client's socket and hyper, made better on its way.
//!
//! - The first bytes of a connection without TLS may turn out to be HTTP/2 (`preface.rs`).
//! - Clients that send a filter as it is (`?q={"points": 7}`) are understood (`framing.rs`).
//! - A client that reads nothing for too long is disconnected, so that its connection is free.
//! - hyper's own refusals of malformed or too large heads, which have no body, are dropped, and
//!   the socket stays open behind hyper's back, so that one with a body can be sent instead.
//! - The heads of requests are counted in the memory of requests while they arrive.

use std::io::{Error, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use duet_model::memory::{Budget, Lease};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::arrivals::Arrivals;
use super::framing::Framing;
use super::head_timer::HeadTimer;
use super::preface::{FirstBytes, Opening};
use super::write_timer::WriteTimer;
use crate::clients::remote::Remote;
use crate::worker::ServerState;

type Result<T, E = Error> = std::result::Result<T, E>;

/// A socket as hyper sees it.
pub(crate) struct Wire<'a, S> {
    stream: &'a mut S,
    /// What has arrived.
    arrivals: &'a Arrivals,
    shared: &'a ServerState,
    /// The state of the other end: the wait of a stream, and whether the connection is idle.
    remote: &'a Remote,
    /// Until it is known that the client speaks HTTP/1.
    first: Option<FirstBytes>,
    write_timer: WriteTimer,
    framing: Framing,
    /// Bytes that did not fit into hyper's buffer.
    left_over: Vec<u8>,
    head: Head,
    head_timer: HeadTimer,
}

/// The memory of a head while it arrives. Heads of few bytes are not counted.
struct Head {
    /// How many requests have come before it.
    before: u64,
    bytes: usize,
    lease: Lease,
}

impl Head {
    /// Records bytes that have arrived on a connection, and the number of its complete heads.
    fn add(
        &mut self,
        bytes: usize,
        requests: u64,
        memory: &Budget,
    ) -> Result<(), duet_model::Error> {
        if self.before != requests {
            self.before = requests;
            self.bytes = 0;
            self.lease = memory.open();
        }
        self.bytes += bytes;
        if self.bytes > SMALL_HEAD { self.lease.grow_to(self.bytes) } else { Ok(()) }
    }
}

/// The size of a connection's own buffer.
const SMALL_HEAD: usize = 8 << 10;

impl<'a, S> Wire<'a, S> {
    pub(crate) fn new(
        stream: &'a mut S,
        arrivals: &'a Arrivals,
        remote: &'a Remote,
        shared: &'a ServerState,
    ) -> Self {
        let limits = &shared.options.limits;
        let framing = Framing::new(limits.header_bytes);
        let head = Head { before: 0, bytes: 0, lease: shared.memory_of(remote).open() };
        // With TLS, the handshake has decided.
        let first = (limits.http2 && !remote.secure).then(FirstBytes::default);
        Self {
            stream,
            arrivals,
            shared,
            remote,
            first,
            write_timer: WriteTimer::new(limits.header_timeout),
            framing,
            left_over: Vec::new(),
            head,
            head_timer: HeadTimer::new(limits.header_timeout),
        }
    }

    /// What hyper gets for bytes that have arrived, unless it is the bytes themselves. Where some were
    /// held back, `held` is all of them.
    fn framed(&mut self, new: &[u8], held: Vec<u8>) -> Option<Vec<u8>> {
        let bodies = self.arrivals.bodies.get();
        let passed = match held.is_empty() {
            true => (!new.is_empty()).then(|| self.framing.pass(new, bodies)).flatten(),
            false => Some(self.framing.pass(&held, bodies).unwrap_or(held)),
        };
        match new.is_empty() {
            true => Some([passed.unwrap_or_default(), self.framing.end()].concat()),
            false => passed,
        }
    }

    /// Counts bytes that have arrived, unless they are those of a body.
    fn count(&mut self, bytes: usize) -> Result<()> {
        let of_head = if self.remote.seat.is_idle() { bytes } else { 0 };
        let memory = self.shared.memory_of(self.remote);
        self.head.add(of_head, self.arrivals.requests.get(), memory).map_err(|refused| {
            self.arrivals.refused.replace(Some(refused));
            Error::other("there is no memory for the head of a request")
        })
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<'_, S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let this = self.get_mut();
        if !this.left_over.is_empty() {
            let fits = this.left_over.len().min(buffer.remaining());
            buffer.put_slice(&this.left_over[..fits]);
            this.left_over.drain(..fits);
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        this.count(0)?;
        loop {
            match Pin::new(&mut *this.stream).poll_read(context, buffer) {
                Poll::Ready(read) => read?,
                Poll::Pending => {
                    ready!(this.head_timer.poll(this.remote.seat.idle_since(), context));
                    return Poll::Ready(Err(Error::new(
                        ErrorKind::TimedOut,
                        "a head takes too long",
                    )));
                }
            }
            this.count(buffer.filled().len() - before)?;
            let new = &buffer.filled()[before..];
            let ended = new.is_empty();
            if this.shared.cors.is_some() && this.remote.seat.is_idle() {
                this.arrivals.origin.borrow_mut().read(new, this.arrivals.requests.get());
            }
            this.arrivals.has_begun.set(!ended);
            let changed = match this.first.as_mut().map(|first| first.read(new)) {
                Some(Opening::Unknown) => Some(Vec::new()),
                Some(Opening::Http2(bytes)) => {
                    this.arrivals.http2.replace(Some(bytes));
                    return Poll::Ready(Err(Error::other("the client speaks HTTP/2")));
                }
                Some(Opening::Http1(held)) => {
                    this.first = None;
                    this.framed(new, held)
                }
                None => this.framed(new, Vec::new()),
            };
            let Some(mut changed) = changed else { return Poll::Ready(Ok(())) };
            buffer.set_filled(before);
            let rest = changed.split_off(changed.len().min(buffer.remaining()));
            buffer.put_slice(&changed);
            this.left_over = rest;
            // No bytes mean the end of the connection: held back bytes must not look like it.
            if ended || buffer.filled().len() > before {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<'_, S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let this = self.get_mut();
        if is_bare_refusal(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let polled = Pin::new(&mut *this.stream).poll_write(context, bytes);
        this.write_timer.check(context, polled)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let this = self.get_mut();
        if let [only] = slices
            && is_bare_refusal(only)
        {
            return Poll::Ready(Ok(only.len()));
        }
        let polled = Pin::new(&mut *this.stream).poll_write_vectored(context, slices);
        this.write_timer.check(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let this = self.get_mut();
        // hyper comes here when it has written all that it held.
        let polled = Pin::new(&mut *this.stream).poll_flush(context);
        if polled.is_ready() {
            this.remote.unwritten.clear();
            this.remote.seat.written();
            // Where hyper has looked for the next head before: now its time runs.
            let _ = this.head_timer.poll(this.remote.seat.idle_since(), context);
        }
        this.write_timer.check(context, polled)
    }

    /// The socket stays open for a response after hyper has ended.
    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.poll_flush(context)
    }
}

const HEAD_END: &[u8] = b"\r\n\r\n";

/// Whether these bytes are one response whose head alone makes it a refusal without a body, which
/// only hyper makes.
fn is_bare_refusal(bytes: &[u8]) -> bool {
    let refusals: [&[u8]; 3] = [b"400", b"414", b"431"];
    bytes.starts_with(b"HTTP/1.")
        && bytes.get(9..12).is_some_and(|status| refusals.contains(&status))
        && is_one_head(bytes)
        && contains(bytes, b"\r\ncontent-length: 0\r\n")
}

fn is_one_head(bytes: &[u8]) -> bool {
    bytes.windows(HEAD_END.len()).position(|window| window == HEAD_END)
        == bytes.len().checked_sub(HEAD_END.len())
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bare_refusals_are_dropped() {
        let head = "HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\ndate: x\r\n\r\n";
        assert!(is_bare_refusal(head.as_bytes()));
        for other in [
            head.replace("431", "404"),
            head.replace("length: 0", "length: 12"),
            format!("{head}{head}"),
            format!("{head}body"),
            head[..60].to_owned(),
        ] {
            assert!(!is_bare_refusal(other.as_bytes()), "{other}");
        }
    }
}
