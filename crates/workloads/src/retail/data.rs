//! Retail's data set: its tables with their rows.

use std::sync::Arc;

use super::distributions::{
    Distributions, FIRST, HOUSEHOLDS, LAST, PROMOTIONS, SITES, Sizes, WAREHOUSES, date_sk,
};
use super::{dimensions, facts, schema};
use crate::generate::random::RowRandom;
use crate::generate::{DataSet, Filled, RowSink, Table};

/// The data set at a scale.
pub fn data_set(scale: f64, seed: u64, inventory: bool) -> DataSet {
    let sizes = Sizes::at(scale);
    let source = Arc::new(Distributions::new(seed, sizes));
    let bound = |name, count: u64| (name, count as i64);
    DataSet {
        name: "retail",
        metadata: schema::METADATA,
        scale,
        seed,
        choices: vec![("INVENTORY", u8::from(inventory).to_string())],
        unasked: Vec::new(),
        tables: tables(&source, inventory),
        views: &[],
        sequences: Vec::new(),
        bounds: vec![
            bound("RETAIL_ITEMS", sizes.items),
            bound("RETAIL_CUSTOMERS", sizes.customers),
            bound("RETAIL_ADDRESSES", sizes.addresses),
            bound("RETAIL_CDEMOS", sizes.demographics),
            bound("RETAIL_HDEMOS", HOUSEHOLDS),
            bound("RETAIL_STORES", sizes.stores),
            bound("RETAIL_PROMOTIONS", PROMOTIONS),
            bound("RETAIL_WAREHOUSES", WAREHOUSES),
            bound("RETAIL_WEB_SITES", SITES),
            bound("RETAIL_MAX_TICKET", sizes.baskets[0]),
            bound("RETAIL_MAX_WEB_ORDER", sizes.baskets[1]),
            bound("RETAIL_MAX_CATALOG_ORDER", sizes.baskets[2]),
            ("RETAIL_TIME_STEP", if sizes.full { 1 } else { 60 }),
            ("RETAIL_MIN_SOLD_DATE", date_sk(FIRST)),
            ("RETAIL_MAX_SOLD_DATE", date_sk(LAST)),
            ("RETAIL_MIN_INVENTORY_DATE", date_sk(sizes.first_week())),
        ],
        rules: schema::RULES,
    }
}

fn tables(source: &Arc<Distributions>, inventory: bool) -> Vec<Filled> {
    let sizes = source.sizes;
    let rows =
        |table: &'static Table, rows, make: fn(&Distributions, RowRandom, i64, &mut dyn RowSink)| {
            let source = Arc::clone(source);
            let key = source.key(table.name);
            Filled::rows(table, rows, move |at, sink| make(&source, key.row(at), at as i64, sink))
        };
    let mut tables = vec![
        rows(&schema::DATE_DIM, sizes.days, dimensions::date),
        rows(&schema::TIME_DIM, sizes.times, dimensions::time),
        rows(&schema::ITEM, sizes.items, dimensions::item),
        rows(&schema::CUSTOMER_ADDRESS, sizes.addresses, dimensions::address),
        rows(&schema::CUSTOMER_DEMOGRAPHICS, sizes.demographics, dimensions::demographics),
        rows(&schema::HOUSEHOLD_DEMOGRAPHICS, HOUSEHOLDS, dimensions::household),
        rows(&schema::CUSTOMER, sizes.customers, dimensions::customer),
        rows(&schema::STORE, sizes.stores, dimensions::store),
        rows(&schema::PROMOTION, PROMOTIONS, dimensions::promotion),
        rows(&schema::WAREHOUSE, WAREHOUSES, dimensions::warehouse),
        rows(&schema::WEB_SITE, SITES, dimensions::web_site),
    ];
    tables.extend(facts::tables(source));
    if inventory {
        let stocked = sizes.items.div_ceil(2);
        let count = sizes.weeks * stocked * WAREHOUSES;
        tables.push(rows(&schema::INVENTORY, count, facts::inventory));
    }
    tables
}
