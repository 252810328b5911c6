//! `duet bench run --jtl --gatling`: every counted transaction, in the formats of JMeter and Gatling.

use std::fs;
use std::path::Path;

use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use crate::{duet, duet_says};

/// A line of a JTL: the columns that JMeter's documentation lists, with their names.
struct Line<'a>(Vec<(&'a str, &'a str)>);

impl Line<'_> {
    fn text(&self, column: &str) -> &str {
        self.0.iter().find(|(name, _)| *name == column).expect("the column").1
    }

    fn number(&self, column: &str) -> u64 {
        self.text(column).parse().unwrap_or_else(|_| panic!("{column}: {:?}", self.0))
    }
}

/// The columns that JMeter writes unless it is configured otherwise (jmeter.save.saveservice.*, and "CSV Log format" of
/// its manual), in its order.
const COLUMNS: &str = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,\
    failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect";

/// Runs a workload with files of samples, and gives its result and the files' texts.
fn run(folder: &Path, words: &[&str]) -> (Value, String, String) {
    let file = |name: &str| folder.join(name).display().to_string();
    let (out, jtl, gatling) = (file("run"), file("run.jtl"), file("simulation.log"));
    let files = ["--jtl", &jtl, "--gatling", &gatling, "--out", &out, "--quiet"];
    let said = duet_says(&[&["bench", "run"], words, &files].concat());
    for file in [&jtl, &gatling] {
        assert!(said.contains(&format!("Saved samples to {file}\n")), "{said}");
    }
    let result = fs::read_to_string(folder.join("run/result.json")).expect("a result");
    let result = serde_json::from_str(&result).expect("JSON");
    let text = |path: &str| fs::read_to_string(path).expect("a file of samples");
    // No other file is left.
    assert_eq!(fs::read_dir(folder).expect("the folder").count(), 3);
    (result, text(&jtl), text(&gatling))
}

/// Compares the files with the result, which has counts and bounds of the same transactions.
fn agree(result: &Value, jtl: &str, gatling: &str) {
    let counts = |what: &str| result["totals"][what].as_u64().expect("a count");
    let all = usize::try_from(counts("completed") + counts("failed")).expect("a count");
    let (columns, rest) = jtl.split_once('\n').expect("the columns");
    assert_eq!(columns, COLUMNS);
    let lines: Vec<Line<'_>> = rest
        .lines()
        .map(|line| {
            let values: Vec<&str> = line.split(',').collect();
            assert_eq!(values.len(), 17, "{line}");
            Line(columns.split(',').zip(values).collect())
        })
        .collect();
    assert_eq!(lines.len(), all);
    let failed = lines.iter().filter(|line| line.text("success") == "false").count() as u64;
    assert_eq!(failed, counts("failed"));
    for one in result["types"].as_array().expect("types") {
        let name = one["name"].as_str().expect("a name");
        let of_type = lines.iter().filter(|line| line.text("label") == name).count() as u64;
        assert_eq!(of_type, one["completed"].as_u64().expect("a count"), "{name}");
    }
    let address = result["target"]["address"].as_str().expect("the target");
    let urls = [address.to_owned(), format!("sqlite:{address}")];
    assert!(lines.iter().all(|line| urls.iter().any(|url| url == line.text("URL"))), "{jtl}");
    let started = lines.iter().map(|line| line.number("timeStamp")).min().expect("a line");
    for line in &lines {
        assert!(line.number("timeStamp") - started < 3_600_000);
        assert_eq!(line.number("elapsed"), line.number("Latency"));
        assert!(line.number("Connect") <= line.number("elapsed"));
        assert!(line.text("threadName").starts_with("Users "));
        // A file's session moves none.
        let is_request = line.text("responseCode") == "200";
        assert!(!is_request || line.number("bytes") > 0 && line.number("sentBytes") > 0);
        assert!(line.number("grpThreads") <= line.number("allThreads"));
        assert_eq!((line.number("IdleTime"), line.text("dataType")), (0, "text"));
    }
    // Records of Gatling 3: RUN, then USER and REQUEST in any order, with tabs between.
    let mut records = gatling.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let first = records.next().expect("the run's own record");
    assert_eq!((first[0], first.len()), ("RUN", 6));
    first[3].parse::<u64>().expect("the moment of its start");
    let (mut requests, mut users) = (0, 0);
    for record in records {
        match record[0] {
            "REQUEST" => {
                assert_eq!(record.len(), 7, "{record:?}");
                let [from, to] = [record[3], record[4]].map(|at| at.parse::<u64>().expect("ms"));
                assert!(from <= to && ["OK", "KO"].contains(&record[5]), "{record:?}");
                requests += 1;
            }
            "USER" => {
                assert_eq!((record.len(), record[1]), (4, "Users"), "{record:?}");
                users += i32::from(record[2] == "START") - i32::from(record[2] == "END");
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!((requests, users), (all, 0), "each user that began has ended");
}

#[test]
fn requests_of_several_processes_are_in_one_file() {
    let folder = Folder::new();
    let words = ["rest", "--layout", "2x2", "--duration", "1s", "--warmup", "300ms"];
    let (result, jtl, gatling) = run(folder.path(), &words);
    agree(&result, &jtl, &gatling);
    // Users of both processes, and statuses of HTTP.
    for part in [",200,OK,Users 1-", ",Users 2-"] {
        assert!(jtl.contains(part), "{part}");
    }
}

#[test]
fn transactions_of_databases_are_samples_too() {
    let folder = Folder::new();
    let file = format!("sqlite:{}", folder.path().join("l.db").display());
    let postgres = Server::shared().database("bench_samples").url();
    for (database, table) in [(&file, "t2"), (&postgres, "t4")] {
        let loaded = duet(&["bench", "load", "lookup", "--database", database, "--scale", "100"]);
        assert_eq!(loaded.0, 0, "{loaded:?}");
        let folder = Folder::new();
        let mix = format!("{table}=1");
        let more = ["--via", "driver", "--mix", &mix, "--iterations", "50", "--users", "3"];
        let (result, jtl, gatling) =
            run(folder.path(), &[&["lookup", "--target", database], &more[..]].concat());
        agree(&result, &jtl, &gatling);
        assert!(jtl.contains(",ok,OK,Users 1-"), "{jtl}");
    }
}

#[test]
fn files_of_samples_are_new_and_of_one_run() {
    let folder = Folder::new();
    let file = folder.path().join("run.jtl").display().to_string();
    fs::write(&file, "before").expect("writable");
    let out = folder.path().join("run").display().to_string();
    let run = ["bench", "run", "lookup", "--iterations", "5", "-q", "--out", &out, "--jtl", &file];
    let (code, _, errors) = duet(&run);
    assert!(code == 1 && errors.contains("remove it"), "{errors}");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "before");
    let (code, _, errors) = duet(&["bench", "sweep", "rest", "--users", "1,2", "--jtl", &file]);
    assert!(code == 2 && errors.contains("`--jtl` has no meaning here"), "{errors}");
}
