//! Waits for answers of the server while it is alive.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_model::{Code, Error, Result};
use futures_util::FutureExt;

use crate::connection::alive::until;
use crate::connection::sent_commit::Ended;
use crate::connection::stop::unavailable;
use crate::database::Database;

/// How long the server may be silent before it is checked, and before that check is
/// overdue; a quarter of the time in which a connection must be made, where that is less.
const SILENCE: Duration = Duration::from_secs(1);

/// How often a connection that was given up is looked at.
const LOOK: Duration = Duration::from_secs(1);

impl Database {
    /// Waits for an answer of the server. If that takes long, the server is checked for a sign of
    /// life, again and again.
    ///
    /// # Errors
    /// [`Code::DatabaseUnavailable`] where it gives none within the time that a connection may take:
    /// neither on the connection for such questions nor on a new one.
    pub(crate) async fn watched<T>(&self, answer: impl Future<Output = T>) -> Result<T> {
        let mut taken = None;
        {
            let answer = pin!(answer.map(|answer| taken = Some(answer)));
            self.watch(answer).await?;
        }
        taken.ok_or_else(|| Error::internal("an answer that was waited for is absent"))
    }

    /// The same of any answer: this code is there once.
    async fn watch(&self, mut answer: Pin<&mut dyn Future<Output = ()>>) -> Result<()> {
        let silence = self.patience().map_or(SILENCE, |limit| SILENCE.min(limit / 4));
        let mut since = Instant::now();
        loop {
            let quiet = since + silence;
            if tokio::time::timeout_at(quiet.into(), &mut answer).await.is_ok() {
                return Ok(());
            }
            tokio::select! {
                biased;
                () = &mut answer => return Ok(()),
                alive = Box::pin(self.alive_after(since, silence)) => since = alive?,
            }
        }
    }

    /// Whether the server was found to be gone, or its connections lost, after this moment.
    pub(crate) fn was_gone_after(&self, since: Instant) -> bool {
        self.liveness.lost_at().is_some_and(|at| at > since)
    }

    /// Keeps something, such as a permit, until a connection has ended, or its server is found to be gone.
    pub(crate) fn keep_until_ended(self: &Arc<Self>, mut ended: Ended, kept: impl Send + 'static) {
        // At the end of a worker there is nothing left to run it, and no one who waits.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (database, since) = (Arc::clone(self), Instant::now());
        runtime.spawn(async move {
            // An error says that the connection has ended; nothing is ever sent.
            while tokio::time::timeout(LOOK, ended.changed()).await.is_err() {
                if database.was_gone_after(since) {
                    break;
                }
            }
            drop(kept);
        });
    }

    /// When the server last responded, after this moment; checks it, unless another task has.
    async fn alive_after(&self, since: Instant, silence: Duration) -> Result<Instant> {
        let liveness = &self.liveness;
        if self.was_gone_after(since) {
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
        let sign: Result<Instant> =
            until(end, check).await.inspect_err(|_| liveness.note_gone())?;
        // Another host may have taken its place while this waited for its turn, and have given the sign.
        match self.was_gone_after(since) {
            true => Err(unavailable("another host has taken the place of the server")),
            false => sign,
        }
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

    /// Connects to the host that is waited for: that another one of the list is alive says nothing of it. A server
    /// that refuses is alive, too.
    async fn is_there(&self) -> Result<Option<tokio_postgres::Client>> {
        match self.connect_again().await {
            Ok(client) => Ok(Some(client)),
            Err(error) if error.code == Code::DatabaseUnavailable => {
                if self.liveness.host().is_some() {
                    self.liveness.note_gone();
                }
                Err(error)
            }
            Err(_) => Ok(None),
        }
    }
}
