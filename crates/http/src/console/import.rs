//! The page that takes rows from a file or a spreadsheet. Its script sends the rows as they are, and what to do with them
//! in the address; a try is a dry run of the same bulk load.

use bytes::Bytes;
use duet_console::address::{query, shell_word};
use duet_console::import::{Column, Found, Import, ImportFound, Refused, Report, member_for};
use duet_console::page::{Problem, Section};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use hyper::{Method, StatusCode};
use serde_json::Value;

use super::call::CallAnswer;
use super::form::Form;
use super::place::{At, Facts};
use super::upload::{Load, Upload};
use super::visit::{Visit, shown};
use crate::answer::reply::Reply;

/// Refused rows that the page lists.
const LISTED: usize = 100;

pub(super) async fn page(visit: &Visit<'_>, at: &At) -> Reply {
    let facts = match Facts::of(visit, &at.mount, &at.resource).await {
        Ok(facts) => facts,
        Err(called) => return visit.refused(&called),
    };
    let origin = visit.origin();
    let address = format!("{origin}{}batchload?batchesPerCommit=0", at.api());
    let curl = format!(
        "curl -s {} -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: text/csv' -H 'Prefer: tx=rollback' --data-binary @rows.csv",
        shell_word(&address)
    );
    let title = format!("Import into {}", at.resource);
    let import = Import {
        frame: visit.frame(&title, Section::Data),
        resource: (&at.resource, &at.place(visit).rows()),
        may_replace: facts.may("update") && !facts.key.is_empty(),
        curl: &curl,
    };
    shown(StatusCode::OK, import.html())
}

/// Answers the script: what was given, and what a try or a load says.
pub(super) async fn done(visit: &Visit<'_>, at: &At, parameters: &Form, body: &Bytes) -> Reply {
    let facts = match Facts::of(visit, &at.mount, &at.resource).await {
        Ok(facts) => facts,
        Err(called) => {
            return part(
                visit,
                called.status,
                &Found { problem: Some(called.problem()), ..Found::default() },
            );
        }
    };
    let upload = match Upload::of(body) {
        Ok(upload) => upload,
        Err(detail) => {
            let problem = Problem {
                title: "The rows cannot be read".to_owned(),
                detail,
                ..Problem::default()
            };
            return part(
                visit,
                StatusCode::BAD_REQUEST,
                &Found { problem: Some(problem), ..Found::default() },
            );
        }
    };
    let members: Vec<String> = facts.members.iter().map(|(name, _)| name.clone()).collect();
    let columns = columns(&upload, &members, parameters.get("map"));
    let mut found = Found {
        form: upload.form().to_owned(),
        rows: upload.rows(),
        members,
        columns,
        ..Found::default()
    };
    let mut status = StatusCode::OK;
    if parameters.has("step", "try") || parameters.has("step", "load") {
        let called = load(visit, at, parameters, &upload, &found.columns).await;
        status = called.status;
        match report(&called.json(), &upload, parameters.has("step", "try")) {
            Some(report) => found.report = Some(report),
            None => found.problem = Some(called.problem()),
        }
    }
    part(visit, status, &found)
}

/// The columns with their members: those that the page sends, or those with the same names.
fn columns(upload: &Upload<'_>, members: &[String], map: Option<&str>) -> Vec<Column> {
    let map: Option<Vec<String>> = map.and_then(|map| serde_json::from_str(map).ok());
    let chosen = |at: usize, name: &str| match &map {
        Some(map) => map.get(at).filter(|member| members.contains(member)).cloned(),
        None => member_for(name, members).map(str::to_owned),
    };
    let all = upload.columns().into_iter().enumerate();
    all.map(|(at, (name, values))| Column { member: chosen(at, &name), name, values }).collect()
}

async fn load(
    visit: &Visit<'_>,
    at: &At,
    parameters: &Form,
    upload: &Upload<'_>,
    columns: &[Column],
) -> CallAnswer {
    let members: Vec<Option<String>> = columns.iter().map(|column| column.member.clone()).collect();
    let Load { media, parameter, body } = upload.load(&members);
    let dry_run = parameters.has("step", "try");
    // A try lists all that is wrong.
    let errors = if dry_run || parameters.has("some", "true") { "UNLIMITED" } else { "0" };
    let upsert = if parameters.has("upsert", "true") { "true" } else { "" };
    let query = query(&[
        ("batchesPerCommit", "0"),
        ("errors", errors),
        ("upsert", upsert),
        ("delimiter", &parameter),
    ]);
    let target = format!("{}batchload{query}", at.api());
    let prefer = if dry_run { "tx=rollback" } else { "tx=commit" };
    let headers = [
        (CONTENT_TYPE, media),
        (ACCEPT, "application/json"),
        (HeaderName::from_static("prefer"), prefer),
    ];
    visit.api().send(Method::POST, &target, &headers, body).await
}

/// The report of a load; `None` for an answer that is none.
fn report(json: &Value, upload: &Upload<'_>, dry_run: bool) -> Option<Report> {
    let (read, refused) = (json["rowsProcessed"].as_u64()?, json["rowsInError"].as_u64()?);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one = |error: &Value| Refused {
        place: upload.place(error["row"].as_u64().unwrap_or_default()),
        member: text(&error["field"]),
        message: text(&error["message"]),
        code: text(&error["code"]),
    };
    let stopped = json["stopped"]["message"].as_str().map(str::to_owned);
    let taken = if stopped.is_some() { 0 } else { read - refused };
    let errors = json["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    let listed = errors.iter().take(LISTED).map(one).collect();
    Some(Report { dry_run, read, taken, refused, listed, stopped })
}

fn part(visit: &Visit<'_>, status: StatusCode, found: &Found) -> Reply {
    shown(status, ImportFound { base: visit.base(), found }.html())
}
