//! The socket of a connection that goes through a wrapper. The driver makes its own for all others; this one
//! is set as the driver sets those.

use std::io;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpStream, UnixStream};

use super::Settings;
use super::aim::Duplex;
use super::hosts::{Address, Endpoint};

/// Where the driver begins to ask whether the other side is still there, if nothing else is set.
const IDLE: std::time::Duration = std::time::Duration::from_secs(2 * 60 * 60);

/// Connects to an endpoint.
pub(crate) async fn open(settings: &Settings, endpoint: &Endpoint) -> io::Result<Box<dyn Duplex>> {
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

fn set(socket: &TcpStream, settings: &Settings) -> io::Result<()> {
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
