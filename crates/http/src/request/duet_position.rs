//! `Duet-Position`: how new what a request reads must be, and what a write has made so new.
//!
//! The answer of a write has the header, where standbys answer reads. A request that brings it reads nothing older,
//! whichever server and process it meets.

use duet_model::{Code, Error, Result};
use duet_service::{Position, ReadServer, Reading};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{HeaderMap, Request};

use super::body::BufferedBody;
use crate::message::header::wants_fresh;

/// The header.
pub(crate) const DUET_POSITION: HeaderName = HeaderName::from_static("duet-position");

/// Notes what a request says of the server that answers it, where standbys may.
///
/// # Errors
/// [`Code::BadRequest`] for a position that no answer has given.
pub(crate) fn note(request: &Request<BufferedBody>, reading: &Reading) -> Result<()> {
    if let Some(position) = position(request.headers())? {
        reading.needs(position);
    }
    if request.method().is_safe() {
        reading.may_lag();
    }
    if wants_fresh(request.headers()) {
        reading.only_primary();
    }
    Ok(())
}

/// The position in the headers; of several the newest.
fn position(headers: &HeaderMap) -> Result<Option<Position>> {
    let mut newest = None;
    for line in headers.get_all(DUET_POSITION) {
        let position = Position::parse(line.as_bytes()).ok_or_else(|| {
            let message = "The header Duet-Position is no position.";
            let hint = "Send it as the answer of a write had it, or leave it out.";
            Error::new(Code::BadRequest, message).hint(hint)
        })?;
        newest = newest.max(Some(position));
    }
    Ok(newest)
}

/// The header of an answer, if the request has written.
pub(crate) fn of_answer(reading: &Reading) -> Option<HeaderValue> {
    HeaderValue::try_from(reading.written()?.to_string()).ok()
}

/// The server that answered, for `Server-Timing`.
pub(crate) fn node(reading: &Reading) -> Option<String> {
    Some(match reading.node()? {
        ReadServer::Primary => "primary".to_owned(),
        ReadServer::Standby(_) => format!("standby-{}", reading.node()?.text()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<Option<Position>> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(DUET_POSITION, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        position(&headers)
    }

    #[test]
    fn positions_are_read_strictly() {
        assert_eq!(read(&[]).unwrap(), None);
        let at = |byte| Position { timeline: 1, byte };
        let (older, newer) = (at(16).to_string(), at(17).to_string());
        assert_eq!(read(&[&newer, &older]).unwrap(), Some(at(17)));
        for bad in ["", "0/16B3748", "1; DROP TABLE x", "00000001-0000000000000010, x", "\u{e9}"] {
            let error = read(&[&newer, bad]).unwrap_err();
            assert_eq!(error.code, Code::BadRequest, "{bad}");
        }
    }

    #[test]
    fn the_answer_of_a_write_has_what_it_has_written() {
        let reading = Reading::default();
        assert_eq!(of_answer(&reading), None);
        reading.wrote(Position { timeline: 1, byte: 255 });
        assert_eq!(of_answer(&reading).unwrap(), "00000001-00000000000000FF");
    }
}
