//! The form of error responses: what a profile decides about their statuses, bodies and descriptions.

use std::fmt;

use duet_model::{Code, Error};
use serde_json::Value;

use crate::answer::problem;
use crate::answer::reply::PROBLEM;

/// The form of the errors of an application. All defaults are Duet's own: RFC 9457, with the status of the code.
pub(crate) trait ErrorForm: fmt::Debug + Sync {
    /// The status of an error.
    fn status(&self, code: Code) -> u16 {
        code.status()
    }

    /// The status of an error, where the form looks at more than its code.
    fn status_of(&self, error: &Error) -> u16 {
        self.status(error.code)
    }

    /// The names and values of further headers of the answer to an error.
    fn headers(&self, _error: &Error) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The member that holds the text of a mistake.
    fn text_member(&self) -> &'static str {
        "detail"
    }

    /// The media type and the body of an error. `request` is the request's id, by which the log finds the cause.
    fn content(&self, error: &Error, request: &str) -> (&'static str, Vec<u8>) {
        (PROBLEM, self.problem(error, request))
    }

    /// The error as JSON, as the bodies of batches contain it too.
    fn problem(&self, error: &Error, request: &str) -> Vec<u8> {
        problem::body_of(self.text_member(), self.status(error.code), error, request)
    }

    /// The content of errors of a status for descriptions, where it is no problem.
    fn described_content(&self, _status: &str) -> Option<Value> {
        None
    }

    /// The example of an error for descriptions, where it is not Duet's own.
    fn example(&self, _code: Code, _message: &str) -> Option<Value> {
        None
    }

    /// Adds what errors have beside Duet's own members to the description of a problem.
    fn describe_members(&self, _properties: &mut Value) {}
}
