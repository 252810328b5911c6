//! The hosts of a connection: expands lists of names, addresses and ports into endpoints in order.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use crate::Result;

use crate::strings::values::Values;

/// PostgreSQL's default port.
const DEFAULT_PORT: u16 = 5432;

/// The socket folders of local servers: those of packages, then PostgreSQL's own.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// The host name of the local machine.
const LOCALHOST: &str = "localhost";

/// One host of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Host {
    pub(crate) target: HostAddress,
    pub(crate) port: u16,
}

/// The address of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostAddress {
    /// A socket in one of the default folders, or else `localhost`.
    Local,
    /// The folder of a Unix socket.
    Socket(PathBuf),
    /// A name or an address to look up.
    Name(String),
    /// An address, with the name that the server's certificate must have.
    Address(IpAddr, Option<String>),
}

/// An endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) address: Address,
    pub(crate) port: u16,
}

/// The address of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// The folder of a Unix socket.
    Socket(PathBuf),
    /// An IP address, and the name for the certificate.
    Ip(IpAddr, String),
}

impl Endpoint {
    /// The name that the server's certificate must have; `None` for a socket.
    pub(crate) fn name(&self) -> &str {
        match &self.address {
            Address::Socket(_) => "",
            Address::Ip(_, name) => name,
        }
    }
}

/// Where a connection may go, as its settings say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerPlace {
    /// A name or an address, and a port.
    Tcp(String, u16),
    /// The folder of a Unix socket.
    Socket(PathBuf),
}

impl Host {
    /// All places that may be connected to.
    pub(crate) fn places(&self) -> Vec<ServerPlace> {
        let tcp = |host: String| ServerPlace::Tcp(host, self.port);
        match &self.target {
            HostAddress::Socket(folder) => vec![ServerPlace::Socket(folder.clone())],
            HostAddress::Name(name) => vec![tcp(name.clone())],
            HostAddress::Address(address, _) => vec![tcp(address.to_string())],
            HostAddress::Local => {
                let folders =
                    SOCKET_FOLDERS.iter().map(|folder| ServerPlace::Socket(folder.into()));
                folders.chain([tcp(LOCALHOST.to_owned())]).collect()
            }
        }
    }

    /// The host as written in a password file.
    pub(crate) fn in_password_file(&self) -> String {
        match &self.target {
            HostAddress::Local => LOCALHOST.into(),
            HostAddress::Socket(folder)
                if SOCKET_FOLDERS.iter().any(|one| Path::new(one) == folder) =>
            {
                LOCALHOST.into()
            }
            HostAddress::Socket(folder) => folder.to_string_lossy().into_owned(),
            HostAddress::Name(name) | HostAddress::Address(_, Some(name)) => name.clone(),
            HostAddress::Address(address, None) => address.to_string(),
        }
    }

    /// Whether it is an explicit socket.
    pub(crate) fn is_socket(&self) -> bool {
        matches!(self.target, HostAddress::Socket(_))
    }

    /// Whether it is a socket: explicit, or found in one of the default folders.
    pub(crate) fn is_by_socket(&self) -> bool {
        match &self.target {
            HostAddress::Socket(_) => true,
            HostAddress::Local => !sockets(self.port).is_empty(),
            HostAddress::Name(_) | HostAddress::Address(..) => false,
        }
    }

    /// Whether it is certainly TCP, where TLS is possible.
    pub(crate) fn is_tcp(&self) -> bool {
        matches!(self.target, HostAddress::Name(_) | HostAddress::Address(..))
    }

    /// The endpoints to try; resolves names.
    pub(crate) async fn endpoints(&self) -> io::Result<Vec<Endpoint>> {
        let port = self.port;
        match &self.target {
            HostAddress::Socket(folder) => {
                Ok(vec![Endpoint { address: Address::Socket(folder.clone()), port }])
            }
            HostAddress::Address(address, name) => {
                let name = name.clone().unwrap_or_else(|| address.to_string());
                Ok(vec![Endpoint { address: Address::Ip(*address, name), port }])
            }
            HostAddress::Name(name) => look_up(name, port).await,
            HostAddress::Local => {
                let mut endpoints = sockets(port);
                endpoints.extend(look_up(LOCALHOST, port).await.unwrap_or_default());
                Ok(endpoints)
            }
        }
    }
}

async fn look_up(name: &str, port: u16) -> io::Result<Vec<Endpoint>> {
    let found: Vec<_> = tokio::net::lookup_host((name, port))
        .await?
        .map(|address| Endpoint { address: Address::Ip(address.ip(), name.to_owned()), port })
        .collect();
    if found.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address"));
    }
    Ok(found)
}

/// The existing sockets in the default folders.
fn sockets(port: u16) -> Vec<Endpoint> {
    SOCKET_FOLDERS
        .iter()
        .map(PathBuf::from)
        .filter(|folder| folder.join(format!(".s.PGSQL.{port}")).exists())
        .map(|folder| Endpoint { address: Address::Socket(folder), port })
        .collect()
}

/// The hosts from `host`, `hostaddr` and `port`.
pub(crate) fn parse(values: &Values) -> Result<Vec<Host>> {
    let names = list(values, "host");
    let addresses = list(values, "hostaddr");
    let count = addresses.len().max(names.len()).max(1);
    for (name, length) in [("host", names.len()), ("hostaddr", addresses.len())] {
        if length != 0 && length != count {
            return Err(values.wrong(name, "must list as many hosts as its counterpart does."));
        }
    }
    let ports = ports(values, count)?;
    let hosts = ports.into_iter().enumerate().map(|(index, port)| {
        let of = |list: &[&str]| list.get(index).copied().unwrap_or_default().to_owned();
        Ok(Host { target: target(values, of(&names), &of(&addresses))?, port })
    });
    hosts.collect()
}

fn list<'a>(values: &'a Values, name: &str) -> Vec<&'a str> {
    values.text(name).map(|text| text.split(',').collect()).unwrap_or_default()
}

fn target(values: &Values, name: String, address: &str) -> Result<HostAddress> {
    if !address.is_empty() {
        let address = address
            .parse()
            .map_err(|_| values.wrong("hostaddr", "must be a numeric IPv4 or IPv6 address."))?;
        return Ok(HostAddress::Address(address, Some(name).filter(|name| !name.is_empty())));
    }
    match name.chars().next() {
        None => Ok(HostAddress::Local),
        Some('/') => Ok(HostAddress::Socket(name.into())),
        Some('@') => Err(values.wrong("host", "must not be an abstract socket: give a folder.")),
        Some(_) => Ok(HostAddress::Name(name)),
    }
}

fn ports(values: &Values, count: usize) -> Result<Vec<u16>> {
    let texts = list(values, "port");
    if texts.len() > 1 && texts.len() != count {
        return Err(values.wrong("port", "must list one port, or as many as there are hosts."));
    }
    let port = |text: &str| match text.trim() {
        "" => Ok(DEFAULT_PORT),
        text => text.parse().ok().filter(|port| *port != 0).ok_or_else(|| {
            values.wrong("port", "must be a number from 1 to 65535.").hint(
                "Where a password has `/`, `:`, `@` or `?`, percent-encode it: %2F, %3A, %40, %3F.",
            )
        }),
    };
    let ports: Vec<u16> = texts.into_iter().map(port).collect::<Result<_>>()?;
    Ok(match ports.as_slice() {
        [] => vec![DEFAULT_PORT; count],
        [one] => vec![*one; count],
        _ => ports,
    })
}

impl fmt::Display for HostAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => Ok(()),
            Self::Socket(folder) => write!(f, "{}", folder.display()),
            Self::Name(name) | Self::Address(_, Some(name)) => f.write_str(name),
            Self::Address(address, None) => write!(f, "{address}"),
        }
    }
}

impl fmt::Display for Endpoint {
    /// For the log: the name, the address behind it, the port.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let port = self.port;
        match &self.address {
            Address::Socket(folder) => write!(f, "{}/.s.PGSQL.{port}", folder.display()),
            Address::Ip(ip, name) if *name == ip.to_string() => write!(f, "{name} port {port}"),
            Address::Ip(ip, name) => write!(f, "{name} ({ip}) port {port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let pairs = crate::strings::url::parse(text).unwrap();
        let hosts = parse(&Values::gather(pairs, &|_| None).unwrap());
        let shown = match hosts {
            Ok(hosts) => {
                let shown = hosts.iter().map(|host| format!("{:?}:{}", host.target, host.port));
                shown.collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.message,
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn lists() {
        check("", "Local:5432");
        check("port=5433", "Local:5433");
        check("host=a", "Name(\"a\"):5432");
        check("host=a,,/run port=1", "Name(\"a\"):1 Local:1 Socket(\"/run\"):1");
        check("host=a,b port=1,", "Name(\"a\"):1 Name(\"b\"):5432");
        check("postgres://a,b:7/", "Name(\"a\"):5432 Name(\"b\"):7");
        check("hostaddr=127.0.0.1", "Address(127.0.0.1, None):5432");
        check("host=a hostaddr=::1", "Address(::1, Some(\"a\")):5432");
        check("host=a,b hostaddr=::1,", "Address(::1, Some(\"a\")):5432 Name(\"b\"):5432");
    }

    #[test]
    fn wrong_lists() {
        check(
            "host=a,b hostaddr=::1",
            "`hostaddr` must list as many hosts as its counterpart does.",
        );
        check("host=a hostaddr=::1,::2", "`host` must list as many hosts as its counterpart does.");
        check("hostaddr=localhost", "`hostaddr` must be a numeric IPv4 or IPv6 address.");
        check("host=@abstract", "`host` must not be an abstract socket: give a folder.");
        check("host=a port=1,2", "`port` must list one port, or as many as there are hosts.");
        for port in ["0", "65536", "x", "-1", "5432x"] {
            check(&format!("port={port}"), "`port` must be a number from 1 to 65535.");
        }
    }

    #[test]
    fn names_in_the_password_file() {
        let name = |target| Host { target, port: 1 }.in_password_file();
        assert_eq!(name(HostAddress::Local), "localhost");
        assert_eq!(name(HostAddress::Socket("/var/run/postgresql".into())), "localhost");
        assert_eq!(name(HostAddress::Socket("/srv/pg".into())), "/srv/pg");
        assert_eq!(name(HostAddress::Name("db".into())), "db");
        let address = IpAddr::from([127, 0, 0, 1]);
        assert_eq!(name(HostAddress::Address(address, Some("db".into()))), "db");
        assert_eq!(name(HostAddress::Address(address, None)), "127.0.0.1");
    }
}
