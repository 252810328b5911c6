//! The name of a tenant, as tokens, headers, schemas and files have it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use duet_text::error::{Code, Error};

/// The longest name, so that a schema `TENANT_APPLICATION` fits into PostgreSQL's 63 bytes.
const MOST_BYTES: usize = 31;

/// A valid name: a lower-case letter, then letters, digits and `_`, 31 bytes at most. It needs no quotes in a
/// schema's name and no escape in a file's.
///
/// ```
/// use duet_model::tenant::TenantName;
///
/// assert!("diku".parse::<TenantName>().is_ok());
/// assert!("../diku".parse::<TenantName>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantName(Arc<str>);

impl TenantName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TenantName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let begins = text.starts_with(|first: char| first.is_ascii_lowercase());
        if begins && text.len() <= MOST_BYTES && text.bytes().all(fits) {
            return Ok(Self(text.into()));
        }
        Err(Error::new(Code::BadRequest, "This cannot be the name of a tenant.").hint(format!(
            "It has 1 to {MOST_BYTES} lower-case letters, digits and `_`, the first a letter."
        )))
    }
}

impl fmt::Display for TenantName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_as_schemas_and_files() {
        for good in ["a", "diku", "t_01", &"a".repeat(31)] {
            assert_eq!(good.parse::<TenantName>().unwrap().as_str(), good);
        }
        for bad in
            ["", "1a", "_a", "A", "a-b", "a.b", "a/b", "..", "a b", "é", &"a".repeat(32), "a\0"]
        {
            assert_eq!(bad.parse::<TenantName>().unwrap_err().code, Code::BadRequest, "{bad:?}");
        }
    }
}
