//! Capturing what others commit to a PostgreSQL database, on a thread of its own.
//!
//! Own commits arrive here, too: their rows are delivered once more, which costs a document in memory a
//! read and nothing else. To tell them apart, every write would have to fetch its transaction's number.

mod arrivals;
mod beat;
mod layout;
pub(crate) mod prepare;
pub(crate) mod prepared;
mod rows;
mod stream;
mod table;
mod triggers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use duet_model::{Catalog, Error, Result};
use duet_pgconnect::{ErrorKind, ReplicationError};
use tokio::sync::watch;
use tokio_postgres::Client;

use duet_client::connect::PostgresConnector;
use duet_client::sqlstate;
use duet_store::commits::Commits;
use duet_store::commits::freshness::{Freshness, FreshnessWriter};
use duet_store::limits::Capture;
use rows::Committed;

/// How long the start waits to learn whether commits can be captured. A transaction that writes for
/// longer delays that.
const FIRST: Duration = Duration::from_secs(5);
/// The time before the first attempt after an interruption, and the longest time between two.
const RETRY: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(5)];
/// The time between attempts while something is missing that an operator must change.
const RECHECK: Duration = Duration::from_secs(10);

/// What the connection for questions sets.
const SESSION: &str = "SET default_transaction_read_only = on; SET client_min_messages = 'error'; \
    SET statement_timeout = '60s'";

/// Captures the commits of others while it is on.
#[derive(Debug)]
pub(crate) struct Changes {
    context: Arc<Context>,
    /// Ends the thread that captures, and says when it has first succeeded or failed.
    running: Mutex<Option<Running>>,
    means: Capture,
}

#[derive(Debug)]
struct Running {
    stop: watch::Sender<bool>,
    settled: watch::Receiver<bool>,
}

/// What a capture needs.
#[derive(Debug)]
pub(crate) struct Context {
    connector: PostgresConnector,
    /// Whether a pooler is in front of the server: it passes no stream on, and lends its connections to others.
    is_pooled: AtomicBool,
    commits: Arc<Commits>,
    freshness: Arc<Freshness>,
    /// The catalog of which rows are named, and its number.
    catalog: Mutex<(Arc<Catalog>, u64)>,
    /// Whether a table was changed that is not known.
    unknown: AtomicBool,
}

/// Why a capture has ended.
#[derive(Debug)]
enum Failure {
    /// An operator has to change something.
    Impossible(String),
    /// The server has no room for it.
    Scarce(String),
    /// It may work again at any time.
    Interrupted(String),
}

impl Changes {
    pub(crate) fn new(connector: PostgresConnector, commits: Arc<Commits>, means: Capture) -> Self {
        let freshness = Arc::default();
        commits.are_captured(&freshness);
        let context = Context {
            connector,
            is_pooled: AtomicBool::new(false),
            commits,
            freshness,
            catalog: Mutex::default(),
            unknown: AtomicBool::new(false),
        };
        Self { context: Arc::new(context), running: Mutex::default(), means }
    }

    /// A pooler is in front of the server.
    pub(crate) fn without_stream(&self) {
        self.context.is_pooled.store(true, Ordering::Relaxed);
    }

    /// How far the commits of others are known.
    pub(crate) fn freshness(&self) -> &Arc<Freshness> {
        &self.context.freshness
    }

    /// Names rows by this catalog from now on.
    pub(crate) fn describe(&self, catalog: &Arc<Catalog>) {
        let mut known = self.context.lock_catalog();
        // Tenants of one database share its catalog.
        if Arc::ptr_eq(&known.0, catalog) {
            return;
        }
        *known = (Arc::clone(catalog), known.1 + 1);
        drop(known);
        self.context.freshness.doubt_completeness();
    }

    /// Begins or ends to capture; returns when the first attempt has succeeded or failed.
    ///
    /// # Errors
    /// Where a thread cannot be started.
    pub(crate) async fn set(&self, on: bool) -> Result<()> {
        let mut settled = {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            match (on, &*running) {
                (false, _) => {
                    if let Some(running) = running.take() {
                        running.stop.send_replace(true);
                        self.context.freshness.begin();
                    }
                    return Ok(());
                }
                (true, Some(running)) => running.settled.clone(),
                (true, None) => {
                    let started = self.start()?;
                    let settled = started.settled.clone();
                    *running = Some(started);
                    settled
                }
            }
        };
        // A thread that has ended is settled, too.
        drop(tokio::time::timeout(FIRST, settled.wait_for(|settled| *settled)).await);
        Ok(())
    }

    fn start(&self) -> Result<Running> {
        let (stop, mut stopping) = watch::channel(false);
        let (settle, settled) = watch::channel(false);
        let writer = self.context.freshness.begin();
        let is_pooled = self.context.is_pooled.load(Ordering::Relaxed);
        let reason = match (self.means, is_pooled) {
            (Capture::Off, _) => Some("`rowstore_capture` is `off`."),
            (Capture::Stream, true) => {
                Some("A pooler is in front of the server, which passes no changes on.")
            }
            _ => None,
        };
        let means = if is_pooled { Capture::Table } else { self.means };
        if let Some(reason) = reason {
            writer.impossible(reason);
            settle.send_replace(true);
            return Ok(Running { stop, settled });
        }
        let context = Arc::clone(&self.context);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(Error::internal)?;
        thread::Builder::new()
            .name("postgres-changes".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        _ = stopping.wait_for(|stopping| *stopping) => {}
                        () = capture(&context, &writer, &settle, means) => {}
                    }
                });
            })
            .map_err(Error::internal)?;
        Ok(Running { stop, settled })
    }
}

/// Captures by the first means that is possible, until it is interrupted; says when it has begun.
async fn follow(
    context: &Context,
    writer: &FreshnessWriter,
    settle: &watch::Sender<bool>,
    means: Capture,
) -> Failure {
    let mut why = None;
    if matches!(means, Capture::Auto | Capture::Stream) {
        match stream::begin(context, writer).await {
            Ok(stream) => {
                settle.send_replace(true);
                return stream.run_to_end(context, writer).await;
            }
            Err(Failure::Impossible(reason) | Failure::Scarce(reason))
                if means == Capture::Auto =>
            {
                why = Some(reason);
            }
            Err(failure) => return failure,
        }
    }
    match (table::begin(context, writer).await, why) {
        (Ok(table), _) => {
            settle.send_replace(true);
            table.run_to_end(context, writer).await
        }
        // What is missing for the better means is said first.
        (Err(Failure::Impossible(or)), Some(why)) => Failure::Impossible(format!("{why} {or}")),
        (Err(failure), _) => failure,
    }
}

/// Captures for ever.
async fn capture(
    context: &Context,
    writer: &FreshnessWriter,
    settle: &watch::Sender<bool>,
    means: Capture,
) {
    let [first, longest] = RETRY;
    let mut pause = first;
    loop {
        let before = context.freshness.report().connects;
        let failure = follow(context, writer, settle, means).await;
        if context.freshness.report().connects > before {
            pause = first;
        }
        let wait = failed(context, writer, failure, pause);
        settle.send_replace(true);
        pause = longest.min(pause * 2);
        tokio::time::sleep(wait).await;
    }
}

/// Notes why capturing has ended; how long to wait before it is tried again.
fn failed(
    context: &Context,
    writer: &FreshnessWriter,
    failure: Failure,
    pause: Duration,
) -> Duration {
    let has_captured = writer.has_captured();
    match failure {
        Failure::Impossible(reason) => {
            if has_captured {
                tracing::error!(reason, "commits of others are no longer captured");
            }
            writer.impossible(reason);
            if has_captured {
                // What was kept under the rule that every change is seen.
                context.commits.foreign();
            }
            RECHECK
        }
        Failure::Scarce(reason) if !has_captured => {
            writer.impossible(reason);
            RECHECK
        }
        Failure::Scarce(reason) | Failure::Interrupted(reason) => {
            tracing::warn!(reason, "capturing the commits of others was interrupted");
            writer.interrupted(reason);
            pause
        }
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        let running = self.running.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = running.take() {
            running.stop.send_replace(true);
        }
    }
}

impl Context {
    fn lock_catalog(&self) -> MutexGuard<'_, (Arc<Catalog>, u64)> {
        self.catalog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn catalog(&self) -> (Arc<Catalog>, u64) {
        self.lock_catalog().clone()
    }

    /// Whether a table that is not known was changed since this was last asked.
    fn take_unknown(&self) -> bool {
        self.unknown.swap(false, Ordering::Relaxed)
    }

    /// Delivers what so many transactions have changed.
    fn deliver(&self, committed: Committed, transactions: usize) {
        let Committed { relations, unknown, .. } = committed;
        let rows = relations.iter().map(|change| change.count).sum();
        self.freshness.count(transactions as u64, rows);
        if unknown {
            self.unknown.store(true, Ordering::Relaxed);
            self.commits.foreign();
        } else if !relations.is_empty() {
            self.commits.foreign_changes(relations);
        }
    }

    /// An ordinary connection, for questions.
    async fn connect(&self) -> Result<Client, Failure> {
        let (client, running) = self.connector.connect().await?;
        tokio::spawn(running);
        if !self.is_pooled.load(Ordering::Relaxed) {
            client.batch_execute(SESSION).await?;
        }
        Ok(client)
    }
}

impl Failure {
    fn doubt(what: &str) -> Self {
        Self::Interrupted(format!("the stream is not understood: {what}"))
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Interrupted(sqlstate::chain(&error))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let cause = error.cause.clone().map_or(String::new(), |cause| format!(" {cause}"));
        Self::Interrupted(format!("{}{cause}", error.message))
    }
}

impl From<duet_pgconnect::Error> for Failure {
    fn from(error: duet_pgconnect::Error) -> Self {
        let kind = error.kind;
        let reason = format!("{} {}", error.message, error.cause.unwrap_or_default());
        match kind {
            ErrorKind::Refused => Self::Impossible(reason),
            ErrorKind::Full => Self::Scarce(format!("{reason} Raise `max_wal_senders`.")),
            _ => Self::Interrupted(reason),
        }
    }
}

impl From<ReplicationError> for Failure {
    fn from(error: ReplicationError) -> Self {
        let reason = error.to_string();
        match error {
            // Insufficient privilege; a state that the server must be brought into.
            ReplicationError::Server { state, .. } if ["42501", "55000"].contains(&&*state) => {
                Self::Impossible(reason)
            }
            ReplicationError::Server { state, .. } if state == "53400" => {
                Self::Scarce(format!("{reason}. Raise `max_replication_slots`."))
            }
            _ => Self::Interrupted(reason),
        }
    }
}
