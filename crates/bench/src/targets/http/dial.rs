//! Opens the transport to a service: directly, or through an HTTP proxy.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use duet_client::confinement;
use duet_client::wire::{Meter, Metered};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};

use super::address::{Address, Url};
use super::route::PROXY_LOGIN;
use super::tls;
use crate::record::Failed;
use duet_verdict::outcome::Outcome;

/// The longest response of a proxy to `CONNECT`.
const LONGEST: usize = 64 * 1024;

/// A transport.
pub(super) enum Transport {
    Tcp(TcpStream),
    Unix(UnixStream),
    /// With the counter of its bytes.
    Tls(Box<tls::Session>, Meter),
}

/// Opens the transport.
///
/// # Errors
/// [`Outcome::Connection`], with what failed.
pub(super) async fn dial(url: &Url) -> Result<Transport, Failed> {
    let message =
        |error: io::Error| Failed::new(Outcome::Connection, format!("{}: {error}", url.host));
    let forbidden = |why: String| Failed::new(Outcome::Connection, why);
    let (host, port) = match &url.address {
        Address::Tcp(host, port) => (host, *port),
        Address::Unix(path) => {
            confinement::allows_socket(path).map_err(forbidden)?;
            return Ok(Transport::Unix(UnixStream::connect(path).await.map_err(message)?));
        }
    };
    confinement::allows_host(host, port).map_err(forbidden)?;
    let stream = match &url.route.proxy {
        None => {
            let stream = TcpStream::connect((host.as_str(), port)).await.map_err(message)?;
            stream.set_nodelay(true).map_err(message)?;
            stream
        }
        Some((proxy, at)) => {
            let message = |error: io::Error| {
                Failed::new(Outcome::Connection, format!("the proxy {proxy}:{at}: {error}"))
            };
            confinement::allows_host(proxy, *at).map_err(forbidden)?;
            let mut stream = TcpStream::connect((proxy.as_str(), *at)).await.map_err(message)?;
            stream.set_nodelay(true).map_err(message)?;
            if forwarded(url).is_none() {
                tunnel(&mut stream, host, port).await?;
            }
            stream
        }
    };
    if url.trust.is_none() {
        return Ok(Transport::Tcp(stream));
    }
    let meter = Meter::default();
    let stream = Metered::new(stream, meter.clone());
    Ok(Transport::Tls(Box::new(tls::begin(url, host, stream).await?), meter))
}

/// What comes before the path of each request, where a proxy forwards requests one by one, and the fields for it behind
/// a line break; otherwise there is none, or a tunnel.
pub(super) fn forwarded(url: &Url) -> Option<Vec<u8>> {
    let Url { route, trust, host, .. } = url;
    let is_tunnel = trust.is_some() || route.http2.is_some();
    if route.proxy.is_none() || is_tunnel {
        return None;
    }
    Some(format!("http://{host}\n{}", authorization()).into_bytes())
}

/// The field with the name and password for the proxy, with its line break; empty without them.
fn authorization() -> String {
    match std::env::var(PROXY_LOGIN) {
        Ok(login) => format!("Proxy-Authorization: Basic {}\r\n", STANDARD.encode(login)),
        Err(_) => String::new(),
    }
}

/// Asks a proxy for a tunnel (RFC 9110 §9.3.6).
async fn tunnel(stream: &mut TcpStream, host: &str, port: u16) -> Result<(), Failed> {
    let broken = |error: io::Error| Failed::new(Outcome::Connection, format!("the proxy: {error}"));
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let fields = authorization();
    let request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n{fields}\r\n");
    stream.write_all(request.as_bytes()).await.map_err(broken)?;
    let mut head = Vec::new();
    // Nothing behind the head is read: it belongs to the service.
    while !head.ends_with(b"\r\n\r\n") {
        let byte = stream.read_u8().await.map_err(broken)?;
        head.push(byte);
        if head.len() > LONGEST {
            return Err(Failed::new(Outcome::Connection, "the proxy's answer is not HTTP"));
        }
    }
    let text = String::from_utf8_lossy(&head);
    let status = text.split(' ').nth(1).unwrap_or_default();
    match status.starts_with('2') {
        true => Ok(()),
        false => {
            let line = text.lines().next().unwrap_or_default();
            let message = format!("the proxy refuses a tunnel to {host}:{port}: {line}");
            Err(Failed::new(Outcome::Connection, message))
        }
    }
}
