//! WQ, warehouse query: a warehouse's orders and their totals, by mode, by warehouse and in total.

use duet_bench::workload::{Done, Failed, TransactionContext};
use duet_db::raw::Statement;
use duet_model::Value;

use super::super::db::Db;
use super::sq::query;
use crate::generate::Store;

const FROM: &str = "FROM {s}orders o JOIN {s}warehouses w ON w.warehouse_id = o.warehouse_id \
    WHERE w.warehouse_id = $1";

/// The statement.
pub(in super::super) struct WarehouseQuery {
    cube: Statement,
}

impl WarehouseQuery {
    pub(in super::super) async fn prepare(db: &mut Db) -> Result<Self, Failed> {
        let cube = cube(db.dialect);
        Ok(Self { cube: db.prepare(&cube).await? })
    }

    pub(in super::super) async fn run(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
    ) -> Done {
        let warehouse = db.facts.anywhere(&mut context.random);
        query(db, context, &self.cube, &[Value::Int(warehouse)]).await
    }
}

/// All groupings of two columns; SQLite has no CUBE, so four queries are combined.
fn cube(dialect: Store) -> String {
    let grouping = |mode: &str, warehouse: &str, by: &str| {
        format!(
            "SELECT {mode} AS order_mode, {warehouse} AS warehouse_id, \
             sum(o.order_total) AS total, count(*) AS orders {FROM}{by}"
        )
    };
    let (mode, warehouse) = ("o.order_mode", "w.warehouse_id");
    match dialect {
        Store::Postgres => {
            grouping(mode, warehouse, " GROUP BY CUBE (o.order_mode, w.warehouse_id)")
        }
        Store::Sqlite => [
            grouping(mode, warehouse, " GROUP BY o.order_mode, w.warehouse_id"),
            grouping(mode, "NULL", " GROUP BY o.order_mode"),
            grouping("NULL", warehouse, " GROUP BY w.warehouse_id"),
            grouping("NULL", "NULL", ""),
        ]
        .join(" UNION ALL "),
    }
}
