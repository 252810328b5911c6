//! The drivers, on both stores: what the catalog says; writes, what commits, what is rolled back, and what happens when
//! others are in the way; plain connections.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod both;
mod changes;
mod citus;
mod commit_classes;
mod commits;
mod constraints;
mod full_server;
mod groups;
mod inserts;
mod introspect;
mod isolation;
mod migrations;
mod poolers;
mod postgres;
mod queues;
mod raw;
mod sqlite;
mod statements;
mod steps;
mod store;
mod values;
mod webhooks;
