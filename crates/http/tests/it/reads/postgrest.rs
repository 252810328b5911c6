//! The profile `compat = "postgrest"` over HTTP: golden cases in `golden/postgrest`, with one result for both stores.
//!
//! A line of `requests` is `METHOD /path`, then headers and a body, each behind ` | `: headers are `Name: value`, a body
//! begins with `{`, `[` or `=`; `Authorization: none` leaves the token out. A result has the status, the headers that say something of rows, and the body.

use duet_model::ProfileRef;
use duet_testkit::golden::{self, Case};
use duet_testkit::http::Response;

use crate::support::{App, Database, Setup};

const SHOWN: [&str; 9] = [
    "content-type",
    "content-range",
    "content-location",
    "location",
    "preference-applied",
    "allow",
    "proxy-status",
    "warning",
    "www-authenticate",
];

#[test]
fn requests_are_answered_alike_on_both_stores() {
    golden::run("postgrest", |case| {
        let name = format!("postgrest_{}", case.name().replace('-', "_"));
        let sqlite = answers(case, &Database::sqlite());
        let postgres = answers(case, &Database::postgres(&name));
        let differ = sqlite.lines().zip(postgres.lines()).find(|(one, other)| one != other);
        assert_eq!(differ, None, "SQLite and PostgreSQL differ");
        case.expect("result.txt", &sqlite);
    });
}

/// Cases of what SQLite has not, such as functions: each in a schema of its own.
#[test]
fn what_only_postgresql_has_is_answered() {
    golden::run("postgrest-postgresql", |case| {
        // Another name than that of a case of both stores: a database of the same name takes its place.
        let database = Database::postgres(&format!("postgrest_only_{}", case.name()));
        case.expect("result.txt", &answers(case, &database));
    });
}

/// Cases of what is refused there.
#[test]
fn what_sqlite_lacks_is_refused_by_name() {
    golden::run("postgrest-sqlite", |case| {
        case.expect("result.txt", &answers(case, &Database::sqlite()));
    });
}

/// A client that has a row as an array asks for it as an object, and gets that.
#[test]
fn representations_have_etags_of_their_own() {
    for database in [Database::sqlite(), Database::postgres("postgrest_etags")] {
        database.exec("CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name text)");
        database.exec("INSERT INTO team VALUES (1, 'a')");
        let profile = ProfileRef::named("postgrest").unwrap();
        let app = Setup::new(&database).with(|setup| setup.mount().profile = profile).start();
        let media = ["application/json", "application/vnd.pgrst.object+json", "text/csv"];
        let etags = media.map(|media| {
            let answer = app.get_with("/ords/hr/team?id=eq.1", &[("Accept", media)]);
            answer.header("etag").unwrap().to_owned()
        });
        for (media, own) in media.iter().zip(&etags) {
            for etag in &etags {
                let headers = [("Accept", *media), ("If-None-Match", etag)];
                let status = app.get_with("/ords/hr/team?id=eq.1", &headers).status;
                assert_eq!(status, if etag == own { 304 } else { 200 }, "{media} {etag}");
            }
        }
    }
}

fn started(case: &Case, database: &Database) -> App {
    database.exec(&case.read("schema.sql"));
    Setup::new(database)
        .with(|setup| {
            setup.mount().profile = ProfileRef::named("postgrest").unwrap();
            setup.mount().aggregates = case.name().starts_with("aggregate");
            setup.roles = vec!["duet.write", "duet.execute"];
        })
        .start()
}

fn answers(case: &Case, database: &Database) -> String {
    let app = started(case, database);
    let mut text = String::new();
    for line in case.read("requests").lines().filter(|line| !line.is_empty()) {
        text.push_str(line);
        text.push('\n');
        if !line.starts_with('#') {
            text.push_str(&shown(&sent(&app, line)));
        }
    }
    text
}

fn sent(app: &App, line: &str) -> Response {
    let mut parts = line.split(" | ");
    let (method, path) = parts.next().unwrap().split_once(' ').unwrap();
    let bearer = app.bearer();
    let (mut headers, mut body) = (vec![("Authorization", bearer.as_str())], "");
    for part in parts {
        match part.split_once(": ") {
            Some(header) if !part.starts_with(['{', '[']) => headers.push(header),
            _ => body = part.strip_prefix('=').unwrap_or(part),
        }
    }
    if headers.iter().filter(|(name, _)| *name == "Authorization").count() > 1 {
        headers.remove(0);
    }
    headers.retain(|header| *header != ("Authorization", "none"));
    let is_typed = headers.iter().any(|(name, _)| *name == "Content-Type");
    if !body.is_empty() && !is_typed {
        headers.push(("Content-Type", "application/json"));
    }
    let body = body.replace("\\n", "\n");
    app.connect().request(method, &format!("/ords/hr{path}"), &headers, body.as_bytes())
}

fn shown(answer: &Response) -> String {
    let mut text = format!("    {}\n", answer.status);
    for name in SHOWN {
        if let Some(value) = answer.header(name) {
            text.push_str(&format!("    {name}: {value}\n"));
        }
    }
    for line in answer.text().lines() {
        text.push_str(&format!("    {line}\n"));
    }
    text
}
