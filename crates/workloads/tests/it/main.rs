//! The built-in workloads, on both stores. One program, because the modules share a throwaway PostgreSQL server.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod data_sets;
mod retail;
mod soe;
