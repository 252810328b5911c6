//! What figures allow to be said: intervals, verdicts, checks of a run against itself. Pure
//! arithmetic over numbers; nothing here reads a file or a clock, and every draw of random numbers
//! has a fixed seed, so that the same results always get the same verdict.
//!
//! | question | answered by |
//! |---|---|
//! | is B faster than A, interleaved? | [`Pairs`]: Student's t over the logarithms of the ratios |
//! | the same of one run each | [`Estimate::against`]: Welch's t over batch means, and never within [`Rules::drift`] |
//! | which of many rows stand out? | [`judge`]: Holm's correction |
//! | how sure is a percentile? | [`blocks`]: seconds drawn anew in blocks |
//! | when does warm-up end? | [`warm_up`]: MSER-5 |
//! | did the client lose time? | [`little`]: Little's law |
//! | what would more users bring? | [`scaling`]: the Universal Scalability Law |
//! | where does latency turn upwards? | [`knee`]: Kneedle |

pub mod blocks;
mod estimate;
pub mod knee;
pub mod little;
mod numbers;
mod pairs;
pub mod scaling;
mod student;
mod table;
mod verdict;
pub mod warm_up;

pub use estimate::{BATCH_S, Estimate, FEWEST_S};
pub use numbers::{deviation, mean, median};
pub use pairs::Pairs;
pub use student::{cdf, quantile, two_sided};
pub use table::{interval, percent, table};
pub use verdict::{Better, Change, MOST_FAILED, Row, Rules, Verdict, judge};
