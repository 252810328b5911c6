//! Another issuer of access tokens: makes keys, publishes them as a JWK Set, signs whatever a test
//! wants signed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
};
use serde_json::{Value, json};

/// An issuer with a key for EdDSA and one for ES256.
#[derive(Debug)]
pub struct Issuer {
    name: String,
    edwards: Ed25519KeyPair,
    ecdsa: EcdsaKeyPair,
    random: SystemRandom,
}

/// Base64url without padding.
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Issuer {
    /// An issuer with new keys. `name` begins the ids of its keys: `name-ed` and `name-ec`.
    ///
    /// # Panics
    /// If the system has no random source.
    pub fn new(name: &str) -> Self {
        let random = SystemRandom::new();
        let made = || {
            let edwards = Ed25519KeyPair::generate_pkcs8(&random).ok()?;
            let ecdsa =
                EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).ok()?;
            let edwards = Ed25519KeyPair::from_pkcs8(edwards.as_ref()).ok()?;
            let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
            Some((edwards, EcdsaKeyPair::from_pkcs8(algorithm, ecdsa.as_ref(), &random).ok()?))
        };
        let (edwards, ecdsa) = made().unwrap_or_else(|| panic!("keys cannot be made"));
        Self { name: name.to_owned(), edwards, ecdsa, random }
    }

    /// The JWK Set with both public keys.
    pub fn jwks(&self) -> Value {
        json!({ "keys": [self.edwards_key(), self.ecdsa_key()] })
    }

    /// The public key for EdDSA, as a JWK.
    pub fn edwards_key(&self) -> Value {
        let x = encode(self.edwards.public_key());
        json!({ "kty": "OKP", "crv": "Ed25519", "kid": format!("{}-ed", self.name), "x": x })
    }

    /// The public key for ES256, as a JWK.
    pub fn ecdsa_key(&self) -> Value {
        // The point is uncompressed: a byte 4, then both coordinates.
        let point = self.ecdsa.public_key().as_ref();
        let (x, y) = (encode(&point[1..33]), encode(&point[33..]));
        let kid = format!("{}-ec", self.name);
        json!({ "kty": "EC", "crv": "P-256", "use": "sig", "kid": kid, "x": x, "y": y })
    }

    /// A token with these claims, signed with EdDSA.
    pub fn token(&self, claims: &Value) -> String {
        let kid = format!("{}-ed", self.name);
        self.token_with(&json!({ "alg": "EdDSA", "typ": "JWT", "kid": kid }), claims)
    }

    /// A token with these claims, signed with ES256.
    pub fn ecdsa_token(&self, claims: &Value) -> String {
        let kid = format!("{}-ec", self.name);
        self.token_with(&json!({ "alg": "ES256", "kid": kid }), claims)
    }

    /// A token with this header, signed with ES256 where the header says so, else with EdDSA.
    ///
    /// # Panics
    /// If the signature cannot be made.
    pub fn token_with(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
        let bytes = signed.as_bytes();
        let signature = match header["alg"].as_str() {
            Some("ES256") => match self.ecdsa.sign(&self.random, bytes) {
                Ok(signature) => encode(signature),
                Err(error) => panic!("sign: {error}"),
            },
            _ => encode(self.edwards.sign(bytes)),
        };
        format!("{signed}.{signature}")
    }
}
