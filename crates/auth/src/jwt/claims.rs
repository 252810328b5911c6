//! Validates the claims of a token with a valid signature: issuer, audience, lifetime, subject, roles.

use std::sync::Arc;

use duet_model::Result;
use duet_text::json::{BODY, read};
use serde_json::{Map, Value};

use crate::identity::DbIdentity;
use crate::principal::{Claims, Open, Principal, TokenTenant};
use crate::token::TokenError;

use super::settings::Settings;

/// The longest `sub` that is kept, in bytes (OpenID Connect Core §2 allows 255 characters).
const MAX_SUBJECT_BYTES: usize = 255;

/// The latest date that a token may contain: the end of the year 9999, in seconds since the epoch.
/// Later dates are computation errors or attempts to cause an overflow.
pub const LATEST_DATE: u64 = 253_402_300_799;
/// The maximum nesting depth of a header or of claims.
const MAX_DEPTH: usize = 64;

/// A token with valid signature and claims, and its period of validity.
#[derive(Clone, Debug)]
pub struct VerifiedToken {
    principal: Arc<Principal>,
    /// The first second in which it is valid, including the allowed clock skew.
    from: u64,
    /// The first second in which it has expired, including the allowed clock skew.
    until: u64,
    /// The first second in which it is too old, including the allowed clock skew.
    too_old: u64,
}

impl VerifiedToken {
    /// The caller.
    pub fn principal(&self) -> &Arc<Principal> {
        &self.principal
    }

    /// Checks whether it is valid at this time.
    ///
    /// # Errors
    /// `Expired`, `TooOld` or `NotYet`.
    pub fn check_time(&self, now: u64) -> Result<(), TokenError> {
        if now >= self.until {
            return Err(TokenError::Expired);
        }
        if now >= self.too_old {
            return Err(TokenError::TooOld);
        }
        if now < self.from { Err(TokenError::NotYet) } else { Ok(()) }
    }
}

/// Validates all claims except the time.
pub(super) fn check(
    settings: &Settings,
    payload: Vec<u8>,
    open: Open,
) -> Result<VerifiedToken, TokenError> {
    let text = String::from_utf8(payload).map_err(|_| TokenError::Malformed)?;
    unique_members(&text)?;
    let value: Value = serde_json::from_str(&text).map_err(|_| TokenError::Malformed)?;
    let Value::Object(claims) = &value else { return Err(TokenError::Malformed) };
    if claims.get("iss").and_then(Value::as_str) != Some(&settings.issuer) {
        return Err(TokenError::OtherIssuer);
    }
    let audiences: Vec<&str> = claims.get("aud").map(strings).unwrap_or_default();
    if !audiences.iter().any(|one| settings.audiences.iter().any(|own| own == one)) {
        return Err(TokenError::OtherAudience);
    }
    let (from, until, too_old) = times(settings, claims)?;
    let roles: Vec<&str> = match &settings.roles {
        Some(pointer) => pointer.find(&value).map(space_separated).unwrap_or_default(),
        None => claims
            .get("scope")
            .or_else(|| claims.get("scp"))
            .map(space_separated)
            .unwrap_or_default(),
    };
    let roles: Vec<String> = roles.into_iter().map(str::to_owned).collect();
    let db_identity = DbIdentity::of_token(settings.db_role.as_ref(), &value, &text);
    let at = settings.tenant.as_ref();
    let tenant = at.map_or(TokenTenant::None, |at| TokenTenant::of_claim(at, &value));
    let claims = Claims::new(text, value);
    let subject = shown_subject(&claims).to_owned();
    let principal = Principal::of_token(&subject, &roles, claims, db_identity, tenant, open);
    Ok(VerifiedToken { principal: Arc::new(principal), from, until, too_old })
}

/// Refuses JSON with a duplicate member name (RFC 7519 §4): parsers differ in which of the two they
/// use.
pub(super) fn unique_members(text: &str) -> Result<(), TokenError> {
    read(text, &BODY, MAX_DEPTH).map(drop).map_err(|_| TokenError::Malformed)
}

/// The first second in which the token is valid, has expired, and is too old, each including the
/// allowed clock skew.
fn times(settings: &Settings, claims: &Map<String, Value>) -> Result<(u64, u64, u64), TokenError> {
    let expires = date(claims, "exp")?.ok_or(TokenError::MissingClaim)?;
    let (not_before, issued) = (date(claims, "nbf")?, date(claims, "iat")?);
    let too_old = match (settings.max_age, issued) {
        (None, _) => u64::MAX,
        (Some(age), Some(issued)) => issued.saturating_add(age).saturating_add(settings.skew),
        (Some(_), None) => return Err(TokenError::MissingClaim),
    };
    let from = not_before.unwrap_or(0).max(issued.unwrap_or(0));
    Ok((from.saturating_sub(settings.skew), expires.saturating_add(settings.skew), too_old))
}

/// A NumericDate (RFC 7519 §2); a fraction is truncated.
fn date(claims: &Map<String, Value>, name: &str) -> Result<Option<u64>, TokenError> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    if let Some(seconds) = value.as_u64().filter(|seconds| *seconds <= LATEST_DATE) {
        return Ok(Some(seconds));
    }
    match value.as_f64() {
        Some(seconds) if (0.0..=LATEST_DATE as f64).contains(&seconds) => Ok(Some(seconds as u64)),
        _ => Err(TokenError::Malformed),
    }
}

/// The value of a string, or the strings of an array.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The space-separated values of a string (RFC 8693 §4.2), or the strings of an array.
fn space_separated(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => text.split_ascii_whitespace().collect(),
        _ => strings(value),
    }
}

/// The subject for the log.
fn shown_subject(claims: &Claims) -> &str {
    let subject = claims.subject().unwrap_or("token");
    subject.get(..subject.floor_char_boundary(MAX_SUBJECT_BYTES)).unwrap_or("token")
}
