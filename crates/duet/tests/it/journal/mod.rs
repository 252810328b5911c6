//! Rows that are acknowledged from a journal, and its files.

mod files;
mod ingest;
mod losses;
