//! JSON texts (RFC 8259): read once with the place of every value, then walked, kept, or searched by a path.

pub mod binary;
pub mod body;
pub mod cursor;
pub mod positions;
mod reader;
pub mod steps;
pub mod tape;
mod value;

pub(crate) use reader::Reader;
pub use reader::{read, read_stored, read_within};
pub use value::{BODY, FILTER, InputKind, Json, JsonKind, JsonLimits, JsonMember, Members, STORED};
