//! Decodes the content of responses (RFC 9110 §8.4.1, RFC 7932, RFC 8878).

use std::io::{self, Read};

use brotli_decompressor::Decompressor;
use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// The buffer of the decoder of brotli.
const BUFFER: usize = 16 * 1024;

/// How content is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// As it is.
    Identity,
    Gzip,
    /// zlib; some servers leave its frame out.
    Deflate,
    Brotli,
    Zstd,
    /// Another one, or several: it is read as it came.
    Unknown,
}

/// The codings that are decoded, by their names.
const CODINGS: [(&str, Coding); 7] = [
    ("", Coding::Identity),
    ("identity", Coding::Identity),
    ("gzip", Coding::Gzip),
    ("x-gzip", Coding::Gzip),
    ("deflate", Coding::Deflate),
    ("br", Coding::Brotli),
    ("zstd", Coding::Zstd),
];

impl Coding {
    /// The coding that `Content-Encoding` names.
    pub(super) fn named(value: &[u8]) -> Self {
        let value = value.trim_ascii();
        let known = CODINGS.iter().find(|(name, _)| value.eq_ignore_ascii_case(name.as_bytes()));
        known.map_or(Self::Unknown, |(_, coding)| *coding)
    }

    /// Whether content in it is decoded.
    pub(super) fn is_decoded(self) -> bool {
        !matches!(self, Self::Identity | Self::Unknown)
    }

    /// Decodes content into a buffer, which is cleared first.
    ///
    /// # Errors
    /// In words, if it is not in this coding, ends early, or decodes to more than `most` bytes.
    pub(super) fn decode(
        self,
        content: &[u8],
        into: &mut Vec<u8>,
        most: usize,
    ) -> Result<(), String> {
        into.clear();
        let name = CODINGS.iter().find(|(_, it)| *it == self).map_or("", |(name, _)| *name);
        let limit = most as u64 + 1;
        let decoded = match self {
            Self::Gzip => MultiGzDecoder::new(content).take(limit).read_to_end(into),
            Self::Deflate => inflate(content, into, limit),
            Self::Brotli => Decompressor::new(content, BUFFER).take(limit).read_to_end(into),
            Self::Zstd => zstd::stream::read::Decoder::with_buffer(content)
                .and_then(|decoder| decoder.take(limit).read_to_end(into)),
            Self::Identity | Self::Unknown => content.take(limit).read_to_end(into),
        };
        decoded
            .map_err(|error| format!("the {name} content of the response is broken: {error}"))?;
        if into.len() > most {
            let most = most / (1024 * 1024);
            return Err(format!(
                "the {name} content of the response decodes to more than {most} MiB, the most that is read"
            ));
        }
        Ok(())
    }
}

/// The content of zlib, or of DEFLATE without its frame.
fn inflate(content: &[u8], into: &mut Vec<u8>, limit: u64) -> io::Result<usize> {
    // A zlib header is a multiple of 31 (RFC 1950 §2.2).
    let is_framed = match content {
        [first, second, ..] => {
            first & 0x0f == 8 && u16::from_be_bytes([*first, *second]).is_multiple_of(31)
        }
        _ => false,
    };
    match is_framed {
        true => ZlibDecoder::new(content).take(limit).read_to_end(into),
        false => DeflateDecoder::new(content).take(limit).read_to_end(into),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    /// Bytes as gzip.
    pub(in crate::targets::http) fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Brotli of a text of up to 16 MiB without compression (RFC 7932 §9.2): a window of 16 bits, one block that is not
    /// the last, then an empty last one.
    fn brotli(bytes: &[u8]) -> Vec<u8> {
        let length = bytes.len() as u32 - 1;
        // Bits, least first: WBITS 0; ISLAST 0; MNIBBLES 0 (four); MLEN - 1; ISUNCOMPRESSED 1.
        let head = length << 4 | 1 << 20;
        let mut out = head.to_le_bytes()[..3].to_vec();
        out.extend_from_slice(bytes);
        out.push(3);
        out
    }

    #[test]
    fn content_comes_back() {
        let text = b"{\"items\":[]}".repeat(500);
        let zstd = zstd::stream::encode_all(&text[..], 1).unwrap();
        for (coding, coded) in [
            (Coding::Gzip, zipped(&text)),
            (Coding::Deflate, zlib(&text)),
            (Coding::Deflate, deflated(&text)),
            (Coding::Brotli, brotli(&text)),
            (Coding::Zstd, zstd),
        ] {
            let mut into = b"from before".to_vec();
            coding.decode(&coded, &mut into, text.len()).unwrap();
            assert_eq!(into, text, "{coding:?}");
            let most = coding.decode(&coded, &mut into, text.len() - 1).unwrap_err();
            assert!(most.contains("more than"), "{coding:?}: {most}");
            let cut = coding.decode(&coded[..coded.len() / 2], &mut into, text.len());
            assert!(cut.unwrap_err().contains("is broken"), "{coding:?}");
        }
        let two = [zipped(b"one "), zipped(b"two")].concat();
        let mut into = Vec::new();
        Coding::Gzip.decode(&two, &mut into, 7).unwrap();
        assert_eq!(into, b"one two");
    }

    #[test]
    fn codings_have_names() {
        for (name, coding) in [
            (" GZIP ", Coding::Gzip),
            ("br", Coding::Brotli),
            ("identity", Coding::Identity),
            ("compress", Coding::Unknown),
            ("gzip, br", Coding::Unknown),
        ] {
            assert_eq!(Coding::named(name.as_bytes()), coding, "{name}");
            let is_decoded = !matches!(coding, Coding::Identity | Coding::Unknown);
            assert_eq!(coding.is_decoded(), is_decoded);
        }
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let mib = 1024 * 1024;
        let bomb = zipped(&vec![0; 3 * mib]);
        let message = Coding::Gzip.decode(&bomb, &mut Vec::new(), 2 * mib).unwrap_err();
        assert!(message.contains("more than 2 MiB"), "{message}");
    }
}
