//! The media types of answers: the one list that `Accept` is compared with.

use duet_model::Error;
use duet_model::catalog::MediaAggregate;
use duet_model::profiles::PostgrestCode;
use duet_service::postgrest::ANY_MEDIA;
use duet_service::{Mount, Resource};
use hyper::HeaderMap;
use hyper::header::ACCEPT;

use crate::message::accept::{preferred, weight};
use crate::message::header::{elements, list, parts};

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// An array of objects.
    Array,
    /// One object.
    Object,
    /// Lines of cells.
    Csv,
}

/// A media type and what it is.
#[derive(Debug)]
pub(crate) struct FormRow {
    pub(crate) form: Form,
    /// As `Accept` has it.
    pub(crate) name: &'static str,
    /// As `Content-Type` has it.
    pub(crate) content_type: &'static str,
    /// The same with `nulls=stripped`, where it may be asked for without the members that are `null`.
    pub(crate) stripped: Option<&'static str>,
}

const fn row(form: Form, name: &'static str, content_type: &'static str) -> FormRow {
    FormRow { form, name, content_type, stripped: None }
}

const fn object(name: &'static str) -> FormRow {
    FormRow {
        form: Form::Object,
        name,
        content_type: "application/vnd.pgrst.object+json; charset=utf-8",
        stripped: Some("application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8"),
    }
}

const fn array(name: &'static str) -> FormRow {
    FormRow {
        form: Form::Array,
        name,
        content_type: "application/json; charset=utf-8",
        stripped: Some("application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8"),
    }
}

/// All of them, the preferred one first.
pub(crate) const FORMS: &[FormRow] = &[
    row(Form::Array, "application/json", "application/json; charset=utf-8"),
    object("application/vnd.pgrst.object+json"),
    object("application/vnd.pgrst.object"),
    array("application/vnd.pgrst.array+json"),
    array("application/vnd.pgrst.array"),
    row(Form::Csv, "text/csv", "text/csv; charset=utf-8"),
];

/// The form that a client asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerForm {
    /// The media type.
    pub(crate) row: &'static FormRow,
    /// Whether members that are `null` are left out.
    pub(crate) stripped: bool,
}

/// The media types whose `Content-Type` says that they are UTF-8.
const IN_UTF8: [&str; 5] =
    ["application/json", "text/csv", "text/plain", "text/xml", "application/geo+json"];

/// The `Content-Type` of a value of a domain that is called like a media type, where a request takes it: one of any
/// media type is octets, unless its function says more.
pub(crate) fn of_domain(headers: &HeaderMap, media: &str) -> Option<String> {
    let accept = accepted(headers);
    let ranges = by_weight(&accept);
    let is_any = media == ANY_MEDIA;
    let chosen = ranges.into_iter().find_map(|range| {
        let name = parts(range).next().unwrap_or_default();
        let own = FORMS.iter().find(|row| row.name.eq_ignore_ascii_case(name));
        match own {
            Some(row) if row.stripped.is_some() => Some(false),
            _ if is_any || name.eq_ignore_ascii_case(media) => Some(true),
            Some(_) => Some(false),
            None => (name == "*/*").then_some(false),
        }
    });
    chosen.unwrap_or(false).then(|| content_type_of(media))
}

/// The media ranges of a request, as a text.
fn accepted(headers: &HeaderMap) -> String {
    let accept = list(headers, &ACCEPT);
    accept.map_or("*/*".to_owned(), |accept| String::from_utf8_lossy(&accept).into_owned())
}

/// The media ranges that are wanted, the preferred ones first.
fn by_weight(accept: &str) -> Vec<&str> {
    let weight_of = |range: &str| parts(range).find_map(weight).unwrap_or(1.0);
    let mut ranges: Vec<&str> = elements(accept).filter(|range| weight_of(range) > 0.0).collect();
    ranges.sort_by(|a, b| weight_of(b).total_cmp(&weight_of(a)));
    ranges
}

/// The `Content-Type` of what the domain of a media type is.
fn content_type_of(media: &str) -> String {
    let media = if media == ANY_MEDIA { "application/octet-stream" } else { media };
    let charset = if IN_UTF8.contains(&media) { "; charset=utf-8" } else { "" };
    format!("{media}{charset}")
}

/// An aggregate that makes the answer, and its `Content-Type`.
pub(crate) struct AggregateForm<'m> {
    /// The aggregate.
    pub(crate) aggregate: &'m MediaAggregate,
    /// The `Content-Type`.
    pub(crate) content_type: String,
}

impl<'m> AggregateForm<'m> {
    /// The aggregate by which a request for rows of a resource is answered before the forms of the list, but for those
    /// that are PostgREST's own; `whole` says that nothing of the rows is selected.
    pub(crate) fn of(
        mount: &'m Mount,
        headers: &HeaderMap,
        resource: &Resource,
        whole: bool,
    ) -> Option<Self> {
        if !mount.has_row_media() {
            return None;
        }
        let accept = accepted(headers);
        for range in by_weight(&accept) {
            let name = parts(range).next().unwrap_or_default().to_ascii_lowercase();
            let own = FORMS.iter().find(|row| row.name == name);
            if own.is_some_and(|row| row.stripped.is_some()) {
                return None;
            }
            if let Some(aggregate) = mount.row_media(resource, &name, whole) {
                return Some(Self { aggregate, content_type: content_type_of(&aggregate.media) });
            }
            if own.is_some() || name == ANY_MEDIA {
                return None;
            }
        }
        None
    }
}

impl AnswerForm {
    /// That of JSON.
    pub(crate) const JSON: Self = Self { row: &FORMS[0], stripped: false };

    /// That of a request.
    ///
    /// # Errors
    /// [`PostgrestCode::MediaType`] where it is none of these.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, Error> {
        let accept = list(headers, &ACCEPT);
        let text = accept.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        let row = preferred(accept.as_deref(), FORMS, |row| row.name).ok_or_else(|| {
            let message = format!("None of these media types are available: {text}");
            PostgrestCode::MediaType.error(message)
        })?;
        let is_stripped = |element: &str| {
            let mut parts = parts(element);
            let is_it = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(row.name));
            is_it && parts.any(|part| part == STRIPPED)
        };
        Ok(Self { row, stripped: row.stripped.is_some() && elements(&text).any(is_stripped) })
    }

    /// Whether one object is asked for.
    pub(crate) fn is_object(self) -> bool {
        self.row.form == Form::Object
    }

    /// Whether lines of cells are asked for.
    pub(crate) fn is_csv(self) -> bool {
        self.row.form == Form::Csv
    }

    /// The `Content-Type` of the answer.
    pub(crate) fn content_type(self) -> &'static str {
        self.row.stripped.filter(|_| self.stripped).unwrap_or(self.row.content_type)
    }
}

/// The parameter by which members that are `null` are left out.
const STRIPPED: &str = "nulls=stripped";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_media_types_where_they_are_asked_for() {
        for (accept, media, expected) in [
            ("text/plain", "text/plain", Some("text/plain; charset=utf-8")),
            ("text/html", "text/html", Some("text/html")),
            ("*/*", "text/plain", None),
            ("application/json, text/plain;q=0.5", "text/plain", None),
            ("application/json;q=0.5, text/plain", "text/plain", Some("text/plain; charset=utf-8")),
            ("image/png", "text/plain", None),
            ("*/*", "*/*", Some("application/octet-stream")),
            ("image/png", "*/*", Some("application/octet-stream")),
            ("application/vnd.pgrst.object+json", "*/*", None),
            ("text/plain;q=0", "text/plain", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, accept.parse().unwrap());
            assert_eq!(of_domain(&headers, media).as_deref(), expected, "{accept} {media}");
        }
        assert_eq!(of_domain(&HeaderMap::new(), "text/plain"), None);
    }
}
