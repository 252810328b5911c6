//! One statement that inserts the rows of several requests, and which of them comes back for whom.

use duet_document::RowSet;
use duet_model::Value;
use duet_store::memory::row_limit::RowLimit;
use duet_store::write::insert::{InsertBatch, MatchedBy, MatchedInsert};
use futures_util::pin_mut;
use tokio_postgres::Client;

use crate::connection::bind;
use crate::connection::run;
use crate::connection::stop::Stop;
use crate::read::keyed::Matcher;

/// Rows that one statement inserts.
#[derive(Clone, Copy)]
pub(crate) struct MatchedRows<'r> {
    pub(crate) insert: &'r InsertBatch,
    /// The statement.
    pub(crate) matched: &'r MatchedInsert,
    pub(crate) rows: &'r [&'r [Value]],
}

/// Inserts rows by a statement of [`InsertBatch::matched`]; returns the result of each. A set does not
/// have exactly one row where the database has inserted other rows than it was given.
pub(crate) async fn insert(
    client: &Client,
    prepared: &tokio_postgres::Statement,
    rows: MatchedRows<'_>,
    limit: &RowLimit,
) -> Result<Vec<RowSet>, Stop> {
    let MatchedRows { insert, matched, rows } = rows;
    let parameters = bind::rows(&matched.statement, &rows.iter().copied());
    let came = client.query_raw(prepared, parameters).await?;
    pin_mut!(came);
    let (codecs, plan) = (&insert.codecs, &insert.plan);
    let empty = || RowSet::with_capacity(codecs.len(), 1);
    let mut sets: Vec<RowSet> = rows.iter().map(|_| empty()).collect();
    let matcher = (matched.by == MatchedBy::Key).then(|| {
        let keys: Vec<_> = rows.iter().map(|row| insert.given_key(row)).collect();
        Matcher::new(plan, &keys)
    });
    while let Some(row) = run::next(&mut came, limit).await? {
        let mut set = empty();
        run::push_from(&row, matched.by.columns_before(), codecs, limit, &mut set)?;
        let at = match &matcher {
            Some(matcher) => matcher.key(&set, 0, &plan.levels[0].root_key),
            None => {
                let position: i64 = row.try_get(0)?;
                usize::try_from(position - 1).ok()
            }
        };
        if let Some(place) = at.and_then(|at| sets.get_mut(at)) {
            *place = set;
        }
    }
    Ok(sets)
}
