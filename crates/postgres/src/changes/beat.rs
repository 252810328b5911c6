//! The pulse of capturing: at a moment, the position of the database's log, and whether tables were
//! altered. What the capture has seen up to that position is all that was committed before the moment.

use std::time::Instant;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};

use super::layout::{By, Layout};
use super::prepare::PUBLICATION;
use crate::log_position::{LogSizes, end_of_records};

/// The first position that a commit from now on cannot have; the oldest transaction that runs, and the
/// next one; the sizes of the log's blocks and files.
const POSITION: &str = "
SELECT (pg_catalog.pg_current_wal_insert_lsn() - '0/0'::pg_catalog.pg_lsn)::int8,
       pg_catalog.pg_snapshot_xmin(s)::text::int8, pg_catalog.pg_snapshot_xmax(s)::text::int8,
       pg_catalog.current_setting('wal_block_size')::int8,
       pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_segment_size'))
  FROM pg_catalog.pg_current_snapshot() AS s";

/// A sum over what the catalog says of relations: any alteration moves it. `$2` is the name of the
/// publication.
const ALTERED: &str = "
SELECT sum(n * 31 + s)::text FROM (
    SELECT count(*) AS n, coalesce(sum(xmin::text::int8), 0) AS s FROM pg_catalog.pg_class WHERE oid = ANY ($1)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 3 FROM pg_catalog.pg_attribute WHERE attrelid = ANY ($1)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 5 FROM pg_catalog.pg_inherits WHERE inhparent = ANY ($1)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 7 FROM pg_catalog.pg_rewrite WHERE ev_class = ANY ($1)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 11 FROM pg_catalog.pg_trigger WHERE tgrelid = ANY ($1)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 13 FROM pg_catalog.pg_publication WHERE pubname = $2
    UNION ALL SELECT count(*), coalesce(sum(r.xmin::text::int8), 0) * 17 FROM pg_catalog.pg_publication_rel AS r
        JOIN pg_catalog.pg_publication AS p ON p.oid = r.prpubid WHERE p.pubname = $2
) AS catalogs(n, s)";

/// A beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beat {
    /// When it began.
    pub(super) at: Instant,
    /// What was committed before that moment is before this position.
    pub(super) position: u64,
    /// All transactions with smaller numbers have ended.
    pub(super) oldest: i64,
    /// All transactions from this number on begin later.
    pub(super) next: i64,
}

/// Asks the server.
#[derive(Debug)]
pub(super) struct Pulse {
    position: Statement,
    altered: Statement,
}

impl Pulse {
    pub(super) async fn new(client: &Client) -> Result<Self, Error> {
        let (position, altered) = (client.prepare(POSITION).await?, client.prepare(ALTERED).await?);
        Ok(Self { position, altered })
    }

    /// The next beat.
    pub(super) async fn beat(&self, client: &Client) -> Result<Beat, Error> {
        let at = Instant::now();
        let row: Row = client.query_one(&self.position, &[]).await?;
        let sizes = LogSizes { block: row.get(3), file: row.get(4) };
        let position = end_of_records(row.get(0), sizes);
        let position = u64::try_from(position).unwrap_or_default();
        Ok(Beat { at, position, oldest: row.get(1), next: row.get(2) })
    }

    /// The sum over these relations and the publication.
    pub(super) async fn altered(
        &self,
        client: &Client,
        relations: &Vec<u32>,
    ) -> Result<String, Error> {
        let parameters: [&(dyn ToSql + Sync); 2] = [relations, &PUBLICATION];
        client.query_one(&self.altered, &parameters).await?.try_get(0)
    }

    /// The tables, and the sum over what the catalog says of them in the same snapshot.
    pub(super) async fn read_layout(
        &self,
        client: &Client,
        by: By,
    ) -> Result<(Layout, String), Error> {
        client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
        let layout = Layout::read(client, by).await?;
        let altered = self.altered(client, &layout.watched).await?;
        client.batch_execute("COMMIT").await?;
        Ok((layout, altered))
    }
}
