//! Runs of small plans against a server that records what it was asked: on the engine, as every run.

mod conditions;
mod corpus;
mod notation;
mod refusals;
mod server;
mod values;

use std::collections::BTreeMap;
use std::path::Path;
use std::pin::Pin;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use duet_verdict::result::{RunResult, TypeResult, consistent};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{CompileOptions, Problem, compile};
use crate::run::{Assembly, ChildProcesses, Job, Plan, SampleFiles, prepare};
use crate::sample_files::TestLog;
use crate::workload::Workload as _;
use crate::workload::file::definition::{KeepCookies, Step};
use crate::workload::file::{File, FileFacts, FileTarget, kinds};

/// What a server was asked: the line and the body of each request, and its `X-Token`.
type Asked = Arc<Mutex<Vec<String>>>;

/// Answers every request: `/token` with a token, `/missing` with 404, all others with a document.
async fn serve(mut stream: TcpStream, asked: Asked) {
    let mut read = Vec::new();
    while stream.read_buf(&mut read).await.is_ok_and(|count| count > 0) {
        let text = String::from_utf8_lossy(&read).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let header = |name: &str| {
            head.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned()
        };
        if body.len() < header("Content-Length: ").parse().unwrap_or(0) {
            continue;
        }
        read.clear();
        let line = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1");
        asked.lock().unwrap().push(format!("{line} {body} {}", header("X-Token: ")));
        let status = match line {
            line if line.contains("/missing") => "404 Not Found",
            line if line.contains("/moved") => "302 Found\r\nLocation: b/../here?x=1",
            line if line.contains("/forever") => "301 Moved Permanently\r\nLocation: /forever",
            _ => "200 OK",
        };
        let body = r#"{"id":"7","rows":[{"n":1},{"n":2}]}"#;
        let answer = format!(
            "HTTP/1.1 {status}\r\nx-token: secret\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// A row of a JTL: label, code, success, thread, address.
type Row = [String; 5];

/// What a run gave: the result, what the server was asked, and its samples.
struct Ran {
    result: RunResult,
    asked: Vec<String>,
    samples: Vec<Row>,
}

impl Ran {
    fn of(&self, name: &str) -> &TypeResult {
        self.result.types.iter().find(|one| one.name == name).unwrap()
    }

    fn labels(&self) -> Vec<&str> {
        self.samples.iter().map(|[label, ..]| label.as_str()).collect()
    }
}

/// The text of a plan with these groups, whose server listens at `${__P(port)}`.
fn plan(groups: &str) -> String {
    format!(
        "<jmeterTestPlan><hashTree><TestPlan testname=\"P\"><boolProp name=\"TestPlan.serialize_threadgroups\">true</boolProp></TestPlan><hashTree>
        <ConfigTestElement><stringProp name=\"HTTPSampler.domain\">127.0.0.1</stringProp><stringProp name=\"HTTPSampler.port\">${{__P(port)}}</stringProp></ConfigTestElement><hashTree/>
        {groups}</hashTree></hashTree></jmeterTestPlan>"
    )
}

fn compiled(folder: &Path, groups: &str, port: u16) -> Result<super::Compiled, Vec<Problem>> {
    let options = CompileOptions {
        folder: folder.to_owned(),
        properties: BTreeMap::from([("port".to_owned(), port.to_string())]),
        passed_over: Vec::new(),
    };
    compile(&plan(groups), &options)
}

/// Runs the groups of a plan on the engine.
fn ran(groups: &str) -> Result<Ran, Vec<Problem>> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("names.csv"), "ann,1\nbob,2\n").unwrap();
    let asked = Asked::default();
    let port = serve_all(&asked);
    let compiled = compiled(folder.path(), groups, port)?;
    Ok(ran_whole(compiled, folder.path(), &asked))
}

/// Runs a plan on the engine.
fn ran_whole(compiled: super::Compiled, folder: &Path, asked: &Asked) -> Ran {
    let definition = compiled.definition;
    let weights = vec![1.0; kinds(&definition).unwrap().len()];
    let url = compiled.target.unwrap_or_else(|| "http://localhost".into());
    let facts = FileFacts {
        definition,
        folder: folder.to_owned(),
        target: FileTarget::Http { url, authorization: None },
        weights,
        users: compiled.users,
        timeout: Duration::from_mins(1),
        given: Some(BTreeMap::new()),
        environment: BTreeMap::new(),
    };
    let jtl = folder.join("run.jtl");
    TestLog::begin(std::fs::File::create_new(&jtl).unwrap()).unwrap();
    let samples = SampleFiles { jtl: Some(jtl.clone()), ..SampleFiles::default() };
    let plan = Plan { samples, ..Plan::closed(1, compiled.users) };
    let file = File::new(facts.clone()).unwrap();
    let job = Job::File(Box::new(facts));
    let ready =
        prepare(&plan, &job, &ChildProcesses(|| Command::new("false")), &Arc::default()).unwrap();
    let mut assembly = Assembly::new(&plan, file.kinds());
    let mut running = ready.go();
    while let Some(merged) = running.next_second() {
        assembly.second(&merged);
    }
    let result = assembly.result(&mut running.into_collector(), Duration::ZERO, None);
    let wrong = consistent(&result).into_iter().find(|statement| !statement.holds);
    assert!(wrong.is_none(), "{wrong:?}");
    let row = |line: &str| {
        let fields = crate::workload::file::formats::csv::fields(line, ",", true);
        [2, 3, 7, 5, 13].map(|at| fields[at].clone())
    };
    let samples = std::fs::read_to_string(&jtl).unwrap().lines().skip(1).map(row).collect();
    let asked = asked.lock().unwrap().clone();
    Ran { result, asked, samples }
}

/// Serves on a thread of its own; the port.
fn serve_all(asked: &Asked) -> u16 {
    serve_by(asked, |stream, asked| Box::pin(serve(stream, asked)))
}

/// A connection that is served.
type Served = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The same with another way to serve a connection.
fn serve_by(asked: &Asked, by: fn(TcpStream, Asked) -> Served) -> u16 {
    let (port, found) = std::sync::mpsc::channel();
    let asked = Arc::clone(asked);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            port.send(listener.local_addr().unwrap().port()).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(by(stream, Arc::clone(&asked)));
            }
        });
    });
    found.recv().unwrap()
}

/// A group of threads that loop.
fn group(tag: &str, threads: &str, loops: &str, inside: &str) -> String {
    format!(
        "<{tag} testname=\"{tag}\"><elementProp name=\"ThreadGroup.main_controller\"><stringProp name=\"LoopController.loops\">{loops}</stringProp></elementProp><stringProp name=\"ThreadGroup.num_threads\">{threads}</stringProp><stringProp name=\"ThreadGroup.ramp_time\">0</stringProp></{tag}><hashTree>{inside}</hashTree>"
    )
}

/// A GET, and what is below it.
fn get(name: &str, path: &str, below: &str) -> String {
    format!(
        "<HTTPSamplerProxy testname=\"{name}\"><stringProp name=\"HTTPSampler.path\">{path}</stringProp></HTTPSamplerProxy><hashTree>{below}</hashTree>"
    )
}

/// An element with its texts.
fn element(tag: &str, texts: &[(&str, &str)]) -> String {
    let text =
        |(name, text): &(&str, &str)| format!("<stringProp name=\"{name}\">{text}</stringProp>");
    let texts: String = texts.iter().map(text).collect();
    format!("<{tag} testname=\"{tag}\">{texts}</{tag}><hashTree/>")
}

/// How many requests begin so.
fn count(asked: &[String], start: &str) -> usize {
    asked.iter().filter(|one| one.starts_with(start)).count()
}

#[test]
fn groups_share_what_was_extracted() {
    let extract = element(
        "RegexExtractor",
        &[
            ("RegexExtractor.useHeaders", "true"),
            ("RegexExtractor.refname", "token"),
            ("RegexExtractor.regex", "x-token: (.+)"),
            ("RegexExtractor.template", "$1$"),
            ("RegexExtractor.match_number", "1"),
        ],
    );
    let share =
        element("JSR223PostProcessor", &[("script", "props.put(\"t\", vars.get(\"token\"))")]);
    let header = "<HeaderManager><collectionProp name=\"HeaderManager.headers\"><elementProp><stringProp name=\"Header.name\">X-Token</stringProp><stringProp name=\"Header.value\">${__P(t)}</stringProp></elementProp></collectionProp></HeaderManager><hashTree/>";
    let id = element(
        "JSONPostProcessor",
        &[
            ("JSONPostProcessor.referenceNames", "id;n"),
            ("JSONPostProcessor.jsonPathExprs", "$.id;$.rows[*].n"),
            ("JSONPostProcessor.match_numbers", "1;-1"),
            ("JSONPostProcessor.defaultValues", "NONE;NONE"),
        ],
    );
    // The order in the plan is not that of the run: what is set up comes first, what is torn down last.
    let groups = [
        group("PostThreadGroup", "1", "1", &get("last", "/last", "")),
        group(
            "ThreadGroup",
            "1",
            "1",
            &format!(
                "{header}{}{}",
                get("a", "/a", &id),
                get("b", "/b/${id}/${n_2}/${n_matchNr}", "")
            ),
        ),
        group("SetupThreadGroup", "1", "1", &get("token", "/token", &format!("{extract}{share}"))),
    ];
    let ran = ran(&groups.concat()).unwrap();
    let (asked, labels) = (&ran.asked, ran.labels());
    assert_eq!((ran.result.totals.completed, ran.result.totals.failed), (4, 0));
    assert_eq!(*asked, ["GET /token  ", "GET /a  secret", "GET /b/7/2/2  secret", "GET /last  "]);
    assert_eq!(labels, ["token", "a", "b", "last"]);
}

#[test]
fn controllers_and_data_count_as_in_jmeter() {
    let data = element(
        "CSVDataSet",
        &[("filename", "names.csv"), ("variableNames", "name,number"), ("delimiter", ",")],
    );
    let counter =
        element("CounterConfig", &[("CounterConfig.name", "c"), ("CounterConfig.start", "5")]);
    let inside = [
        data,
        counter,
        below("OnceOnlyController", "", &get("once", "/once", "")),
        below(
            "LoopController",
            "<stringProp name=\"LoopController.loops\">2</stringProp>",
            &get("loop", "/loop/${name}/${number}", ""),
        ),
        below(
            "ThroughputController",
            "<intProp name=\"ThroughputController.style\">0</intProp><intProp name=\"ThroughputController.maxThroughput\">3</intProp>",
            &get("some", "/some", ""),
        ),
        below("TransactionController", "", &get("counted", "/counted/${c}", "")),
    ]
    .concat();
    let ran = ran(&group("ThreadGroup", "2", "3", &inside)).unwrap();
    let asked = &ran.asked;
    assert_eq!(ran.result.totals.failed, 0);
    assert_eq!(count(asked, "GET /once "), 2);
    assert_eq!(count(asked, "GET /loop/ann/1 "), 6);
    assert_eq!(count(asked, "GET /loop/bob/2 "), 6);
    assert_eq!(count(asked, "GET /some "), 3);
    for value in 5..11 {
        assert_eq!(count(asked, &format!("GET /counted/{value} ")), 1, "{asked:?}");
    }
    assert_eq!(ran.of("TransactionController").completed, 6);
    assert_eq!(ran.samples.len(), asked.len() + 6);
}

#[test]
fn assertions_fail_samples_and_errors_end_threads() {
    let assertion = |field: &str, kind: &str, text: &str| {
        format!(
            "<ResponseAssertion testname=\"A\"><collectionProp name=\"Asserion.test_strings\"><stringProp name=\"1\">{text}</stringProp></collectionProp><stringProp name=\"Assertion.test_field\">Assertion.{field}</stringProp><intProp name=\"Assertion.test_type\">{kind}</intProp></ResponseAssertion><hashTree/>"
        )
    };
    let cases = [
        ("response_code", "8", "200", true),
        ("response_code", "8", "201", false),
        ("response_data", "2", "\"i.\"", true),
        ("response_data", "16", "rows", true),
        ("response_data", "20", "rows", false),
        ("response_data", "1", "rows", false),
        ("response_headers", "16", "x-token: secret", true),
    ];
    for (field, kind, text, holds) in cases {
        let inside = get("a", "/a", &assertion(field, kind, text));
        let ran = ran(&group("ThreadGroup", "1", "1", &inside)).unwrap();
        assert_eq!(ran.of("a").failed == 0, holds, "{field} {kind} {text}");
    }
    let inside = get("a", "/missing", "") + &get("b", "/b", "");
    let stops =
        "<stringProp name=\"ThreadGroup.on_sample_error\">stopthread</stringProp></ThreadGroup>";
    let groups = group("ThreadGroup", "2", "4", &inside).replace("</ThreadGroup>", stops);
    let ran = ran(&groups).unwrap();
    let asked = &ran.asked;
    assert_eq!((count(asked, "GET /missing "), asked.len(), ran.samples.len()), (2, 2, 2));
    assert_eq!(ran.samples[0][1], "404");
    assert_eq!((ran.result.totals.completed, ran.result.totals.failed), (0, 2));
}

#[test]
fn numbers_that_are_none_have_their_line() {
    for threads in ["${none}", "-1", "99999999999999999999", "1000000000"] {
        let problems = ran(&group("ThreadGroup", threads, "1", &get("a", "/a", ""))).err().unwrap();
        let [problem] = &problems[..] else { panic!("{problems:?}") };
        assert!(problem.line == 3 && problem.message.contains("number of threads"), "{problem}");
    }
}

/// Redirects are followed where the sampler says so, and are one sample with the label of the sampler.
/// Steps with `request` keep and send cookies as those with `http`.
#[test]
fn requests_send_the_cookies_of_their_group() {
    for keeps in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let asked = Asked::default();
        let port = serve_by(&asked, |stream, asked| Box::pin(server::serve(stream, asked)));
        let groups = group("ThreadGroup", "1", "1", &get("a", "/ok", ""));
        let mut compiled = compiled(folder.path(), &groups, port).unwrap();
        let users = &mut compiled.definition.group[0];
        users.cookies = keeps.then_some(KeepCookies::Keep);
        let step = |path: &str| Step { request: Some(format!("GET {path}")), ..Step::default() };
        users.step = ["/needcookie?1", "/cookie/x", "/needcookie?2"].map(step).into();
        let ran = ran_whole(compiled, folder.path(), &asked);
        let last = if keeps { "true" } else { "false" };
        let passed: Vec<&str> = ran.samples.iter().map(|sample| &*sample[2]).collect();
        assert_eq!(passed, ["false", "true", last], "{:?}", ran.samples);
    }
}

#[test]
fn redirects_are_followed_where_the_plan_says_so() {
    let sampler = |path: &str, method: &str, follow: &str| {
        format!(
            "<HTTPSamplerProxy testname=\"{path}\"><stringProp name=\"HTTPSampler.path\">{path}</stringProp><stringProp name=\"HTTPSampler.method\">{method}</stringProp>{follow}</HTTPSamplerProxy><hashTree/>"
        )
    };
    let word = |name: &str| format!("<boolProp name=\"HTTPSampler.{name}\">true</boolProp>");
    let (follow, automatic) = (word("follow_redirects"), word("auto_redirects"));
    let inside = [
        sampler("/moved", "POST", &follow),
        sampler("/moved", "POST", &automatic),
        sampler("/moved", "GET", &automatic),
        sampler("/moved", "GET", ""),
        sampler("/forever", "GET", &follow),
    ]
    .concat();
    let ran = ran(&group("ThreadGroup", "1", "1", &inside)).unwrap();
    let (asked, samples) = (&ran.asked, &ran.samples);
    let moved = "GET /here?x=1  ";
    assert_eq!(asked[..6], ["POST /moved  ", moved, "POST /moved  ", moved, "GET /moved  ", moved]);
    assert_eq!(count(asked, "GET /forever "), 1 + 20);
    // The chain that JMeter follows itself is behind its sample.
    let codes: Vec<&str> = samples.iter().take(6).map(|[_, code, ..]| code.as_str()).collect();
    assert_eq!(codes, ["200", "302", "200", "200", "200", "302"]);
    assert!(samples[0][0] == "/moved" && samples[0][4].ends_with("/here?x=1"));
    assert_eq!(samples[0][3], "ThreadGroup 1-1");
    let failure = &ran.result.failures[0].message;
    assert!(failure.contains("redirects: 20"), "{failure}");
}

/// Steps of a user's own workload follow by the same code, each measured as a whole.
#[test]
fn requests_of_own_workloads_follow_where_they_say_so() {
    let (folder, asked) = (tempfile::tempdir().unwrap(), Asked::default());
    let port = serve_all(&asked);
    let target = format!("http://127.0.0.1:{port}");
    let step = |name: &str, request: &str, more: serde_json::Value| {
        let mut step = json!({ "name": name, "request": request });
        step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        step
    };
    let (all, reads) = (json!({ "follow": "all" }), json!({ "follow": "reads" }));
    let with = |base: &serde_json::Value, more: serde_json::Value| {
        let mut both = base.clone();
        both.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        both
    };
    let right = json!({ "body": "{}", "check": { "status": 200, "json": { "/id": "7" } } });
    let moved = json!({ "body": "{}", "check": { "status": 302 } });
    let steps = [
        step("a", "POST /moved", with(&all, right)),
        step("b", "POST /moved", with(&reads, moved)),
        step("c", "GET /moved", with(&reads, json!({ "capture": { "id": { "json": "/id" } } }))),
        step("d", "GET /${id}/moved", json!({ "check": { "status": 302 } })),
        step("e", "GET /forever", all.clone()),
    ];
    let definition = serde_json::from_value(json!({
        "workload": { "name": "redirects", "target": target, "headers": { "X-Token": "t" } },
        "group": [{ "name": "G", "step": steps }],
    }))
    .unwrap();
    let compiled = super::Compiled { definition, target: Some(target), users: 1, unread: None };
    let ran = ran_whole(compiled, folder.path(), &asked);
    let here = "GET /here?x=1  t";
    let expected =
        ["POST /moved {} t", here, "POST /moved {} t", "GET /moved  t", here, "GET /7/moved  t"];
    assert_eq!(ran.asked[..6], expected);
    assert_eq!(count(&ran.asked, "GET /forever "), 1 + 20);
    assert_eq!(ran.labels(), ["a", "b", "c", "d", "e"]);
    let failures: Vec<&str> =
        ran.result.failures.iter().map(|failure| failure.message.as_str()).collect();
    assert!(failures.len() == 1 && failures[0].contains("redirects: 20"), "{failures:?}");
}

/// A controller with its properties and what is below it.
fn below(tag: &str, properties: &str, inside: &str) -> String {
    format!("<{tag} testname=\"{tag}\">{properties}</{tag}><hashTree>{inside}</hashTree>")
}

fn property(name: &str, value: &str) -> String {
    format!("<stringProp name=\"{name}\">{value}</stringProp>")
}

/// The paths that were asked for, in their order.
fn paths(groups: &str) -> Vec<String> {
    let ran = ran(groups).unwrap();
    let path = |line: &String| line.split(' ').nth(1).unwrap_or_default().to_owned();
    ran.asked.iter().map(path).collect()
}

#[test]
fn controllers_decide_and_repeat() {
    let numbers = element(
        "JSONPostProcessor",
        &[
            ("JSONPostProcessor.referenceNames", "n"),
            ("JSONPostProcessor.jsonPathExprs", "$.rows[?(@.n > 0)].n"),
            ("JSONPostProcessor.match_numbers", "-1"),
            ("JSONPostProcessor.compute_concat", "true"),
        ],
    );
    let each = property("ForeachController.inputVal", "n")
        + &property("ForeachController.returnVal", "one");
    let condition = |text: &str| property("IfController.condition", text);
    let inside = [
        get("list", "/list", &numbers),
        below("ForeachController", &each, &get("e", "/e/${one}/${n_ALL}", "")),
        below(
            "IfController",
            &condition(
                "${__jexl3(\"${n_matchNr}\" == \"2\" &amp;&amp; ${JMeterThread.last_sample_ok})}",
            ),
            &get("if", "/if", ""),
        ),
        below("IfController", &condition("\"${n_1}\" == \"2\""), &get("not", "/not", "")),
        below(
            "WhileController",
            &property("WhileController.condition", "${__groovy(vars.get('w') != '2')}"),
            &get("w", "/w?${__counter(TRUE,w)}", ""),
        ),
    ]
    .concat();
    let asked = paths(&group("ThreadGroup", "1", "1", &inside));
    assert_eq!(asked, ["/list", "/e/1/1,2", "/e/2/1,2", "/if", "/w?1", "/w?2"]);
}

#[test]
fn a_while_without_a_condition_ends_with_a_failure() {
    let inside = below("WhileController", "", &(get("y", "/y", "") + &get("x", "/missing", "")))
        + &below(
            "LoopController",
            &property("LoopController.loops", "3"),
            &(get("l", "/l", "")
                + &element("TestAction", &[("ActionProcessor.action", "5")])
                + &get("m", "/m", "")),
        )
        + &below("InterleaveControl", "", &(get("i", "/i", "") + &get("j", "/j", "")));
    let asked = paths(&group("ThreadGroup", "1", "2", &inside));
    assert_eq!(asked, ["/y", "/missing", "/l", "/i", "/y", "/missing", "/l", "/j"]);
}

#[test]
fn transactions_are_measured_beside_their_samples_or_instead_of_them() {
    let transaction = |name: &str, properties: &str, inside: &str| {
        format!(
            "<TransactionController testname=\"{name}\">{properties}</TransactionController><hashTree>{inside}</hashTree>"
        )
    };
    let timer = element("ConstantTimer", &[("ConstantTimer.delay", "60")]);
    let word = |name: &str, value: bool| {
        format!("<boolProp name=\"TransactionController.{name}\">{value}</boolProp>")
    };
    let without = word("includeTimers", false);
    let inside = [
        transaction("with", "", &get("a", "/a", &timer)),
        transaction("without", &without, &get("a", "/a", &timer)),
        transaction(
            "whole",
            &(without.clone() + &word("parent", true)),
            &(get("b", "/b", "") + &get("b", "/missing", "")),
        ),
        transaction("empty", "", ""),
    ]
    .concat();
    let ran = ran(&group("ThreadGroup", "1", "1", &inside)).unwrap();
    assert_eq!(ran.labels(), ["a", "with", "a", "without", "whole", "b", "b"]);
    assert!(ran.of("with").service.min_us >= 60_000, "{:?}", ran.of("with").service);
    assert!(ran.of("without").service.max_us < 60_000, "{:?}", ran.of("without").service);
    assert_eq!(
        (ran.of("whole").failed, ran.result.failures[0].message.as_str()),
        (1, "1 of 2 steps failed")
    );
    // Bytes and responses are counted once, those of the block that is measured as a whole too.
    assert_eq!((ran.asked.len(), ran.result.totals.round_trips), (4, 4));
}

#[test]
fn groups_end_with_their_duration() {
    let scheduled = "<boolProp name=\"ThreadGroup.scheduler\">true</boolProp><stringProp name=\"ThreadGroup.duration\">1</stringProp></ThreadGroup>";
    let timer = element("ConstantTimer", &[("ConstantTimer.delay", "60000")]);
    let load = group("ThreadGroup", "2", "-1", &(get("a", "/a", "") + &get("b", "/b", &timer)));
    let last = group("PostThreadGroup", "1", "1", &get("last", "/last", ""));
    let groups = load.replace("</ThreadGroup>", scheduled) + &last;
    // A pause lasts up to the end of the group, and nothing follows it.
    assert_eq!(paths(&groups), ["/a", "/a", "/last"]);
}

/// All that is not taken is refused together, each with its line.
#[test]
fn what_is_not_taken_is_refused_together() {
    let inside = [
        "<CriticalSectionController testname=\"r\"/><hashTree/>".to_owned(),
        get("${__groovy(1+1)}", "/a", ""),
        element("HTTPSamplerProxy", &[("HTTPSampler.image_parser", "true")]),
        element("ThreadGroup", &[]),
        element("RegexExtractor", &[("Sample.scope", "children"), ("RegexExtractor.regex", "a")]),
        element(
            "JSONPostProcessor",
            &[
                ("JSONPostProcessor.referenceNames", "a"),
                ("JSONPostProcessor.jsonPathExprs", "$.a.length()"),
            ],
        ),
        element("CookieManager", &[("CookieManager.unknown", "yes")]),
        below("GenericController", "", &element("CacheManager", &[])),
        below(
            "IfController",
            &property("IfController.condition", "new Date()"),
            &get("a", "/a", ""),
        ),
    ]
    .join("\n");
    let problems = ran(&group("ThreadGroup", "1", "1", &inside)).err().unwrap();
    let said: Vec<(usize, &str)> =
        problems.iter().map(|problem| (problem.line, problem.message.as_str())).collect();
    for (line, words) in [
        (3, "CriticalSectionController (\"r\") is not taken."),
        (4, "The function __groovy is not taken"),
        (5, "HTTPSampler.image_parser \"true\", which is not taken"),
        (6, "ThreadGroup (\"ThreadGroup\") is not taken at this place."),
        (7, "Sample.scope \"children\""),
        (8, "the JSON path \"$.a.length()\""),
        (9, "CookieManager.unknown"),
        (10, "is taken only in the plan and in thread groups"),
        (11, "The condition \"new Date()\" is not taken"),
    ] {
        assert!(
            said.iter().any(|(at, said)| *at == line && said.contains(words)),
            "{words}: {said:#?}"
        );
    }
    assert_eq!(compile("<a/>", &CompileOptions::default()).unwrap_err()[0].line, 1);
}

#[test]
fn headers_apply_to_their_scope() {
    let header = |value: &str| {
        format!(
            "<HeaderManager><collectionProp name=\"HeaderManager.headers\"><elementProp><stringProp name=\"Header.name\">X-Token</stringProp><stringProp name=\"Header.value\">{value}</stringProp></elementProp></collectionProp></HeaderManager><hashTree/>"
        )
    };
    let inside = header("1")
        + &get("a", "/a", "")
        + &get("b", "/b", &header("2"))
        + "<HTTPSamplerProxy testname=\"c\" enabled=\"false\"/><hashTree/>";
    let ran = ran(&group("ThreadGroup", "1", "1", &inside)).unwrap();
    assert_eq!(ran.asked, ["GET /a  1", "GET /b  2"]);
}

/// A placeholder without a value stays as JMeter leaves it, and the checks of the run name it.
#[test]
fn values_that_are_not_set_are_listed() {
    let body = property("HTTPSampler.method", "POST")
        + &property("HTTPSampler.postBodyRaw", "true")
        + "<elementProp name=\"HTTPsampler.Arguments\"><collectionProp name=\"Arguments.arguments\"><elementProp><stringProp name=\"Argument.value\">{${none}}</stringProp></elementProp></collectionProp></elementProp>";
    let inside = format!(
        "<HTTPSamplerProxy testname=\"s\">{}{body}</HTTPSamplerProxy><hashTree/>",
        property("HTTPSampler.path", "/s")
    );
    let ran = ran(&group("ThreadGroup", "1", "2", &inside)).unwrap();
    assert_eq!(ran.asked, ["POST /s {${none}} ", "POST /s {${none}} "]);
    let rows = ran.result.checks.iter().map(|row| (row.name.as_str(), row.failed));
    assert!(rows.clone().any(|row| row == ("s: ${none} has a value", 2)), "{rows:?}");
}

#[test]
fn parts_are_included_and_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let part = format!(
        "<jmeterTestPlan><hashTree><TestFragmentController testname=\"F\"/><hashTree>{}</hashTree></hashTree></jmeterTestPlan>",
        get("b", "/b", "")
    );
    std::fs::write(folder.path().join("part.jmx"), part).unwrap();
    let include =
        |file: &str| element("IncludeController", &[("IncludeController.includepath", file)]);
    let inside = get("a", "/a", "")
        + &include("part.jmx")
        + &below("CriticalSectionController", "", &get("c", "/c", ""))
        + &element("JSR223Sampler", &[("script", "1")]);
    let of = |inside: &str, passed_over: &[&str]| {
        let options = CompileOptions {
            folder: folder.path().to_owned(),
            properties: BTreeMap::from([("port".to_owned(), "1".to_owned())]),
            passed_over: passed_over.iter().map(|&name| name.to_owned()).collect(),
        };
        compile(&plan(&group("ThreadGroup", "1", "1", inside)), &options)
    };
    let names = |compiled: super::Compiled| {
        let steps = &compiled.definition.group[0].step;
        steps.iter().map(|step| step.name.clone().unwrap_or_default()).collect::<Vec<_>>()
    };
    let both = ["CriticalSectionController", "JSR223Sampler"];
    assert_eq!(names(of(&inside, &both).unwrap()), ["a", "b"]);
    assert_eq!(of(&inside, &[]).unwrap_err().len(), 2);
    let unknown = of(&inside, &[both[0], both[1], "Nobody"]).unwrap_err();
    assert!(unknown[0].message.contains("`--pass-over Nobody` names no element"), "{unknown:?}");
    let itself = format!(
        "<jmeterTestPlan><hashTree><TestFragmentController testname=\"F\"/><hashTree>{0}{0}</hashTree></hashTree></jmeterTestPlan>",
        include("itself.jmx")
    );
    std::fs::write(folder.path().join("itself.jmx"), itself).unwrap();
    let endless = of(&include("itself.jmx"), &[]).unwrap_err();
    assert!(endless[0].message.contains("in each other more than 8 times"), "{endless:?}");
    let missing = of(&include("none.jmx"), &[]).unwrap_err();
    assert!(
        missing[0].message.contains("IncludeController") && missing[0].line == 3,
        "{missing:?}"
    );
}
