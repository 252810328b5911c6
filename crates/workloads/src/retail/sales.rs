//! Small writes: new sale lines, and new prices of old ones, in store, catalogue and web.
//!
//! Every written key exists, every changed line exists, and the figures of a line are consistent
//! like the generator's: the rules of the data hold after a run too.

use duet_bench::workload::{Checker, Done, Failed, Success, TransactionContext};
use duet_client::Statement;
use duet_model::Value;
use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::checks::{CHANGES, FINDS};
use super::client::Client;
use super::distributions::{PROMOTIONS, SITES, WAREHOUSES};
use super::facts::{Channel, FIGURES, Line};
use crate::generate::random::{RowRandom, TableKey};
use crate::generate::state::Metadata;

/// The channels, in the order of the types.
const CHANNELS: [Channel; 3] = [Channel::Store, Channel::Catalog, Channel::Web];

/// The first number of new baskets: above the loaded ones at any scale, and low enough that sums of
/// millions of them fit into 64 bits.
const FIRST_NUMBERS: std::ops::Range<i64> = 10_000_000_000..1_000_000_000_000;

/// The greatest keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    sold: [i64; 2],
    time_step: i64,
    items: i64,
    customers: i64,
    addresses: i64,
    demographics: i64,
    households: i64,
    stores: i64,
    /// Tickets of stores, orders of the catalogue, orders of the web.
    baskets: [i64; 3],
}

impl Bounds {
    pub(super) fn read(metadata: &Metadata, sold: [i64; 2]) -> Self {
        let bound = |name: &str| metadata.int(name).unwrap_or(1).max(1);
        Self {
            sold,
            time_step: bound("RETAIL_TIME_STEP"),
            items: bound("RETAIL_ITEMS"),
            customers: bound("RETAIL_CUSTOMERS"),
            addresses: bound("RETAIL_ADDRESSES"),
            demographics: bound("RETAIL_CDEMOS"),
            households: bound("RETAIL_HDEMOS"),
            stores: bound("RETAIL_STORES"),
            baskets: ["RETAIL_MAX_TICKET", "RETAIL_MAX_CATALOG_ORDER", "RETAIL_MAX_WEB_ORDER"]
                .map(bound),
        }
    }
}

/// The statements of one channel.
struct Prepared {
    channel: Channel,
    insert: Statement,
    find: Statement,
    update: Statement,
    /// The greatest loaded basket number.
    baskets: i64,
}

/// The statements of all channels.
pub(super) struct Sales {
    prepared: Vec<Prepared>,
    bounds: Bounds,
    /// The number of the next new basket. Each user counts from its own start, drawn anew for each
    /// run, so that they do not collide.
    next: i64,
}

/// The name of the column with a basket's number.
fn number_of(channel: Channel) -> &'static str {
    match channel {
        Channel::Store => "ticket_number",
        Channel::Catalog | Channel::Web => "order_number",
    }
}

/// Table, prefix of its columns.
fn names(channel: Channel) -> (&'static str, &'static str) {
    let prefix = match channel {
        Channel::Store => "ss_",
        Channel::Catalog => "cs_",
        Channel::Web => "ws_",
    };
    (channel.table().name, prefix)
}

fn insert_sql(channel: Channel) -> String {
    let columns = channel.table().column_names();
    let places: Vec<String> = (1..=columns.len()).map(|place| format!("${place}")).collect();
    let (columns, places) = (columns.join(", "), places.join(", "));
    format!("INSERT INTO {} ({columns}) VALUES ({places})", channel.table().name)
}

fn find_sql(channel: Channel) -> String {
    let ((table, prefix), number) = (names(channel), number_of(channel));
    format!(
        "SELECT {prefix}item_sk, {prefix}quantity FROM {table} WHERE {prefix}{number} = $1 \
         ORDER BY {prefix}item_sk"
    )
}

/// All figures but the quantity, which returns refer to.
fn update_sql(channel: Channel) -> String {
    let ((table, prefix), number) = (names(channel), number_of(channel));
    let figures = FIGURES[1..].iter().enumerate();
    let set: Vec<String> =
        figures.map(|(at, name)| format!("{prefix}{name} = ${}", at + 3)).collect();
    format!(
        "UPDATE {table} SET {} WHERE {prefix}{number} = $1 AND {prefix}item_sk = $2",
        set.join(", ")
    )
}

impl Sales {
    pub(super) async fn prepare(client: &mut Client, bounds: Bounds) -> Result<Self, Failed> {
        let mut prepared = Vec::new();
        for (channel, baskets) in CHANNELS.into_iter().zip(bounds.baskets) {
            prepared.push(Prepared {
                channel,
                insert: client.prepare(&insert_sql(channel)).await?,
                find: client.prepare(&find_sql(channel)).await?,
                update: client.prepare(&update_sql(channel)).await?,
                baskets,
            });
        }
        Ok(Self { prepared, bounds, next: fastrand::i64(FIRST_NUMBERS) })
    }

    /// Runs the type with this index: even ones insert, odd ones update.
    pub(super) async fn run(
        &mut self,
        client: &mut Client,
        kind: usize,
        context: &mut TransactionContext,
        checks: Checker<'_>,
    ) -> Done {
        self.next += 1;
        let Some(prepared) = self.prepared.get(kind / 2) else {
            return Err(Failed::check("there is no such type"));
        };
        let done = match kind % 2 {
            0 => self.new_line(client, prepared, context, checks).await,
            _ => Self::new_prices(client, prepared, context, checks).await,
        };
        if done.is_err() {
            client.rollback(&mut context.work).await;
        }
        done
    }

    async fn new_line(
        &self,
        client: &mut Client,
        prepared: &Prepared,
        context: &mut TransactionContext,
        checks: Checker<'_>,
    ) -> Done {
        context.think().await;
        let values = self.bounds.line(prepared.channel, self.next, &mut context.random);
        client.begin(&mut context.work).await?;
        let changed = client.execute(&prepared.insert, &values, &mut context.work).await?;
        context.work.dml.inserts += 1;
        ended(client, changed, context, checks).await
    }

    async fn new_prices(
        client: &mut Client,
        prepared: &Prepared,
        context: &mut TransactionContext,
        checks: Checker<'_>,
    ) -> Done {
        context.think().await;
        let number = Value::Int(context.random.i64(1..=prepared.baskets));
        client.begin(&mut context.work).await?;
        let find = &prepared.find;
        let lines = client.query(find, std::slice::from_ref(&number), &mut context.work).await?;
        let line = context.random.choice(&lines.rows).map(Vec::as_slice);
        let line = match line {
            Some([item, Value::Int(quantity)]) => Some((item, *quantity)),
            _ => None,
        };
        checks.note(FINDS, line.is_some());
        let Some((item, quantity)) = line else {
            return Err(Failed::check(checks.name(FINDS)));
        };
        let line = Line::of(any_row(&mut context.random), quantity);
        let mut values = vec![number, item.clone()];
        values.extend(line.figures()[1..].iter().map(|figure| Value::Int(*figure)));
        let changed = client.execute(&prepared.update, &values, &mut context.work).await?;
        context.work.dml.updates += 1;
        ended(client, changed, context, checks).await
    }
}

async fn ended(
    client: &mut Client,
    changed: u64,
    context: &mut TransactionContext,
    checks: Checker<'_>,
) -> Done {
    if !checks.note(CHANGES, changed == 1) {
        return Err(Failed::check(format!("{}: it was {changed}", checks.name(CHANGES))));
    }
    context.think().await;
    client.commit(&mut context.work).await?;
    Ok(Success::Ok)
}

/// Random numbers of a row outside of every data set.
fn any_row(random: &mut Rng) -> RowRandom {
    TableKey::new(random.u64(..), "sales").row(0)
}

impl Bounds {
    /// The values of a new line, in the order of the table's columns.
    fn line(&self, channel: Channel, number: i64, random: &mut Rng) -> Vec<Value> {
        let row = any_row(random);
        let line = Line::new(row);
        let figures = line.figures();
        let day = random.i64(self.sold[0]..=self.sold[1]);
        let value = |column: &&str| {
            let mut up_to = |most: i64| random.i64(1..=most);
            // The prefix has three letters.
            let name = column.get(3..).unwrap_or_default();
            match name {
                "sold_date_sk" => day,
                "sold_time_sk" => random.i64(0..86_400 / self.time_step) * self.time_step,
                "ship_date_sk" => day + up_to(120),
                "item_sk" => up_to(self.items),
                "customer_sk" | "bill_customer_sk" | "ship_customer_sk" => up_to(self.customers),
                "cdemo_sk" | "bill_cdemo_sk" => up_to(self.demographics),
                "hdemo_sk" => up_to(self.households),
                "addr_sk" => up_to(self.addresses),
                "store_sk" => up_to(self.stores),
                "web_site_sk" => up_to(SITES as i64),
                "warehouse_sk" => up_to(WAREHOUSES as i64),
                "promo_sk" => up_to(PROMOTIONS as i64),
                "ticket_number" | "order_number" => number,
                "ext_ship_cost" => line.shipping(row),
                _ => {
                    let place = FIGURES.iter().position(|figure| *figure == name);
                    place.map_or(0, |place| figures[place])
                }
            }
        };
        channel.table().column_names().iter().map(value).map(Value::Int).collect()
    }
}
