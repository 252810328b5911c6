//! Rows of the facts, by basket: the lines of a basket share day, time and customer.

use std::ops::Range;
use std::sync::Arc;

use super::distributions::{Distributions, SITES, WAREHOUSES, date_sk};
use super::{dimensions, schema};
use crate::generate::random::{RowRandom, TableKey};
use crate::generate::weighted::distinct;
use crate::generate::{Filled, RowSink, Table};

/// A sales channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    Store,
    Web,
    Catalog,
}

impl Channel {
    pub(super) fn table(self) -> &'static Table {
        match self {
            Self::Store => &schema::STORE_SALES,
            Self::Web => &schema::WEB_SALES,
            Self::Catalog => &schema::CATALOG_SALES,
        }
    }

    fn key(self, source: &Distributions) -> TableKey {
        source.key(self.table().name)
    }

    /// Lines of a basket: 8 to 16, 4 to 14 in the catalogue.
    fn lines(self, basket: RowRandom) -> usize {
        let (low, high) = if self == Self::Catalog { (4, 14) } else { (8, 16) };
        basket.between(0, low, high) as usize
    }
}

/// The shared values of a basket's lines.
struct Basket {
    row: RowRandom,
    number: i64,
    day: i64,
    second: i64,
    customer: i64,
    /// Its items, counted from 0.
    items: Vec<u64>,
}

impl Basket {
    fn new(source: &Distributions, channel: Channel, at: u64, mut items: Vec<u64>) -> Self {
        let row = channel.key(source).row(at);
        let draw = |attempt| source.item(row.part(1), attempt);
        distinct(channel.lines(row), source.sizes.items, draw, &mut items);
        // In the order of the key.
        items.sort_unstable();
        let second = time_of_day(channel, row);
        Self {
            row,
            number: at as i64 + 1,
            day: source.day(row, 1),
            second: if source.sizes.full { second } else { second / 60 * 60 },
            customer: source.customer(row, 2),
            items,
        }
    }

    fn lines(&self) -> impl Iterator<Item = RowRandom> {
        let row = self.row;
        (0..self.items.len() as u64).map(move |line| row.part(2 + line))
    }
}

/// Stores are busy at noon and at six, the web all day and more in the evening; catalogue orders
/// come during the day.
fn time_of_day(channel: Channel, row: RowRandom) -> i64 {
    let hours = |from: i64, to: i64| row.bell(4, from * 3_600, to * 3_600 - 1);
    match channel {
        Channel::Store if row.chance(3, 500) => hours(8, 16),
        Channel::Store => hours(15, 21),
        Channel::Web if row.chance(3, 700) => row.between(4, 0, 86_399),
        Channel::Web => hours(17, 23),
        Channel::Catalog => hours(6, 22),
    }
}

/// The columns of a line's figures, without the table's prefix.
pub(super) const FIGURES: [&str; 12] = [
    "quantity",
    "wholesale_cost",
    "list_price",
    "sales_price",
    "ext_discount_amt",
    "ext_sales_price",
    "ext_wholesale_cost",
    "ext_list_price",
    "ext_tax",
    "coupon_amt",
    "net_paid",
    "net_profit",
];

/// The figures of a line, in cents.
pub(super) struct Line {
    quantity: i64,
    wholesale: i64,
    list: i64,
    sales: i64,
    coupon: i64,
    tax_percent: i64,
}

impl Line {
    pub(super) fn new(row: RowRandom) -> Self {
        Self::of(row, row.between(3, 1, 100))
    }

    /// Of this quantity.
    pub(super) fn of(row: RowRandom, quantity: i64) -> Self {
        let wholesale = row.between(0, 100, 10_000);
        let list = wholesale + wholesale * row.between(1, 0, 1_000) / 1_000;
        // Squared, so that small discounts are more frequent.
        let discount = row.between(2, 0, 1_000);
        let sales = list * (1_000_000 - discount * discount) / 1_000_000;
        let share = if row.chance(4, 200) { row.between(5, 0, 500) } else { 0 };
        let coupon = quantity * sales * share / 1_000;
        Self { quantity, wholesale, list, sales, coupon, tax_percent: row.between(6, 0, 9) }
    }

    fn net_paid(&self) -> i64 {
        self.quantity * self.sales - self.coupon
    }

    /// In the order of the columns, from quantity to profit.
    pub(super) fn figures(&self) -> [i64; FIGURES.len()] {
        let times = |price: i64| self.quantity * price;
        [
            self.quantity,
            self.wholesale,
            self.list,
            self.sales,
            times(self.list - self.sales),
            times(self.sales),
            times(self.wholesale),
            times(self.list),
            self.net_paid() * self.tax_percent / 100,
            self.coupon,
            self.net_paid(),
            self.net_paid() - times(self.wholesale),
        ]
    }

    /// The cost of shipping: up to half of the list price.
    pub(super) fn shipping(&self, row: RowRandom) -> i64 {
        self.quantity * self.list * row.between(12, 0, 500) / 1_000
    }

    fn write(&self, sink: &mut dyn RowSink) {
        self.figures().into_iter().for_each(|figure| sink.int(figure));
    }
}

/// Columns above this number decide whether a reference is NULL.
const MISSING: u64 = 100;

/// A reference that is NULL in 3 of 100 rows.
fn reference(row: RowRandom, column: u64, key: i64, sink: &mut dyn RowSink) {
    sink.int_or_null((!row.chance(MISSING + column, 30)).then_some(key));
}

/// The tables of facts, without the inventory.
pub(super) fn tables(source: &Arc<Distributions>) -> Vec<Filled> {
    let [stores, web, catalog] = source.sizes.baskets;
    vec![
        sales(source, Channel::Store, stores, store_line),
        returns(source, stores),
        sales(source, Channel::Web, web, web_line),
        sales(source, Channel::Catalog, catalog, catalog_line),
    ]
}

type LineOf = fn(&Distributions, &Basket, RowRandom, i64, &mut dyn RowSink);

fn sales(source: &Arc<Distributions>, channel: Channel, baskets: u64, line: LineOf) -> Filled {
    let key = channel.key(source);
    let source = Arc::clone(source);
    let make = move |range: Range<u64>, sink: &mut dyn RowSink| {
        let mut items = Vec::new();
        for at in range {
            let basket = Basket::new(&source, channel, at, items);
            for (row, item) in basket.lines().zip(&basket.items) {
                line(&source, &basket, row, *item as i64 + 1, sink);
                sink.end_row();
            }
            items = basket.items;
        }
    };
    let rows = (0..baskets).map(|at| channel.lines(key.row(at)) as u64).sum();
    Filled { table: channel.table(), units: baskets, rows, make: Box::new(make) }
}

fn store_line(
    source: &Distributions,
    basket: &Basket,
    row: RowRandom,
    item: i64,
    sink: &mut dyn RowSink,
) {
    let [address, demographics, household] = dimensions::home(source, basket.customer);
    reference(row, 0, date_sk(basket.day), sink);
    reference(row, 1, basket.second, sink);
    sink.int(item);
    reference(row, 2, basket.customer, sink);
    reference(row, 3, demographics, sink);
    reference(row, 4, household, sink);
    // Three of ten have moved since then.
    let moved = basket.row.chance(5, 300);
    let elsewhere = basket.row.between(6, 1, source.sizes.addresses as i64);
    reference(row, 5, if moved { elsewhere } else { address }, sink);
    reference(row, 6, store_of(source, basket), sink);
    promotion(source, basket, row, sink);
    sink.int(basket.number);
    Line::new(row).write(sink);
}

fn store_of(source: &Distributions, basket: &Basket) -> i64 {
    basket.row.between(7, 1, source.sizes.stores as i64)
}

/// 30 of 100 lines have a promotion.
fn promotion(source: &Distributions, basket: &Basket, row: RowRandom, sink: &mut dyn RowSink) {
    let promotion = source.promotion(row, 8, basket.day);
    sink.int_or_null(row.chance(7, 300).then_some(promotion));
}

/// 1 to 120 days after the sale, most within two months.
fn shipped(basket: &Basket, row: RowRandom) -> i64 {
    let late = row.chance(9, 100);
    basket.day + if late { row.between(10, 60, 120) } else { row.bell(10, 1, 59) }
}

fn web_line(source: &Distributions, basket: &Basket, row: RowRandom, item: i64, sink: &mut dyn RowSink) {
    ordered(basket, row, item, sink);
    reference(row, 3, basket.customer, sink);
    reference(row, 4, receiver(source, basket), sink);
    reference(row, 5, basket.row.between(7, 1, SITES as i64), sink);
    delivered(source, basket, row, sink);
}

fn catalog_line(
    source: &Distributions,
    basket: &Basket,
    row: RowRandom,
    item: i64,
    sink: &mut dyn RowSink,
) {
    ordered(basket, row, item, sink);
    reference(row, 3, basket.customer, sink);
    reference(row, 5, dimensions::home(source, basket.customer)[1], sink);
    reference(row, 4, receiver(source, basket), sink);
    delivered(source, basket, row, sink);
}

fn ordered(basket: &Basket, row: RowRandom, item: i64, sink: &mut dyn RowSink) {
    reference(row, 0, date_sk(basket.day), sink);
    reference(row, 1, basket.second, sink);
    reference(row, 2, date_sk(shipped(basket, row)), sink);
    sink.int(item);
}

/// One in five is a present.
fn receiver(source: &Distributions, basket: &Basket) -> i64 {
    let other = source.customer(basket.row, 8);
    if basket.row.chance(9, 200) { other } else { basket.customer }
}

fn delivered(source: &Distributions, basket: &Basket, row: RowRandom, sink: &mut dyn RowSink) {
    reference(row, 6, row.between(11, 1, WAREHOUSES as i64), sink);
    promotion(source, basket, row, sink);
    sink.int(basket.number);
    let line = Line::new(row);
    line.write(sink);
    sink.int(line.shipping(row));
}

/// One in ten lines of the stores is returned.
fn returns(source: &Arc<Distributions>, baskets: u64) -> Filled {
    let key = Channel::Store.key(source);
    let is_returned = |line: RowRandom| line.chance(20, 100);
    let count = |at| {
        let basket = key.row(at);
        let lines = 0..Channel::Store.lines(basket) as u64;
        lines.filter(|line| is_returned(basket.part(2 + line))).count() as u64
    };
    let rows = (0..baskets).map(count).sum();
    let source = Arc::clone(source);
    let make = move |range: Range<u64>, sink: &mut dyn RowSink| {
        let mut items = Vec::new();
        for at in range {
            let basket = Basket::new(&source, Channel::Store, at, items);
            for (row, item) in basket.lines().zip(&basket.items) {
                if is_returned(row) {
                    returned(&source, &basket, row, *item as i64 + 1, sink);
                    sink.end_row();
                }
            }
            items = basket.items;
        }
    };
    Filled { table: &schema::STORE_RETURNS, units: baskets, rows, make: Box::new(make) }
}

fn returned(source: &Distributions, basket: &Basket, row: RowRandom, item: i64, sink: &mut dyn RowSink) {
    let line = Line::new(row);
    let quantity = row.between(21, 1, line.quantity);
    let amount = line.net_paid() * quantity / line.quantity;
    reference(row, 10, date_sk(basket.day + row.between(22, 1, 90)), sink);
    sink.int(item);
    reference(row, 11, basket.customer, sink);
    reference(row, 12, store_of(source, basket), sink);
    sink.int(basket.number);
    sink.int(quantity);
    sink.int(amount);
    // Handling, and up to half of what was paid.
    sink.int(amount * row.between(23, 0, 500) / 1_000 + 500);
}

/// Every second item in every warehouse, weekly: a mean per item, with noise around it.
pub(super) fn inventory(source: &Distributions, row: RowRandom, at: i64, sink: &mut dyn RowSink) {
    let warehouses = WAREHOUSES as i64;
    let stocked = source.sizes.items.div_ceil(2) as i64;
    let (warehouse, rest) = (at % warehouses, at / warehouses);
    let (item, week) = (rest % stocked * 2, rest / stocked);
    let place = source.key("inventory mean").row((item * warehouses + warehouse) as u64);
    sink.int(date_sk(source.sizes.first_week() + 7 * week));
    sink.int(item + 1);
    sink.int(warehouse + 1);
    sink.int((place.bell(0, 0, 1_000) + row.bell(0, 0, 1_000)) / 2);
}
