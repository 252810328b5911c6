//! `/admin/journal`: the journals of the applications, of all processes, and their dead letters.

use std::time::Duration;

use duet_auth::Principal;
use duet_model::{Code, Error, Place, Result};
use duet_service::journal::{DeadLetter, Letters, RedrivenLetters};
use duet_service::query::Parameters;
use duet_service::{Client, RequestContext, Service};
use serde_json::{Value, json};

use crate::answer::reply::Reply;
use crate::observe::event::Event;
use crate::processes::reports;
use crate::worker::Worker;

/// Dead letters in an answer that does not say how many.
const SHOWN: usize = 100;
/// The most dead letters in an answer.
const MOST: usize = 1_000;
/// How long a flush waits that does not say.
const PATIENCE: Duration = Duration::from_secs(30);

/// The answer to `GET /admin/journal`: what each journal is doing, as its owner among the processes reports it.
/// With `wait_for=ID` it waits until everything up to a sequence id is applied, for `timeout` seconds at most.
///
/// # Errors
/// For wrong parameters; [`Code::Timeout`] where it was not applied in time;
/// [`Code::JournalUnavailable`] where none of the processes owns the journal.
pub(crate) async fn list(worker: &Worker, parameters: &Parameters<'_>) -> Result<Reply> {
    if let Some(text) = parameters.text("wait_for")? {
        let (service, context) = of_application(worker, parameters)?;
        let sequence = number("wait_for", &text)?;
        wait(worker, service, context, Some(sequence), parameters).await?;
    }
    let mut journals = reports::journals(&worker.shared).await;
    if parameters.text("application")?.is_some() {
        let (service, _) = of_application(worker, parameters)?;
        journals.retain(|it| it["application"] == service.name());
    }
    Ok(Reply::json(json!({ "journals": journals }).to_string().into_bytes()))
}

/// The answer to `POST /admin/journal?flush`: all rows that were acknowledged are applied.
///
/// # Errors
/// For wrong parameters; [`Code::Timeout`] where they were not applied in time;
/// [`Code::JournalUnavailable`] where none of the processes owns the journal.
pub(crate) async fn flush(worker: &Worker, parameters: &Parameters<'_>) -> Result<Reply> {
    if parameters.text("flush")?.is_none() {
        let message = "Give `?flush` to wait until all acknowledged rows are in the database.";
        return Err(wrong("flush", message));
    }
    let (service, context) = of_application(worker, parameters)?;
    let flushed = wait(worker, service, context, None, parameters).await?;
    Ok(Reply::json(flushed.to_string().into_bytes()))
}

/// Waits until everything up to a sequence id, or all that is durable, is applied. Gives the journal and what is
/// applied.
async fn wait(
    worker: &Worker,
    service: &Service,
    context: RequestContext<'_>,
    sequence: Option<u64>,
    parameters: &Parameters<'_>,
) -> Result<Value> {
    let most = parameters.wait("timeout")?.unwrap_or(PATIENCE);
    let owned = match of_owner(worker, service).await {
        Some(owned) => owned,
        // After a start nobody has opened it yet.
        None => {
            context.open_journal().await?;
            of_owner(worker, service).await.ok_or_else(nobody)?
        }
    };
    let (journal, durable) = (&owned["journal"], owned["writeHwm"].as_u64().unwrap_or(0));
    let sequence = sequence.unwrap_or(durable);
    let applied = context.applied(journal.as_str().unwrap_or_default(), sequence, most).await?;
    if applied < sequence {
        let message = "The rows are not in the database yet. GET /admin/journal says why.";
        return Err(Error::new(Code::Timeout, message));
    }
    Ok(json!({ "application": service.name(), "journal": journal, "applyHwm": applied }))
}

/// The journal of an application as the process reports it that owns it.
async fn of_owner(worker: &Worker, service: &Service) -> Option<Value> {
    let journals = reports::journals(&worker.shared).await;
    let own = |it: &Value| it["application"] == service.name() && it["journal"].is_string();
    journals.into_iter().find(own)
}

/// The answer to `GET /admin/journal/dead-letters`.
///
/// # Errors
/// For wrong parameters, and where the database cannot be asked.
pub(crate) async fn dead_letters(worker: &Worker, parameters: &Parameters<'_>) -> Result<Reply> {
    let (_, context) = of_application(worker, parameters)?;
    let letters = letters(parameters)?;
    let most = match parameters.text("limit")? {
        None => SHOWN,
        Some(text) => usize::try_from(number("limit", &text)?).unwrap_or(MOST).clamp(1, MOST),
    };
    let total = context.count_dead_letters(&letters).await?;
    let found = context.dead_letters(&letters, None, most).await?;
    let items: Vec<Value> = found.iter().map(letter_json).collect();
    let body = json!({ "count": total, "deadLetters": items });
    Ok(Reply::json(body.to_string().into_bytes()))
}

/// The answer to `POST /admin/journal/dead-letters?redrive` and `?discard`: which ones is said as for a list; all of
/// them only with `all`.
///
/// # Errors
/// For wrong parameters, and where the database cannot be asked.
pub(crate) async fn change_dead_letters(
    worker: &Worker,
    who: &Principal,
    parameters: &Parameters<'_>,
) -> Result<Reply> {
    let (_, context) = of_application(worker, parameters)?;
    let letters = letters(parameters)?;
    if letters == Letters::all() && parameters.text("all")?.is_none() {
        let message = "Say which dead letters: `journal`, `from`, `to` or `resource`, or `all`.";
        return Err(wrong("all", message));
    }
    let (redrive, discard) = (parameters.text("redrive")?, parameters.text("discard")?);
    let (body, what) = match (redrive, discard) {
        (Some(_), None) => {
            let RedrivenLetters { applied, rejected } =
                context.redrive_dead_letters(&letters).await?;
            let what = format!("dead letters were applied again: {applied}, rejected: {rejected}");
            (json!({ "applied": applied, "rejected": rejected }), what)
        }
        (None, Some(_)) => {
            let discarded = context.discard_dead_letters(&letters).await?;
            let what = format!("dead letters were discarded: {discarded}");
            (json!({ "discarded": discarded }), what)
        }
        _ => return Err(wrong("redrive", "Give either `?redrive` or `?discard`.")),
    };
    worker.events.emit(&Event::Administered { by: who.name(), what: &what });
    Ok(Reply::json(body.to_string().into_bytes()))
}

/// The application that a request names, or the only one with a journal.
fn of_application<'w>(
    worker: &'w Worker,
    parameters: &Parameters<'_>,
) -> Result<(&'w Service, RequestContext<'w>)> {
    let services = worker.shared.applications.services();
    let mut with = (0..services.len()).filter(|number| services[*number].ingest().is_some());
    let number = match parameters.text("application")? {
        Some(name) => {
            let found = with.find(|number| services[*number].name() == name);
            found
                .ok_or_else(|| wrong("application", "No application of this name has a journal."))?
        }
        None => {
            let first = with.next().ok_or_else(no_journal)?;
            if with.next().is_some() {
                let message = "Several applications have a journal: give `application=NAME`.";
                return Err(wrong("application", message));
            }
            first
        }
    };
    let context = worker.readers[number].acting(None).for_client(Client::of("admin"));
    Ok((&services[number], context))
}

fn letters(parameters: &Parameters<'_>) -> Result<Letters> {
    let mut letters = Letters::all();
    letters.journal = parameters.text("journal")?;
    letters.resource = parameters.text("resource")?.map(|it| it.trim_end_matches('/').to_owned());
    if let Some(text) = parameters.text("from")? {
        letters.from = number("from", &text)?;
    }
    if let Some(text) = parameters.text("to")? {
        letters.to = number("to", &text)?;
    }
    Ok(letters)
}

fn number(name: &'static str, text: &str) -> Result<u64> {
    text.parse().map_err(|_| wrong(name, &format!("`{name}` is a whole number.")))
}

fn wrong(name: &str, message: &str) -> Error {
    Error::new(Code::BadParameter, message).at(Place::Parameter(name.to_owned()))
}

fn no_journal() -> Error {
    Error::new(Code::NotServed, "No application of this server has a journal.")
        .hint("Set `journal`, and run `duet journal prepare` for the database.")
}

fn nobody() -> Error {
    let message =
        "None of the processes of this server owns the journal now. GET /admin/journal says why.";
    Error::new(Code::JournalUnavailable, message).retry_after(2)
}

fn letter_json(letter: &DeadLetter) -> Value {
    let row: Value = serde_json::from_str(&letter.content).unwrap_or_default();
    json!({
        "journal": letter.journal,
        "sequenceId": letter.sequence,
        "resource": letter.resource,
        "caller": letter.caller,
        "acceptedAt": time(letter.accepted_at),
        "rejectedAt": time(letter.rejected_at),
        "code": letter.code,
        "detail": letter.reason,
        "row": row,
    })
}

/// Milliseconds since 1970 as RFC 3339.
fn time(millis: u64) -> String {
    duet_text::time::moment::rfc3339(millis / 1_000)
}
