//! `duet bench run plan.jmx`: our plan of JMeter against the sample `folio`, on both stores.

use std::fs;
use std::path::Path;

use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use crate::duet;
use crate::samples::folio::Sample;

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
    let (jtl, gatling) = (file("run.jtl"), file("simulation.log"));
    let mut arguments = vec!["bench", "run", &plan, "--json", "--jtl", &jtl, "--gatling", &gatling];
    let given =
        [&port, &password, "user=diku_admin", "threads=2", "loops=3", "ramp=0", "seconds=600"];
    arguments.extend(given.iter().flat_map(|property| ["-J", property]));
    let (code, said, errors) = duet(&arguments);
    assert_eq!(code, 0, "{said}{errors}");
    let figures: Value = serde_json::from_str(&said).expect("JSON");
    let labels = figures["labels"].as_array().expect("labels");
    assert_eq!(labels.len(), 24, "{said}");
    for label in labels {
        let name = label["label"].as_str().expect("a label");
        let expected = if ONCE.contains(&name) { 1 } else { 6 };
        assert_eq!(label["samples"], expected, "{name}");
    }
    let total = figures["total"]["samples"].as_u64().expect("a number");
    let lines = |file: &str| fs::read_to_string(file).expect("a log").lines().count() as u64;
    assert_eq!(lines(&jtl), total + 1);
    // The run's own line, one for each sample, and two for each of the seven threads.
    assert_eq!(lines(&gatling), 1 + total + 2 * 7);
    let (code, _, errors) = duet(&["bench", "run", &plan, "--jtl", &jtl]);
    assert!(code == 1 && errors.contains("remove it"), "{errors}");
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
