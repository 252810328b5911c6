//! The address that a client sees: scheme and authority for absolute links.
//!
//! `Host` names it, or a trusted proxy does. A value that is not a host name is refused: it would
//! end in the JSON of the answer.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::net::IpAddr;
use std::sync::Arc;

use duet_model::{Code, Error, Result};
use hyper::header::HOST;
use hyper::http::uri::Authority;
use hyper::{Request, Version};

use super::forwarded::{ForwardedRequest, Trust};

/// The caller, and the default for a missing `Host`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallerContext<'a> {
    /// The address at the other end.
    pub(crate) peer: Option<IpAddr>,
    /// The proxies that are believed.
    pub(crate) trust: Trust<'a>,
    /// The listener's own authority, for requests of HTTP/1.0 without `Host`.
    pub(crate) local: &'a str,
    /// Whether the connection is TLS.
    pub(crate) secure: bool,
}

/// Scheme and authority; printed, `http://host:port` or `https://…`, and for a link the part of the path that has its
/// right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin<'a> {
    scheme: &'static str,
    host: Cow<'a, str>,
    /// A path that all others are below. Few requests have one, and each waiting one has room for it.
    path: Option<Arc<String>>,
}

impl Origin<'_> {
    /// Whether the client is connected by TLS, here or at a trusted proxy.
    pub(crate) fn is_over_tls(&self) -> bool {
        self.scheme == "https"
    }

    /// The same, independent of its request.
    pub(crate) fn to_owned(&self) -> Origin<'static> {
        let host = Cow::Owned(self.host.clone().into_owned());
        Origin { scheme: self.scheme, host, path: self.path.clone() }
    }

    /// The same below a path.
    pub(crate) fn below(self, path: String) -> Self {
        Self { path: Some(Arc::new(path)), ..self }
    }
}

impl Display for Origin<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let path = self.path.as_ref().map_or("", |path| path.as_str());
        write!(f, "{}://{}{path}", self.scheme, self.host)
    }
}

/// Where the client of a request sees the server.
///
/// # Errors
/// If `Host` is not a host name, is given twice, or missing from HTTP/1.1 (RFC 9112 §3.2), and
/// where a proxy's header is malformed.
pub(crate) fn seen<'a, B>(
    request: &'a Request<B>,
    caller: CallerContext<'a>,
) -> Result<Origin<'a>> {
    let CallerContext { peer, trust, local, secure } = caller;
    let own_scheme = if secure { "https" } else { "http" };
    let headers = request.headers();
    let mut hosts = headers.get_all(HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().map_err(|_| bad_host())?,
        (None, _) if request.version() < Version::HTTP_11 => local,
        // `:authority` is enough, and counts below.
        (None, _) if request.version() == Version::HTTP_2 => {
            request.uri().authority().map(Authority::as_str).ok_or_else(bad_host)?
        }
        _ => return Err(bad_host()),
    };
    // A request to a proxy names the host in its first line, and that one counts (§3.2.2).
    let host = request.uri().authority().map_or(host, without_user);
    let ForwardedRequest { scheme, host: seen, .. } = trust.seen(headers, peer)?;
    let scheme = match scheme {
        None => own_scheme,
        Some(scheme) if scheme.eq_ignore_ascii_case("https") => "https",
        Some(_) => "http",
    };
    let host = seen.map_or(Cow::Borrowed(host), Into::into);
    if is_host(&host) { Ok(Origin { scheme, host, path: None }) } else { Err(bad_host()) }
}

fn without_user(authority: &Authority) -> &str {
    let text = authority.as_str();
    text.rsplit_once('@').map_or(text, |(_, host)| host)
}

fn is_host(host: &str) -> bool {
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'.' | b'-' | b'_' | b':' | b'[' | b']' | b'%')
    };
    !host.is_empty() && host.len() <= 300 && host.bytes().all(plain)
}

fn bad_host() -> Error {
    Error::new(
        Code::BadRequest,
        "A request needs one Host header: a host name with an optional port.",
    )
}

#[cfg(test)]
mod tests {
    use ipnet::IpNet;

    use super::*;
    use crate::message::forwarded::ProxyHeaders;

    fn request(target: &str, headers: &[(&str, &str)]) -> Request<()> {
        let start = Request::get(target);
        let add = |builder: hyper::http::request::Builder, (name, value): &(&str, &str)| {
            builder.header(*name, *value)
        };
        headers.iter().fold(start, add).body(()).unwrap()
    }

    fn from(peer: Option<[u8; 4]>, proxies: &[IpNet]) -> CallerContext<'_> {
        let trust = Trust { proxies, headers: ProxyHeaders::XForwarded };
        CallerContext { peer: peer.map(IpAddr::from), trust, local: "127.0.0.1:80", secure: false }
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let proxies = [IpNet::from(IpAddr::from([10, 0, 0, 1]))];
        let incoming = request(
            "/",
            &[
                ("host", "inner:8080"),
                ("x-forwarded-proto", "https"),
                ("x-forwarded-host", "api.example.com"),
            ],
        );
        let base_for = |peer| seen(&incoming, from(Some(peer), &proxies)).unwrap().to_string();
        assert_eq!(base_for([10, 0, 0, 1]), "https://api.example.com");
        assert_eq!(base_for([10, 0, 0, 2]), "http://inner:8080");
        let secure = CallerContext { secure: true, ..from(Some([10, 0, 0, 2]), &proxies) };
        assert_eq!(seen(&incoming, secure).unwrap().to_string(), "https://inner:8080");
        let silent = CallerContext { secure: true, ..from(Some([10, 0, 0, 1]), &proxies) };
        assert_eq!(seen(&request("/", &[("host", "a")]), silent).unwrap().to_string(), "https://a");
        let bad = request("/", &[("host", "a"), ("x-forwarded-host", "a/b\"")]);
        assert!(seen(&bad, from(Some([10, 0, 0, 1]), &proxies)).is_err());
    }

    #[test]
    fn hosts_are_checked() {
        let seen =
            |request: &Request<()>| seen(request, from(None, &[])).map(|origin| origin.to_string());
        for bad in ["a\"b", "a b", "", "a/b", "a<b>"] {
            assert!(seen(&request("/", &[("host", bad)])).is_err(), "{bad}");
        }
        assert!(seen(&request("/", &[("host", "a"), ("host", "b")])).is_err());
        assert!(seen(&request("/", &[])).is_err());
        let mut old = request("/", &[]);
        *old.version_mut() = Version::HTTP_10;
        assert_eq!(seen(&old).unwrap(), "http://127.0.0.1:80");
    }

    #[test]
    fn the_first_line_may_name_the_host() {
        let incoming = request("http://me@first.example:81/x", &[("host", "second.example")]);
        assert_eq!(
            seen(&incoming, from(None, &[])).unwrap().to_string(),
            "http://first.example:81"
        );
    }
}
