//! The keys by which webhooks are signed, as Standard Webhooks 1.0.0 has them: `whsec_` and base64 of 24 to 64 bytes for
//! HMAC-SHA256, `whsk_` and base64 of a seed and its public key for Ed25519.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use ring::signature::Ed25519KeyPair;
use zeroize::Zeroizing;

/// The lengths of a secret of HMAC.
const BYTES: std::ops::RangeInclusive<usize> = 24..=64;
/// The seed of a key of Ed25519, and its public key.
const SEED: usize = 32;

/// A key that signs webhooks.
#[derive(Clone)]
pub struct WebhookKey(Arc<Kind>);

enum Kind {
    Hmac { key: hmac::Key, bytes: Zeroizing<Vec<u8>> },
    Ed25519 { pair: Ed25519KeyPair, bytes: Zeroizing<Vec<u8>> },
}

impl Kind {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Hmac { bytes, .. } | Self::Ed25519 { bytes, .. } => bytes,
        }
    }
}

impl fmt::Debug for WebhookKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookKey(…)")
    }
}

impl PartialEq for WebhookKey {
    fn eq(&self, other: &Self) -> bool {
        use subtle::ConstantTimeEq as _;
        self.0.bytes().ct_eq(other.0.bytes()).into()
    }
}

impl WebhookKey {
    /// Reads a key.
    ///
    /// # Errors
    /// What a right one looks like; nothing of the text is in it.
    pub fn read(text: &str) -> Result<Self, String> {
        let (prefix, rest) = text.split_once('_').unwrap_or(("", text));
        let bytes = Zeroizing::new(STANDARD.decode(rest).unwrap_or_default());
        match prefix {
            "whsec" if BYTES.contains(&bytes.len()) => {
                let key = hmac::Key::new(hmac::HMAC_SHA256, &bytes);
                Ok(Self(Arc::new(Kind::Hmac { key, bytes })))
            }
            "whsk" if bytes.len() == 2 * SEED => {
                let (seed, public) = bytes.split_at(SEED);
                let pair = Ed25519KeyPair::from_seed_and_public_key(seed, public);
                let pair = pair.map_err(|_| "its two halves do not belong together".to_owned())?;
                Ok(Self(Arc::new(Kind::Ed25519 { pair, bytes })))
            }
            "whpk" => Err("it is the public key: give the private one, `whsk_…`".into()),
            _ => Err(format!(
                "it is `whsec_` with {} to {} bytes in base64, such as `whsec_$(openssl rand -base64 32)`, or `whsk_` with the {} bytes of a key of Ed25519",
                BYTES.start(),
                BYTES.end(),
                2 * SEED
            )),
        }
    }

    /// The signature of an attempt: `v1,…` or `v1a,…`.
    ///
    /// ```
    /// // The example of the specification.
    /// let key = duet_auth::WebhookKey::read("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    /// let body = br#"{"test": 2432232314}"#;
    /// assert_eq!(
    ///     key.signature("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body),
    ///     "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    /// );
    /// ```
    pub fn signature(&self, id: &str, timestamp: u64, body: &[u8]) -> String {
        let signed = [format!("{id}.{timestamp}.").as_bytes(), body].concat();
        match &*self.0 {
            Kind::Hmac { key, .. } => format!("v1,{}", STANDARD.encode(hmac::sign(key, &signed))),
            Kind::Ed25519 { pair, .. } => format!("v1a,{}", STANDARD.encode(pair.sign(&signed))),
        }
    }
}

/// The signatures of all keys, as the header `webhook-signature` has them.
pub fn webhook_signatures(keys: &[WebhookKey], id: &str, timestamp: u64, body: &[u8]) -> String {
    let each = keys.iter().map(|key| key.signature(id, timestamp, body));
    each.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use ring::signature::{ED25519, KeyPair as _, UnparsedPublicKey};

    use super::*;

    fn hmac_key(bytes: usize) -> String {
        format!("whsec_{}", STANDARD.encode(vec![7; bytes]))
    }

    fn ed25519_key() -> (String, Vec<u8>) {
        let seed = [9; SEED];
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).unwrap();
        let public = pair.public_key().as_ref().to_vec();
        (format!("whsk_{}", STANDARD.encode([&seed[..], &public].concat())), public)
    }

    #[test]
    fn keys_have_their_lengths() {
        for bytes in [24, 32, 64] {
            assert!(WebhookKey::read(&hmac_key(bytes)).is_ok(), "{bytes}");
        }
        let (good, _) = ed25519_key();
        let halves = good.replacen("CQkJ", "CAkJ", 1);
        for bad in [
            "",
            "whsec_",
            "secret",
            "whsec_not base64 at all not base64 at all",
            &hmac_key(23),
            &hmac_key(65),
            "whpk_AAAA",
            &halves,
        ] {
            let why = WebhookKey::read(bad).unwrap_err();
            assert!(bad.len() < 12 || !why.contains(bad), "{why}");
        }
    }

    #[test]
    fn keys_are_not_shown() {
        let key = WebhookKey::read(&hmac_key(24)).unwrap();
        assert_eq!(format!("{key:?}"), "WebhookKey(…)");
        assert_ne!(key, WebhookKey::read(&hmac_key(25)).unwrap());
    }

    #[test]
    fn each_key_signs() {
        let (text, public) = ed25519_key();
        let keys = [hmac_key(24), text].map(|text| WebhookKey::read(&text).unwrap());
        let signatures = webhook_signatures(&keys, "msg_1", 7, b"{}");
        let (first, second) = signatures.split_once(' ').unwrap();
        assert!(first.starts_with("v1,"), "{first}");
        let signature = STANDARD.decode(second.strip_prefix("v1a,").unwrap()).unwrap();
        UnparsedPublicKey::new(&ED25519, public).verify(b"msg_1.7.{}", &signature).unwrap();
    }
}
