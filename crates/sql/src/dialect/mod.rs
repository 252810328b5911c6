//! What SQL engines differ in, as questions in groups; the answers are in `postgres_dialect.rs` and
//! `sqlite_dialect.rs`. A default is standard SQL, or what an engine without such a thing has.

mod indexes;
mod json;
mod keys;
mod order;
mod queries;
mod text;
mod values;
mod writes;

use std::fmt::Debug;
use std::sync::Arc;

pub use indexes::{IndexClass, IndexSyntax};
pub use json::{ExtractionPart, JsonSyntax};
pub use keys::{KeyStyle, KeySyntax};
pub use order::{IndexRange, OrderSyntax};
pub use queries::{Estimate, PlanPrefix, QuerySyntax};
pub use text::{TextSyntax, WordSearch};
pub use values::ValueSyntax;
pub use writes::WriteSyntax;

/// A dialect of SQL: the answers of one engine to all groups of questions.
pub trait Dialect:
    IndexSyntax
    + JsonSyntax
    + KeySyntax
    + OrderSyntax
    + QuerySyntax
    + TextSyntax
    + ValueSyntax
    + WriteSyntax
    + Debug
    + Send
    + Sync
{
    /// The dialect, for those who keep it.
    fn shared(&self) -> Arc<dyn Dialect>;
}
