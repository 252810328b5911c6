//! Where webhooks may be sent: to public addresses, so that a name whose owner is somebody else cannot lead to services
//! of this network (server-side request forgery).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use hyper::Uri;

use crate::options::webhooks::WebhookReach;
use crate::sockets::outbound::host;

/// Networks of IPv4 that are not public, by the registry of special addresses (RFC 6890), with where the metadata of a
/// machine in Azure is.
const SPECIAL_V4: [(Ipv4Addr, u8); 17] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Networks of IPv6 in `2000::/3` that are not public: special ones with Teredo, documentation, and SRv6 segments.
const SPECIAL_V6: [(Ipv6Addr, u8); 3] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Checks the address of an endpoint.
///
/// # Errors
/// What a right one looks like.
pub fn check_webhook_url(text: &str, reach: &WebhookReach) -> Result<(), String> {
    let wrong = || "use an address such as `https://erp.example/hooks`".to_owned();
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let authority = uri.authority().ok_or_else(wrong)?;
    if authority.as_str().contains('@') {
        return Err("leave out the user name and password: events are signed".into());
    }
    match uri.scheme_str() {
        Some("https") => {}
        Some("http") if reach.plain_http => {}
        Some("http") => return Err("use `https`, or set `webhook_http`".into()),
        _ => return Err(wrong()),
    }
    match host(&uri).parse() {
        Ok(address) if !reach.includes(address) => Err(refused(address)),
        _ => Ok(()),
    }
}

/// Why an address is not used.
pub(super) fn refused(address: IpAddr) -> String {
    format!("{address} is not public: `webhook_networks` may allow its network")
}

impl WebhookReach {
    /// Whether an event may be sent to an address.
    pub(super) fn includes(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks.iter().any(|network| network.contains(&address)) || is_public(address)
    }
}

/// Whether an address is a public one of the Internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4
            .iter()
            .any(|(network, length)| covers(bits_v4(*network), bits_v4(address), *length, 32)),
        IpAddr::V6(address) => match embedded(address) {
            Some(inside) => is_public(IpAddr::V4(inside)),
            None => {
                let is_global = address.segments()[0] & 0xe000 == 0x2000;
                is_global
                    && !SPECIAL_V6.iter().any(|(network, length)| {
                        covers(network.to_bits(), address.to_bits(), *length, 128)
                    })
            }
        },
    }
}

fn bits_v4(address: Ipv4Addr) -> u128 {
    u128::from(address.to_bits())
}

/// Whether the first bits of two addresses are the same.
fn covers(network: u128, address: u128, length: u8, all: u8) -> bool {
    (network ^ address) >> (all - length) == 0
}

/// The address of IPv4 that is reached through one of IPv6: by NAT64 (RFC 6052) and 6to4 (RFC 3056).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let of = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(of(high, low)),
        [0x2002, high, low, ..] => Some(of(high, low)),
        _ => None,
    }
}

/// The addresses of a host that may be used, of those that it has.
///
/// # Errors
/// Why there is none.
pub(super) fn usable(
    reach: &WebhookReach,
    found: impl Iterator<Item = std::net::SocketAddr>,
) -> Result<Vec<std::net::SocketAddr>, String> {
    let mut why = "the name has no address".to_owned();
    let mut usable = Vec::new();
    for address in found {
        match reach.includes(address.ip()) {
            true => usable.push(address),
            false => why = refused(address.ip()),
        }
    }
    if usable.is_empty() { Err(why) } else { Ok(usable) }
}

/// Networks as a setting has them, for tests.
#[cfg(test)]
fn networks(texts: &[&str]) -> Vec<ipnet::IpNet> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What attackers try, and what must pass.
    #[test]
    fn addresses_that_are_not_public_are_refused() {
        let reach = WebhookReach::default();
        for refused in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "169.254.170.2",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:10.1.2.3",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b::7f00:1",
            "64:ff9b:1::a00:1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!reach.includes(refused.parse().unwrap()), "{refused}");
        }
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "11.0.0.1",
            "100.63.255.255",
            "100.128.0.1",
            "126.255.255.255",
            "168.63.129.17",
            "169.253.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.0.1",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "2606:4700:4700::1111",
            "2a00:1450::1",
        ] {
            assert!(reach.includes(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn networks_may_be_allowed() {
        let networks = networks(&["10.1.0.0/16", "::1/128"]);
        let reach = WebhookReach { networks, plain_http: false };
        for (address, expected) in [
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("10.2.0.1", false),
            ("::1", true),
            ("127.0.0.1", false),
        ] {
            assert_eq!(reach.includes(address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn urls_are_checked() {
        let (strict, open) = (
            WebhookReach::default(),
            WebhookReach { networks: networks(&["127.0.0.0/8"]), plain_http: true },
        );
        for good in
            ["https://erp.example/hooks?a=1", "https://erp.example:8443", "https://8.8.8.8/"]
        {
            assert_eq!(check_webhook_url(good, &strict), Ok(()), "{good}");
        }
        assert_eq!(check_webhook_url("http://127.0.0.1:9/", &open), Ok(()));
        for bad in [
            "",
            "/hooks",
            "ftp://erp.example/",
            "http://erp.example/",
            "https://me:secret@erp.example/",
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://169.254.169.254/latest/meta-data",
        ] {
            assert!(check_webhook_url(bad, &strict).is_err(), "{bad}");
        }
    }

    /// A name may have several addresses, of which the public ones are used.
    #[test]
    fn the_public_addresses_of_a_name_are_used() {
        let reach = WebhookReach::default();
        let of = |texts: &[&str]| {
            let found: Vec<std::net::SocketAddr> =
                texts.iter().map(|text| text.parse().unwrap()).collect();
            usable(&reach, found.into_iter())
        };
        let both = of(&["127.0.0.1:1", "8.8.8.8:1"]).unwrap();
        assert_eq!(both, ["8.8.8.8:1".parse().unwrap()]);
        assert!(of(&["127.0.0.1:1"]).unwrap_err().contains("127.0.0.1"));
        assert!(of(&[]).unwrap_err().contains("no address"));
    }
}
