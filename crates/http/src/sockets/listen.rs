//! The sockets of a server: opened by it, or by a supervisor for several processes.

use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use duet_model::{Code, Error, Result};
use socket2::{Domain, Protocol, Socket as Raw, Type};

/// Where a server listens.
#[derive(Clone, Debug)]
pub enum Listen {
    /// A TCP address; port 0 takes a free one.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
    /// A socket that is open already, and that other processes may accept from too.
    Open(Arc<Socket>),
}

/// Connections that wait to be accepted.
pub(crate) const BACKLOG: i32 = 4_096;

/// A listener of one worker.
#[derive(Debug)]
pub(crate) enum BoundListener {
    Tcp(TcpListener, Arc<str>),
    Unix(UnixListener),
}

/// An open socket that several processes accept from.
#[derive(Debug)]
pub struct Socket(Kind);

#[derive(Debug)]
enum Kind {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Socket {
    /// Opens a socket. The file of a Unix socket stays when it is closed.
    ///
    /// # Errors
    /// [`Code::Setting`] where the address cannot be listened on.
    pub fn open(listen: &Listen) -> Result<Self> {
        match listen {
            Listen::Tcp(address) => {
                let listener = tcp(*address, false);
                let listener = listener.map_err(|why| bind_error(&address.to_string(), &why))?;
                Ok(Self(Kind::Tcp(listener)))
            }
            Listen::Unix(path) => Ok(Self(Kind::Unix(unix(path)?))),
            Listen::Open(socket) => socket.try_clone(),
        }
    }

    /// A socket that another process has opened.
    ///
    /// # Errors
    /// [`Code::Setting`] where it is no listening stream socket.
    pub fn inherited(descriptor: OwnedFd) -> Result<Self> {
        let wrong = |why: String| {
            Error::new(Code::Setting, format!("A socket that was handed over cannot be used: {why}."))
                .hint("It must be a listening stream socket, such as that of `ListenStream=` of a systemd socket unit.")
        };
        let socket = Raw::from(descriptor);
        let failed = |error: std::io::Error| wrong(error.to_string());
        let listens = socket.is_listener().map_err(failed)?;
        if !listens || socket.r#type().map_err(failed)? != Type::STREAM {
            return Err(wrong("it does not listen for streams".into()));
        }
        socket.set_nonblocking(true).map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        Ok(Self(match address.is_unix() {
            true => Kind::Unix(socket.into()),
            false => Kind::Tcp(socket.into()),
        }))
    }

    /// Whether only this machine can connect.
    fn is_local(&self) -> bool {
        match &self.0 {
            Kind::Tcp(listener) => {
                listener.local_addr().is_ok_and(|address| address.ip().is_loopback())
            }
            Kind::Unix(_) => true,
        }
    }

    fn try_clone(&self) -> Result<Self> {
        let kind = match &self.0 {
            Kind::Tcp(listener) => listener.try_clone().map(Kind::Tcp),
            Kind::Unix(listener) => listener.try_clone().map(Kind::Unix),
        };
        Ok(Self(kind.map_err(Error::internal)?))
    }

    /// A clone for a worker.
    fn bound(&self) -> Result<BoundListener> {
        Ok(match self.try_clone()?.0 {
            Kind::Tcp(listener) => {
                let local = listener.local_addr().map_err(Error::internal)?.to_string();
                BoundListener::Tcp(listener, local.into())
            }
            Kind::Unix(listener) => BoundListener::Unix(listener),
        })
    }

    /// Where it listens.
    fn url(&self, secure: bool) -> Result<String> {
        Ok(match &self.0 {
            Kind::Tcp(listener) => url(listener.local_addr().map_err(Error::internal)?, secure),
            Kind::Unix(listener) => {
                let address = listener.local_addr().map_err(Error::internal)?;
                format!("unix:{}", address.as_pathname().unwrap_or(Path::new("@")).display())
            }
        })
    }
}

impl Listen {
    /// Whether only this machine can connect there.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Tcp(address) => address.ip().is_loopback(),
            Self::Unix(_) => true,
            Self::Open(socket) => socket.is_local(),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            Kind::Tcp(listener) => listener.as_fd(),
            Kind::Unix(listener) => listener.as_fd(),
        }
    }
}

impl From<Socket> for OwnedFd {
    fn from(socket: Socket) -> Self {
        match socket.0 {
            Kind::Tcp(listener) => listener.into(),
            Kind::Unix(listener) => listener.into(),
        }
    }
}

/// The listeners of all workers.
#[derive(Debug)]
pub(crate) struct Sockets {
    /// Where they listen.
    pub(crate) urls: Vec<String>,
    /// Files to remove at the end.
    pub(crate) files: Vec<PathBuf>,
    /// Those of each worker.
    pub(crate) bound: Vec<Vec<BoundListener>>,
}

impl Sockets {
    pub(crate) fn open(listen: &[Listen], workers: usize, secure: bool) -> Result<Self> {
        let bound = (0..workers).map(|_| Vec::new()).collect();
        let mut sockets = Self { urls: Vec::new(), files: Vec::new(), bound };
        for listen in listen {
            let url = match listen {
                Listen::Tcp(address) => bind_tcp(*address, secure, &mut sockets.bound)?,
                Listen::Unix(path) => {
                    bind_unix(path, &mut sockets.bound)?;
                    sockets.files.push(path.clone());
                    format!("unix:{}", path.display())
                }
                Listen::Open(socket) => {
                    for listeners in &mut sockets.bound {
                        listeners.push(socket.bound()?);
                    }
                    socket.url(secure)?
                }
            };
            sockets.urls.push(url);
        }
        Ok(sockets)
    }
}

fn url(address: SocketAddr, secure: bool) -> String {
    format!("{}://{address}", if secure { "https" } else { "http" })
}

fn bind_error(what: &str, error: &std::io::Error) -> Error {
    Error::new(Code::Setting, format!("Cannot listen on {what}: {error}."))
        .hint("Choose another address with --listen.")
}

/// One listener per worker on the same address: the kernel spreads the connections.
fn bind_tcp(address: SocketAddr, secure: bool, bound: &mut [Vec<BoundListener>]) -> Result<String> {
    let mut address = address;
    let reuse = bound.len() > 1;
    for listeners in bound.iter_mut() {
        let listener =
            tcp(address, reuse).map_err(|error| bind_error(&address.to_string(), &error))?;
        address = listener.local_addr().map_err(Error::internal)?;
        listeners.push(BoundListener::Tcp(listener, address.to_string().into()));
    }
    Ok(url(address, secure))
}

fn tcp(address: SocketAddr, reuse: bool) -> std::io::Result<TcpListener> {
    let socket = Raw::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(reuse)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// One socket that all workers accept from.
fn bind_unix(path: &Path, bound: &mut [Vec<BoundListener>]) -> Result<()> {
    let listener = unix(path)?;
    for listeners in bound.iter_mut() {
        listeners.push(BoundListener::Unix(listener.try_clone().map_err(Error::internal)?));
    }
    Ok(())
}

/// A socket file that no server listens on any more is replaced; anything else at the path is left
/// alone.
fn unix(path: &Path) -> Result<UnixListener> {
    let shown = path.display().to_string();
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket());
    if is_socket && std::os::unix::net::UnixStream::connect(path).is_err() {
        std::fs::remove_file(path).map_err(|error| bind_error(&shown, &error))?;
    }
    let listener = UnixListener::bind(path).map_err(|error| bind_error(&shown, &error))?;
    listener.set_nonblocking(true).map_err(Error::internal)?;
    Ok(listener)
}
