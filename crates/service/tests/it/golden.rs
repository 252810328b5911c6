//! The golden suite: `golden/{read,views,filter}/<case>/`.
//!
//! A case holds
//! - what is served: `app = "…"` in `case.toml` (one of `apps/`, with `views` to choose others of
//!   its definitions), or `schema.sql` and view files `*_dv.sql`, `*_dv.graphql`, with an
//!   `app.toml` where tables need names or keys;
//! - `schema.sqlite.sql`, `schema.postgres.sql`, `data.sql` and so on: what is run before;
//! - `requests`: a line each, `GET target` with the filter in braces, or the rest of the line behind
//!   `query=`, unencoded, `NEXT` for the page that the last one links to, or `SQL statement`;
//! - what must come out: `plan.txt`, `sqlite.sql`, `postgres.sql`, and `result.json`, which is one
//!   file because both stores must answer the same bytes.
//!
//! Where the stores cannot but differ, `case.toml` says why: `plans_differ = "…"` makes it two
//! plans, `only = "postgres"` with a `reason` leaves one store out.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use duet_testkit::golden::{self, Case};
use duet_testkit::http::Response;

use crate::application;
use crate::served::{Kind, Served};

#[test]
fn read() {
    golden::run("read", |case| check("read", case));
}

#[test]
fn views() {
    golden::run("views", |case| check("views", case));
}

#[test]
fn filter() {
    golden::run("filter", |case| check("filter", case));
}

/// One line of `requests`.
enum Line {
    Get { shown: String, target: String },
    Next,
    Sql(String),
}

fn check(area: &str, case: &Case) {
    let lines = lines(&case.read("requests"));
    let application = application::of_case(&case.dir);
    let text = case.try_read("case.toml").unwrap_or_default();
    let settings: toml::Table = text.parse().unwrap();
    let only = settings.get("only").and_then(toml::Value::as_str);
    let kinds = Kind::BOTH.into_iter().filter(|kind| only.is_none_or(|only| only == kind.name()));
    let outcomes: Vec<_> = kinds
        .map(|kind| {
            let name = format!("{area}-{}", case.name());
            let served = Served::start(kind, &name, &application);
            let outcome = run(&served, &lines);
            case.expect(&format!("{}.sql", kind.name()), &outcome.sql);
            outcome
        })
        .collect();
    let plans_differ = settings.contains_key("plans_differ");
    let mut differences = String::new();
    if let [sqlite, postgres] = &outcomes[..] {
        if plans_differ {
            case.expect("plan.sqlite.txt", &sqlite.plan);
            case.expect("plan.postgres.txt", &postgres.plan);
        } else {
            differences += &differing_lines("plans", &sqlite.plan, &postgres.plan);
        }
        for (line, (a, b)) in lines.iter().zip(sqlite.answers.iter().zip(&postgres.answers)) {
            let (a, b) = (golden::mask_asof(a), golden::mask_asof(b));
            differences += &differing_lines(line.shown(), &a, &b);
        }
    }
    assert!(differences.is_empty(), "{area}/{}: the stores differ:\n{differences}", case.name());
    if !plans_differ {
        case.expect("plan.txt", &outcomes[0].plan);
    }
    case.expect("result.json", &result(&lines, &outcomes[0].answers));
}

/// The lines in which SQLite's text and PostgreSQL's differ.
pub(crate) fn differing_lines(what: &str, sqlite: &str, postgres: &str) -> String {
    if sqlite == postgres {
        return String::new();
    }
    let (mut a, mut b) = (sqlite.lines(), postgres.lines());
    let mut out = format!("{what}\n");
    loop {
        match (a.next(), b.next()) {
            (None, None) => return out,
            (a, b) if a == b => {}
            (a, b) => {
                writeln!(out, "  sqlite   {}\n  postgres {}", a.unwrap_or(""), b.unwrap_or(""))
                    .unwrap();
            }
        }
    }
}

#[derive(Default)]
struct Outcome {
    plan: String,
    sql: String,
    answers: Vec<String>,
}

fn run(served: &Served, lines: &[Line]) -> Outcome {
    let mut outcome = Outcome::default();
    let mut explained = BTreeSet::new();
    let mut last = serde_json::Value::Null;
    for line in lines {
        let (shown, target) = match line {
            Line::Sql(statement) => {
                served.data.exec(statement);
                outcome.answers.push(String::new());
                continue;
            }
            Line::Get { shown, target } => (shown.as_str(), target.clone()),
            Line::Next => ("the next page", next(&last)),
        };
        if explained.insert(target.clone()) {
            explain(served, shown, &target, &mut outcome);
        }
        let response = served.get(&target);
        last = response.json();
        outcome.answers.push(answer(&response));
    }
    outcome
}

/// Where a page's link `next` leads.
fn next(page: &serde_json::Value) -> String {
    let links = page["links"].as_array().into_iter().flatten();
    let next = links.filter(|link| link["rel"] == "next").find_map(|link| link["href"].as_str());
    let target = next.and_then(|href| href.strip_prefix("http://localhost"));
    target.unwrap_or_else(|| panic!("no next page in {page}")).to_owned()
}

fn explain(served: &Served, shown: &str, target: &str, outcome: &mut Outcome) {
    let (plan, sql) = match served.service.explanation("GET", target) {
        Ok(explanation) => {
            let statements = explanation.statements.iter().map(|s| format!("{s}\n"));
            (explanation.plan, statements.collect())
        }
        Err(error) => (format!("{error}\n"), String::new()),
    };
    writeln!(outcome.plan, "GET {shown}\n{plan}").unwrap();
    if !sql.is_empty() {
        write!(outcome.sql, "-- GET {shown}\n{sql}").unwrap();
    }
}

/// What is compared of an answer: status, etag and body, as the inside of a JSON object.
fn answer(response: &Response) -> String {
    let etag = response
        .header("etag")
        .map_or("null".to_owned(), |etag| serde_json::Value::from(etag).to_string());
    let body = mask_instance(response.text());
    format!("\"status\":{},\"etag\":{etag},\"body\":\n{}", response.status, in_lines(&body))
}

/// Problem documents name the request, which differs from run to run.
pub(crate) fn mask_instance(body: &str) -> String {
    const MEMBER: &str = "\"instance\":\"";
    match body.split_once(MEMBER).and_then(|(before, rest)| Some((before, rest.split_once('"')?))) {
        Some((before, (_, after))) => format!("{before}{MEMBER}*\"{after}"),
        None => body.to_owned(),
    }
}

/// The same JSON with a line for every object that is an element of an array of several.
pub(crate) fn in_lines(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 256);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut last = ' ';
    for (at, char) in json.char_indices() {
        let element = char == '{' && (last == ',' || last == '[');
        if element && !in_string && !(last == '[' && is_alone(&json[at..])) {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', depth));
        }
        match char {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '{' | '[' if !in_string => depth += 1,
            '}' | ']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        out.push(char);
        last = char;
    }
    out
}

/// Whether the object that the text begins with is the only element of its array.
fn is_alone(json: &str) -> bool {
    let mut stream =
        serde_json::Deserializer::from_str(json).into_iter::<&serde_json::value::RawValue>();
    let _object = stream.next();
    json[stream.byte_offset()..].starts_with(']')
}

fn result(lines: &[Line], answers: &[String]) -> String {
    let entry = |(line, answer): (&Line, &String)| match line {
        Line::Sql(statement) => format!("{{\"sql\":{}}}", serde_json::Value::from(&**statement)),
        Line::Get { shown, .. } => {
            format!("{{\"get\":{},{answer}}}", serde_json::Value::from(&**shown))
        }
        Line::Next => format!("{{\"get\":\"the next page\",{answer}}}"),
    };
    let entries: Vec<_> = lines.iter().zip(answers).map(entry).collect();
    format!("[{}]\n", entries.join(",\n"))
}

impl Line {
    fn shown(&self) -> &str {
        match self {
            Self::Get { shown, .. } => shown,
            Self::Next => "the next page",
            Self::Sql(statement) => statement,
        }
    }
}

fn lines(text: &str) -> Vec<Line> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.filter(|line| !line.starts_with('#'));
    let line = |line: &str| match line.split_once(' ') {
        _ if line == "NEXT" => Line::Next,
        Some(("GET", target)) => Line::Get { shown: target.to_owned(), target: encoded(target) },
        Some(("SQL", statement)) => Line::Sql(statement.to_owned()),
        _ => panic!("a line begins with GET or SQL: {line}"),
    };
    lines.map(line).collect()
}

/// A target as it goes over the wire: everything from the first to the last brace is encoded, or behind
/// `query=` to the end, and what no target may hold.
pub(crate) fn encoded(target: &str) -> String {
    let braces = match target.split_once("query=") {
        Some((before, _)) => before.len() + "query=".len()..target.len(),
        None => target.find('{').unwrap_or(target.len())..target.rfind('}').unwrap_or(0),
    };
    let mut out = String::new();
    for (at, char) in target.char_indices() {
        let plain = char.is_ascii_graphic() && !"\"<>\\^`|".contains(char);
        let always = braces.start <= at && at <= braces.end && !char.is_ascii_alphanumeric();
        if plain && !always {
            out.push(char);
            continue;
        }
        let mut bytes = [0; 4];
        for byte in char.encode_utf8(&mut bytes).bytes() {
            write!(out, "%{byte:02X}").unwrap();
        }
    }
    out
}
