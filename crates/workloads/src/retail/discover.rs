//! Reads the facts about retail's data that users need.

use std::collections::BTreeMap;
use std::time::Duration;

use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::Failed;
use duet_model::Value;
use duet_verdict::outcome::Outcome;

use super::client::Client;
use super::queries::{Domain, INVENTORY};
use super::sales::Bounds;
use super::workload::{Facts, Mode};
use super::{Entry, LABEL, Retail};
use crate::generate::state::Metadata;

/// The facts found.
#[derive(Clone, Debug)]
pub struct Discovery {
    /// The data that users need.
    pub facts: Facts,
    /// The database's name and version.
    pub server: String,
    /// The description of the data in results.
    pub data: BTreeMap<String, String>,
    /// Whether the inventory was loaded.
    pub has_inventory: bool,
}

impl Discovery {
    /// Checks that the types with a weight can run.
    ///
    /// # Errors
    /// In words for the user: what to do if a query needs data that are missing.
    pub fn allowed(&self) -> Result<(), Failed> {
        let asks_inventory =
            |((short, _), weight): ((&str, f64), &f64)| short == INVENTORY && *weight > 0.0;
        let mut usual = Retail::usual(self.facts.mode).zip(&self.facts.weights);
        match !self.has_inventory && usual.any(asks_inventory) {
            false => Ok(()),
            true => {
                let message = "D18 needs the inventory, which was not loaded: leave D18 out, or load \
                    the data with `duet bench load retail --inventory`";
                Err(Failed::new(Outcome::Other, message))
            }
        }
    }
}

/// Reads the data that users need. All types get their default weights; query D18 gets none without
/// inventory.
///
/// # Errors
/// If the database is unreachable, or has no retail data.
pub async fn discover(
    database: &DatabaseAddress,
    mode: Mode,
    timeout: Duration,
    seed: u64,
) -> Result<Discovery, Failed> {
    let mut client = Client::open(&database.target()?, timeout).await?;
    let metadata = Metadata::read(&mut client.connection, &Entry).await?;
    let Some(metadata) = metadata.filter(Metadata::is_complete) else {
        let message = "retail is missing or incomplete; `duet bench load retail` creates it";
        return Err(Failed::new(Outcome::Other, message));
    };
    let bound = |name: &str| metadata.int(name).unwrap_or(1);
    let sold = [bound("RETAIL_MIN_SOLD_DATE"), bound("RETAIL_MAX_SOLD_DATE")];
    let stocked = [bound("RETAIL_MIN_INVENTORY_DATE"), sold[1]];
    let domain = domain(&mut client, sold, stocked).await?;
    let has_inventory = metadata.int("RETAIL_INVENTORY") == Some(1);
    let weight = |(short, weight)| if short == INVENTORY && !has_inventory { 0.0 } else { weight };
    let facts = Facts {
        database: database.clone(),
        mode,
        weights: Retail::usual(mode).map(weight).collect(),
        domain,
        bounds: Bounds::read(&metadata, sold),
        timeout,
        seed,
    };
    let data = [
        ("retail", LABEL.to_owned()),
        ("scale", metadata.scale().unwrap_or_default().to_string()),
        ("seed", metadata.seed().unwrap_or_default().to_string()),
        ("inventory", if has_inventory { "yes" } else { "no" }.to_owned()),
    ];
    let data = data.map(|(name, value)| (name.to_owned(), value)).into();
    Ok(Discovery { facts, server: server(&mut client).await?, data, has_inventory })
}

async fn domain(client: &mut Client, sold: [i64; 2], stocked: [i64; 2]) -> Result<Domain, Failed> {
    let mut domain = Domain { sold, stocked, ..Domain::default() };
    // In the order of keys, so that a seed draws the same on both stores.
    let sql = "SELECT s_county, s_store_name, s_gmt_offset FROM store ORDER BY s_store_sk";
    for row in client.connection.ask(sql, &[]).await?.rows {
        if let [Value::Text(county), Value::Text(name), Value::Int(offset)] = row.as_slice() {
            once(&mut domain.counties, county);
            once(&mut domain.stores, name);
            once(&mut domain.offsets, offset);
        }
    }
    match domain.stores.is_empty() {
        true => Err(Failed::check("retail has no stores")),
        false => Ok(domain),
    }
}

fn once<T: PartialEq + Clone>(all: &mut Vec<T>, one: &T) {
    if !all.contains(one) {
        all.push(one.clone());
    }
}

async fn server(client: &mut Client) -> Result<String, Failed> {
    let (name, sql) = match client.connection.store() {
        "postgres" => ("PostgreSQL", "SHOW server_version"),
        _ => ("SQLite", "SELECT sqlite_version()"),
    };
    let found = client.connection.ask(sql, &[]).await?;
    Ok(format!("{name} {}", found.first(0).map(ToString::to_string).unwrap_or_default()))
}
