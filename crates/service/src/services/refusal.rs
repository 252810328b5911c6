//! Refusals of values in the body of a request to a service.

use duet_model::{Code, Error, Place};

/// The value at a place is wrong.
pub(super) fn wrong(code: Code, at: &str, message: String) -> Error {
    Error::new(code, message).at(Place::Pointer(at.to_owned()))
}
