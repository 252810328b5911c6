//! Accepting from a socket that other processes accept from too: whose turn it is takes the
//! connection.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::watch;

use super::instances::Instances;

/// How long until it is looked again whether another process has taken a connection.
const GLANCE: Duration = Duration::from_millis(1);

/// A socket that connections are accepted from.
pub(crate) trait Accept: AsRawFd + AsFd {
    /// A connection.
    type Stream;

    /// The next connection, if there is one.
    fn accept_now(&self) -> io::Result<(Self::Stream, Option<SocketAddr>)>;
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    fn accept_now(&self) -> io::Result<(TcpStream, Option<SocketAddr>)> {
        let (stream, address) = self.accept()?;
        stream.set_nonblocking(true)?;
        Ok((TcpStream::from_std(stream)?, Some(address)))
    }
}

impl Accept for UnixListener {
    type Stream = UnixStream;

    fn accept_now(&self) -> io::Result<(UnixStream, Option<SocketAddr>)> {
        let (stream, _) = self.accept()?;
        stream.set_nonblocking(true)?;
        Ok((UnixStream::from_std(stream)?, None))
    }
}

/// The turns of one worker.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) instances: Arc<dyn Instances>,
    pub(crate) worker: usize,
}

/// Accepts connections in turn with other processes until the server stops, or leaves all further
/// ones to them. `take` also hears of failures.
pub(crate) async fn accept_in_turn<L: Accept>(
    listener: L,
    turn: &Turn,
    stop: &mut watch::Receiver<bool>,
    mut take: impl FnMut(io::Result<(L::Stream, Option<SocketAddr>)>) -> bool,
) -> io::Result<L> {
    #[expect(
        deprecated,
        reason = "the other constructor is unsafe; a listener owns its descriptor"
    )]
    let listener = AsyncFd::with_interest(listener, Interest::READABLE)?;
    loop {
        let mut ready = tokio::select! {
            ready = listener.readable() => ready?,
            _ = stop.wait_for(|stopping| *stopping) => break,
        };
        if turn.instances.may_accept(turn.worker) {
            let accepted = ready.try_io(|listener| listener.get_ref().accept_now());
            let Ok(accepted) = accepted else {
                // Another process was faster.
                turn.instances.rest(turn.worker);
                continue;
            };
            if take(accepted) {
                continue;
            }
            drop(ready);
            tokio::time::sleep(GLANCE * 10).await;
        } else if is_waiting(listener.get_ref()) {
            drop(ready);
            tokio::select! {
                () = tokio::time::sleep(GLANCE) => {}
                _ = stop.wait_for(|stopping| *stopping) => break,
            }
        } else {
            ready.clear_ready();
            turn.instances.rest(turn.worker);
        }
    }
    Ok(listener.into_inner())
}

/// Whether a connection waits to be accepted.
fn is_waiting(listener: &impl AsFd) -> bool {
    let mut looked = [PollFd::new(listener, PollFlags::IN)];
    poll(&mut looked, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}
