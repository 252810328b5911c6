//! Order entry by a client of a REST service that serves the tables alone: rows by key, pages
//! filtered with `q`, rows added and changed, several of them together by `_/transaction`. Compared
//! with `soe-client`, it shows the service's cost for a client with its own logic.
//!
//! If a new value depends on an old one (stock, quantities, totals), the row is read with its etag
//! and changed on condition of that etag; after a conflict, both steps are repeated.

mod order;
mod query;
mod tables;

use std::sync::Arc;

use duet_bench::workload::{Done, Failed, Local, Session, Success, TransactionContext};
use duet_model::Value;
use duet_verdict::outcome::Outcome;
use serde_json::{Map, Value as Json, json};

use super::checks::{Check, UserChecks};
use super::clock;
use super::facts::{Facts, RestService, UserKeys};
use super::service_client::ServiceClient;
use super::transactions::{
    ADDRESS, CARD, CUSTOMER, NewCustomer, address_row, card_row, customer_row,
};
use crate::generate::Engine;
use tables::{Row, change, create, int};

/// One user.
pub(super) struct ResourceSession {
    facts: Arc<Facts>,
    asking: ServiceClient,
    store: Engine,
    keys: UserKeys,
}

impl ResourceSession {
    pub(super) async fn open(
        facts: &Arc<Facts>,
        service: &RestService,
        keys: UserKeys,
        checks: UserChecks,
    ) -> Result<Self, Failed> {
        Ok(Self {
            facts: facts.clone(),
            asking: ServiceClient::open(service, facts.timeout, checks).await?,
            store: Engine::of(&facts.database.target()?),
            keys,
        })
    }

    /// The key of a new row.
    fn key(&self) -> i64 {
        self.keys.next()
    }

    /// Reads a customer.
    async fn customer(
        &mut self,
        context: &mut TransactionContext,
        customer: i64,
    ) -> Result<Option<Row>, Failed> {
        let found = self.asking.item(context, &format!("customers/{customer}")).await?;
        Ok(found.map(|item| item.row))
    }

    /// The rows of a table that belong to a customer.
    async fn of_customer(
        &mut self,
        context: &mut TransactionContext,
        table: &str,
        customer: i64,
    ) -> Result<Vec<Row>, Failed> {
        self.asking.some(context, table, &json!({"customer_id": customer}), "limit=4").await
    }

    /// Records a logon.
    async fn logon(
        &mut self,
        context: &mut TransactionContext,
        customer: i64,
    ) -> Result<(), Failed> {
        let values = vec![Value::Int(self.key()), Value::Int(customer), clock::day(0)];
        self.asking.add(context, "logon", &row("logon_id, customer_id, logon_date", values)).await
    }

    /// NCR.
    async fn register(&mut self, context: &mut TransactionContext) -> Done {
        let [customer, address, card] = std::array::from_fn(|_| self.key());
        let new = NewCustomer::of_client(context);
        context.think().await;
        let ids = [customer, address, card];
        let person = row(CUSTOMER, customer_row(&self.facts, self.store, context, &new, ids));
        let name = person["cust_last_name"].clone();
        let operations = vec![
            create("customers", person),
            create("addresses", row(ADDRESS, address_row(&self.facts, context, address, customer))),
            create("card_details", row(CARD, card_row(context, card, customer))),
        ];
        self.asking.together(context, operations).await?;
        context.think().await;
        self.logon(context, customer).await?;
        let found = self.customer(context, customer).await?;
        let is_there = found.is_some_and(|found| found.get("cust_last_name") == Some(&name));
        let missing = || "the new customer does not exist".to_owned();
        self.asking.checks.hold(Check::NewCustomer, is_there, missing)?;
        Ok(Success::Ok)
    }

    /// UCD. It searches for a name among e-mail addresses, which have an index that a filter can
    /// use.
    async fn update(&mut self, context: &mut TransactionContext) -> Done {
        let (first, last) = self.facts.people.name(&mut context.random);
        let filter = json!({"cust_email": {"$in": self.facts.people.emails(first, last)}});
        let found = self.asking.some(context, "customers", &filter, "limit=4").await?;
        context.think().await;
        let Some(customer) = found.first() else { return Ok(Success::Empty) };
        let (customer, address) = (int(customer, "customer_id")?, self.key());
        let operations = vec![
            create("addresses", row(ADDRESS, address_row(&self.facts, context, address, customer))),
            change(&format!("customers/{customer}"), json!({"preferred_address": address})),
        ];
        self.asking.together(context, operations).await?;
        Ok(Success::Ok)
    }

    /// BP.
    async fn browse(&mut self, context: &mut TransactionContext) -> Done {
        let customer = self.facts.someone(&mut context.random);
        self.customer(context, customer).await?;
        context.think().await;
        for _ in 0..context.random.u32(1..24) {
            let product = context.random.i64(1..self.facts.products.max(2));
            let filter = json!({"product_id": product});
            let more = "limit=14&expand=product_information";
            for stock in self.asking.some(context, "inventories", &filter, more).await? {
                let is_right = int(&stock, "product_id")? == product;
                let other = || "stock of another product than the requested one".to_owned();
                self.asking.checks.hold(Check::RequestedRow, is_right, other)?;
            }
            context.think().await;
        }
        Ok(Success::Ok)
    }

    /// PO.
    async fn process(&mut self, context: &mut TransactionContext) -> Done {
        let warehouse = self.facts.anywhere(&mut context.random);
        let filter = json!({"warehouse_id": warehouse, "order_status": {"$lte": 4}});
        let more = "limit=9&expand=customers,order_items";
        let open = self.asking.some(context, "orders", &filter, more).await?;
        context.think().await;
        let Some(order) = open.first() else { return Ok(Success::Empty) };
        let path = format!("orders/{}", int(order, "order_id")?);
        let status = context.random.i64(5..10);
        self.asking.patch(context, &path, &json!({"order_status": status})).await?;
        Ok(Success::Ok)
    }

    /// Runs an operation that ends with a change of what it has read, and retries it if another
    /// client has changed that meanwhile, up to [`Facts::retries`] times.
    async fn repeated(
        &mut self,
        context: &mut TransactionContext,
        unit: impl AsyncFn(&mut Self, &mut TransactionContext) -> Done,
    ) -> Done {
        let mut tries = 0;
        loop {
            let before = context.work.dml;
            let failed = match unit(self, context).await {
                Ok(Success::Ok) if tries > 0 => return Ok(Success::Retried),
                Ok(done) => return Ok(done),
                Err(failed) => failed,
            };
            context.work.dml = before;
            if failed.outcome != Outcome::Serialization || tries == self.facts.retries {
                return Err(failed);
            }
            context.work.dml.rollbacks += 1;
            tries += 1;
        }
    }
}

impl Session for ResourceSession {
    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            self.asking.checks.enter(kind);
            let done = match kind {
                0 => self.register(context).await,
                1 => self.update(context).await,
                2 => self.browse(context).await,
                3 => self.order(context).await,
                4 => self.process(context).await,
                5 => self.one_more(context).await,
                6 => self.of_representative(context).await,
                7 => self.of_warehouse(context).await,
                _ => self.of_last_hour(context).await,
            };
            context.work.dml.rollbacks += u64::from(done.is_err());
            done
        })
    }
}

/// A row as a body, from comma-separated columns and their values.
fn row(columns: &str, values: Vec<Value>) -> Json {
    let json = |value| match value {
        Value::Null => Json::Null,
        Value::Int(number) => Json::from(number),
        other => Json::from(other.to_string()),
    };
    let names = columns.split(", ").map(str::to_owned);
    Json::Object(names.zip(values.into_iter().map(json)).collect::<Map<_, _>>())
}
