//! SQ, WQ and WA: the client computes the sums, because the service has no aggregates.

use std::collections::BTreeMap;

use duet_bench::workload::{Done, Failed, Success, TransactionContext};
use duet_model::Value;
use serde_json::{Value as Json, json};

use super::super::checks::Check;
use super::super::clock;
use super::ResourceSession;
use super::tables::{Row, int};

/// The number of parts of an hour, and their length in seconds.
const PARTS: i64 = 12;
const PART: i64 = 300;

/// Orders with their totals in cents.
type Sum = (u64, i64);

impl ResourceSession {
    /// SQ: the ten largest orders, without a rank. Ties are ordered by number.
    pub(super) async fn of_representative(&mut self, context: &mut TransactionContext) -> Done {
        let representative = context.random.i64(1..1_000);
        let filter = json!({"sales_rep_id": representative, "$orderby": {"order_total": "DESC"}});
        let more = "limit=10&expand=customers&fields=order_id,order_date,order_total,sales_rep_id,\
            customers.customer_id,customers.cust_first_name,customers.cust_last_name";
        let orders = self.asking.some(context, "orders", &filter, more).await?;
        let mut least = i64::MAX;
        for order in &orders {
            self.is_of(order, "sales_rep_id", representative)?;
            let worth = self.cents(order, "order_total")?;
            self.asking.checks.hold(Check::Sorted, worth <= least, || {
                "orders are not sorted by their totals".to_owned()
            })?;
            least = worth;
        }
        Ok(found(orders.len()))
    }

    /// WQ: sums by mode and by warehouse; there is one warehouse, so its sum is the grand total.
    pub(super) async fn of_warehouse(&mut self, context: &mut TransactionContext) -> Done {
        let warehouse = self.facts.anywhere(&mut context.random);
        let filter = json!({"warehouse_id": warehouse});
        let more = "fields=order_mode,order_total,warehouse_id";
        let orders = self.asking.all(context, "orders", &filter, more).await?;
        let mut by_mode: BTreeMap<Option<&str>, Sum> = BTreeMap::new();
        for order in &orders {
            self.is_of(order, "warehouse_id", warehouse)?;
            let mode = order.get("order_mode").and_then(Json::as_str);
            add(by_mode.entry(mode).or_default(), self.cents(order, "order_total")?);
        }
        Ok(found(by_mode.len()))
    }

    /// WA: sums of the last hour in five-minute parts.
    pub(super) async fn of_last_hour(&mut self, context: &mut TransactionContext) -> Done {
        let warehouse = self.facts.anywhere(&mut context.random);
        let now = clock::now();
        let moment = |part: i64| text(&clock::moment(now - part * PART));
        let bounds: Vec<String> = (0..=PARTS).rev().map(moment).collect();
        let hour = json!({"$gt": bounds[0], "$lte": moment(0)});
        let filter = json!({"warehouse_id": warehouse, "order_date": hour});
        let more = "fields=order_date,order_total,warehouse_id";
        let orders = self.asking.all(context, "orders", &filter, more).await?;
        let mut by_part = [Sum::default(); PARTS as usize];
        for order in &orders {
            self.is_of(order, "warehouse_id", warehouse)?;
            let date = order.get("order_date").and_then(Json::as_str).unwrap_or_default();
            // After the first bound, up to and including the last.
            let part = bounds.partition_point(|bound| bound.as_str() < date);
            let sum = part.checked_sub(1).and_then(|part| by_part.get_mut(part));
            self.asking.checks.hold(Check::RequestedRow, sum.is_some(), || {
                "an order of another hour".to_owned()
            })?;
            if let Some(sum) = sum {
                add(sum, self.cents(order, "order_total")?);
            }
        }
        Ok(found(by_part.iter().filter(|(orders, _)| *orders > 0).count()))
    }

    fn is_of(&self, order: &Row, name: &str, expected: i64) -> Result<(), Failed> {
        let is_right = int(order, name)? == expected;
        let other = || format!("an order of another {name}");
        self.asking.checks.hold(Check::RequestedRow, is_right, other)
    }
}

fn add((orders, worth): &mut Sum, cents: i64) {
    *orders += 1;
    *worth += cents;
}

fn found(count: usize) -> Success {
    if count == 0 { Success::Empty } else { Success::Ok }
}

/// A time as services write it.
fn text(moment: &Value) -> String {
    moment.to_string().replace(' ', "T")
}
