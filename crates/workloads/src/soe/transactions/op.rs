//! OP, order products: a customer browses categories in warehouses, then orders some of the
//! products found.

use duet_bench::workload::{Done, Failed, Success, TransactionContext};
use duet_client::Statement;
use duet_model::Value;

use super::super::db::Db;
use super::super::{clock, dialect};
use super::Common;
use super::bp::PRODUCT;

/// The number of products that a customer orders, if it found as many. The original takes from two
/// to one less than its last search found, which returns at most three: two in practice.
const ITEMS: usize = 2;

/// The statements.
pub(in super::super) struct OrderProducts {
    browse: Statement,
    id: Statement,
    order: Statement,
    item: Statement,
    total: Statement,
    stock: Statement,
}

/// A product in a warehouse.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct StockedProduct {
    /// The product.
    pub(in super::super) product: i64,
    /// The warehouse.
    pub(in super::super) warehouse: i64,
    /// The list price in cents.
    pub(in super::super) price: i64,
    /// The quantity in stock.
    pub(in super::super) quantity: i64,
}

impl OrderProducts {
    /// `rows` is the most products that a search of a category returns.
    pub(in super::super) async fn prepare(db: &mut Db, rows: u32) -> Result<Self, Failed> {
        let browse = include_str!("sql/browse_category.sql")
            .replace("{columns}", PRODUCT)
            .replace("{rows}", &rows.to_string());
        let id = format!("SELECT {}", db.dialect.next(dialect::ORDER));
        Ok(Self {
            browse: db.prepare(&browse).await?,
            id: db.prepare(&id).await?,
            order: db.prepare(include_str!("sql/op_order.sql")).await?,
            item: db.prepare(include_str!("sql/op_item.sql")).await?,
            total: db.prepare(include_str!("sql/op_total.sql")).await?,
            stock: db.prepare(include_str!("sql/op_stock.sql")).await?,
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
        common.cards(db, context, customer).await?;
        context.think().await;
        let found = self.look_around(db, context, !db.facts.compat).await?;
        let chosen = if db.facts.compat {
            swingbench_choice(found, context)
        } else {
            choice(found, context)
        };
        if chosen.is_empty() {
            return Ok(Success::Empty);
        }
        let unit = db.repeated(context, async |db, context| {
            db.begin(context).await?;
            self.place(db, context, customer, &chosen).await?;
            db.commit(context).await
        });
        unit.await?;
        Ok(Success::Ok)
    }

    /// Searches some categories; returns the products of all searches, or of the last.
    pub(in super::super) async fn look_around(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        keeps_all: bool,
    ) -> Result<Vec<StockedProduct>, Failed> {
        let mut found = Vec::new();
        for _ in 0..context.random.u32(1..24) {
            let warehouse = db.facts.anywhere(&mut context.random);
            let category = context.random.i64(1..db.facts.categories.max(2));
            let values = [Value::Int(category), Value::Int(warehouse)];
            let rows = db.select(context, &self.browse, &values).await?.rows;
            if !keeps_all {
                found.clear();
            }
            found.extend(rows.iter().filter_map(|row| read(db, row, warehouse)));
            context.think().await;
        }
        Ok(found)
    }

    async fn place(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        customer: i64,
        chosen: &[StockedProduct],
    ) -> Result<(), Failed> {
        let id = db.select(context, &self.id, &[]).await?.first_int(0);
        let id = id.ok_or_else(|| Failed::check("no next number of an order"))?;
        context.think().await;
        let warehouse = db.facts.anywhere(&mut context.random);
        let nobody = [Value::Null, Value::Null, Value::Null, Value::Null];
        self.add_order(db, context, [id, customer, warehouse], nobody).await?;
        context.think().await;
        let mut total = 0;
        let mut lines = Vec::new();
        for found in chosen.iter().filter(|found| found.quantity > 0) {
            let price = if db.facts.compat { found.product * 100 } else { found.price };
            lines.push(found);
            self.add_item(db, context, [id, lines.len() as i64, found.product], price).await?;
            total += price;
            context.think().await;
        }
        self.finish(db, context, id, total).await?;
        context.think().await;
        context.think().await;
        for line in lines {
            match db.facts.compat {
                false => self.take(db, context, line.product, line.warehouse).await?,
                // The order's warehouse may not stock the product at all.
                true => {
                    context.work.dml.updates += 1;
                    let values = [Value::Int(line.product), Value::Int(warehouse)];
                    db.update_any(context, &self.stock, &values).await?;
                }
            }
        }
        Ok(())
    }

    /// Inserts an order: its number, its customer, its warehouse; status, address, class and card.
    pub(in super::super) async fn add_order(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        [id, customer, warehouse]: [i64; 3],
        [status, address, class, card]: [Value; 4],
    ) -> Result<(), Failed> {
        let values = [
            Value::Int(id),
            clock::moment(clock::now()),
            Value::Int(customer),
            Value::Int(warehouse),
            Value::Int(context.random.i64(1..5)),
            status,
            address,
            class,
            card,
        ];
        db.insert(context, &self.order, &values).await
    }

    /// Inserts a line of an order: the order, the line, the product; its price in cents.
    pub(in super::super) async fn add_item(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        [order, line, product]: [i64; 3],
        price: i64,
    ) -> Result<(), Failed> {
        let price = db.dialect.money(price);
        let values =
            [Value::Int(order), Value::Int(line), Value::Int(product), price, clock::day(3)];
        db.insert(context, &self.item, &values).await
    }

    /// Updates the total of an order, in cents.
    pub(in super::super) async fn finish(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        order: i64,
        total: i64,
    ) -> Result<(), Failed> {
        let status = Value::Int(context.random.i64(0..4));
        let values = [Value::Int(order), status, db.dialect.money(total)];
        db.update(context, &self.total, &values).await
    }

    /// Takes one piece from the stock of a warehouse that has the product.
    pub(in super::super) async fn take(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        product: i64,
        warehouse: i64,
    ) -> Result<(), Failed> {
        db.update(context, &self.stock, &[Value::Int(product), Value::Int(warehouse)]).await
    }

    /// The next order number, without counting a select.
    pub(in super::super) async fn number(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
    ) -> Result<i64, Failed> {
        let id = db.fetch(context, &self.id, &[]).await?.first_int(0);
        id.ok_or_else(|| Failed::check("no next number of an order"))
    }
}

fn read(db: &Db, row: &[Value], warehouse: i64) -> Option<StockedProduct> {
    let (Value::Int(product), Value::Int(quantity)) = (row.first()?, row.last()?) else {
        return None;
    };
    let price = db.dialect.cents(row.get(8));
    Some(StockedProduct { product: *product, warehouse, price, quantity: *quantity })
}

/// Some of the products, in the common order of locking stock.
pub(in super::super) fn choice(
    mut found: Vec<StockedProduct>,
    context: &mut TransactionContext,
) -> Vec<StockedProduct> {
    found.retain(|found| found.quantity > 0);
    context.random.shuffle(&mut found);
    found.truncate(ITEMS);
    found.sort();
    found
}

/// The first products of the last search, in the order found.
fn swingbench_choice(
    mut found: Vec<StockedProduct>,
    context: &mut TransactionContext,
) -> Vec<StockedProduct> {
    if found.len() > 2 {
        found.truncate(context.random.usize(2..found.len()));
    }
    found
}
