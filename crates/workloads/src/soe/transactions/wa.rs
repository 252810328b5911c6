//! WA, warehouse activity: a warehouse's orders of the last hour, in twelve parts of five minutes.
//! There are none until a run has added some.

use duet_bench::workload::{Done, Failed, TransactionContext};
use duet_client::Statement;
use duet_model::Value;

use super::super::clock;
use super::super::db::Db;
use super::sq::query;
use crate::generate::Engine;

/// The statement.
pub(in super::super) struct WarehouseActivity {
    hour: Statement,
}

impl WarehouseActivity {
    pub(in super::super) async fn prepare(db: &mut Db) -> Result<Self, Failed> {
        let hour = match db.dialect {
            Engine::Postgres => include_str!("sql/wa_postgres.sql"),
            Engine::Sqlite => include_str!("sql/wa_sqlite.sql"),
        };
        Ok(Self { hour: db.prepare(hour).await? })
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
