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

/// Stores a file whose text has no mistake, and has it served.
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
) -> Result<(), Problem> {
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
    match reloaded.status.is_success() {
        true => Ok(()),
        false => Err(reloaded.problem()),
    }
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
