//! Content codings of answers (RFC 9110 §8.4, §12.5.3): gzip and zstd, for texts above the setting `compress_above`
//! where `Accept-Encoding` takes one.
//!
//! - An answer without the header, and a small one, is sent as ever: all that it costs is one look at the headers.
//! - The representations of a document in two codings have different etags: `"X"`, `"X-gzip"` and `"X-zstd"`.
//!   Conditions are compared without that ending, so that what was read compressed can be written with `If-Match`.
//! - Texts above [`INLINE`] bytes are compressed beside the event loop; streams and large items while they are sent
//!   (`answer/coded_body.rs`).
//! - Tokens and what else may not be stored is never compressed: the length of a compressed text says what is in it.

use std::rc::Rc;

use bytes::Bytes;
use duet_document::TextBuffer;
use hyper::StatusCode;
use hyper::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, HeaderValue, IF_NONE_MATCH};

use crate::answer::coded_body::StreamCoding;
use crate::answer::reply::{Content, Reply};
use crate::message::coding::{Choice, Coding, INLINE, compressed};
use crate::message::header::list;
use crate::observe::event::Event;
use crate::request::arrived::ArrivedRequest;
use crate::request::site::Site;

/// Whether the coding of a reply has to be thought about at all.
#[inline]
pub(crate) fn concerns(arrived: &ArrivedRequest, site: Site<'_>, reply: &Reply) -> bool {
    let Some(least) = arrived.worker.shared.options.compress_above else { return false };
    let is_large = is_stream(reply) || reply.length().max(reply.withheld) > least;
    (is_large || arrived.request.headers().contains_key(ACCEPT_ENCODING))
        && is_offered(site)
        && (is_text(reply) || reply.status == StatusCode::NOT_MODIFIED)
}

fn is_stream(reply: &Reply) -> bool {
    matches!(reply.content, Content::Lines(_))
}

/// The parts of the server whose answers may be compressed: those that never hold a secret of Duet's.
fn is_offered(site: Site<'_>) -> bool {
    matches!(
        site,
        Site::Application(_) | Site::Console(_) | Site::Root | Site::Problems(_) | Site::Metrics
    )
}

/// Whether it is a text that may be stored: others do not get smaller, or hold a secret.
fn is_text(reply: &Reply) -> bool {
    let Some(media) = reply.content_type else { return false };
    let essence = media.split(';').next().unwrap_or(media).trim_end();
    let named =
        ["application/json", "application/x-ndjson", "application/ndjson", "application/jsonl"];
    let is_text = named.contains(&essence)
        || essence == "application/x-jsonlines"
        || essence.starts_with("text/")
        || ["+json", "+xml"].iter().any(|ending| essence.ends_with(ending));
    let mut headers = reply.headers.iter();
    is_text
        && reply.status.is_success()
        && !headers.any(|(name, value)| {
            name == CONTENT_ENCODING || name == CACHE_CONTROL && value == "no-store"
        })
}

/// The reply in the coding that the client likes best.
pub(crate) async fn coded(arrived: &ArrivedRequest, mut reply: Reply) -> Reply {
    let headers = arrived.request.headers();
    let accept = list(headers, &ACCEPT_ENCODING);
    let accept = accept.as_deref().and_then(|accept| std::str::from_utf8(accept).ok());
    let choice = accept.map(Choice::of);
    let least = arrived.worker.shared.options.compress_above.unwrap_or(usize::MAX);
    if reply.status == StatusCode::NOT_MODIFIED {
        let tags = list(headers, &IF_NONE_MATCH).unwrap_or_default();
        reply.varies_by_coding = reply.withheld > least;
        return of_known(reply, &tags);
    }
    let is_large = is_stream(&reply) || reply.length() > least;
    reply.varies_by_coding = is_large;
    let Some(Choice { coding: Some(coding), takes_plain }) = choice else { return reply };
    if !is_large && (takes_plain || reply.length() == 0) {
        return reply;
    }
    reply.varies_by_coding = true;
    if matches!(reply.content, Content::Lines(_) | Content::Item(_)) {
        let events = Rc::clone(&arrived.worker.events);
        let count = Rc::new(move |before, after| events.emit(&Event::Compressed { before, after }));
        reply.coding = Some(StreamCoding { coding, count });
        return in_coding(reply, coding);
    }
    whole(arrived, reply, coding, takes_plain).await
}

/// The reply to a client that knows a text already, with the etag that it has.
fn of_known(mut reply: Reply, tags: &[u8]) -> Reply {
    let Some(plain) = reply.etag.as_deref() else { return reply };
    let has = |tag: &str| tags.windows(tag.len()).any(|window| window == tag.as_bytes());
    let own = Coding::ALL.into_iter().map(|coding| coding.etag(plain)).find(|tag| has(tag));
    if let Some(own) = own {
        reply.etag = Some(own);
        reply.varies_by_coding = true;
    }
    reply
}

/// The headers of a text in a coding.
fn in_coding(mut reply: Reply, coding: Coding) -> Reply {
    reply.etag = reply.etag.map(|plain| coding.etag(&plain));
    reply.with(CONTENT_ENCODING, HeaderValue::from_static(coding.name()))
}

/// A reply whose text is there as a whole; as it is where it does not get smaller, and where no thread is free.
async fn whole(arrived: &ArrivedRequest, reply: Reply, coding: Coding, takes_plain: bool) -> Reply {
    let shared = &arrived.worker.shared;
    let (reply, pieces) = reply.take_pieces();
    let before: usize = pieces.iter().map(Bytes::len).sum();
    let coded = if before <= INLINE {
        Some(compressed(coding, &pieces))
    } else {
        let pieces = pieces.clone();
        shared.offload.run_soon(move || compressed(coding, &pieces)).await
    };
    match coded {
        Some(text) if text.len() < before || !takes_plain => {
            let after = text.len();
            arrived.worker.events.emit(&Event::Compressed { before, after });
            let content = Content::Text(TextBuffer { text, lease: None });
            let reply = Reply { content, ..reply };
            in_coding(reply, coding).claim(arrived.memory())
        }
        _ => Reply { content: Content::Shared(pieces), ..reply },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn etags_of_codings() {
        assert_eq!(Coding::Gzip.etag("\"A1-0a\""), "\"A1-0a-gzip\"");
        let reply = |etag: &str| {
            let mut reply = Reply::empty(StatusCode::NOT_MODIFIED);
            reply.etag = Some(etag.to_owned());
            reply
        };
        for (tags, expected) in [
            ("\"A1-zstd\"", "\"A1-zstd\""),
            ("\"B\", W/\"A1-gzip\"", "\"A1-gzip\""),
            ("\"A1\"", "\"A1\""),
            ("*", "\"A1\""),
        ] {
            let known = of_known(reply("\"A1\""), tags.as_bytes());
            assert_eq!(known.etag.as_deref(), Some(expected), "{tags}");
            assert_eq!(known.varies_by_coding, expected != "\"A1\"");
        }
    }

    #[test]
    fn only_texts_that_may_be_stored() {
        let of = |media| is_text(&Reply::new(StatusCode::OK, Some(media), b"x".to_vec()));
        for media in ["application/json; profile=rows", "text/csv; charset=utf-8", "image/svg+xml"]
        {
            assert!(of(media), "{media}");
        }
        for media in ["image/png", "application/octet-stream", "application/jsonx"] {
            assert!(!of(media), "{media}");
        }
        let secret = Reply::json(b"{}".to_vec());
        let secret = secret.with(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        assert!(!is_text(&secret));
        for site in [Site::Token(None), Site::Login(0), Site::Admin("status"), Site::Tenants("")] {
            assert!(!is_offered(site), "{site:?}");
        }
    }
}
