//! The documents of a view that is designed, and writes of it that are undone: requests of the session's client, as for a view
//! that is served.

use std::sync::Arc;

use bytes::Bytes;
use duet_console::address::encoded;
use duet_console::design::{Attempt, Sample, Trial};
use duet_console::page::Problem;
use duet_service::Resource;
use hyper::Method;
use hyper::header::{CONTENT_TYPE, HeaderName};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;

use crate::console::visit::Visit;
use crate::message::media::JSON;

/// Documents of a view.
const DOCUMENTS: usize = 3;
/// Bytes of a document that are shown; of all of them a hundred times as many are read at most.
const SHOWN: usize = 20_000;
/// The limit for reading them, and for a write.
const LIMIT: (HeaderName, &str) = (HeaderName::from_static("request-timeout"), "5s");
/// What a key in an address cannot have. What is encoded already stays.
const NO_KEY: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'/').add(b'<').add(b'>').add(b'?').add(b'\\');

/// The first documents of a view.
///
/// # Errors
/// Why they are not shown.
pub(super) async fn samples(
    visit: &Visit<'_>,
    path: &str,
    view: &Arc<Resource>,
) -> Result<Vec<Sample>, Problem> {
    let target = format!("{path}/{}/?limit={DOCUMENTS}", encoded(&view.name));
    let called = visit.api().send_to(view, Method::GET, &target, &[LIMIT], Bytes::new()).await;
    if !called.status.is_success() {
        return Err(called.problem());
    }
    if called.body.len() > 100 * SHOWN {
        let detail = format!("The first documents have {} bytes.", called.body.len());
        return Err(Problem { detail, ..Problem::default() });
    }
    let items = called.json()["items"].as_array().cloned().unwrap_or_default();
    Ok(items.into_iter().map(sample).collect())
}

fn sample(mut item: Value) -> Sample {
    let links = item.as_object_mut().and_then(|members| members.shift_remove("links"));
    let links = links.as_ref().and_then(Value::as_array).into_iter().flatten();
    let own = links.filter(|link| link["rel"] == "self").find_map(|link| link["href"].as_str());
    let key = own.and_then(|href| href.rsplit('/').next()).unwrap_or_default().to_owned();
    let mut json = serde_json::to_string_pretty(&item).unwrap_or_default();
    let is_cut = json.len() > SHOWN;
    json.truncate(json.floor_char_boundary(SHOWN));
    Sample { key, json, is_cut }
}

/// What a write would do, in a transaction that is rolled back.
pub(super) async fn trial(
    visit: &Visit<'_>,
    path: &str,
    view: &Arc<Resource>,
    attempt: &Attempt,
) -> Trial {
    let (method, key) = match &*attempt.method {
        "POST" => (Method::POST, String::new()),
        "DELETE" => (Method::DELETE, utf8_percent_encode(attempt.key.trim(), NO_KEY).to_string()),
        _ => (Method::PUT, utf8_percent_encode(attempt.key.trim(), NO_KEY).to_string()),
    };
    if method != Method::POST && key.is_empty() {
        let detail = format!("{method} needs the key of a document.");
        let problem = Problem { title: "Which document?".to_owned(), detail, ..Problem::default() };
        return Trial { problem: Some(problem), ..Trial::default() };
    }
    let target = format!("{path}/{}/{key}?explain=1", encoded(&view.name));
    let body = match method {
        Method::DELETE => Bytes::new(),
        _ => Bytes::from(attempt.document.clone()),
    };
    let prefer = (HeaderName::from_static("prefer"), "tx=rollback");
    let headers = [LIMIT, (CONTENT_TYPE, JSON), prefer];
    let called = visit.api().send_to(view, method, &target, &headers, body).await;
    if called.status.is_success() {
        return Trial::of(&called.json());
    }
    let (problem, members) = (Some(called.problem()), called.at_members());
    Trial { problem, members, ..Trial::default() }
}
