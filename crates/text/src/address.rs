//! Network addresses with a prefix length, in the format of PostgreSQL's `inet`.
//!
//! `core::net` provides addresses without sockets, so this stays free of IO.

use core::net::IpAddr;
use std::cmp::Ordering;

/// An address and its prefix length in bits.
type Address = (IpAddr, u32);

/// The canonical form, without the prefix length if it covers all bits, as in `10.0.0.1`. `None` if
/// the text is not an address.
pub fn canonical(text: &str) -> Option<String> {
    let (address, length) = parse(text)?;
    Some(match length == bits(address) {
        true => address.to_string(),
        false => format!("{address}/{length}"),
    })
}

/// Orders addresses as PostgreSQL does: IPv4 first, then by the common prefix bits, then the wider
/// network first, then by all bits. `None` if either is not an address.
pub fn compare(a: &str, b: &str) -> Option<Ordering> {
    let ((a, a_length), (b, b_length)) = (parse(a)?, parse(b)?);
    if a.is_ipv4() != b.is_ipv4() {
        return Some(b.is_ipv4().cmp(&a.is_ipv4()));
    }
    let common = a_length.min(b_length);
    let network = |address| number(address).checked_shr(bits(address) - common).unwrap_or(0);
    let order = network(a).cmp(&network(b));
    Some(order.then(a_length.cmp(&b_length)).then(number(a).cmp(&number(b))))
}

fn parse(text: &str) -> Option<Address> {
    let Some((address, length)) = text.split_once('/') else {
        let address: IpAddr = text.parse().ok()?;
        return Some((address, bits(address)));
    };
    let address: IpAddr = address.parse().ok()?;
    let digits = (1..=3).contains(&length.len()) && length.bytes().all(|b| b.is_ascii_digit());
    let length: u32 = length.parse().ok().filter(|_| digits)?;
    (length <= bits(address)).then_some((address, length))
}

fn bits(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_to_canonical_forms() {
        for (text, expected) in [
            ("10.0.0.1", Some("10.0.0.1")),
            ("10.0.0.1/32", Some("10.0.0.1")),
            ("10.0.0.1/24", Some("10.0.0.1/24")),
            ("0.0.0.0/0", Some("0.0.0.0/0")),
            ("::1/128", Some("::1")),
            ("2001:DB8:0:0::/32", Some("2001:db8::/32")),
            ("::ffff:10.0.0.1", Some("::ffff:10.0.0.1")),
        ] {
            assert_eq!(canonical(text).as_deref(), expected, "{text}");
        }
        for wrong in
            ["", "10.0.0", "10.0.0.1/33", "10.0.0.1/", "10.0.0.1/+8", "::1/129", "fe80::1%lo", "a"]
        {
            assert_eq!(canonical(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn orders_like_postgresql() {
        let sorted = [
            "0.0.0.0/0",
            "10.0.0.0/8",
            "10.0.0.0/24",
            "10.0.0.5/24",
            "10.0.0.1",
            "10.0.0.9",
            "10.0.1.0/24",
            "::/0",
            "::1",
            "2001:db8::/32",
        ];
        for (at, a) in sorted.iter().enumerate() {
            for (other, b) in sorted.iter().enumerate() {
                assert_eq!(compare(a, b), Some(at.cmp(&other)), "{a} {b}");
            }
        }
        assert_eq!(compare("10.0.0.1", "10.0.0.1/32"), Some(Ordering::Equal));
        assert_eq!(compare("10.0.0.1", "x"), None);
    }
}
