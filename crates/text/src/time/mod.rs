//! Dates and times: days, the forms of ISO 8601, and the canonical form of each kind of value.

mod calendar;
mod iso8601;
pub mod moment;
