//! The `Authorization: Bearer` header of a request, and the `WWW-Authenticate` header of the response
//! (RFC 6750).

use crate::token::TokenError;

/// Why no bearer token could be read from a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// More than one `Authorization` header, or not `Bearer` with exactly one token: 400.
    Malformed,
    /// A scheme other than `Bearer`: 401.
    OtherScheme,
}

impl HeaderError {
    /// The HTTP status defined by RFC 6750 §3.1.
    pub fn status(self) -> u16 {
        match self {
            Self::Malformed => 400,
            Self::OtherScheme => 401,
        }
    }

    /// The message for the client.
    pub fn description(self) -> &'static str {
        match self {
            Self::Malformed => "The request needs exactly one Authorization: Bearer TOKEN header",
            Self::OtherScheme => "This resource takes bearer tokens only",
        }
    }
}

/// Extracts the token from all values of the `Authorization` header; `None` if the header is missing.
///
/// ```
/// use duet_auth::bearer::{HeaderError, token};
/// assert_eq!(token([b"bearer abc_-1".as_slice()]), Ok(Some("abc_-1")));
/// assert_eq!(token([]), Ok(None));
/// assert_eq!(token([b"Basic abc".as_slice()]), Err(HeaderError::OtherScheme));
/// ```
///
/// # Errors
/// If the header does not contain exactly one bearer token.
pub fn token<'a>(
    values: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Option<&'a str>, HeaderError> {
    let mut values = values.into_iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(HeaderError::Malformed);
    }
    let value = str::from_utf8(value).map_err(|_| HeaderError::Malformed)?;
    let (scheme, rest) = split_scheme(value);
    if scheme.is_empty() {
        return Err(HeaderError::Malformed);
    }
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(HeaderError::OtherScheme);
    }
    if is_token68(rest) { Ok(Some(rest)) } else { Err(HeaderError::Malformed) }
}

/// Splits a header value into its scheme and the trimmed rest.
pub(crate) fn split_scheme(value: &str) -> (&str, &str) {
    let value = value.trim_matches([' ', '\t']);
    let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
    (scheme, rest.trim_start_matches(' '))
}

/// RFC 9110 §11.2, `token68`: one or more characters, then any number of `=`.
fn is_token68(text: &str) -> bool {
    let body = text.as_bytes();
    let padding = body.iter().rev().take_while(|byte| **byte == b'=').count();
    let body = &body[..body.len() - padding];
    !body.is_empty() && body.iter().all(|byte| TOKEN68[usize::from(*byte)])
}

/// Whether a byte may be in a token: each request has one, so it is looked up.
const TOKEN68: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        let ascii = byte as u8;
        table[byte] = ascii.is_ascii_alphanumeric()
            || matches!(ascii, b'-' | b'.' | b'_' | b'~' | b'+' | b'/');
        byte += 1;
    }
    table
};

/// The content of a `WWW-Authenticate` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Challenge {
    /// The request has no token: 401 without an error code (RFC 6750 §3.1).
    NoToken,
    /// The token is invalid: 401.
    Invalid(TokenError),
    /// The external JWT is invalid: 401.
    InvalidJwt(TokenError),
    /// The token's roles do not allow the operation: 403.
    InsufficientScope,
    /// The header is malformed: 400.
    InvalidRequest,
}

impl Challenge {
    /// The value of the header.
    pub fn header_value(self) -> String {
        let (error, description) = match self {
            Self::NoToken => return REALM.to_owned(),
            Self::Invalid(error) => ("invalid_token", error.description()),
            Self::InvalidJwt(error) => ("invalid_token", error.description_of_jwt()),
            Self::InsufficientScope => {
                ("insufficient_scope", "The roles of the client do not allow this")
            }
            Self::InvalidRequest => ("invalid_request", HeaderError::Malformed.description()),
        };
        format!("{REALM}, error=\"{error}\", error_description=\"{description}\"")
    }
}

/// The scheme and the realm.
const REALM: &str = r#"Bearer realm="duet""#;

impl From<HeaderError> for Challenge {
    fn from(error: HeaderError) -> Self {
        match error {
            HeaderError::Malformed => Self::InvalidRequest,
            HeaderError::OtherScheme => Self::NoToken,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_exactly_one_bearer_token() {
        for (value, expected) in [
            ("Bearer abc", Ok(Some("abc"))),
            ("bearer abc", Ok(Some("abc"))),
            ("BEARER   abc", Ok(Some("abc"))),
            (" Bearer abc ", Ok(Some("abc"))),
            ("Bearer a.b~c+d/e-f_==", Ok(Some("a.b~c+d/e-f_=="))),
            ("Bearer", Err(HeaderError::Malformed)),
            ("Bearer ", Err(HeaderError::Malformed)),
            ("Bearer a b", Err(HeaderError::Malformed)),
            ("Bearer a,b", Err(HeaderError::Malformed)),
            ("Bearer ==", Err(HeaderError::Malformed)),
            ("Bearer a=b", Err(HeaderError::Malformed)),
            ("Bearer \"a\"", Err(HeaderError::Malformed)),
            ("", Err(HeaderError::Malformed)),
            ("Basic YTpi", Err(HeaderError::OtherScheme)),
            ("Bearerabc", Err(HeaderError::OtherScheme)),
            ("abc", Err(HeaderError::OtherScheme)),
        ] {
            assert_eq!(token([value.as_bytes()]), expected, "{value:?}");
        }
    }

    #[test]
    fn accepts_exactly_the_token68_characters() {
        for byte in 0..=127_u8 {
            let char = char::from(byte);
            let allowed = char.is_ascii_alphanumeric() || "-._~+/".contains(char);
            assert_eq!(is_token68(&format!("a{char}a")), allowed, "{char:?}");
        }
        assert!(!is_token68("aéa") && !is_token68("") && !is_token68("="));
    }

    #[test]
    fn refuses_two_headers_even_if_equal() {
        let value = b"Bearer abc".as_slice();
        assert_eq!(token([value, value]), Err(HeaderError::Malformed));
        assert_eq!(token([b"Bearer \xff".as_slice()]), Err(HeaderError::Malformed));
    }

    #[test]
    fn challenges_contain_the_errors_description() {
        for error in [
            TokenError::Malformed,
            TokenError::UnknownKey,
            TokenError::Forged,
            TokenError::Expired,
            TokenError::ClientRemoved,
            TokenError::Superseded,
            TokenError::TooLong,
            TokenError::NotUnderstood,
            TokenError::OtherAlgorithm,
            TokenError::MissingClaim,
            TokenError::OtherIssuer,
            TokenError::OtherAudience,
            TokenError::NotYet,
            TokenError::TooOld,
            TokenError::WrongKey,
            TokenError::KeyExpired,
        ] {
            let value = Challenge::Invalid(error).header_value();
            assert!(value.starts_with(r#"Bearer realm="duet", error="invalid_token""#));
            assert!(value.ends_with(&format!("\"{}\"", error.description())), "{error:?}");
            let value = Challenge::InvalidJwt(error).header_value();
            assert!(value.ends_with(&format!("\"{}\"", error.description_of_jwt())), "{error:?}");
            assert_eq!(value.matches('"').count(), 6, "{value}");
        }
        let malformed = Challenge::from(HeaderError::Malformed).header_value();
        assert!(malformed.contains(HeaderError::Malformed.description()));
    }

    proptest! {
        #[test]
        fn no_header_panics(values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..3)) {
            let _ = token(values.iter().map(Vec::as_slice));
        }
    }
}
