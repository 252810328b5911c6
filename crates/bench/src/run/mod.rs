//! A run: processes, their users, and what they tell.

mod collect;
mod plan;
mod process;
mod sleep;
mod user;

pub use collect::{Collector, Merged};
pub use plan::{Model, Phases, Plan, Share};
pub use process::{Cost, Ended, Event, Process, cost};
