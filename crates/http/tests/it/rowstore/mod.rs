//! Items from memory: never older than is allowed, also where other programs write.

pub(crate) mod capture;
mod capture_trial;
mod foreign;
mod items;
mod populate;
mod stale;
mod trial;
