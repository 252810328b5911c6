//! Requests in PostgREST's grammar: rows of a table with those of related tables, as a shape that is read as every
//! other. `filter/src/postgrest` reads the texts; what leads from one table to another is in `relationship.rs`, the
//! shape is built in `tree.rs`.

mod aggregated;
mod columns;
mod framed;
mod function;
mod given_rows;
mod keyless;
mod read;
mod relationship;
mod selected_rows;
mod summary;
mod tree;
mod write;
mod zone;

pub use function::{ANY_MEDIA, CallEnding, FunctionCall, GivenArguments, reads};
pub use read::{TableCount, TableForm, TableQuery, TableRows};
pub use summary::{WriteSummary, not_singular, too_many};
pub use write::{TableChange, TableWrite, Upsert};
