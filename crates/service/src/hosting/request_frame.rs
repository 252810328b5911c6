//! What functions of the database learn of a request, and what they say of its answer: settings of its transaction.

use std::sync::{Mutex, PoisonError};

use duet_document::{Codec, Datum, RowSet};
use duet_model::profiles::PostgrestCode;
use duet_model::{Code, Error};
use duet_sql::{Dialect, current_statement, set_statement};
use duet_store::{Call, Writes};

/// The settings that functions give to an answer.
const OF_ANSWERS: [&str; 2] = ["response.headers", "response.status"];

/// The time zone of a transaction.
pub const TIME_ZONE: &str = "timezone";

/// Makes the rest of a transaction read-only.
const READ_ONLY: &str = "transaction_read_only";

/// The settings of the transaction of a request.
#[derive(Debug)]
pub struct RequestFrame {
    settings: Vec<(&'static str, String)>,
    /// Whether functions may say something of the answer.
    answered: bool,
    answer: Mutex<AnswerSettings>,
}

/// What functions have said of an answer, as they have set it; what is not set or empty is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerSettings {
    /// `response.headers`
    pub headers: Option<String>,
    /// `response.status`
    pub status: Option<String>,
}

/// The error for a time zone that the database does not take, as PostgreSQL has it.
fn unknown_zone(zone: &str) -> Error {
    let shown: String = zone.chars().take(64).collect();
    let seconds = zone.splitn(3, ':').nth(2).and_then(|seconds| seconds.parse::<u8>().ok());
    if seconds.is_some_and(|seconds| seconds > 0) {
        let message = format!("time zone \"{shown}\" appears to use leap seconds");
        let details = "\"PostgreSQL does not support leap seconds.\"".to_owned();
        return PostgrestCode::TimeZone.with_details(message, details);
    }
    let message = format!("invalid value for parameter \"TimeZone\": \"{shown}\"");
    PostgrestCode::TimeZone.error(message)
}

impl RequestFrame {
    /// The settings of a request by their names; one that reads runs READ ONLY.
    pub fn new(mut settings: Vec<(&'static str, String)>, reads: bool) -> Self {
        if reads {
            settings.push((READ_ONLY, "on".to_owned()));
        }
        Self { settings, answered: true, answer: Mutex::default() }
    }

    /// Settings of a request of which functions learn nothing, and whose answer they do not change.
    pub fn silent(settings: Vec<(&'static str, String)>, reads: bool) -> Self {
        Self { answered: false, ..Self::new(settings, reads) }
    }

    /// Whether functions may say something of the answer.
    pub fn is_answered(&self) -> bool {
        self.answered
    }

    /// What functions have said of the answer.
    pub fn answer(&self) -> AnswerSettings {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is said of an error of the call before all others: the database has refused the time zone, if any.
    pub(crate) fn refused(&self, error: Error) -> Error {
        let zone = self.settings.iter().find(|(name, _)| *name == TIME_ZONE);
        match zone.filter(|_| error.code == Code::ValueOutOfRange) {
            Some((_, zone)) => unknown_zone(zone),
            None => error,
        }
    }

    /// The call before all others of the transaction.
    pub(crate) fn before(&self, dialect: &dyn Dialect) -> Call {
        let statement = set_statement(dialect, &self.settings);
        let codecs = vec![Codec::Text; self.settings.len()];
        Call { statement, codecs, writes: Writes::Nothing }
    }

    /// The call behind all others.
    pub(crate) fn after(dialect: &dyn Dialect) -> Call {
        let statement = current_statement(dialect, &OF_ANSWERS);
        Call { statement, codecs: vec![Codec::Text; OF_ANSWERS.len()], writes: Writes::Nothing }
    }

    /// Keeps what [`Self::after`] has found.
    pub(crate) fn note(&self, rows: &RowSet) {
        let text = |column| match rows.is_empty() {
            true => None,
            false => match rows.get(0, column) {
                Datum::Text(text) | Datum::Blob(text) | Datum::Wire(text) if !text.is_empty() => {
                    Some(String::from_utf8_lossy(text).into_owned())
                }
                _ => None,
            },
        };
        let found = AnswerSettings { headers: text(0), status: text(1) };
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }
}
