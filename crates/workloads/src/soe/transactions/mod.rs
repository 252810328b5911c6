//! Order entry's transactions as a client runs them, statement by statement, in the order of the
//! JDBC original. [`TransactionContext::think`] is called at the points that the original marks as think time.
//!
//! Reads before the first write are outside of transactions: at PostgreSQL's default isolation each
//! statement has its own snapshot either way, and on SQLite writers are not blocked.
//!
//! Statements of a transaction: selects (S), inserts (I), updates (U), commits (C); *n* is 1 to 23, evenly distributed.
//!
//! | type | `soe-client` | `soe-server`, `soe-rest` | `soe-rest-client` |
//! |---|---|---|---|
//! | NCR | S2 I4 C2 | S5 (embedded 3) I3–4 C1 | S1 I4 C2 |
//! | UCD | S1 I0/1 U0/1 C1 | the same; acts only where two or more have the name | S1 I0/1 U0/1 C0/1 |
//! | BP | S(1+*n*) | the same, C1 | S(1+*n*) |
//! | OP | S(4+*n*) I(2+items) U(1+items) C2 | S(4+*n*+looks) I(1+items, a logon now and then) U(1+items) C1 | S(3+*n*+stocks) I(2+items) U(1+stocks) C2 |
//! | PO | S1 U1 C1 | the same | S1 U0/1 C0/1 |
//! | BO | S3–4 I1 U0/2 C2 | S4–5 I0–1 U0/2 C1; acts only where there are two orders or more | S3–6 I1 U0/2 C1–2 |
//! | SQ, WQ, WA | S1 | S1 C1 | S1; WQ, WA one or more |
//!
//! A logon commits itself, and `BEGIN` is a round trip. UCD reads inside its transaction. On SQLite, ids are the
//! highest key plus one, within `BEGIN IMMEDIATE`.

mod bo;
mod bp;
mod common;
mod ncr;
mod op;
mod po;
mod sq;
mod ucd;
mod wa;
mod wq;

use duet_bench::workload::{Done, Failed, TransactionContext};

use super::db::Db;
pub(super) use bo::BrowseOrders;
pub(super) use bp::BrowseProducts;
pub(super) use common::{ADDRESS, CARD, CUSTOMER, Common};
pub(super) use ncr::{NewCustomer, Registration, address_row, card_row, customer_row};
pub(super) use op::{OrderProducts, StockedProduct, choice};
pub(super) use po::ProcessOrders;
pub(super) use sq::SalesRepQuery;
pub(super) use ucd::UpdateCustomer;
pub(super) use wa::WarehouseActivity;
pub(super) use wq::WarehouseQuery;

/// The most rows of a customer, address or card that a client reads.
const CLIENT_ROWS: u32 = 4;

/// The prepared statements of all types.
pub(super) struct Client {
    common: Common,
    registration: Registration,
    update: UpdateCustomer,
    browse: BrowseProducts,
    order: OrderProducts,
    process: ProcessOrders,
    orders: BrowseOrders,
    representative: SalesRepQuery,
    warehouse: WarehouseQuery,
    activity: WarehouseActivity,
}

impl Client {
    pub(super) async fn prepare(db: &mut Db) -> Result<Self, Failed> {
        Ok(Self {
            common: Common::prepare(db, CLIENT_ROWS).await?,
            registration: Registration::prepare(db).await?,
            update: UpdateCustomer::prepare(db, CLIENT_ROWS).await?,
            browse: BrowseProducts::prepare(db).await?,
            order: OrderProducts::prepare(db, 3).await?,
            process: ProcessOrders::prepare(db).await?,
            orders: BrowseOrders::prepare(db, CLIENT_ROWS).await?,
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
        let common = &self.common;
        match kind {
            0 => self.registration.run(db, common, context).await,
            1 => self.update.run(db, context).await,
            2 => self.browse.run(db, common, context).await,
            3 => self.order.run(db, common, context).await,
            4 => self.process.run(db, context).await,
            5 => self.orders.run(db, common, context).await,
            6 => self.representative.run(db, context).await,
            7 => self.warehouse.run(db, context).await,
            _ => self.activity.run(db, context).await,
        }
    }
}
