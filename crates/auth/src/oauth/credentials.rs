//! Client authentication: `Basic` header or form (RFC 6749 §2.3.1), never both.

use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use zeroize::Zeroizing;

use super::error::OAuthError;
use super::form::FormBody;
use crate::bearer::split_scheme;
use crate::client_table::ClientTable;
use crate::principal::Principal;
use crate::rate::ShownId;

/// Base64 with or without padding, as clients send both.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The id and the secret that a client sent.
struct Credentials {
    id: String,
    secret: Zeroizing<String>,
}

/// Authenticates the client of a request.
pub(super) fn authenticate<'t>(
    authorization: &[&[u8]],
    form: &FormBody<'_>,
    clients: &'t ClientTable,
) -> Result<&'t Arc<Principal>, OAuthError> {
    let credentials = match authorization {
        [] => from_form(form)?,
        [value] => {
            let credentials = from_header(value)?;
            check_form_with_header(form, &credentials)?;
            credentials
        }
        _ => {
            return Err(OAuthError::invalid_request("There is more than one Authorization header"));
        }
    };
    // Unknown ids and wrong secrets get the same response after the same work.
    clients.authenticate(&credentials.id, &credentials.secret).ok_or_else(|| {
        let error = OAuthError::invalid_client("The client id or the client secret is wrong");
        OAuthError { shown: Some(ShownId::of(&credentials.id)), ..error }
    })
}

fn from_form(form: &FormBody<'_>) -> Result<Credentials, OAuthError> {
    match (form.get("client_id"), form.get("client_secret")) {
        (Some(id), Some(secret)) => {
            Ok(Credentials { id: id.to_owned(), secret: Zeroizing::new(secret.to_owned()) })
        }
        _ => Err(OAuthError::invalid_client(
            "Send client id and secret as Authorization: Basic, or as client_id and client_secret",
        )),
    }
}

fn from_header(value: &[u8]) -> Result<Credentials, OAuthError> {
    let value = str::from_utf8(value).ok();
    let (scheme, encoded) = value.map(split_scheme).unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("basic") {
        let description = "The Authorization header of a token request must be Basic";
        return Err(OAuthError::invalid_client(description));
    }
    decode(encoded).ok_or_else(|| {
        let description = "The Basic header is not the base64 of client_id:client_secret";
        OAuthError::invalid_client(description)
    })
}

/// Reads `base64(id ":" secret)`; both parts are form-encoded inside.
fn decode(encoded: &str) -> Option<Credentials> {
    let bytes = Zeroizing::new(BASE64.decode(encoded).ok()?);
    let (id, secret) = str::from_utf8(&bytes).ok()?.split_once(':')?;
    Some(Credentials { id: decode_part(id)?, secret: Zeroizing::new(decode_part(secret)?) })
}

fn decode_part(text: &str) -> Option<String> {
    let spaced = Zeroizing::new(text.replace('+', " "));
    percent_decode_str(&spaced).decode_utf8().ok().map(String::from)
}

/// Besides a `Basic` header, the form may only repeat the client id.
fn check_form_with_header(form: &FormBody<'_>, header: &Credentials) -> Result<(), OAuthError> {
    let other_id = form.get("client_id").is_some_and(|id| id != header.id);
    if other_id || form.get("client_secret").is_some() {
        let description =
            "The client authenticates twice: use the Authorization header or the form";
        return Err(OAuthError::invalid_request(description));
    }
    Ok(())
}
