//! The workflow of the page on CI: its commands run here, in its order and its environment.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use duet_testkit::command::clean;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use super::{page, read, root};
use crate::deploy::yaml;
use crate::example::Example;

/// The job of the workflow.
fn job() -> Value {
    let blocks = page::blocks(&read("docs/bench-limits.md"));
    let text = &blocks.iter().find(|block| block.language == "yaml").expect("a workflow").text;
    yaml::documents(text).remove(0)["jobs"]["compare"].take()
}

/// The steps that run commands, with their names; those of others are theirs.
fn steps(job: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let steps = job["steps"].as_array().expect("steps").iter();
    steps
        .filter(|step| step.get("run").is_some())
        .map(|step| (text(&step["name"]), text(&step["run"])))
        .collect()
}

/// Runs a step as a runner does: a shell that ends with the first command that fails.
fn run(folder: &Path, job: &Value, script: &str, given: &[(&str, &str)]) -> Output {
    let mut command = clean(Path::new("bash"));
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).current_dir(folder);
    for (name, value) in job["env"].as_object().expect("an environment") {
        command.env(name, value.as_str().expect("a text"));
    }
    command.env("GITHUB_STEP_SUMMARY", folder.join("summary.md"));
    command.envs(given.iter().copied());
    command.output().expect("bash")
}

fn shown(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn copied(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-R").arg(from).arg(to).status();
    assert!(done.expect("cp").success());
}

#[test]
fn the_workflow_compares_a_change_with_its_base() {
    let folder = Folder::new();
    let (job, at) = (job(), folder.path());
    for side in ["base", "change"] {
        copied(&root().join("apps/car-racing"), &at.join(side));
    }
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port");
    let (binary, address) = (format!("file://{}", env!("CARGO_BIN_EXE_duet")), port.to_string());
    let given = [("DUET_URL", &*binary), ("ADDRESS", &address), ("DURATION", "1s")];
    for (name, script) in steps(&job) {
        let output = run(at, &job, &script, &given);
        assert!(output.status.success(), "{name}: {}", shown(&output));
    }
    let summary = fs::read_to_string(at.join("summary.md")).expect("a summary");
    assert!(summary.contains("change") && summary.contains("base"), "{summary}");
    for file in ["compare.xml", "base/result.json", "change/result.json"] {
        assert!(at.join("results").join(file).exists(), "{file}");
    }
}

/// The step that compares fails where the change is slower, and its table is still shown.
#[test]
fn a_slower_change_fails_the_workflow() {
    let folder = Folder::new();
    let (job, at) = (job(), folder.path());
    for (side, level, median_us) in [("base", 400.0, 2_000.0), ("change", 100.0, 8_000.0)] {
        let example = Example { name: side.into(), level, median_us, ..Example::default() };
        let file = at.join("results").join(side).join("result.json");
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        duet_bench::result_files::write(&example.build(), &file).expect("a result");
    }
    fs::copy(env!("CARGO_BIN_EXE_duet"), at.join("duet")).expect("a copy");
    let steps = steps(&job);
    let step = |name: &str| &steps.iter().find(|(it, _)| it == name).expect("a step").1;
    let output = run(at, &job, step("Compare"), &[]);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    let output = run(at, &job, step("Show the verdicts"), &[]);
    assert!(output.status.success(), "{}", shown(&output));
    let summary = fs::read_to_string(at.join("summary.md")).expect("a summary");
    assert!(summary.contains("slower"), "{summary}");
}
