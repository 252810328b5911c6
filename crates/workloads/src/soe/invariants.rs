//! The invariants of order entry's data, checked after a run.
//!
//! Sums over whole tables are taken before and after: existing orders change too, and a sum that
//! differs from the counted work shows a lost update. Orders of the run are checked one by one.

use duet_bench::run::Merged;
use duet_bench::workload::Failed;
use duet_client::Connection;
use duet_model::Value;
use duet_verdict::result::{Dml, Invariant};

use super::dialect::SET;
use super::facts::{Facts, KINDS, Side};
use crate::generate::Engine;

/// The counts of a whole run by type, with ramp-up and warm-up.
#[derive(Clone, Debug)]
pub struct RunCounts {
    completed: [u64; KINDS.len()],
    failed: [u64; KINDS.len()],
    dml: [Dml; KINDS.len()],
}

impl Default for RunCounts {
    fn default() -> Self {
        Self {
            completed: [0; KINDS.len()],
            failed: [0; KINDS.len()],
            dml: [Dml::default(); KINDS.len()],
        }
    }
}

impl RunCounts {
    /// Adds a second of the run; every second must be added.
    pub fn add(&mut self, second: &Merged) {
        for (kind, tally) in second.kinds.range(..KINDS.len()) {
            self.completed[*kind] += tally.completed();
            self.failed[*kind] += tally.failed();
            self.dml[*kind].add(&tally.work.dml);
        }
    }

    /// Adds one type's transactions.
    pub fn count(&mut self, kind: usize, completed: u64, failed: u64, dml: &Dml) {
        self.completed[kind] += completed;
        self.failed[kind] += failed;
        self.dml[kind].add(dml);
    }

    /// The number of transactions of these types: the successful ones, and all, because a failed
    /// one may have written or not.
    fn between(&self, kinds: &[usize]) -> (i64, i64) {
        let sum = |counts: &[u64]| kinds.iter().map(|kind| counts[*kind]).sum::<u64>() as i64;
        (sum(&self.completed), sum(&self.completed) + sum(&self.failed))
    }

    fn inserts(&self) -> i64 {
        self.dml.iter().map(|dml| dml.inserts).sum::<u64>() as i64
    }
}

/// Counts and sums of the data at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataCounts {
    customers: i64,
    addresses: i64,
    cards: i64,
    orders: i64,
    items: i64,
    logons: i64,
    /// Pieces in all warehouses.
    stock: i64,
    /// Pieces in all lines.
    pieces: i64,
    /// The totals of all orders, less the prices of all lines, in cents.
    difference: i64,
    last_order: i64,
}

/// Takes a snapshot before the run.
///
/// # Errors
/// The database's error.
pub async fn before(connection: &mut Connection) -> Result<DataCounts, Failed> {
    let dialect = Engine::spoken_by(connection);
    let cents = |sum: &str| dialect.in_cents(&format!("coalesce({sum}, 0)"));
    let sql = format!(
        "SELECT (SELECT count(*) FROM {{s}}customers), (SELECT count(*) FROM {{s}}addresses), \
         (SELECT count(*) FROM {{s}}card_details), (SELECT count(*) FROM {{s}}logon), \
         (SELECT sum(quantity_on_hand) FROM {{s}}inventories), o.orders, o.total, o.last_order, \
         i.items, i.pieces, i.worth \
         FROM (SELECT count(*) AS orders, {} AS total, coalesce(max(order_id), 0) AS last_order \
         FROM {{s}}orders) o, (SELECT count(*) AS items, coalesce(sum(quantity), 0) AS pieces, \
         {} AS worth FROM {{s}}order_items) i",
        cents("sum(order_total)"),
        cents("sum(unit_price * quantity)"),
    );
    let found = connection.ask(&dialect.statement(SET, &sql), &[]).await?;
    let at = |place| {
        found.first_int(place).ok_or_else(|| Failed::check("order entry's data cannot be counted"))
    };
    Ok(DataCounts {
        customers: at(0)?,
        addresses: at(1)?,
        cards: at(2)?,
        logons: at(3)?,
        stock: at(4)?,
        orders: at(5)?,
        last_order: at(7)?,
        items: at(8)?,
        pieces: at(9)?,
        difference: at(6)? - at(10)?,
    })
}

/// Compares the data after a run with those before it and with the run's counts.
///
/// # Errors
/// The database's error.
pub async fn after(
    connection: &mut Connection,
    before: &DataCounts,
    made: &RunCounts,
    facts: &Facts,
) -> Result<Vec<Invariant>, Failed> {
    let now = self::before(connection).await?;
    let mut rows = new_orders(connection, before).await?;
    let items = now.items - before.items;
    rows.push(equal(
        "totals of orders change with the prices of their lines",
        now.difference - before.difference, 0,
    ));
    let sold = before.stock - now.stock;
    rows.push(match facts.compat {
        false => equal("pieces taken out of stock are those that were ordered", sold, items),
        // The original takes them where it did not find them, and a warehouse need not stock them.
        true => at_most("no more is taken out of stock than was ordered", sold, items),
    });
    let changes = made.dml[5].updates as i64 / 2;
    let pieces = now.pieces - before.pieces;
    rows.push(equal("pieces in lines grow by new lines and by changed ones", pieces, items + changes));
    let customers = now.customers - before.customers;
    let (least, most) = made.between(&[0]);
    rows.push(within("one customer was added per registration", customers, least, most));
    let logons = now.logons - before.logons;
    if matches!(facts.side, Side::Client | Side::RestClient) {
        let (least, most) = made.between(&[0, 3, 5]);
        rows.push(within("one logon was recorded per registration, order and look", logons, least, most));
    }
    let addresses = now.addresses - before.addresses;
    let added = customers + addresses + (now.cards - before.cards) + logons + items;
    let added = added + now.orders - before.orders;
    rows.push(equal("rows added are the inserts that were counted", added, made.inserts()));
    Ok(rows)
}

/// The invariants of each order since a snapshot, by this run or by concurrent ones.
///
/// # Errors
/// The database's error.
pub async fn new_orders(
    connection: &mut Connection,
    before: &DataCounts,
) -> Result<Vec<Invariant>, Failed> {
    let last = before.last_order;
    let dialect = Engine::spoken_by(connection);
    let mut rows = Vec::new();
    for (name, sql) in [
        (
            "every new order's total is the sum of its lines",
            "SELECT count(*) FROM {s}orders o WHERE o.order_id > $1 AND coalesce(o.order_total, -1) \
             <> (SELECT coalesce(sum(i.unit_price * i.quantity), 0) FROM {s}order_items i \
             WHERE i.order_id = o.order_id)",
        ),
        (
            "every new line has its order",
            "SELECT count(*) FROM {s}order_items i WHERE i.order_id > $1 AND NOT EXISTS \
             (SELECT 1 FROM {s}orders o WHERE o.order_id = i.order_id)",
        ),
    ] {
        let wrong = connection.ask(&dialect.statement(SET, sql), &[Value::Int(last)]).await?;
        let wrong = wrong.first_int(0).unwrap_or(-1);
        let found = format!("{wrong} are wrong");
        rows.push(Invariant { name: name.into(), passed: wrong == 0, found });
    }
    Ok(rows)
}

fn equal(name: &str, found: i64, expected: i64) -> Invariant {
    within(name, found, expected, expected)
}

fn at_most(name: &str, found: i64, most: i64) -> Invariant {
    let found_words = format!("{found}, expected at most {most}");
    Invariant { name: name.into(), passed: found <= most, found: found_words }
}

/// Exact without failures; a failed transaction may have written or not.
fn within(name: &str, found: i64, least: i64, most: i64) -> Invariant {
    let found_words = match least == most {
        true if found == least => format!("{found}, as expected"),
        true => format!("{found}, expected {least}"),
        false => format!("{found}, expected {least} to {most}"),
    };
    Invariant { name: name.into(), passed: (least..=most).contains(&found), found: found_words }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_and_expected_values_are_shown() {
        let told = |row: Invariant| (row.passed, row.found);
        assert_eq!(told(equal("a", 0, 0)), (true, "0, as expected".into()));
        assert_eq!(told(equal("a", 7, 8)), (false, "7, expected 8".into()));
        assert_eq!(told(within("a", 7, 6, 8)), (true, "7, expected 6 to 8".into()));
        assert_eq!(told(at_most("a", 9, 8)), (false, "9, expected at most 8".into()));
    }
}
