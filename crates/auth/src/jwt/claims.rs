//! What a token says once its signature is right: who, for whom, until when, with which roles.

use std::sync::Arc;

use duet_model::Result;
use duet_model::json::{BODY, read};
use serde_json::{Map, Value};

use crate::identity::DbIdentity;
use crate::principal::{Claims, Open, Principal};
use crate::token::TokenError;

use super::settings::Settings;

/// The longest `sub` that is kept, in bytes (OpenID Connect Core §2 allows 255 characters).
const MAX_SUBJECT_BYTES: usize = 255;

/// The latest time that a token may name: the end of the year 9999, in seconds since the epoch. What
/// is later was computed wrongly, or is meant to overflow.
pub const LATEST_DATE: u64 = 253_402_300_799;
/// Objects and arrays inside each other in a header or in claims at most.
const MAX_DEPTH: usize = 64;

/// A token whose signature and claims are right, and the time in which it is good.
#[derive(Clone, Debug)]
pub struct Verified {
    principal: Arc<Principal>,
    /// Good from this second on, the skew allowed for.
    from: u64,
    /// The first second in which it has expired, the skew allowed for.
    until: u64,
    /// The first second in which it is too old, the skew allowed for.
    too_old: u64,
}

impl Verified {
    /// The caller.
    pub fn principal(&self) -> &Arc<Principal> {
        &self.principal
    }

    /// Whether it is good at this time.
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

/// Checks everything but the time.
pub(super) fn check(
    settings: &Settings,
    payload: Vec<u8>,
    open: Open,
) -> Result<Verified, TokenError> {
    let text = String::from_utf8(payload).map_err(|_| TokenError::Malformed)?;
    unique_members(&text)?;
    let value: Value = serde_json::from_str(&text).map_err(|_| TokenError::Malformed)?;
    let Value::Object(claims) = &value else { return Err(TokenError::Malformed) };
    if claims.get("iss").and_then(Value::as_str) != Some(&settings.issuer) {
        return Err(TokenError::OtherIssuer);
    }
    let audiences: Vec<&str> = claims.get("aud").map(texts).unwrap_or_default();
    if !audiences.iter().any(|one| settings.audiences.iter().any(|own| own == one)) {
        return Err(TokenError::OtherAudience);
    }
    let (from, until, too_old) = times(settings, claims)?;
    let roles: Vec<&str> = match &settings.roles {
        Some(pointer) => pointer.find(&value).map(words).unwrap_or_default(),
        None => claims.get("scope").or_else(|| claims.get("scp")).map(words).unwrap_or_default(),
    };
    let roles: Vec<String> = roles.into_iter().map(str::to_owned).collect();
    let subject = subject(claims).to_owned();
    let db_identity = DbIdentity::of_token(settings.db_role.as_ref(), &value, &text);
    let principal =
        Principal::of_token(&subject, &roles, Claims::new(text, value), db_identity, open);
    Ok(Verified { principal: Arc::new(principal), from, until, too_old })
}

/// Refuses JSON in which an object has a member twice (RFC 7519 §4): readers differ in which of the
/// two counts, so what the issuer meant is not certain.
pub(super) fn unique_members(text: &str) -> Result<(), TokenError> {
    read(text, &BODY, MAX_DEPTH).map(drop).map_err(|_| TokenError::Malformed)
}

/// The second from which it is good, and those in which it has expired and is too old. The skew
/// is added to each.
fn times(settings: &Settings, claims: &Map<String, Value>) -> Result<(u64, u64, u64), TokenError> {
    let expires = claims.get("exp").ok_or(TokenError::MissingClaim)?;
    // A fraction of a second, or a time before the epoch, is a mistake.
    let expires =
        expires.as_u64().filter(|exp| *exp <= LATEST_DATE).ok_or(TokenError::Malformed)?;
    let (not_before, issued) = (date(claims, "nbf")?, date(claims, "iat")?);
    let too_old = match (settings.max_age, issued) {
        (None, _) => u64::MAX,
        (Some(age), Some(issued)) => issued.saturating_add(age).saturating_add(settings.skew),
        (Some(_), None) => return Err(TokenError::MissingClaim),
    };
    let from = not_before.unwrap_or(0).max(issued.unwrap_or(0));
    Ok((from.saturating_sub(settings.skew), expires.saturating_add(settings.skew), too_old))
}

/// A NumericDate (RFC 7519 §2), which may have a fraction: it is cut off.
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

/// A text, or the texts of an array.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The words of a text (RFC 8693 §4.2), or the texts of an array.
fn words(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => text.split_ascii_whitespace().collect(),
        _ => texts(value),
    }
}

/// The subject, for the log: the subject, else the client.
fn subject(claims: &Map<String, Value>) -> &str {
    let named = ["sub", "client_id", "azp"].into_iter().find_map(|name| claims.get(name)?.as_str());
    let subject = named.unwrap_or("token");
    subject.get(..subject.floor_char_boundary(MAX_SUBJECT_BYTES)).unwrap_or("token")
}
