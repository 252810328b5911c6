//! Where events go: the logs, and the observers of a server.

pub(crate) mod access;
pub(crate) mod database_health;
pub(crate) mod events;
pub(crate) mod operator;
pub(crate) mod slow;
