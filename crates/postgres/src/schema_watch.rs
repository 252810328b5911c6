//! Noticing that the schema has changed, at a cost that does not grow with it.
//!
//! A look first compares counters: the snapshot of the server (equal: nothing was committed since)
//! and the number of rows written to the system catalogs. Only where these have moved are the
//! catalogs summed up. Temporary tables of other sessions are left out of the sum. What another server tells is
//! looked at whatever the counters say.

use std::time::{Duration, Instant};

use duet_model::Result;
use tokio_postgres::Client;

use duet_client::sqlstate;

/// A session may report what it has written up to ten seconds late, so after this many looks in a
/// row that relied on the counters the catalogs are summed up anyway.
const TRUSTED: u32 = 5;

/// The same after this time.
const TRUSTED_FOR: Duration = Duration::from_secs(5);

/// On a standby the replay position replaces the snapshot; its counters of
/// written rows do not move.
const COUNTERS: &str = "
SELECT CASE WHEN r THEN pg_catalog.pg_last_wal_replay_lsn()::text
            ELSE pg_catalog.pg_current_snapshot()::text END,
       CASE WHEN r OR NOT pg_catalog.current_setting('track_counts')::bool THEN NULL ELSE (
         SELECT sum(pg_catalog.pg_stat_get_tuples_inserted(c) + pg_catalog.pg_stat_get_tuples_updated(c)
                    + pg_catalog.pg_stat_get_tuples_deleted(c))
           FROM unnest('{pg_class,pg_attribute,pg_constraint,pg_index,pg_type,pg_enum,pg_proc,pg_description,pg_attrdef,pg_namespace,pg_trigger,pg_rewrite}'::regclass[]) AS c
       )::int8 END, r
  FROM pg_catalog.pg_is_in_recovery() AS r";

/// Sums the traces of changes in the system catalogs: any DDL statement, comment or grant moves
/// one of these numbers, unless it is about a temporary object.
const VERSION: &str = "
WITH temporary AS MATERIALIZED (SELECT oid FROM pg_catalog.pg_class WHERE relpersistence = 't'),
     passing AS MATERIALIZED (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname ~ '^pg_(toast_)?temp_')
SELECT sum(n * 31 + s)::text FROM (
    SELECT count(*) AS n, coalesce(sum(xmin::text::int8), 0) AS s FROM pg_catalog.pg_class WHERE relpersistence <> 't'
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 3 FROM pg_catalog.pg_attribute WHERE attrelid NOT IN (SELECT oid FROM temporary)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 5 FROM pg_catalog.pg_constraint WHERE conrelid NOT IN (SELECT oid FROM temporary)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 7 FROM pg_catalog.pg_index WHERE indrelid NOT IN (SELECT oid FROM temporary)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 11 FROM pg_catalog.pg_type WHERE typnamespace NOT IN (SELECT oid FROM passing)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 13 FROM pg_catalog.pg_enum
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 17 FROM pg_catalog.pg_proc WHERE pronamespace NOT IN (SELECT oid FROM passing)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 19 FROM pg_catalog.pg_description WHERE objoid NOT IN (SELECT oid FROM temporary)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 23 FROM pg_catalog.pg_attrdef WHERE adrelid NOT IN (SELECT oid FROM temporary)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 29 FROM pg_catalog.pg_namespace WHERE oid NOT IN (SELECT oid FROM passing)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 37 FROM pg_catalog.pg_trigger WHERE tgrelid NOT IN (SELECT oid FROM temporary)
    UNION ALL SELECT count(*), coalesce(sum(xmin::text::int8), 0) * 41 FROM pg_catalog.pg_rewrite WHERE ev_class NOT IN (SELECT oid FROM temporary)
) AS catalogs(n, s)";

/// What the server says at no cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counters {
    /// The server's snapshot, or the position of a standby's replay.
    state: String,
    /// Rows written to the system catalogs; `None` where the server does not count them.
    written: Option<i64>,
    /// Whether the server is a standby.
    pub(crate) standby: bool,
}

/// What the last look at the system catalogs saw. The counters were read before it.
#[derive(Debug)]
pub(crate) struct LastCheck {
    counters: Counters,
    version: u64,
    at: Instant,
    /// How often others had told of changes by then.
    told: u64,
    /// Looks since then that relied on the counters of written rows.
    trusted: u32,
}

impl LastCheck {
    pub(crate) fn new(counters: Counters, version: u64, told: u64) -> Self {
        Self { counters, version, at: Instant::now(), told, trusted: 0 }
    }

    /// Whether this is another version, which no server has announced.
    pub(crate) fn is_the_first_to_know(&self, version: u64, told: u64) -> bool {
        self.version != version && self.told == told
    }

    /// The version, where the counters say that it is still the same, and no server has announced a change.
    pub(crate) fn still_holds(&mut self, now: &Counters, told: u64) -> Option<u64> {
        if self.counters.state == now.state {
            return Some(self.version);
        }
        self.counters.written?;
        let is_trusted = self.trusted < TRUSTED && self.at.elapsed() < TRUSTED_FOR;
        if self.counters.written != now.written || self.told != told || !is_trusted {
            return None;
        }
        self.trusted += 1;
        Some(self.version)
    }
}

/// Reads the counters. Each query is typed, so that it takes one round trip and leaves no prepared
/// statement behind.
pub(crate) async fn counters(client: &Client) -> Result<Counters> {
    let rows = client.query_typed(COUNTERS, &[]).await;
    let rows = rows.map_err(|error| sqlstate::error_of(&error))?;
    let row = rows.first().ok_or_else(|| duet_model::Error::internal("no counters"))?;
    let state: Option<String> = row.get(0);
    Ok(Counters { state: state.unwrap_or_default(), written: row.get(1), standby: row.get(2) })
}

/// Sums up the system catalogs.
pub(crate) async fn version(client: &Client) -> Result<u64> {
    let rows = client.query_typed(VERSION, &[]).await;
    let rows = rows.map_err(|error| sqlstate::error_of(&error))?;
    let row = rows.first().ok_or_else(|| duet_model::Error::internal("no version"))?;
    let text: String = row.get(0);
    Ok(text.bytes().fold(0, |hash: u64, digit| {
        hash.wrapping_mul(1_099_511_628_211).wrapping_add(u64::from(digit))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(state: &str, written: Option<i64>) -> Counters {
        Counters { state: state.to_owned(), written, standby: false }
    }

    #[test]
    fn counters_are_trusted_for_so_long() {
        let mut seen = LastCheck::new(counters("1:1:", Some(7)), 42, 0);
        for _ in 0..100 {
            assert_eq!(seen.still_holds(&counters("1:1:", Some(7)), 0), Some(42));
        }
        seen.at = Instant::now() + Duration::from_secs(3600);
        for _ in 0..TRUSTED {
            assert_eq!(seen.still_holds(&counters("1:2:", Some(7)), 0), Some(42));
        }
        assert_eq!(seen.still_holds(&counters("1:2:", Some(7)), 0), None);
        let mut seen = LastCheck::new(counters("1:1:", Some(7)), 42, 0);
        assert_eq!(seen.still_holds(&counters("1:2:", Some(8)), 0), None);
    }

    #[test]
    fn who_finds_a_change_first_tells_the_others() {
        let mut seen = LastCheck::new(counters("1:1:", Some(7)), 42, 3);
        assert_eq!(seen.still_holds(&counters("1:2:", Some(7)), 4), None);
        assert!(seen.is_the_first_to_know(43, 3));
        assert!(!seen.is_the_first_to_know(42, 3) && !seen.is_the_first_to_know(43, 4));
    }

    #[test]
    fn a_server_that_does_not_count_is_looked_at_whenever_something_was_committed() {
        let mut seen = LastCheck::new(counters("1:1:", None), 42, 0);
        assert_eq!(seen.still_holds(&counters("1:1:", None), 0), Some(42));
        assert_eq!(seen.still_holds(&counters("1:2:", None), 0), None);
    }
}
