//! The settings of a request that functions of the database read, and what they set for its answer.

use std::sync::Arc;

use duet_model::Error;
use duet_model::profiles::PostgrestCode;
use duet_service::{RequestFrame, TIME_ZONE};
use hyper::header::{CONTENT_TYPE, COOKIE, ETAG, HeaderName, HeaderValue};
use hyper::{HeaderMap, StatusCode};
use serde_json::{Map, Value};

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::header::settable;
use crate::request::scope::Scope;

/// The settings of a request, where the application says that functions read them, and its time zone; one that reads
/// runs READ ONLY.
pub(super) fn frame(
    scope: &Scope<'_>,
    reads: bool,
    zone: Option<&str>,
) -> Option<Arc<RequestFrame>> {
    let zone = zone.map(|zone| (TIME_ZONE, zone.to_owned()));
    if !scope.snapshot.application.mounts.request_settings() {
        return zone.map(|zone| Arc::new(RequestFrame::silent(vec![zone], reads)));
    }
    let headers = scope.request.headers();
    let path = scope.request.uri().path();
    let below = path.strip_prefix(scope.mount.path.trim_end_matches('/')).unwrap_or(path);
    let mut settings = vec![
        ("request.method", scope.request.method().to_string()),
        ("request.path", below.to_owned()),
        ("request.headers", named_headers(headers)),
        ("request.cookies", cookies(headers)),
    ];
    settings.extend(zone);
    Some(Arc::new(RequestFrame::new(settings, reads)))
}

/// The settings of a transaction that only reads, and of which functions learn nothing.
pub(super) fn read_only() -> Arc<RequestFrame> {
    Arc::new(RequestFrame::silent(Vec::new(), true))
}

/// The headers by their names in lower case, without cookies; of lines of one name the last.
fn named_headers(headers: &HeaderMap) -> String {
    let given = headers.iter().filter(|(name, _)| **name != COOKIE);
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let members = given.map(|(name, value)| (name.as_str().to_owned(), Value::from(text(value))));
    Value::Object(members.collect()).to_string()
}

/// The cookies by their names.
fn cookies(headers: &HeaderMap) -> String {
    let mut members = Map::new();
    for line in headers.get_all(COOKIE) {
        let line = String::from_utf8_lossy(line.as_bytes());
        for cookie in line.split(';') {
            let (name, value) = cookie.split_once('=').unwrap_or((cookie, ""));
            members.insert(name.trim().to_owned(), Value::from(value.trim()));
        }
    }
    Value::Object(members).to_string()
}

/// The answer with the headers and the status that functions have set.
///
/// # Errors
/// [`PostgrestCode::ResponseHeaders`] and [`PostgrestCode::ResponseStatus`] for what cannot be sent.
pub(super) fn answered(
    frame: Option<&Arc<RequestFrame>>,
    mut reply: Reply,
) -> Result<Reply, Refusal> {
    let Some(frame) = frame.filter(|frame| frame.is_answered()) else { return Ok(reply) };
    // What functions say may differ each time.
    reply.etag = None;
    let answer = frame.answer();
    if let Some(status) = &answer.status {
        reply.status = final_status(status)?;
    }
    let headers = answer.headers.as_deref().map_or(Ok(Vec::new()), headers_of)?;
    reply.headers.retain(|(name, _)| headers.iter().all(|(own, _)| own != name));
    for (name, value) in headers {
        match name {
            CONTENT_TYPE => reply.content_type = None,
            ETAG => reply.etag = None,
            _ => {}
        }
        reply.headers.push((name, value));
    }
    Ok(reply)
}

/// The status that a text begins with.
fn final_status(text: &str) -> Result<StatusCode, Error> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    let status = digits.parse().ok().and_then(|number| StatusCode::from_u16(number).ok());
    status.filter(|status| (200..600).contains(&status.as_u16())).ok_or_else(|| {
        let message = "response.status guc must be a valid status code";
        PostgrestCode::ResponseStatus.error(message)
    })
}

/// The headers that a text of JSON lists.
fn headers_of(text: &str) -> Result<Vec<(HeaderName, HeaderValue)>, Error> {
    let wrong = || {
        let message = "response.headers guc must be a JSON array composed of objects with a single key and a string value";
        PostgrestCode::ResponseHeaders.error(message)
    };
    let header = |entry: &Value| {
        let members = entry.as_object().filter(|members| members.len() == 1).ok_or_else(wrong)?;
        let (name, value) = members.iter().next().ok_or_else(wrong)?;
        let value = value.as_str().ok_or_else(wrong)?;
        match (settable(name), HeaderValue::try_from(value)) {
            (Some(name), Ok(value)) => Ok((name, value)),
            _ => {
                let shown: String = name.chars().take(64).collect();
                let message =
                    format!("response.headers guc cannot set the header {shown:?} to this value");
                Err(PostgrestCode::ResponseHeaders.error(message))
            }
        }
    };
    let json: Value = serde_json::from_str(text).map_err(|_| wrong())?;
    json.as_array().ok_or_else(wrong)?.iter().map(header).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_a_list_of_pairs() {
        let found = headers_of(r#"[{"X-A": "1"}, {"Set-Cookie": "a=b"}, {"set-cookie": "c=d"}]"#);
        let names: Vec<String> = found.unwrap().iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(names, ["x-a", "set-cookie", "set-cookie"]);
        for text in [
            r#"{"X-A": "1"}"#,
            r#"["a"]"#,
            r#"[{"a": "1", "b": "2"}]"#,
            r#"[{"a": 1}]"#,
            r#"[{"content-length": "1"}]"#,
            r#"[{"Transfer-Encoding": "chunked"}]"#,
            "[{\"a\": \"b\\r\\nc: d\"}]",
            r#"[{"a b": "1"}]"#,
            "",
        ] {
            let error = headers_of(text).unwrap_err();
            assert_eq!(&*error.foreign().unwrap().code, "PGRST111", "{text}");
        }
    }

    #[test]
    fn statuses_end_a_response() {
        assert_eq!(final_status("403").unwrap(), StatusCode::FORBIDDEN);
        assert_eq!(final_status("299x").unwrap().as_u16(), 299);
        for text in ["", "bad", "100", "999", "70000"] {
            assert_eq!(final_status(text).unwrap_err().foreign().unwrap().status, 500, "{text}");
        }
    }

    #[test]
    fn cookies_have_names() {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, "a=1; b=x=y;c".parse().unwrap());
        headers.insert("x-two", "2".parse().unwrap());
        assert_eq!(cookies(&headers), r#"{"a":"1","b":"x=y","c":""}"#);
        assert_eq!(named_headers(&headers), r#"{"x-two":"2"}"#);
    }
}
