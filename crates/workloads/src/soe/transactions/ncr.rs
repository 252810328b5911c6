//! NCR, customer registration: a customer with an address and a card, then the first logon.

use duet_bench::workload::{Done, Failed, Success, TransactionContext};
use duet_client::Statement;
use duet_model::Value;

use super::super::checks::Check;
use super::super::db::Db;
use super::super::facts::Facts;
use super::super::people::{PROVIDER, mailbox};
use super::super::{clock, dialect};
use super::Common;
use super::common::{ADDRESS, CARD, CUSTOMER};
use crate::generate::Engine;

/// The statements.
pub(in super::super) struct Registration {
    ids: Statement,
    customer: Statement,
    address: Statement,
    card: Statement,
}

/// The random values of a new customer.
#[derive(Clone, Debug)]
pub(in super::super) struct NewCustomer {
    /// In cents.
    pub(in super::super) credit: i64,
    /// Days from today.
    pub(in super::super) since: i64,
    /// Days from today.
    pub(in super::super) born: i64,
}

impl NewCustomer {
    /// As clients generate them.
    pub(in super::super) fn of_client(context: &mut TransactionContext) -> Self {
        Self {
            credit: context.random.i64(1_000..50_000) * 100,
            since: -context.random.i64(365..3 * 365),
            born: -context.random.i64(18 * 365..64 * 365),
        }
    }
}

impl Registration {
    pub(in super::super) async fn prepare(db: &mut Db) -> Result<Self, Failed> {
        let next = |numbered| db.dialect.next(numbered);
        let (customer, address, card) =
            (next(dialect::CUSTOMER), next(dialect::ADDRESS), next(dialect::CARD));
        let ids = format!("SELECT {customer}, {address}, {card}");
        Ok(Self {
            ids: db.prepare(&ids).await?,
            customer: db.prepare(&insert("customers", CUSTOMER)).await?,
            address: db.prepare(&insert("addresses", ADDRESS)).await?,
            card: db.prepare(&insert("card_details", CARD)).await?,
        })
    }

    pub(super) async fn run(
        &self,
        db: &mut Db,
        common: &Common,
        context: &mut TransactionContext,
    ) -> Done {
        let new = NewCustomer::of_client(context);
        let made = db.repeated(context, async |db, context| {
            db.begin(context).await?;
            let customer = self.make(db, context, &new).await?;
            db.commit(context).await?;
            Ok(customer)
        });
        let customer = made.await?;
        context.think().await;
        common.logon(db, context, customer).await?;
        let found = common.customer(db, context, customer).await?;
        let missing = || "the new customer does not exist".to_owned();
        db.checks.hold(Check::NewCustomer, found.len() == 1, missing)?;
        Ok(Success::Ok)
    }

    /// Inserts the customer within the current transaction; returns its number.
    pub(in super::super) async fn make(
        &self,
        db: &mut Db,
        context: &mut TransactionContext,
        new: &NewCustomer,
    ) -> Result<i64, Failed> {
        let ids = db.select(context, &self.ids, &[]).await?;
        let id = |place| ids.first_int(place).ok_or_else(|| Failed::check("no next numbers"));
        let (customer, address, card) = (id(0)?, id(1)?, id(2)?);
        context.think().await;
        let ids = [customer, address, card];
        let values = customer_row(&db.facts, db.dialect, context, new, ids);
        db.insert(context, &self.customer, &values).await?;
        let values = address_row(&db.facts, context, address, customer);
        db.insert(context, &self.address, &values).await?;
        let values = card_row(context, card, customer);
        db.insert(context, &self.card, &values).await?;
        Ok(customer)
    }
}

/// An INSERT into all of these columns.
pub(super) fn insert(table: &str, columns: &str) -> String {
    let count = columns.split(',').count();
    let places: Vec<String> = (1..=count).map(|place| format!("${place}")).collect();
    format!("INSERT INTO {{s}}{table} ({columns}) VALUES ({})", places.join(", "))
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

/// A new customer, in the order of the columns: numbers of the customer, its address, its card.
pub(in super::super) fn customer_row(
    facts: &Facts,
    store: Engine,
    context: &mut TransactionContext,
    new: &NewCustomer,
    ids: [i64; 3],
) -> Vec<Value> {
    let people = &facts.people;
    let (first, last) = people.name(&mut context.random);
    let (language, territory) = people.region(&mut context.random);
    let email = format!("{}@{}", mailbox(first, last), PROVIDER);
    vec![
        Value::Int(ids[0]),
        text(first),
        text(last),
        text(language),
        text(territory),
        store.money(new.credit),
        Value::Text(email),
        Value::Int(context.random.i64(145..171)),
        clock::day(new.since),
        text("Occasional"),
        text("Music"),
        clock::day(new.born),
        text("Y"),
        text("N"),
        Value::Int(ids[1]),
        Value::Int(ids[2]),
    ]
}

/// A new address of a customer.
pub(in super::super) fn address_row(
    facts: &Facts,
    context: &mut TransactionContext,
    address: i64,
    customer: i64,
) -> Vec<Value> {
    let [town, county, country] = facts.people.place(&mut context.random);
    vec![
        Value::Int(address),
        Value::Int(customer),
        clock::day(0),
        Value::Text(context.random.i64(1..200).to_string()),
        text("Street Name"),
        text(town),
        text(county),
        text(country),
        text("Postcode"),
        Value::Null,
    ]
}

/// A new card of a customer.
pub(in super::super) fn card_row(
    context: &mut TransactionContext,
    card: i64,
    customer: i64,
) -> Vec<Value> {
    vec![
        Value::Int(card),
        Value::Int(customer),
        text("Visa (Debit)"),
        Value::Int(context.random.i64(1_111_111_111..9_999_999_999)),
        clock::day(context.random.i64(365..1_460)),
        text("Y"),
        Value::Int(context.random.i64(1_111..9_999)),
    ]
}
