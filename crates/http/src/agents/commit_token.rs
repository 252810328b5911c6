//! What lets a dry run be committed: a short text that holds for one caller, one change and one plan, for ten minutes, once.
//!
//! Nothing is kept of a dry run. The text is a hash, sealed by the key of the server's tokens, so that any server with the
//! same clients takes it. That it was used is known to the database, where it keeps idempotency keys ([`key`]), otherwise to
//! this process alone.

use duet_mcp::Change;
use duet_model::Result;
use duet_service::Auth;
use serde_json::Value;

/// What the text is sealed for.
const PURPOSE: &str = "commit of an agent's write";

/// Seconds for which it is good.
pub(super) const GOOD: u64 = 600;

/// Who makes a change.
#[derive(Clone, Copy)]
pub(super) struct TokenCaller<'c> {
    pub(super) id: &'c str,
    /// The tenant that it names; empty without one.
    pub(super) tenant: &'c str,
}

/// The hash of a change by a caller, and of what it would do.
fn hash(caller: TokenCaller<'_>, change: &Change, plan: &Value) -> String {
    let mut hasher = blake3::Hasher::new();
    let document = change.document.as_ref().map(Value::to_string).unwrap_or_default();
    let key = Value::from(change.key.clone()).to_string();
    let etag = change.etag.as_deref().unwrap_or_default();
    let parts = [
        caller.id,
        caller.tenant,
        &change.resource,
        change.operation.word(),
        &key,
        &document,
        etag,
        &plan.to_string(),
    ];
    for part in parts {
        // The length separates parts whose concatenations are equal.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// The text for a change.
///
/// # Errors
/// `Internal` where no key is valid.
pub(super) fn seal(
    auth: &Auth,
    caller: TokenCaller<'_>,
    change: &Change,
    plan: &Value,
    now: u64,
) -> Result<String> {
    let text = format!("{} {}", now + GOOD, hash(caller, change, plan));
    auth.table().seal_text(PURPOSE, &text, now)
}

/// The idempotency key of the write that a text commits. Not the text itself, which lets it be committed.
pub(super) fn key(token: &str) -> String {
    format!("agent-{}", &blake3::hash(token.as_bytes()).to_hex()[..32])
}

/// Why a text commits nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoCommit {
    /// It is none, or has expired.
    Unknown,
    /// It is another caller's, of another change, or what the change would do is different now.
    Other,
}

/// When the text for a change ends, if it is that.
///
/// # Errors
/// Where it is not.
pub(super) fn open(
    auth: &Auth,
    caller: TokenCaller<'_>,
    change: &Change,
    plan: &Value,
    now: u64,
) -> Result<u64, NoCommit> {
    let token = change.token.as_deref().unwrap_or_default();
    let opened = auth.table().open_text(PURPOSE, token, now).ok_or(NoCommit::Unknown)?;
    let (end, hashed) = opened.split_once(' ').ok_or(NoCommit::Unknown)?;
    let end = end.parse().ok().filter(|end| now < *end).ok_or(NoCommit::Unknown)?;
    if hashed == hash(caller, change, plan) { Ok(end) } else { Err(NoCommit::Other) }
}

#[cfg(test)]
mod tests {
    use duet_auth::{Open, State};
    use duet_mcp::WriteOperation;
    use serde_json::json;

    use super::*;

    const NOW: u64 = 1_700_000_000;
    const ME: TokenCaller<'_> = TokenCaller { id: "me", tenant: "" };

    #[test]
    fn a_token_is_for_one_change_of_one_caller() {
        let auth = Auth::in_memory(&State::new(NOW - 100).unwrap(), Open::No);
        let mut change = Change {
            resource: "/a/t".into(),
            operation: WriteOperation::Merge,
            key: vec!["1".into()],
            document: Some(json!({ "a": 1 })),
            etag: None,
            token: None,
        };
        let plan = json!([{ "operation": "update" }]);
        let token = seal(&auth, ME, &change, &plan, NOW).unwrap();
        assert!(token.len() < 130, "{}", token.len());
        change.token = Some(token.clone());
        let open_as = |who, change: &Change, plan: &Value, now| open(&auth, who, change, plan, now);
        let other = |id, tenant| TokenCaller { id, tenant };
        assert_eq!(open_as(ME, &change, &plan, NOW + 599), Ok(NOW + 600));
        assert_eq!(open_as(ME, &change, &plan, NOW + 600), Err(NoCommit::Unknown));
        assert_eq!(open_as(other("you", ""), &change, &plan, NOW), Err(NoCommit::Other));
        assert_eq!(open_as(other("me", "diku"), &change, &plan, NOW), Err(NoCommit::Other));
        assert_eq!(open_as(ME, &change, &json!([]), NOW), Err(NoCommit::Other));
        let other = Change { key: vec!["2".into()], ..change.clone() };
        assert_eq!(open_as(ME, &other, &plan, NOW), Err(NoCommit::Other));
        let first = if token.starts_with('A') { 'B' } else { 'A' };
        let forged = Change { token: Some(format!("{first}{}", &token[1..])), ..change.clone() };
        assert_eq!(open_as(ME, &forged, &plan, NOW), Err(NoCommit::Unknown));
    }
}
