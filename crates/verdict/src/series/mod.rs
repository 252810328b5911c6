//! Series of runs: alternating, as a sweep, or as a search. The next step and the outcome are plain
//! values, without a clock or a server; commands execute the steps.
//!
//! | question | answered by |
//! |---|---|
//! | which of two, or of several, is faster? | [`InterleavedTrials`]: alternating order, judged by pairs |
//! | how does throughput depend on users, layouts, workers? | [`InterleavedTrials`] and [`sweep`] |
//! | what is the capacity within a limit? | [`Search`]: users, then a bisection of rates |
//! | does the backlog grow? | [`backlog`] |
//! | is a trial usable? | [`noise`] |

pub mod backlog;
mod failures;
mod figures;
mod interleaved;
pub mod noise;
mod search;
pub mod sweep;
mod trial;

pub use failures::Failures;
pub use figures::TrialFigures;
pub use interleaved::{InterleavedTrials, ScheduledTrial, ending};
pub use search::{DiscardedTrial, Search, SearchPoint, SearchResult, SearchStep};
pub use trial::TrialResult;
