//! The stream of a connection whose socket is taken over once the driver has logged in: the driver does
//! TLS and authentication, and has no replication mode.
//!
//! Such a stream adds the parameter `replication` to the driver's startup message, and gives itself to
//! the [`Handover`] when the driver's connection is dropped.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsStream};

use super::duplex::Duplex;

/// The protocol's version 3.0, which tells a startup message from a request for TLS.
const VERSION: [u8; 4] = [0, 3, 0, 0];

/// The parameter that makes the server's process a sender of changes of one database.
const REPLICATION: &[u8] = b"replication\0database\0";

/// Where a connection's stream is put when the driver has logged in and is dropped.
#[derive(Clone, Default)]
pub(crate) struct Handover(Arc<Mutex<Option<Box<dyn Duplex>>>>);

impl Handover {
    /// The stream, once the driver's connection was dropped.
    pub(crate) fn take(&self) -> Option<Box<dyn Duplex>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, stream: Box<dyn Duplex>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream);
    }
}

/// A stream that may be handed over.
pub(crate) struct Lent<S: Duplex + 'static> {
    /// `None` once it was taken.
    stream: Option<S>,
    to: Option<Handover>,
    startup: Startup,
}

/// The startup message of a connection that is handed over.
enum Startup {
    /// It comes with the next bytes, or is of no interest.
    Expected,
    /// This longer one is sent in its place, from `at` on.
    Sending {
        message: Vec<u8>,
        at: usize,
    },
    Sent,
}

impl<S: Duplex + 'static> Lent<S> {
    pub(crate) fn new(stream: S, to: Option<Handover>) -> Self {
        Self { stream: Some(stream), to, startup: Startup::Expected }
    }

    /// The stream and its handover, for TLS.
    pub(crate) fn into_parts(mut self) -> (Option<S>, Option<Handover>) {
        (self.stream.take(), self.to.take())
    }

    fn stream(&mut self) -> io::Result<Pin<&mut S>> {
        self.stream.as_mut().map(Pin::new).ok_or_else(taken)
    }

    /// Whether the startup message is still to be changed.
    fn watches(&self) -> bool {
        self.to.is_some() && !matches!(self.startup, Startup::Sent)
    }

    /// Writes bytes of the driver before and including its startup message, in one piece.
    fn poll_startup(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if matches!(self.startup, Startup::Expected) {
            let Some(message) = with_replication(bytes)? else {
                return self.stream()?.poll_write(context, bytes);
            };
            self.startup = Startup::Sending { message, at: 0 };
        }
        let Self { stream, startup, .. } = self;
        let Startup::Sending { message, at } = startup else { return Poll::Ready(Ok(0)) };
        while *at < message.len() {
            let stream = Pin::new(stream.as_mut().ok_or_else(taken)?);
            match ready!(stream.poll_write(context, &message[*at..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => *at += count,
            }
        }
        *startup = Startup::Sent;
        Poll::Ready(Ok(bytes.len()))
    }
}

fn taken() -> io::Error {
    io::Error::other("the stream was handed over")
}

/// The startup message with one more parameter; `None` for another message.
///
/// # Errors
/// If only a part of it was given.
fn with_replication(bytes: &[u8]) -> io::Result<Option<Vec<u8>>> {
    if bytes.get(4..8) != Some(&VERSION) {
        return Ok(None);
    }
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let Some((0, parameters)) =
        bytes[8..].split_last().filter(|_| bytes[..4] == length.to_be_bytes())
    else {
        return Err(io::Error::other("the driver wrote its startup message in pieces"));
    };
    let added = u32::try_from(REPLICATION.len()).unwrap_or_default();
    let length = (length + added).to_be_bytes();
    Ok(Some([&length[..], &VERSION, parameters, REPLICATION, &[0]].concat()))
}

impl<S: Duplex + 'static> Drop for Lent<S> {
    fn drop(&mut self) {
        if let (Some(to), Some(stream)) = (self.to.take(), self.stream.take()) {
            to.put(Box::new(stream));
        }
    }
}

impl<S: Duplex + 'static> AsyncRead for Lent<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream()?.poll_read(context, buffer)
    }
}

impl<S: Duplex + 'static> AsyncWrite for Lent<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.watches() {
            return self.poll_startup(context, bytes);
        }
        self.stream()?.poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.watches() {
            let first = slices.iter().find(|slice| !slice.is_empty());
            return self.poll_startup(context, first.map_or(&[], |slice| &**slice));
        }
        self.stream()?.poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }
}

impl<S: Duplex + TlsStream + 'static> TlsStream for Lent<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.stream.as_ref().map_or_else(ChannelBinding::none, TlsStream::channel_binding)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    fn startup(parameters: &[u8]) -> Vec<u8> {
        let length = u32::try_from(9 + parameters.len()).unwrap().to_be_bytes();
        [&length[..], &VERSION, parameters, &[0]].concat()
    }

    #[tokio::test]
    async fn the_startup_message_asks_for_changes_and_the_stream_is_handed_over() {
        // Smaller than the message, so that it is written in pieces.
        let (here, mut there) = tokio::io::duplex(16);
        let handover = Handover::default();
        let tls = [0, 0, 0, 8, 4, 210, 22, 47];
        let plain = startup(b"user\0u\0");
        let writing = tokio::spawn({
            let handover = handover.clone();
            async move {
                let mut lent = Lent::new(here, Some(handover));
                lent.write_all(&tls).await.unwrap();
                lent.write_all(&plain).await.unwrap();
                lent.write_all(b"later").await.unwrap();
            }
        });
        let expected = [&tls[..], &startup(b"user\0u\0replication\0database\0"), b"later"].concat();
        let mut read = vec![0; expected.len()];
        there.read_exact(&mut read).await.unwrap();
        assert_eq!(read, expected);
        writing.await.unwrap();
        let mut stream = handover.take().unwrap();
        stream.write_all(b"more").await.unwrap();
        let mut more = [0; 4];
        there.read_exact(&mut more).await.unwrap();
        assert_eq!(&more, b"more");
    }

    #[tokio::test]
    async fn without_a_handover_everything_passes() {
        let (here, mut there) = tokio::io::duplex(1024);
        let mut lent = Lent::new(here, None);
        lent.write_all(&startup(b"user\0u\0")).await.unwrap();
        drop(lent);
        let mut read = Vec::new();
        there.read_to_end(&mut read).await.unwrap();
        assert_eq!(read, startup(b"user\0u\0"));
    }

    #[test]
    fn a_part_of_a_startup_message_is_an_error() {
        let whole = startup(b"user\0u\0");
        assert!(with_replication(&whole[..whole.len() - 1]).is_err());
        assert!(with_replication(&whole[..8]).is_err());
        assert!(matches!(with_replication(&whole[..7]), Ok(None)));
        assert!(matches!(with_replication(b""), Ok(None)));
    }
}
