//! The marker in `after=`: the values of a page's last row, as one word of letters, digits, `-` and
//! `_`, so that no client, proxy or log that encodes or decodes a link again can change it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use duet_model::key::percent_decode;

/// Stands in front of the values: no marker is empty, because an empty `after` means the first
/// page, and another format is recognised.
const VERSION: &str = "1";

/// The marker of values that are percent-encoded and joined by commas.
pub(crate) fn encode(joined: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{VERSION}{joined}"))
}

/// The joined values of a marker; `None` if it is malformed.
pub(crate) fn decode(marker: &str) -> Option<String> {
    let word = percent_decode(marker).ok()?;
    let bytes = URL_SAFE_NO_PAD.decode(word.trim_end_matches('=')).ok()?;
    String::from_utf8(bytes).ok()?.strip_prefix(VERSION).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_what_clients_do_to_links() {
        for joined in ["", "7", "a%2Cb,~,7", "%F0%9F%8F%81"] {
            let marker = encode(joined);
            assert!(!marker.is_empty());
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            assert!(marker.bytes().all(plain), "{marker}");
            let encoded: String = marker.bytes().map(|byte| format!("%{byte:02X}")).collect();
            assert_eq!(decode(&marker).as_deref(), Some(joined));
            assert_eq!(decode(&encoded).as_deref(), Some(joined));
        }
    }

    #[test]
    fn anything_else_is_none() {
        for wrong in ["7", "a,b", "%zz", "!", "MA"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
