//! Cells: the values of rows, and how each type is read from a store and written as JSON.

mod array_text;
pub mod codec;
pub(crate) mod flex;
pub(crate) mod json;
pub(crate) mod large_cell;
pub(crate) mod numeric;
pub(crate) mod ords_codec;
pub(crate) mod rows;
pub(crate) mod stored;
pub(crate) mod time;
pub(crate) mod untyped;
