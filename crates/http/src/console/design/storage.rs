//! Files of an application as they are stored, and changed from the console where the operator allows it.

use std::sync::Arc;

use bytes::Bytes;
use duet_console::page::Problem;
use duet_model::Error;
use duet_service::{Draft, Service};
use hyper::Method;

use super::access::may_store;
use crate::console::form::Form;
use crate::console::visit::Visit;
use crate::observe::event::Event;

/// What was done, as a value of the parameter `stored`, and in words behind the file's name.
const DONE: [(&str, &str); 2] = [
    ("1", "is stored, and served."),
    ("noted", "is stored, and served. The reload has notes: they are in the log."),
];

/// What was done to a file, where the parameters say so.
pub(super) fn done(parameters: &Form, name: &str) -> Option<String> {
    let (_, words) = DONE.iter().find(|(value, _)| parameters.has("stored", value))?;
    Some(format!("{name} {words}"))
}

/// Stores a file whose text has no mistake, and has it served. Says what was done.
///
/// # Errors
/// Why not.
pub(super) async fn put(
    visit: &Visit<'_>,
    service: &Arc<Service>,
    name: &str,
    text: &str,
    form: &Form,
    draft: Option<&Draft>,
) -> Result<&'static str, Problem> {
    let titled = |detail: &str| Problem {
        title: "Not stored".to_owned(),
        detail: detail.to_owned(),
        ..Problem::default()
    };
    if !may_store(visit) {
        return Err(titled("The server does not store files: start it with `--console-files`."));
    }
    if draft.is_none_or(|draft| draft.resource.is_none()) {
        return Err(titled("Correct the mistakes first: nothing would be served of this text."));
    }
    let now = stored(service, name).await.map_err(|error| problem(&error))?;
    if now.as_deref().map(hash).unwrap_or_default() != form.text("before") {
        return Err(titled(
            "The file has changed since this page was opened. Keep your text by \"Save as a file\", then open the page again.",
        ));
    }
    let origin = Arc::clone(service.files().map_err(|error| problem(&error))?);
    let (file, own) = (name.to_owned(), text.to_owned());
    let stored = tokio::task::spawn_blocking(move || origin.store(&file, &own)).await;
    stored.map_err(Error::internal).flatten().map_err(|error| problem(&error))?;
    let by = visit.session.as_ref().map_or("", |session| session.client());
    let what = format!("the file {name} was stored, with {} bytes", text.len());
    visit.arrived.worker.events.emit(&Event::Administered { by, what: &what });
    let reloaded = visit.api().send(Method::POST, "/admin/reload", &[], Bytes::new()).await;
    if !reloaded.status.is_success() {
        return Err(reloaded.problem());
    }
    let has_notes = reloaded.json()["notes"].as_array().is_some_and(|notes| !notes.is_empty());
    Ok(if has_notes { DONE[1].0 } else { DONE[0].0 })
}

/// A text as a hash, by which a file is known to be as it was.
pub(super) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The text of a file as it is stored.
pub(super) async fn stored(service: &Service, name: &str) -> Result<Option<String>, Error> {
    let origin = Arc::clone(service.files()?);
    let name = name.to_owned();
    let read = tokio::task::spawn_blocking(move || origin.stored(&name));
    read.await.map_err(Error::internal)?
}

/// An error for people.
pub(super) fn problem(error: &Error) -> Problem {
    Problem {
        title: "Not possible here".to_owned(),
        detail: error.message.clone(),
        hint: error.hint.clone(),
        code: Some(error.code.as_str().to_owned()),
    }
}
