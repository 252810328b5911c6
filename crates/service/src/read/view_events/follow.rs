//! A subscription to the events of a view: pages, one behind the other, and a wait where there is nothing new.
//!
//! A commit of this process says that there is something; those of others are looked for every `webhook_poll`. Where
//! the store orders events by their transactions, an event is shown once all have ended that began before, so that a
//! look may come too early: it is repeated soon.

use std::sync::Arc;
use std::time::Duration;

use duet_auth::Identity;
use duet_model::{Error, Result};
use tokio::time::Instant;

use super::page::{EventPositionText, EventStart, ViewEvent};
use crate::hosting::context::{RequestContext, WorkerHandle};
use crate::live::event::write_with_id;
use crate::live::{EndReason, LiveChunk};
use crate::outbox::view_events::EventWatch;
use crate::resources::resource::Resource;

/// Events that are read at once.
const AT_ONCE: usize = 100;
/// The first pause before a look is repeated; it doubles from look to look.
const SOON: Duration = Duration::from_millis(20);

/// A place in the events of a view. Dropping it ends the subscription.
#[derive(Debug)]
pub struct ViewEventFeed {
    worker: WorkerHandle,
    identity: Option<Arc<Identity>>,
    resource: Arc<Resource>,
    /// The snapshot that the resource is of.
    generation: u64,
    position: EventStart,
    watch: EventWatch,
    /// When the next look is due, unless something moves before; a wait that is cancelled goes on to that moment.
    due: Instant,
    /// How long the wait to it is.
    pause: Duration,
}

impl RequestContext<'_> {
    /// Follows the events of a view. The caller's right to read it has been checked.
    ///
    /// # Errors
    /// Those of a page with this start.
    pub async fn follow_events(
        &self,
        resource: &Arc<Resource>,
        start: EventStart,
    ) -> Result<ViewEventFeed> {
        let service = self.service();
        let watch = service.view_event_wake().watch(service.store());
        // What is wrong with the start is said before the answer begins.
        let first = self.view_events(resource, start, 1).await?;
        let position = match start {
            EventStart::End => EventStart::After(first.end.0),
            start => start,
        };
        Ok(ViewEventFeed {
            worker: self.worker(),
            identity: self.identity().cloned(),
            resource: Arc::clone(resource),
            generation: service.snapshot().generation,
            position,
            watch,
            due: Instant::now(),
            pause: Duration::ZERO,
        })
    }
}

impl ViewEventFeed {
    /// Waits for the next events. It may be cancelled: nothing is lost.
    pub async fn next(&mut self) -> LiveChunk {
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(self.due) => {}
                () = self.watch.changed() => {
                    self.pause = SOON;
                    self.due = Instant::now();
                }
            }
            match self.look().await {
                Ok(Some(text)) => return LiveChunk::Text(text),
                Ok(None) => {}
                Err(reason) => return LiveChunk::End(reason),
            }
        }
    }

    /// Reads what is behind the place; `None` where nothing is.
    async fn look(&mut self) -> Result<Option<Vec<u8>>, EndReason> {
        let service = self.worker.service();
        if service.snapshot().generation != self.generation {
            return Err(EndReason::Reloaded);
        }
        let longest = service.webhook_limits().poll;
        let has_transactions = service.store().dialect().webhook_tables().transaction.is_some();
        let acting = self.worker.acting(self.identity.as_ref());
        let failed = |error: Error| EndReason::Failed(Box::new(error));
        let page = acting.view_events(&self.resource, self.position, AT_ONCE).await;
        let page = page.map_err(failed)?;
        let moved = self.position != EventStart::After(page.end.0);
        self.position = EventStart::After(page.end.0);
        self.pause = match (page.has_more, moved) {
            (true, _) => Duration::ZERO,
            (false, true) => longest,
            // What a commit has said is there at once, or it was of another view.
            (false, false) if self.pause.is_zero() || !has_transactions => longest,
            (false, false) => (self.pause * 2).min(longest),
        };
        self.due = Instant::now() + self.pause;
        if page.events.is_empty() {
            return Ok(None);
        }
        let mut text = Vec::new();
        for event in &page.events {
            let ViewEvent { id, operation, .. } = event;
            let id: &EventPositionText = id;
            write_with_id(&mut text, Some(id), operation.name(), event.json(false).as_bytes());
        }
        Ok(Some(text))
    }
}
