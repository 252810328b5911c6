//! The socket of a connection. The driver hides its own, so that its bytes cannot be observed; this
//! one has the same options.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

use crate::ConnectionSettings;
use crate::hosts::{Address, Endpoint};
use crate::streams::duplex::Duplex;

/// The driver's default for the idle time before keepalive probes.
const IDLE: std::time::Duration = std::time::Duration::from_secs(2 * 60 * 60);

/// A socket of either kind, or a wrapper of one. It is a named type because a trait object in a
/// future's type has a lifetime, which prevents the future from moving between threads.
pub(crate) struct Socket(pub(crate) Box<dyn Duplex>);

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }
}

/// Connects to an endpoint.
pub(crate) async fn open(
    settings: &ConnectionSettings,
    endpoint: &Endpoint,
) -> io::Result<Box<dyn Duplex>> {
    let port = endpoint.port;
    match &endpoint.address {
        Address::Socket(folder) => {
            let socket = UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await?;
            Ok(Box::new(socket))
        }
        Address::Ip(ip, _) => {
            let socket = TcpStream::connect((*ip, port)).await?;
            socket.set_nodelay(true)?;
            set(&socket, settings)?;
            Ok(Box::new(socket))
        }
    }
}

fn set(socket: &TcpStream, settings: &ConnectionSettings) -> io::Result<()> {
    let socket = SockRef::from(socket);
    #[cfg(target_os = "linux")]
    if let Some(limit) = settings.tcp_user_timeout {
        socket.set_tcp_user_timeout(Some(limit))?;
    }
    let wanted = &settings.keepalives;
    if !wanted.on {
        return Ok(());
    }
    let mut keepalive = TcpKeepalive::new().with_time(wanted.idle.unwrap_or(IDLE));
    if let Some(interval) = wanted.interval {
        keepalive = keepalive.with_interval(interval);
    }
    if let Some(count) = wanted.count {
        keepalive = keepalive.with_retries(count);
    }
    socket.set_tcp_keepalive(&keepalive)
}
