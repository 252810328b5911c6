//! Items from memory: never older than is allowed, whoever writes.

mod capture;
mod capture_trial;
mod foreign;
mod items;
mod populate;
mod stale;
mod trial;
