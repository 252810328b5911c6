//! The events of a subscription as `text/event-stream` has them (WHATWG HTML §9.2).

use std::fmt;

use duet_model::{Code, Error};
use serde_json::json;

/// A kind of event.
#[derive(Clone, Copy, Debug)]
pub struct EventRow {
    /// Its name.
    pub name: &'static str,
    /// What it says, for the manual.
    pub text: &'static str,
}

const fn row(name: &'static str, text: &'static str) -> EventRow {
    EventRow { name, text }
}

/// The kinds of events.
pub const EVENTS: &[EventRow] = &[
    row(
        "begin",
        "The first one: `resource`, whose commits it `sees`, and whether it has `resumed`.",
    ),
    row(
        "reset",
        "The server no longer has the changes since `Last-Event-ID`: the state follows anew.",
    ),
    row("document", "A document of the state: `key`, `etag` and `document`."),
    row("complete", "The state is complete; it had `count` documents."),
    row("entered", "A document is selected now: `key`, `etag` and `document`."),
    row("changed", "A selected document has changed: `key`, `etag` and `document`."),
    row("left", "The document of a `key` is no longer selected, or gone."),
    row("sees", "Whose commits are seen has changed."),
    row(
        "end",
        "The subscription ends: `code`, `message`, and `retry` in milliseconds where it may begin again.",
    ),
];

/// A comment that keeps the connection open.
pub const HEARTBEAT: &[u8] = b":\n\n";

/// Why a subscription ends.
#[derive(Clone, Debug)]
pub enum EndReason {
    /// The server stops, or leaves its connections to others.
    Stopping,
    /// The application or its schema was replaced.
    Reloaded,
    /// The tenant was closed, because others are used.
    Closed,
    /// The subscriber has not taken events for so long that they are no longer kept.
    Slow,
    /// The token is no longer good, the caller has lost a right, the resource or the tenant is gone, or the query failed.
    Failed(Box<Error>),
}

impl EndReason {
    /// The word, the code, the message, and in how many milliseconds it may be tried again.
    fn parts(&self) -> (&'static str, Option<Code>, &str, Option<u32>) {
        match self {
            Self::Stopping => ("stopping", None, "The server stops: connect again.", Some(1_000)),
            Self::Reloaded => {
                ("reloaded", None, "The application has changed: connect again.", Some(1_000))
            }
            Self::Closed => (
                "closed",
                None,
                "Other tenants need the place of this one (--open-tenants): connect again.",
                Some(1_000),
            ),
            Self::Slow => (
                "slow",
                None,
                "Events came faster than they were taken (live_log_bytes, live_memory): connect again for the state.",
                Some(1_000),
            ),
            Self::Failed(error) => {
                let retry = (error.code.status() == 503 || error.code.status() == 504)
                    .then(|| error.retry_after.unwrap_or(1).saturating_mul(1_000));
                ("failed", Some(error.code), &error.message, retry)
            }
        }
    }
}

/// The last event of a subscription. Those that may begin again are spread over two seconds by `spread`, any number.
pub fn end_event(reason: &EndReason, spread: u32) -> Vec<u8> {
    let (word, code, message, retry) = reason.parts();
    let retry = retry.map(|millis| millis + spread % 2_000);
    let mut body = json!({ "reason": word, "message": message });
    if let Some(code) = code {
        body["code"] = code.as_str().into();
    }
    let mut out = Vec::new();
    if let Some(millis) = retry {
        body["retry"] = millis.into();
        out.extend_from_slice(format!("retry: {millis}\n").as_bytes());
    }
    write(&mut out, None, "end", body.to_string().as_bytes());
    out
}

/// Where an event is in the log of its query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventId {
    /// Which log.
    pub(crate) log: u64,
    /// The number of the event in it; 0 is before all.
    pub(crate) number: u64,
}

impl EventId {
    /// The id that a client returns.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (log, number) = text.split_once('-')?;
        Some(Self { log: u64::from_str_radix(log, 16).ok()?, number: number.parse().ok()? })
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}-{}", self.log, self.number)
    }
}

/// Appends an event. The data is one line of JSON: line breaks outside of its strings are spaces.
pub(crate) fn write(out: &mut Vec<u8>, id: Option<EventId>, name: &str, data: &[u8]) {
    write_with_id(out, id.as_ref().map(|id| id as &dyn fmt::Display), name, data);
}

/// The same with an id of another kind.
pub(crate) fn write_with_id(
    out: &mut Vec<u8>,
    id: Option<&dyn fmt::Display>,
    name: &str,
    data: &[u8],
) {
    if let Some(id) = id {
        out.extend_from_slice(format!("id: {id}\n").as_bytes());
    }
    out.extend_from_slice(b"event: ");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\ndata: ");
    let one_line = |byte: &u8| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte };
    out.extend(data.iter().map(one_line));
    out.extend_from_slice(b"\n\n");
}

/// Appends the first event. Where the state follows, the client forgets the id that it has: a part of the state is
/// nothing to go on from.
pub(crate) fn write_begin(out: &mut Vec<u8>, resumed: bool, data: &[u8]) {
    if !resumed {
        out.extend_from_slice(b"id\n");
    }
    write(out, None, "begin", data);
}

/// The data of an event about a document.
pub(crate) fn document(key: &str, etag: &str, document: &[u8]) -> Vec<u8> {
    let mut data = Vec::with_capacity(document.len() + key.len() + etag.len() + 40);
    data.extend_from_slice(b"{\"key\":");
    duet_document::write_string(key.as_bytes(), &mut data);
    data.extend_from_slice(b",\"etag\":");
    duet_document::write_string(etag.trim_matches('"').as_bytes(), &mut data);
    data.extend_from_slice(b",\"document\":");
    data.extend_from_slice(document);
    data.push(b'}');
    data
}

/// The data of an event about a document that is gone.
pub(crate) fn key(key: &str) -> Vec<u8> {
    json!({ "key": key }).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_one_line_of_data() {
        let mut out = Vec::new();
        write(&mut out, Some(EventId { log: 255, number: 7 }), "left", b"{\n\"key\":\"1\"}");
        assert_eq!(out, b"id: ff-7\nevent: left\ndata: { \"key\":\"1\"}\n\n");
        assert_eq!(EventId::parse("ff-7"), Some(EventId { log: 255, number: 7 }));
        for wrong in ["", "ff", "ff-", "-7", "x-7", "ff-7-1", "ff--1"] {
            assert_eq!(EventId::parse(wrong), None, "{wrong}");
        }
        assert_eq!(
            document("a\"b", "\"E1\"", b"{}"),
            br#"{"key":"a\"b","etag":"E1","document":{}}"#
        );
    }

    #[test]
    fn an_end_says_when_to_come_again() {
        let text = |reason| String::from_utf8(end_event(&reason, 2_007)).unwrap();
        assert!(text(EndReason::Slow).starts_with("retry: 1007\nevent: end\ndata: {"));
        let gone = EndReason::Failed(Box::new(Error::new(Code::Unauthorized, "Expired.")));
        let gone = text(gone);
        assert!(!gone.contains("retry") && gone.contains("DUET-4001"), "{gone}");
    }
}
