//! Work that takes long is done on threads beside the event loops, so that everybody else is
//! served meanwhile: parsing large bodies, writing descriptions and compressing answers.
//!
//! So many run at a time as the setting `parse_threads` says; further ones queue in the order in
//! which they came, and none longer than `queue_timeout`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use duet_model::{Code, Error, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// How long work waits that may be left out.
const SOON: Duration = Duration::from_millis(200);

/// The threads, shared by all workers.
#[derive(Debug)]
pub(crate) struct Offload {
    permits: Arc<Semaphore>,
    patience: Duration,
    done: AtomicU64,
    refused: AtomicU64,
}

impl Offload {
    pub(crate) fn new(threads: usize, patience: Duration) -> Self {
        let permits = Arc::new(Semaphore::new(threads.clamp(1, Semaphore::MAX_PERMITS)));
        Self { permits, patience, done: AtomicU64::new(0), refused: AtomicU64::new(0) }
    }

    /// Pieces of work that were done.
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Pieces of work that waited for too long.
    pub(crate) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Runs something beside the event loop.
    ///
    /// # Errors
    /// [`Code::Overloaded`] where no thread gets free in time.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let permit = self.permit().await?;
        self.run_with(permit, work).await
    }

    /// Runs something that may be left out: `None` where no thread gets free soon.
    pub(crate) async fn run_soon<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let waiting = Arc::clone(&self.permits).acquire_owned();
        let permit = tokio::time::timeout(SOON, waiting).await.ok()?.ok()?;
        self.run_with(permit, work).await.ok()
    }

    async fn run_with<T: Send + 'static>(
        &self,
        permit: OwnedSemaphorePermit,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let (reply, result) = oneshot::channel();
        // A client that has disconnected needs no result.
        self.run_boxed(permit, Box::new(move || drop(reply.send(work())))).await?;
        result.await.map_err(Error::internal)
    }

    /// The same of any work: the code of tasks is there once.
    async fn run_boxed(
        &self,
        permit: OwnedSemaphorePermit,
        work: Box<dyn FnOnce() + Send>,
    ) -> Result<()> {
        let running = tokio::task::spawn_blocking(move || {
            yield_to_workers();
            work();
            // Held to the end of the work, which continues if the client disconnects.
            drop(permit);
        });
        running.await.map_err(Error::internal)?;
        self.done.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit> {
        let waiting = Arc::clone(&self.permits).acquire_owned();
        match tokio::time::timeout(self.patience, waiting).await {
            Ok(permit) => permit.map_err(Error::internal),
            Err(_) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                let message = "Too many large requests wait to be read (`parse_threads`). Try again in a moment.";
                Err(Error::new(Code::Overloaded, message).retry_after(1))
            }
        }
    }
}

/// Has the scheduler prefer the event loops where both want a processor: a large body may take longer, and requests beside
/// it do not wait for a turn of its thread.
fn yield_to_workers() {
    // Of a thread on Linux, of the whole process elsewhere.
    #[cfg(target_os = "linux")]
    {
        use std::cell::Cell;
        const LESS: i32 = 10;
        std::thread_local!(static IS_LESS: Cell<bool> = const { Cell::new(false) });
        if !IS_LESS.replace(true) {
            // Where it is not allowed, the thread works as others do.
            let _ = rustix::process::setpriority_process(None, LESS);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// While all threads are busy, the event loop goes on, and who waits is refused in time.
    #[tokio::test(start_paused = true)]
    async fn the_loop_goes_on_and_the_queue_is_bounded() {
        let offload = Offload::new(1, Duration::from_secs(5));
        let (release, released) = mpsc::channel::<()>();
        let (begun, mut has_begun) = tokio::sync::mpsc::channel(1);
        let slow = offload.run(move || {
            begun.blocking_send(()).unwrap();
            released.recv().unwrap();
            1
        });
        let others = async {
            has_begun.recv().await.unwrap();
            // The only thread is taken: this one waits until its time is over.
            let permit = Arc::clone(&offload.permits).try_acquire_owned();
            assert!(permit.is_err());
            release.send(()).unwrap();
        };
        let (slow, ()) = tokio::join!(slow, others);
        assert_eq!((slow.unwrap(), offload.done()), (1, 1));
        let _taken = Arc::clone(&offload.permits).acquire_owned().await.unwrap();
        let error = offload.run(|| 2).await.unwrap_err();
        assert_eq!((error.code, error.retry_after), (Code::Overloaded, Some(1)));
        assert_eq!(offload.refused(), 1);
        assert_eq!(offload.run_soon(|| 3).await, None);
        assert_eq!(offload.refused(), 1, "what may be left out is not refused");
    }

    #[tokio::test]
    async fn any_number_of_threads_may_be_set() {
        assert_eq!(Offload::new(usize::MAX, Duration::MAX).run(|| 1).await.unwrap(), 1);
    }
}
