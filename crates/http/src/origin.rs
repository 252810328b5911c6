//! The address that a client sees: scheme and authority for absolute links.
//!
//! `Host` says it, or behind a trusted proxy `Forwarded` (RFC 7239) or `X-Forwarded-Proto`,
//! `X-Forwarded-Host` and `X-Forwarded-Port`. Whatever is not a host name is refused: it would
//! end in the JSON of the answer.

use std::net::{IpAddr, SocketAddr};

use duet_model::{Code, Error, Result};
use hyper::header::{FORWARDED, HOST, HeaderName};
use hyper::http::uri::Authority;
use hyper::{HeaderMap, Request, Version};

/// Who asks, and what stands in for a missing `Host`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// The address at the other end.
    pub(crate) peer: Option<IpAddr>,
    /// The proxies that are believed.
    pub(crate) trusted: &'a [IpAddr],
    /// The listener's own authority, for requests of HTTP/1.0 without `Host`.
    pub(crate) local: &'a str,
    /// Whether the connection is TLS.
    pub(crate) secure: bool,
}

/// `http://host:port` or `https://…` of a request.
///
/// # Errors
/// Where `Host` is not a host name, is there twice, or missing from HTTP/1.1 (RFC 9112 §3.2).
pub(crate) fn base<B>(request: &Request<B>, asked: Asked<'_>) -> Result<String> {
    let Asked { peer, trusted, local, secure } = asked;
    let own_scheme = if secure { "https" } else { "http" };
    let headers = request.headers();
    let mut hosts = headers.get_all(HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().map_err(|_| bad_host())?,
        (None, _) if request.version() < Version::HTTP_11 => local,
        _ => return Err(bad_host()),
    };
    // A request to a proxy names the host in its first line, and that one counts (§3.2.2).
    let host = request.uri().authority().map_or(host, without_user);
    let proxied = peer.is_some_and(|peer| trusted.contains(&peer));
    if !proxied {
        return checked(own_scheme, host);
    }
    let (scheme, forwarded_host) = forwarded(headers);
    let scheme = match scheme.as_deref() {
        None => own_scheme,
        Some("https") => "https",
        Some(_) => "http",
    };
    checked(scheme, forwarded_host.as_deref().unwrap_or(host))
}

fn without_user(authority: &Authority) -> &str {
    let text = authority.as_str();
    text.rsplit_once('@').map_or(text, |(_, host)| host)
}

fn checked(scheme: &str, host: &str) -> Result<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]%".contains(&byte);
    if host.is_empty() || host.len() > 300 || !host.bytes().all(plain) {
        return Err(bad_host());
    }
    let mut base = String::with_capacity(scheme.len() + 3 + host.len());
    base.push_str(scheme);
    base.push_str("://");
    base.push_str(host);
    Ok(base)
}

fn bad_host() -> Error {
    Error::new(
        Code::BadRequest,
        "A request needs one Host header: a host name with an optional port.",
    )
}

/// The address that a request comes from: behind trusted proxies the last one that they have not
/// made up themselves, so that nobody can hide behind a list of their own.
pub(crate) fn client(
    headers: &HeaderMap,
    peer: Option<IpAddr>,
    trusted: &[IpAddr],
) -> Option<IpAddr> {
    if !peer.is_some_and(|peer| trusted.contains(&peer)) {
        return peer;
    }
    let name = if headers.contains_key(FORWARDED) { FORWARDED } else { X_FORWARDED_FOR };
    let lines: Vec<&str> =
        headers.get_all(&name).iter().filter_map(|line| line.to_str().ok()).collect();
    let hops = lines.iter().flat_map(|line| line.split(','));
    let addresses =
        hops.map(|hop| if name == FORWARDED { forwarded_for(hop) } else { address(hop) });
    let mut known = addresses.collect::<Vec<_>>().into_iter().rev();
    // A hop that is no address ends what can be believed.
    known.find(|hop| hop.is_none_or(|hop| !trusted.contains(&hop))).flatten().or(peer)
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The `for` of one hop of `Forwarded`.
fn forwarded_for(hop: &str) -> Option<IpAddr> {
    hop.split(';').find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        if name.eq_ignore_ascii_case("for") { address(value) } else { None }
    })
}

/// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `"[2001:db8::1]:80"`.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let bare = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    text.parse().ok().or_else(with_port).or_else(bare)
}

/// Scheme and host as the proxy next to the client saw them.
fn forwarded(headers: &HeaderMap) -> (Option<String>, Option<String>) {
    let text = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?;
        let first = value.split(',').next()?.trim();
        (!first.is_empty()).then(|| first.to_owned())
    };
    if let Some(value) = headers.get(FORWARDED).and_then(|value| value.to_str().ok()) {
        let first = value.split(',').next().unwrap_or("");
        let parameter = |wanted: &str| {
            first.split(';').find_map(|pair| {
                let (name, value) = pair.trim().split_once('=')?;
                name.eq_ignore_ascii_case(wanted).then(|| value.trim_matches('"').to_owned())
            })
        };
        return (parameter("proto"), parameter("host"));
    }
    let host = text("x-forwarded-host").map(|host| match text("x-forwarded-port") {
        Some(port) if !host.contains(':') && !matches!(port.as_str(), "80" | "443") => {
            format!("{host}:{port}")
        }
        _ => host,
    });
    (text("x-forwarded-proto"), host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(target: &str, headers: &[(&str, &str)]) -> Request<()> {
        let start = Request::get(target);
        let add = |builder: hyper::http::request::Builder, (name, value): &(&str, &str)| {
            builder.header(*name, *value)
        };
        headers.iter().fold(start, add).body(()).unwrap()
    }

    fn from(peer: Option<[u8; 4]>, trusted: &[IpAddr]) -> Asked<'_> {
        Asked { peer: peer.map(IpAddr::from), trusted, local: "127.0.0.1:80", secure: false }
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let proxies = [IpAddr::from([10, 0, 0, 1])];
        let asked = request(
            "/",
            &[
                ("host", "inner:8080"),
                ("x-forwarded-proto", "https"),
                ("x-forwarded-host", "api.example.com, other"),
            ],
        );
        let base_for = |peer| base(&asked, from(Some(peer), &proxies)).unwrap();
        assert_eq!(base_for([10, 0, 0, 1]), "https://api.example.com");
        assert_eq!(base_for([10, 0, 0, 2]), "http://inner:8080");
        let secure = Asked { secure: true, ..from(Some([10, 0, 0, 2]), &proxies) };
        assert_eq!(base(&asked, secure).unwrap(), "https://inner:8080");
        let silent = Asked { secure: true, ..from(Some([10, 0, 0, 1]), &proxies) };
        assert_eq!(base(&request("/", &[("host", "a")]), silent).unwrap(), "https://a");
        let forwarded = ("forwarded", "for=1.2.3.4;proto=https;host=\"a.b:444\"");
        let asked = request("/", &[("host", "inner"), forwarded]);
        let proxied = base(&asked, from(Some([10, 0, 0, 1]), &proxies)).unwrap();
        assert_eq!(proxied, "https://a.b:444");
    }

    #[test]
    fn the_client_behind_proxies() {
        let proxies: [IpAddr; 2] = [[10, 0, 0, 1].into(), [10, 0, 0, 2].into()];
        let of = |peer: [u8; 4], headers: &[(&str, &str)]| {
            let client = client(request("/", headers).headers(), Some(peer.into()), &proxies);
            client.unwrap().to_string()
        };
        let (near, stranger) = ([10, 0, 0, 1], [9, 9, 9, 9]);
        assert_eq!(of(stranger, &[("x-forwarded-for", "1.1.1.1")]), "9.9.9.9");
        assert_eq!(of(near, &[]), "10.0.0.1");
        assert_eq!(of(near, &[("x-forwarded-for", "1.1.1.1, 2.2.2.2, 10.0.0.2")]), "2.2.2.2");
        assert_eq!(
            of(near, &[("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "2.2.2.2:80")]),
            "2.2.2.2"
        );
        assert_eq!(of(near, &[("x-forwarded-for", "1.1.1.1, unknown")]), "10.0.0.1");
        assert_eq!(
            of(near, &[("forwarded", "for=1.1.1.1, for=\"[2001:db8::1]:80\";proto=https")]),
            "2001:db8::1"
        );
        assert_eq!(
            of(near, &[("forwarded", "proto=https"), ("x-forwarded-for", "1.1.1.1")]),
            "10.0.0.1"
        );
    }

    #[test]
    fn hosts_are_checked() {
        let base = |request: &Request<()>| base(request, from(None, &[]));
        for bad in ["a\"b", "a b", "", "a/b", "a<b>"] {
            assert!(base(&request("/", &[("host", bad)])).is_err(), "{bad}");
        }
        assert!(base(&request("/", &[("host", "a"), ("host", "b")])).is_err());
        assert!(base(&request("/", &[])).is_err());
        let mut old = request("/", &[]);
        *old.version_mut() = Version::HTTP_10;
        assert_eq!(base(&old).unwrap(), "http://127.0.0.1:80");
    }

    #[test]
    fn the_first_line_may_name_the_host() {
        let asked = request("http://me@first.example:81/x", &[("host", "second.example")]);
        assert_eq!(base(&asked, from(None, &[])).unwrap(), "http://first.example:81");
    }
}
