//! `Request-Timeout`: the limit that a client sets for its own request, as `grpc-timeout` does.
//!
//! The value is seconds, or has a unit: `2.5`, `2.5s`, `250ms`. It counts from the last byte of the request,
//! as the server's own limits do, and extends none of them.

use std::time::Duration;

use duet_model::{Code, Error, Result};
use hyper::HeaderMap;
use hyper::header::HeaderName;

const REQUEST_TIMEOUT: HeaderName = HeaderName::from_static("request-timeout");

/// More digits than any limit needs, and few enough for exact arithmetic.
const DIGITS: usize = 12;

/// The limit in the headers, if there is one.
///
/// # Errors
/// [`Code::BadRequest`] where it is malformed, zero or sent twice.
pub(crate) fn limit(headers: &HeaderMap) -> Result<Option<Duration>> {
    let mut lines = headers.get_all(REQUEST_TIMEOUT).iter();
    let Some(line) = lines.next() else { return Ok(None) };
    let read = line.to_str().ok().and_then(|text| duration(text.trim()));
    match read.filter(|limit| !limit.is_zero() && lines.next().is_none()) {
        Some(limit) => Ok(Some(limit)),
        None => Err(Error::new(Code::BadRequest, "The header Request-Timeout is not a time above zero.")
            .hint("Send seconds or milliseconds, such as `Request-Timeout: 2.5` or `Request-Timeout: 250ms`.")),
    }
}

/// Refuses a limit for a bulk load, whose batches have a deadline each.
///
/// # Errors
/// [`Code::BadRequest`] where there is one.
pub(crate) fn reject(headers: &HeaderMap) -> Result<()> {
    if !headers.contains_key(REQUEST_TIMEOUT) {
        return Ok(());
    }
    let message =
        "A bulk load takes no Request-Timeout, because it commits as it goes. Nothing was changed.";
    Err(Error::new(Code::BadRequest, message)
        .hint("Leave the header out: each batch of a load has the server's own limits."))
}

fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1_000_000),
        None => (text.strip_suffix('s').unwrap_or(text), 1_000_000_000),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| {
        let fits = (1..=DIGITS).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        fits.then(|| text.parse::<u128>().ok()).flatten()
    };
    let scale = 10_u128.pow(u32::try_from(fraction.len()).ok().filter(|length| *length <= 12)?);
    let nanos = digits(whole)? * unit + digits(fraction)? * unit / scale;
    Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn read(lines: &[&str]) -> Result<Option<Duration>, Code> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(REQUEST_TIMEOUT, HeaderValue::from_str(line).unwrap());
        }
        limit(&headers).map_err(|error| error.code)
    }

    #[test]
    fn seconds_and_milliseconds() {
        for (text, millis) in [
            ("2", 2_000),
            ("2.5", 2_500),
            ("2.5s", 2_500),
            ("0.25", 250),
            ("250ms", 250),
            (" 30 ", 30_000),
            ("999999999999", 18_446_744_073_709),
        ] {
            let read = read(&[text]).unwrap().unwrap();
            assert_eq!(read.as_millis(), millis, "{text}");
        }
        assert_eq!(read(&["1.5ms"]), Ok(Some(Duration::from_micros(1_500))));
        assert_eq!(read(&[]), Ok(None));
    }

    #[test]
    fn invalid_timeouts_are_refused() {
        for text in ["", "0", "0ms", "0.0", "-1", "1e3", ".5", "5.", "1m", "1 s", "soon", "1,5"] {
            assert_eq!(read(&[text]), Err(Code::BadRequest), "{text}");
        }
        assert_eq!(read(&["1", "1"]), Err(Code::BadRequest));
        assert_eq!(read(&["1234567890123"]), Err(Code::BadRequest));
    }
}
