//! The address of a service.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::route::{Route, Trust};

/// A transport to a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Host and port.
    Tcp(String, u16),
    /// A Unix socket of this machine.
    Unix(PathBuf),
}

/// A URL: `http://host:port/path` or `https://…`, or `http+unix://%2Frun%2Fduet.sock/path`, also
/// written `unix:/run/duet.sock:/path`. A fragment says how it is reached, and is never sent:
/// `#cacert=/authority.pem&http2`; see [`Route`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// Where to connect.
    pub address: Address,
    /// The value of the `Host` field.
    pub host: String,
    /// Path and query, beginning with a slash.
    pub path: String,
    /// The trusted certificates; `None` without TLS.
    pub trust: Option<Trust>,
    /// How it is reached beside its address.
    pub route: Route,
}

impl Url {
    /// The same address with another path. An absolute URL's host is ignored, so that requests stay
    /// with the given service.
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

    /// The address as it appears in results: without a query, which may hold secrets, and without
    /// the trust settings.
    pub fn place(&self) -> String {
        let path = self.path.split(['?', '#']).next().unwrap_or_default();
        let trust = self.trust.as_ref().map(|_| Trust::System);
        Self { path: path.into(), trust, route: Route::default(), ..self.clone() }.to_string()
    }

    /// This address reached as another one: with its trust in certificates, client's certificate and proxy. HTTP/2 is of
    /// the same host and port alone.
    #[must_use]
    pub fn reached_as(self, other: &Self) -> Self {
        let is_same =
            self.address == other.address && self.trust.is_some() == other.trust.is_some();
        let trust = self.trust.map(|own| other.trust.clone().unwrap_or(own));
        let http2 = other.route.http2.filter(|_| is_same);
        let (certificate, key) = match trust {
            Some(_) => (other.route.certificate.clone(), other.route.key.clone()),
            None => (None, None),
        };
        let proxy = other.route.proxy.clone();
        Self { trust, route: Route { certificate, key, proxy, http2 }, ..self }
    }

    /// The transport, as it appears in results.
    pub fn transport(&self) -> &'static str {
        match (&self.address, &self.trust, self.route.http2) {
            (Address::Tcp(..), Some(_), None) => "tls",
            (Address::Tcp(..), Some(_), Some(_)) => "tls, HTTP/2",
            (Address::Tcp(..), None, None) => "tcp",
            (Address::Tcp(..), None, Some(_)) => "tcp, HTTP/2",
            (Address::Unix(_), _, None) => "unix",
            (Address::Unix(_), _, Some(_)) => "unix, HTTP/2",
        }
    }
}

impl FromStr for Url {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_tls = text.starts_with("https://");
        if let Some((text, words)) = text.split_once('#') {
            let (trust, route) = Route::of_fragment(words, is_tls)?;
            let url: Self = text.parse()?;
            if route.proxy.is_some() && matches!(url.address, Address::Unix(_)) {
                return Err("a Unix socket has no proxy".into());
            }
            return Ok(Self { trust, route, ..url });
        }
        if let Some(rest) = text.strip_prefix("http://") {
            let (authority, path) = split_path(rest);
            return tcp(authority, encoded(&path)?, 80);
        }
        if let Some(rest) = text.strip_prefix("https://") {
            let (authority, path) = split_path(rest);
            let trust = Some(Trust::System);
            return Ok(Self { trust, ..tcp(authority, encoded(&path)?, 443)? });
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
        Err(format!("{text:?} is not a URL such as http://127.0.0.1:8080/path"))
    }
}

/// A path with blanks, quotes and other alphabets percent-encoded. A line break would begin another header field.
fn encoded(path: &str) -> Result<String, String> {
    use fmt::Write as _;
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            0..=0x1f | 0x7f => return Err("the URL has a line break or another control".into()),
            b' ' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | 0x80.. => {
                // Writing to a String cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
            _ => out.push(char::from(byte)),
        }
    }
    Ok(out)
}

/// Authority and path; a query without a path gets one.
fn split_path(rest: &str) -> (&str, String) {
    match rest.find(['/', '?', '#']) {
        Some(at) => {
            let (authority, path) = rest.split_at(at);
            let slash = if path.starts_with('/') { "" } else { "/" };
            (authority, format!("{slash}{path}"))
        }
        None => (rest, "/".into()),
    }
}

fn unix(socket: &str, path: impl Into<String>) -> Result<Url, String> {
    if socket.is_empty() {
        return Err("the path of the socket is missing".into());
    }
    let address = Address::Unix(socket.into());
    let (host, path) = ("localhost".into(), path.into());
    Ok(Url { address, host, path, trust: None, route: Route::default() })
}

fn tcp(authority: &str, path: String, usual: u16) -> Result<Url, String> {
    if authority.contains('@') {
        return Err("a user in the URL is not sent: give --client or --token".into());
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => {
            let number = port.parse().map_err(|_| format!("{port:?} is not a port"))?;
            (host, number)
        }
        _ => (authority, usual),
    };
    if host.is_empty() {
        return Err("the host is missing".into());
    }
    let address = Address::Tcp(host.trim_matches(['[', ']']).into(), port);
    Ok(Url { address, host: authority.into(), path, trust: None, route: Route::default() })
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fragment = self.route.fragment(self.trust.as_ref());
        match (&self.address, &self.trust) {
            (Address::Tcp(..), None) => write!(f, "http://{}{}{fragment}", self.host, self.path),
            (Address::Tcp(..), Some(_)) => {
                write!(f, "https://{}{}{fragment}", self.host, self.path)
            }
            (Address::Unix(socket), _) => {
                write!(f, "unix:{}:{}{fragment}", socket.display(), self.path)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_fit_for_requests() {
        let path = |text: &str| text.parse::<Url>().map(|url| url.path);
        assert_eq!(path("http://h/e?q=a b&r=\u{fc}%20").unwrap(), "/e?q=a%20b&r=%C3%BC%20");
        assert!(path("http://h/e\r\nX: y").unwrap_err().contains("line break"));
    }

    #[test]
    fn places_hold_no_secrets() {
        for (text, place) in [
            ("http://h:81/p?token=x", "http://h:81/p"),
            ("https://h/p?token=x#insecure", "https://h/p"),
            ("unix:/run/s:/p?token=x", "unix:/run/s:/p"),
        ] {
            assert_eq!(text.parse::<Url>().unwrap().place(), place);
        }
    }

    #[test]
    fn other_places_are_reached_alike() {
        let target: Url =
            "https://h/p#insecure&cert=/c&key=/k&proxy=http://x:1&http2".parse().unwrap();
        for (place, expected) in [
            ("https://h", "https://h/#insecure&cert=/c&key=/k&proxy=http://x:1&http2"),
            ("https://o:1", "https://o:1/#insecure&cert=/c&key=/k&proxy=http://x:1"),
            ("http://h", "http://h/#proxy=http://x:1"),
        ] {
            let url: Url = place.parse().unwrap();
            assert_eq!(url.reached_as(&target).to_string(), expected);
        }
        assert!("unix:/s:/#proxy=http://x".parse::<Url>().is_err());
    }

    #[test]
    fn trust_settings_require_https() {
        assert!("https://h/p#insecure".parse::<Url>().is_ok());
        for text in ["http://h/p#insecure", "unix:/s:/p#insecure", "http+unix://%2Fs/p#insecure"] {
            assert!(text.parse::<Url>().unwrap_err().contains("https://"), "{text}");
        }
    }

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
        let url: Url = "http://a?b=c".parse().unwrap();
        assert_eq!((url.host.as_str(), url.path.as_str()), ("a", "/?b=c"));
        for wrong in ["ftp://a", "http://u:p@a/", "http://:80/", "http://a:b/", "unix:"] {
            assert!(wrong.parse::<Url>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn urls_with_tls() {
        for (text, port, trust, transport) in [
            ("https://a/b", 443, Trust::System, "tls"),
            ("https://a:8443/b#insecure", 8443, Trust::Anything, "tls"),
            ("https://[::1]/b?c#cacert=/x/y.pem", 443, Trust::File("/x/y.pem".into()), "tls"),
        ] {
            let url: Url = text.parse().unwrap();
            assert!(matches!(url.address, Address::Tcp(_, found) if found == port), "{url:?}");
            assert_eq!((url.trust.as_ref(), url.transport()), (Some(&trust), transport));
            // This form is sent to the processes of a layout.
            assert_eq!(url.to_string(), text);
            assert_eq!(url.at("/metrics").trust, Some(trust));
        }
        assert!("https://a/#secure".parse::<Url>().is_err());
    }
}
