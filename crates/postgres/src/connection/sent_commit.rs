//! A transaction whose `COMMIT` is sent: however its task ends, its changes become an event.

use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_model::commit::Cause;
use tokio::sync::watch;

use duet_store::commits::{Changes, Commits};

/// How long the end of a connection is waited for at most.
const LONGEST: Duration = Duration::from_secs(60);

/// How long a write waits at most for the database's log to name the rows that it has changed.
const LOG: Duration = Duration::from_millis(250);

/// When a connection will have ended: its [`Lives`] is dropped.
pub(crate) type Ended = watch::Receiver<()>;
/// Held by a connection.
pub(crate) type Lives = watch::Sender<()>;

/// For a new connection.
pub(crate) fn ended() -> (Lives, Ended) {
    watch::channel(())
}

/// A `COMMIT` under way. Dropped before the server has answered, because the connection is lost, the time
/// is over or the request was cancelled, it delivers the changes as unknown; and again when the
/// connection has ended, since the transaction may be committed at any moment until then.
pub(crate) struct SentCommit {
    commits: Arc<Commits>,
    changes: Option<Changes>,
    ended: Ended,
}

impl SentCommit {
    /// Before `COMMIT` is sent with these changes.
    pub(crate) fn new(commits: &Arc<Commits>, changes: Changes, ended: &Ended) -> Self {
        Self { commits: Arc::clone(commits), changes: Some(changes), ended: ended.clone() }
    }

    /// The server has committed. Where the changes do not name every row, as behind triggers, and the
    /// database's log does, this waits until the log is read so far; dropped meanwhile, or where that takes too
    /// long, it delivers them as they are: any row may have changed.
    pub(crate) async fn committed(mut self) {
        let Some(changes) = self.changes.take() else { return };
        let commits = Arc::clone(&self.commits);
        let vague = Vague { commits: &commits, changes: Some(changes) };
        vague.named_by_log(Instant::now()).await;
    }

    /// The server has committed, and these are the changes.
    pub(crate) async fn committed_as(mut self, changes: Changes) {
        self.changes = Some(changes);
        self.committed().await;
    }

    /// The server has not committed.
    pub(crate) fn refused(mut self) {
        self.changes = None;
    }
}

/// Committed changes that are delivered when this is dropped.
struct Vague<'c> {
    commits: &'c Commits,
    changes: Option<Changes>,
}

impl Vague<'_> {
    /// Delivers nothing where the log names the rows in time.
    async fn named_by_log(mut self, committed: Instant) {
        let Some(changes) = &self.changes else { return };
        let Some(log) = self.commits.names_the_rows_of(changes) else { return };
        if tokio::time::timeout(LOG, log.has_passed(committed)).await == Ok(true) {
            self.changes = None;
        }
    }
}

impl Drop for Vague<'_> {
    fn drop(&mut self) {
        if let Some(changes) = self.changes.take() {
            self.commits.committed(changes);
        }
    }
}

impl Drop for SentCommit {
    fn drop(&mut self) {
        let Some(changes) = self.changes.take() else { return };
        self.commits.unknown(&changes, Cause::Unknown);
        let (commits, mut ended) = (Arc::clone(&self.commits), self.ended.clone());
        // At the end of a worker there is nothing left to run it, and no one to consume it.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            // An error says that the connection has ended; nothing is ever sent.
            drop(tokio::time::timeout(LONGEST, ended.changed()).await);
            commits.unknown(&changes, Cause::Settled);
        });
    }
}
