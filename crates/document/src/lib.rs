//! The one writer: rows of typed columns to JSON, and the etag made of the same bytes; and the way
//! back: a body taken apart into rows.
//!
//! Pure. No JSON tree is built on the way: a [`Program`] is compiled once per plan, and writes
//! each document by copying literals and printing cells. Both stores fill the same [`RowSet`]s,
//! so both answer the same bytes.
//!
//! ```
//! use std::sync::Arc;
//! use duet_document::{BodyPurpose, Datum, FetchedRows, Links, Program, RowSet, row_tree};
//! use duet_model::{Column, ReadPlan, Relation, Shape, Type};
//!
//! let columns = vec![Column::new("id", Type::Integer { bits: 64 }), Column::new("name", Type::Text)];
//! let shape = Arc::new(Shape::of_relation(&Relation::table("main", "team", columns).into()));
//! let plan = ReadPlan::by_keys(Arc::clone(&shape));
//! let program = Program::compile(&plan, "team");
//!
//! // Cells as a driver brings them, and the document that they make.
//! let mut rows = RowSet::new(plan.levels[0].columns.len());
//! for cell in [Datum::Int(7), Datum::Text("O \"R\"".as_bytes())] {
//!     rows.push(cell);
//! }
//! let fetched = FetchedRows::assemble(&plan, vec![rows], 0, |_, _, _| Some(0));
//! let (collection, described_by) = ("/team/", "/metadata-catalog/team/");
//! let links = Links { collection, described_by, writable: false, plain: false };
//! let mut json = Vec::new();
//! program.write_item(&fetched, 0, &links, &mut json)?;
//! assert!(json.starts_with(br#"{"id":7,"name":"O \"R\"","links":["#));
//! # Ok::<_, duet_model::Error>(())
//! ```

pub mod bulk;
mod canonical;
mod cells;
mod compile;
mod etag;
mod fetched;
mod input;
mod lines;
mod marker;
mod page;
mod pieces;
mod program;
mod run;
mod text;
mod writer;

pub use canonical::{Unstorable, write_canonical};
pub use cells::codec;
pub use cells::codec::Codec;
pub use cells::json::write_string;
pub use cells::ords_codec::OrdsForm;
pub use cells::rows::{Datum, RowSet};
pub use cells::time::{parse_interval, parse_time, parse_timestamp};
pub use etag::{Etag, EtagKey};
pub use fetched::{FetchedRows, LevelRows};
pub use input::{
    BodyCheck, BodyPurpose, Expectation, MISTAKES, PartsCheck, PlainRow, PlainRows, Purpose,
    READ_ON, check, check_array, misfit, patched, row_tree, same_value, typed_value, value_of,
    with_served_names,
};
pub use lines::{Format, LineWriter, StreamMedia};
pub use marker::write_marker;
pub use page::{PageFrame, PageTail};
pub use pieces::{DocumentText, ItemMeasure, ItemPieces};
pub use program::{DocumentEtags, Links, Program};
pub use text::TextBuffer;
