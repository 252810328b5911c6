//! BO, browse orders: a customer looks at its orders, and increases the quantity of a line.

use duet_bench::workload::{Done, Failed, Success, TransactionContext};
use duet_client::Statement;
use duet_model::Value;

use super::super::db::Db;
use super::Common;

/// The statements.
pub(in super::super) struct BrowseOrders {
    orders: Statement,
    items: Statement,
    quantity: Statement,
    total: Statement,
}

/// A line of an order.
#[derive(Clone, Debug)]
pub(in super::super) struct Line {
    order: i64,
    line: i64,
    price: Value,
}

impl BrowseOrders {
    pub(in super::super) async fn prepare(db: &mut Db, rows: u32) -> Result<Self, Failed> {
        let limited = |sql: &str| sql.replace("{rows}", &rows.to_string());
        Ok(Self {
            orders: db.prepare(&limited(include_str!("sql/bo_orders.sql"))).await?,
            items: db.prepare(&limited(include_str!("sql/bo_items.sql"))).await?,
            quantity: db.prepare(include_str!("sql/bo_quantity.sql")).await?,
            total: db.prepare(include_str!("sql/bo_total.sql")).await?,
        })
    }

    pub(super) async fn run(
        &self,
        db: &mut Db,
        common: &Common,
        context: &mut TransactionContext,
    ) -> Done {
        let customer = db.facts.someone(&mut context.random);
        common.logon(db, context, customer).await?;
        common.customer(db, context, customer).await?;
        common.addresses(db, context, customer).await?;
        let orders = self.orders(db, context, customer).await?;
        let unit = db.repeated(context, async |db, context| {
            db.begin(context).await?;
            let done = self.one_more(db, context, &orders).await?;
            db.commit(context).await?;
            Ok(done)
        });
        let done = unit.await?;
        context.work.dml.selects += u64::from(db.facts.compat);
        Ok(done)
    }

    /// The orders of a customer.
    pub(in super::super) async fn orders(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        customer: i64,
    ) -> Result<Vec<i64>, Failed> {
        let rows = db.select(context, &self.orders, &[Value::Int(customer)]).await?.rows;
        let number = |row: Vec<Value>| match row.first() {
            Some(Value::Int(order)) => Some(*order),
            _ => None,
        };
        Ok(rows.into_iter().filter_map(number).collect())
    }

    /// Increases a line of one of the orders, within the current transaction.
    pub(in super::super) async fn one_more(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        orders: &[i64],
    ) -> Done {
        let Some(order) = context.random.choice(orders) else { return Ok(Success::Empty) };
        let Some(line) = self.line(db, context, *order).await? else { return Ok(Success::Empty) };
        let Line { order, line, price } = line;
        db.update(context, &self.quantity, &[Value::Int(order), Value::Int(line)]).await?;
        db.update(context, &self.total, &[Value::Int(order), price]).await?;
        Ok(Success::Ok)
    }

    async fn line(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        order: i64,
    ) -> Result<Option<Line>, Failed> {
        let items = db.select(context, &self.items, &[Value::Int(order)]).await?;
        let (Some(line), Some(price)) = (items.first_int(0), items.first(2)) else {
            return Ok(None);
        };
        Ok(Some(Line { order, line, price: price.clone() }))
    }
}
