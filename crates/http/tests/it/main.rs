//! The server over HTTP, as clients meet it: what it promises, and what it does when clients,
//! databases or the system behave badly. Everything runs in this process, against a throwaway
//! file or server of its own.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail the test")]
#![allow(clippy::needless_pass_by_value, reason = "a test takes its database and ends with it")]

mod access;
mod agents;
mod collections;
mod connections;
mod journal;
mod live;
mod reads;
mod rowstore;
mod support;
mod trouble;
mod types;
mod writes;
