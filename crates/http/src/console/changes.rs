//! The page of collected changes: the browser keeps the list, this shows it, and saves it as a transaction for each mount.

use bytes::Bytes;
use duet_console::address::Place;
use duet_console::changes::{Change, Changes, Collected, Shown};
use duet_console::item::merged;
use duet_console::page::{Problem, Section};
use hyper::header::{CONTENT_TYPE, ETAG};
use hyper::{Method, StatusCode};
use serde_json::{Map, Value};

use super::call::CallAnswer;
use super::form::Form;
use super::place::At;
use super::visit::{Visit, shown};
use crate::answer::reply::Reply;

/// The page before the browser has sent its list.
pub(super) fn page(visit: &Visit<'_>) -> Reply {
    let collected = Collected { list: "[]".to_owned(), asks: true, ..Collected::default() };
    show(visit, StatusCode::OK, &collected)
}

/// Shows the list that a form has sent, without what it undoes, or saves it.
pub(super) async fn done(visit: &Visit<'_>, form: &Form) -> Reply {
    let Some(mut all) = Change::list(form.text("list")) else {
        let detail = "The list of changes cannot be read. Open the page of the changes again.";
        return visit.problem(StatusCode::BAD_REQUEST, "No list of changes", detail);
    };
    match form.get("undo") {
        Some("all") => all.clear(),
        Some(number) => {
            if let Some(number) = number.parse().ok().filter(|number| *number < all.len()) {
                all.remove(number);
            }
        }
        None if form.has("action", "save") && !all.is_empty() => return save(visit, all).await,
        None => {}
    }
    let shown: Vec<Shown> = all.iter().map(|change| shown_change(visit, change)).collect();
    show(
        visit,
        StatusCode::OK,
        &Collected { list: Change::text(&all), changes: shown, ..Collected::default() },
    )
}

/// Saves the changes of each mount. What is saved leaves the list, the rest of it stays as it is.
async fn save(visit: &Visit<'_>, mut all: Vec<Change>) -> Reply {
    let mut saved = 0;
    while let Some(mount) = all.first().map(|change| change.mount.clone()) {
        let (mut own, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| it.mount == mount);
        let called = transaction(visit, &mount, &own).await;
        if !called.status.is_success() {
            let mut shown: Vec<Shown> = Vec::new();
            if called.status == StatusCode::PRECONDITION_FAILED {
                for change in &mut own {
                    shown.push(renewed(visit, change).await);
                }
            } else {
                shown.extend(own.iter().map(|change| shown_change(visit, change)));
                told(&called, &mut shown);
            }
            shown.extend(others.iter().map(|change| shown_change(visit, change)));
            own.extend(others);
            let collected = Collected {
                list: Change::text(&own),
                changes: shown,
                saved: (saved > 0).then_some(saved),
                problem: Some(refusal(&called)),
                asks: false,
            };
            return show(visit, called.status, &collected);
        }
        saved += own.len();
        all = others;
    }
    let collected = Collected { list: "[]".to_owned(), saved: Some(saved), ..Collected::default() };
    show(visit, StatusCode::OK, &collected)
}

async fn transaction(visit: &Visit<'_>, mount: &str, changes: &[Change]) -> CallAnswer {
    let operations = Value::Array(changes.iter().map(Change::operation).collect());
    let body = Bytes::from(operations.to_string());
    let headers = [(CONTENT_TYPE, "application/json")];
    visit.api().send(Method::POST, &format!("{mount}/_/transaction"), &headers, body).await
}

fn refusal(called: &CallAnswer) -> Problem {
    match called.status {
        StatusCode::PRECONDITION_FAILED => Problem {
            title: "Another has changed some of these meanwhile".to_owned(),
            detail: "Nothing was saved. They are marked below.".to_owned(),
            ..Problem::default()
        },
        _ => called.problem(),
    }
}

/// Puts what was refused at its change, and at its member.
fn told(called: &CallAnswer, shown: &mut [Shown]) {
    for (pointer, message) in called.at_members() {
        let mut parts = pointer.split('/');
        let number = parts.next().and_then(|part| part.parse::<usize>().ok());
        let Some(change) = number.and_then(|number| shown.get_mut(number)) else { continue };
        let member = parts.nth(1).unwrap_or_default();
        match change.differences.iter_mut().find(|it| it.name == member) {
            Some(member) => member.problem = Some(message),
            None => change.problem = Some(message),
        }
    }
}

/// A change after the save was refused because some item is another one now: made of what is stored now, where that
/// differs.
async fn renewed(visit: &Visit<'_>, change: &mut Change) -> Shown {
    if change.etag.is_empty() {
        return shown_change(visit, change);
    }
    let called = visit.api().get(&format!("{}/{}", change.mount, change.path)).await;
    if !called.status.is_success() {
        let problem = Some(called.problem().title);
        return Shown { problem, is_behind: false, ..shown_change(visit, change) };
    }
    let etag = called.header(ETAG);
    if etag == change.etag {
        return shown_change(visit, change);
    }
    let object =
        |text: &str| -> Map<String, Value> { serde_json::from_str(text).unwrap_or_default() };
    let (base, yours) = (object(&change.base), object(&change.body));
    let Value::Object(mut theirs) = called.json() else { return shown_change(visit, change) };
    theirs.remove("links");
    let merged = merged(&base, &yours, &theirs);
    let mut whole = merged.whole;
    for name in &merged.collisions {
        whole.insert(name.clone(), yours.get(name).cloned().unwrap_or_default());
    }
    etag.clone_into(&mut change.etag);
    change.base = Value::Object(theirs.clone()).to_string();
    if change.method != "DELETE" {
        change.body = Value::Object(whole).to_string();
    }
    let mut shown = shown_change(visit, change);
    shown.is_behind = true;
    for member in shown.differences.iter_mut().filter(|it| merged.collisions.contains(&it.name)) {
        member.theirs = theirs.get(&member.name).map(Value::to_string);
        member.before = base.get(&member.name).map(Value::to_string);
    }
    shown
}

fn shown_change(visit: &Visit<'_>, change: &Change) -> Shown {
    let place = Place { base: visit.base(), mount: &change.mount, resource: &change.resource };
    let href = place.item(&format!("{}/{}", change.mount, change.path));
    let key = change.path.split_once('/').map_or("", |(_, key)| key);
    let key = duet_model::key::percent_decode(key).unwrap_or_else(|_| key.to_owned());
    Shown {
        verb: change.verb(),
        title: format!("{} {key}", change.resource).trim_end().to_owned(),
        href,
        differences: change.differences(),
        ..Shown::default()
    }
}

fn show(visit: &Visit<'_>, status: StatusCode, collected: &Collected) -> Reply {
    let frame = visit.frame("Changes", Section::Changes);
    shown(status, Changes { frame, collected }.html())
}

/// A change that is collected instead of saved, for the script of the page that asks.
pub(super) fn collected(at: &At, method: &str, etag: &str, base: &str, body: &str) -> Reply {
    let resource = duet_console::address::encoded(&at.resource);
    let change = Change {
        mount: at.mount.clone(),
        resource: at.resource.clone(),
        path: if at.key.is_empty() { resource } else { format!("{resource}/{}", at.key) },
        method: method.to_owned(),
        etag: etag.to_owned(),
        base: base.to_owned(),
        body: body.to_owned(),
    };
    Reply::json(change.json().to_string().into_bytes())
}
