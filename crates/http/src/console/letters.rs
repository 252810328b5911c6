//! The dead letters of the journals, for people with `duet.admin`: what `/admin/journal/dead-letters` lists, tries again and
//! drops, each after a question with their number.

use bytes::Bytes;
use duet_console::operate::letters::{Choice, Letter, Letters, LettersPage, Question};
use duet_console::page::Section;
use hyper::{Method, StatusCode};
use serde_json::Value;

use super::call::CallAnswer;
use super::form::Form;
use super::visit::{Visit, shown};
use crate::answer::reply::Reply;

/// The API's own path.
const PATH: &str = "/admin/journal/dead-letters";

/// The page, with a question if one is asked.
pub(super) async fn page(visit: &Visit<'_>, parameters: &Form) -> Reply {
    let choice = choice(parameters, "from");
    let mut letters = match listed(visit, choice).await {
        Ok(letters) => letters,
        Err(called) => return visit.refused(&called),
    };
    letters.question = match parameters.text("ask") {
        action @ ("redrive" | "discard") if letters.count > 0 => Some(question(action, &letters)),
        _ => None,
    };
    show(visit, &letters)
}

/// Does what was asked.
pub(super) async fn done(visit: &Visit<'_>, form: &Form) -> Reply {
    let (choice, action) = (choice(form, "sequence"), form.text("action"));
    if !matches!(action, "redrive" | "discard") {
        return visit.nothing();
    }
    let asked = choice.query(&[(action, "1"), ("all", "1")]);
    let called = visit.api().send(Method::POST, &format!("{PATH}{asked}"), &[], Bytes::new()).await;
    let all = Choice { one: Default::default(), ..choice };
    let mut letters = match listed(visit, all).await {
        Ok(letters) => letters,
        Err(called) => return visit.refused(&called),
    };
    let json = called.json();
    match (called.status.is_success(), action) {
        (false, _) => letters.problem = Some(called.problem()),
        (true, "redrive") => {
            let (applied, rejected) = (rows(&json["applied"]), rows(&json["rejected"]));
            letters.done = Some(format!("Added: {applied}. Refused again: {rejected}."));
        }
        (true, _) => letters.done = Some(format!("Dropped: {}.", rows(&json["discarded"]))),
    }
    show(visit, &letters)
}

fn choice(form: &Form, sequence: &str) -> Choice {
    let text = |name: &str| form.text(name).to_owned();
    Choice {
        application: text("application"),
        resource: text("resource"),
        one: (text("journal"), text(sequence)),
    }
}

async fn listed(visit: &Visit<'_>, mut choice: Choice) -> Result<Letters, CallAnswer> {
    let journals = visit.api().get("/admin/journal").await;
    if !journals.status.is_success() {
        return Err(journals);
    }
    let json = journals.json();
    let names = json["journals"].as_array().into_iter().flatten();
    let mut applications: Vec<String> =
        names.filter_map(|it| it["application"].as_str().map(str::to_owned)).collect();
    applications.dedup();
    if choice.application.is_empty() {
        choice.application = applications.first().cloned().unwrap_or_default();
    }
    let is_read_only = visit.options.read_only;
    let mut letters = Letters { applications, is_read_only, choice, ..Letters::default() };
    if letters.applications.is_empty() {
        return Ok(letters);
    }
    let called = visit.api().get(&format!("{PATH}{}", letters.choice.query(&[]))).await;
    match called.status.is_success() {
        true => {
            let json = called.json();
            letters.count = json["count"].as_u64().unwrap_or_default();
            let found = json["deadLetters"].as_array().into_iter().flatten();
            letters.letters = found.map(Letter::of).collect();
        }
        false => letters.problem = Some(called.problem()),
    }
    Ok(letters)
}

fn rows(count: &Value) -> String {
    if *count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
}

fn question(action: &str, letters: &Letters) -> Question {
    let rows = rows(&letters.count.into());
    let of = match (&*letters.choice.resource, &*letters.choice.one.1) {
        ("", "") => "of all resources".to_owned(),
        (resource, "") => format!("of {resource}"),
        (_, sequence) => format!("with the sequence id {sequence}"),
    };
    let words = match action {
        "redrive" => format!(
            "This adds {rows} {of} again. Those that the database refuses again stay dead letters."
        ),
        _ => {
            format!("This drops {rows} {of} for ever, though clients were told that they are kept.")
        }
    };
    Question { action: action.to_owned(), words }
}

fn show(visit: &Visit<'_>, letters: &Letters) -> Reply {
    let status = match &letters.problem {
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    let frame = visit.frame("Dead letters", Section::Operate);
    shown(status, LettersPage { frame, shown: letters }.html())
}
