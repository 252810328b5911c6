//! The journals of applications, opened for a command that serves nothing.

use std::sync::Arc;

use duet_auth::{Open, State};
use duet_service::{Auth, Service, WorkerHandle};
use tokio::task::LocalSet;

use crate::args::JournalOf;
use crate::command_error::CommandError;
use crate::commands::sources::applications::{self, Asked, Resolved};
use crate::commands::sources::database;
use crate::commands::sources::hosting::journal_options;
use crate::report::Outcome;
use crate::runtime::{now, runtime};

/// What a command does with the journal of an application, whose name it is given.
pub(super) trait Work<T> {
    /// Does it.
    async fn of(&self, name: &str, handle: &WorkerHandle) -> Outcome<Option<T>>;
}

/// Does something with the journal of each application; those without one are left out.
///
/// # Errors
/// Where none of them has a journal; others of the applications and the work.
pub(super) fn each<T>(of: &JournalOf, work: &impl Work<T>) -> Outcome<Vec<T>> {
    let JournalOf { sources, named, database, settings } = of;
    let asked = Asked { sources, named, database: database.as_deref() };
    let served = applications::resolve(&asked, settings, None)?;
    let is_single = served.applications.len() == 1;
    let mut all = Vec::new();
    let runtime = runtime()?;
    for resolved in served.applications {
        let local = LocalSet::new();
        all.extend(local.block_on(&runtime, one(resolved, is_single, work))?);
    }
    runtime.shutdown_background();
    match all.is_empty() {
        true => Err(no_journal()),
        false => Ok(all),
    }
}

async fn one<T>(resolved: Resolved, is_single: bool, work: &impl Work<T>) -> Outcome<Option<T>> {
    let Resolved { definition, database, settings, of_tenants, .. } = resolved;
    if of_tenants.is_some() {
        return Ok(None);
    }
    let name = definition.name.clone();
    let folder = (!is_single).then(|| name.clone());
    let Some(options) = journal_options(&settings, &database, folder) else { return Ok(None) };
    let store = database::open(&database, &settings).await?;
    let auth = Auth::in_memory(&State::new(now())?, Open::No);
    let service: Arc<Service> = Service::open(store, definition, auth).await?;
    service.keep_journal(options);
    work.of(&name, &service.attach()?).await
}

fn no_journal() -> CommandError {
    CommandError::refusal("The application has no journal.").hint(
        "Name its folder by `--journal`, or the file of clients by `--state`. With tenants there is none.",
    )
}
