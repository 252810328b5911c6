//! Items from memory: never older than is allowed, whoever writes.

pub(crate) mod capture;
pub(crate) mod capture_trial;
pub(crate) mod foreign;
pub(crate) mod items;
pub(crate) mod populate;
pub(crate) mod stale;
pub(crate) mod trial;
