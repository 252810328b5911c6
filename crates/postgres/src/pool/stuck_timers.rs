//! Timers that say that a batch takes long, used again by one batch after the other.
//!
//! A timer that is made for each batch ends before all others of its worker, so the worker's own loop is woken to take
//! note of it, by a system call, and makes an empty turn. A timer that stays set ends too early for a later batch, at most
//! once in [`STUCK`], and is set again then.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::time::{Instant, Sleep, sleep_until};

use super::lane::STUCK;

/// The timers of a worker that no batch uses at the moment: as many as batches were under way at a time.
#[derive(Debug, Default)]
pub(crate) struct StuckTimers(RefCell<Vec<Pin<Box<Sleep>>>>);

/// A timer while a batch uses it.
struct BorrowedTimer<'t> {
    home: &'t StuckTimers,
    sleep: Option<Pin<Box<Sleep>>>,
    end: Instant,
}

impl StuckTimers {
    /// Waits for a batch that begins now; `None` where it takes longer than [`STUCK`]. It goes on where it is polled again.
    pub(crate) async fn soon<T>(&self, mut batch: impl Future<Output = T> + Unpin) -> Option<T> {
        let mut timer = BorrowedTimer { home: self, sleep: None, end: Instant::now() + STUCK };
        poll_fn(|context| match Pin::new(&mut batch).poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending => timer.poll(context).map(|()| None),
        })
        .await
    }
}

impl BorrowedTimer<'_> {
    /// Ready when the time of the batch is over.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let end = self.end;
        let sleep = self.sleep.get_or_insert_with(|| {
            let free = self.home.0.borrow_mut().pop();
            free.unwrap_or_else(|| Box::pin(sleep_until(end)))
        });
        if sleep.is_elapsed() && sleep.deadline() < end {
            sleep.as_mut().reset(end);
        }
        while sleep.deadline() < end {
            ready!(sleep.as_mut().poll(context));
            sleep.as_mut().reset(end);
        }
        sleep.as_mut().poll(context)
    }
}

impl Drop for BorrowedTimer<'_> {
    fn drop(&mut self) {
        if let Some(sleep) = self.sleep.take() {
            self.home.0.borrow_mut().push(sleep);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use super::*;

    /// However old the timer is that a batch gets.
    #[tokio::test(start_paused = true)]
    async fn each_batch_has_the_whole_time() {
        let timers = StuckTimers::default();
        for (pause, batch) in [(0, 20), (0, 49), (10, 49), (60, 30), (0, 0), (49, 49)] {
            tokio::time::sleep(Duration::from_millis(pause)).await;
            let batch = Box::pin(tokio::time::sleep(Duration::from_millis(batch)));
            assert!(timers.soon(batch).await.is_some());
        }
        let began = Instant::now();
        assert_eq!(timers.soon(pending::<()>()).await, None);
        assert_eq!(began.elapsed().as_millis(), STUCK.as_millis());
        assert_eq!(timers.0.borrow().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn batches_beside_each_other_have_timers_of_their_own() {
        let timers = StuckTimers::default();
        let began = Instant::now();
        let (first, second) = tokio::join!(timers.soon(pending::<()>()), async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            timers.soon(pending::<()>()).await
        });
        assert_eq!((first, second), (None, None));
        assert_eq!(began.elapsed().as_millis(), 20 + STUCK.as_millis());
        assert_eq!((timers.soon(ready(1)).await, timers.0.borrow().len()), (Some(1), 2));
    }
}
