//! The server over HTTP, as clients meet it: what it promises, and what it does when clients,
//! databases or the system behave badly. Everything runs in this process, against a throwaway
//! file or server of its own.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail the test")]
#![allow(clippy::needless_pass_by_value, reason = "a test takes its database and ends with it")]

mod addresses;
mod autorest;
mod batch;
mod batchload;
mod classes;
mod collection_index_kinds;
mod collection_indexes;
mod collection_pairs;
mod collection_relevance;
mod collection_totals;
mod collections;
mod commit_classes;
mod compression;
mod conditional;
mod connections;
mod cors;
mod costs;
mod cql_conformance;
mod cql_trial;
mod crowd;
mod deadlines;
mod events;
mod expand;
mod forms;
mod full_queues;
mod fuzz;
mod groups;
mod headers;
mod http2;
mod idempotency;
mod ids;
mod injection;
mod issuer;
mod journal;
mod journal_full;
mod journal_reads;
mod mounts;
mod oauth;
mod operands;
mod oracles;
mod orders_sample;
mod paging;
mod privileges;
mod problems;
mod protocol;
mod proxies;
mod refusals;
mod related_documents;
mod reload;
mod rmb;
mod roles;
mod routines;
mod rows;
mod rowstore;
mod rowstore_capture;
mod rowstore_capture_trial;
mod rowstore_foreign;
mod rowstore_populate;
mod rowstore_stale;
mod rowstore_trial;
mod search;
mod secrecy;
mod smuggling;
mod strangers;
mod streams;
mod support;
mod tls;
mod trouble_postgres;
mod trouble_sqlite;
mod writers;
mod writes;
