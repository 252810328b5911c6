//! The built program, from outside.

mod bench;
mod commands;
mod deploy;
mod docs;
#[expect(clippy::unwrap_used, reason = "a builder for tests fails the test")]
#[path = "../../../verdict/tests/example/mod.rs"]
mod example;
mod fleet;
mod instances;
mod journal;
mod losses;
mod openapi;
mod samples;
mod services;
mod serving;
mod standbys;
mod tenants;
mod webhooks;

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
