//! Several runs that answer one question: alternating, as a sweep, as a search. What is to run next and
//! the outcome are values here, without a clock and without a server; commands only do what they
//! say.
//!
//! | question | answered by |
//! |---|---|
//! | which of two, or of several, is faster? | [`Turns`]: forth and back, judged by pairs |
//! | what do users, layouts, workers bring? | [`Turns`] and [`sweep`] |
//! | what is its capacity within a limit? | [`Search`]: users, then rates, halved until they meet |
//! | does work pile up? | [`backlog`] |
//! | does a slice count? | [`noise`] |

pub mod backlog;
mod failures;
mod figures;
pub mod noise;
mod search;
pub mod sweep;
mod trial;
mod turns;

pub use failures::Failures;
pub use figures::Figures;
pub use search::{Discarded, Found, Point, Search, Step};
pub use trial::Trial;
pub use turns::{Turn, Turns, ending};
