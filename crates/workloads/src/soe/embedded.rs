//! Order entry's server side for databases without functions: the same logic within the client's
//! process, in one SQLite transaction each, IMMEDIATE for types that may write.

use duet_bench::workload::{Done, Failed, Success, TransactionContext};
use duet_client::Statement;
use duet_model::Value;

use super::db::Db;
use super::transactions::{
    BrowseOrders, BrowseProducts, Common, NewCustomer, OrderProducts, ProcessOrders, Registration,
    SalesRepQuery, UpdateCustomer, WarehouseActivity, WarehouseQuery,
};

/// The most rows of each read.
const ROWS: u32 = 14;

/// The prepared statements of all types.
pub(super) struct Embedded {
    common: Common,
    registration: Registration,
    update: UpdateCustomer,
    browse: BrowseProducts,
    order: OrderProducts,
    quantity: Statement,
    process: ProcessOrders,
    orders: BrowseOrders,
    representative: SalesRepQuery,
    warehouse: WarehouseQuery,
    activity: WarehouseActivity,
}

impl Embedded {
    pub(super) async fn prepare(db: &mut Db) -> Result<Self, Failed> {
        let quantity = include_str!("transactions/sql/op_quantity.sql");
        Ok(Self {
            common: Common::prepare(db, ROWS).await?,
            registration: Registration::prepare(db).await?,
            update: UpdateCustomer::prepare(db, ROWS).await?,
            browse: BrowseProducts::prepare(db).await?,
            order: OrderProducts::prepare(db, ROWS).await?,
            quantity: db.prepare(quantity).await?,
            process: ProcessOrders::prepare(db).await?,
            orders: BrowseOrders::prepare(db, ROWS).await?,
            representative: SalesRepQuery::prepare(db).await?,
            warehouse: WarehouseQuery::prepare(db).await?,
            activity: WarehouseActivity::prepare(db).await?,
        })
    }

    /// Runs the type with this index in [`super::KINDS`].
    pub(super) async fn run(
        &self,
        db: &mut Db,
        kind: usize,
        context: &mut TransactionContext,
    ) -> Done {
        let unit = db.repeated(context, async |db, context| {
            match kind {
                2 | 6..=8 => db.begin_reading(context).await?,
                _ => db.begin(context).await?,
            }
            let done = self.within(db, kind, context).await?;
            db.commit(context).await?;
            Ok(done)
        });
        unit.await
    }

    async fn within(&self, db: &mut Db, kind: usize, context: &mut TransactionContext) -> Done {
        match kind {
            0 => self.register(db, context).await,
            1 => self.update.change(db, context, 2).await,
            2 => self.browse.run(db, &self.common, context).await,
            3 => self.place(db, context).await,
            4 => self.move_on(db, context).await,
            5 => self.one_more(db, context).await,
            6 => self.representative.run(db, context).await,
            7 => self.warehouse.run(db, context).await,
            _ => self.activity.run(db, context).await,
        }
    }

    /// Reads a customer, and records a logon once in three times.
    async fn logon(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        customer: i64,
    ) -> Result<(), Failed> {
        self.common.customer(db, context, customer).await?;
        match context.random.u32(..3) {
            0 => self.common.logon_within(db, context, customer).await,
            _ => Ok(()),
        }
    }

    async fn register(&self, db: &mut Db, context: &mut TransactionContext) -> Done {
        let new = NewCustomer {
            credit: context.random.i64(100..5_000) * 100,
            since: 0,
            born: -context.random.i64(20 * 365..60 * 365),
        };
        let customer = self.registration.make(db, context, &new).await?;
        context.think().await;
        self.logon(db, context, customer).await?;
        self.common.customer(db, context, customer).await?;
        Ok(Success::Ok)
    }

    async fn place(&self, db: &mut Db, context: &mut TransactionContext) -> Done {
        let customer = db.facts.someone(&mut context.random);
        let buyer = self.common.customer(db, context, customer).await?;
        self.common.addresses(db, context, customer).await?;
        self.common.cards(db, context, customer).await?;
        self.logon(db, context, customer).await?;
        context.think().await;
        let mut seen = self.order.look_around(db, context, true).await?;
        if seen.is_empty() {
            return Ok(Success::Empty);
        }
        context.random.shuffle(&mut seen);
        seen.truncate(context.random.usize(2..6));
        let id = self.order.number(db, context).await?;
        let of = |place: usize| {
            let value = buyer.first().and_then(|row| row.get(place));
            value.cloned().unwrap_or(Value::Null)
        };
        let more = [Value::Int(1), of(14), of(9), of(15)];
        let order = [id, customer, db.facts.anywhere(&mut context.random)];
        self.order.add_order(db, context, order, more).await?;
        context.think().await;
        let mut sold = Vec::new();
        let mut total = 0;
        for found in seen {
            let warehouse = db.facts.anywhere(&mut context.random);
            let values = [Value::Int(found.product), Value::Int(warehouse)];
            let stocked = db.select(context, &self.quantity, &values).await?.first_int(0);
            if stocked.is_some_and(|stocked| stocked > 0) {
                sold.push((found.product, warehouse));
                let line = [id, sold.len() as i64, found.product];
                self.order.add_item(db, context, line, found.price).await?;
                total += found.price;
            }
            context.think().await;
        }
        self.order.finish(db, context, id, total).await?;
        for (product, warehouse) in sold {
            self.order.take(db, context, product, warehouse).await?;
        }
        Ok(Success::Ok)
    }

    async fn move_on(&self, db: &mut Db, context: &mut TransactionContext) -> Done {
        let Some(order) = self.process.find(db, context).await? else { return Ok(Success::Empty) };
        context.think().await;
        self.process.process(db, context, order).await?;
        Ok(Success::Ok)
    }

    async fn one_more(&self, db: &mut Db, context: &mut TransactionContext) -> Done {
        let customer = db.facts.someone(&mut context.random);
        self.logon(db, context, customer).await?;
        self.common.customer(db, context, customer).await?;
        self.common.addresses(db, context, customer).await?;
        let orders = self.orders.orders(db, context, customer).await?;
        match orders.len() {
            0 | 1 => Ok(Success::Empty),
            _ => self.orders.one_more(db, context, &orders).await,
        }
    }
}
