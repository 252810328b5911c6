//! The address that a client sees: scheme and authority for absolute links.
//!
//! `Host` says it, or behind a trusted proxy `Forwarded` (RFC 7239) or `X-Forwarded-Proto`,
//! `X-Forwarded-Host` and `X-Forwarded-Port`. Whatever is not a host name is refused: it would
//! end in the JSON of the answer.

use std::net::IpAddr;

use duet_model::{Code, Error, Result};
use hyper::HeaderMap;
use hyper::header::{FORWARDED, HOST};

/// `http://host:port` of a request. `fallback` is the listener's own authority, for requests of
/// HTTP/1.0 without `Host`.
pub(crate) fn base(
    headers: &HeaderMap,
    peer: Option<IpAddr>,
    trusted: &[IpAddr],
    fallback: &str,
) -> Result<String> {
    let host = match headers.get(HOST) {
        Some(host) => host.to_str().map_err(|_| bad_host())?,
        None => fallback,
    };
    let proxied = peer.is_some_and(|peer| trusted.contains(&peer));
    if !proxied {
        return checked("http", host);
    }
    let (scheme, forwarded_host) = forwarded(headers);
    let scheme = if scheme.as_deref() == Some("https") { "https" } else { "http" };
    checked(scheme, forwarded_host.as_deref().unwrap_or(host))
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
    Error::new(Code::BadRequest, "The Host header is not a host name with an optional port.")
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
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let proxy: IpAddr = [10, 0, 0, 1].into();
        let asked = headers(&[
            ("host", "inner:8080"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-host", "api.example.com, other"),
        ]);
        let base_for = |peer| base(&asked, Some(peer), &[proxy], "h").unwrap();
        assert_eq!(base_for(proxy), "https://api.example.com");
        assert_eq!(base_for([10, 0, 0, 2].into()), "http://inner:8080");
        let asked = headers(&[
            ("host", "inner"),
            ("forwarded", "for=1.2.3.4;proto=https;host=\"a.b:444\""),
        ]);
        assert_eq!(base(&asked, Some(proxy), &[proxy], "h").unwrap(), "https://a.b:444");
    }

    #[test]
    fn hosts_are_checked() {
        for bad in ["a\"b", "a b", "", "a/b", "a<b>"] {
            let mut map = HeaderMap::new();
            map.insert(HOST, HeaderValue::from_str(bad).unwrap());
            assert!(base(&map, None, &[], "h").is_err(), "{bad}");
        }
        assert_eq!(
            base(&HeaderMap::new(), None, &[], "127.0.0.1:80").unwrap(),
            "http://127.0.0.1:80"
        );
    }
}
