//! Signature algorithms (RFC 7518 §3.1, RFC 8037), verified by ring.

use std::fmt;
use std::str::FromStr;

use duet_model::{Code, Error, Result};
use duet_text::name;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use ring::{error::Unspecified, hmac};

/// A signature algorithm. There is deliberately no variant for `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    Rs384,
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    Rs512,
    /// RSASSA-PSS with SHA-256.
    Ps256,
    /// RSASSA-PSS with SHA-384.
    Ps384,
    /// RSASSA-PSS with SHA-512.
    Ps512,
    /// ECDSA with P-256 and SHA-256.
    Es256,
    /// ECDSA with P-384 and SHA-384.
    Es384,
    /// Ed25519.
    EdDsa,
    /// HMAC with SHA-256: a key that verifies tokens can also create them.
    Hs256,
}

impl Algorithm {
    /// All algorithms by their names in RFC 7518 and RFC 8037.
    pub const NAMES: [(&'static str, Self); 10] = [
        ("RS256", Self::Rs256),
        ("RS384", Self::Rs384),
        ("RS512", Self::Rs512),
        ("PS256", Self::Ps256),
        ("PS384", Self::Ps384),
        ("PS512", Self::Ps512),
        ("ES256", Self::Es256),
        ("ES384", Self::Es384),
        ("EdDSA", Self::EdDsa),
        ("HS256", Self::Hs256),
    ];

    /// The algorithm with this name.
    pub(super) fn named(wanted: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(name, _)| *name == wanted).map(|(_, algorithm)| *algorithm)
    }

    fn rsa(self) -> Option<&'static RsaParameters> {
        Some(match self {
            Self::Rs256 => &RSA_PKCS1_2048_8192_SHA256,
            Self::Rs384 => &RSA_PKCS1_2048_8192_SHA384,
            Self::Rs512 => &RSA_PKCS1_2048_8192_SHA512,
            Self::Ps256 => &RSA_PSS_2048_8192_SHA256,
            Self::Ps384 => &RSA_PSS_2048_8192_SHA384,
            Self::Ps512 => &RSA_PSS_2048_8192_SHA512,
            _ => return None,
        })
    }

    fn curve(self) -> Option<&'static dyn VerificationAlgorithm> {
        Some(match self {
            Self::Es256 => &ECDSA_P256_SHA256_FIXED,
            Self::Es384 => &ECDSA_P384_SHA384_FIXED,
            Self::EdDsa => &ED25519,
            _ => return None,
        })
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::NAMES.iter().find(|(_, algorithm)| algorithm == self);
        f.write_str(found.map_or("", |(name, _)| name))
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    /// Parses a name; `none` is refused.
    fn from_str(text: &str) -> Result<Self> {
        Self::named(text).ok_or_else(|| {
            let names = Self::NAMES.map(|(name, _)| name);
            let near = name::nearest(text, names).map(|near| format!("Did you mean `{near}`?"));
            let message =
                format!("There is no algorithm {text:?}: there are {}.", names.join(", "));
            Error::new(Code::Setting, message).maybe_hint(near)
        })
    }
}

/// A key that only fits algorithms of its kind, which prevents the use of a public key as a secret.
#[derive(Clone)]
pub(super) enum Key {
    /// An RSA public key, big-endian without leading zeros.
    Rsa {
        /// The modulus.
        modulus: Vec<u8>,
        /// The exponent.
        exponent: Vec<u8>,
    },
    /// A point on a curve, in ring's format.
    Curve(Algorithm, Vec<u8>),
    /// A secret shared with the issuer.
    Secret(hmac::Key),
}

impl Key {
    /// Whether the key is of the kind that the algorithm requires.
    pub(super) fn fits(&self, algorithm: Algorithm) -> bool {
        match self {
            Self::Rsa { .. } => algorithm.rsa().is_some(),
            Self::Curve(own, _) => *own == algorithm,
            Self::Secret(_) => algorithm == Algorithm::Hs256,
        }
    }

    /// Whether a signature is valid.
    pub(super) fn verifies(&self, algorithm: Algorithm, signed: &[u8], signature: &[u8]) -> bool {
        self.check(algorithm, signed, signature).is_ok()
    }

    fn check(
        &self,
        algorithm: Algorithm,
        signed: &[u8],
        signature: &[u8],
    ) -> Result<(), Unspecified> {
        match self {
            Self::Rsa { modulus, exponent } => {
                let parameters = algorithm.rsa().ok_or(Unspecified)?;
                let key = RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(parameters, signed, signature)
            }
            Self::Curve(own, point) if *own == algorithm => {
                let curve = algorithm.curve().ok_or(Unspecified)?;
                UnparsedPublicKey::new(curve, point).verify(signed, signature)
            }
            Self::Secret(key) if algorithm == Algorithm::Hs256 => {
                hmac::verify(key, signed, signature)
            }
            Self::Curve(..) | Self::Secret(_) => Err(Unspecified),
        }
    }
}
