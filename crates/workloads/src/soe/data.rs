//! Rows of order entry: the kit's distributions, with dates that end before a day.
//!
//! A value is a function of seed, table, row and column. Dates end before today (UTC), or before
//! `--until`: with it, the same scale and seed give the same rows on any day.

use duet_text::time::moment::days_from_civil;
use std::ops::Range;
use std::sync::Arc;

use super::schema;
use crate::generate::moment::Moment;
use crate::generate::permutation::Permutation;
use crate::generate::random::{RowRandom, TableKey};
use crate::generate::weighted::Weighted;
use crate::generate::words::{WORDS, Words};
use crate::generate::{DataSet, Filled, RowSink, scaled};

/// Categories of products, from 1.
pub const CATEGORIES: i64 = 199;

/// Below this scale the catalogue and the stock are smaller too.
const TINY: f64 = 0.01;

/// The number of rows of each.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Customers.
    pub customers: u64,
    /// Addresses.
    pub addresses: u64,
    /// Cards.
    pub cards: u64,
    /// Orders.
    pub orders: u64,
    /// Logons.
    pub logons: u64,
    /// Products.
    pub products: u64,
    /// Warehouses.
    pub warehouses: u64,
}

impl Sizes {
    /// For a scale. Products and warehouses are 1,000 each, 100 each below 0.01.
    pub fn at(scale: f64) -> Self {
        let catalogue = if scale < TINY { 100 } else { 1_000 };
        Self {
            customers: scaled(1_000_000, scale),
            addresses: scaled(1_500_000, scale),
            cards: scaled(1_500_000, scale),
            orders: scaled(1_429_790, scale),
            logons: scaled(2_382_984, scale),
            products: catalogue,
            warehouses: catalogue,
        }
    }
}

/// The distributions of all rows.
struct Distributions {
    seed: u64,
    sizes: Sizes,
    /// The day behind the last one of the data, counted from 1970-01-01.
    until: i64,
    words: &'static Words,
    classes: Weighted,
    cards: Weighted,
    deliveries: Weighted,
}

impl Distributions {
    fn key(&self, table: &str) -> TableKey {
        TableKey::new(self.seed, table)
    }
}

const CREDITS: [i64; 12] =
    [1_000, 2_000, 3_000, 4_000, 5_000, 5_500, 6_000, 6_500, 10_000, 20_000, 50_000, 50_000];
const CLASSES: [&str; 4] = ["Occasional", "Prime", "Business", "Regular"];
const CARDS: [&str; 7] = [
    "Visa (Debit)",
    "Visa (Credit)",
    "American Express",
    "Paypal",
    "Cheque",
    "Voucher",
    "MasterCard",
];
const STREETS: [&str; 6] = [" Gardens", " Road", " Road", " Road", " Street", " Close"];
const DELIVERIES: [&str; 4] = ["Express", "Standard", "Next_Day", "Collection"];
const WRAPS: [&str; 11] = [
    "None",
    "None",
    "None",
    "None",
    "None",
    "None",
    "Birthday",
    "Anniversary",
    "Christmas",
    "Wedding",
    "Plain",
];
const STATUSES: [&str; 4] = ["orderable", "planned", "under development", "obsolete"];

/// The data set at a scale. Its orders, dispatches and logons are before the day `until`, counted from 1970-01-01.
pub fn data_set(scale: f64, seed: u64, until: i64) -> DataSet {
    let sizes = Sizes::at(scale);
    let source = Arc::new(Distributions {
        seed,
        sizes,
        until,
        words: &WORDS,
        classes: Weighted::new(&[6, 2, 1, 1]),
        cards: Weighted::new(&[2, 1, 1, 1, 1, 1, 1]),
        deliveries: Weighted::new(&[1, 4, 1, 1]),
    });
    let next = |name, rows: u64| (name, rows + 1);
    let last = |name, rows: u64| (name, rows as i64);
    DataSet {
        name: "soe",
        metadata: schema::METADATA,
        scale,
        seed,
        choices: vec![("UNTIL", Moment::date(until).as_str().to_owned())],
        unasked: Vec::new(),
        tables: tables(&source),
        views: schema::VIEWS,
        sequences: vec![
            next("customer_seq", sizes.customers),
            next("orders_seq", sizes.orders),
            next("address_seq", sizes.addresses),
            next("logon_seq", sizes.logons),
            next("card_details_seq", sizes.cards),
        ],
        bounds: vec![
            ("SOE_MIN_ORDER_ID", 1),
            last("SOE_MAX_ORDER_ID", sizes.orders),
            ("SOE_MIN_CUSTOMER_ID", 1),
            last("SOE_MAX_CUSTOMER_ID", sizes.customers),
            last("SOE_PRODUCTS", sizes.products),
            last("SOE_WAREHOUSES", sizes.warehouses),
            ("SOE_CATEGORIES", CATEGORIES),
        ],
        rules: schema::RULES,
    }
}

fn tables(source: &Arc<Distributions>) -> Vec<Filled> {
    let sizes = source.sizes;
    let rows = |table, rows, make: fn(&Distributions, RowRandom, i64, &mut dyn RowSink)| {
        let source = Arc::clone(source);
        let key = source.key(table_name(table));
        Filled::rows(table, rows, move |at, sink| make(&source, key.row(at), at as i64 + 1, sink))
    };
    vec![
        rows(&schema::CUSTOMERS, sizes.customers, customer),
        rows(&schema::ADDRESSES, sizes.addresses, address),
        rows(&schema::CARD_DETAILS, sizes.cards, card),
        rows(&schema::WAREHOUSES, sizes.warehouses, warehouse),
        rows(&schema::PRODUCT_INFORMATION, sizes.products, product),
        rows(&schema::PRODUCT_DESCRIPTIONS, sizes.products, description),
        inventories(source),
        rows(&schema::ORDERS, sizes.orders, order),
        order_items(Arc::clone(source)),
        rows(&schema::LOGON, sizes.logons, logon),
    ]
}

fn table_name(table: &'static crate::generate::Table) -> &'static str {
    table.name
}

fn customer(source: &Distributions, row: RowRandom, id: i64, sink: &mut dyn RowSink) {
    let words = source.words;
    let (first, last) = name(row, words);
    sink.int(id);
    sink.text(&[&words.first_names[first]]);
    sink.text(&[&words.last_names[last]]);
    sink.text(&[row.pick(2, &words.languages)]);
    sink.text(&[row.pick(3, &words.territories)]);
    sink.cents(CREDITS[row.bell(4, 0, 11) as usize] * 100);
    let provider = row.pick(5, &words.providers);
    sink.text(&[&words.first_lower[first], ".", &words.last_lower[last], "@", provider]);
    sink.int(row.bell(6, 0, 999));
    sink.date(source.until - row.between(7, 1, 3_650));
    sink.text(&[CLASSES[source.classes.draw(row, 8)]]);
    sink.text(&[row.pick(9, &words.hobbies)]);
    sink.date(row.between(10, days_from_civil(1950, 1, 1), days_from_civil(2000, 12, 31)));
    sink.text(&[if row.chance(11, 750) { "Y" } else { "N" }]);
    sink.text(&[if row.below(12, 3) < 2 { "N" } else { "Y" }]);
    let address = row.between(14, 1, source.sizes.addresses as i64);
    sink.int_or_null((!row.chance(13, 50)).then_some(address));
    sink.int(row.between(15, 1, source.sizes.cards as i64));
}

fn name(row: RowRandom, words: &Words) -> (usize, usize) {
    let of = |column, names: &[String]| row.bell(column, 0, names.len() as i64 - 1) as usize;
    (of(0, &words.first_names), of(1, &words.last_names))
}

/// The customer of a row: uniform, so that a fifth of the customers has none.
fn someone(source: &Distributions, row: RowRandom) -> i64 {
    row.between(0, 1, source.sizes.customers as i64)
}

fn address(source: &Distributions, row: RowRandom, id: i64, sink: &mut dyn RowSink) {
    let words = source.words;
    sink.int(id);
    sink.int(someone(source, row));
    sink.date(source.until - row.between(1, 1, 3_650));
    match row.chance(2, 100) {
        true => sink.null(),
        false => sink.text(&[itoa::Buffer::new().format(row.between(3, 1, 999))]),
    }
    sink.text(&[row.pick(4, &words.streets), row.pick(5, &STREETS)]);
    sink.text(&[&words.towns[row.below(6, words.towns.len() as u64) as usize]]);
    sink.text(&[&words.counties[row.below(7, words.counties.len() as u64) as usize]]);
    sink.text(&[row.pick(8, &words.countries)]);
    for column in [9, 11] {
        match row.chance(column, 500) {
            true => sink.null(),
            false => {
                sink.text(&[itoa::Buffer::new().format(row.between(column + 1, 10_000, 99_999))]);
            }
        }
    }
}

fn card(source: &Distributions, row: RowRandom, id: i64, sink: &mut dyn RowSink) {
    sink.int(id);
    sink.int(someone(source, row));
    sink.text(&[CARDS[source.cards.draw(row, 1)]]);
    sink.int(row.between(2, 1_111_111_111, 1_410_065_407));
    sink.date(source.until + row.between(3, 1, 1_825));
    sink.text(&[if row.chance(4, 970) { "Y" } else { "N" }]);
    sink.int(row.between(5, 1_111, 9_998));
}

fn warehouse(_: &Distributions, row: RowRandom, id: i64, sink: &mut dyn RowSink) {
    sink.int(id);
    sink.text(&["Warehouse ", itoa::Buffer::new().format(id)]);
    sink.int(row.between(0, 1, 9_999));
}

fn product(source: &Distributions, row: RowRandom, id: i64, sink: &mut dyn RowSink) {
    sink.int(id);
    product_name(source, row, sink);
    sink.text(&[&source.words.sentence(row.part(0), 40, 150)]);
    sink.int(row.between(2, 1, CATEGORIES));
    sink.int(row.between(3, 1, 9));
    sink.int(row.between(4, 0, 60));
    sink.int(row.bell(5, 1, 999));
    sink.text(&[row.pick(6, &STATUSES)]);
    sink.cents(row.between(7, 100, 499_999));
    sink.cents(row.between(8, 100, 499_999));
    sink.text(&["https://catalogue.example.com/product/", itoa::Buffer::new().format(id)]);
}

fn product_name(source: &Distributions, row: RowRandom, sink: &mut dyn RowSink) {
    let (adjective, thing) =
        (row.pick(0, &source.words.adjectives), row.pick(1, &source.words.things));
    sink.text(&[adjective, " ", thing]);
}

fn description(source: &Distributions, _: RowRandom, id: i64, sink: &mut dyn RowSink) {
    // The product's own language is the catalogue's.
    let row = source.key(schema::PRODUCT_INFORMATION.name).row(id as u64 - 1);
    sink.int(id);
    sink.text(&["US"]);
    product_name(source, row, sink);
    sink.text(&[&source.words.sentence(row.part(0), 40, 150)]);
}

fn inventories(source: &Distributions) -> Filled {
    let key = source.key(schema::INVENTORIES.name);
    let warehouses = source.sizes.warehouses;
    // 800 to 999 of 1,000.
    let stocked = move |product: u64| {
        let (low, high) = (warehouses * 4 / 5, warehouses - 1);
        key.row(product).between(0, low as i64, high as i64) as u64
    };
    let products = source.sizes.products;
    let make = move |range: Range<u64>, sink: &mut dyn RowSink| {
        for product in range {
            let row = key.row(product);
            let (order, stocked) = (Permutation::new(warehouses, row.bits(1)), stocked(product));
            for warehouse in (0..warehouses).filter(|at| order.at(*at) < stocked) {
                sink.int(product as i64 + 1);
                sink.int(warehouse as i64 + 1);
                sink.int(row.part(warehouse).between(0, 1, 99_999_999));
                sink.end_row();
            }
        }
    };
    Filled {
        table: &schema::INVENTORIES,
        units: products,
        rows: (0..products).map(stocked).sum(),
        make: Box::new(make),
    }
}

fn order(source: &Distributions, row: RowRandom, id: i64, sink: &mut dyn RowSink) {
    let sizes = &source.sizes;
    sink.int(id);
    sink.second((source.until - 1_826) * 86_400 + row.between(1, 0, 1_826 * 24 - 1) * 3_600);
    match row.below(2, 10) {
        0..2 => sink.null(),
        2..6 => sink.text(&["direct"]),
        _ => sink.text(&["online"]),
    }
    sink.int(someone(source, row));
    sink.int(row.bell(3, 1, 10));
    let items = source.key(schema::ORDER_ITEMS.name).row(id as u64 - 1);
    sink.cents(lines(items).map(|line| price(line) * quantity(line)).sum());
    sink.int(row.bell(4, 1, 999));
    sink.int(row.bell(5, 0, 999));
    sink.int(row.between(6, 1, sizes.warehouses as i64));
    sink.text(&[DELIVERIES[source.deliveries.draw(row, 7)]]);
    sink.int(row.between(8, 1, 4));
    sink.text(&[if row.chance(9, 800) { "ship_when_ready" } else { "ship_asap" }]);
    sink.int(row.between(10, 1, sizes.addresses as i64));
    sink.text(&[CLASSES[source.classes.draw(row, 11)]]);
    sink.int(row.between(12, 1, sizes.cards as i64));
    sink.int(row.between(13, 1, sizes.addresses as i64));
}

/// The lines of an order, one to nine.
fn lines(order: RowRandom) -> impl Iterator<Item = RowRandom> {
    (0..line_count(order)).map(move |line| order.part(line))
}

fn line_count(order: RowRandom) -> u64 {
    1 + order.below(0, 9)
}

/// In cents.
fn price(line: RowRandom) -> i64 {
    line.bell(1, 0, 199_999)
}

fn quantity(line: RowRandom) -> i64 {
    line.bell(2, 1, 9)
}

fn order_items(source: Arc<Distributions>) -> Filled {
    let key = source.key(schema::ORDER_ITEMS.name);
    let orders = source.sizes.orders;
    let make = move |range: Range<u64>, sink: &mut dyn RowSink| {
        for order in range {
            for (number, line) in lines(key.row(order)).enumerate() {
                item(&source, line, order as i64 + 1, number as i64 + 1, sink);
                sink.end_row();
            }
        }
    };
    Filled {
        table: &schema::ORDER_ITEMS,
        units: orders,
        rows: (0..orders).map(|order| line_count(key.row(order))).sum(),
        make: Box::new(make),
    }
}

fn item(source: &Distributions, line: RowRandom, order: i64, number: i64, sink: &mut dyn RowSink) {
    let dispatched = source.until - line.between(3, 1, 1_826);
    sink.int(order);
    sink.int(number);
    sink.int(line.bell(0, 1, source.sizes.products as i64));
    sink.cents(price(line));
    sink.int(quantity(line));
    sink.date(dispatched);
    match line.chance(4, 970) {
        true => sink.null(),
        false => sink.date(dispatched + line.between(5, 1, 30)),
    }
    sink.text(&[line.pick(6, &WRAPS)]);
    sink.text(&[if line.chance(7, 870) { "New" } else { "Factory Second" }]);
    sink.int(line.bell(8, 1, 999));
    sink.date(dispatched + line.between(9, 1, 14));
}

fn logon(source: &Distributions, row: RowRandom, id: i64, sink: &mut dyn RowSink) {
    sink.int(id);
    sink.int(someone(source, row));
    sink.date(source.until - row.between(1, 1, 1_826));
}
