//! Bodies of writes, checked before a transaction is begun for them. Pure: large ones are checked
//! on another thread.

use duet_document::{BodyForm, check};
use duet_model::json::{BODY, Bounds};
use duet_model::json_cursor::Cursor;
use duet_model::{Error, Result};

use crate::resource::Resource;

/// Checks a document or patch against its resource, as far as that needs no stored data.
///
/// # Errors
/// The first mistakes of the body.
pub fn check_body(resource: &Resource, text: &str, form: BodyForm, bounds: Bounds) -> Result<()> {
    Error::all_of(check(&resource.shape, text, form, bounds).mistakes).map_or(Ok(()), Err)
}

/// Checks that a body is JSON within its bounds, without holding any of it.
///
/// # Errors
/// The first place where it is not.
pub fn check_json(text: &str, bounds: Bounds) -> Result<()> {
    let mut cursor = Cursor::new(text, &BODY, bounds);
    cursor.skip()?;
    cursor.end()
}
