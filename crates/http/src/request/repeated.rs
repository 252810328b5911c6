//! Which headers of a request may come more than once.
//!
//! A program in front of the server may read the first of two lines, and the server the last: what one has
//! checked, the other does not use. So a header with a single value is refused where it is repeated, and
//! lines of a list are one list (RFC 9110 §5.3).

use duet_auth::bearer::{Challenge, HeaderError};
use duet_model::{Code, Error};
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HeaderName};

use crate::answer::refusal::Refusal;

/// Whether a header may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// It has one value: a second line is refused.
    Once,
    /// Its lines are one list.
    List,
}

use Repetition::{List, Once};

/// The headers that the server reads, or that programs in front of it do. Others may be repeated.
pub const REPETITIONS: [(&str, Repetition); 47] = [
    ("accept", List),
    ("accept-encoding", List),
    ("accept-language", List),
    ("access-control-request-headers", List),
    ("access-control-request-method", Once),
    ("authorization", Once),
    ("cache-control", List),
    ("connection", List),
    ("content-disposition", Once),
    ("content-encoding", List),
    ("content-length", Once),
    ("content-location", Once),
    ("content-range", Once),
    ("content-type", Once),
    ("cookie", List),
    ("date", Once),
    ("duet-position", Once),
    ("expect", Once),
    ("forwarded", List),
    ("from", Once),
    ("host", Once),
    ("idempotency-key", Once),
    ("if-match", List),
    ("if-modified-since", Once),
    ("if-none-match", List),
    ("if-range", Once),
    ("if-unmodified-since", Once),
    ("max-forwards", Once),
    ("mcp-method", Once),
    ("mcp-name", Once),
    ("mcp-protocol-version", Once),
    ("origin", Once),
    ("prefer", List),
    ("priority", List),
    ("proxy-authorization", Once),
    ("range", Once),
    ("referer", Once),
    ("request-timeout", Once),
    ("traceparent", Once),
    ("transfer-encoding", Once),
    ("user-agent", Once),
    ("via", List),
    ("x-forwarded-for", List),
    ("x-forwarded-host", List),
    ("x-forwarded-port", List),
    ("x-forwarded-proto", List),
    ("x-okapi-tenant", Once),
];

/// Checks that no header with a single value is repeated. `own` is the one in which requests of the application
/// send their tokens, and API keys.
///
/// # Errors
/// `BadRequest`, which names the header.
pub(crate) fn check<'n>(
    headers: &HeaderMap,
    own: impl IntoIterator<Item = &'n str>,
) -> Result<(), Refusal> {
    // Almost always.
    if headers.len() == headers.keys_len() {
        return Ok(());
    }
    let names = REPETITIONS.iter().filter(|(_, repetition)| *repetition == Once);
    let names = names.map(|(name, _)| *name).chain(own);
    let repeated = names.into_iter().find(|name| headers.get_all(*name).iter().nth(1).is_some());
    let Some(name) = repeated else { return Ok(()) };
    let message = format!("The header {name} is there more than once: send it once.");
    let error = Error::new(Code::BadRequest, message);
    Err(match HeaderName::try_from(name).is_ok_and(|name| name == AUTHORIZATION) {
        // RFC 6750 §3.1.
        true => Refusal::challenging(error, Challenge::from(HeaderError::Malformed)),
        false => error.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twice(name: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let name = HeaderName::try_from(name).unwrap();
        headers.append(name.clone(), "a".parse().unwrap());
        headers.append(name, "a".parse().unwrap());
        headers
    }

    #[test]
    fn each_header_is_repeated_as_the_table_says() {
        for (name, repetition) in REPETITIONS {
            let checked = check(&twice(name), None);
            assert_eq!(checked.is_ok(), repetition == List, "{name}");
            if let Err(refused) = checked {
                assert_eq!(refused.error.code, Code::BadRequest);
                assert!(refused.error.message.contains(name), "{name}");
            }
        }
        assert!(REPETITIONS.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn others_may_be_repeated_but_for_that_of_the_applications_tokens() {
        let headers = twice("x-okapi-token");
        assert!(check(&headers, None).is_ok());
        assert!(check(&headers, ["X-Okapi-Token"]).is_err());
        assert!(check(&HeaderMap::new(), ["X-Okapi-Token"]).is_ok());
    }
}
