//! BP, browse products: a customer looks at some products and their stock.

use duet_bench::workload::{Done, Failed, Success, TransactionContext};
use duet_client::Statement;
use duet_model::Value;

use super::super::db::Db;
use super::Common;

/// The columns that browsing shows.
pub(super) const PRODUCT: &str = "p.product_id, p.product_name, p.product_description, \
    p.category_id, p.weight_class, p.warranty_period, p.supplier_id, p.product_status, \
    p.list_price, p.min_price, p.catalog_url, i.quantity_on_hand";

/// The statement.
pub(in super::super) struct BrowseProducts {
    product: Statement,
}

impl BrowseProducts {
    pub(in super::super) async fn prepare(db: &mut Db) -> Result<Self, Failed> {
        let product = include_str!("sql/browse_product.sql").replace("{columns}", PRODUCT);
        Ok(Self { product: db.prepare(&product).await? })
    }

    pub(in super::super) async fn run(
        &self,
        db: &mut Db,
        common: &Common,
        context: &mut TransactionContext,
    ) -> Done {
        let customer = db.facts.someone(&mut context.random);
        common.customer(db, context, customer).await?;
        context.think().await;
        for _ in 0..context.random.u32(1..24) {
            let product = context.random.i64(1..db.facts.products.max(2));
            db.select(context, &self.product, &[Value::Int(product)]).await?;
            context.think().await;
        }
        Ok(Success::Ok)
    }
}
