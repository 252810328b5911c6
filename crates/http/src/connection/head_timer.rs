//! The time limit of a connection that is idle: for the head of its next request to be complete.
//!
//! One timer serves all requests of a connection. It is set again when it fires, not for each request: that
//! would lock the runtime's timers twice for each.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::time::Sleep;

/// The timer of one connection.
#[derive(Debug)]
pub(crate) struct HeadTimer {
    patience: Duration,
    /// Set while the connection's task must be woken.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl HeadTimer {
    /// A limit on how long a connection may be idle.
    pub(crate) fn new(patience: Duration) -> Self {
        Self { patience, sleep: None }
    }

    /// Ready where a connection that is idle since this moment has been so for too long. Must be called by
    /// the connection's own task, whenever it begins to wait.
    pub(crate) fn poll(
        &mut self,
        idle_since: Option<Instant>,
        context: &mut Context<'_>,
    ) -> Poll<()> {
        let Some(since) = idle_since else { return Poll::Pending };
        if self.sleep.as_ref().is_some_and(|sleep| !sleep.is_elapsed()) {
            return Poll::Pending;
        }
        let end = (since + self.patience).into();
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end)));
        if sleep.is_elapsed() && sleep.deadline() < end {
            sleep.as_mut().reset(end);
        }
        ready!(sleep.as_mut().poll(context));
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    /// A connection that was used meanwhile gets the whole time from then on.
    #[tokio::test(start_paused = true)]
    async fn fires_after_the_last_use() {
        let begun = tokio::time::Instant::now();
        let (first, last) = (begun.into_std(), begun.into_std() + Duration::from_secs(20));
        let mut timer = HeadTimer::new(PATIENCE);
        let mut idle_since = Some(first);
        let over = poll_fn(|context| {
            let polled = timer.poll(idle_since, context);
            // The next request arrives at 20 s, and is answered immediately.
            idle_since = Some(last);
            polled
        });
        over.await;
        assert_eq!(begun.elapsed(), Duration::from_secs(50));
    }

    #[tokio::test(start_paused = true)]
    async fn never_fires_while_a_request_is_under_way() {
        let mut timer = HeadTimer::new(PATIENCE);
        let over =
            tokio::time::timeout(PATIENCE * 10, poll_fn(|context| timer.poll(None, context)));
        assert!(over.await.is_err());
    }
}
