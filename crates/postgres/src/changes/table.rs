//! Capturing by a table that triggers fill: where the server has no logical log.
//!
//! A poll reads what is visible to it and was not to the poll before: rows of transactions that end in any
//! order are read once each, and one that takes long delays no other.

use std::time::{Duration, Instant};

use duet_pgconnect::pgoutput::{Field, Message, Old, Tuple};
use duet_store::commits::freshness::{FreshnessWriter, Means};
use tokio_postgres::{Client, Row, Statement};

use super::beat::Pulse;
use super::layout::By;
use super::rows::{Gatherer, Taken};
use super::{Context, Failure};

/// The time between polls while there are changes, and otherwise.
const BUSY: Duration = Duration::from_millis(10);
const IDLE: Duration = Duration::from_millis(25);
/// For so long after a change others are expected.
const EXPECTANT: Duration = Duration::from_secs(1);
/// The part of its time that polling may take.
const PART: u32 = 5;
/// The longest time between two polls. The triggers keep what was committed for 15 seconds at least.
const GAP: Duration = Duration::from_secs(10);

/// Whether the table is there and may be read.
const CHECK: &str = "
SELECT pg_catalog.pg_is_in_recovery(), c.oid IS NOT NULL,
       CASE WHEN c.oid IS NULL THEN false ELSE pg_catalog.has_schema_privilege(n.oid, 'USAGE') END
  FROM (VALUES (1)) AS one
  LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = 'duet'
  LEFT JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = 'change'";

const MAY_READ: &str = "SELECT pg_catalog.has_table_privilege('duet.change', 'SELECT')";

/// What is visible now and was not to `$1`, a snapshot; and the snapshot of now.
const POLL: &str = "
SELECT s::text, c.xid::text, c.relation, c.kind::text, c.columns, c.image
  FROM pg_catalog.pg_current_snapshot() AS s
  LEFT JOIN duet.change AS c
    ON c.xid >= pg_catalog.pg_snapshot_xmin($1::text::pg_catalog.pg_snapshot)
   AND NOT pg_catalog.pg_visible_in_snapshot(c.xid, $1::text::pg_catalog.pg_snapshot)
 ORDER BY c.seq";

/// A change table that is polled.
pub(super) struct Table {
    client: Client,
    poll: Statement,
    pulse: Pulse,
    gatherer: Gatherer,
    watched: Vec<u32>,
    altered: String,
    catalog: u64,
    /// The snapshot of the last poll, and when it began.
    snapshot: String,
    polled: Instant,
    /// When the last change was read.
    changed: Option<Instant>,
    pause: Duration,
    /// The shortest pause, while a write waits for the capture.
    hurried: Duration,
}

/// Captures from now on.
pub(super) async fn begin(context: &Context, writer: &FreshnessWriter) -> Result<Table, Failure> {
    let client = context.connect().await?;
    let row = client.query_one(CHECK, &[]).await?;
    let (is_standby, is_there, may_enter): (bool, bool, bool) =
        (row.get(0), row.get(1), row.get(2));
    let impossible = |reason: &str| Err(Failure::Impossible(reason.to_owned()));
    if is_standby {
        return impossible("The server is a standby, whose changes are not captured.");
    }
    if !may_enter || !is_there {
        return impossible(
            "There is no change table `duet.change` that the user may read: run `duet rowstore prepare --means table`.",
        );
    }
    if !client.query_one(MAY_READ, &[]).await?.get::<_, bool>(0) {
        return impossible("The user may not read the table `duet.change`: grant it SELECT.");
    }
    let (poll, pulse) = (client.prepare(POLL).await?, Pulse::new(&client).await?);
    let catalog = context.catalog();
    let (layout, altered) = pulse.read_layout(&client, By::Triggers).await?;
    let now = "SELECT pg_catalog.pg_current_snapshot()::text";
    let polled = Instant::now();
    let snapshot = client.query_one(now, &[]).await?.get(0);
    let mut gatherer = Gatherer::default();
    gatherer.take(&catalog.0, layout.lines);
    // What is read from now on is from after that snapshot, and what is in memory is dropped.
    let as_of = Instant::now();
    writer.covers(layout.coverage);
    context.commits.foreign();
    writer.captures(Means::Table, as_of);
    let watched = layout.watched;
    let (changed, pause) = (None, BUSY);
    let catalog = catalog.1;
    Ok(Table {
        client,
        poll,
        pulse,
        gatherer,
        watched,
        altered,
        catalog,
        snapshot,
        polled,
        changed,
        pause,
        hurried: BUSY,
    })
}

impl Table {
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

    /// After a pause, reads what was committed since.
    async fn next(&mut self, context: &Context, writer: &FreshnessWriter) -> Result<(), Failure> {
        tokio::time::sleep(self.hurried).await;
        tokio::select! {
            () = tokio::time::sleep(self.pause.saturating_sub(self.hurried)) => {}
            () = context.freshness.is_awaited() => {}
        }
        let begun = Instant::now();
        let poll = async { self.client.query(&self.poll, &[&self.snapshot]).await };
        let silent = |_| Failure::Interrupted("the server does not answer".into());
        let rows = tokio::time::timeout(GAP, poll).await.map_err(silent)??;
        if begun.duration_since(self.polled) > GAP {
            return Err(Failure::Interrupted("the change table was not read for too long".into()));
        }
        self.polled = begun;
        let Some(first) = rows.first() else { return Err(Failure::doubt("no snapshot")) };
        let snapshot: String = first.get(0);
        let has_moved = snapshot != self.snapshot || self.catalog != context.catalog().1;
        self.snapshot = snapshot;
        self.take(context, &rows)?;
        if has_moved {
            self.look_for_alterations(context, writer).await?;
        }
        writer.advances(begun);
        let is_expectant = self.changed.is_some_and(|at| at.elapsed() < EXPECTANT);
        let least = if is_expectant { BUSY } else { IDLE };
        let rest = (begun.elapsed() * (PART - 1)).min(GAP / 2);
        (self.hurried, self.pause) = (BUSY.max(rest), least.max(rest));
        Ok(())
    }

    /// Delivers the changes of a poll.
    fn take(&mut self, context: &Context, rows: &[Row]) -> Result<(), Failure> {
        let mut transactions: Vec<&str> = Vec::new();
        self.gatherer.message(&Message::Begin { xid: 0 });
        for row in rows {
            let Some(xid) = row.get::<_, Option<&str>>(1) else { continue };
            if !transactions.contains(&xid) {
                transactions.push(xid);
            }
            self.take_row(row)?;
        }
        let Taken::Committed(committed, _) = self.gatherer.message(&Message::Commit { end: 0 })
        else {
            return Err(Failure::doubt("a change that cannot be read"));
        };
        if !transactions.is_empty() {
            self.changed = Some(Instant::now());
            context.deliver(committed, transactions.len());
        }
        Ok(())
    }

    fn take_row(&mut self, row: &Row) -> Result<(), Failure> {
        let (relation, kind): (u32, &str) = (row.get(2), row.get(3));
        let names: Option<Vec<&str>> = row.get(4);
        let image: Option<Vec<Option<&str>>> = row.get(5);
        let names = names.unwrap_or_default();
        if !self.gatherer.describe_by_names(relation, &names) {
            return Ok(());
        }
        let fields: Tuple<'_> =
            image.iter().flatten().map(|value| value.map_or(Field::Null, Field::Text)).collect();
        let message = match kind {
            "n" => Message::Insert { relation, new: fields },
            "o" => Message::Delete { relation, old: Old::Whole(fields) },
            _ => Message::Truncate { relations: vec![relation] },
        };
        match self.gatherer.message(&message) {
            Taken::Doubt(what) => Err(Failure::doubt(what)),
            _ => Ok(()),
        }
    }

    async fn look_for_alterations(
        &mut self,
        context: &Context,
        writer: &FreshnessWriter,
    ) -> Result<(), Failure> {
        let version = context.catalog().1;
        let is_asked = context.take_unknown() || self.catalog != version;
        let altered = self.pulse.altered(&self.client, &self.watched).await?;
        if !is_asked && altered == self.altered {
            return Ok(());
        }
        let (layout, altered) = self.pulse.read_layout(&self.client, By::Triggers).await?;
        self.gatherer.take(&context.catalog().0, layout.lines);
        (self.watched, self.altered, self.catalog) = (layout.watched, altered, version);
        writer.covers(layout.coverage);
        context.commits.foreign();
        Ok(())
    }
}
