//! Rows of a load as lists of values, for a table whose rows are on several machines.

use duet_document::bulk::Group;
use duet_sql::upsert_lists;
use futures_util::future::join_all;

use super::copy::text;
use super::{Method, PostgresLoad, settling};
use crate::connection::bind::Bound;

impl PostgresLoad {
    /// Writes rows by as few lists as take them, all in one flush; how many were written.
    pub(super) async fn write_lists(
        &mut self,
        group: &Group,
        rows: &[usize],
    ) -> Result<u64, tokio_postgres::Error> {
        let (dialect, plan) = (self.database.dialect(), &self.plan);
        let lists = upsert_lists(dialect, &plan.table, &group.columns, &plan.key);
        let (mut left, mut parts) = (rows, Vec::new());
        for size in lists.sizes(rows.len()) {
            let (own, others) = left.split_at(size);
            left = others;
            let statement = self.statement(Method::List(size), &group.columns).await?;
            parts.push((statement, own));
        }
        let client = &self.client;
        let each = parts.iter().map(|(list, own)| client.execute_raw(list, bound(group, own)));
        // After the first error the others only say that there was one.
        let written = async { join_all(each).await.into_iter().sum::<Result<u64, _>>() };
        settling(client, &mut self.pending, written).await
    }
}

/// The cells of some rows, one row behind the other.
fn bound(group: &Group, rows: &[usize]) -> Vec<Bound> {
    let width = group.columns.len();
    let cells = rows.iter().flat_map(|&row| (0..width).map(move |at| group.rows.get(row, at)));
    cells
        .map(|cell| text(cell).map_or(Bound::Null, |text| Bound::Text(text.into_owned())))
        .collect()
}
