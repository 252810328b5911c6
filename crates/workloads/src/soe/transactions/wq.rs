//! WQ, warehouse query: a warehouse's orders and their totals, by mode, by warehouse and in total.

use duet_bench::workload::{Done, Failed, TransactionContext};
use duet_client::Statement;
use duet_model::Value;

use super::super::db::Db;
use super::sq::query;
use crate::generate::Engine;

/// The statement.
pub(in super::super) struct WarehouseQuery {
    cube: Statement,
}

impl WarehouseQuery {
    pub(in super::super) async fn prepare(db: &mut Db) -> Result<Self, Failed> {
        // SQLite has no CUBE, so four queries are combined.
        let cube = match db.dialect {
            Engine::Postgres => include_str!("sql/wq_postgres.sql"),
            Engine::Sqlite => include_str!("sql/wq_sqlite.sql"),
        };
        Ok(Self { cube: db.prepare(cube).await? })
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
