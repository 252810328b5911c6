//! The page of a resource's API: its operations from the OpenAPI document that the caller gets, sent with the session's
//! rights.

use bytes::Bytes;
use duet_console::address::{encoded, query};
use duet_console::api::{Answer, Api, Operation, Parameter, Place, Shown};
use duet_console::page::Section;
use duet_console::snippet::Request;
use hyper::header::{CONTENT_TYPE, HeaderName};
use hyper::{Method, StatusCode};

use super::call::CallAnswer;
use super::form::Form;
use super::place::At;
use super::visit::{Visit, shown};
use crate::answer::reply::Reply;

/// Bytes of an answer that the page shows.
const SHOWN: usize = 100_000;

/// Shows an operation, and sends it where the address asks for that and it changes nothing.
pub(super) async fn page(visit: &Visit<'_>, at: &At, parameters: &Form) -> Reply {
    answer(visit, at, parameters.text("op"), parameters, true).await
}

/// Sends an operation.
pub(super) async fn done(visit: &Visit<'_>, at: &At, form: &Form) -> Reply {
    let uri = visit.arrived.request.uri();
    let query = super::form::parameters(uri.query().unwrap_or_default().as_bytes());
    answer(visit, at, query.text("op"), form, false).await
}

async fn answer(visit: &Visit<'_>, at: &At, id: &str, form: &Form, is_safe: bool) -> Reply {
    let document = format!("{}/open-api-catalog/{}/", at.mount, encoded(&at.resource));
    let called = visit.api().get(&document).await;
    if !called.status.is_success() {
        return visit.refused(&called);
    }
    if !form.text("document").is_empty() {
        return Reply::json(called.body.to_vec());
    }
    let operations = Operation::list(&called.json());
    let chosen = operations.iter().find(|it| it.id == id).cloned();
    let mut page = Shown {
        mount: at.mount.clone(),
        resource: at.resource.clone(),
        path: at.place(visit).page("api"),
        rows: at.place(visit).rows(),
        operations,
        document: format!("{}?document=1", at.place(visit).page("api")),
        ..Shown::default()
    };
    if let Some(mut operation) = chosen {
        let is_given = form.get("send").is_some();
        for one in operation.parameters.iter_mut().filter(|_| is_given) {
            form.text(&one.field).clone_into(&mut one.value);
        }
        if let Some(body) = form.get("body") {
            // Browsers send every line's end as CR LF.
            operation.body = body.replace("\r\n", "\n");
        }
        let known = |media: &&String| *media == form.text("media");
        page.media = operation
            .media
            .iter()
            .find(known)
            .or(operation.media.first())
            .cloned()
            .unwrap_or_default();
        let request = request(at, &operation, &page.media);
        if form.has("send", "1") && operation.is_safe() == is_safe {
            page.answer = Some(sent(visit, &request).await);
        }
        let origin = visit.origin();
        let request = Request { url: format!("{origin}{}", request.url), ..request };
        page.snippets = request.snippets().into();
        page.chosen = Some(operation);
    }
    let title = format!("API of {}", at.resource);
    shown(StatusCode::OK, Api { frame: visit.frame(&title, Section::Data), shown: &page }.html())
}

/// The request that a form describes; its address begins with the mount.
fn request(at: &At, operation: &Operation, media: &str) -> Request {
    let of = |place: Place| operation.parameters.iter().filter(move |it| it.place == place);
    let path = of(Place::Path).fold(operation.path.clone(), |path, one| {
        // Keys of several columns have commas between their parts, which belong to the path.
        let value = one.value.split(',').map(encoded).collect::<Vec<_>>().join(",");
        path.replace(&format!("{{{}}}", one.name), &value)
    });
    let pair = |one: &Parameter| (one.name.clone(), one.value.clone());
    let given: Vec<_> = of(Place::Query).map(pair).collect();
    let given: Vec<_> = given.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut headers: Vec<_> =
        of(Place::Header).filter(|one| !one.value.is_empty()).map(pair).collect();
    let has_body = !operation.media.is_empty();
    if has_body {
        headers.push(("Content-Type".to_owned(), media.to_owned()));
    }
    Request {
        method: operation.method.clone(),
        url: format!("{}{path}{}", at.mount, query(&given)),
        headers,
        body: if has_body { operation.body.clone() } else { String::new() },
    }
}

async fn sent(visit: &Visit<'_>, request: &Request) -> Answer {
    let Ok(method) = Method::from_bytes(request.method.as_bytes()) else {
        return Answer::default();
    };
    let mut headers = Vec::new();
    for (name, value) in &request.headers {
        match HeaderName::try_from(name.as_str()) {
            Ok(name) => headers.push((name, value.as_str())),
            Err(_) => {
                return Answer { status: format!("`{name}` is no header"), ..Answer::default() };
            }
        }
    }
    let body = Bytes::from(request.body.clone());
    answered(&visit.api().send(method, &request.url, &headers, body).await)
}

fn answered(called: &CallAnswer) -> Answer {
    let is_json = called.header(CONTENT_TYPE).contains("json") && called.body.len() <= SHOWN;
    let pretty = is_json.then(|| serde_json::to_string_pretty(&called.json()).unwrap_or_default());
    let whole = match pretty {
        Some(pretty) if !called.body.is_empty() && pretty != "null" => pretty,
        _ => String::from_utf8_lossy(&called.body[..called.body.len().min(SHOWN)]).into_owned(),
    };
    let text =
        |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    Answer {
        status: called.status.to_string(),
        is_success: called.status.is_success() || called.status == StatusCode::NOT_MODIFIED,
        headers: called
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), text(value)))
            .collect(),
        cut: called.body.len().saturating_sub(SHOWN),
        body: whole,
    }
}
