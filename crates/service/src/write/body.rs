//! Bodies of writes, read and checked before a transaction is begun for them. Pure: large ones are
//! read on another thread.

use std::sync::Arc;

use duet_document::{BodyCheck, BodyPurpose, PartsCheck, check, check_array, with_served_names};
use duet_model::{Error, Result};
use duet_text::json::JsonLimits;
use duet_text::json::body::Body;

use crate::resources::resource::Resource;
use crate::write::document::DocumentOperation;
use crate::write::transaction::{Numbering, TransactionOperation};

/// Reads a document or patch, and checks it against its resource as far as that needs no stored
/// data.
///
/// # Errors
/// The first mistakes of the body.
pub fn read_body(
    resource: &Resource,
    text: &Arc<str>,
    form: BodyPurpose,
    bounds: JsonLimits,
) -> Result<Body> {
    let text = &served_names(resource, text, bounds);
    good(text, check(&resource.shape, text, form, bounds))
}

/// Reads an array of new documents, and checks each of them.
///
/// # Errors
/// The first mistakes of the body.
pub fn read_array(resource: &Resource, text: &Arc<str>, bounds: JsonLimits) -> Result<Body> {
    let text = &served_names(resource, text, bounds);
    good(text, check_array(&resource.shape, text, bounds)).map_err(|error| {
        let unchanged = |error: Error| Numbering::Elements.undone(error);
        unchanged(error).map_others(unchanged)
    })
}

/// The body of a document or of several, with member names as they are served where the resource takes
/// them in any case.
pub(crate) fn served_names(resource: &Resource, text: &Arc<str>, bounds: JsonLimits) -> Arc<str> {
    let shape = &resource.shape;
    let any_case = shape.style.profile.takes_names_in_any_case();
    let renamed = any_case.then(|| with_served_names(shape, text, bounds)).flatten();
    renamed.map_or_else(|| Arc::clone(text), Arc::from)
}

fn good(text: &Arc<str>, BodyCheck { mistakes, tape, .. }: BodyCheck) -> Result<Body> {
    match (Error::all_of(mistakes), tape) {
        (None, Some(tape)) => Ok(Body::new(Arc::clone(text), tape)),
        (Some(error), _) => Err(error),
        (None, None) => Err(Error::internal("a body without mistakes that was not noted")),
    }
}

/// The first mistakes of the documents of a transaction, all in one body; each operation has its place among all.
pub fn operation_mistakes<'o>(
    operations: impl IntoIterator<Item = &'o (usize, TransactionOperation)>,
) -> Vec<Error> {
    let (mut parts, mut mistakes) = (PartsCheck::default(), Vec::new());
    for (index, TransactionOperation { resource, operation, .. }) in operations {
        let (body, form) = match operation {
            DocumentOperation::Create { body } => (body, BodyPurpose::New),
            DocumentOperation::Replace { body, .. } => (body, BodyPurpose::Whole),
            DocumentOperation::Patch { body, .. } => (body, BodyPurpose::Patch),
            DocumentOperation::Delete { .. } => continue,
        };
        let found = parts.check(&resource.shape, body, form);
        mistakes.extend(found.into_iter().map(|error| Numbering::Operations.place(error, *index)));
    }
    mistakes
}
