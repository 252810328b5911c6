//! Shared steps of transactions: read a customer with addresses and cards, record a logon.

use duet_bench::workload::{Failed, TransactionContext};
use duet_client::Statement;
use duet_model::Value;

use super::super::db::Db;
use super::super::{clock, dialect};

/// The columns of customers.
pub(in super::super) const CUSTOMER: &str = "customer_id, cust_first_name, cust_last_name, nls_language, \
    nls_territory, credit_limit, cust_email, account_mgr_id, customer_since, customer_class, \
    suggestions, dob, mailshot, partner_mailshot, preferred_address, preferred_card";

/// The columns of addresses.
pub(in super::super) const ADDRESS: &str = "address_id, customer_id, date_created, house_no_or_name, \
    street_name, town, county, country, post_code, zip_code";

/// The columns of cards.
pub(in super::super) const CARD: &str = "card_id, customer_id, card_type, card_number, expiry_date, \
    is_valid, security_code";

/// Shared statements.
pub(in super::super) struct Common {
    customer: Statement,
    addresses: Statement,
    cards: Statement,
    logon: Statement,
}

impl Common {
    /// `rows` is the most rows of each read.
    pub(in super::super) async fn prepare(db: &mut Db, rows: u32) -> Result<Self, Failed> {
        let by_customer = |columns: &str, table: &str| {
            include_str!("sql/by_customer.sql")
                .replace("{columns}", columns)
                .replace("{table}", table)
                .replace("{rows}", &rows.to_string())
        };
        let id = db.dialect.next(dialect::LOGON);
        let logon = include_str!("sql/logon.sql").replace("{id}", &id);
        Ok(Self {
            customer: db.prepare(&by_customer(CUSTOMER, "customers")).await?,
            addresses: db.prepare(&by_customer(ADDRESS, "addresses")).await?,
            cards: db.prepare(&by_customer(CARD, "card_details")).await?,
            logon: db.prepare(&logon).await?,
        })
    }

    /// Reads a customer.
    pub(in super::super) async fn customer(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        customer: i64,
    ) -> Result<Vec<Vec<Value>>, Failed> {
        Ok(db.select(context, &self.customer, &[Value::Int(customer)]).await?.rows)
    }

    /// Reads a customer's addresses.
    pub(in super::super) async fn addresses(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        customer: i64,
    ) -> Result<(), Failed> {
        db.select(context, &self.addresses, &[Value::Int(customer)]).await?;
        Ok(())
    }

    /// Reads a customer's cards.
    pub(in super::super) async fn cards(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        customer: i64,
    ) -> Result<(), Failed> {
        db.select(context, &self.cards, &[Value::Int(customer)]).await?;
        Ok(())
    }

    /// Records a logon in its own transaction.
    pub(in super::super) async fn logon(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        customer: i64,
    ) -> Result<(), Failed> {
        let values = Self::logon_values(customer);
        db.repeated(context, async |db, context| {
            db.insert_alone(context, &self.logon, &values).await
        })
        .await
    }

    /// Records a logon within the current transaction.
    pub(in super::super) async fn logon_within(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        customer: i64,
    ) -> Result<(), Failed> {
        db.insert(context, &self.logon, &Self::logon_values(customer)).await
    }

    fn logon_values(customer: i64) -> [Value; 2] {
        [Value::Int(customer), clock::day(0)]
    }
}
