//! The counts of retail's rows at a scale, and the distributions of their values.

use duet_text::time::moment::{civil_from_days, days_from_civil};

use crate::generate::permutation::Permutation;
use crate::generate::random::{RowRandom, TableKey};
use crate::generate::weighted::Weighted;
use crate::generate::words::{WORDS, Words};

/// The first day of sales.
pub(super) const FIRST: i64 = days_from_civil(1998, 1, 2);

/// The last day of sales.
pub(super) const LAST: i64 = days_from_civil(2003, 1, 2);

/// Promotions.
pub(super) const PROMOTIONS: u64 = 300;

/// Warehouses.
pub(super) const WAREHOUSES: u64 = 5;

/// Sites of the web.
pub(super) const SITES: u64 = 30;

/// Households: a cross product.
pub(super) const HOUSEHOLDS: u64 = 20 * 6 * 10 * 6;

/// The number of rows of each.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Whether the fixed dimensions have their full size: from scale 1.
    pub full: bool,
    /// Days of the calendar: those that sales, returns and shipping need, or two centuries.
    pub days: u64,
    /// Times of day: minutes, or seconds.
    pub times: u64,
    /// Items.
    pub items: u64,
    /// Customers.
    pub customers: u64,
    /// Addresses.
    pub addresses: u64,
    /// Demographics of customers: a cross product.
    pub demographics: u64,
    /// Stores.
    pub stores: u64,
    /// Baskets of the stores, of the web, of the catalogue.
    pub baskets: [u64; 3],
    /// Weeks of the inventory.
    pub weeks: u64,
}

impl Sizes {
    /// For a scale: baskets grow with it, items, customers and stores with its square root, and all
    /// have at least the size of scale 0.01.
    pub fn at(scale: f64) -> Self {
        let root = scale.sqrt().max(0.1);
        let rooted = |count: f64| (count * root).round() as u64;
        let baskets = |rows: f64, mean: f64| ((rows * scale / mean).round() as u64).max(1);
        let full = scale >= 1.0;
        let customers = rooted(100_000.0);
        Self {
            full,
            days: if full { 73_049 } else { 2_191 },
            times: if full { 86_400 } else { 1_440 },
            items: rooted(18_000.0),
            customers,
            addresses: customers / 2,
            demographics: if full { 1_920_800 } else { 39_200 },
            stores: rooted(12.0).max(12),
            baskets: [
                baskets(2_880_404.0, 12.0),
                baskets(719_384.0, 12.0),
                baskets(1_441_548.0, 9.0),
            ],
            weeks: if full { 261 } else { 52 },
        }
    }

    /// The first day of the calendar.
    pub(super) fn first_day(&self) -> i64 {
        if self.full { days_from_civil(1900, 1, 2) } else { days_from_civil(1998, 1, 1) }
    }

    /// The first day of the inventory: the weeks before the end of the sales.
    pub(super) fn first_week(&self) -> i64 {
        days_from_civil(2003, 1, 2) - 7 * self.weeks as i64
    }
}

/// The distributions of all rows.
pub(super) struct Distributions {
    pub(super) seed: u64,
    pub(super) sizes: Sizes,
    pub(super) words: &'static Words,
    items: (Weighted, Permutation),
    customers: (Weighted, Permutation),
    days: Weighted,
    /// Promotions of each day of sales.
    promotions: Vec<Vec<i64>>,
}

impl Distributions {
    pub(super) fn new(seed: u64, sizes: Sizes) -> Self {
        let order = |name, count| Permutation::new(count, TableKey::new(seed, name).seed());
        let mut source = Self {
            seed,
            sizes,
            words: &WORDS,
            items: (Weighted::zipf(sizes.items, 0.6), order("item order", sizes.items)),
            customers: (
                Weighted::zipf(sizes.customers, 0.5),
                order("customer order", sizes.customers),
            ),
            days: Weighted::new(&(FIRST..=LAST).map(weight_of_day).collect::<Vec<_>>()),
            promotions: vec![Vec::new(); (LAST - FIRST + 1) as usize],
        };
        for promotion in 0..PROMOTIONS {
            let (start, end) = promotion_window(source.key("promotion").row(promotion));
            for day in start.max(FIRST)..=end.min(LAST) {
                source.promotions[(day - FIRST) as usize].push(promotion as i64 + 1);
            }
        }
        source
    }

    pub(super) fn key(&self, table: &str) -> TableKey {
        TableKey::new(self.seed, table)
    }

    /// A day of sales.
    pub(super) fn day(&self, row: RowRandom, column: u64) -> i64 {
        FIRST + self.days.draw(row, column) as i64
    }

    /// An item, counted from 0: few are popular.
    pub(super) fn item(&self, row: RowRandom, column: u64) -> u64 {
        self.items.1.at(self.items.0.draw(row, column) as u64)
    }

    /// A customer, counted from 1: some buy more often.
    pub(super) fn customer(&self, row: RowRandom, column: u64) -> i64 {
        self.customers.1.at(self.customers.0.draw(row, column) as u64) as i64 + 1
    }

    /// A promotion that runs on a day of sales, or any if none does.
    pub(super) fn promotion(&self, row: RowRandom, column: u64, day: i64) -> i64 {
        let running = &self.promotions[(day - FIRST) as usize];
        match running.is_empty() {
            true => row.between(column, 1, PROMOTIONS as i64),
            false => row.pick(column, running),
        }
    }
}

/// Three seasons of the year, and 5 % more each year.
fn weight_of_day(day: i64) -> u64 {
    let (year, month, _) = civil_from_days(day);
    let zone = match month {
        1..=7 => 100_000,
        8..=10 => 140_000,
        _ => 220_000,
    };
    (1998..year).fold(zone, |weight, _| weight * 105 / 100)
}

/// The Julian day number of 1970-01-01.
const JULIAN_EPOCH: i64 = 2_440_588;

/// The key of a day: its Julian day number.
pub(super) fn date_sk(day: i64) -> i64 {
    day + JULIAN_EPOCH
}

/// The first and the last day of a promotion.
pub(super) fn promotion_window(row: RowRandom) -> (i64, i64) {
    let length = row.between(1, 10, 60);
    let start = row.between(0, FIRST, LAST - length);
    (start, start + length)
}
