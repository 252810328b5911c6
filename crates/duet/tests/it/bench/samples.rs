//! `duet bench run --jtl --gatling`: every counted transaction, in the formats of JMeter and Gatling.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::time::SystemTime;

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

/// Answers requests, and tells when it answered each login.
fn answer(mut stream: TcpStream, logins: &Sender<SystemTime>) -> Option<()> {
    let (mut head, mut chunk) = (Vec::new(), [0; 1024]);
    loop {
        while !head.ends_with(b"\r\n\r\n") {
            let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
            head.extend_from_slice(&chunk[..read]);
        }
        if head.starts_with(b"GET /login") {
            logins.send(SystemTime::now()).ok()?;
        }
        head.clear();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").ok()?;
    }
}

#[test]
fn a_run_begins_when_its_users_have_logged_in() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    let (sender, logins) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let sender = sender.clone();
            std::thread::spawn(move || answer(stream, &sender));
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = format!(
        "[workload]\nname = \"signed\"\ntarget = \"http://{address}\"\n\
         login = [{{ request = \"GET /login\" }}]\n\
         [[transaction]]\nname = \"Read\"\nstep = [{{ request = \"GET /\" }}]\n"
    );
    fs::write(path("signed.toml"), text).expect("the workload");
    let words = ["bench", "run", &path("signed.toml"), "--users", "3", "--iterations", "2", "-q"];
    let (code, said, errors) = duet(&[&words[..], &["--out", &path("run")]].concat());
    assert_eq!(code, 0, "{said}{errors}");
    let result = fs::read_to_string(folder.path().join("run/result.json")).expect("a result");
    let result: Value = serde_json::from_str(&result).expect("JSON");
    let started = result["started"].as_str().expect("a moment");
    let started = humantime::parse_rfc3339(started).expect("a moment");
    let logins: Vec<SystemTime> = logins.try_iter().collect();
    assert_eq!(logins.len(), 3);
    // The moment is cut to milliseconds.
    let soonest = started + std::time::Duration::from_millis(1);
    assert!(logins.iter().all(|login| *login < soonest), "{logins:?} and {started:?}");
}
