//! The corpus: each plan asks what JMeter 5.6.3 asks, and reports the samples that it reports, or is refused by name.
//! `bench/jmeter/corpus.py` wrote what JMeter does into the files of `crates/bench/tests/jmeter`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use super::notation::{Case, cases};
use super::{Asked, CompileOptions, compile, ran_whole, serve_by, server};

/// How many plans run at once.
const WORKERS: usize = 4;

/// Runs a case; what is wrong.
fn wrong(case: &Case, asked: &Asked, port: u16) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in &case.files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let options = CompileOptions {
        folder: folder.path().to_owned(),
        properties: BTreeMap::from([("port".to_owned(), port.to_string())]),
        passed_over: Vec::new(),
    };
    let compiled = match compile(&case.jmx(), &options) {
        Ok(compiled) => compiled,
        Err(problems) => {
            let said: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
            let is_right = case.refused == said;
            return (!is_right).then(|| format!("refused: {said:#?}"));
        }
    };
    asked.lock().unwrap().clear();
    let ran = ran_whole(compiled, folder.path(), asked);
    let code = |code: &str| if code.is_empty() { "-".to_owned() } else { code.to_owned() };
    let samples = ran.samples.iter();
    let mut samples: Vec<String> = samples
        .map(|[label, status, passed, ..]| format!("{label} {} {passed}", code(status)))
        .collect();
    let mut requests = ran.asked;
    if case.any_order {
        samples.sort();
        requests.sort();
    }
    if (&requests, &samples) == (&case.requests, &case.samples) {
        return None;
    }
    Some(format!("requests {requests:#?}\nsamples {samples:#?}"))
}

/// Runs the cases of all files, some at once; `DUET_CASE` names one of them.
#[test]
fn plans_do_what_jmeter_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jmeter");
    let only = std::env::var("DUET_CASE").ok();
    let mut all: Vec<Case> = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        all.extend(cases(&std::fs::read_to_string(entry.unwrap().path()).unwrap()));
    }
    all.retain(|case| only.as_ref().is_none_or(|only| *only == case.name));
    assert!(!all.is_empty());
    let count = all.len();
    let (left, failed) = (Mutex::new(all), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                let asked = Asked::default();
                let port = serve_by(&asked, |stream, asked| Box::pin(server::serve(stream, asked)));
                loop {
                    let Some(case) = left.lock().unwrap().pop() else { break };
                    if let Some(why) = wrong(&case, &asked, port) {
                        failed.lock().unwrap().push(format!("{}: {why}", case.name));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} of {count}:\n{}", failed.len(), failed.join("\n"));
}
