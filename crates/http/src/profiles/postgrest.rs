//! The profile `compat = "postgrest"`: errors as PostgREST has them, with the codes of its own and of PostgreSQL.

use duet_model::{Code, Error};
use serde_json::{Value, json};

use super::HttpProfile;
use super::error_form::ErrorForm;

/// The media type of errors.
const MEDIA: &str = "application/json; charset=utf-8";

/// PostgREST's code and status for errors that Duet has a code of its own for; others keep theirs.
const CODES: &[(Code, &str, u16)] = &[
    (Code::NotServed, "PGRST125", 404),
    (Code::MethodNotAllowed, "PGRST117", 405),
    (Code::NotAcceptable, "PGRST107", 406),
    (Code::BadParameter, "PGRST100", 400),
    (Code::FilterLimit, "PGRST100", 400),
    (Code::ExpandLimit, "PGRST100", 400),
    (Code::BodySyntax, "PGRST102", 400),
    (Code::BodyDepth, "PGRST102", 400),
    (Code::UnsupportedMediaType, "PGRST102", 400),
    (Code::UnknownMember, "PGRST204", 400),
    (Code::KeyMismatch, "PGRST115", 400),
    (Code::MemberValue, "22P02", 400),
    (Code::FilterOperand, "22P02", 400),
    (Code::NulCharacter, "22P05", 400),
    (Code::ValueOutOfRange, "22P02", 400),
    (Code::MissingMember, "23502", 400),
    (Code::NotNullViolation, "23502", 400),
    (Code::ForeignKeyViolation, "23503", 409),
    (Code::UniqueViolation, "23505", 409),
    (Code::CheckViolation, "23514", 400),
    (Code::ExclusionViolation, "23P01", 400),
    (Code::MemberGenerated, "428C9", 400),
    (Code::NotWritable, "428C9", 400),
    (Code::TriggerRefused, "P0001", 400),
    (Code::Unauthorized, "PGRST301", 401),
    (Code::Forbidden, "42501", 403),
    (Code::RoleDenied, "42501", 403),
    (Code::RowSecurity, "42501", 403),
    (Code::DatabaseReadOnly, "25006", 405),
    (Code::DatabaseUnavailable, "PGRST000", 503),
    (Code::Timeout, "57014", 500),
];

/// PostgREST.
#[derive(Debug)]
pub(super) struct Postgrest;

impl HttpProfile for Postgrest {
    fn errors(&self, _: bool) -> &'static dyn ErrorForm {
        &Postgrest
    }
}

/// The code and the status of an error.
fn code_of(error: &Error) -> (&str, u16) {
    if let Some(foreign) = error.foreign() {
        return (&*foreign.code, foreign.status);
    }
    let known = CODES.iter().find(|(code, ..)| *code == error.code);
    known.map_or((error.code.as_str(), error.code.status()), |(_, code, status)| (*code, *status))
}

impl ErrorForm for Postgrest {
    fn status(&self, code: Code) -> u16 {
        let known = CODES.iter().find(|(known, ..)| *known == code);
        known.map_or(code.status(), |(_, _, status)| *status)
    }

    fn status_of(&self, error: &Error) -> u16 {
        code_of(error).1
    }

    fn headers(&self, error: &Error) -> Vec<(String, String)> {
        let status = format!("PostgREST; error={}", code_of(error).0);
        let own = [("proxy-status".to_owned(), status)];
        let raised = error.foreign().map(|foreign| foreign.headers.clone()).unwrap_or_default();
        own.into_iter().chain(raised).collect()
    }

    fn text_member(&self) -> &'static str {
        "message"
    }

    fn content(&self, error: &Error, request: &str) -> (&'static str, Vec<u8>) {
        (MEDIA, self.problem(error, request))
    }

    /// Further mistakes of a request follow in the message.
    fn problem(&self, error: &Error, _: &str) -> Vec<u8> {
        let messages: Vec<&str> = error.mistakes().map(|one| one.message.as_str()).collect();
        let details = error.foreign().and_then(|foreign| foreign.details.as_deref());
        let details = details.and_then(|details| serde_json::from_str(details).ok());
        body(
            code_of(error).0,
            &messages.join("\n"),
            &details.unwrap_or_default(),
            error.hint.as_deref(),
        )
    }

    fn described_content(&self, _: &str) -> Option<Value> {
        let text = || json!({ "type": "string", "nullable": true });
        let members = json!({ "code": text(), "message": text(), "details": {}, "hint": text() });
        Some(json!({ MEDIA: { "schema": { "type": "object", "properties": members } } }))
    }
}

/// The four members, in PostgREST's order.
fn body(code: &str, message: &str, details: &Value, hint: Option<&str>) -> Vec<u8> {
    json!({ "code": code, "details": details, "hint": hint, "message": message })
        .to_string()
        .into_bytes()
}

#[cfg(test)]
mod tests {
    use duet_model::profiles::PostgrestCode;

    use super::*;

    #[test]
    fn errors_have_four_members() {
        let of = |error: &Error| -> Value {
            serde_json::from_slice(&Postgrest.problem(error, "1")).unwrap()
        };
        let taken = Error::new(Code::UniqueViolation, "Taken.").hint("Choose.");
        let expected =
            json!({ "code": "23505", "message": "Taken.", "details": null, "hint": "Choose." });
        assert_eq!((of(&taken), Postgrest.status_of(&taken)), (expected, 409));
        let one = PostgrestCode::Singular.with_details("No.", json!("2 rows").to_string());
        assert_eq!(
            (of(&one)["code"].clone(), of(&one)["details"].clone()),
            (json!("PGRST116"), json!("2 rows"))
        );
        assert_eq!(Postgrest.status_of(&one), 406);
        let both = Error::all_of(vec![one.clone(), taken]).unwrap();
        assert_eq!(of(&both)["message"], json!("No.\nTaken."));
    }

    #[test]
    fn each_code_has_one_answer() {
        for (at, (code, ..)) in CODES.iter().enumerate() {
            assert!(CODES[..at].iter().all(|(other, ..)| other != code), "{code:?}");
        }
    }
}
