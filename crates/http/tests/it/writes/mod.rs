//! Writing: rows and documents, one by one and many at once.

pub(crate) mod batch;
pub(crate) mod batchload;
pub(crate) mod database_code;
pub(crate) mod documents;
pub(crate) mod dry_runs;
pub(crate) mod idempotency;
pub(crate) mod refusals;
pub(crate) mod routines;
pub(crate) mod writers;
