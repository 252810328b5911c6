//! Addresses by the rules of `java.net.URI` (RFC 2396 with its amendments), which JMeter's plans follow.

use std::fmt::Write as _;

/// A path with its query as it is sent: other alphabets are percent-encoded, a fragment is left out.
///
/// # Errors
/// The first character that an address cannot have.
pub(super) fn strict(path: &str) -> Result<String, String> {
    let mut out = String::with_capacity(path.len());
    let (mut in_query, mut fragment) = (false, None);
    let bytes = path.as_bytes();
    for (at, next) in path.char_indices() {
        let is_right = match next {
            '%' => {
                let hex = bytes.get(at + 1..at + 3);
                hex.is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
            }
            '#' => {
                let is_first = fragment.is_none();
                fragment.get_or_insert(out.len());
                is_first
            }
            '[' | ']' => in_query || fragment.is_some(),
            '?' => {
                in_query = true;
                true
            }
            'a'..='z' | 'A'..='Z' | '0'..='9' => true,
            _ if next.is_ascii() => "_-!.~'()*,;:$&+=@/".contains(next),
            _ => !next.is_control() && !next.is_whitespace(),
        };
        if !is_right {
            return Err(format!("the address has {next:?}, which no URI has"));
        }
        match next.is_ascii() {
            true => out.push(next),
            false => {
                for byte in next.encode_utf8(&mut [0; 4]).bytes() {
                    // Writing to a String cannot fail.
                    let _ = write!(out, "%{byte:02X}");
                }
            }
        }
    }
    out.truncate(fragment.unwrap_or(out.len()));
    Ok(out)
}

/// An address with the port of its scheme, where it has none.
pub(super) fn with_port(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let end = rest.find('/').unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let port = match scheme.to_ascii_lowercase().as_str() {
        _ if host.rfind(':').is_some_and(|at| !host[at..].contains(']')) => "",
        "https" => ":443",
        _ => ":80",
    };
    format!("{scheme}://{host}{port}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_addresses() {
        assert_eq!(strict("/a?q=[1]&u=\u{fc}%20#x").unwrap(), "/a?q=[1]&u=%C3%BC%20");
        for wrong in ["/[1]", "/a b", "/a?{", "/a%zz", "/a|b", "/a#b#c", "/a\"b"] {
            assert!(strict(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ports_of_schemes() {
        assert_eq!(with_port("http://h/x"), "http://h:80/x");
        assert_eq!(with_port("https://[::1]/"), "https://[::1]:443/");
        assert_eq!(with_port("http://h:8/x"), "http://h:8/x");
    }
}
