//! Arrays of objects whose elements searches choose by modifiers: `arraySubfield` and `arrayModifiers`.

use duet_model::{DocumentField, SearchedArray};

use crate::declaration::Declaration;
use crate::rmb_file::schema::Entry;

/// Declares the array of an entry. Modifiers without a member of the JSON Schema are kept: they find nothing, as there.
pub(super) fn declare(entry: &Entry, declaration: &mut Declaration, fields: &[DocumentField]) {
    let below = format!("{}.", entry.field_name);
    let is_array = fields.iter().any(|field| field.repeated && field.path.starts_with(&below));
    let Some(subfield) = entry.array_subfield.clone().filter(|_| is_array) else { return };
    let known = &mut declaration.search.arrays;
    if known.iter().any(|array| array.path == entry.field_name) {
        return;
    }
    known.push(SearchedArray {
        path: entry.field_name.clone(),
        subfield,
        modifiers: entry.array_modifiers.clone(),
    });
}
