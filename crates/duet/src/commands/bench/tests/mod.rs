//! Tests that go through several commands.

mod sample_workload;
