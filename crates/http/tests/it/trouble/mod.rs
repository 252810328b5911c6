//! Databases and systems that behave badly, changes while a server runs, and what requests may cost.

mod classes;
mod costs;
mod deadlines;
mod events;
mod full_queues;
mod heavy_reads;
mod postgres;
mod reload;
mod reload_again;
mod running_shares;
mod sqlite;
mod stubborn;
