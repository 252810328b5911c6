//! Reading, from the request to the bytes of the answer, on both stores at once; and the rules of ARCHITECTURE.md.
//!
//! One binary, because the modules share a throwaway PostgreSQL server.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod application;
mod architecture;
mod commits;
mod costs;
mod deadline;
mod etag;
mod filters;
mod golden;
mod injection;
mod renewal;
mod served;
mod snapshot;
mod write_property;
mod writes;
