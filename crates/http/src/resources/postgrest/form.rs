//! The media types of answers: the one list that `Accept` is compared with.

use duet_model::Error;
use duet_model::profiles::{PostgrestCode, PostgrestGap};
use hyper::HeaderMap;
use hyper::header::ACCEPT;

use crate::message::accept::preferred;
use crate::message::header::list;

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
pub(crate) struct FormRow {
    pub(crate) form: Form,
    /// As `Accept` has it.
    pub(crate) name: &'static str,
    /// As `Content-Type` has it.
    pub(crate) content_type: &'static str,
}

const fn row(form: Form, name: &'static str, content_type: &'static str) -> FormRow {
    FormRow { form, name, content_type }
}

/// All of them, the preferred one first.
pub(crate) const FORMS: &[FormRow] = &[
    row(Form::Array, "application/json", "application/json; charset=utf-8"),
    row(
        Form::Object,
        "application/vnd.pgrst.object+json",
        "application/vnd.pgrst.object+json; charset=utf-8",
    ),
    row(
        Form::Object,
        "application/vnd.pgrst.object",
        "application/vnd.pgrst.object+json; charset=utf-8",
    ),
    row(
        Form::Array,
        "application/vnd.pgrst.array+json",
        "application/vnd.pgrst.array+json; charset=utf-8",
    ),
    row(
        Form::Array,
        "application/vnd.pgrst.array",
        "application/vnd.pgrst.array+json; charset=utf-8",
    ),
    row(Form::Csv, "text/csv", "text/csv; charset=utf-8"),
];

/// The form that a client asks for.
///
/// # Errors
/// [`PostgrestCode::MediaType`] where it is none of these, and for `nulls=stripped`, which is not taken.
pub(crate) fn asked(headers: &HeaderMap) -> Result<&'static FormRow, Error> {
    let accept = list(headers, &ACCEPT);
    let text = accept.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    if text.contains("nulls=stripped") {
        return Err(PostgrestGap::NullsStripped.refusal(&text));
    }
    preferred(accept.as_deref(), FORMS, |row| row.name).ok_or_else(|| {
        let message = format!("None of these media types are available: {text}");
        PostgrestCode::MediaType.error(message)
    })
}
