//! The first bytes of a connection without TLS: whether they begin HTTP/2 (RFC 9113 §3.4) or a
//! request of HTTP/1.

/// What every client of HTTP/2 sends first.
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// No request of HTTP/1 begins with so much of it.
const CERTAIN: usize = 16;

/// What the first bytes of a connection begin.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Either: they are held back.
    Unknown,
    /// A request of HTTP/1; the bytes are all that came, if some of them were held back.
    Http1(Vec<u8>),
    /// HTTP/2, with the bytes that came.
    Http2(Vec<u8>),
}

/// Reads the first bytes of a connection.
#[derive(Debug, Default)]
pub(crate) struct FirstBytes {
    held: Vec<u8>,
}

impl FirstBytes {
    /// Takes the next bytes; none at the end of the connection.
    pub(crate) fn read(&mut self, new: &[u8]) -> Opening {
        if self.held.is_empty() && !may_be_preface(new) {
            return Opening::Http1(Vec::new());
        }
        self.held.extend_from_slice(new);
        if new.is_empty() || !may_be_preface(&self.held) {
            Opening::Http1(std::mem::take(&mut self.held))
        } else if self.held.len() >= CERTAIN {
            Opening::Http2(std::mem::take(&mut self.held))
        } else {
            Opening::Unknown
        }
    }
}

/// Whether the preface begins with these bytes, or they with the certain part of it.
fn may_be_preface(bytes: &[u8]) -> bool {
    let length = bytes.len().min(CERTAIN);
    bytes[..length] == PREFACE[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(parts: &[&[u8]]) -> Opening {
        let mut first = FirstBytes::default();
        let (last, before) = parts.split_last().unwrap();
        for part in before {
            assert_eq!(first.read(part), Opening::Unknown, "{part:?}");
        }
        first.read(last)
    }

    #[test]
    fn the_first_bytes_decide() {
        assert_eq!(after(&[b"GET / HTTP/1.1\r\n"]), Opening::Http1(Vec::new()));
        assert_eq!(after(&[b"P", b"UT /"]), Opening::Http1(b"PUT /".to_vec()));
        assert_eq!(after(&[b"PRI * HTTP/1.1\r\n"]), Opening::Http1(Vec::new()));
        assert_eq!(after(&[b"PRI", b""]), Opening::Http1(b"PRI".to_vec()), "the end");
        assert_eq!(after(&[b""]), Opening::Http1(Vec::new()));
        assert_eq!(after(&[PREFACE]), Opening::Http2(PREFACE.to_vec()));
        let halves = PREFACE.split_at(7);
        assert_eq!(after(&[halves.0, halves.1]), Opening::Http2(PREFACE.to_vec()));
    }
}
