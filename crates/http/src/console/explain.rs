//! The page that explains requests for rows: what the API answers with `explain=1`, or with the database's own plan, for one
//! request or for two beside each other.

use bytes::Bytes;
use duet_console::address::{query, shell_word};
use duet_console::explain::{Explain, Explained};
use duet_console::page::Section;
use hyper::Method;
use hyper::StatusCode;
use hyper::header::HeaderName;

use super::call::CallAnswer;
use super::form::Form;
use super::place::At;
use super::visit::{Visit, shown};
use crate::answer::reply::Reply;

/// The limit for a request that is measured.
const LIMIT: (HeaderName, &str) = (HeaderName::from_static("request-timeout"), "10s");

pub(super) async fn page(visit: &Visit<'_>, at: &At, parameters: &Form) -> Reply {
    let database = match parameters.text("database") {
        known @ ("plan" | "analyze") => known,
        _ => "",
    };
    let counts = parameters.has("count", "1");
    let mut requests = vec![parameters.text("q").trim()];
    let compares = !parameters.text("compare").is_empty();
    requests.extend(parameters.get("with").or(compares.then_some("")).map(str::trim));
    let mut all = Vec::new();
    let mut status = StatusCode::OK;
    for q in requests {
        match explained(visit, at, q, database, counts).await {
            Ok((found, answered)) => {
                status = if answered.is_success() { status } else { answered };
                all.push(found);
            }
            Err(called) => return visit.refused(&called),
        }
    }
    let title = format!("Explain {}", at.resource);
    let (frame, place) = (visit.frame(&title, Section::Data), at.place(visit));
    let (rows, path) = (place.rows(), place.page("explain"));
    let resource = (&*at.resource, &*rows);
    shown(status, Explain { frame, resource, path: &path, database, counts, all: &all }.html())
}

/// A request explained. Browsers send every line's end as CR LF, which is white space of JSON.
async fn explained(
    visit: &Visit<'_>,
    at: &At,
    q: &str,
    database: &str,
    counts: bool,
) -> Result<(Explained, StatusCode), CallAnswer> {
    let what = if database.is_empty() { "1" } else { database };
    let count = if counts { "exact" } else { "" };
    let target = format!("{}{}", at.api(), query(&[("q", q), ("explain", what), ("count", count)]));
    let called = visit.api().send(Method::GET, &target, &[LIMIT], Bytes::new()).await;
    if called.status == StatusCode::UNAUTHORIZED {
        return Err(called);
    }
    let address = format!("{}{}", at.api(), query(&[("q", q), ("count", count)]));
    let mut explained = Explained {
        q: q.to_owned(),
        command: format!("duet explain GET {} --app app.toml", shell_word(&address)),
        ..Explained::default()
    };
    match called.status.is_success() {
        true => explained.read(&called.json()),
        false => explained.problem = Some(called.problem()),
    }
    Ok((explained, called.status))
}
