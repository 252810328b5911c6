//! The content codings, what a client says of them (RFC 9110 §12.5.3), and their encoders.

use std::io::Write;

use bytes::Bytes;
use flate2::write::GzEncoder;

use super::accept::weight;
use super::header::{elements, parts};

/// Texts up to this size are compressed on the event loop: to wait for a thread would take longer.
pub(crate) const INLINE: usize = 16 << 10;

/// A fair ratio of time to size for JSON; what a slower level saves is a tenth.
const GZIP_LEVEL: u32 = 4;
const ZSTD_LEVEL: i32 = 3;

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Zstd,
    Gzip,
}

impl Coding {
    /// All of them, the preferred one first.
    pub(crate) const ALL: [Self; 2] = [Self::Zstd, Self::Gzip];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        }
    }

    /// The etag of a text in this coding, given that of the text.
    pub(crate) fn etag(self, plain: &str) -> String {
        let inside = plain.strip_suffix('"').unwrap_or(plain);
        format!("{inside}-{}\"", self.name())
    }
}

/// What a client says of codings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    /// The one that it likes best.
    pub(crate) coding: Option<Coding>,
    /// Whether it takes a text as it is.
    pub(crate) takes_plain: bool,
}

impl Choice {
    pub(crate) fn of(accept: &str) -> Self {
        let (mut any, mut plain, mut best) = (None, None, None);
        let mut wanted = [None; Coding::ALL.len()];
        for element in elements(accept) {
            let mut parts = parts(element);
            let name = parts.next().unwrap_or("");
            let quality = Some(parts.find_map(weight).unwrap_or(1.0));
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            match Coding::ALL.iter().position(|coding| is(coding.name())) {
                Some(at) => wanted[at] = quality,
                None if is("x-gzip") => wanted[1] = wanted[1].or(quality),
                None if is("identity") => plain = quality,
                None if is("*") => any = quality,
                None => {}
            }
        }
        for (coding, quality) in Coding::ALL.into_iter().zip(wanted) {
            let quality: f32 = quality.or(any).unwrap_or(0.0);
            if quality > best.map_or(0.0, |(known, _)| known) {
                best = Some((quality, coding));
            }
        }
        let is_better = best.is_some_and(|(quality, _)| plain.is_none_or(|plain| quality >= plain));
        Self {
            coding: best.filter(|_| is_better).map(|(_, coding)| coding),
            takes_plain: plain.or(any) != Some(0.0),
        }
    }
}

/// A whole text in a coding.
pub(crate) fn compressed(coding: Coding, pieces: &[Bytes]) -> Vec<u8> {
    let mut encoder = Encoder::new(coding);
    pieces.iter().for_each(|piece| encoder.write(piece));
    encoder.finish()
}

/// A text that is being compressed.
pub(crate) enum Encoder {
    Gzip(GzEncoder<Vec<u8>>),
    Zstd(Box<zstd::stream::write::Encoder<'static, Vec<u8>>>),
    /// The library could not begin: the response breaks off.
    Failed,
}

impl Encoder {
    pub(crate) fn new(coding: Coding) -> Self {
        match coding {
            Coding::Gzip => {
                Self::Gzip(GzEncoder::new(Vec::new(), flate2::Compression::new(GZIP_LEVEL)))
            }
            Coding::Zstd => match zstd::stream::write::Encoder::new(Vec::new(), ZSTD_LEVEL) {
                Ok(encoder) => Self::Zstd(Box::new(encoder)),
                Err(_) => Self::Failed,
            },
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let written = match self {
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Zstd(encoder) => encoder.write_all(bytes),
            Self::Failed => return,
        };
        self.check(&written);
    }

    /// Takes bytes, and gives all that they become, so that the client sees them at once.
    pub(crate) fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.write(bytes);
        let flushed = match self {
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
            Self::Failed => return Vec::new(),
        };
        self.check(&flushed);
        match self {
            Self::Gzip(encoder) => std::mem::take(encoder.get_mut()),
            Self::Zstd(encoder) => std::mem::take(encoder.get_mut()),
            Self::Failed => Vec::new(),
        }
    }

    /// What is left, and the end.
    pub(crate) fn finish(self) -> Vec<u8> {
        match self {
            Self::Gzip(encoder) => encoder.finish().unwrap_or_default(),
            Self::Zstd(encoder) => encoder.finish().unwrap_or_default(),
            Self::Failed => Vec::new(),
        }
    }

    /// Whether the library has failed.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self, Self::Failed)
    }

    fn check(&mut self, result: &std::io::Result<()>) {
        if result.is_err() {
            *self = Self::Failed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices() {
        let (zstd, gzip) = (Some(Coding::Zstd), Some(Coding::Gzip));
        for (accept, coding, takes_plain) in [
            ("gzip", gzip, true),
            ("gzip, deflate, br, zstd", zstd, true),
            ("GZIP ; Q=0.5, zstd;q=0.4", gzip, true),
            ("x-gzip", gzip, true),
            ("br", None, true),
            ("", None, true),
            ("*", zstd, true),
            ("*;q=0.5, zstd;q=0", gzip, true),
            ("gzip;q=0", None, true),
            ("gzip;q=0.5, identity", None, true),
            ("gzip;q=0.5, identity;q=0.5", gzip, true),
            ("gzip, identity;q=0", gzip, false),
            ("identity;q=0", None, false),
            ("gzip, *;q=0", gzip, false),
            ("*;q=0", None, false),
            ("gzip, *;q=0, identity;q=0.1", gzip, true),
            ("gzip;q=much", gzip, true),
        ] {
            assert_eq!(Choice::of(accept), Choice { coding, takes_plain }, "{accept}");
        }
    }

    #[test]
    fn what_is_passed_can_be_read_at_once() {
        let mut encoder = Encoder::new(Coding::Zstd);
        let first = encoder.pass(b"first ");
        let mut decoder = zstd::stream::write::Decoder::new(Vec::new()).unwrap();
        decoder.write_all(&first).unwrap();
        decoder.flush().unwrap();
        assert_eq!(decoder.get_ref(), b"first ");
        let rest = [encoder.pass(b"second"), encoder.finish()].concat();
        decoder.write_all(&rest).unwrap();
        decoder.flush().unwrap();
        assert_eq!(decoder.get_ref(), b"first second");
    }
}
