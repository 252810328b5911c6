//! WA, warehouse activity: a warehouse's orders of the last hour, in twelve parts of five minutes.
//! There are none until a run has added some.

use duet_bench::workload::{Done, Failed, TransactionContext};
use duet_db::raw::Statement;
use duet_model::Value;

use super::super::clock;
use super::super::db::Db;
use super::sq::query;
use crate::generate::Store;

/// The statement.
pub(in super::super) struct WarehouseActivity {
    hour: Statement,
}

impl WarehouseActivity {
    pub(in super::super) async fn prepare(db: &mut Db) -> Result<Self, Failed> {
        let parts = match db.dialect {
            Store::Postgres => {
                "WITH parts AS (SELECT $2::timestamp - (number + 1) * interval '5 minutes' AS since, \
                 $2::timestamp - number * interval '5 minutes' AS until \
                 FROM generate_series(0, 11) AS number)"
            }
            Store::Sqlite => {
                "WITH RECURSIVE numbers(number) AS (SELECT 0 UNION ALL \
                 SELECT number + 1 FROM numbers WHERE number < 11), \
                 parts AS (SELECT datetime($2, (-5 * (number + 1)) || ' minutes') AS since, \
                 datetime($2, (-5 * number) || ' minutes') AS until FROM numbers)"
            }
        };
        let hour = format!(
            "{parts} SELECT parts.until, sum(o.order_total) AS total, count(*) AS orders \
             FROM parts JOIN {{s}}orders o ON o.order_date > parts.since \
             AND o.order_date <= parts.until WHERE o.warehouse_id = $1 \
             GROUP BY parts.until ORDER BY parts.until"
        );
        Ok(Self { hour: db.prepare(&hour).await? })
    }

    pub(in super::super) async fn run(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
    ) -> Done {
        let values =
            [Value::Int(db.facts.anywhere(&mut context.random)), clock::moment(clock::now())];
        query(db, context, &self.hour, &values).await
    }
}
