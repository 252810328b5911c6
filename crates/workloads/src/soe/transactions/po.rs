//! PO, process orders: a warehouse takes one of its open orders and advances its status.

use duet_bench::workload::{Done, Failed, Success, TransactionContext};
use duet_db::raw::Statement;
use duet_model::Value;

use super::super::db::Db;

/// The statements.
pub(in super::super) struct ProcessOrders {
    open: Statement,
    process: Statement,
}

impl ProcessOrders {
    pub(in super::super) async fn prepare(db: &mut Db) -> Result<Self, Failed> {
        let open = "SELECT o.order_id, o.order_date, o.order_mode, o.order_status, o.order_total, \
            o.sales_rep_id, o.promotion_id, c.customer_id, c.cust_first_name, c.cust_last_name, \
            c.credit_limit, c.cust_email, i.line_item_id, i.product_id, i.unit_price, i.quantity \
            FROM (SELECT * FROM {s}orders WHERE warehouse_id = $1 AND order_status <= 4 LIMIT 9) o \
            JOIN {s}customers c ON c.customer_id = o.customer_id \
            LEFT JOIN {s}order_items i ON i.order_id = o.order_id";
        let process = "UPDATE {s}orders SET order_status = $2 WHERE order_id = $1";
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
