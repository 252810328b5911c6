//! Calls of services: their statements are run, one call or a batch of them at a time.

mod batch;
mod run;

pub use batch::{ServiceBatch, ServiceOutcomes};
pub use run::ServiceAnswer;
