//! Where events go: the logs, and the observers of a server.

mod access;
pub(crate) mod database_health;
pub(crate) mod events;
mod operator;
mod slow;
