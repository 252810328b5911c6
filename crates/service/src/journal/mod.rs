//! Rows acknowledged from a journal, and written to the database afterwards, exactly once.
//!
//! A request is checked as far as that needs no other rows ([`accept`]), appended to the journal of the
//! application, and answered when it is synced. One task writes the rows to the database ([`drain`]): the last
//! sequence id that is applied, and the epoch of the owner, are compared and stored in the transaction of the
//! rows ([`apply`]). Rows that the database refuses become dead letters ([`letters`]).

mod accept;
mod apply;
mod closing;
mod drain;
mod health;
mod letters;
mod opening;
mod report;
mod rows;
mod statements;
mod status;
mod waiting_item;

pub use crate::ingest::sealed_id::{SealedId, SequenceId};
pub use crate::ingest::{Breakage, IngestJournal, JournalDisk, JournalOptions, JournalState};
pub use accept::{AcceptedRows, Durability, NewDocuments};
pub use duet_journal::Loss;
pub use duet_sql::{DeadLetter, Letters, LostRows};
pub use letters::RedrivenLetters;
pub use report::{AcceptedLosses, JournalReport};
pub use status::{JournalStage, RowsStatus};
pub use waiting_item::AnyItem;
