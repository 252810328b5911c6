//! The class of a request: that of its resource or service, or batch if the request itself asks for
//! less: `Priority: u=7` (RFC 9218 §4.1), which is for background work.

use duet_service::definition::RequestClass;
use hyper::HeaderMap;
use hyper::header::HeaderName;

use crate::message::header::{elements, list, pair, parts};

const PRIORITY: HeaderName = HeaderName::from_static("priority");

/// The class in the headers. Anything that is no background work, or cannot be read, is interactive: a
/// server may ignore the header.
pub(crate) fn of(headers: &HeaderMap) -> RequestClass {
    let Some(value) = list(headers, &PRIORITY) else { return RequestClass::Interactive };
    let text = String::from_utf8_lossy(&value);
    let is_background = |element: &str| {
        parts(element)
            .next()
            .and_then(pair)
            .is_some_and(|(name, value)| name == "u" && value == "7")
    };
    match elements(&text).any(is_background) {
        true => RequestClass::Batch,
        false => RequestClass::Interactive,
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn background_work_is_batch() {
        let class = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(PRIORITY, HeaderValue::from_str(text).unwrap());
            of(&headers)
        };
        for text in ["u=7", "i, u=7", "u=7, i"] {
            assert_eq!(class(text), RequestClass::Batch, "{text}");
        }
        for text in ["", "u=3", "u=1, i", "u", "7", "x=7", "u=77", "nonsense;;;"] {
            assert_eq!(class(text), RequestClass::Interactive, "{text}");
        }
        assert_eq!(of(&HeaderMap::new()), RequestClass::Interactive);
    }
}
