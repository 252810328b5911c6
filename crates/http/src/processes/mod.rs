//! What the processes that serve together say to each other, and all of them to their operator.

mod journal;
mod merged_metrics;
pub(crate) mod own_report;
pub(crate) mod reports;
pub(crate) mod rowstore;
mod schema;
mod tenant_answer;
pub(crate) mod tenant_question;
