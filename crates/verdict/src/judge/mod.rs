//! Statistics: confidence intervals, verdicts and consistency checks. Pure arithmetic without files or
//! clocks; random draws have a fixed seed, so the same results always get the same verdict.
//!
//! | question | answered by |
//! |---|---|
//! | is B faster than A, interleaved? | [`Pairs`]: Student's t over the logarithms of the ratios |
//! | is B faster than A, one run each? | [`Estimate::against`]: Welch's t over batch means, never within [`Rules::drift`] |
//! | which of many rows are significant? | [`judge`]: Holm's correction |
//! | what is the interval of a percentile? | [`blocks`]: moving block bootstrap |
//! | when does warm-up end? | [`warm_up`]: MSER-5 |
//! | did the client lose time? | [`little`]: Little's law |
//! | how does throughput scale with users? | [`scaling`]: the Universal Scalability Law |
//! | where is the knee of latency? | [`knee`]: Kneedle |

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
pub use numbers::{deviation, mean, median, one_of};
pub use pairs::Pairs;
pub use student::{cdf, quantile, two_sided};
pub use table::{interval, percent, table};
pub use verdict::{Better, Change, ChangeVerdict, MOST_FAILED, Row, Rules, judge};
