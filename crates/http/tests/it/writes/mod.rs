//! Writing: rows and documents, one by one and many at once.

mod batch;
mod batchload;
mod database_code;
mod documents;
mod dry_runs;
mod idempotency;
mod left_out;
mod load_values;
mod postgrest_triggers;
mod raised;
mod refusals;
mod routines;
mod writers;
