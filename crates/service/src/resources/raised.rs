//! What functions and triggers raise, as PostgREST reports it: `PTxyz` is a status, and with the SQLSTATE `PGRST` message
//! and detail are JSON. Other profiles take the message and the hint alone.

use duet_model::profiles::PostgrestCode;
use duet_model::{Error, ForeignCode, RaisedError};
use serde_json::{Value, json};

/// The message of a `RAISE` with the SQLSTATE `PGRST`.
struct RaisedMessage {
    code: String,
    message: String,
    details: Option<String>,
    hint: Option<String>,
}

impl RaisedMessage {
    fn read(text: &str) -> Option<Self> {
        let json: Value = serde_json::from_str(text).ok()?;
        let text = |name: &str| json.get(name)?.as_str().map(str::to_owned);
        Some(Self {
            code: text("code")?,
            message: text("message")?,
            details: text("details"),
            hint: text("hint"),
        })
    }
}

/// Its detail.
struct RaisedDetail {
    status: u16,
    headers: Vec<(String, String)>,
}

impl RaisedDetail {
    fn read(text: &str) -> Option<Self> {
        let json: Value = serde_json::from_str(text).ok()?;
        let header =
            |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        let headers =
            json.get("headers")?.as_object()?.iter().map(header).collect::<Option<_>>()?;
        Some(Self { status: json.get("status")?.as_u64()?.try_into().ok()?, headers })
    }
}

/// The error with what code of the database has raised, where clients are to read it.
pub(crate) fn shown(error: Error, is_sent: bool) -> Error {
    let raised = error.violation.as_ref().and_then(|violation| violation.raised.clone());
    match raised.filter(|_| is_sent) {
        Some(raised) => as_raised(error, &raised),
        None => error,
    }
}

/// The error with what was raised.
fn as_raised(mut error: Error, raised: &RaisedError) -> Error {
    error.message.clone_from(&raised.message);
    error.hint = raised.hint.clone().or(error.hint);
    match raised.state.as_deref() {
        None => error,
        Some("PGRST") => whole(error, raised),
        Some(state) => error.reported_as(ForeignCode {
            code: state.to_owned().into(),
            status: status_of(state),
            details: raised.detail.as_ref().map(|detail| json!(detail).to_string()),
            headers: Vec::new(),
        }),
    }
}

/// The error that message and detail describe.
fn whole(mut error: Error, raised: &RaisedError) -> Error {
    let Some(message) = RaisedMessage::read(&raised.message) else {
        let hint = "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.";
        return unread(
            error,
            &format!("Invalid JSON value for MESSAGE: '{}'", raised.message),
            hint,
        );
    };
    let hint = "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";
    let Some(detail) = &raised.detail else {
        return unread(error, "DETAIL is missing in the RAISE statement", hint);
    };
    let Some(RaisedDetail { status, headers }) = RaisedDetail::read(detail) else {
        return unread(error, &format!("Invalid JSON value for DETAIL: '{detail}'"), hint);
    };
    error.message = message.message;
    error.hint = message.hint;
    error.reported_as(ForeignCode {
        code: message.code.into(),
        status: final_status(status),
        details: message.details.map(|details| json!(details).to_string()),
        headers,
    })
}

/// The error for what cannot be read.
fn unread(error: Error, details: &str, hint: &str) -> Error {
    let message = "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error";
    let mut made = PostgrestCode::RaiseSyntax.with_details(message, json!(details).to_string());
    made.cause = error.cause;
    made.hint(hint)
}

/// A status that ends a response; 500 in place of others.
fn final_status(status: u16) -> u16 {
    if (200..600).contains(&status) { status } else { 500 }
}

/// The status of a SQLSTATE that was raised.
fn status_of(state: &str) -> u16 {
    if let Some(status) = state.strip_prefix("PT") {
        return status.parse().map_or(500, final_status);
    }
    match state {
        "P0001" => 400,
        "42501" => 403,
        "42883" | "42P01" => 404,
        "25006" => 405,
        "23503" | "23505" => 409,
        "21000" | "42P17" | "53400" => 500,
        "57P01" => 503,
        _ => match state.get(..2).unwrap_or_default() {
            "53" | "08" => 503,
            "0L" | "0P" | "28" => 403,
            "09" | "25" | "2D" | "38" | "39" | "3B" | "40" | "54" | "55" | "57" | "58" | "F0"
            | "HV" | "P0" | "XX" => 500,
            _ => 400,
        },
    }
}

#[cfg(test)]
mod tests {
    use duet_model::Code;

    use super::*;

    fn of(state: &str, message: &str, detail: Option<&str>) -> (String, u16, Error) {
        let raised = RaisedError {
            message: message.to_owned(),
            hint: None,
            detail: detail.map(str::to_owned),
            state: Some(state.to_owned()),
        };
        let error = as_raised(Error::new(Code::TriggerRefused, "Hidden."), &raised);
        let foreign = error.foreign().unwrap();
        (foreign.code.to_string(), foreign.status, error)
    }

    #[test]
    fn states_are_statuses() {
        for (state, status) in [
            ("PT402", 402),
            ("PT40A", 500),
            ("PT099", 500),
            ("P0001", 400),
            ("P0002", 500),
            ("23505", 409),
            ("57P01", 503),
            ("57014", 500),
        ] {
            let (code, found, error) = of(state, "Pay.", Some("Quota"));
            assert_eq!((code.as_str(), found, error.message.as_str()), (state, status, "Pay."));
            assert_eq!(error.foreign().unwrap().details.as_deref(), Some("\"Quota\""));
        }
    }

    #[test]
    fn messages_of_json_are_whole_answers() {
        let message = r#"{"code":"123","message":"ABC","hint":"H"}"#;
        let detail = r#"{"status":332,"status_text":"My","headers":{"X-Header":"str"}}"#;
        let (code, status, error) = of("PGRST", message, Some(detail));
        assert_eq!((code.as_str(), status, error.message.as_str()), ("123", 332, "ABC"));
        assert_eq!(error.foreign().unwrap().headers, [("X-Header".into(), "str".into())]);
        for (message, detail) in [("x", Some(detail)), (message, None), (message, Some("{}"))] {
            let (code, status, _) = of("PGRST", message, detail);
            assert_eq!((code.as_str(), status), ("PGRST121", 500), "{message} {detail:?}");
        }
    }
}
