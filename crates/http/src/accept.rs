//! `Accept` and `If-None-Match` (RFC 9110 §12.5.1, §13.1.2).

use std::borrow::Cow;

use duet_service::Format;
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

/// The value of a header that is a list; lines of the same name are one (RFC 9110 §5.3).
pub(crate) fn list<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Cow<'a, [u8]>> {
    let mut lines = headers.get_all(name).iter().map(HeaderValue::as_bytes);
    let first = lines.next()?;
    let mut all = Cow::Borrowed(first);
    for line in lines {
        all.to_mut().extend_from_slice(b", ");
        all.to_mut().extend_from_slice(line);
    }
    Some(all)
}

/// Whether a client that sends this `Accept` takes JSON.
pub(crate) fn takes_json(accept: Option<&[u8]>) -> bool {
    let Some(accept) = accept else { return true };
    if accept == b"*/*" || accept.starts_with(b"application/json") && !accept.contains(&b';') {
        return true;
    }
    let Ok(accept) = std::str::from_utf8(accept) else { return false };
    let mut best = None;
    for range in accept.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or("").to_ascii_lowercase();
        let specific = match media.as_str() {
            "application/json" => 3,
            "application/*" => 2,
            "*/*" => 1,
            _ => continue,
        };
        let refused = parts.any(|parameter| {
            let quality = parameter.strip_prefix("q=").or_else(|| parameter.strip_prefix("Q="));
            quality.and_then(|quality| quality.trim().parse::<f32>().ok()) == Some(0.0)
        });
        if best.is_none_or(|(known, _)| specific > known) {
            best = Some((specific, !refused));
        }
    }
    best.is_some_and(|(_, taken)| taken)
}

/// What a collection is offered as, the preferred form first, with the media types that ask for
/// it; the first of them, or the one that was asked for by name, is the answer's.
const COLLECTION: [(Form, &str); 6] = [
    (Form::Json, "application/json"),
    (Form::Stream(Format::Ndjson), "application/x-ndjson"),
    (Form::Stream(Format::Ndjson), "application/ndjson"),
    (Form::Stream(Format::Ndjson), "application/jsonl"),
    (Form::Stream(Format::Ndjson), "application/x-jsonlines"),
    (Form::Stream(Format::Csv), "text/csv"),
];

/// A form that a collection is answered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A page.
    Json,
    /// All of it, line by line.
    Stream(Format),
}

/// The form in which a client that sends this `Accept` wants a collection, and its media type:
/// that of the highest quality, the earlier one where two are equal. `None`: none of them.
pub(crate) fn form(accept: Option<&[u8]>) -> Option<(Form, &'static str)> {
    let first = COLLECTION[0];
    if accept.is_none_or(|accept| accept == b"*/*" || accept == b"application/json") {
        return Some(first);
    }
    let text = std::str::from_utf8(accept?).ok()?;
    let mut best: Option<(f32, (Form, &'static str))> = None;
    for offer in COLLECTION {
        let quality = quality(text, offer.1);
        if quality > best.map_or(0.0, |(known, _)| known) {
            best = Some((quality, offer));
        }
    }
    best.map(|(_, offer)| offer)
}

/// How much a media type is wanted, from 0 to 1: the most specific range that fits decides.
fn quality(accept: &str, media: &str) -> f32 {
    let family = media.split_once('/').map_or("", |(family, _)| family);
    let mut best = (0, 0.0);
    for range in accept.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let named = parts.next().unwrap_or("").to_ascii_lowercase();
        let specific = match named.strip_suffix("/*") {
            None if named == media => 3,
            Some(wanted) if wanted == family => 2,
            Some("*") => 1,
            _ => continue,
        };
        let given = parts.find_map(|part| {
            let value = part.strip_prefix("q=").or_else(|| part.strip_prefix("Q="))?;
            value.trim().parse::<f32>().ok()
        });
        let given = given.unwrap_or(1.0).clamp(0.0, 1.0);
        if specific > best.0 {
            best = (specific, given);
        }
    }
    best.1
}

/// Whether one of the tags in `If-None-Match` is this one; weak and strong tags are compared
/// alike.
pub(crate) fn none_match(header: &[u8], etag: &str) -> bool {
    let Ok(header) = std::str::from_utf8(header) else { return false };
    let header = header.trim();
    if header == "*" || header == etag {
        return true;
    }
    // Oracle's clients send tags without quotes.
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").trim_matches('"').to_owned();
    header.split(',').any(|tag| bare(tag) == etag.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept() {
        for yes in [
            "*/*",
            "application/json",
            "application/json, text/plain, */*",
            "text/html,application/xhtml+xml,*/*;q=0.8",
            "application/*",
            "application/json;charset=utf-8",
        ] {
            assert!(takes_json(Some(yes.as_bytes())), "{yes}");
        }
        for no in
            ["text/html", "application/json;q=0", "application/xml, application/json;q=0, */*", ""]
        {
            assert!(!takes_json(Some(no.as_bytes())), "{no}");
        }
        assert!(takes_json(None));
    }

    #[test]
    fn forms() {
        let (ndjson, csv) = (Form::Stream(Format::Ndjson), Form::Stream(Format::Csv));
        for (accept, expected) in [
            ("*/*", Some((Form::Json, "application/json"))),
            ("application/*", Some((Form::Json, "application/json"))),
            ("text/csv", Some((csv, "text/csv"))),
            ("Text/CSV; header=present", Some((csv, "text/csv"))),
            ("text/*", Some((csv, "text/csv"))),
            ("application/x-ndjson", Some((ndjson, "application/x-ndjson"))),
            ("application/ndjson", Some((ndjson, "application/ndjson"))),
            ("application/jsonl", Some((ndjson, "application/jsonl"))),
            ("application/json, text/csv", Some((Form::Json, "application/json"))),
            ("application/json;q=0.5, text/csv", Some((csv, "text/csv"))),
            ("text/csv;q=0.5, */*;q=0.1", Some((csv, "text/csv"))),
            ("text/csv;q=0, */*", Some((Form::Json, "application/json"))),
            ("application/json;q=0, */*", Some((ndjson, "application/x-ndjson"))),
            ("text/html, */*;q=0.8", Some((Form::Json, "application/json"))),
            ("text/csv;q=0", None),
            ("text/html", None),
            ("", None),
        ] {
            assert_eq!(form(Some(accept.as_bytes())), expected, "{accept}");
        }
        assert_eq!(form(None), Some((Form::Json, "application/json")));
        assert_eq!(form(Some(b"\xff")), None);
    }

    #[test]
    fn tags() {
        for yes in ["\"A1\"", "W/\"A1\"", "\"B\", \"A1\"", "*", "A1"] {
            assert!(none_match(yes.as_bytes(), "\"A1\""), "{yes}");
        }
        assert!(!none_match(b"\"A\"", "\"A1\""));
    }
}
