//! The workflow of the page on CI: its commands run here, in its order and its environment.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use duet_testkit::command::clean;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use super::{page, read, root};
use crate::bench::verdicts::{FAST, SLOW, service};
use crate::deploy::yaml;

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
    let binary = format!("file://{}", env!("CARGO_BIN_EXE_duet"));
    let given = [("DUET_BINARY", &*binary), ("ROUNDS", "2"), ("DURATION", "500ms")];
    for (name, script) in steps(&job) {
        let output = run(at, &job, &script, &given);
        // Two short rounds of one build on a busy machine may differ.
        let may_differ = name == "Compare" && output.status.code() == Some(2);
        assert!(output.status.success() || may_differ, "{name}: {}", shown(&output));
    }
    let summary = fs::read_to_string(at.join("summary.md")).expect("a summary");
    assert!(summary.contains("### release 2, ") && summary.contains(" against release 1"));
    assert!(summary.contains("2 pairs of interleaved rounds"), "{summary}");
    let xml = fs::read_to_string(at.join("results/compare.xml")).expect("a file");
    assert!(xml.contains("<testcase ") && xml.contains("name=\"throughput\""), "{xml}");
}

/// The step that compares fails where the change is slower, and its table is still shown.
#[test]
fn a_slower_change_fails_the_workflow() {
    let folder = Folder::new();
    let (job, at) = (job(), folder.path());
    // Servers whose difference is known, in place of two versions of an application.
    for (side, manner) in [("base", FAST), ("change", SLOW)] {
        let url = service(manner).replace("/thing", "");
        let script = format!(
            "while [ \"$1\" != --ready-file ]; do shift; done\necho '{{\"urls\": [\"{url}\"]}}' > \"$2.part\"\n\
             mv \"$2.part\" \"$2\"\nexec sleep 600\n"
        );
        fs::write(at.join(format!("{side}.sh")), script).expect("a script");
    }
    fs::copy(env!("CARGO_BIN_EXE_duet"), at.join("duet")).expect("a copy");
    let steps = steps(&job);
    let step = |name: &str| &steps.iter().find(|(it, _)| it == name).expect("a step").1;
    let compare = step("Compare").replace("./duet serve base.db", "sh base.sh");
    let compare = compare.replace("./duet serve change.db", "sh change.sh");
    let given = [("RESOURCE", "/thing"), ("ROUNDS", "4"), ("DURATION", "800ms")];
    let output = run(at, &job, &compare, &given);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    let output = run(at, &job, step("Show the verdicts"), &[]);
    assert!(output.status.success(), "{}", shown(&output));
    let summary = fs::read_to_string(at.join("summary.md")).expect("a summary");
    assert!(summary.contains("**slower**"), "{summary}");
}
