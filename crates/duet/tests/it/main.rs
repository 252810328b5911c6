//! The built program, from outside.

mod advise;
mod applications;
mod assigned;
mod bench;
mod bench_charbench;
mod bench_ends;
mod bench_import;
mod bench_ingest;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod bench_jmeter;
mod bench_left;
mod bench_orders;
mod bench_otlp;
mod bench_pages;
mod bench_results;
mod bench_samples;
mod bench_series;
mod bench_signals;
mod bench_torture;
mod bench_trust;
mod bench_txn;
mod bench_verdicts;
mod bench_wire;
mod broken_log;
mod causes;
mod client;
mod compat;
mod console;
mod console_api;
mod console_changes;
mod deploy;
mod docs;
mod document_writers;
mod drain;
#[expect(clippy::unwrap_used, reason = "a builder for tests fails the test")]
#[path = "../../../verdict/tests/example/mod.rs"]
mod example;
mod explain;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod folio;
mod help;
mod hostile_matrix;
mod idempotency;
mod infer;
mod ingest;
mod ingest_writers;
mod init;
mod instances;
mod instances_writes;
mod issuer;
mod journal_files;
mod journal_losses;
mod k6;
mod keyed_writers;
mod kill;
mod least_privilege;
mod load;
#[cfg(target_os = "linux")]
mod memory;
mod migrate;
mod names;
mod openapi;
mod orders;
mod orders_data;
mod orders_rmb;
mod power;
mod reload;
mod rowstore;
mod serve;
mod service_batch;
mod service_trials;
mod services;
mod shell;
mod tenants;
mod token;
mod transactions;
mod writers;
mod wrong;

use std::path::Path;
use std::process::Output;

use duet_testkit::command;

/// Runs `duet` to its end: exit code, standard output, standard error.
fn duet(arguments: &[&str]) -> (i32, String, String) {
    told(&command::run(Path::new(env!("CARGO_BIN_EXE_duet")), arguments))
}

fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// Runs `duet` and gives what it says; it must succeed.
fn duet_says(arguments: &[&str]) -> String {
    let (code, out, errors) = duet(arguments);
    assert_eq!((code, errors.as_str()), (0, ""), "duet {arguments:?}: {out}");
    out
}
