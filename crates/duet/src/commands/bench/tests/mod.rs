//! Tests across several commands.

mod sample_workload;
