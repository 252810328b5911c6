//! Capturing by logical decoding: the stream of a temporary slot, which the server removes with its
//! connection, so that it can never keep the log of a server whose reader is gone.
//!
//! The server pushes what is committed, which is delivered once readers can see it (`arrivals.rs`). Every
//! [`EVERY`], an ordinary connection asks for the position of
//! the log, and once the stream has passed it, nothing that was committed before that question is missing.
//! On any doubt, everything may have changed.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_pgconnect::pgoutput::parse;
use duet_pgconnect::{Frame, Replication};
use duet_store::commits::freshness::{Coverage, FreshnessWriter, Means};
use tokio_postgres::{Client, Statement};

use super::arrivals::{Arrivals, Snapshot};
use super::beat::{Beat, Pulse};
use super::layout::{By, Layout};
use super::prepare::{PREPARE, PUBLICATION};
use super::rows::{Gatherer, Taken};
use super::{Context, Failure};

/// The time between two questions for the position of the log.
const EVERY: Duration = Duration::from_millis(50);
/// The shortest time between two, while a write waits for the stream.
const HURRIED: Duration = Duration::from_millis(4);
/// The time between two snapshots that arrived transactions are compared with, so that at a high rate many
/// share one.
const SETTLE: Duration = Duration::from_millis(4);
/// How long an answer, or any byte of the stream after a question, may take.
const SILENCE: Duration = Duration::from_secs(30);
/// Positions that wait for the stream at most: a transaction that takes long needs no more of them.
const MOST_WAITING: usize = 1_000;

const SNAPSHOT: &str = "SELECT pg_catalog.pg_current_snapshot()::text";

/// What must hold for the stream, and the name of a slot.
const CHECK: &str = "
SELECT pg_catalog.current_setting('wal_level'),
       pg_catalog.pg_is_in_recovery(),
       (SELECT r.rolreplication OR r.rolsuper FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user),
       (SELECT p.pubinsert AND p.pubupdate AND p.pubdelete AND p.pubtruncate AND NOT p.pubviaroot
               AND NOT EXISTS (SELECT FROM pg_catalog.pg_publication_rel AS t
                                WHERE t.prpubid = p.oid AND pg_catalog.to_jsonb(t) ->> 'prqual' IS NOT NULL)
          FROM pg_catalog.pg_publication AS p WHERE p.pubname = $1),
       'duet_' || replace(pg_catalog.gen_random_uuid()::text, '-', '')";

/// A stream that runs.
pub(super) struct Stream {
    changes: Replication,
    side: Side,
    arriving: Arriving,
    /// Beats that the stream has not passed.
    waiting: VecDeque<Beat>,
    /// When the stream was last heard.
    heard: Instant,
}

/// What arrives, up to its delivery.
struct Arriving {
    gatherer: Gatherer,
    arrivals: Arrivals,
    client: Arc<Client>,
    snapshot: Statement,
    /// When a snapshot was last asked for, and how long to wait until the next one.
    asked: Instant,
    pause: Duration,
}

/// What the ordinary connection knows.
struct Side {
    client: Arc<Client>,
    pulse: Pulse,
    watched: Vec<u32>,
    altered: String,
    /// The position at the last look for alterations.
    looked_at: u64,
    /// The catalog's version at the last look.
    catalog: u64,
    /// What will be covered once all transactions below this number have ended: those that began before a
    /// table was published may have changed it unseen.
    coming: Option<(i64, Coverage)>,
    covered: Coverage,
}

/// What a beat has found.
struct Pulsed {
    beat: Beat,
    /// The tables, where they have been altered.
    layout: Option<Layout>,
    /// What is covered from now on.
    coverage: Option<Coverage>,
}

/// Makes a slot, and captures from now on.
pub(super) async fn begin(context: &Context, writer: &FreshnessWriter) -> Result<Stream, Failure> {
    let client = Arc::new(context.connect().await?);
    let row = client.query_one(CHECK, &[&PUBLICATION]).await?;
    check(row.get(0), row.get(1), row.get(2), row.get(3))?;
    let mut changes = context.connector.connect_replication().await?;
    let slot: String = row.get(4);
    // It waits for the end of all transactions that write now.
    let create =
        format!("CREATE_REPLICATION_SLOT {slot} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT");
    changes.query(&create).await?;
    let catalog = context.catalog();
    let pulse = Pulse::new(&client).await?;
    let (layout, altered) = pulse.read_layout(&client, By::Publication).await?;
    let start = format!(
        "START_REPLICATION SLOT {slot} LOGICAL 0/0 (proto_version '1', publication_names '{PUBLICATION}')"
    );
    changes.start(&start).await?;
    let mut gatherer = Gatherer::default();
    gatherer.take(&catalog.0, layout.lines);
    // What is read from now on is from after the slot was made, and what is in memory is dropped.
    let as_of = Instant::now();
    writer.covers(layout.coverage.clone());
    context.commits.foreign();
    writer.captures(Means::Stream, as_of);
    let snapshot = client.prepare(SNAPSHOT).await?;
    let side = Side {
        client: Arc::clone(&client),
        pulse,
        watched: layout.watched,
        altered,
        looked_at: 0,
        catalog: catalog.1,
        coming: None,
        covered: layout.coverage,
    };
    let arriving = Arriving {
        gatherer,
        arrivals: Arrivals::default(),
        client,
        snapshot,
        asked: as_of,
        pause: SETTLE,
    };
    Ok(Stream { changes, side, arriving, waiting: VecDeque::new(), heard: Instant::now() })
}

/// Whether the server and the user can have a stream.
fn check(
    wal_level: &str,
    is_standby: bool,
    may_replicate: Option<bool>,
    publication: Option<bool>,
) -> Result<(), Failure> {
    let impossible = |reason: String| Err(Failure::Impossible(reason));
    if is_standby {
        return impossible("The server is a standby, which has no change stream.".into());
    }
    if wal_level != "logical" {
        return impossible(format!(
            "`wal_level` is `{wal_level}`: set `wal_level = logical` in postgresql.conf and restart the server."
        ));
    }
    if may_replicate != Some(true) {
        return impossible(
            "The user of the connection may not replicate: run `ALTER ROLE … REPLICATION` for it."
                .into(),
        );
    }
    match publication {
        Some(true) => Ok(()),
        Some(false) => impossible(format!(
            "The publication {PUBLICATION} has row filters, leaves operations out or publishes by root: drop it and run {PREPARE}."
        )),
        None => impossible(format!("The publication {PUBLICATION} does not exist: run {PREPARE}.")),
    }
}

impl Stream {
    /// Captures until it is interrupted.
    pub(super) async fn run_to_end(
        mut self,
        context: &Context,
        writer: &FreshnessWriter,
    ) -> Failure {
        loop {
            if let Err(failure) = self.next(context, writer).await {
                return failure;
            }
        }
    }

    async fn next(&mut self, context: &Context, writer: &FreshnessWriter) -> Result<(), Failure> {
        let pulsed = self.read_until_pulse(context, writer).await?;
        self.take_pulse(pulsed, context, writer).await?;
        if self.heard.elapsed() > SILENCE && !self.waiting.is_empty() {
            return Err(Failure::Interrupted("the stream has fallen silent".into()));
        }
        Ok(())
    }

    /// Handles what arrives until the next pulse.
    async fn read_until_pulse(
        &mut self,
        context: &Context,
        writer: &FreshnessWriter,
    ) -> Result<Pulsed, Failure> {
        let Self { changes, side, arriving, waiting, heard } = self;
        let mut pulsed = std::pin::pin!(side.pulse(context));
        loop {
            tokio::select! {
                pulsed = &mut pulsed => return pulsed,
                filled = changes.fill() => {
                    filled?;
                    *heard = Instant::now();
                    arriving.take_frames(changes).await?;
                    advance(waiting, &arriving.arrivals, writer);
                }
                () = tokio::time::sleep_until((arriving.asked + arriving.pause).into()),
                    if arriving.arrivals.is_waiting() =>
                {
                    arriving.settle(context).await?;
                    advance(waiting, &arriving.arrivals, writer);
                }
            }
        }
    }

    async fn take_pulse(
        &mut self,
        pulsed: Pulsed,
        context: &Context,
        writer: &FreshnessWriter,
    ) -> Result<(), Failure> {
        let changed = pulsed.layout.is_some() || pulsed.coverage.is_some();
        if let Some(layout) = pulsed.layout {
            self.arriving.gatherer.take(&context.catalog().0, layout.lines);
        }
        if let Some(coverage) = pulsed.coverage {
            writer.covers(coverage);
        }
        if changed {
            context.commits.foreign();
        }
        if self.waiting.len() < MOST_WAITING {
            self.waiting.push_back(pulsed.beat);
        }
        advance(&mut self.waiting, &self.arriving.arrivals, writer);
        // Where the stream is behind, it is asked how far it is.
        self.changes.report(self.arriving.arrivals.position(), !self.waiting.is_empty()).await?;
        Ok(())
    }
}

impl Arriving {
    /// Takes all frames that have arrived.
    async fn take_frames(&mut self, changes: &mut Replication) -> Result<(), Failure> {
        let mut must_reply = false;
        while let Some(frame) = changes.frame()? {
            match frame {
                // Within a transaction, the position is not yet behind its changes.
                Frame::Alive { end, reply } => {
                    must_reply |= reply;
                    if !self.gatherer.in_transaction() {
                        self.arrivals.reach(end);
                    }
                }
                Frame::Data(bytes) => {
                    let message = parse(bytes)
                        .map_err(|_| Failure::doubt("a message that cannot be read"))?;
                    match self.gatherer.message(&message) {
                        Taken::Part => {}
                        Taken::Doubt(what) => return Err(Failure::doubt(what)),
                        Taken::Committed(committed, end) => self.arrivals.add(committed, end),
                    }
                }
            }
        }
        if must_reply {
            changes.report(self.arrivals.position(), false).await?;
        }
        Ok(())
    }

    /// Delivers the transactions that readers can see by now.
    async fn settle(&mut self, context: &Context) -> Result<(), Failure> {
        self.asked = Instant::now();
        let ask = async { self.client.query_one(&self.snapshot, &[]).await };
        let silent = |_| Failure::Interrupted("the server does not answer".into());
        let row = tokio::time::timeout(SILENCE, ask).await.map_err(silent)??;
        let snapshot = Snapshot::parse(row.get(0));
        let snapshot = snapshot.ok_or_else(|| Failure::doubt("a snapshot"))?;
        let settled = self.arrivals.settle(self.asked, &snapshot);
        // A commit that waits for a standby may do so for long.
        self.pause = if settled.is_empty() { EVERY.min(self.pause * 2) } else { SETTLE };
        for committed in settled {
            context.deliver(committed, 1);
        }
        Ok(())
    }
}

/// Everything that was committed before a beat is delivered once the stream has passed its position.
fn advance(waiting: &mut VecDeque<Beat>, arrivals: &Arrivals, writer: &FreshnessWriter) {
    let mut passed = None;
    while let Some(beat) = waiting.pop_front_if(|beat| arrivals.have_passed(beat)) {
        passed = Some(beat.at);
    }
    if let Some(at) = passed {
        writer.advances(at);
    }
}

impl Side {
    /// After a moment, the next beat, and the tables where they have been altered.
    async fn pulse(&mut self, context: &Context) -> Result<Pulsed, Failure> {
        tokio::time::sleep(HURRIED).await;
        tokio::select! {
            () = tokio::time::sleep(EVERY - HURRIED) => {}
            () = context.freshness.is_awaited() => {}
        }
        let asked = tokio::time::timeout(SILENCE, self.ask(context)).await;
        asked.map_err(|_| Failure::Interrupted("the server does not answer".into()))?
    }

    async fn ask(&mut self, context: &Context) -> Result<Pulsed, Failure> {
        let beat = self.pulse.beat(&self.client).await?;
        let (mut layout, mut coverage) = (None, None);
        let version = context.catalog().1;
        let is_asked = context.take_unknown() || self.catalog != version;
        if is_asked || self.is_altered(&beat).await? {
            let (read, altered) = self.pulse.read_layout(&self.client, By::Publication).await?;
            // What comes to be covered waits for the transactions that have begun before.
            let now = self.covered.and(&read.coverage);
            self.coming = Some((beat.next, read.coverage.clone()));
            self.covered = now.clone();
            self.altered = altered;
            self.watched.clone_from(&read.watched);
            self.catalog = version;
            (layout, coverage) = (Some(read), Some(now));
        } else if let Some((_, coming)) = self.coming.take_if(|(next, _)| beat.oldest >= *next)
            && coming != self.covered
        {
            self.covered = coming.clone();
            coverage = Some(coming);
        }
        Ok(Pulsed { beat, layout, coverage })
    }

    /// Whether tables were altered since the last beat; nothing is asked where nothing was written.
    async fn is_altered(&mut self, beat: &Beat) -> Result<bool, Failure> {
        if self.looked_at == beat.position {
            return Ok(false);
        }
        let altered = self.pulse.altered(&self.client, &self.watched).await?;
        self.looked_at = beat.position;
        Ok(altered != self.altered)
    }
}
