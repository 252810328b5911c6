//! Loads the items of a resource into memory before they are requested.
//!
//! Keys are read page by page, in their order, and the items of each page by their keys like those of
//! requests. So each item is stored under the same rule: not where it has changed since its rows were
//! read. One task of an application runs at a time, with few concurrent reads, as a client of its own in
//! the queues.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use duet_document::Links;
use duet_model::key::parse_key;
use duet_model::{Code, Error, Place, ReadPlan, Result};
use duet_store::{Client, CountOf};
use futures_util::FutureExt;
use futures_util::future::try_join_all;

use super::pages::{ItemQuery, end_of_page};
use crate::cache::population::{Phase, Ticket};
use crate::cache::slot::Keeper;
use crate::hosting::context::{RequestContext, WorkerHandle};
use crate::hosting::service::Service;
use crate::queries::page;
use crate::resources::representation::Representation;
use crate::resources::resource::Resource;

/// Keys that are read together.
const PAGE: u64 = 500;
/// Items that are read concurrently.
const AT_ONCE: usize = 16;
/// From this part of the room on, in percent, there is no room for more.
const FULL: u64 = 95;
/// How often a page is tried while the database is busy, or an item while its key changes. The pause before the
/// second try of a page doubles from try to try.
const TRIES: u32 = 8;
const PAUSE: Duration = Duration::from_millis(100);

/// How long it is waited for instances that serve other definitions, and how often that is looked at.
const WAITS: u32 = 600;
const WAIT: Duration = Duration::from_millis(100);

impl Service {
    /// Brings the items of a resource into memory, in the background.
    ///
    /// # Errors
    /// [`Code::BadParameter`] where it keeps no items, or this is under way already.
    pub fn populate(&self, resource: &Arc<Resource>) -> Result<()> {
        if self.populations().push(resource) {
            return Ok(());
        }
        let message = match resource.rowstore.get() {
            Some(_) => "The items of this resource are being brought into memory already.",
            None => "This resource keeps no items in memory: give `bytes` too.",
        };
        Err(Error::new(Code::BadParameter, message).at(Place::Parameter("populate".into())))
    }
}

impl WorkerHandle {
    /// Loads items into memory on request; runs for ever, on one worker.
    pub async fn populate(&self) {
        loop {
            let (resource, ticket) = self.service().populations().next().await;
            let run = async {
                // What was prepared for another schema is forgotten.
                drop(self.snapshot());
                // While instances serve different definitions, nothing would be kept.
                for _ in 0..WAITS {
                    if resource.rowstore.versions().are_known() {
                        break;
                    }
                    tokio::time::sleep(WAIT).await;
                }
                let context = self.acting(None).for_client(Client::of("populate"));
                context.populate(&resource, ticket).await
            };
            // A bug ends the task that has met it, and not those that follow.
            let ended = AssertUnwindSafe(run).catch_unwind().await;
            let ended = ended.unwrap_or_else(|_| Err(Error::internal("populating has panicked")));
            let population = resource.rowstore.population();
            if let Err(error) = &ended {
                let (resource, code) = (&resource.name, error.code.as_str());
                let cause = error.cause.as_deref();
                tracing::error!(resource, code, %error, cause, "items cannot be brought into memory");
            }
            population.note(ticket, |progress| match ended {
                Ok(phase) => progress.phase = phase,
                Err(error) => {
                    progress.phase = Phase::Failed;
                    progress.failure = Some(error.to_string());
                }
            });
        }
    }
}

/// The reading of keys.
struct Keys<'r> {
    resource: &'r Resource,
    representation: Representation,
    /// The marker of the last key.
    after: String,
}

impl<'r> Keys<'r> {
    fn new(resource: &'r Resource, service: &Service) -> Self {
        let mut shape = (*resource.shape).clone();
        shape.metadata = false;
        shape.nodes[0].members.clear();
        let dialect = service.store().dialect();
        let representation = Representation::new(shape, &resource.name, dialect);
        Self { resource, representation, after: String::new() }
    }

    /// The next keys, in the form of paths, and how many items there are where that was counted. Where it
    /// fails, they are the next ones again.
    async fn next(
        &mut self,
        context: &RequestContext<'_>,
        counts: bool,
    ) -> Result<(Vec<String>, Option<u64>)> {
        let dialect = context.service().store().dialect();
        let page = page::of_keys(&self.representation, self.resource, &self.after, PAGE, dialect)?;
        let count = if counts { CountOf::All } else { CountOf::Nothing };
        let read = Arc::new(self.representation.read_page(page, dialect, count));
        let (answer, counted) = context.handle().page(&read).await?;
        let roots = answer.fetched.roots();
        // One row more shows whether there is a next page.
        let shown = roots.len().min(usize::try_from(PAGE).unwrap_or(usize::MAX));
        let keys = (0..shown).map(|row| {
            let mut key = Vec::new();
            self.representation.page().write_key(roots, row, &mut key);
            String::from_utf8(key).map_err(Error::internal)
        });
        let keys = keys.collect::<Result<_>>()?;
        let plan: &ReadPlan = &read.plan;
        let after = end_of_page(plan, &answer, PAGE);
        self.after = if roots.len() > shown { after } else { String::new() };
        Ok((keys, counted.map(|counted| counted.rows)))
    }
}

impl RequestContext<'_> {
    async fn populate(&self, resource: &Resource, ticket: Ticket) -> Result<Phase> {
        let slot = &resource.rowstore;
        let population = slot.population();
        let estimate = resource.shape.root().table.estimated_rows;
        let mut total = estimate.filter(|_| resource.shape.root().filter.is_none());
        let mut keys = Keys::new(resource, self.service());
        let mut is_first = true;
        // What other instances have dropped leaves room.
        slot.get().iter().for_each(|rowstore| rowstore.sweep());
        loop {
            let counts = is_first && total.is_none();
            let (page, counted) = patiently(async || keys.next(self, counts).await).await?;
            total = total.or(counted);
            is_first = false;
            for some in page.chunks(AT_ONCE) {
                let Some(rowstore) = slot.get() else { return Ok(Phase::Cancelled) };
                let is_own = population.note(ticket, |progress| {
                    (progress.phase, progress.total) = (Phase::Running, total);
                });
                if !is_own {
                    return Ok(Phase::Cancelled);
                }
                let usage = rowstore.usage();
                if usage.bytes.saturating_mul(100) >= usage.capacity.saturating_mul(FULL) {
                    return Ok(Phase::Full);
                }
                let read = || try_join_all(some.iter().map(|key| self.keep_item(resource, key)));
                patiently(async || read().await).await?;
                population.note(ticket, |progress| {
                    progress.rows += some.len() as u64;
                    progress.populated += some.len() as u64;
                });
                tokio::task::yield_now().await;
            }
            if keys.after.is_empty() {
                return Ok(Phase::Done);
            }
        }
    }

    /// Reads an item and stores it; one that was deleted meanwhile is stored as absent.
    async fn keep_item(&self, resource: &Resource, key: &str) -> Result<()> {
        let Some(rowstore) = resource.rowstore.get() else { return Ok(()) };
        // A row whose key holds NULL is no item.
        let Ok(values) = parse_key(&resource.shape, key) else { return Ok(()) };
        let query = ItemQuery { key, fields: None, expansion: None, fresh: false };
        // Links are not kept.
        let links = Links { collection: "", described_by: "", writable: false, plain: false };
        // A key that changes all the time is left to the requests for it.
        for _ in 0..TRIES {
            let keeper = Keeper::begin(Arc::clone(&rowstore), &values);
            let item = self.stored_item(resource, query, values.clone(), &links, Some(&keeper));
            match Box::pin(item).await {
                Err(error) if error.code == Code::NoSuchItem => {}
                item => drop(item?),
            }
            if !keeper.is_outdated() {
                break;
            }
        }
        Ok(())
    }
}

/// Tries again while the database is busy.
async fn patiently<T>(mut work: impl AsyncFnMut() -> Result<T>) -> Result<T> {
    let mut pause = PAUSE;
    for _ in 1..TRIES {
        match work().await {
            Err(error) if is_passing(&error) => tokio::time::sleep(pause).await,
            ended => return ended,
        }
        pause *= 2;
    }
    work().await
}

/// Whether an error may be gone with the next try.
fn is_passing(error: &Error) -> bool {
    matches!(
        error.code,
        Code::Overloaded
            | Code::Timeout
            | Code::DatabaseLocked
            | Code::DatabaseUnavailable
            | Code::MemoryLimit
            | Code::SchemaChanged
    )
}
