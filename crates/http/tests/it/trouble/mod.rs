//! Databases and systems that behave badly, changes while a server runs, and what requests may cost.

pub(crate) mod classes;
pub(crate) mod costs;
pub(crate) mod deadlines;
pub(crate) mod events;
pub(crate) mod full_queues;
pub(crate) mod heavy_reads;
pub(crate) mod postgres;
pub(crate) mod reload;
pub(crate) mod reload_again;
pub(crate) mod running_shares;
pub(crate) mod sqlite;
pub(crate) mod stubborn;
