//! The forms that documents are answered and taken in: one list of media types for `Accept`, `Content-Type`, errors
//! and OpenAPI.

use std::sync::LazyLock;

use duet_service::Format;
use duet_service::bulk::BodyForm;

/// JSON, exactly as the published load tests check it: without a charset.
pub(crate) const JSON: &str = "application/json";

/// What a request with `explain=1` is answered as. It is a type of its own and no parameter of JSON's: generated clients and
/// test tools compare media types without their parameters.
pub(crate) const PLAN: &str = "application/vnd.duet.plan+json";

/// Live changes.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// A page as an array of its items.
pub(crate) const ROWS: &str = "application/json; profile=rows";

/// A form that a collection is answered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseFormat {
    /// A page.
    Json,
    /// A page as an array of its items.
    Rows,
    /// All of it, line by line.
    Stream(Format),
    /// All of it, and then its changes.
    Live,
}

/// What one media type means.
#[derive(Debug)]
pub(crate) struct Media<F> {
    pub(crate) form: F,
    /// The name in `Accept` and `Content-Type`, in lower case and without parameters but `profile`.
    pub(crate) name: &'static str,
    /// The name with the parameters of the response.
    pub(crate) content_type: &'static str,
    /// What OpenAPI says of it; `None` for further names of the form before it.
    pub(crate) text: Option<&'static str>,
}

/// What a collection is offered as, the preferred form first; streams are the formats of `document`.
pub(crate) static COLLECTION: LazyLock<Vec<Media<ResponseFormat>>> = LazyLock::new(|| {
    let mut offers = vec![
        offered(ResponseFormat::Json, JSON, JSON, "A page."),
        offered(
            ResponseFormat::Rows,
            ROWS,
            ROWS,
            "The items of a page as an array, without `links`; the header `Link` leads to the next page.",
        ),
    ];
    for format in Format::ALL {
        let (form, media) = (ResponseFormat::Stream(*format), format.media());
        offers.push(offered(form, media.name, media.content_type, media.text));
        offers.extend(media.aliases.iter().map(|name| alias(form, name)));
    }
    offers.push(offered(ResponseFormat::Live, EVENT_STREAM, EVENT_STREAM, LIVE_TEXT));
    offers
});

/// What OpenAPI says of live changes.
pub(crate) const LIVE_TEXT: &str = "The documents as server-sent events, and then those that enter, change or leave; the answer has no end.";

/// What the body of a bulk load is taken as.
pub(crate) const LOAD: &[Media<BodyForm>] = &[
    offered(BodyForm::JsonArray, JSON, JSON, "An array of objects."),
    offered(
        BodyForm::JsonLines,
        "application/x-ndjson",
        "application/x-ndjson",
        "One object to a line.",
    ),
    alias(BodyForm::JsonLines, "application/ndjson"),
    alias(BodyForm::JsonLines, "application/jsonl"),
    offered(
        BodyForm::Csv,
        "text/csv",
        "text/csv",
        "RFC 4180; the first line names the columns, in any order.",
    ),
    alias(BodyForm::Csv, "application/csv"),
];

const fn offered<F>(
    form: F,
    name: &'static str,
    content_type: &'static str,
    text: &'static str,
) -> Media<F> {
    Media { form, name, content_type, text: Some(text) }
}

const fn alias<F>(form: F, name: &'static str) -> Media<F> {
    Media { form, name, content_type: name, text: None }
}

/// The names of a list for messages to clients, as in `a, b and c`.
pub(crate) fn names<F>(list: &[Media<F>]) -> String {
    let names: Vec<_> =
        list.iter().filter(|media| media.text.is_some()).map(|media| media.name).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_listed_once_in_lower_case() {
        assert_eq!(names(&COLLECTION[..1]), "application/json");
        assert_eq!(names(&COLLECTION[..2]), format!("{JSON} and {ROWS}"));
        let all = COLLECTION.iter().map(|media| media.name);
        for name in all.chain(LOAD.iter().map(|media| media.name)) {
            assert_eq!(name, name.to_ascii_lowercase());
        }
    }

    #[test]
    fn the_manual_names_what_is_offered_and_taken() {
        let pages = [
            include_str!("../../../../docs/rest.md"),
            include_str!("../../../../docs/batchload.md"),
        ];
        let offered = COLLECTION.iter().map(|media| (pages[0], media.name, media.text));
        let taken = LOAD.iter().map(|media| (pages[1], media.name, media.text));
        for (page, name, text) in offered.chain(taken) {
            assert!(text.is_none() || page.contains(&format!("`{name}`")), "{name}");
        }
    }
}
