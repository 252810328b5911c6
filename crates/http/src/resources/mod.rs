//! The endpoints of an application: a file for each, from its parameters to its reply.

mod array;
pub(crate) mod batch;
pub(crate) mod batchload;
pub(crate) mod constant;
mod explained;
pub(crate) mod idempotency;
pub(crate) mod ids;
pub(crate) mod index;
pub(crate) mod ingest;
mod link;
pub(crate) mod list_write;
pub(crate) mod live;
pub(crate) mod login;
pub(crate) mod parse;
mod plan;
pub(crate) mod postgrest;
mod preference_applied;
pub(crate) mod read;
pub(crate) mod search;
pub(crate) mod stream;
pub(crate) mod token;
pub(crate) mod transaction;
pub(crate) mod view_events;
pub(crate) mod write;
