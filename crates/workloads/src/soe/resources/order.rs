//! OP and BO: add an order with its lines and their stock, and increase a line.

use duet_bench::workload::{Done, Failed, Success, TransactionContext};
use duet_model::Value;
use serde_json::{Value as Json, json};

use super::super::checks::Check;
use super::super::clock;
use super::super::transactions::{StockedProduct, choice};
use super::tables::{Row, change, create, int};
use super::{ResourceSession, row};

impl ResourceSession {
    /// OP.
    pub(super) async fn order(&mut self, context: &mut TransactionContext) -> Done {
        let customer = self.facts.someone(&mut context.random);
        self.logon(context, customer).await?;
        self.customer(context, customer).await?;
        for table in ["addresses", "card_details"] {
            self.of_customer(context, table, customer).await?;
        }
        context.think().await;
        let found = self.look_around(context).await?;
        let chosen = choice(found, context);
        if chosen.is_empty() {
            return Ok(Success::Empty);
        }
        self.repeated(context, async |user, context| user.place(context, customer, &chosen).await)
            .await
    }

    /// Browses categories in warehouses.
    async fn look_around(
        &mut self,
        context: &mut TransactionContext,
    ) -> Result<Vec<StockedProduct>, Failed> {
        let mut found = Vec::new();
        for _ in 0..context.random.u32(1..24) {
            let warehouse = self.facts.anywhere(&mut context.random);
            let category = context.random.i64(1..self.facts.categories.max(2));
            let filter =
                json!({"warehouse_id": warehouse, "product_information.category_id": category});
            let more = "limit=3&expand=product_information";
            for stock in self.asking.some(context, "inventories", &filter, more).await? {
                let product = stock.get("product_information").and_then(Json::as_object);
                let product = product.ok_or_else(|| Failed::check("stock without its product"))?;
                let is_right = int(product, "category_id")? == category;
                let other = || "a product of another category".to_owned();
                self.asking.checks.hold(Check::RequestedRow, is_right, other)?;
                found.push(StockedProduct {
                    product: int(&stock, "product_id")?,
                    warehouse: int(&stock, "warehouse_id")?,
                    price: self.cents(product, "list_price")?,
                    quantity: int(&stock, "quantity_on_hand")?,
                });
            }
            context.think().await;
        }
        Ok(found)
    }

    /// Writes the order, its lines and their stock together.
    async fn place(
        &mut self,
        context: &mut TransactionContext,
        customer: i64,
        chosen: &[StockedProduct],
    ) -> Done {
        let (mut sold, mut stock) = (Vec::new(), Vec::new());
        // A product found twice is one row of stock.
        for same in chosen.chunk_by(|a, b| (a.product, a.warehouse) == (b.product, b.warehouse)) {
            let path = format!("inventories/{},{}", same[0].product, same[0].warehouse);
            let item = self.asking.item(context, &path).await?;
            let item = item.ok_or_else(|| Failed::check("stock that was shown does not exist"))?;
            let there = int(&item.row, "quantity_on_hand")?;
            let taken = there.clamp(0, same.len() as i64);
            if taken > 0 {
                stock.push(item.change(&path, json!({"quantity_on_hand": there - taken})));
                sold.extend(&same[..taken as usize]);
            }
        }
        if sold.is_empty() {
            return Ok(Success::Empty);
        }
        let order = self.key();
        context.think().await;
        let mut operations = vec![self.new_order(context, order, customer)];
        let mut total = 0;
        for (place, found) in sold.into_iter().enumerate() {
            total += found.price;
            operations.push(self.new_line([order, place as i64 + 1, found.product], found.price));
        }
        let status = context.random.i64(0..4);
        let worth = self.money(total);
        let message = json!({"order_mode": "online", "order_status": status, "order_total": worth});
        operations.push(change(&format!("orders/{order}"), message));
        operations.extend(stock);
        self.asking.together(context, operations).await?;
        Ok(Success::Ok)
    }

    fn new_order(&self, context: &mut TransactionContext, order: i64, customer: i64) -> Json {
        let columns = "order_id, order_date, customer_id, warehouse_id, delivery_type, \
            cost_of_delivery, wait_till_all_available";
        let values = vec![
            Value::Int(order),
            clock::moment(clock::now()),
            Value::Int(customer),
            Value::Int(self.facts.anywhere(&mut context.random)),
            Value::Text("Standard".into()),
            Value::Int(context.random.i64(1..5)),
            Value::Text("ship_asap".into()),
        ];
        create("orders", row(columns, values))
    }

    fn new_line(&self, [order, line, product]: [i64; 3], price: i64) -> Json {
        let columns = "order_id, line_item_id, product_id, unit_price, quantity, gift_wrap, \
            condition, estimated_delivery";
        let values = vec![
            Value::Int(order),
            Value::Int(line),
            Value::Int(product),
            self.store.money(price),
            Value::Int(1),
            Value::Text("None".into()),
            Value::Text("New".into()),
            clock::day(3),
        ];
        create("order_items", row(columns, values))
    }

    /// BO.
    pub(super) async fn one_more(&mut self, context: &mut TransactionContext) -> Done {
        let customer = self.facts.someone(&mut context.random);
        self.logon(context, customer).await?;
        self.customer(context, customer).await?;
        self.of_customer(context, "addresses", customer).await?;
        let orders = self.of_customer(context, "orders", customer).await?;
        let Some(order) = context.random.choice(&orders) else { return Ok(Success::Empty) };
        let order = int(order, "order_id")?;
        let filter = json!({"order_id": order});
        let items = self.asking.some(context, "order_items", &filter, "limit=4").await?;
        let Some(line) = items.first() else { return Ok(Success::Empty) };
        let line = int(line, "line_item_id")?;
        self.repeated(context, async |user, context| user.take_one_more(context, order, line).await)
            .await
    }

    /// Reads a line and its order, and changes both on condition of their etags.
    async fn take_one_more(
        &mut self,
        context: &mut TransactionContext,
        order: i64,
        line: i64,
    ) -> Done {
        let paths = [format!("order_items/{order},{line}"), format!("orders/{order}")];
        let item = self.asking.item(context, &paths[0]).await?;
        let whole = self.asking.item(context, &paths[1]).await?;
        let (Some(item), Some(whole)) = (item, whole) else {
            return Err(Failed::check("an order that was shown does not exist"));
        };
        let quantity = int(&item.row, "quantity")? + 1;
        let price = self.cents(&item.row, "unit_price")?;
        let total = self.money(self.cents(&whole.row, "order_total")? + price);
        let operations = vec![
            item.change(&paths[0], json!({"quantity": quantity})),
            whole.change(&paths[1], json!({"order_total": total})),
        ];
        self.asking.together(context, operations).await?;
        Ok(Success::Ok)
    }

    /// Reads money as cents.
    pub(super) fn cents(&self, row: &Row, name: &str) -> Result<i64, Failed> {
        let value = match row.get(name) {
            Some(Json::Number(number)) => match number.as_i64() {
                Some(whole) => Value::Int(whole),
                None => Value::Text(number.to_string()),
            },
            _ => return Err(Failed::check(format!("{name} of a row is not an amount of money"))),
        };
        Ok(self.store.cents(Some(&value)))
    }

    /// Writes money from cents.
    fn money(&self, cents: i64) -> Json {
        match self.store.money(cents) {
            Value::Int(cents) => Json::from(cents),
            other => Json::from(other.to_string()),
        }
    }
}
