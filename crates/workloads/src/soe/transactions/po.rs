//! PO, process orders: a warehouse takes one of its open orders and advances its status.

use duet_bench::workload::{Done, Failed, Success, TransactionContext};
use duet_client::Statement;
use duet_model::Value;

use super::super::db::Db;

/// The statements.
pub(in super::super) struct ProcessOrders {
    open: Statement,
    process: Statement,
}

impl ProcessOrders {
    pub(in super::super) async fn prepare(db: &mut Db) -> Result<Self, Failed> {
        let open = include_str!("sql/po_open.sql");
        let process = include_str!("sql/po_process.sql");
        Ok(Self { open: db.prepare(open).await?, process: db.prepare(process).await? })
    }

    pub(super) async fn run(&self, db: &mut Db, context: &mut TransactionContext) -> Done {
        let Some(order) = self.find(db, context).await? else {
            return match db.facts.compat {
                true => Err(Failed::check("the warehouse has no open order")),
                false => Ok(Success::Empty),
            };
        };
        context.think().await;
        let unit = db.repeated(context, async |db, context| {
            db.begin(context).await?;
            self.process(db, context, order).await?;
            db.commit(context).await
        });
        unit.await?;
        Ok(Success::Ok)
    }

    /// An open order of a warehouse.
    pub(in super::super) async fn find(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
    ) -> Result<Option<i64>, Failed> {
        let warehouse = db.facts.anywhere(&mut context.random);
        Ok(db.select(context, &self.open, &[Value::Int(warehouse)]).await?.first_int(0))
    }

    /// Advances the status of an order.
    pub(in super::super) async fn process(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        order: i64,
    ) -> Result<(), Failed> {
        let status = context.random.i64(5..10);
        db.update(context, &self.process, &[Value::Int(order), Value::Int(status)]).await
    }
}
