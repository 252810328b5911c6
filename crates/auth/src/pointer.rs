//! JSON pointers into the claims of a token.

use std::fmt;
use std::str::FromStr;

use duet_model::{Code, Error, Result};
use serde_json::Value;

/// A JSON pointer (RFC 6901) into a token's claims, such as `/realm_access/roles`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer(String);

impl Pointer {
    /// The value at the pointer.
    pub fn find<'a>(&self, claims: &'a Value) -> Option<&'a Value> {
        claims.pointer(&self.0)
    }
}

impl FromStr for Pointer {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
        if text.len() > 1 && text.starts_with('/') && escapes {
            return Ok(Self(text.to_owned()));
        }
        let message = format!("{text:?} is no JSON pointer.");
        Err(Error::new(Code::Setting, message)
            .hint("Write it as `/roles` or `/realm_access/roles`."))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
