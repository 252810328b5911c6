//! Reading, from the request to the bytes of the answer, on both stores at once; and the rules of ARCHITECTURE.md.
//!
//! One binary, because the modules share a throwaway PostgreSQL server.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod application;
mod architecture;
mod commits;
mod costs;
mod cql;
mod deadline;
mod etag;
mod filters;
mod flex_property;
mod fold;
mod golden;
mod injection;
mod json_paths;
mod lexemes;
mod prefixes;
mod regex;
mod renewal;
mod served;
mod snapshot;
mod spellings;
mod text_order;
mod text_search;
mod unindexed;
mod write_property;
mod writes;
