//! Documents of collections, completed and checked before they are stored.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use duet_collection::{Collection, Moment};
use duet_model::{Error, Result, Value};
use duet_text::json::{Json, STORED, read};
use duet_text::time::moment;

use crate::resources::writable::STORED_DEPTH;

/// The text of a new document by this author, with this key where a request names one.
///
/// # Errors
/// What is wrong with it by the schema of the collection, and what cannot be stored.
pub(crate) fn new_document(
    collection: &Collection,
    body: Json<'_>,
    key: Option<&[Value]>,
    author: Option<&Arc<str>>,
) -> Result<String> {
    let key = match key.and_then(|key| key.first()) {
        Some(key) => key.to_string(),
        None => random_uuid()?,
    };
    let now = now(author);
    let completed = collection.created(body, &key, &now)?;
    checked(collection, completed.text)
}

/// The text of a document that takes the place of a stored one.
///
/// # Errors
/// As [`new_document`], and for another version than the stored one.
pub(crate) fn changed_document(
    collection: &Collection,
    body: Json<'_>,
    stored: &str,
    key: &[Value],
    author: Option<&Arc<str>>,
) -> Result<String> {
    let key = key.first().map(Value::to_string).unwrap_or_default();
    let stored = read(stored, &STORED, STORED_DEPTH)?;
    let now = now(author);
    let completed = collection.replaced(body, &stored, &key, &now)?;
    checked(collection, completed.text)
}

fn checked(collection: &Collection, text: String) -> Result<String> {
    match Error::all_of(collection.check(&text)) {
        None => Ok(text),
        Some(error) => Err(error),
    }
}

/// This moment, with milliseconds, and this author.
fn now(author: Option<&Arc<str>>) -> Moment {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = moment::rfc3339(elapsed.as_secs());
    let seconds = seconds.trim_end_matches('Z');
    Moment { time: format!("{seconds}.{:03}Z", elapsed.subsec_millis()), user: author.cloned() }
}

/// A UUID of random bits (RFC 9562, version 4).
pub fn random_uuid() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(Error::internal)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    Ok(parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_random_and_of_version_4() {
        let (a, b) = (random_uuid().unwrap(), random_uuid().unwrap());
        assert_ne!(a, b);
        assert_eq!((a.len(), &a[14..15]), (36, "4"));
        assert!("89ab".contains(&a[19..20]), "{a}");
    }

    #[test]
    fn times_have_milliseconds() {
        let time = now(None).time;
        assert_eq!((time.len(), &time[19..20], &time[23..]), (24, ".", "Z"));
    }
}
