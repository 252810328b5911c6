//! Mistakes of a query string and of what comes with it, told together; bodies that are no JSON.

use duet_filter::postgrest::Request;
use duet_model::profiles::PostgrestCode;
use duet_model::{Code, Error, Place};

use crate::answer::refusal::Refusal;

/// Refuses a request whose query string has mistakes.
pub(super) fn check(request: &Request) -> Result<(), Error> {
    Error::all_of(request.mistakes.clone()).map_or(Ok(()), Err)
}

/// Whether the names of the columns that a body is read for are mistaken.
pub(super) fn names_columns(request: &Request) -> bool {
    let place = Some(Place::Parameter("columns".to_owned()));
    request.mistakes.iter().any(|mistake| mistake.place == place)
}

/// What a request is made of beside its query string, which what comes next names if there are no others.
///
/// # Errors
/// The mistakes of both, and those of the query string in front of them.
pub(super) fn together<A, B>(
    request: &Request,
    one: Result<A, Refusal>,
    other: Result<B, Error>,
) -> Result<(A, B), Refusal> {
    let mut mistakes = request.mistakes.clone();
    match (one, other) {
        (Ok(one), Ok(other)) if !names_columns(request) => return Ok((one, other)),
        (Err(refused), _) if refused.challenge.is_some() || refused.allow.is_some() => {
            return Err(refused);
        }
        (one, other) => {
            mistakes.extend(other.err().iter().flat_map(Error::mistakes).cloned());
            mistakes.extend(one.err().iter().flat_map(|one| one.error.mistakes()).cloned());
        }
    }
    Err(Error::all_of(mistakes).unwrap_or_else(|| Error::internal("mistakes of nothing")).into())
}

/// The refusal of a text that is no JSON, whose hint says where, and why.
pub(super) fn as_invalid(refused: Refusal) -> Refusal {
    match refused.error.code {
        Code::BodySyntax => {
            PostgrestCode::Body.error("Empty or invalid json").hint(refused.error.message).into()
        }
        _ => refused,
    }
}
