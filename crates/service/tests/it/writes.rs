//! The golden suite of writing: `golden/write/<case>/`.
//!
//! A case says what is served as those of reading do (see `golden.rs`). Its `requests` are
//! paragraphs:
//!
//! ```text
//! # What this shows; it goes into the result.
//! PUT /ords/hr/team_dv/2 => mercedes
//! If-Match: "{{before}}"
//! {"_id":2,"name":"Mercedes","points":40,"driver":[]}
//! ```
//!
//! `=> name` keeps the etag of an answer, `{{name}}` is that etag, `{{x*1000}}` is a text repeated.
//! The media type is that of the method unless a header says another. `SQL statement` runs a
//! statement behind the server's back.
//!
//! `result.json` has status, the headers that belong to writing, and body of every answer; it is one
//! file, because both stores must answer the same bytes. `events = true` adds the commit events that came before the answer. `only = "postgres"` with a `reason` in
//! `case.toml` leaves one store out, `require_etag = true` and `compat = "ords"` there are the settings of those names.

use std::collections::BTreeMap;

use duet_model::ProfileRef;
use duet_testkit::golden::{self, Case};
use duet_testkit::http::Response;
use serde_json::Value;

use crate::application;
use crate::commits::Recorder;
use crate::golden::{differing_lines, encoded, in_lines, mask_instance};
use crate::served::{Kind, Served};

/// The headers of an answer that a case holds.
const HEADERS: [&str; 7] = [
    "etag",
    "location",
    "content-location",
    "preference-applied",
    "allow",
    "accept-patch",
    "retry-after",
];

/// Strings longer than this are shortened in results.
const LONG: usize = 2_000;

#[test]
fn write() {
    golden::run("write", check);
}

fn check(case: &Case) {
    let steps = steps(&case.read("requests"));
    let mut application = application::of_case(&case.dir);
    let text = case.try_read("case.toml").unwrap_or_default();
    let settings: toml::Table = text.parse().unwrap();
    let only = settings.get("only").and_then(toml::Value::as_str);
    assert!(only.is_none() || settings.contains_key("reason"), "{} gives no reason", case.name());
    let required = settings.get("require_etag").and_then(toml::Value::as_bool).unwrap_or(false);
    let compat = settings.get("compat").and_then(toml::Value::as_str);
    let named = |name: &str| ProfileRef::named(name).unwrap();
    application.definition.answers_as = compat.map(named);
    let events = settings.get("events").and_then(toml::Value::as_bool).unwrap_or(false);
    let kinds = Kind::BOTH.into_iter().filter(|kind| only.is_none_or(|only| only == kind.name()));
    let answers: Vec<Vec<String>> = kinds
        .map(|kind| {
            let name = format!("write-{}", case.name());
            let start = if required { Served::start_requiring_etags } else { Served::start_open };
            let served = start(kind, &name, &application);
            let recorder = events.then(|| Recorder::of(served.service.store()));
            run(&served, &steps, recorder.as_deref())
        })
        .collect();
    if let [sqlite, postgres] = &answers[..] {
        let mut differences = String::new();
        for (step, (a, b)) in steps.iter().zip(sqlite.iter().zip(postgres)) {
            let (a, b) = (golden::mask_asof(a), golden::mask_asof(b));
            differences += &differing_lines(&step.shown(), &a, &b);
        }
        assert!(differences.is_empty(), "{}: the stores differ:\n{differences}", case.name());
    }
    let entry = |(step, answer): (&Step, &String)| {
        let note = match step.note.as_str() {
            "" => String::new(),
            note => format!("\"note\":{},", Value::from(note)),
        };
        format!("{{{note}\"request\":{}{answer}}}", Value::from(step.shown()))
    };
    let entries: Vec<_> = steps.iter().zip(&answers[0]).map(entry).collect();
    case.expect("result.json", &format!("[{}]\n", entries.join(",\n")));
}

/// One paragraph of `requests`.
struct Step {
    note: String,
    method: String,
    /// A target, or a statement.
    target: String,
    headers: Vec<(String, String)>,
    body: String,
    /// The name under which the etag of the answer is kept.
    keep: Option<String>,
}

impl Step {
    fn shown(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    fn is_sql(&self) -> bool {
        self.method == "SQL"
    }

    /// The headers that are sent.
    fn sent(&self, kept: &BTreeMap<String, String>) -> Vec<(String, String)> {
        let mut sent: Vec<_> =
            self.headers.iter().map(|(name, value)| (name.clone(), filled(value, kept))).collect();
        let has_type = sent.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        if !self.body.is_empty() && !has_type {
            let media = match self.method.as_str() {
                "PATCH" => "application/merge-patch+json",
                _ => "application/json",
            };
            sent.push(("Content-Type".into(), media.into()));
        }
        sent
    }
}

fn run(served: &Served, steps: &[Step], recorder: Option<&Recorder>) -> Vec<String> {
    let mut kept = BTreeMap::new();
    let mut one = |step: &Step| {
        if step.is_sql() {
            served.data.exec(&step.target);
            return String::new();
        }
        let headers = step.sent(&kept);
        let headers: Vec<_> = headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let target = encoded(&filled(&step.target, &kept));
        let body = filled(&step.body, &kept);
        let response = served.ask(&step.method, &target, &headers, body.as_bytes());
        if let Some(name) = &step.keep {
            let etag = response.header("etag").unwrap_or_else(|| panic!("no etag: {response:?}"));
            kept.insert(name.clone(), etag.trim_matches('"').to_owned());
        }
        let events = recorder.map_or(String::new(), |recorder| {
            let events: Vec<_> = recorder.take().iter().map(Value::to_string).collect();
            format!(",\"events\":[{}]", events.join(",\n "))
        });
        events + &answer(&response)
    };
    steps.iter().map(&mut one).collect()
}

/// What is compared of an answer, as the inside of a JSON object.
fn answer(response: &Response) -> String {
    let mut out = format!(",\"status\":{}", response.status);
    for name in HEADERS {
        if let Some(value) = response.header(name) {
            out += &format!(",\"{name}\":{}", Value::from(value));
        }
    }
    if !response.body.is_empty() {
        let body = mask_instance(&without_links(&shortened(response.text())));
        out += &format!(",\"body\":\n{}", in_lines(&body));
    }
    out
}

/// The same JSON with `*` for lists of links, which the cases of reading show.
fn without_links(json: &str) -> String {
    const MEMBER: &str = "\"links\":[";
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, behind)) = rest.split_once(MEMBER) {
        out += before;
        out += "\"links\":\"*\"";
        rest = behind.split_once(']').map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// The same JSON with the middle of long strings left out.
fn shortened(json: &str) -> String {
    let mut out = String::with_capacity(json.len().min(1 << 16));
    let mut parts = json.split('"').peekable();
    while let Some(part) = parts.next() {
        if part.len() > LONG && part.is_char_boundary(20) {
            out += &format!("{} … {} bytes", &part[..20], part.len());
        } else {
            out += part;
        }
        if parts.peek().is_some() {
            out.push('"');
        }
    }
    out
}

/// A text with what stands in double braces filled in.
fn filled(text: &str, kept: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("{{") {
        out += before;
        let Some((name, after)) = behind.split_once("}}").filter(|(name, _)| is_name(name)) else {
            out += "{{";
            rest = behind;
            continue;
        };
        match name.split_once('*') {
            Some((unit, count)) => out += &unit.repeat(count.parse().unwrap()),
            None => out += kept.get(name).unwrap_or_else(|| panic!("no etag is named {name}")),
        }
        rest = after;
    }
    out + rest
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_*[]".contains(c))
}

fn steps(text: &str) -> Vec<Step> {
    let paragraphs = text.split("\n\n").map(|text| text.trim_matches('\n'));
    let mut note = String::new();
    let mut steps = Vec::new();
    for paragraph in paragraphs.filter(|paragraph| !paragraph.is_empty()) {
        let mut lines = paragraph.lines().peekable();
        while let Some(comment) = lines.next_if(|line| line.starts_with('#')) {
            note += if note.is_empty() { "" } else { " " };
            note += comment.trim_start_matches('#').trim();
        }
        while let Some(line) = lines.next() {
            let (line, keep) = match line.split_once(" => ") {
                Some((line, name)) => (line, Some(name.trim().to_owned())),
                None => (line, None),
            };
            let (method, target) = line.split_once(' ').unwrap_or_else(|| panic!("{line}"));
            let mut step = Step {
                note: std::mem::take(&mut note),
                method: method.to_owned(),
                target: target.to_owned(),
                headers: Vec::new(),
                body: String::new(),
                keep,
            };
            while let Some(header) = lines.next_if(|line| is_header(line)) {
                let (name, value) = header.split_once(": ").unwrap();
                step.headers.push((name.to_owned(), value.to_owned()));
            }
            while let Some(body) = lines.next_if(|line| !is_request(line)) {
                step.body += if step.body.is_empty() { "" } else { "\n" };
                step.body += body;
            }
            steps.push(step);
        }
    }
    steps
}

fn is_header(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    })
}

/// Whether a line begins a request; several without a blank line between them belong together.
fn is_request(line: &str) -> bool {
    let methods = ["GET ", "HEAD ", "POST ", "PUT ", "PATCH ", "DELETE ", "OPTIONS ", "SQL "];
    methods.iter().any(|method| line.starts_with(method))
}
