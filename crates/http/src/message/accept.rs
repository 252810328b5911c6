//! `Accept` and `If-None-Match` (RFC 9110 §12.5.1, §13.1.2).

use std::cmp::Reverse;

use duet_service::write::Tags;

use super::header::{elements, pair, parts};
use super::media::{COLLECTION, JSON, ResponseFormat};

/// Whether a client that sends this `Accept` takes JSON.
pub(crate) fn takes_json(accept: Option<&[u8]>) -> bool {
    let Some(accept) = accept else { return true };
    if accept == b"*/*" || accept == JSON.as_bytes() {
        return true;
    }
    std::str::from_utf8(accept).is_ok_and(|accept| quality(accept, JSON) > 0.0)
}

/// Whether a client that sends this `Accept` takes a media type, whose parameters do not count.
pub(crate) fn takes(accept: Option<&[u8]>, media: &str) -> bool {
    accept.is_none_or(|accept| wanted(accept, media) > 0.0)
}

/// Whether a client prefers a media type to others, or likes it as much as they.
pub(crate) fn prefers(accept: Option<&[u8]>, media: &str, others: &[&str]) -> bool {
    accept.is_none_or(|accept| {
        let own = wanted(accept, media);
        own > 0.0 && others.iter().all(|other| own >= wanted(accept, other))
    })
}

fn wanted(accept: &[u8], media: &str) -> f32 {
    let essence = media.split(';').next().unwrap_or(media).trim().to_ascii_lowercase();
    std::str::from_utf8(accept).map_or(0.0, |accept| quality(accept, &essence))
}

/// The form in which a client that sends this `Accept` wants a collection, and the `Content-Type` of it.
/// `None`: none of them.
pub(crate) fn form(accept: Option<&[u8]>) -> Option<(ResponseFormat, &'static str)> {
    let first = &COLLECTION[0];
    let chosen = match accept {
        Some(text) if text != b"*/*" && text != JSON.as_bytes() => {
            best_of(accept, &COLLECTION, |media| media.name, quality_of_profile)?
        }
        _ => first,
    };
    Some((chosen.form, chosen.content_type))
}

/// The offered type that a client with this `Accept` prefers: that of the highest quality, the earlier
/// one where two are equal. `None`: none of them.
pub(crate) fn preferred<'o, O>(
    accept: Option<&[u8]>,
    offered: &'o [O],
    media: impl Fn(&O) -> &'static str,
) -> Option<&'o O> {
    best_of(accept, offered, media, quality)
}

fn best_of<'o, O>(
    accept: Option<&[u8]>,
    offered: &'o [O],
    media: impl Fn(&O) -> &'static str,
    quality: impl Fn(&str, &str) -> f32,
) -> Option<&'o O> {
    let Some(accept) = accept else { return offered.first() };
    let text = std::str::from_utf8(accept).ok()?;
    let mut best: Option<(f32, &O)> = None;
    for offer in offered {
        let quality = quality(text, media(offer));
        if quality > best.map_or(0.0, |(known, _)| known) {
            best = Some((quality, offer));
        }
    }
    best.map(|(_, offer)| offer)
}

/// How much a media type is wanted, from 0 to 1: the most specific range that fits decides.
fn quality(accept: &str, media: &str) -> f32 {
    preference(accept, media).map_or(0.0, |wanted| wanted.quality)
}

/// The same where a media type is offered with different profiles: a range that names one of them is of that one
/// alone, and a profile is chosen by its name only.
fn quality_of_profile(accept: &str, media: &str) -> f32 {
    let (essence, own) = match media.split_once("; profile=") {
        Some((essence, profile)) => (essence, Some(profile)),
        None => (media, None),
    };
    let mut ranges = elements(accept).map(|range| (range, profile_of(range)));
    if own.is_some() {
        let named = ranges.find(|(range, asked)| {
            let mut parts = parts(range);
            *asked == own && parts.next().is_some_and(|name| name.eq_ignore_ascii_case(essence))
        });
        return named.map_or(0.0, |(range, _)| parts(range).find_map(weight).unwrap_or(1.0));
    }
    let others: Vec<&str> =
        ranges.filter(|(_, asked)| asked.is_none()).map(|(range, _)| range).collect();
    quality(&others.join(","), essence)
}

/// The profile that a range names, if it is one that is offered.
fn profile_of(range: &str) -> Option<&'static str> {
    let asked = parts(range).skip(1).filter_map(pair);
    let mut asked = asked.filter(|(name, _)| name.eq_ignore_ascii_case("profile"));
    let (_, value) = asked.next()?;
    let offered = COLLECTION.iter().filter_map(|media| media.name.split_once("; profile="));
    offered.map(|(_, profile)| profile).find(|profile| value.eq_ignore_ascii_case(profile))
}

/// How much a media type is wanted; the greater one is the better answer.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Preference {
    /// From 0 to 1.
    pub(crate) quality: f32,
    /// How specific the range is that says so.
    specific: u8,
    /// Its position.
    earlier: Reverse<usize>,
}

/// How much a media type is wanted by the most specific range that fits; `None` where none does.
pub(crate) fn preference(accept: &str, media: &str) -> Option<Preference> {
    let family = media.split_once('/').map_or("", |(family, _)| family);
    let mut best: Option<Preference> = None;
    for (position, range) in elements(accept).enumerate() {
        let mut parts = parts(range);
        let named = parts.next().unwrap_or("").to_ascii_lowercase();
        let specific = match named.strip_suffix("/*") {
            None if named == media => 3,
            Some(wanted) if wanted == family => 2,
            Some("*") => 1,
            _ => continue,
        };
        if best.is_none_or(|known| specific > known.specific) {
            let quality = parts.find_map(weight).unwrap_or(1.0);
            best = Some(Preference { quality, specific, earlier: Reverse(position) });
        }
    }
    best
}

/// The value of the parameter `q`, from 0 to 1; `None` where it is another parameter or no number.
pub(crate) fn weight(parameter: &str) -> Option<f32> {
    let (name, value) = pair(parameter)?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value = Some(value).filter(|value| name.eq_ignore_ascii_case("q") && digits(value))?;
    value.parse::<f32>().ok().map(|weight| weight.min(1.0))
}

/// Whether one of the tags in `If-None-Match` is that of an answer; weak and strong tags are compared
/// alike. The etag of a document, as `_metadata` has it, is good for an answer whose header says more.
pub(crate) fn none_match(header: &[u8], etag: &str) -> bool {
    header == etag.as_bytes()
        || std::str::from_utf8(header)
            .is_ok_and(|header| Tags::parse_weak(header).match_header(etag.trim_matches('"')))
}

#[cfg(test)]
mod tests {
    use duet_service::Format;

    use super::*;

    #[test]
    fn preferences() {
        let of = |accept: Option<&str>| {
            let offered = ["application/json", "text/html"];
            preferred(accept.map(str::as_bytes), &offered, |media| media).copied()
        };
        for (accept, expected) in [
            (None, Some("application/json")),
            (Some("*/*"), Some("application/json")),
            (Some("text/html,application/xhtml+xml,*/*;q=0.8"), Some("text/html")),
            (Some("text/html;q=0.5, application/json"), Some("application/json")),
            (Some("text/csv"), None),
            (Some("text/html;q=0"), None),
        ] {
            assert_eq!(of(accept), expected, "{accept:?}");
        }
    }

    #[test]
    fn accept() {
        for yes in [
            "*/*",
            "application/json",
            "application/json, text/plain, */*",
            "text/html,application/xhtml+xml,*/*;q=0.8",
            "application/*",
            "application/json;charset=utf-8",
            "APPLICATION/JSON",
            "application/json ; Q = 0.3",
            "application/json;q=\"1\"",
            "application/json;q=much",
            "text/html;x=\",application/json;q=0\",*/*",
            "text/html;q=0.9 , */* ; q=0.001",
            ", ,application/json",
        ] {
            assert!(takes_json(Some(yes.as_bytes())), "{yes}");
        }
        for no in [
            "text/html",
            "application/json;q=0",
            "application/json; q=0.000",
            "application/json;charset=utf-8;Q=0",
            "application/json ; q = 0",
            "application/xml, application/json;q=0, */*",
            "application/jsonx",
            "application/json-seq",
            "text/html;x=\"application/json\"",
            "",
        ] {
            assert!(!takes_json(Some(no.as_bytes())), "{no}");
        }
        assert!(takes_json(None));
    }

    #[test]
    fn forms() {
        const CSV: &str = "text/csv; charset=utf-8; header=present";
        let (ndjson, csv) =
            (ResponseFormat::Stream(Format::Ndjson), ResponseFormat::Stream(Format::Csv));
        let json = Some((ResponseFormat::Json, "application/json"));
        let rows = Some((ResponseFormat::Rows, "application/json; profile=rows"));
        for (accept, expected) in [
            ("*/*", Some((ResponseFormat::Json, "application/json"))),
            ("application/*", Some((ResponseFormat::Json, "application/json"))),
            ("text/csv", Some((csv, CSV))),
            ("Text/CSV; header=present", Some((csv, CSV))),
            ("text/*", Some((csv, CSV))),
            ("application/x-ndjson", Some((ndjson, "application/x-ndjson"))),
            ("application/ndjson", Some((ndjson, "application/ndjson"))),
            ("application/jsonl", Some((ndjson, "application/jsonl"))),
            ("application/json, text/csv", Some((ResponseFormat::Json, "application/json"))),
            ("application/json;q=0.5, text/csv", Some((csv, CSV))),
            ("text/csv;q=0.5, */*;q=0.1", Some((csv, CSV))),
            ("text/csv;q=0, */*", Some((ResponseFormat::Json, "application/json"))),
            ("application/json;q=0, */*", Some((ndjson, "application/x-ndjson"))),
            ("text/html, */*;q=0.8", Some((ResponseFormat::Json, "application/json"))),
            ("text/csv;q=0", None),
            ("text/csv;q=NaN, application/json;q=0.5", Some((csv, CSV))),
            (
                "text/csv;q=\"0.1\", application/json;q=0.5",
                Some((ResponseFormat::Json, "application/json")),
            ),
            (
                "text/csv ; Q = 0 , application/json",
                Some((ResponseFormat::Json, "application/json")),
            ),
            ("application/json;profile=rows", rows),
            ("application/json; Profile = \"rows\"", rows),
            ("application/json;profile=rows, application/json;q=0.5", rows),
            ("text/csv, application/json;profile=rows;q=0.5", Some((csv, CSV))),
            ("application/json;profile=rows;q=0.5, */*", json),
            ("application/json;profile=rows;q=0, */*;q=0.5", json),
            ("application/json;profile=other", json),
            ("application/json;profile=rows;q=0", None),
            ("text/html", None),
            ("", None),
        ] {
            assert_eq!(form(Some(accept.as_bytes())), expected, "{accept}");
        }
        assert_eq!(form(None), Some((ResponseFormat::Json, "application/json")));
        assert_eq!(form(Some(b"\xff")), None);
    }

    #[test]
    fn tags() {
        let lists =
            ["\"A1\"", "W/\"A1\"", "\"B\",\t\"A1\"", "*", " * ", "A1", "\"a1\"", "\"B,\", W/A1"];
        for yes in lists {
            assert!(none_match(yes.as_bytes(), "\"A1\""), "{yes}");
            // The etag of the document alone.
            assert!(none_match(yes.as_bytes(), "\"A1-0a1b2c3d\""), "{yes}");
        }
        for no in ["\"A\"", "\"B,A1\"", "\"*\"", "\"A1-0\"", "\"A1-\"", "W/", ""] {
            assert!(!none_match(no.as_bytes(), "\"A1\""), "{no}");
        }
        assert!(none_match(b"\"A1-0a1b2c3d\"", "\"A1-0a1b2c3d\""));
        assert!(!none_match(b"\"A1-00000000\"", "\"A1-0a1b2c3d\""));
        assert!(!none_match(b"\"B-0a1b2c3d\"", "\"A1-0a1b2c3d\""));
    }
}
