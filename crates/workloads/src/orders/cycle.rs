//! Cycles: a document is created, updated, read and deleted, with the status of each step.

use duet_bench::workload::{Checker, Done, Failed, Success, TransactionContext};
use serde_json::{Value, json};

use super::list::values;
use super::session::UserSession;
use crate::http_client::refused;

/// Places in [`super::session::CHECKS`].
const CREATED: usize = 5;
const UPDATED: usize = 6;
const READ: usize = 7;
const DELETED: usize = 8;

const JSON: &str = "Content-Type: application/json\r\n";

/// A member and the value that the update gives it.
type Change = (&'static str, &'static str);

impl UserSession {
    pub(super) async fn cycle_order(
        &mut self,
        context: &mut TransactionContext,
        checks: Checker<'_>,
    ) -> Done {
        let content = order(&self.new_number());
        self.cycle(context, checks, "purchase-orders", &content, ("workflowStatus", "Closed")).await
    }

    pub(super) async fn cycle_line(
        &mut self,
        context: &mut TransactionContext,
        checks: Checker<'_>,
    ) -> Done {
        let content = self.new_line(context);
        self.cycle(context, checks, "po-lines", &content, ("receiptStatus", "Fully Received")).await
    }

    pub(super) async fn create_order(
        &mut self,
        context: &mut TransactionContext,
        checks: Checker<'_>,
    ) -> Done {
        let content = order(&self.new_number());
        self.create(context, checks, "purchase-orders", &content).await.map(|_| Success::Ok)
    }

    pub(super) async fn create_line(
        &mut self,
        context: &mut TransactionContext,
        checks: Checker<'_>,
    ) -> Done {
        let content = self.new_line(context);
        self.create(context, checks, "po-lines", &content).await.map(|_| Success::Ok)
    }

    /// A line of an order that is there.
    fn new_line(&mut self, context: &mut TransactionContext) -> Value {
        let number = self.new_number();
        let at = context.random.usize(..self.facts.orders.len().max(1));
        let order = self.facts.orders.get(at).map_or("", |order| order.id.as_str());
        line(order, &number, context.random.u32(0..=100))
    }

    /// Creates a document; returns what the service has stored.
    async fn create(
        &mut self,
        context: &mut TransactionContext,
        checks: Checker<'_>,
        collection: &str,
        content: &Value,
    ) -> Result<Value, Failed> {
        let answer =
            self.client.send(&mut context.work, ["POST", collection], JSON, content).await?;
        let stored: Option<Value> = serde_json::from_slice(answer.body).ok();
        let stored = stored.filter(|stored| stored["id"].is_string());
        if !checks.note(CREATED, answer.status == 201 && stored.is_some()) {
            return Err(refused(&answer, collection, ""));
        }
        Ok(stored.unwrap_or_default())
    }

    async fn cycle(
        &mut self,
        context: &mut TransactionContext,
        checks: Checker<'_>,
        collection: &str,
        content: &Value,
        (member, value): Change,
    ) -> Done {
        let mut document = self.create(context, checks, collection, content).await?;
        let id = document["id"].as_str().unwrap_or_default().to_owned();
        let path = format!("{collection}/{id}");
        document[member] = value.into();
        context.think().await;
        let answer = self.client.send(&mut context.work, ["PUT", &path], JSON, &document).await?;
        if !checks.note(UPDATED, answer.status == 204) {
            return Err(refused(&answer, &path, ""));
        }
        context.think().await;
        let answer = self.client.ask(&mut context.work, ["GET", &path]).await?;
        let has = |member: &str, value: &str| values(answer.body, member) == [value.as_bytes()];
        let is_so = answer.status == 200 && has("id", &id) && has(member, value);
        if !checks.note(READ, is_so) {
            return Err(refused(&answer, &path, ", which is not what was put"));
        }
        context.think().await;
        let answer = self.client.ask(&mut context.work, ["DELETE", &path]).await?;
        match checks.note(DELETED, answer.status == 204) {
            true => Ok(Success::Ok),
            false => Err(refused(&answer, &path, "")),
        }
    }
}

/// A new order.
fn order(number: &str) -> Value {
    json!({
        "poNumber": number,
        "orderType": "One-Time",
        "workflowStatus": "Pending",
        "approved": false,
        "manualPo": false,
        "reEncumber": false,
        "vendor": "0000000b-0000-4000-8000-000000000001",
        "notes": ["Load test"],
    })
}

/// A new line of an order.
fn line(order: &str, number: &str, price: u32) -> Value {
    json!({
        "purchaseOrderId": order,
        "poLineNumber": format!("{number}-1"),
        "title": "Load test",
        "orderFormat": "Physical Resource",
        "source": "User",
        "acquisitionMethod": "Purchase",
        "cost": {
            "currency": "USD",
            "listUnitPrice": price,
            "quantityPhysical": 1,
            "poLineEstimatedPrice": price,
        },
        "details": { "receivingNote": "", "subscriptionInterval": 0 },
        "vendorDetail": { "instructions": "", "vendorAccount": "1234" },
        "paymentStatus": "Pending",
        "receiptStatus": "Pending",
    })
}
