//! Runs of small plans against a server that records what it was asked.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{Failure, Options, Ran, read, run};
use crate::sample_files::{Sample, Samples};

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

/// The samples of a run, as they end.
#[derive(Clone, Debug, Default)]
struct Kept(Rc<RefCell<Vec<Sample>>>);

impl Samples for Kept {
    fn ended(&mut self, sample: &Sample) -> io::Result<()> {
        self.0.borrow_mut().push(sample.clone());
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs the groups of a plan: what the server was asked, and the samples.
async fn ran(groups: &str) -> (Result<Ran, Failure>, Vec<String>, Vec<Sample>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("names.csv"), "ann,1\nbob,2\n").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Asked::default();
    let of_server = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, Arc::clone(&of_server)));
        }
    });
    let plan = read(&format!(
        "<jmeterTestPlan><hashTree><TestPlan testname=\"P\"><boolProp name=\"TestPlan.serialize_threadgroups\">true</boolProp></TestPlan><hashTree>
        <ConfigTestElement><stringProp name=\"HTTPSampler.domain\">127.0.0.1</stringProp><stringProp name=\"HTTPSampler.port\">${{__P(port)}}</stringProp></ConfigTestElement><hashTree/>
        {groups}</hashTree></hashTree></jmeterTestPlan>"
    ))
    .unwrap();
    let kept = Kept::default();
    let options = Options {
        folder: folder.path().to_owned(),
        properties: BTreeMap::from([("port".to_owned(), port.to_string())]),
        timeout: Duration::from_mins(1),
    };
    let ran = run(plan, options, vec![Box::new(kept.clone())]).await;
    let asked = asked.lock().unwrap().clone();
    let samples = kept.0.borrow().clone();
    (ran, asked, samples)
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

#[tokio::test]
async fn groups_share_what_was_extracted() {
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
    let (ran, asked, samples) = ran(&groups.concat()).await;
    assert_eq!(ran.unwrap().figures.total().count, 4);
    assert_eq!(asked, ["GET /token  ", "GET /a  secret", "GET /b/7/2/2  secret", "GET /last  "]);
    let labels: Vec<_> = samples.iter().map(|sample| sample.label.as_str()).collect();
    assert_eq!(labels, ["token", "a", "b", "last"]);
}

#[tokio::test]
async fn controllers_and_data_count_as_in_jmeter() {
    let data = element(
        "CSVDataSet",
        &[("filename", "names.csv"), ("variableNames", "name,number"), ("delimiter", ",")],
    );
    let counter =
        element("CounterConfig", &[("CounterConfig.name", "c"), ("CounterConfig.start", "5")]);
    let below = |tag: &str, properties: &str, inside: &str| {
        format!("<{tag} testname=\"{tag}\">{properties}</{tag}><hashTree>{inside}</hashTree>")
    };
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
    let (ran, asked, samples) = ran(&group("ThreadGroup", "2", "3", &inside)).await;
    let figures = ran.unwrap().figures;
    assert_eq!(figures.total().error_percent.to_bits(), 0f64.to_bits());
    assert_eq!(count(&asked, "GET /once "), 2);
    assert_eq!(count(&asked, "GET /loop/ann/1 "), 6);
    assert_eq!(count(&asked, "GET /loop/bob/2 "), 6);
    assert_eq!(count(&asked, "GET /some "), 3);
    for value in 5..11 {
        assert_eq!(count(&asked, &format!("GET /counted/{value} ")), 1, "{asked:?}");
    }
    let transactions = samples.iter().filter(|sample| sample.label == "TransactionController");
    assert_eq!((transactions.count(), samples.len()), (6, asked.len() + 6));
}

#[tokio::test]
async fn assertions_fail_samples_and_errors_end_threads() {
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
        let (_, _, samples) = ran(&group("ThreadGroup", "1", "1", &inside)).await;
        assert_eq!(samples[0].failure.is_none(), holds, "{field} {kind} {text}");
    }
    let inside = get("a", "/missing", "") + &get("b", "/b", "");
    let stops =
        "<stringProp name=\"ThreadGroup.on_sample_error\">stopthread</stringProp></ThreadGroup>";
    let groups = group("ThreadGroup", "2", "4", &inside).replace("</ThreadGroup>", stops);
    let (ran, asked, samples) = ran(&groups).await;
    assert_eq!((count(&asked, "GET /missing "), asked.len(), samples.len()), (2, 2, 2));
    assert_eq!(samples[0].code, "404");
    assert_eq!(ran.unwrap().figures.total().error_percent.to_bits(), 100f64.to_bits());
}

#[tokio::test]
async fn numbers_that_are_none_have_their_line() {
    for threads in ["${none}", "-1", "99999999999999999999", "1000000000"] {
        let (ran, asked, _) = ran(&group("ThreadGroup", threads, "1", &get("a", "/a", ""))).await;
        let Err(Failure::Plan(problem)) = ran else { panic!("{threads} is taken") };
        assert!(problem.line == 3 && problem.message.contains("number of threads"), "{problem}");
        assert!(asked.is_empty());
    }
}

/// Redirects are followed where the sampler says so, and are one sample with the label of the sampler.
#[tokio::test]
async fn redirects_are_followed_where_the_plan_says_so() {
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
    let (_, asked, samples) = ran(&group("ThreadGroup", "1", "1", &inside)).await;
    let moved = "GET /here?x=1  ";
    assert_eq!(
        asked[..6],
        ["POST /moved  ", moved, "POST /moved  ", "GET /moved  ", moved, "GET /moved  "]
    );
    assert_eq!(count(&asked, "GET /forever "), 1 + 20);
    let codes: Vec<&str> = samples.iter().take(4).map(|sample| sample.code.as_str()).collect();
    assert_eq!(codes, ["200", "302", "200", "302"]);
    assert!(samples[0].label == "/moved" && samples[0].url.ends_with("/here?x=1"));
    assert!(samples[0].received > samples[1].received);
    let failure = samples[4].failure.as_deref().unwrap();
    assert!(failure.contains("redirects: 20"), "{failure}");
}
