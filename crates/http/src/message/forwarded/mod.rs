//! What trusted proxies say of a request: the client's address, and the scheme and host it used.
//!
//! Each proxy appends to the lists that it received, so only the right end can be believed: the walk
//! goes from the right over trusted addresses to the last trusted proxy, the one that the client is
//! connected to. Whatever a client sent itself is left of that. One family of headers is read, as
//! the proxies are configured; the other one passes through proxies unchecked and is ignored.

use std::net::{IpAddr, SocketAddr};

use duet_model::{Code, Error, Result};
use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderName};
use ipnet::IpNet;

/// The headers in which trusted proxies describe the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProxyHeaders {
    /// `X-Forwarded-For`, `-Proto`, `-Host` and `-Port`.
    #[default]
    XForwarded,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// The proxies that are believed, and how they speak.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trust<'a> {
    /// Their addresses and networks.
    pub(crate) proxies: &'a [IpNet],
    /// Their headers.
    pub(crate) headers: ProxyHeaders,
}

/// The request as the client made it, as far as proxies say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ForwardedRequest {
    /// The client's address.
    pub(crate) client: Option<IpAddr>,
    /// The scheme.
    pub(crate) scheme: Option<String>,
    /// The host with its port.
    pub(crate) host: Option<String>,
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const X_FORWARDED_PORT: HeaderName = HeaderName::from_static("x-forwarded-port");

/// Whether an address is one of these, or within one of these networks.
pub(crate) fn is_among(proxies: &[IpNet], address: IpAddr) -> bool {
    let address = address.to_canonical();
    proxies.iter().any(|proxy| proxy.contains(&address))
}

impl Trust<'_> {
    fn is_proxy(&self, address: IpAddr) -> bool {
        is_among(self.proxies, address)
    }

    /// What the headers of a request say; only its connection's address where that is no proxy.
    ///
    /// # Errors
    /// [`Code::BadRequest`] for a `Forwarded` that is no list of RFC 7239: where its elements begin
    /// and end is not certain then, so none can be believed.
    pub(crate) fn seen(
        &self,
        headers: &HeaderMap,
        peer: Option<IpAddr>,
    ) -> Result<ForwardedRequest> {
        let Some(peer) = peer.filter(|peer| self.is_proxy(*peer)) else {
            return Ok(ForwardedRequest { client: peer, ..ForwardedRequest::default() });
        };
        match self.headers {
            ProxyHeaders::XForwarded => Ok(self.x_forwarded(headers, peer)),
            ProxyHeaders::Forwarded => self.forwarded(headers, peer),
        }
    }

    /// Walks over the addresses that connected, the last first. Gives the client's, and how many
    /// were read: the last of them was written by the last trusted proxy.
    fn walk(&self, peer: IpAddr, hops: impl Iterator<Item = Option<IpAddr>>) -> (IpAddr, usize) {
        let (mut client, mut read) = (peer, 0);
        for hop in hops {
            read += 1;
            // A hop that is no address ends the trusted part.
            let Some(address) = hop else { break };
            client = address;
            if !self.is_proxy(address) {
                break;
            }
        }
        (client, read)
    }

    fn x_forwarded(&self, headers: &HeaderMap, peer: IpAddr) -> ForwardedRequest {
        let hops = list(headers, &X_FORWARDED_FOR);
        let (client, read) = self.walk(peer, hops.iter().rev().map(|hop| address(hop)));
        // Proxies append to these or replace them: with fewer values than hops the first one is that
        // of the proxy that replaced them.
        let value = |name: &HeaderName| {
            let values = list(headers, name);
            let at = values.len().saturating_sub(read.max(1));
            values.into_iter().nth(at).filter(|value| !value.is_empty())
        };
        let host = value(&X_FORWARDED_HOST).map(|host| match value(&X_FORWARDED_PORT) {
            Some(port) if !host.contains(':') && !matches!(port.as_str(), "80" | "443") => {
                format!("{host}:{port}")
            }
            _ => host,
        });
        ForwardedRequest { client: Some(client), scheme: value(&X_FORWARDED_PROTO), host }
    }

    fn forwarded(&self, headers: &HeaderMap, peer: IpAddr) -> Result<ForwardedRequest> {
        let mut elements = Vec::new();
        for line in headers.get_all(FORWARDED) {
            let parsed = line.to_str().ok().and_then(elements_of).ok_or_else(malformed)?;
            elements.extend(parsed);
        }
        let hops = elements.iter().rev().map(|element| element.get("for").and_then(address));
        let (client, read) = self.walk(peer, hops);
        let trusted = &elements[elements.len() - read..];
        let value = |name: &str| trusted.iter().find_map(|element| element.get(name));
        let own = |text: &str| text.to_owned();
        Ok(ForwardedRequest {
            client: Some(client),
            scheme: value("proto").map(own),
            host: value("host").map(own),
        })
    }
}

/// The values of a list header, those of all its lines in their order.
fn list(headers: &HeaderMap, name: &HeaderName) -> Vec<String> {
    let lines = headers.get_all(name).iter();
    let text =
        |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let lines: Vec<String> = lines.map(text).collect();
    let values = lines.iter().flat_map(|line| line.split(','));
    values.map(|value| value.trim().to_owned()).collect()
}

/// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:80`; a port may be
/// hidden, as `_p`.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    let bare = |text: &str| text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let hidden_port = || {
        let (node, _) = text.rsplit_once(":_")?;
        bare(node).or_else(|| node.parse::<std::net::Ipv4Addr>().ok().map(IpAddr::from))
    };
    let address =
        text.parse().ok().or_else(with_port).or_else(|| bare(text)).or_else(hidden_port)?;
    Some(address.to_canonical())
}

/// One proxy's element of `Forwarded`.
#[derive(Debug, Default)]
struct Element {
    pairs: Vec<(String, String)>,
}

impl Element {
    fn get(&self, name: &str) -> Option<&str> {
        let found = self.pairs.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Reads a line of `Forwarded` (RFC 7239 §4); `None` if it is malformed.
fn elements_of(line: &str) -> Option<Vec<Element>> {
    let mut rest = line.trim();
    let mut elements = Vec::new();
    let mut element = Element::default();
    loop {
        rest = rest.trim_start();
        if !rest.starts_with([',', ';']) && !rest.is_empty() {
            let (name, behind) = token(rest)?;
            let (value, behind) = value(behind.strip_prefix('=')?)?;
            if element.get(name).is_some() {
                return None;
            }
            element.pairs.push((name.to_owned(), value));
            rest = behind.trim_start();
        }
        match rest.chars().next() {
            None | Some(',') => {
                if !element.pairs.is_empty() {
                    elements.push(std::mem::take(&mut element));
                }
                if rest.is_empty() {
                    return Some(elements);
                }
            }
            Some(';') => {}
            Some(_) => return None,
        }
        rest = &rest[1..];
    }
}

/// A token at the start of a text, and what follows it.
fn token(text: &str) -> Option<(&str, &str)> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let length = text.bytes().take_while(|byte| is_part(*byte)).count();
    (length > 0).then(|| text.split_at(length))
}

/// A token or a quoted string at the start of a text, and what follows it.
fn value(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        return token(text).map(|(value, rest)| (value.to_owned(), rest));
    };
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return Some((value, &quoted[at + 1..])),
            '\\' => value.push(chars.next()?.1),
            char => value.push(char),
        }
    }
    None
}

fn malformed() -> Error {
    Error::new(Code::BadRequest, "The Forwarded header is not that of RFC 7239.")
        .hint("Leave it out; proxies add their own.")
}

#[cfg(test)]
mod tests;
