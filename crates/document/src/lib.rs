//! The one writer: rows of typed columns to JSON, and the etag made of the same bytes; and the way
//! back: a body taken apart into rows.
//!
//! Pure. No JSON tree is built on the way: a [`Program`] is compiled once per plan, and writes
//! each document by copying literals and printing cells. Both stores fill the same [`RowSet`]s,
//! so both answer the same bytes.

pub mod bulk;
pub mod codec;
mod compile;
mod etag;
mod fetched;
mod flex;
mod input;
mod json;
mod lines;
mod numeric;
mod page;
mod program;
mod rows;
mod text;
mod time;

pub use codec::Codec;
pub use etag::{Etag, EtagKey};
pub use fetched::{Fetched, LevelRows};
pub use input::{
    BodyForm, Checked, MISTAKES, Misfit, PartsCheck, Purpose, READ_ON, check, check_array, misfit,
    patched, row_tree, same_value, typed_value, value_of,
};
pub use json::write_string;
pub use lines::{Format, LineWriter};
pub use page::{Page, PageTail};
pub use program::{Links, Program, Written, write_marker};
pub use rows::{Cell, RowSet};
pub use text::TextBuffer;
pub use time::{parse_interval, parse_time, parse_timestamp};
