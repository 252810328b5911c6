//! The stream of a connection with a gate: it parses the server's messages between TLS and the
//! driver, and has the gate admit each large row before its bytes are read.
//!
//! A message is a type byte, a length of four bytes, which includes itself, and a body
//! (PostgreSQL's manual, "Message Formats"). Bytes go straight into the driver's buffer; only an
//! incomplete header is held back.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsStream};

use super::duplex::Duplex;
use super::gate::{Gate, LARGE_ROW};
use super::handover::{Handover, Lent};

/// The type byte of a row, `DataRow`.
const ROW: u8 = b'D';

/// The type byte of the end of a statement, `CommandComplete`.
const COMPLETE: u8 = b'C';

/// The bytes of a header.
const HEADER: usize = 5;

/// The bytes of a row's length and of its column count.
const BEFORE_COLUMNS: usize = 6;

/// A stream that passes large rows through a gate; without one, everything passes.
pub(crate) struct GatedStream<S: Duplex + 'static> {
    stream: Lent<S>,
    gate: Option<Gate>,
    /// The remaining bytes of the current message.
    left: usize,
    /// The part of a header received so far.
    head: [u8; HEADER],
    held: usize,
    /// Bytes that the driver gets next, before any are read.
    due: Vec<u8>,
    /// Whether a row was rejected: then nothing is read any more.
    refused: bool,
}

impl<S: Duplex + 'static> GatedStream<S> {
    /// The number of bytes before the first message.
    pub(crate) fn new(stream: S, gate: Option<Gate>, before: usize) -> Self {
        Self::handed_over(stream, None, gate, before)
    }

    /// As [`GatedStream::new`], for a connection whose stream is taken over from the driver.
    pub(crate) fn handed_over(
        stream: S,
        to: Option<Handover>,
        gate: Option<Gate>,
        before: usize,
    ) -> Self {
        let (head, held, due, refused) = Default::default();
        let stream = Lent::new(stream, to);
        Self { stream, gate, left: before, head, held, due, refused }
    }

    /// The stream itself, for TLS, and the handover and gate for its decrypted content.
    pub(crate) fn into_parts(self) -> (Option<S>, Option<Handover>, Option<Gate>) {
        let (stream, to) = self.stream.into_parts();
        (stream, to, self.gate)
    }

    /// Parses bytes that have just been read; returns how many of them the driver may have.
    fn follow(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        loop {
            let body = self.left.min(bytes.len() - at);
            self.left -= body;
            at += body;
            let rest = &bytes[at..];
            let Some(header) = rest.first_chunk() else {
                self.head[..rest.len()].copy_from_slice(rest);
                self.held = rest.len();
                return at;
            };
            if !self.begins(*header) {
                return at;
            }
            at += HEADER;
        }
    }

    /// Begins a message; returns false if it is rejected.
    fn begins(&mut self, [kind, length @ ..]: [u8; HEADER]) -> bool {
        let length = u32::from_be_bytes(length) as usize;
        let Some(body) = length.checked_sub(4).filter(|_| i32::try_from(length).is_ok()) else {
            // The driver rejects it: no later message can be parsed.
            self.left = usize::MAX;
            return true;
        };
        self.left = body;
        if kind == COMPLETE
            && let Some(gate) = &self.gate
        {
            gate.completed();
        }
        let row = length.saturating_sub(BEFORE_COLUMNS);
        if kind != ROW || row <= LARGE_ROW {
            return true;
        }
        let Some(Err(refusal)) = self.gate.as_ref().map(|gate| gate.admit(row)) else {
            return true;
        };
        self.due = refusal.response();
        self.refused = true;
        false
    }

    /// Returns pending bytes, as many as fit.
    fn hand_out(&mut self, buffer: &mut ReadBuf<'_>) {
        let count = self.due.len().min(buffer.remaining());
        buffer.put_slice(&self.due[..count]);
        self.due.drain(..count);
    }
}

impl<S: Duplex + 'static> GatedStream<S> {
    /// Reads the missing part of a header that is held back; returns false at the end of the
    /// stream.
    fn poll_header(&mut self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let mut rest = ReadBuf::new(&mut self.head[self.held..]);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut rest))?;
        let count = rest.filled().len();
        self.held += count;
        if self.held == HEADER {
            self.held = 0;
            if self.begins(self.head) {
                self.due = self.head.to_vec();
            }
        }
        Poll::Ready(Ok(count > 0))
    }
}

impl<S: Duplex + 'static> AsyncRead for GatedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let it = &mut *self;
        if it.gate.is_none() {
            return Pin::new(&mut it.stream).poll_read(context, buffer);
        }
        loop {
            if !it.due.is_empty() {
                it.hand_out(buffer);
                return Poll::Ready(Ok(()));
            }
            if it.refused {
                return Poll::Ready(Ok(()));
            }
            if it.held > 0 {
                if !ready!(it.poll_header(context))? {
                    return Poll::Ready(Ok(()));
                }
                continue;
            }
            let before = buffer.filled().len();
            ready!(Pin::new(&mut it.stream).poll_read(context, buffer))?;
            let passed = it.follow(&buffer.filled()[before..]);
            let is_end = buffer.filled().len() == before;
            buffer.set_filled(before + passed);
            if passed > 0 || is_end {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl<S: Duplex + 'static> AsyncWrite for GatedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

impl<S: Duplex + TlsStream + 'static> TlsStream for GatedStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.stream.channel_binding()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;
    use crate::streams::gate::{Refusal, RowGate};

    /// Admits rows up to a length, and records every call.
    #[derive(Default)]
    struct UpTo(usize, Mutex<Vec<usize>>);

    impl RowGate for UpTo {
        fn admit(&self, bytes: usize) -> Result<(), Refusal> {
            self.1.lock().unwrap().push(bytes);
            let refusal = || Refusal { state: "53200", message: format!("{bytes} are too many") };
            if bytes <= self.0 { Ok(()) } else { Err(refusal()) }
        }
    }

    /// A stream that returns given pieces, and counts the bytes read from it.
    struct Pieces(Vec<Vec<u8>>, Arc<AtomicUsize>);

    impl AsyncRead for Pieces {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buffer: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            let Some(piece) = self.0.first_mut() else { return Poll::Ready(Ok(())) };
            let count = piece.len().min(buffer.remaining());
            buffer.put_slice(&piece[..count]);
            piece.drain(..count);
            if piece.is_empty() {
                self.0.remove(0);
            }
            self.1.fetch_add(count, Ordering::Relaxed);
            Poll::Ready(Ok(()))
        }
    }

    impl AsyncWrite for Pieces {
        fn poll_write(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    fn message(kind: u8, body: usize) -> Vec<u8> {
        let length = u32::try_from(body + 4).unwrap().to_be_bytes();
        [&[kind][..], &length, &vec![b'x'; body]].concat()
    }

    fn row(bytes: usize) -> Vec<u8> {
        message(ROW, bytes + 2)
    }

    /// Reads to the end in pieces of this size; returns the output and the number of bytes read.
    async fn read(
        pieces: Vec<Vec<u8>>,
        gate: &Arc<UpTo>,
        before: usize,
        by: usize,
    ) -> (Vec<u8>, usize) {
        let gate: Gate = Arc::clone(gate) as _;
        let taken = Arc::<AtomicUsize>::default();
        let mut gated = GatedStream::new(Pieces(pieces, Arc::clone(&taken)), Some(gate), before);
        let (mut all, mut buffer) = (Vec::new(), vec![0; by]);
        loop {
            match gated.read(&mut buffer).await.unwrap() {
                0 => return (all, taken.load(Ordering::Relaxed)),
                count => all.extend_from_slice(&buffer[..count]),
            }
        }
    }

    #[tokio::test]
    async fn messages_pass_wherever_they_are_cut() {
        let all =
            [b"N".to_vec(), row(10), message(b'C', 0), message(b'Z', 1), row(0), row(300)].concat();
        for first in 0..=all.len() {
            for second in [first, first + 1, first + 4, all.len()] {
                let second = second.min(all.len());
                let cuts = [&all[..first], &all[first..second], &all[second..]];
                let pieces: Vec<_> = cuts.iter().map(|cut| cut.to_vec()).collect();
                let pieces: Vec<_> = pieces.into_iter().filter(|cut| !cut.is_empty()).collect();
                for by in [1, 3, 7, 4096] {
                    let gate = Arc::new(UpTo::default());
                    let (passed, _) = read(pieces.clone(), &gate, 1, by).await;
                    assert!(passed == all, "{first} {second} {by}");
                    assert!(gate.1.lock().unwrap().is_empty());
                }
            }
        }
    }

    #[tokio::test]
    async fn a_refused_row_is_not_read_wherever_its_header_is_cut() {
        let (small, large) = (row(LARGE_ROW), row(LARGE_ROW + 1));
        let admitted = [&small[..], &large, &message(b'n', 1 << 20)].concat();
        let refused = row(LARGE_ROW + 2);
        let response =
            Refusal { state: "53200", message: format!("{} are too many", LARGE_ROW + 2) };
        let expected = [&admitted[..], &response.response()].concat();
        for cut in 0..=HEADER {
            let first = [&admitted[..], &refused[..cut]].concat();
            let gate = Arc::new(UpTo(LARGE_ROW + 1, Mutex::default()));
            let (passed, taken) = read(vec![first, refused[cut..].to_vec()], &gate, 0, 4096).await;
            assert!(passed == expected, "{cut}");
            assert_eq!(*gate.1.lock().unwrap(), [LARGE_ROW + 1, LARGE_ROW + 2], "{cut}");
            assert!(taken <= admitted.len() + 4096, "{cut}: {taken}");
        }
    }

    #[tokio::test]
    async fn without_a_gate_and_behind_a_wrong_length_everything_passes() {
        let wrong = [&b"D\0\0\0\x03"[..], &row(LARGE_ROW + 1)].concat();
        let gate = Arc::new(UpTo::default());
        assert!(read(vec![wrong.clone()], &gate, 0, 4096).await.0 == wrong);
        let mut gated = GatedStream::new(Pieces(vec![row(LARGE_ROW + 1)], Arc::default()), None, 0);
        let mut all = Vec::new();
        gated.read_to_end(&mut all).await.unwrap();
        assert!(all == row(LARGE_ROW + 1) && gate.1.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn written_bytes_pass_unchanged() {
        let (here, mut there) = tokio::io::duplex(64);
        let mut gated = GatedStream::new(here, Some(Arc::new(UpTo::default())), 0);
        gated.write_all(b"query").await.unwrap();
        gated.shutdown().await.unwrap();
        let mut all = Vec::new();
        there.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, b"query");
    }
}
