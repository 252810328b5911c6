//! The two classes of requests, and bulk loads, each with a limit of its own in front of all other queues.
//!
//! Batch work waits here, so however much of it there is, only a few of its requests are at the database,
//! and they never fill the queues of interactive requests. Loads are shared between clients, like pages: none has
//! all of them.

use std::sync::Arc;
use std::time::Instant;

use duet_admission::{Class, Permit, PermitLimits, Permits, Refusal, Request, RequestClass};
use duet_model::{Code, Error, Result};

use crate::limits::Limits;
use crate::queues::admit::{Queues, granted};

/// A bulk load counts as under way until all clones are dropped.
#[derive(Clone, Debug)]
pub struct LoadTurn {
    _permit: Arc<Permit>,
}

/// The requests of a database by class, of all workers together.
#[derive(Debug)]
pub struct Classes {
    interactive: Permits,
    batch: Permits,
    loads: Permits,
    limits: Limits,
}

impl Classes {
    /// The classes under limits, counted in these queues.
    pub fn new(limits: &Limits, queues: &Queues) -> Self {
        let permits = |number, length, metrics| {
            Permits::new(PermitLimits::new(number, length), Arc::clone(metrics))
        };
        Self {
            interactive: permits(limits.interactive_requests, 0, &queues.interactive),
            batch: permits(limits.batch_requests, limits.batch_queue, &queues.batch),
            loads: Permits::new(
                PermitLimits::new(limits.loads, limits.queue_length).shared(),
                Arc::clone(&queues.load),
            ),
            limits: limits.clone(),
        }
    }

    /// Admits a request until the permit is dropped. Batch work waits in order, up to its deadline;
    /// interactive requests wait in the queues behind this one.
    ///
    /// # Errors
    /// [`Code::Overloaded`] where there are too many of the class.
    pub async fn enter(&self, request: Request) -> Result<Permit> {
        let now = Instant::now();
        let permits = match request.class {
            RequestClass::Interactive => &self.interactive,
            RequestClass::Batch => &self.batch,
        };
        let request = Request {
            deadline: request.deadline.within_from(now, self.limits.queue_timeout),
            ..request
        };
        let place = permits.enter(now, request, Class::Normal);
        granted(place, request.deadline).await.map_err(|refusal| refused(request.class, refusal))
    }

    /// Admits a bulk load until the permit is dropped; it waits in turn by client.
    ///
    /// # Errors
    /// [`Code::Overloaded`] where others take too long.
    pub(crate) async fn enter_load(&self, request: Request) -> Result<LoadTurn> {
        let now = Instant::now();
        let deadline = request.deadline.within_from(now, self.limits.queue_timeout);
        let place = self.loads.enter(now, Request { deadline, ..request }, Class::Normal);
        let turn =
            granted(place, deadline).await.map(|permit| LoadTurn { _permit: Arc::new(permit) });
        turn.map_err(|_| {
            let message = "As many bulk loads are under way as the server runs at once, or as one client may have of \
                           them (`--loads`). Try again when one has ended.";
            Error::new(Code::Overloaded, message).retry_after(5)
        })
    }
}

fn refused(class: RequestClass, refusal: Refusal) -> Error {
    let message = match (class, refusal) {
        (RequestClass::Interactive, _) => {
            "Too many requests are at the database (`--interactive-requests`). Try again in a moment."
        }
        (RequestClass::Batch, Refusal::Full) => {
            "Too many batch requests wait (`--batch-queue`). Try again later, or send fewer at once."
        }
        (RequestClass::Batch, Refusal::Expired) => {
            "Other batch requests took too long (`--batch-requests` run at a time). Try again later."
        }
    };
    Error::new(Code::Overloaded, message).retry_after(1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use duet_admission::{Client, Deadline};
    use futures_util::FutureExt as _;

    use super::*;

    fn request(class: RequestClass) -> Request {
        let deadline = Deadline::after(Instant::now(), Duration::from_secs(600));
        Request { client: Client::new(1), deadline, class }
    }

    #[tokio::test]
    async fn a_full_class_refuses_at_once_and_does_not_affect_the_other() {
        let limits = Limits {
            interactive_requests: 2,
            batch_requests: 1,
            batch_queue: 1,
            queue_timeout: Duration::from_secs(600),
            ..Limits::default()
        };
        let queues = Queues::default();
        let classes = Classes::new(&limits, &queues);
        let (batch, interactive) = (RequestClass::Batch, RequestClass::Interactive);
        let running = classes.enter(request(batch)).await.unwrap();
        let mut waiting = Box::pin(classes.enter(request(batch)));
        assert!((&mut waiting).now_or_never().is_none());
        let full = classes.enter(request(batch)).await.unwrap_err();
        assert_eq!((full.code, full.retry_after), (Code::Overloaded, Some(1)));
        assert!(full.message.contains("--batch-queue"), "{full}");
        let held =
            [classes.enter(request(interactive)).await, classes.enter(request(interactive)).await];
        assert!(held.iter().all(Result::is_ok));
        let full = classes.enter(request(interactive)).await.unwrap_err();
        assert!(full.message.contains("--interactive-requests"), "{full}");
        drop(running);
        assert!(waiting.await.is_ok());
        drop(held);
        let counted = (queues.batch.counted(), queues.interactive.counted());
        assert_eq!((counted.0.full, counted.1.full), (1, 1));
        assert_eq!((counted.0.running, counted.1.running), (0, 0));
    }
}
