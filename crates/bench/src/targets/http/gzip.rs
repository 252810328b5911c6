//! Decodes gzip content (RFC 1952).

use std::io::Read as _;

use flate2::bufread::MultiGzDecoder;

/// Decodes content into a buffer, which is cleared first.
///
/// # Errors
/// In words, if it is not gzip, ends early, or decodes to more than `most` bytes.
pub(super) fn decode(content: &[u8], into: &mut Vec<u8>, most: usize) -> Result<(), String> {
    into.clear();
    let limit = most as u64 + 1;
    let decoded = MultiGzDecoder::new(content).take(limit).read_to_end(into);
    decoded.map_err(|error| format!("the gzip content of the response is broken: {error}"))?;
    if into.len() > most {
        let most = most / (1024 * 1024);
        return Err(format!(
            "the gzip content of the response decodes to more than {most} MiB, the most that is read"
        ));
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// Bytes as gzip.
    pub(in crate::targets::http) fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn content_comes_back() {
        let mut into = b"from before".to_vec();
        let two = [zipped(b"one "), zipped(b"two")].concat();
        decode(&two, &mut into, 7).unwrap();
        assert_eq!(into, b"one two");
        let cut = &two[..two.len() - 3];
        assert!(decode(cut, &mut into, 7).unwrap_err().contains("is broken"));
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let mib = 1024 * 1024;
        let bomb = zipped(&vec![0; 3 * mib]);
        let message = decode(&bomb, &mut Vec::new(), 2 * mib).unwrap_err();
        assert!(message.contains("more than 2 MiB"), "{message}");
    }
}
