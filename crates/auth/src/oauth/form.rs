//! The form of a token request: `application/x-www-form-urlencoded` without repeated parameters
//! (RFC 6749 §3.2).

use std::borrow::Cow;

use super::error::OAuthError;

const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// The largest body that is read, in bytes; a valid one has less than 300.
pub const MAX_BODY_BYTES: usize = 8 * 1024;

/// The parameters with a value, in body order.
pub(super) struct FormBody<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> FormBody<'a> {
    /// Reads a body.
    pub(super) fn parse(content_type: Option<&[u8]>, body: &'a [u8]) -> Result<Self, OAuthError> {
        if body.len() > MAX_BODY_BYTES {
            return Err(OAuthError::body_too_large());
        }
        if !content_type.is_some_and(is_form) {
            return Err(OAuthError::invalid_request(
                "The body must be a form: Content-Type application/x-www-form-urlencoded",
            ));
        }
        let parameters: Vec<_> = form_urlencoded::parse(body).collect();
        let mut names: Vec<&str> = parameters.iter().map(|(name, _)| &**name).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(OAuthError::invalid_request("A parameter of the form is repeated"));
        }
        Ok(Self(parameters))
    }

    /// A parameter's value. An empty parameter counts as missing (RFC 6749 §3.2).
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| &**value).filter(|value| !value.is_empty())
    }
}

/// Whether a `Content-Type` is that of a form; parameters such as `charset` are ignored.
fn is_form(content_type: &[u8]) -> bool {
    let end = content_type.iter().position(|byte| *byte == b';').unwrap_or(content_type.len());
    content_type[..end].trim_ascii().eq_ignore_ascii_case(MEDIA_TYPE.as_bytes())
}
