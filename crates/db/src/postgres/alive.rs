//! Whether the server is still there. A connection whose other end is gone says nothing for ever: so
//! who waits for an answer asks for a sign of life, and gives up when a new connection would.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use duet_model::{Code, Result};

use crate::postgres::database::Database;
use crate::postgres::lane::unavailable;

/// How long the server may say nothing before it is asked for a sign of life, and before that is
/// overdue; a quarter of the time in which a connection must be made, where that is less.
const SILENCE: Duration = Duration::from_secs(1);
/// For so long after the server was found to be gone nobody else tries to connect.
const BACK_OFF: Duration = Duration::from_millis(200);

/// What is known of the server.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    /// When the server last gave a sign of life.
    checked: tokio::sync::Mutex<Option<Instant>>,
    /// When it was last found to be gone.
    gone: Mutex<Option<Instant>>,
}

impl Liveness {
    /// The server has given no sign of life for too long.
    pub(crate) fn note_gone(&self) {
        *self.gone.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn gone_at(&self) -> Option<Instant> {
        *self.gone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the server has just been found to be gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone_at().is_some_and(|at| at.elapsed() < BACK_OFF)
    }
}

/// Waits no longer than until this moment.
///
/// # Errors
/// [`Code::DatabaseUnavailable`] from then on.
pub(super) async fn until<T>(end: Option<Instant>, work: impl Future<Output = T>) -> Result<T> {
    let Some(end) = end else { return Ok(work.await) };
    let ended = tokio::time::timeout_at(end.into(), work).await;
    ended.map_err(|_| unavailable("the server gave no sign of life within connect_timeout"))
}

impl Database {
    /// Waits for an answer of the server. Where that takes long, the server is asked for a sign of
    /// life, again and again.
    ///
    /// # Errors
    /// [`Code::DatabaseUnavailable`] where it gives none within the time that a connection may take:
    /// neither on the connection for such questions nor on a new one.
    pub(crate) async fn watched<T>(&self, answer: impl Future<Output = T>) -> Result<T> {
        let mut answer = std::pin::pin!(answer);
        let silence = self.patience().map_or(SILENCE, |limit| SILENCE.min(limit / 4));
        let mut since = Instant::now();
        loop {
            let quiet = since + silence;
            if let Ok(answer) = tokio::time::timeout_at(quiet.into(), &mut answer).await {
                return Ok(answer);
            }
            tokio::select! {
                biased;
                answer = &mut answer => return Ok(answer),
                alive = Box::pin(self.alive_after(since, silence)) => since = alive?,
            }
        }
    }

    /// When the server last gave a sign of life, after this moment; asks it, unless somebody else has.
    async fn alive_after(&self, since: Instant, silence: Duration) -> Result<Instant> {
        let liveness = &self.liveness;
        if liveness.gone_at().is_some_and(|at| at > since) {
            return Err(unavailable("another request has found that the server is gone"));
        }
        let check = async {
            let mut checked = liveness.checked.lock().await;
            if let Some(at) = checked.filter(|at| *at > since) {
                return Ok(at);
            }
            self.give_sign(silence).await?;
            let now = Instant::now();
            *checked = Some(now);
            Ok(now)
        };
        let end = self.patience().map(|limit| since + limit);
        until(end, check).await.inspect_err(|_| liveness.note_gone())?
    }

    async fn give_sign(&self, silence: Duration) -> Result<()> {
        let Ok(mut control) = self.control.try_lock() else {
            // Its user may wait for a server that is gone, too.
            return self.is_there().await.map(drop);
        };
        if let Some(client) = control.as_ref() {
            let ping = tokio::time::timeout(silence, client.batch_execute("")).await;
            if matches!(ping, Ok(Ok(()))) {
                return Ok(());
            }
        }
        *control = None;
        *control = self.is_there().await?;
        Ok(())
    }

    /// Connects. A server that refuses is there, too.
    async fn is_there(&self) -> Result<Option<tokio_postgres::Client>> {
        match self.connect().await {
            Ok(client) => Ok(Some(client)),
            Err(error) if error.code == Code::DatabaseUnavailable => Err(error),
            Err(_) => Ok(None),
        }
    }
}
