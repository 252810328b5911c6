//! The pulse of standbys: on a thread of its own each server is asked where it is in the log, again and again. No read
//! asks for that.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use duet_client::connect::PostgresConnector;
use duet_model::{Error, Result};
use duet_store::position::Position;
use futures_util::future::{join, join_all};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_postgres::{Client, Statement};

use super::Standbys;
use super::identity::Identity;
use super::standby::Standby;

/// How long a server may take to answer a beat, before it counts as gone.
const ANSWER: Duration = Duration::from_secs(1);
/// How long it may take to connect.
const CONNECT: Duration = Duration::from_secs(5);
/// The time between two attempts to reach a server.
const RETRY: Duration = Duration::from_millis(200);
/// How often a standby is asked while a read waits for it.
const HURRIED: Duration = Duration::from_millis(5);

/// Where the primary is, and on which timeline: the first digits of a log file's name.
pub(crate) const PRIMARY: &str = "
SELECT pg_catalog.pg_walfile_name(l), (l - '0/0'::pg_catalog.pg_lsn)::int8
  FROM pg_catalog.pg_current_wal_insert_lsn() AS l";

/// What a standby has replayed. Its timeline is that of the stream, where the user may see it (`pg_read_all_stats`);
/// otherwise that of what is on disk, which follows a promotion at the next restartpoint.
const STANDBY: &str = "
SELECT pg_catalog.pg_is_in_recovery(),
       coalesce((pg_catalog.pg_last_wal_replay_lsn() - '0/0'::pg_catalog.pg_lsn)::int8, 0),
       coalesce((SELECT received_tli FROM pg_catalog.pg_stat_wal_receiver),
                (SELECT greatest(c.timeline_id, r.min_recovery_end_timeline)
                   FROM pg_catalog.pg_control_checkpoint() AS c, pg_catalog.pg_control_recovery() AS r))::int8";

/// Ends the thread when it is dropped.
#[derive(Debug)]
pub(crate) struct Pulse(watch::Sender<bool>);

impl Drop for Pulse {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

/// Begins to ask.
///
/// # Errors
/// Where a thread cannot be started.
pub(crate) fn start<D: Send + Sync + 'static>(standbys: &Arc<Standbys<D>>) -> Result<Pulse> {
    let (stop, mut stopping) = watch::channel(false);
    let standbys = Arc::clone(standbys);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::internal)?;
    thread::Builder::new()
        .name("postgres-standbys".to_owned())
        .spawn(move || {
            let each = standbys.all().iter().map(|standby| follow_standby(&standbys, standby));
            let all = join(follow_primary(&standbys), join_all(each));
            runtime.block_on(async {
                tokio::select! {
                    _ = stopping.wait_for(|stopping| *stopping) => {}
                    _ = all => {}
                }
            });
        })
        .map_err(Error::internal)?;
    Ok(Pulse(stop))
}

/// Asks the primary for ever.
async fn follow_primary<D>(standbys: &Standbys<D>) {
    loop {
        if let Err(error) = primary_beats(standbys).await {
            tracing::debug!(error = %cause_of(&error), "the primary's position is not known");
        }
        tokio::time::sleep(RETRY).await;
    }
}

async fn primary_beats<D>(standbys: &Standbys<D>) -> Result<()> {
    let client = connect(&standbys.primary).await?;
    let statement = prepare(&client, PRIMARY).await?;
    loop {
        let asked = Instant::now();
        let row = in_time(client.query_one(&statement, &[])).await?;
        standbys.beats.fetch_add(1, Ordering::Relaxed);
        if let Some(position) = standbys.position(row.get(0), row.get(1)) {
            standbys.primary_is_at(asked, position);
        }
        tokio::time::sleep(standbys.options.beat).await;
    }
}

/// Asks a standby for ever; while it cannot be asked, no read goes to it.
async fn follow_standby<D>(standbys: &Standbys<D>, standby: &Standby<D>) {
    loop {
        if let Err(error) = standby_beats(standbys, standby).await {
            standby.leave(cause_of(&error));
        }
        tokio::time::sleep(RETRY).await;
    }
}

/// Connects to a standby, and checks which server that is.
///
/// # Errors
/// Where it cannot be reached, or is no standby of the primary.
pub(super) async fn reach<D>(
    standbys: &Standbys<D>,
    standby: &Standby<D>,
) -> Result<(Client, Identity)> {
    let client = connect(&standby.settings.connector()?).await?;
    let identity = in_time_of(Identity::of(&client)).await?;
    standbys.check(standby, &identity)?;
    standbys.open(standby).await?;
    Ok((client, identity))
}

async fn standby_beats<D>(standbys: &Standbys<D>, standby: &Standby<D>) -> Result<()> {
    let (client, identity) = reach(standbys, standby).await?;
    let statement = prepare(&client, STANDBY).await?;
    loop {
        let row = in_time(client.query_one(&statement, &[])).await?;
        standby.beats.fetch_add(1, Ordering::Relaxed);
        let (is_standby, byte, timeline): (bool, i64, i64) = (row.get(0), row.get(1), row.get(2));
        if !is_standby {
            standbys.check(standby, &identity.promoted())?;
        }
        let position = Position {
            timeline: u32::try_from(timeline).unwrap_or_default(),
            byte: u64::try_from(byte).unwrap_or_default(),
        };
        standby.observe(standbys.found(position), standbys.options.max_lag);
        standbys.has_moved();
        pause(standbys).await;
    }
}

/// The time to the next beat: short while a read waits for it.
async fn pause<D>(standbys: &Standbys<D>) {
    let beat = standbys.options.beat;
    if standbys.is_awaited() {
        return tokio::time::sleep(HURRIED.min(beat)).await;
    }
    let hurried = async {
        standbys.hurry.notified().await;
        tokio::time::sleep(HURRIED).await;
    };
    tokio::select! {
        () = tokio::time::sleep(beat) => {}
        () = hurried => {}
    }
}

/// A new connection for beats. Nothing is set on it, as a pooler may lend it to others.
async fn connect(connector: &PostgresConnector) -> Result<Client> {
    let made = async {
        let (client, running) = connector.connect().await?;
        tokio::spawn(running);
        Ok(client)
    };
    timeout(CONNECT, made).await.unwrap_or_else(|_| Err(silent()))
}

async fn prepare(client: &Client, sql: &str) -> Result<Statement> {
    in_time(client.prepare(sql)).await
}

async fn in_time<T>(
    answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
) -> Result<T> {
    in_time_of(async { answer.await.map_err(|error| refused(&error)) }).await
}

async fn in_time_of<T>(answer: impl Future<Output = Result<T>>) -> Result<T> {
    timeout(ANSWER, answer).await.unwrap_or_else(|_| Err(silent()))
}

fn refused(error: &tokio_postgres::Error) -> Error {
    duet_client::sqlstate::error_of(error)
}

fn silent() -> Error {
    crate::connection::stop::unavailable("it gave no answer in time")
}

/// Why a server cannot be asked, for the operator.
fn cause_of(error: &Error) -> String {
    match &error.cause {
        Some(cause) => format!("{} ({cause})", error.message),
        None => error.message.clone(),
    }
}
