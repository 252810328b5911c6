//! `duet bench run plan.jmx`: our plan of JMeter against the sample `folio`, on both stores.

use std::fs;
use std::path::Path;

use duet_testkit::command::{Running, Signal, clean, wait_until};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use crate::samples::folio::Sample;
use crate::{duet, duet_says};

/// Samples of each label: one of what is set up or torn down, others by thread and loop.
const ONCE: [&str; 6] = [
    "Login",
    "Vendor : GET",
    "Title : GET",
    "Shared order : POST",
    "Limit of lines : POST",
    "Shared order : DELETE",
];

fn plan(database: &str) {
    let sample = Sample::start(database);
    let folder = Folder::new();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let plan = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/jmeter/orders.jmx");
    let plan = plan.display().to_string();
    let url = sample.server.url();
    let port = format!("port={}", url.rsplit(':').next().expect("a port"));
    let password = format!("password={}", sample.secret);
    let (jtl, gatling, out) = (file("run.jtl"), file("simulation.log"), file("run"));
    let mut arguments = vec!["bench", "run", &plan, "--json", "--jtl", &jtl, "--gatling", &gatling];
    arguments.extend(["--out", &out, "--threshold", "p50<60s", "--threshold", "errors<1%"]);
    let given =
        [&port, &password, "user=diku_admin", "threads=2", "loops=3", "ramp=0", "seconds=600"];
    arguments.extend(given.iter().flat_map(|property| ["-J", property]));
    let (code, said, errors) = duet(&arguments);
    assert_eq!(code, 0, "{said}{errors}");
    let result: Value = serde_json::from_str(&said).expect("JSON");
    let types = result["types"].as_array().expect("types");
    assert_eq!(types.len(), 24, "{said}");
    for one in types {
        let name = one["name"].as_str().expect("a name");
        let expected = if ONCE.contains(&name) { 1 } else { 6 };
        assert_eq!(one["completed"], expected, "{name}");
    }
    assert_eq!(
        (&result["load"]["model"], &result["window"]["ended_by"]),
        (&"groups".into(), &"groups".into())
    );
    let passed = result["thresholds"]
        .as_array()
        .expect("thresholds")
        .iter()
        .filter(|row| row["passed"] == true);
    assert_eq!(passed.count(), 2);
    let total = result["totals"]["completed"].as_u64().expect("a number");
    let lines = |file: &str| fs::read_to_string(file).expect("a log").lines().count() as u64;
    assert_eq!(lines(&jtl), total + 1);
    // The run's own line, one for each sample, and two for each of the seven threads.
    assert_eq!(lines(&gatling), 1 + total + 2 * 7);
    let (code, _, errors) = duet(&["bench", "run", &plan, "--jtl", &jtl, "--out", &file("second")]);
    assert!(code == 1 && errors.contains("remove it"), "{errors}");
    reported(&out, &plan, &file("page.html"));
    missed(&plan, &given, &file("missed"));
}

/// The result of a plan is a result like every other: it is reported, validated and compared.
fn reported(out: &str, plan: &str, page: &str) {
    let said = duet_says(&["bench", "report", out, "--out", page]);
    assert!(fs::read_to_string(page).expect("a page").contains("Order : POST"), "{said}");
    let said = duet_says(&["bench", "validate", out]);
    assert!(!said.contains('✗'), "{said}");
    let (code, said, errors) = duet(&["bench", "compare", out, out]);
    assert!(code == 0 && said.contains("Order"), "{plan}: {said}{errors}");
}

/// A threshold that is missed decides the exit code, for one label too.
fn missed(plan: &str, given: &[&str], out: &str) {
    let mut arguments = vec!["bench", "run", plan, "--quiet", "--out", out];
    arguments.extend(["--threshold", "Order-POST:p50<1us"]);
    arguments.extend(given.iter().flat_map(|property| ["-J", property]));
    let (code, said, errors) = duet(&arguments);
    assert!(code == 3 && errors.contains("Order-POST"), "{said}{errors}");
}

/// Ctrl-C keeps what was measured until then, whole lines of samples, and what was set up is removed.
#[test]
fn an_interrupted_plan_keeps_what_it_measured() {
    let folder = Folder::new();
    let sample = Sample::start(&format!("sqlite:{}/folio.db", folder.path().display()));
    let file = |name: &str| folder.path().join(name).display().to_string();
    let plan = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/jmeter/orders.jmx");
    let port = format!("port={}", sample.server.url().rsplit(':').next().expect("a port"));
    let password = format!("password={}", sample.secret);
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(["bench", "run"]).arg(plan).args([
        "--out",
        &file("run"),
        "--jtl",
        &file("run.jtl"),
    ]);
    for property in [&port, &password, "user=diku_admin", "loops=-1", "seconds=600", "ramp=0"] {
        command.args(["-J", property]);
    }
    let mut run = Running::start_program(command);
    wait_until("samples of the load", || {
        let rows = fs::read_to_string(file("run.jtl")).unwrap_or_default();
        rows.lines().filter(|row| row.contains(",Order : POST,")).count() > 2
    });
    run.signal(Signal::SIGINT);
    assert_eq!(run.wait().code(), Some(130), "{}{}", run.output(), run.errors());
    let result = fs::read_to_string(folder.path().join("run/result.json")).expect("a result");
    let result: Value = serde_json::from_str(&result).expect("JSON");
    assert_eq!(result["window"]["ended_by"], "interrupted");
    assert_eq!(result["totals"]["failed"], 0, "{}", result["failures"]);
    let rows = fs::read_to_string(file("run.jtl")).expect("samples");
    assert!(rows.ends_with('\n'), "{rows}");
    let counted = result["totals"]["completed"].as_u64().expect("a count")
        + result["totals"]["failed"].as_u64().expect("a count");
    assert_eq!(rows.lines().count() as u64, counted + 1);
}

#[test]
fn our_plan_on_sqlite() {
    let folder = Folder::new();
    plan(&format!("sqlite:{}/folio.db", folder.path().display()));
}

#[test]
fn our_plan_on_postgres() {
    plan(&Server::shared().database("plan").url());
}
