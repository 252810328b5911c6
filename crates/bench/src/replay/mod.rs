//! Published reports, repeated: ours beside the published figures, what differs, and what becomes of
//! each claim.

mod ords;
mod page;
pub mod rowstore;
pub mod swingbench;

pub use ords::{Measured, page as ords, sample as ords_sample};
pub use page::{Claim, Condition, Page, Table, Verdict};
