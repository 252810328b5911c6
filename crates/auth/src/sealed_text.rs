//! Texts that a client keeps for the server and cannot read or change: sealed by the keys of tokens, each for one purpose.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use duet_model::{Error, Result};
use ring::aead::{Aad, Nonce};

use crate::encoding;
use crate::token::{Key, Keyring};

/// Tells these texts from tokens, which the same keys seal.
const FORM: &str = "duet sealed text 1";
const NONCE_BYTES: usize = 12;

/// What the tag of a text also covers: its form, its purpose and the key.
fn context(purpose: &str, key: &Key) -> Aad<Vec<u8>> {
    Aad::from([FORM.as_bytes(), &[0, key.id], purpose.as_bytes()].concat())
}

impl Keyring {
    /// Seals a text for a purpose.
    pub(crate) fn seal_text(&self, purpose: &str, text: &str, now: u64) -> Result<String> {
        self.seal_bytes(purpose, text.as_bytes(), now)
    }

    /// The same for bytes.
    pub(crate) fn seal_bytes(&self, purpose: &str, bytes: &[u8], now: u64) -> Result<String> {
        let key = self.sealing_key(now)?;
        let nonce: [u8; NONCE_BYTES] = encoding::random()?;
        let mut sealed = bytes.to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        key.cipher
            .seal_in_place_append_tag(unique, context(purpose, key), &mut sealed)
            .map_err(|_| Error::internal("a text cannot be sealed"))?;
        Ok(encoding::base64url(&[&[key.id], &nonce[..], &sealed].concat()))
    }

    /// Opens a text; `None` where it was not sealed for this purpose by a key that is known.
    pub(crate) fn open_text(&self, purpose: &str, sealed: &str, now: u64) -> Option<String> {
        String::from_utf8(self.open_bytes(purpose, sealed, now)?).ok()
    }

    /// The same for bytes.
    pub(crate) fn open_bytes(&self, purpose: &str, sealed: &str, now: u64) -> Option<Vec<u8>> {
        let mut bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (front, sealed) = bytes.split_at_mut_checked(1 + NONCE_BYTES)?;
        let key = self.known_key(front[0], now)?;
        let nonce = Nonce::assume_unique_for_key(front[1..].try_into().ok()?);
        let opened = key.cipher.open_in_place(nonce, context(purpose, key), sealed).ok()?;
        Some(opened.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;

    const NOW: u64 = 1_700_000_000;

    #[test]
    fn a_text_is_opened_for_its_purpose_alone() {
        let keyring = Keyring::new(&State::new(NOW - 100).unwrap());
        let sealed = keyring.seal_text("a", "é secret", NOW).unwrap();
        assert_eq!(keyring.open_text("a", &sealed, NOW).as_deref(), Some("é secret"));
        assert_ne!(keyring.seal_text("a", "é secret", NOW).unwrap(), sealed);
        assert_eq!(keyring.open_text("b", &sealed, NOW), None);
        let other = Keyring::new(&State::new(NOW - 100).unwrap());
        assert_eq!(other.open_text("a", &sealed, NOW), None);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_ne!(keyring.open_text("a", &changed, NOW).as_deref(), Some("é secret"), "{at}");
        }
        for wrong in ["", "A", "!", "AAAAAAAAAAAAAAAAAAAA"] {
            assert_eq!(keyring.open_text("a", wrong, NOW), None, "{wrong}");
        }
        let token = keyring.seal(7, 3, NOW, 60).unwrap().text;
        assert_eq!(keyring.open_text("a", &token, NOW), None, "a token is no text");
    }
}
