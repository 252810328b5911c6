//! SQ, sales representative query: the ten largest orders of a representative.

use duet_bench::workload::{Done, Failed, Success, TransactionContext};
use duet_client::Statement;
use duet_model::Value;

use super::super::db::Db;

/// The statement.
pub(in super::super) struct SalesRepQuery {
    largest: Statement,
}

impl SalesRepQuery {
    pub(in super::super) async fn prepare(db: &mut Db) -> Result<Self, Failed> {
        let largest = include_str!("sql/sq_largest.sql");
        Ok(Self { largest: db.prepare(largest).await? })
    }

    pub(in super::super) async fn run(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
    ) -> Done {
        let representative = context.random.i64(1..1_000);
        query(db, context, &self.largest, &[Value::Int(representative)]).await
    }
}

/// Runs one of the three queries; the original does not count them.
pub(super) async fn query(
    db: &mut Db,
    context: &mut TransactionContext,
    statement: &Statement,
    values: &[Value],
) -> Done {
    let rows = match db.facts.compat {
        true => db.fetch(context, statement, values).await?,
        false => db.select(context, statement, values).await?,
    };
    Ok(if rows.rows.is_empty() { Success::Empty } else { Success::Ok })
}
