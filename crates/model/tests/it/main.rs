//! The dependency index beside brute force, and the manual beside the code.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod dependents;
mod manual;
