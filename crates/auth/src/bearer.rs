//! The `Authorization: Bearer` header of a request, and the `WWW-Authenticate` of the answer
//! (RFC 6750).

use crate::token::TokenError;

/// Why a request has no token that could be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// More than one `Authorization` header, or one that is no `Bearer` and one token: 400.
    Malformed,
    /// Another scheme than `Bearer`: 401.
    OtherScheme,
}

impl HeaderError {
    /// The HTTP status that RFC 6750 §3.1 gives.
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

/// The token in the values of the `Authorization` header, as many as there are; `None` if there is
/// no such header.
///
/// ```
/// use duet_auth::bearer::{HeaderError, token};
/// assert_eq!(token([b"bearer abc_-1".as_slice()]), Ok(Some("abc_-1")));
/// assert_eq!(token([]), Ok(None));
/// assert_eq!(token([b"Basic abc".as_slice()]), Err(HeaderError::OtherScheme));
/// ```
///
/// # Errors
/// If the header does not hold exactly one bearer token.
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

/// A header value as scheme and the rest without the blanks around it.
pub(crate) fn split_scheme(value: &str) -> (&str, &str) {
    let value = value.trim_matches([' ', '\t']);
    let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
    (scheme, rest.trim_start_matches(' '))
}

/// RFC 9110 §11.2, `token68`: one or more characters, then any number of `=`.
fn is_token68(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    // Without branches and an early end, so that the compiler looks at many bytes at once.
    let is_other = |byte: u8| {
        let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
        // From `-` to `9`: digits, and all of `-./`.
        let digit = byte.wrapping_sub(b'-') < 13;
        u8::from(!(letter | digit | (byte == b'_') | (byte == b'~') | (byte == b'+')))
    };
    !body.is_empty() && body.bytes().fold(0, |others, byte| others | is_other(byte)) == 0
}

/// What a `WWW-Authenticate` header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Challenge {
    /// There was no token: 401 without an error code (RFC 6750 §3.1).
    NoToken,
    /// The token is not good: 401.
    Invalid(TokenError),
    /// The token of another issuer is not good: 401.
    InvalidJwt(TokenError),
    /// The token's roles do not allow it: 403.
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

/// The scheme, and what is protected.
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
    fn one_bearer_token_is_read() {
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
    fn every_byte_of_a_token() {
        for byte in 0..=127_u8 {
            let char = char::from(byte);
            let allowed = char.is_ascii_alphanumeric() || "-._~+/".contains(char);
            assert_eq!(is_token68(&format!("a{char}a")), allowed, "{char:?}");
        }
        assert!(!is_token68("aéa") && !is_token68("") && !is_token68("="));
    }

    #[test]
    fn two_headers_are_malformed_even_if_equal() {
        let value = b"Bearer abc".as_slice();
        assert_eq!(token([value, value]), Err(HeaderError::Malformed));
        assert_eq!(token([b"Bearer \xff".as_slice()]), Err(HeaderError::Malformed));
    }

    #[test]
    fn challenges_say_what_the_errors_say() {
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
