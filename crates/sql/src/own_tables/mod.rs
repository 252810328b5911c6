//! Statements on Duet's own tables, which are made on request and never served.

pub(crate) mod idempotency;
pub(crate) mod journal;
pub(crate) mod view_events;
pub(crate) mod webhooks;
