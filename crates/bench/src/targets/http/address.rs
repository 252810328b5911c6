//! Where a service listens.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A way to a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Host and port.
    Tcp(String, u16),
    /// A socket of this machine.
    Unix(PathBuf),
}

/// A URL: `http://host:port/path`, or `http+unix://%2Frun%2Fduet.sock/path`, also written
/// `unix:/run/duet.sock:/path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// Where to connect.
    pub address: Address,
    /// What the `Host` field says.
    pub host: String,
    /// Path and query, beginning with a slash.
    pub path: String,
}

impl Url {
    /// The same place with another path. An absolute URL's host is ignored: the way to the service is
    /// the one that was given.
    pub fn at(&self, reference: &str) -> Self {
        let path = match reference.split_once("://") {
            Some((_, rest)) => rest.find('/').map_or("/", |slash| &rest[slash..]),
            None => reference,
        };
        let path = match path.strip_prefix('/') {
            Some(_) => path.to_owned(),
            None => format!("{}/{path}", self.path.trim_end_matches('/')),
        };
        Self { path, ..self.clone() }
    }

    /// How it is reached, as results say it.
    pub fn transport(&self) -> &'static str {
        match self.address {
            Address::Tcp(..) => "tcp",
            Address::Unix(_) => "unix",
        }
    }
}

impl FromStr for Url {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(rest) = text.strip_prefix("http://") {
            let (authority, path) = split_path(rest);
            return tcp(authority, path);
        }
        if let Some(rest) = text.strip_prefix("http+unix://") {
            let (socket, path) = split_path(rest);
            let socket = socket.replace("%2F", "/").replace("%2f", "/");
            return unix(&socket, path);
        }
        if let Some(rest) = text.strip_prefix("unix:") {
            let (socket, path) = rest.split_once(':').unwrap_or((rest, "/"));
            return unix(socket, path);
        }
        match text.starts_with("https://") {
            true => {
                Err("https is not spoken by the bench: measure behind the proxy, by http".into())
            }
            false => Err(format!("{text:?} is not a URL such as http://127.0.0.1:8080/path")),
        }
    }
}

fn split_path(rest: &str) -> (&str, &str) {
    match rest.find('/') {
        Some(slash) => rest.split_at(slash),
        None => (rest, "/"),
    }
}

fn unix(socket: &str, path: &str) -> Result<Url, String> {
    if socket.is_empty() {
        return Err("the path of the socket is missing".into());
    }
    let address = Address::Unix(socket.into());
    Ok(Url { address, host: "localhost".into(), path: path.into() })
}

fn tcp(authority: &str, path: &str) -> Result<Url, String> {
    if authority.contains('@') {
        return Err("a user in the URL is not sent: give --client or --token".into());
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => {
            let number = port.parse().map_err(|_| format!("{port:?} is not a port"))?;
            (host, number)
        }
        _ => (authority, 80),
    };
    if host.is_empty() {
        return Err("the host is missing".into());
    }
    let address = Address::Tcp(host.trim_matches(['[', ']']).into(), port);
    Ok(Url { address, host: authority.into(), path: path.into() })
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.address {
            Address::Tcp(..) => write!(f, "http://{}{}", self.host, self.path),
            Address::Unix(socket) => write!(f, "unix:{}:{}", socket.display(), self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_urls() {
        let url: Url = "http://[::1]:8080/a/b?c=1".parse().unwrap();
        assert_eq!(url.address, Address::Tcp("::1".into(), 8080));
        assert_eq!((url.host.as_str(), url.path.as_str()), ("[::1]:8080", "/a/b?c=1"));
        let url: Url = "http://db.example".parse().unwrap();
        assert_eq!(
            (url.address.clone(), url.path.as_str()),
            (Address::Tcp("db.example".into(), 80), "/")
        );
        let url: Url = "unix:/run/duet.sock:/api/".parse().unwrap();
        assert_eq!(url.to_string(), "unix:/run/duet.sock:/api/");
        assert_eq!("http+unix://%2Frun%2Fduet.sock/api/".parse(), Ok(url.clone()));
        assert_eq!(url.at("item/7").path, "/api/item/7");
        assert_eq!(url.at("http://other:1/item/7").path, "/item/7");
        for wrong in
            ["https://a/", "ftp://a", "http://u:p@a/", "http://:80/", "http://a:b/", "unix:"]
        {
            assert!(wrong.parse::<Url>().is_err(), "{wrong}");
        }
    }
}
