//! Published reports, repeated: ours beside the published figures, what differs, and what becomes of
//! each claim. Only ratios and orders within one machine are judged, never our figures against those of
//! another machine. What a report shows and does not say is a remark without a verdict.

mod enough;
mod number;
mod ords;
mod page;
pub mod rowstore;
pub mod swingbench;

pub use enough::{ROUNDS, SECONDS};
pub use ords::{Measured, page as ords, sample as ords_sample};
pub use page::{Claim, Condition, Page, Remark, Verdict};

#[cfg(test)]
mod tests;
