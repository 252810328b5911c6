//! UCD, update customer details: a new address for the first customer of a name, if there is one.

use duet_bench::workload::{Done, Failed, Success, TransactionContext};
use duet_client::{Rows, Statement};
use duet_model::Value;

use super::super::db::Db;
use super::super::dialect;
use super::common::{ADDRESS, CUSTOMER};
use super::ncr::{address_row, insert};

/// The statements.
pub(in super::super) struct UpdateCustomer {
    id: Statement,
    by_name: Statement,
    address: Statement,
    prefer: Statement,
}

impl UpdateCustomer {
    pub(in super::super) async fn prepare(db: &mut Db, rows: u32) -> Result<Self, Failed> {
        let id = format!("SELECT {}", db.dialect.next(dialect::ADDRESS));
        let by_name = include_str!("sql/ucd_by_name.sql")
            .replace("{columns}", CUSTOMER)
            .replace("{rows}", &rows.to_string());
        Ok(Self {
            id: db.prepare(&id).await?,
            by_name: db.prepare(&by_name).await?,
            address: db.prepare(&insert("addresses", ADDRESS)).await?,
            prefer: db.prepare(include_str!("sql/ucd_prefer.sql")).await?,
        })
    }

    pub(super) async fn run(&self, db: &mut Db, context: &mut TransactionContext) -> Done {
        let unit = db.repeated(context, async |db, context| {
            db.begin(context).await?;
            let done = self.change(db, context, 1).await?;
            db.commit(context).await?;
            Ok(done)
        });
        unit.await
    }

    /// Runs it within the current transaction, if at least this many customers have the name.
    pub(in super::super) async fn change(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        least: usize,
    ) -> Done {
        // The number is read whether it is needed or not, and not counted, as in the original.
        let ids = db.fetch(context, &self.id, &[]).await?;
        let found = self.find(db, context).await?;
        context.think().await;
        let (Some(address), Some(customer)) = (ids.first_int(0), found.first_int(0)) else {
            return Ok(Success::Empty);
        };
        if found.rows.len() < least {
            return Ok(Success::Empty);
        }
        let values = address_row(&db.facts, context, address, customer);
        db.insert(context, &self.address, &values).await?;
        db.update(context, &self.prefer, &[Value::Int(address), Value::Int(customer)]).await?;
        Ok(Success::Ok)
    }

    async fn find(&self, db: &mut Db, context: &mut TransactionContext) -> Result<Rows, Failed> {
        let (first, last) = db.facts.people.name(&mut context.random);
        let lower = |name: &str| Value::Text(name.to_lowercase());
        let values = [lower(last), lower(first)];
        db.select(context, &self.by_name, &values).await
    }
}
